"""How stable a ranking is, measured by refitting."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression

from eigenselect import MSFS, SPEC, FisherScore, SSelect
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.multisource import AuxiliaryData, FeatureSet
from eigenselect.sensitivity import ranking_stability


@pytest.fixture
def table(rng):
    """Three clear features, seventeen of noise, two classes."""
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 20))
    X[:, :3] += 4 * y[:, None]
    return X, y


def test_numbers_are_means_over_all_pairs(table):
    result = ranking_stability(FisherScore(5), *table, n_repeats=6, random_state=1)
    tops = [set(np.flatnonzero(ranking <= 5)) for ranking in result.rankings]
    pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
    overlap = np.mean([len(tops[a] & tops[b]) / 5 for a, b in pairs])
    assert result.overlap == pytest.approx(overlap)
    assert result.corrected_overlap == pytest.approx((overlap - 5 / 20) / (1 - 5 / 20))
    correlation = np.mean([spearmanr(result.rankings[a], result.rankings[b])[0] for a, b in pairs])
    assert result.rank_correlation == pytest.approx(correlation)
    full = FisherScore(5).fit(*table)
    np.testing.assert_array_equal(result.full_ranking, full.ranking_)
    with_full = [len(top & set(full.get_support(indices=True))) / 5 for top in tops]
    assert result.overlap_with_full == pytest.approx(np.mean(with_full))
    assert result.rank_correlation_with_full == pytest.approx(
        np.mean([spearmanr(ranking, full.ranking_)[0] for ranking in result.rankings])
    )
    np.testing.assert_allclose(result.selection_frequency, (result.rankings <= 5).mean(axis=0))


@pytest.mark.parametrize("perturbation", ["subsample", "bootstrap", "noise"])
def test_clear_features_stay_and_noise_does_not(table, perturbation):
    X, y = table
    clear = ranking_stability(FisherScore(3), X, y, perturbation=perturbation, n_repeats=20, random_state=0)
    assert clear.overlap == clear.corrected_overlap == 1.0
    np.testing.assert_array_equal(clear.selection_frequency[:3], 1.0)
    np.testing.assert_array_equal(np.unique(np.sort(clear.rankings, axis=1), axis=0), [np.arange(1, 21)])


def test_chance_is_zero(rng):
    """Features without any structure: selections overlap as random ones do."""
    X, y = rng.normal(size=(60, 100)), rng.integers(0, 2, size=60)
    stability = ranking_stability(
        FisherScore(10), X, y, perturbation="subsample", fraction=0.1, n_repeats=40, random_state=0
    )
    assert abs(stability.corrected_overlap) < 0.1
    assert abs(stability.rank_correlation) < 0.15


def test_no_noise_changes_nothing(table):
    result = ranking_stability(FisherScore(4), *table, perturbation="noise", noise=0.0, n_repeats=3)
    assert result.overlap == 1.0
    assert result.rank_correlation == pytest.approx(1.0)
    np.testing.assert_array_equal(result.rankings, np.tile(result.full_ranking, (3, 1)))


def test_same_seed_same_result_on_any_number_of_processes(table):
    one, two = (
        ranking_stability(SPEC(4), table[0], n_repeats=6, random_state=3, n_jobs=n_jobs).rankings for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)
    other = ranking_stability(SPEC(4), table[0], n_repeats=6, random_state=4).rankings
    assert (one != other).any()


def test_classes_keep_their_shares(table, monkeypatch):
    """A rare class is drawn in every repeat, in its proportion; so are unlabelled samples."""
    X, _ = table
    y = np.full(80, -1)
    y[:10], y[10:14] = 0, 1
    drawn = []
    fit = SSelect.fit
    monkeypatch.setattr(SSelect, "fit", lambda self, X, y=None: drawn.append(np.bincount(y + 1)) or fit(self, X, y))
    ranking_stability(SSelect(4), X, y, n_repeats=5, fraction=0.5, random_state=0)
    np.testing.assert_array_equal(drawn[1:], np.tile([33, 5, 2], (5, 1)))


def test_frames_and_sparse_tables(table):
    X, y = table
    expected = ranking_stability(FisherScore(4), X, y, n_repeats=4, random_state=0)
    frame = pd.DataFrame(X, columns=[f"gene{i}" for i in range(20)])
    named = ranking_stability(FisherScore(4), frame, y, n_repeats=4, random_state=0)
    np.testing.assert_array_equal(named.rankings, expected.rankings)
    from_sparse = ranking_stability(FisherScore(4), sparse.coo_array(X), y, n_repeats=4, random_state=0)
    np.testing.assert_array_equal(from_sparse.rankings, expected.rankings)
    listed = named.to_frame()
    assert list(listed["rank"]) == list(range(1, 21))
    first = listed.iloc[0]
    assert first["feature"] == f"gene{np.argmin(named.full_ranking)}"
    assert first["rank_5%"] <= first["median_rank"] <= first["rank_95%"]
    assert expected.to_frame()["feature"].iloc[0] == f"x{np.argmin(expected.full_ranking)}"


def test_warnings_of_the_full_fit_only(table):
    X, y = table
    X[:, 5] = 1.0
    with pytest.warns(UndefinedScoreWarning) as caught:
        ranking_stability(FisherScore(4), X, y, n_repeats=4, random_state=0)
    assert len(caught) == 1


def test_it_says_what_it_found(table, capsys):
    result = ranking_stability(FisherScore(3), *table, n_repeats=5, random_state=0, progress=True)
    assert str(result).startswith("5 repeats, top 3 of 20 features: overlap 1.00 (beyond chance 1.00), rank correl")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "refitting" in captured.err


def test_no_bar_without_a_terminal(table, capsys):
    ranking_stability(FisherScore(3), *table, n_repeats=2, random_state=0)
    assert capsys.readouterr() == ("", "")


def test_progress_is_told(table, capsys):
    told = []
    ranking_stability(FisherScore(3), *table, n_repeats=3, random_state=0, progress=lambda *step: told.append(step))
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert capsys.readouterr() == ("", "")


def test_all_selected(table):
    result = ranking_stability(FisherScore(20), *table, n_repeats=2, random_state=0)
    assert result.overlap == 1.0
    assert np.isnan(result.corrected_overlap)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"perturbation": "shake"}, ValueError, "must be one of 'subsample', 'bootstrap', 'noise', got 'shake'"),
        ({"n_repeats": 1}, ValueError, "at least 2, got 1"),
        ({"fraction": 0}, ValueError, "fraction must be in"),
        ({"noise": -1}, ValueError, "noise must be zero or a positive"),
        ({"n_selected": 21}, ValueError, "between 1 and 20 features, got 21"),
        ({"selector": "fisher"}, TypeError, "selector must be an estimator, got str"),
        ({"perturbation": "noise", "X": sparse.eye_array(80).tocsr()}, ValueError, "would fill a sparse table"),
    ],
)
def test_bad_input(table, options, error, says):
    arguments = {"selector": FisherScore(3), "X": table[0], "y": table[1]} | options
    with pytest.raises(error, match=says):
        ranking_stability(**arguments)


@pytest.mark.parametrize("criterion", ["msfs", "named set"])
def test_noise_keeps_the_names(table, rng, criterion):
    X = pd.DataFrame(table[0], index=[f"s{i}" for i in range(80)], columns=[f"g{j}" for j in range(20)])
    Z = pd.DataFrame(rng.normal(size=(80, 3)), index=X.index).iloc[rng.permutation(80)]
    source = AuxiliaryData(Z) if criterion == "msfs" else FeatureSet(["g1", "g3"])
    result = ranking_stability(
        MSFS(2, sources=[("z", source)]), X, perturbation="noise", noise=1e-12, n_repeats=3, random_state=0
    )
    assert result.rank_correlation_with_full > 0.99


def test_features_that_tie_share_a_rank(table):
    X, y = table
    result = ranking_stability(RFE(LogisticRegression(), n_features_to_select=5), X, y, n_repeats=3, random_state=0)
    np.testing.assert_array_equal(np.sort(result.rankings, axis=1), np.tile([3] * 5 + list(range(6, 21)), (3, 1)))
    np.testing.assert_array_equal((result.rankings == 3).mean(axis=0), result.selection_frequency)


def test_labels_in_a_column_and_too_few(table):
    X, y = table
    column = ranking_stability(FisherScore(3), X, y[:, None], n_repeats=2, random_state=0)
    np.testing.assert_array_equal(
        column.rankings, ranking_stability(FisherScore(3), X, y, n_repeats=2, random_state=0).rankings
    )
    with pytest.raises(ValueError, match="got 79 labels for 80 samples"):
        ranking_stability(FisherScore(3), X, y[:79])
    with pytest.raises(ValueError, match="n_selected must be an integer"):
        ranking_stability(FisherScore(3), X, y, n_selected=2.7)

"""How stable a ranking is, measured by refitting."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, VarianceThreshold, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from eigenselect import MRSF, MSFS, SPEC, FisherScore, SSelect
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.multisource import AuxiliaryData, FeatureSet
from eigenselect.selection import Threshold, TopK
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
    np.testing.assert_array_equal(result.full_selection, FisherScore(5).fit(*table).get_support())


def test_clear_features_stay_and_noise_does_not(table):
    X, y = table
    for perturbation in ("subsample", "bootstrap", "noise"):
        clear = ranking_stability(FisherScore(3), X, y, perturbation=perturbation, n_repeats=20, random_state=0)
        assert clear.overlap == clear.corrected_overlap == 1.0
        np.testing.assert_array_equal(clear.selection_frequency[:3], 1.0)
        np.testing.assert_array_equal(np.unique(np.sort(clear.rankings, axis=1), axis=0), [np.arange(1, 21)])
    without = ranking_stability(FisherScore(4), X, y, perturbation="noise", noise=0.0, n_repeats=3)
    assert without.rank_correlation == pytest.approx(1.0)
    np.testing.assert_array_equal(without.rankings, np.tile(without.full_ranking, (3, 1)))
    everything = ranking_stability(FisherScore(20), X, y, n_repeats=2, random_state=0)
    assert everything.overlap == 1.0
    assert np.isnan(everything.corrected_overlap)


def test_chance_is_zero(rng):
    """Features without any structure: selections overlap as random ones do."""
    X, y = rng.normal(size=(60, 100)), rng.integers(0, 2, size=60)
    stability = ranking_stability(FisherScore(10), X, y, fraction=0.1, n_repeats=40, random_state=0)
    assert abs(stability.corrected_overlap) < 0.1
    assert abs(stability.rank_correlation) < 0.15


def test_seeds(table):
    one, same, other = (ranking_stability(SPEC(4), table[0], n_repeats=6, random_state=s).rankings for s in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    first, second = (ranking_stability(FisherScore(3), *table, n_repeats=3).rankings for _ in range(2))
    np.testing.assert_array_equal(first, second)  # no seed is a fixed one


@pytest.mark.slow
def test_any_number_of_processes(table):
    one, two = (ranking_stability(SPEC(4), table[0], n_repeats=6, n_jobs=n_jobs).rankings for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


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


def test_it_says_what_it_found_and_shows_progress_if_asked(table, capsys):
    result = ranking_stability(FisherScore(3), *table, n_repeats=5, random_state=0, progress=True)
    assert "top 3 of 20" in str(result)
    assert "overlap 1.00" in str(result)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "refitting" in captured.err
    told = []
    ranking_stability(FisherScore(3), *table, n_repeats=3, random_state=0, progress=lambda *step: told.append(step))
    ranking_stability(FisherScore(3), *table, n_repeats=2, random_state=0)
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"perturbation": "shake"}, ValueError, "got 'shake'"),
        ({"n_repeats": 1}, ValueError, "at least 2, got 1"),
        ({"fraction": 0}, ValueError, "fraction"),
        ({"noise": -1}, ValueError, "noise"),
        ({"n_selected": 21}, ValueError, "20 features, got 21"),
        ({"n_selected": 2.7}, ValueError, "n_selected .* integer"),
        ({"y": np.zeros(79)}, ValueError, "79 labels for 80"),
        ({"selector": "fisher"}, TypeError, "selector .* got str"),
        ({"perturbation": "noise", "X": sparse.eye_array(80).tocsr()}, ValueError, "sparse"),
    ],
)
def test_bad_input(table, options, error, says):
    arguments = {"selector": FisherScore(3), "X": table[0], "y": table[1]} | options
    with pytest.raises(error, match=says):
        ranking_stability(**arguments)


def test_noise_keeps_the_names(table, rng):
    X = pd.DataFrame(table[0], index=[f"s{i}" for i in range(80)], columns=[f"g{j}" for j in range(20)])
    Z = pd.DataFrame(rng.normal(size=(80, 3)), index=X.index).iloc[rng.permutation(80)]
    for source in (AuxiliaryData(Z), FeatureSet(["g1", "g3"])):
        selector = MSFS(2, sources=[("z", source)])
        result = ranking_stability(selector, X, perturbation="noise", noise=1e-12, n_repeats=3, random_state=0)
        assert result.rank_correlation_with_full > 0.99


def test_features_that_tie_share_a_rank(table):
    X, y = table
    result = ranking_stability(RFE(LogisticRegression(), n_features_to_select=5), X, y, n_repeats=3, random_state=0)
    np.testing.assert_array_equal(np.sort(result.rankings, axis=1), np.tile([3] * 5 + list(range(6, 21)), (3, 1)))
    np.testing.assert_array_equal((result.rankings == 3).mean(axis=0), result.selection_frequency)


def test_labels_in_a_column(table):
    X, y = table
    rankings = [ranking_stability(FisherScore(3), X, labels, n_repeats=2).rankings for labels in (y, y[:, None])]
    np.testing.assert_array_equal(*rankings)


class TestWhatIsNotOrdered:
    def test_the_place_of_a_column_does_not_matter(self, table, rng):
        X, y = table
        places = rng.permutation(20)
        plain, moved = (
            ranking_stability(MRSF(4, target="lda"), Z, y, n_repeats=5, random_state=0) for Z in (X, X[:, places])
        )
        np.testing.assert_array_equal(moved.rankings, plain.rankings[:, places])
        assert moved.rank_correlation == pytest.approx(plain.rank_correlation)
        assert plain.to_frame()["rank"].tolist() == [1, 2, 3, 4] + [12.5] * 16

    def test_it_is_asked_for_as_many_as_are_compared(self, table):
        few, many = (
            ranking_stability(MRSF(count, target="lda"), *table, n_selected=6, n_repeats=4, random_state=0)
            for count in (2, 9)
        )
        np.testing.assert_array_equal(few.rankings, many.rankings)
        assert few.selection_frequency.sum() == pytest.approx(6)

    def test_selections_of_different_sizes(self, table):
        """Nogueira's index: one minus the mean variance of a feature's selection over that of a draw of mean size."""
        X, y = table
        selector = SelectFromModel(RandomForestClassifier(10, random_state=0))
        result = ranking_stability(selector, X, y, n_repeats=6, random_state=0)
        p = result.selection_frequency
        share = p.mean()
        expected = 1 - np.mean(6 / 5 * p * (1 - p)) / (share * (1 - share))
        assert result.corrected_overlap == pytest.approx(expected)
        selected = result.rankings == result.rankings.min(axis=1, keepdims=True)
        assert len(np.unique(selected.sum(axis=1))) > 1
        np.testing.assert_allclose(p, selected.mean(axis=0))

    def test_fewer_than_asked_for_is_said(self, table):
        selector = SelectFromModel(RandomForestClassifier(10, random_state=0), max_features=2, threshold=-np.inf)
        with pytest.warns(UserWarning, match="SelectFromModel .* 6 features in 3 of 3"):
            result = ranking_stability(selector, *table, n_selected=6, n_repeats=3, random_state=0)
        assert result.selection_frequency.sum() == pytest.approx(2)


class TestPipelinesAndOthers:
    def test_scikit_learns_scores_stand_beside_ours(self, table):
        ours, theirs = (
            ranking_stability(selector, *table, n_selected=4, n_repeats=5, random_state=0)
            for selector in (FisherScore(), SelectKBest(f_classif, k=7))
        )
        np.testing.assert_array_equal(ours.rankings, theirs.rankings)  # F of ANOVA is Fisher's score times a constant
        assert ours.overlap == theirs.overlap

    def test_columns_that_a_step_drops_are_never_selected(self, table):
        X, y = table
        frame = pd.DataFrame(np.column_stack([np.ones(80), X]), columns=["flat", *(f"g{j}" for j in range(20))])
        result = ranking_stability(make_pipeline(VarianceThreshold(), FisherScore(3)), frame, y, n_repeats=4)
        assert result.selection_frequency[0] == 0
        assert list(result.feature_names) == list(frame.columns)
        np.testing.assert_array_equal(result.full_ranking[1:], FisherScore().fit(X, y).ranking_)


class TestRules:
    def test_what_a_rule_chooses_is_compared(self, table):
        X, y = table
        rule = TopK(3, must_keep=[9], never=[0])
        result = ranking_stability(FisherScore(rule), X, y, n_repeats=5, random_state=0)
        assert result.n_selected == 3
        assert result.selection_frequency[[0, 9]].tolist() == [0.0, 1.0]
        assert ranking_stability(FisherScore(rule), X, y, n_selected=3, n_repeats=5).selection_frequency[9] == 0.0

    def test_none_at_all(self, table):
        result = ranking_stability(FisherScore(Threshold(2)), *table, n_repeats=3, random_state=0)
        assert (result.n_selected, result.selection_frequency.max()) == (0, 0.0)
        assert np.isnan([result.overlap, result.corrected_overlap, result.overlap_with_full]).all()
        assert result.rank_correlation > 0.3

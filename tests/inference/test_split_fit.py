"""Both routes for graphs of the same table through a selector: noise stays noise, what follows classes is found."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from eigenselect import SPEC, LaplacianScore
from eigenselect.exceptions import ExchangeabilityWarning
from eigenselect.inference.shadows import Shadows
from eigenselect.inference.split import Split
from eigenselect.similarity import KNN

LEVEL = 0.1
ROUTES = {"split": Split(3, 2), "shadows": Shadows()}


def planted(seed, n=100, m=150, informative=40):
    """Counts of three classes, of which the first features tell the classes; columns of unit spread."""
    rng = np.random.default_rng(seed)
    mu = np.ones((3, m))
    mu[:, :informative] = np.exp(rng.normal(0, 1.2, (3, informative)))
    X = np.log1p(rng.negative_binomial(2, 2 / (2 + mu[rng.integers(0, 3, n)])))
    return X / X.std(axis=0)


def kept(X, route):
    return LaplacianScore(significance=ROUTES[route]).fit(X).qvalues_ <= LEVEL


@pytest.mark.parametrize("route", ROUTES)
def test_noise_tables_have_few_discoveries(route):
    """One in ten at this level; 6 of 10 and more have a chance of 1e-4. On the graph of the table itself, all have."""
    assert sum(kept(planted(seed, informative=0), route).any() for seed in range(10)) < 6


@pytest.mark.parametrize(("route", "power"), [("split", 0.6), ("shadows", 0.4)])
def test_false_discoveries_are_few_and_informative_features_are_found(route, power):
    chosen = [kept(planted(seed), route) for seed in range(8)]
    false = np.array([each[40:].sum() / max(1, each.sum()) for each in chosen])
    assert false.mean() <= LEVEL + 3 * max(false.std(ddof=1), 0.05) / np.sqrt(false.size)
    assert np.mean([each[:40].mean() for each in chosen]) > power


def test_p_values_of_noise_are_uniform():
    """Shares of 1500 p-values; on the graph of the table itself 0.9 of them are below 0.05."""
    p = np.concatenate([LaplacianScore(significance=Split(3, 1)).fit(planted(seed, informative=0)).pvalues_
                        for seed in range(10)])  # fmt: skip
    assert 0.02 < np.mean(p <= 0.05) < 0.09
    assert 0.4 < np.mean(p <= 0.5) < 0.6


def test_rare_noise_has_no_deep_p_values():
    """Counts in one of 50 samples: three moments alone give 10 of 800 p ≤ 1e-5, down to 1e-21, and 13 q ≤ 0.05."""
    rng = np.random.default_rng(5)
    X = np.log1p(rng.poisson(0.02, (400, 800)) * rng.integers(1, 5, (400, 800)))
    similarity = KNN(14, bandwidth="self-tuning")
    found = LaplacianScore(similarity=similarity, significance=Split(2, 2, 30)).fit(X)
    assert found.pvalues_.min() > 1e-5
    assert not (found.qvalues_ <= 0.05).any()


@pytest.mark.parametrize("route", ROUTES)
def test_significance_changes_no_score(route):
    X = planted(0)
    plain, judged = LaplacianScore().fit(X), LaplacianScore(significance=route).fit(X)
    for name in ("scores_", "native_scores_", "ranking_"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(judged, name))
    assert (plain.graph_.affinity != judged.graph_.affinity).nnz == 0


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "selector",
    [SPEC(ranking="phi1"), SPEC(ranking="phi3", n_clusters=3), LaplacianScore(similarity="rbf"),
     LaplacianScore(similarity=KNN(15))],
    ids=["phi1", "phi3", "rbf", "object"],
)  # fmt: skip
def test_other_criteria_and_recipes(selector, route):
    q = clone(selector).set_params(significance=ROUTES[route]).fit(planted(3)).qvalues_
    assert (q[:40] <= 0.2).mean() > (q[40:] <= 0.2).mean() + 0.15


@pytest.mark.parametrize("route", ROUTES)
def test_a_sparse_table_gives_the_same(route):
    X = planted(1, n=60, m=60)
    dense, other = (LaplacianScore(significance=ROUTES[route]).fit(table) for table in (X, sparse.csr_array(X)))
    if route == "split":  # shadows of a sparse table are drawn by its non-zeros
        np.testing.assert_allclose(dense.pvalues_, other.pvalues_, rtol=1e-7)
    assert other.qvalues_.shape == (60,)


@pytest.mark.parametrize("route", ROUTES)
def test_constant_features_are_not_judged(route):
    X = planted(2, n=60, m=60)
    X[:, [5, 9]] = 1.0
    with pytest.warns(match="2 of 60 features have no score"):
        found = LaplacianScore(significance=ROUTES[route]).fit(X)
    assert np.flatnonzero(np.isnan(found.qvalues_)).tolist() == [5, 9]


def test_one_feature_cannot_be_split(rng):
    with pytest.raises(ValueError, match="LaplacianScore: significance='split' needs at least 2 features"):
        LaplacianScore(similarity=KNN(5), significance="split").fit(rng.normal(size=(20, 1)))


@pytest.mark.parametrize("route", ROUTES)
def test_unequal_depth_is_warned_about_once(route, rng):
    counts = rng.poisson(rng.lognormal(sigma=0.5, size=80)[:, None] * rng.lognormal(1, 1, size=120))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        LaplacianScore(significance=ROUTES[route]).fit(np.log1p(counts[:, counts.sum(axis=0) > 9]))
    assert [each.category for each in said].count(ExchangeabilityWarning) == 1


def test_progress_is_shown_where_asked_for(rng, capsys):
    LaplacianScore(significance=Split(2, 2), verbose=True).fit(rng.normal(size=(30, 12)))
    assert "[LaplacianScore] graphs 4/4" in capsys.readouterr().err


@pytest.mark.parametrize("route", ROUTES)
def test_few_samples_are_refused_by_the_selector(route):
    with pytest.raises(ValueError, match="^LaplacianScore: significance needs at least 5 samples that count, got 4"):
        LaplacianScore(significance=route).fit(np.random.default_rng(0).normal(size=(4, 6)))

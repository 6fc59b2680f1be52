"""SPEC at several scales: what stands out at one of them is found, and noise stays noise."""

import numpy as np
import pytest
from scipy import stats

import eigenselect as es
from eigenselect.inference import Permutation
from eigenselect.inference.permutation import permutation_test
from eigenselect.matrix import Residuals, as_matrix, covariate_basis
from eigenselect.similarity import FromTable
from eigenselect.spectral import CAR, Heat


@pytest.fixture
def places():
    return np.random.default_rng(1).uniform(size=(120, 2))


def test_noise_is_noise_at_the_levels_that_were_asked_for(places):
    rng = np.random.default_rng(5)
    X = np.hstack([rng.normal(size=(120, 800)), rng.poisson(0.5, size=(120, 800))]).astype(float)
    pvalues = (
        es.MultiscaleSPEC(3, similarity=FromTable(places), significance=Permutation(precision=None)).fit(X).pvalues_
    )
    for level in (0.05, 0.01):
        low, high = stats.binom.ppf([5e-5, 1 - 5e-5], 1600, level) / 1600
        assert low <= (pvalues <= level).mean() <= high


def test_narrow_and_wide_patterns_stand_out_at_their_scales(places):
    rng = np.random.default_rng(2)
    wide = places[:, 0] + 0.4 * rng.normal(size=120)
    spots = np.zeros(120)
    for centre in (3, 40, 77):
        spots[np.argsort(((places - places[centre]) ** 2).sum(axis=1))[:4]] = 1.0
    X = np.column_stack([wide, spots, rng.normal(size=(120, 20))])
    selector = es.MultiscaleSPEC(
        2, similarity=FromTable(places), scales=(0.5, 20), significance=Permutation(precision=None)
    ).fit(X)
    np.testing.assert_array_equal(selector.best_scale_[:2], [1, 0])
    np.testing.assert_array_equal(selector.get_support(indices=True), [0, 1])
    assert (selector.pvalues_[:2] < 1e-3).all()


def test_scales_may_be_any_functions(rng, make_similarity):
    X, S = rng.normal(size=(24, 6)), make_similarity()
    by_time = es.MultiscaleSPEC(2, scales=[0.5, 3]).fit(X, similarity_matrix=S)
    by_function = es.MultiscaleSPEC(2, scales=[Heat(0.5), lambda r: 1 - np.exp(-3 * r)]).fit(X, similarity_matrix=S)
    np.testing.assert_allclose(by_time.scale_scores_, by_function.scale_scores_, rtol=1e-9)
    more = es.MultiscaleSPEC(2, scales=[0.5, 3, CAR(0.9), "identity"]).fit(X, similarity_matrix=S)
    assert more.scale_scores_.shape == (4, 6)
    np.testing.assert_allclose(more.scale_scores_[:2], by_time.scale_scores_, rtol=1e-12)


def test_with_covariates_chance_is_that_of_residuals(rng, make_similarity):
    """Permuted residuals are made residuals again, so that mean and spread are those of that."""
    X, S, C = rng.normal(size=(24, 6)), make_similarity(), rng.normal(size=(24, 3))
    found = es.MultiscaleSPEC(2, scales=[2]).fit(X, similarity_matrix=S, covariates=C)
    residuals = Residuals.of(as_matrix(X), covariate_basis(C, 24, "test"))
    criterion = es.SPEC(2, spectral_function=Heat(2.0)).fit(X, similarity_matrix=S).criterion_
    test = permutation_test(criterion.null_ratio(), residuals, criterion.scores(residuals).native)
    expected = (test.null_mean - criterion.scores(residuals.to_array()).native) / test.null_sd
    np.testing.assert_allclose(found.native_scores_, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("scales", "says"),
    [
        ((), "spectral functions, at least"),
        ("heat", "scales must be a list"),
        (3.0, "scales must be a list"),
        ((1, -2), "MultiscaleSPEC: scales that are"),
        ((1, np.inf), "positive times, got inf"),
        ((1, "warm"), "be 'identity', 'heat', 'car'"),
    ],
)
def test_bad_scales(scales, says, rng):
    with pytest.raises(ValueError, match=says):
        es.MultiscaleSPEC(1, scales=scales).fit(rng.normal(size=(10, 3)))


def test_too_few_samples():
    with pytest.raises(ValueError, match="takes at least 5"):
        es.MultiscaleSPEC(1).fit(np.eye(4))


def test_there_is_no_single_form(rng):
    X = rng.normal(size=(30, 4))
    selector = es.MultiscaleSPEC(2).fit(X)
    with pytest.raises(ValueError, match="largest of several forms"):
        selector.quadratic_form(X)
    with pytest.raises(ValueError, match="SPEC explains each"):
        selector.explain(X, 0)

"""The trace ratio criterion of one feature as sums."""

import numpy as np
import pytest

from eigenselect import TraceRatio
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.similarity import KNN

SELECTORS = [
    TraceRatio(3),
    TraceRatio(3, scale=None),
    TraceRatio(3, level="feature"),
    TraceRatio(3, graphs="laplacian", similarity=KNN(6)),
    TraceRatio(3, graphs="laplacian", similarity="diffusion", level="feature"),
    TraceRatio(3, graphs="semi-supervised", similarity=KNN(6)),
    TraceRatio(3, graphs="semi-supervised", level="feature"),
]


def partly(selector, y):
    return np.where(np.arange(y.size) % 3 == 0, y, None) if selector.graphs == "semi-supervised" else y


@pytest.mark.parametrize("selector", SELECTORS, ids=str)
@pytest.mark.parametrize("exponent", [0, 300])
def test_samples_sum_to_the_score(selector, exponent, labelled):
    X, y = labelled
    X = np.ldexp(X, exponent)
    selector.fit(X, partly(selector, y))
    for feature in (0, 4):
        why = selector.explain(X, feature)
        expected = selector.native_scores_[feature]
        size = abs(why.samples.terms).sum()  # b and λe may nearly cancel
        assert why.score == pytest.approx(expected, rel=1e-11, abs=1e-11 * size)
        assert why.samples.terms.sum() == pytest.approx(expected, rel=1e-11, abs=1e-11 * size)
        ratio = why.samples.numerator.sum() / why.samples.denominator.sum()
        assert ratio == pytest.approx(expected, rel=1e-11, abs=1e-11 * size)


@pytest.mark.parametrize("selector", SELECTORS, ids=str)
def test_a_larger_score_is_said_to_be_better(selector, labelled):
    """As the ranking has it: the best feature has the largest score that is explained."""
    X, y = labelled
    selector.fit(X, partly(selector, y))
    best, worst = np.argmin(selector.ranking_), np.argmax(selector.ranking_)
    explained = {feature: selector.explain(X, int(feature)) for feature in (best, worst)}
    assert explained[best].larger_is_better == (explained[best].score > explained[worst].score)


def test_two_given_graphs(labelled, rng):
    X, y = labelled
    A_w, A_b = (A + A.T for A in rng.random((2, len(y), len(y))))
    for level in ("subset", "feature"):
        selector = TraceRatio(3, graphs=(A_w, A_b), level=level).fit(X)
        why = selector.explain(X, 2)
        assert why.samples.terms.sum() == pytest.approx(selector.native_scores_[2], rel=1e-11)
    f = X[:, 2]
    for terms, A in ((why.samples.numerator, A_b), (why.samples.denominator, A_w)):
        energy = [0.5 * sum(A[i, j] * (f[i] - f[j]) ** 2 for j in range(f.size)) for i in range(f.size)]
        np.testing.assert_allclose(terms / terms.sum(), np.array(energy) / sum(energy), rtol=1e-11)


def test_b_and_e_of_the_fisher_pair_by_class(labelled):
    X, y = labelled
    selector = TraceRatio(3, level="feature").fit(X, y)
    why = selector.explain(X, 0)
    classes, f = why.classes, X[:, 0]
    for place, name in enumerate(classes.names):
        own = why.samples.numerator[y == name]
        np.testing.assert_allclose(own, own[0])  # the mean of its class is all that counts
        part = own.sum() / why.samples.numerator.sum()
        assert classes.between[place] / classes.between.sum() == pytest.approx(part, rel=1e-11)
    within = why.samples.denominator / why.samples.denominator.sum()
    mean = {name: f[y == name].mean() for name in classes.names}
    deviations = np.array([(value - mean[name]) ** 2 for value, name in zip(f, y, strict=True)])
    np.testing.assert_allclose(within, deviations / deviations.sum(), rtol=1e-9)


def test_a_perfect_and_a_constant_feature(labelled):
    X, y = labelled
    X[:, 0], X[:, 1] = np.unique(y, return_inverse=True)[1], 2.0
    with pytest.warns(UndefinedScoreWarning):
        selector = TraceRatio(3, level="feature").fit(X, y)
    assert selector.explain(X, 0).score == np.inf
    for level in ("feature", "subset"):
        with pytest.warns(UndefinedScoreWarning):
            selector = TraceRatio(3, level=level).fit(X, y)
        with pytest.raises(ValueError, match="TraceRatio: column 1 has no score to explain"):
            selector.explain(X, 1)


def test_a_feature_that_tells_the_classes_exactly_in_a_subset_with_others(labelled):
    """It has no scatter within classes at all; the ratio of the subset is finite, and so is its score."""
    X, y = labelled
    X[:, 0] = np.unique(y, return_inverse=True)[1]
    selector = TraceRatio(3).fit(X, y)
    why = selector.explain(X, 0)
    assert why.score == pytest.approx(selector.native_scores_[0], rel=1e-11)
    assert why.samples.terms.sum() == pytest.approx(why.score, rel=1e-11)
    assert np.isfinite(selector.trace_ratio_)

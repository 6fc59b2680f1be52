"""Plots of p-values draw the numbers they claim to draw, and refuse selectors without any."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es

NAMES = ("qq", "volcano", "mean_score")


@pytest.fixture(scope="module")
def selector(two_groups):
    return es.FisherScore(5, significance=True).fit(*two_groups)


def draw(name, selector, X, **options):
    return getattr(es.plot, name)(selector, *((X,) if name == "mean_score" else ()), **options)


def points(ax):
    """Others and discoveries, in this order, as (x, y)."""
    return [np.asarray(part.get_offsets()) for part in ax.collections[-2:]]


def test_qq(selector):
    others, found = points(ax := es.plot.qq(selector))
    assert len(found) == (selector.qvalues_ <= 0.05).sum() > 0
    drawn = np.concatenate([found, others])
    expected = -np.log10(np.arange(1, 41) / 41)
    np.testing.assert_allclose(np.sort(drawn[:, 0]), np.sort(expected))
    np.testing.assert_allclose(np.sort(drawn[:, 1]), np.sort(-np.log10(selector.pvalues_)))
    assert ax.get_title() == f"q ≤ 0.05: {len(found)} of 40 features"


@pytest.mark.parametrize("larger_is_better", [True, False])
def test_volcano_has_good_scores_at_the_right(two_groups, larger_is_better):
    X, y = two_groups
    small = es.SPEC(5, ranking="phi2", similarity="class_labels", significance=True)
    selector = (es.FisherScore(5, significance=True) if larger_is_better else small).fit(X, y)
    others, found = points(ax := es.plot.volcano(selector))
    assert found[:, 0].min() > np.median(others[:, 0])
    z = np.abs(selector.native_scores_ - selector.null_mean_) / selector.null_sd_
    np.testing.assert_allclose(np.sort(np.abs(np.concatenate([others, found])[:, 0])), np.sort(z))
    assert ax.lines[0].get_ydata()[0] == pytest.approx(-np.log10(selector.pvalues_[selector.qvalues_ <= 0.05].max()))


def test_volcano_without_moments_takes_scores_of_which_large_ones_are_good(two_groups):
    selector = es.LaplacianScore(5, significance="split").fit(two_groups[0])
    ax = es.plot.volcano(selector)
    assert ax.get_xlabel() == "score"
    np.testing.assert_allclose(np.sort(np.concatenate(points(ax))[:, 0]), np.sort(selector.scores_))


def test_a_method_without_p_values_is_not_told_to_ask_for_them(two_groups):
    X, y = two_groups
    with pytest.raises(ValueError, match="plot.mean_score: .* got ReliefF without; its method has none"):
        es.plot.mean_score(es.ReliefF(3).fit(X, y), X)


def test_mean_score(selector, two_groups):
    others, found = points(ax := es.plot.mean_score(selector, two_groups[0], alpha=1e-6))
    kept = selector.qvalues_ <= 1e-6
    np.testing.assert_allclose(np.sort(found[:, 0]), np.sort(two_groups[0].mean(axis=0)[kept]))
    np.testing.assert_allclose(np.sort(others[:, 1]), np.sort(selector.scores_[~kept]))
    assert ax.get_xscale() == "linear"
    counts = np.random.default_rng(0).poisson(10.0 ** np.linspace(-1, 3, 40), size=(60, 40)).astype(float)
    tested = es.FisherScore(5, significance=True).fit(counts, two_groups[1])
    assert es.plot.mean_score(tested, counts).get_xscale() == "log"


@pytest.mark.parametrize("name", NAMES)
def test_given_axes_are_used_and_pipelines_are_opened(two_groups, name):
    X, y = two_groups
    pipeline = make_pipeline(StandardScaler(), es.FisherScore(5, significance=True)).fit(X, y)
    figure, ax = plt.subplots()
    assert draw(name, pipeline, X, ax=ax) is ax
    assert plt.get_fignums() == [figure.number]
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", NAMES)
def test_selectors_without_values_are_refused(two_groups, name):
    X, y = two_groups
    with pytest.raises(ValueError, match=rf"^plot\.{name}: expected a selector with .values_, got FisherScore without"):
        draw(name, es.FisherScore(5).fit(X, y), X)
    with pytest.raises(ValueError, match=rf"^plot\.{name}: alpha must be a number between 0 and 1, got 2"):
        draw(name, es.FisherScore(5, significance=True).fit(X, y), X, alpha=2)


def test_shadows_have_no_p_values_to_draw(two_groups):
    X, y = two_groups
    selector = es.FisherScore(5, significance=True).fit(X, y)
    for attribute in ("pvalues_", "null_mean_", "null_sd_"):
        delattr(selector, attribute)
    for name in ("qq", "volcano"):
        with pytest.raises(ValueError, match=r"gives q-values only, which plot\.mean_score draws"):
            draw(name, selector, X)
    assert len(points(es.plot.mean_score(selector, X))[1]) == (selector.qvalues_ <= 0.05).sum()


def test_undefined_features_are_not_drawn(two_groups):
    X, y = two_groups[0].copy(), two_groups[1]
    X[:, 3] = 1.0
    with pytest.warns(es.exceptions.UndefinedScoreWarning):
        selector = es.FisherScore(5, significance=True).fit(X, y)
    for name in NAMES:
        assert sum(map(len, points(draw(name, selector, X)))) == 39
    selector.pvalues_ = np.full(40, np.nan)
    with pytest.raises(ValueError, match=r"plot\.qq: no feature has a p-value"):
        es.plot.qq(selector)

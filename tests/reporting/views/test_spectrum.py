"""A number of clusters is said only where one gap of the spectrum stands out."""

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_blobs
from sklearn.preprocessing import scale

import eigenselect as es
from eigenselect.reporting.views.drawn_graph import draw_graph
from eigenselect.reporting.views.spectrum import CLEAR, chance_of_ratio, judge_gap

#: fits of real tables warn about units, components and constant features, which is not what is tested here
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def gap_of(X):
    return draw_graph(es.LaplacianScore(1).fit(X), X, 0).gap


@pytest.mark.parametrize(("m", "r"), [(2, 1.0), (2, 3.0), (5, 1.7), (21, 2.5), (21, 4.0)])
def test_the_chance_of_a_ratio_is_its_integral(m, r):
    value, _ = quad(lambda x: m * (m - 1) * np.exp(-x * (1 + r)) * (1 - np.exp(-x)) ** (m - 2), 0, np.inf)
    assert chance_of_ratio(m, r) == pytest.approx(value, rel=1e-7)


def test_the_chance_of_a_ratio_is_that_of_points_on_a_line():
    gaps = np.sort(np.random.default_rng(0).exponential(size=(20_000, 21)), axis=1)
    assert (gaps[:, -1] / gaps[:, -2] >= 2.0).mean() == pytest.approx(chance_of_ratio(21, 2.0), abs=0.01)


@pytest.mark.parametrize(("n", "m"), [(300, 2), (200, 50), (48, 9000)])
def test_clouds_show_no_clusters(n, m):
    found = [gap_of(np.random.default_rng(seed).normal(size=(n, m))).clusters for seed in range(20)]
    assert sum(count is not None for count in found) <= 1


@pytest.mark.parametrize("kind", ["standard_t", "lognormal"])
@pytest.mark.parametrize(("n", "m"), [(30, 2), (100, 2), (300, 10)])
def test_outliers_of_a_full_kernel_are_no_clusters(kind, n, m):
    """Up to 11 of 30 such clouds have a gap that stands out: after a sample or two that are like no other."""
    found = []
    for seed in range(20):
        draw = getattr(np.random.default_rng([seed, n, m]), kind)
        X = draw(3, size=(n, m)) if kind == "standard_t" else draw(size=(n, m))
        found.append(draw_graph(es.SPEC(1, similarity="rbf").fit(X), X, 0).gap)
    assert sum(gap.clusters is not None for gap in found) <= 1
    assert all("no number of clusters" in gap.sentence for gap in found if gap.strays)


@pytest.mark.parametrize("small", [1, 2, 8, 30])
def test_a_cluster_is_more_than_a_handful_of_samples(rng, small):
    X = rng.normal(size=(100 + small, 3))
    X[:small] += 9
    gap = draw_graph(es.SPEC(1, similarity="rbf").fit(X), X, 0).gap
    assert (gap.clusters == 2) == (small > 2)
    assert gap.strays == (small <= 2)


@pytest.mark.parametrize("unit", ["scaled", "as it is"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_clusters_that_run_into_each_other_are_not_counted(load, unit):
    X = load().data
    assert gap_of(scale(X) if unit == "scaled" else X).clusters is None


@pytest.mark.parametrize("count", [2, 3, 5])
def test_separated_clusters_are_counted(count):
    assert gap_of(make_blobs(300, 10, centers=count, random_state=0)[0]).clusters == count


def test_the_three_kinds_of_wine_are_counted():
    assert gap_of(scale(load_wine().data)).clusters == 3


def test_a_gap_needs_others_to_stand_out_from():
    """Of two gaps one is often three times the other; of twenty hardly ever."""
    assert judge_gap(np.array([0.0, 0.1, 0.4])).clusters is None
    assert judge_gap(np.array([0.0, 0.1, 0.4, *np.linspace(0.5, 2.2, 18)])).clusters == 2


def test_what_cannot_be_judged_has_no_clusters():
    for values in ([0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0, 0.0]):
        assert judge_gap(np.array(values)).clusters is None


def test_rounding_is_no_gap_and_equal_gaps_are_the_first():
    values = np.array([0, 0, 0, *np.full(10, 0.5)])
    noisy = values + 1e-13 * np.random.default_rng(0).random(13)
    assert judge_gap(np.sort(noisy)).ratio == np.inf
    assert judge_gap(np.sort(noisy)).clusters == 3
    even = np.linspace(0, 1, 12)
    for nudge in (-1e-15, 0.0, 1e-15):
        moved = even.copy()
        moved[7] += nudge
        assert judge_gap(moved).after == 1


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (
            [0, 0.01, 0.02, 0.5, 0.52, 0.54, 0.57, 0.6],
            "The gap after 3 stands out (16 times the next): the samples show 3",
        ),
        ([0, 0.6, 0.61, 0.63, 0.64, 0.66], "comes after the first: the samples show no clusters"),
        ([0, 0.01, 0.11, 0.2, 0.28], "No gap stands out (the largest is 1.1 times the next), so the spectrum gives no"),
        ([0, 0, 0.5, 0.5, 0.5, 0.5], "(the only one): the samples show 2 clusters"),
    ],
)
def test_the_sentence_says_what_was_found(values, says):
    gap = judge_gap(np.array(values, dtype=float))
    assert says in gap.sentence
    assert ("clusters." in gap.sentence and "show no" not in gap.sentence and "no number" not in gap.sentence) == (
        gap.clusters is not None
    )
    assert (gap.chance <= CLEAR) or gap.clusters is None

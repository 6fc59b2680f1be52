"""Groups that samples are shown in; k-means is the same for any last bits where clusters are not clear."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from eigenselect.reporting.views.groups import (
    APART,
    MAX_GROUPS,
    UNLABELLED,
    add_apart,
    groups_of_clusters,
    groups_of_labels,
    k_means,
)


def named(groups):
    return [groups.names[code] for code in groups.codes]


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (["b", "a", "b"], ["b", "a", "b"]),
        ([2.0, 10.0, 2.0], ["2", "10", "2"]),
        ([True, False, True], ["True", "False", "True"]),
        ([-1, 1, 1], ["-1", "1", "1"]),
        ([1, "one", None], ["1", "one", UNLABELLED]),
        ([0.0, np.nan, 1.0], ["0", UNLABELLED, "1"]),
    ],
)
def test_every_sample_is_in_the_group_of_its_label(y, expected):
    groups = groups_of_labels(y)
    assert named(groups) == expected
    assert groups.kind == "class"
    assert sum(groups.sizes()) == len(y)


def test_numbers_sort_as_numbers():
    assert groups_of_labels([10, 9, 100]).names == ["9", "10", "100"]


def test_minus_one_is_unlabelled_only_where_the_method_says_so():
    assert named(groups_of_labels([-1, 0, 1], minus_one_is_unlabelled=True)) == [UNLABELLED, "0", "1"]


def test_a_number_is_cut_in_thirds():
    y = np.random.default_rng(0).normal(size=90)
    groups = groups_of_labels(y, number=True)
    assert groups.kind == "third"
    assert groups.sizes() == [30, 30, 30]
    assert y[groups.codes == 0].max() <= y[groups.codes == 1].min() <= y[groups.codes == 2].min()
    y[3] = np.nan
    assert groups_of_labels(y, number=True).names[3] == UNLABELLED


def test_the_smallest_of_many_classes_are_put_together():
    y = [f"c{j:02d}" for j in range(30) for _ in range(j + 1)]
    groups = groups_of_labels(y)
    assert len(groups.names) == MAX_GROUPS
    assert groups.names[-1] == "11 other classes"
    assert groups.names[0] == "c11"
    assert groups.sizes()[-1] == sum(range(1, 12))
    assert groups.count == 30
    groups = groups_of_labels([*y, None])
    assert named(groups)[-1] == UNLABELLED
    assert groups.count == 30


def test_clusters_are_numbered_by_size_and_others_are_in_none():
    points = np.array([[0.0, 0.0]] * 3 + [[5.0, 5.0]] * 6)
    groups = groups_of_clusters(points, np.arange(1, 10), 12, 2, 0)
    assert groups.codes.tolist() == [-1] + [1] * 3 + [0] * 6 + [-1] * 2
    assert groups.sizes() == [6, 3]
    apart = add_apart(groups, np.array([0]))
    assert apart.names[-1] == APART
    assert apart.codes[[0, 11]].tolist() == [2, -1]
    assert apart.count == 2


def test_very_many_clusters_are_counted_but_not_all_drawn():
    points = np.random.default_rng(0).normal(size=(60, 2))
    groups = groups_of_clusters(points, np.arange(60), 60, 40, 0)
    assert (len(groups.names), groups.count) == (MAX_GROUPS, 40)


def cost(points, codes):
    return sum(((points[codes == code] - points[codes == code].mean(axis=0)) ** 2).sum() for code in np.unique(codes))


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_clear_clusters_are_found(count):
    points, truth = make_blobs(40 * count, 3, centers=count, cluster_std=0.3, random_state=1)
    assert adjusted_rand_score(k_means(points, count, 0), truth) == 1


@pytest.mark.parametrize("count", [2, 3, 6])
def test_it_is_about_as_good_as_scikit_learns(rng, count):
    points = rng.normal(size=(200, 4))
    assert (
        cost(points, k_means(points, count, 0)) <= 1.02 * KMeans(count, n_init=10, random_state=0).fit(points).inertia_
    )


def test_clusters_are_numbered_by_size_and_then_by_first_sample():
    points = np.array([5.0, 9, 9, 1, 1, 5.1])[:, None]
    np.testing.assert_array_equal(k_means(points, 3, 0), [0, 1, 1, 2, 2, 0])
    np.testing.assert_array_equal(k_means(points[:-1], 3, 0), [2, 0, 0, 1, 1])


@pytest.mark.parametrize("count", [2, 3, 5, 7])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rounding_does_not_decide_ties(count, seed):
    """On a ring, every rotation of the clusters is as good, and samples lie half-way between centres."""
    angle = 2 * np.pi * np.arange(24) / 24
    points = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)])
    expected = k_means(points, count, seed)
    for noise in np.random.default_rng(seed).normal(size=(20, *points.shape)):
        np.testing.assert_array_equal(k_means(points + 1e-14 * noise, count, seed), expected)


def test_fewer_points_than_clusters():
    found = k_means(np.repeat([[0.0], [1.0]], 3, axis=0), 4, 0)
    assert len(set(found)) == 2
    np.testing.assert_array_equal(found, [0, 0, 0, 1, 1, 1])

"""Groups that samples are shown in."""

import numpy as np
import pytest

from eigenselect.reporting.groups import (
    APART,
    MAX_GROUPS,
    UNLABELLED,
    groups_of_clusters,
    groups_of_labels,
    with_apart,
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
    apart = with_apart(groups, np.array([0]))
    assert apart.names[-1] == APART
    assert apart.codes[[0, 11]].tolist() == [2, -1]
    assert apart.count == 2


def test_very_many_clusters_are_counted_but_not_all_drawn():
    points = np.random.default_rng(0).normal(size=(60, 2))
    groups = groups_of_clusters(points, np.arange(60), 60, 40, 0)
    assert (len(groups.names), groups.count) == (MAX_GROUPS, 40)

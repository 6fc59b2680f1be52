"""Cells hold the samples nearest to their centres, what is planned is found, and what is found is nearest."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from eigenselect.matrix import as_matrix
from eigenselect.similarity.bounded_space import Space
from eigenselect.similarity.cells import SPARE, Cells
from eigenselect.similarity.neighbors import nearest_neighbors


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(3)
    return rng.normal(size=(900, 8)) + 3 * rng.normal(size=(5, 8))[np.arange(900) % 5]


@pytest.fixture(scope="module")
def cells(points):
    return Cells(Space.of(as_matrix(points), "euclidean"), np.random.RandomState(0), 1)


def test_every_sample_is_in_the_cell_whose_mean_is_about_the_nearest(points, cells):
    assert cells.near.shape == (15, 15)
    np.testing.assert_array_equal(np.sort(cells.order), np.arange(900))
    means = np.stack([points[cells.member == cell].mean(axis=0) for cell in range(15)])
    assert (np.argmin(cdist(points, means), axis=1) == cells.member).mean() > 0.9
    for cell in range(15):
        members = cells.order[cells.ends[cell] : cells.ends[cell + 1]]
        np.testing.assert_array_equal(members, np.flatnonzero(cells.member == cell))


def test_cells_are_in_the_order_of_their_distance(points, cells):
    means = np.stack([points[cells.member == cell].mean(axis=0) for cell in range(15)])
    np.testing.assert_array_equal(cells.near[:, 0], np.arange(15))
    apart = np.take_along_axis(cdist(means, means), cells.near, axis=1)
    assert (apart[:, 1:4].mean(axis=1) < apart[:, -4:].mean(axis=1)).all()


@pytest.mark.parametrize("count", [1, 4, 15])
def test_who_is_found_is_nearest_among_the_cells_that_are_looked_at(points, cells, count):
    squared = cdist(points, points, "sqeuclidean")
    np.fill_diagonal(squared, np.inf)
    seen = (cells.near[cells.member, :count, None] == cells.member).any(axis=1)
    expected = np.argsort(np.where(seen, squared, np.inf), axis=1)[:, : 5 + SPARE]
    np.testing.assert_array_equal(np.sort(cells.search(count, 5, 2), axis=1), np.sort(expected, axis=1))
    assert cells.compared(count) == pytest.approx(seen.sum(axis=1).mean())


def test_what_is_planned_is_found_and_no_more_cells_than_that(points, cells):
    everybody, neighbors = np.arange(900), nearest_neighbors(as_matrix(points), 5)[0]

    def part(count):
        seen = (cells.near[cells.member, :count, None] == cells.member).any(axis=1)
        return np.take_along_axis(seen, neighbors, axis=1).mean()

    for wanted in (0.5, 0.9, 0.99, 1.0):
        count = cells.needed(everybody, neighbors, wanted)
        assert part(count) >= wanted
        assert count == 1 or part(count - 1) < wanted


def test_a_cell_with_too_few_others_says_so(rng):
    X = np.vstack([rng.normal(size=(9, 3)), rng.normal(size=(3, 3)) + 1e3])
    cells = Cells(Space.of(as_matrix(X), "euclidean"), np.random.RandomState(0), 1)
    found = cells.search(1, 5, 1)
    np.testing.assert_array_equal(np.sort(found[9:], axis=1)[:, -2:], [[10, 11], [9, 11], [9, 10]])
    assert (np.sort(found[9:], axis=1)[:, :-2] == -1).all()


def test_equal_samples_are_in_one_cell():
    cells = Cells(Space.of(as_matrix(np.ones((50, 3))), "euclidean"), np.random.RandomState(0), 1)
    assert np.unique(cells.member).size == 1
    assert cells.compared(1) == 50

"""Equal distances go to the lower sample number, however the smallest are found."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from eigenselect.similarity import ties
from eigenselect.similarity.ties import nearest_of, ordered_by_sample, smallest_per_row


@pytest.fixture(params=["partition", "loop"])
def way(request, monkeypatch):
    """Small panels are partitioned, large ones looked through by a compiled loop."""
    if request.param == "loop":
        monkeypatch.setattr(ties, "COMPILED_FROM", 0)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(hnp.arrays(float, (3, 9), elements=st.integers(0, 3).map(float)), st.integers(1, 9))
def test_the_smallest_of_a_row_and_ties_to_the_lower_column(way, values, count):
    expected = np.sort(np.argsort(values, axis=1, kind="stable")[:, :count], axis=1)
    np.testing.assert_array_equal(smallest_per_row(values, count), expected)


def test_distances_equal_up_to_rounding_tie(way):
    values = np.array([[1.0 + 3e-15, 1.0, 1.0 - 3e-15, 2.0]])
    np.testing.assert_array_equal(smallest_per_row(values, 2), [[0, 1]])
    np.testing.assert_array_equal(smallest_per_row(np.array([[1.0 + 1e-9, 1.0]]), 1), [[1]])


def test_equal_distances_tie_wherever_they_lie(way, rng):
    """Rounded to some digits, one in ten of these would fall on both sides of a border."""
    values = rng.uniform(0.5, 2.0, (400, 1)) * np.array([1.0 + 2e-12, 1.0, 1.0 - 2e-12, 0.2, 3.0])
    np.testing.assert_array_equal(smallest_per_row(values, 2), np.tile([0, 3], (400, 1)))
    places = nearest_of(values, np.tile([3, 2, 1, 4, 0], (400, 1)), 2)
    np.testing.assert_array_equal(places, np.tile([3, 2], (400, 1)))


def test_many_are_not_put_into_sorted_lists(rng, monkeypatch):
    monkeypatch.setattr(ties, "COMPILED_FROM", 0)
    monkeypatch.setattr("eigenselect.similarity.neighbor_loops.smallest_of_rows", None)
    values = rng.permutation(ties.MOST_INSERTED + 5)[None].astype(float)
    found = smallest_per_row(values, ties.MOST_INSERTED + 1)
    np.testing.assert_array_equal(found[0], np.flatnonzero(values[0] <= ties.MOST_INSERTED))


def test_candidates_in_any_order_give_the_same_neighbours(rng):
    squared = rng.integers(0, 4, size=(5, 12)).astype(float)
    columns = np.array([rng.permutation(12) for _ in range(5)])
    places = nearest_of(np.take_along_axis(squared, columns, axis=1), columns, 4)
    found, distances = ordered_by_sample(np.take_along_axis(squared, columns, axis=1), columns, places)
    np.testing.assert_array_equal(found, smallest_per_row(squared, 4))
    np.testing.assert_array_equal(distances, np.take_along_axis(squared, found, axis=1))

"""Panels of rows of a full similarity: the same answers as of the whole, without a second array of its size."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from eigenselect.graph import SampleGraph, connected_components, graph_from_matrix, row_panels
from eigenselect.graph.row_panels import absolute_row_sums, panels


@pytest.fixture
def S(rng, monkeypatch):
    monkeypatch.setattr(row_panels, "PANEL_BYTES", 8 * 7 * 2)  # two rows
    S = rng.normal(size=(7, 7))
    return S + S.T


def test_panels_are_all_rows_in_order_and_views(S):
    found = list(panels(S))
    assert [len(panel) for panel in found] == [2, 2, 2, 1]
    np.testing.assert_array_equal(np.concatenate(found), S)
    assert all(np.shares_memory(panel, S) for panel in found)


def test_sums_of_absolute_values(S):
    expected = np.abs(S).sum(axis=1)
    np.testing.assert_allclose(absolute_row_sums(S), expected, rtol=1e-15)
    np.testing.assert_allclose(absolute_row_sums(sparse.csr_array(S)), expected, rtol=1e-15)


def test_subnormal_entries_of_any_panel_are_removed_from_a_copy(S):
    S = np.abs(S)
    S[6, 5] = S[5, 6] = 1e-310
    graph = SampleGraph(S)
    assert S[6, 5] == 1e-310
    np.testing.assert_array_equal(graph.affinity == 0, S == 1e-310)
    assert SampleGraph(np.ones((3, 3))).affinity.sum() == 9


@pytest.mark.parametrize(("row", "column"), [(0, 6), (6, 0), (3, 2)])
def test_asymmetry_is_seen_wherever_it_is(S, row, column):
    S = np.abs(S)
    graph_from_matrix(S, 7)
    S[row, column] += 0.5
    with pytest.raises(ValueError, match=r"differ from their mirror by up to 0\.5"):
        graph_from_matrix(S, 7)
    S[row, column] = np.nan
    with pytest.raises(ValueError, match="must be finite"):
        graph_from_matrix(S, 7)


def test_looking_at_a_full_similarity_takes_a_small_part_of_its_size(rng):
    S = rng.random((1500, 1500))
    S += S.T
    tracemalloc.start()
    try:
        graph = graph_from_matrix(S, 1500)
        assert connected_components(graph.affinity).max() == 0
        assert graph.affinity is S
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < S.nbytes

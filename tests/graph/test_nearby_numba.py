"""An order in groups of neighbours, and components by their first samples."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from eigenselect.graph import SampleGraph, nearby_numba, sample_graph
from eigenselect.graph.nearby_numba import Nearby

SIDE = 60


def grid(rng):
    """Places of a square, each beside its four neighbours, in a random order."""
    line = sparse.diags_array([np.ones(SIDE - 1)] * 2, offsets=[-1, 1])
    order = rng.permutation(SIDE**2)
    return sparse.csr_array(sparse.kronsum(line, line))[order][:, order]


def test_every_sample_has_one_place(rng):
    found = Nearby.of(grid(rng))
    np.testing.assert_array_equal(np.sort(found.order), np.arange(SIDE**2))
    np.testing.assert_array_equal(found.place[found.order], np.arange(SIDE**2))


def test_most_neighbours_are_in_one_group(rng, monkeypatch):
    """Fronts of a search over all of the square are longer than a group, so that most neighbours are further apart."""
    S = grid(rng)
    row, column = S.nonzero()

    def share(group):
        monkeypatch.setattr(nearby_numba, "GROUP", group)
        place = Nearby.of(S).place
        return np.mean(np.abs(place[row] - place[column]) < 36)

    assert share(SIDE**2) < 0.3
    assert share(36) > 0.6


@pytest.mark.parametrize("group", [1, 3, 512])
def test_components_are_scipys(rng, monkeypatch, group):
    monkeypatch.setattr(nearby_numba, "GROUP", group)
    monkeypatch.setattr(sample_graph, "COMPILED_ENTRIES", 0)
    for n_edges in (0, 20, 60, 200):
        first, second = rng.integers(0, 60, size=(2, n_edges))
        S = np.zeros((60, 60))
        S[first, second] = S[second, first] = 0.5
        found = SampleGraph(sparse.csr_array(S))
        np.testing.assert_array_equal(found.components, csgraph.connected_components(S, directed=False)[1])
        np.testing.assert_array_equal(np.sort(found.nearby.order), np.arange(60))
        np.testing.assert_array_equal(np.diff(found.components[found.nearby.order]) >= 0, True)


def test_what_is_stored_on_one_side_only_is_moved_too(rng):
    """Products of symmetric matrices may have a zero on one side of the diagonal, and rounding on the other."""
    symmetric = grid(rng)
    S = symmetric.tolil()
    S[3, 40], S[60, 7] = 1e-17, -1e-17
    nearby = Nearby.of(symmetric)
    moved = nearby.moved(sparse.csr_array(S))
    np.testing.assert_array_equal(moved.toarray(), S.toarray().T[nearby.order][:, nearby.order])


@pytest.mark.parametrize("weighted", [False, True])
def test_equal_weights_stay_where_they_are(rng, weighted):
    S = grid(rng)
    S = sparse.csr_array(S + sparse.diags_array(np.ones(S.shape[0])))
    S.data = np.full(S.nnz, 0.3)
    if weighted:
        row, column = S.nonzero()
        S.data = 1.0 + np.minimum(row, column) + np.maximum(row, column) / SIDE**2
    nearby = Nearby.of(S)
    moved, expected = nearby.moved(S), S[nearby.order][:, nearby.order]
    assert np.shares_memory(moved.data, S.data) != weighted
    assert moved.has_sorted_indices
    np.testing.assert_array_equal(moved.toarray(), expected.toarray())

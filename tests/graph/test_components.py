"""Components, orders in groups of neighbours, sorted rows and symmetry of sparse graphs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse
from scipy.sparse import csgraph

from eigenselect.graph import SampleGraph, connected_components, nearby_numba, sample_graph, sorted_numba
from eigenselect.graph.nearby_numba import Nearby
from eigenselect.graph.sorted_numba import sorted_rows
from eigenselect.graph.symmetry_numba import is_symmetric


@settings(deadline=None)
@given(st.integers(2, 25), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_they_are_scipys_numbered_by_their_first_sample(n, n_edges, seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, n, size=(2, n_edges))
    S = np.zeros((n, n))
    S[first, second] = S[second, first] = 0.5
    count, expected = csgraph.connected_components(sparse.csr_array(S), directed=False)
    for found in (
        connected_components(S),
        connected_components(sparse.csr_array(S)),
        SampleGraph(S).components,
        SampleGraph(sparse.csr_array(S)).components,
    ):
        assert found.max() + 1 == count
        np.testing.assert_array_equal(found[:, None] == found, expected[:, None] == expected)
        firsts = np.unique(found, return_index=True)[1]
        assert (np.diff(firsts) > 0).all()


def test_a_long_path_is_one_component(rng):
    """Breadth first, as many rounds as samples, in a random order of the samples."""
    order = rng.permutation(40)
    S = np.zeros((40, 40))
    S[order[:-1], order[1:]] = S[order[1:], order[:-1]] = 1.0
    np.testing.assert_array_equal(connected_components(S), 0)


def test_negative_similarities_join_too():
    S = np.array([[0.0, -1, 0], [-1, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(connected_components(S), [0, 0, 1])
    np.testing.assert_array_equal(connected_components(sparse.csr_array(S)), [0, 0, 1])


SIDE = 60


def grid(rng):
    """Places of a square, each beside its four neighbours, in a random order."""
    line = sparse.diags_array([np.ones(SIDE - 1)] * 2, offsets=[-1, 1])
    order = rng.permutation(SIDE**2)
    return sparse.csr_array(sparse.kronsum(line, line))[order][:, order]


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


def test_components_are_scipys(rng, monkeypatch):
    monkeypatch.setattr(sample_graph, "COMPILED_ENTRIES", 0)
    for n_edges, group in product((0, 20, 60, 200), (1, 3, 512)):
        monkeypatch.setattr(nearby_numba, "GROUP", group)
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
    expected = sparse.csr_array(S.T)[nearby.order][:, nearby.order]
    assert abs(moved - expected).max() == 0.0


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
    assert abs(moved - expected).max() == 0.0


N = 40


def unsorted(rng, *, weighted):
    """Rows of different lengths, some empty, in no order of their columns."""
    rows = [rng.permutation(N)[:length] for length in rng.integers(0, 9, size=N)]
    indices, indptr = np.concatenate(rows), np.concatenate([[0], np.cumsum([row.size for row in rows])])
    data = rng.random(indices.size) if weighted else np.full(indices.size, 0.5)
    return sparse.csr_array((data, indices.astype(np.int32), indptr.astype(np.int32)), shape=(N, N))


@pytest.mark.parametrize(("weighted", "index"), [(False, np.int64), (True, np.int32)])
def test_sorted_rows_are_scipys(weighted, index, rng, monkeypatch):
    S = unsorted(rng, weighted=weighted)
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    before = S.copy()
    found, expected = sorted_rows(S), S.sorted_indices()
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
        np.testing.assert_array_equal(getattr(S, part), getattr(before, part))
    assert not S.has_sorted_indices
    assert found.has_canonical_format
    assert np.shares_memory(found.data, S.data) != weighted
    lengths = np.diff(S.indptr)
    monkeypatch.setattr(sorted_numba, "FEW", 0.99 * float(lengths @ lengths) / S.nnz)
    assert sorted_rows(S) is None  # long rows: moving entries one by one takes the square of their number
    monkeypatch.undo()
    row = int(np.argmax(lengths > 2))
    S.indices[S.indptr[row] + 2] = S.indices[S.indptr[row]]
    assert sorted_rows(S) is None  # an entry that is there twice


VALUES = st.sampled_from([0.0, 0.0, 1.0, -1.0])


@settings(deadline=None)  # the first case compiles
@given(arrays.arrays(np.float64, (5, 5), elements=VALUES), st.booleans())
def test_it_is_the_definition(S, mirrored):
    S = np.triu(S) + np.triu(S, 1).T if mirrored else S
    assert is_symmetric(sparse.csr_array(S)) == np.array_equal(S, S.T)


@pytest.mark.parametrize(("weighted", "index"), [(False, np.int64), (True, np.int32)])
def test_one_entry_of_many_that_is_missing_or_differs_is_seen(weighted, index, rng):
    S = sparse.random_array((60, 60), density=0.1, rng=rng, format="csr")
    S = sparse.csr_array(S + S.T)
    S.data = S.data if weighted else np.ones(S.nnz)
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    assert is_symmetric(S)
    row, column = S.nonzero()
    for entry in np.flatnonzero(row != column):
        other = S.copy()
        other.data[entry] *= 1.5
        assert not is_symmetric(other)
        other.data[entry] = 0.0
        other.eliminate_zeros()
        assert not is_symmetric(other)


def test_a_row_is_not_taken_for_the_one_behind_it():
    """Row 1 lacks its mirrors of row 0, and what follows it begins with them."""
    assert not is_symmetric(sparse.csr_array([[0.0, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]))
    assert not is_symmetric(sparse.csr_array([[0.0, 1], [0, 0]]))  # nothing follows it
    assert is_symmetric(sparse.csr_array((3, 3)))

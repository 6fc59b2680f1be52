"""Components, numbered by their first sample."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph

from eigenselect.graph import SampleGraph, connected_components


def test_components_of_dense_and_sparse_agree(make_similarity, rng):
    S = make_similarity(30, blocks=4, isolated=3)
    order = rng.permutation(30)
    S = S[np.ix_(order, order)]
    dense, from_sparse = connected_components(S), connected_components(sparse.csr_array(S))
    np.testing.assert_array_equal(dense, from_sparse)
    assert dense.max() + 1 == 4 + 3
    np.testing.assert_array_equal((S != 0) <= (dense[:, None] == dense), True)


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

"""A matrix is symmetric if and only if it equals its mirror, entry by entry."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from eigenselect.graph.symmetry_numba import is_symmetric

VALUES = st.sampled_from([0.0, 0.0, 1.0, -1.0])


@settings(deadline=None)  # the first case compiles
@given(arrays.arrays(np.float64, (5, 5), elements=VALUES), st.booleans())
def test_it_is_the_definition(S, mirrored):
    S = np.triu(S) + np.triu(S, 1).T if mirrored else S
    assert is_symmetric(sparse.csr_array(S)) == np.array_equal(S, S.T)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("index", [np.int32, np.int64])
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


def test_nothing_is_symmetric():
    assert is_symmetric(sparse.csr_array((3, 3)))
    assert is_symmetric(sparse.csr_array((0, 0)))

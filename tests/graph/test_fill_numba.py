"""Counted entries of a factor are those that elimination makes."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.graph.fill_numba import column_counts


def eliminated(pattern, order):
    """Entries per column of L: every eliminated sample links all its later neighbours."""
    left = pattern[np.ix_(order, order)] | np.eye(len(order), dtype=bool)
    for k in range(len(order)):
        later = k + 1 + np.flatnonzero(left[k + 1 :, k])
        left[np.ix_(later, later)] = True
    return np.tril(left).sum(axis=0)


@pytest.mark.parametrize("density", [0.0, 0.05, 0.15, 0.6])
def test_counts_are_those_of_elimination(rng, density):
    upper = np.triu(rng.random((40, 40)) < density, 1)
    pattern, order = upper | upper.T, rng.permutation(40)
    found = column_counts(sparse.csr_array(pattern.astype(float)), order, 10_000)
    np.testing.assert_array_equal(found, eliminated(pattern, order))


def test_it_stops_beyond_the_limit():
    full = sparse.csr_array(np.ones((30, 30)))
    assert column_counts(full, np.arange(30), 464) is None
    np.testing.assert_array_equal(column_counts(full, np.arange(30), 465), np.arange(30, 0, -1))

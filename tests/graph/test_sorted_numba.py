"""Sorted rows are those of scipy, and nothing that was given is changed."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.graph import sorted_numba
from eigenselect.graph.sorted_numba import sorted_rows

N = 40


def unsorted(rng, *, weighted):
    """Rows of different lengths, some empty, in no order of their columns."""
    rows = [rng.permutation(N)[:length] for length in rng.integers(0, 9, size=N)]
    indices, indptr = np.concatenate(rows), np.concatenate([[0], np.cumsum([row.size for row in rows])])
    data = rng.random(indices.size) if weighted else np.full(indices.size, 0.5)
    return sparse.csr_array((data, indices.astype(np.int32), indptr.astype(np.int32)), shape=(N, N))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_they_are_scipys(weighted, index, rng):
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


def test_an_entry_that_is_there_twice_is_for_others(rng):
    S = unsorted(rng, weighted=True)
    row = int(np.argmax(np.diff(S.indptr) > 2))
    S.indices[S.indptr[row] + 2] = S.indices[S.indptr[row]]
    assert sorted_rows(S) is None


def test_long_rows_are_for_others(rng, monkeypatch):
    """What moves entries one by one would take the square of their number."""
    S = unsorted(rng, weighted=True)
    lengths = np.diff(S.indptr)
    most = float(lengths @ lengths) / S.nnz
    monkeypatch.setattr(sorted_numba, "FEW", most)
    assert sorted_rows(S) is not None
    monkeypatch.setattr(sorted_numba, "FEW", 0.99 * most)
    assert sorted_rows(S) is None

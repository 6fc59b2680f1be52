import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix import Matrix, SparseMatrix
from eigenselect.matrix.dask_jobs import Spoilt
from eigenselect.matrix.dask_tasks import moments, pooled, summarised, summary_of

RNG = np.random.RandomState(5)
X = 1e6 + RNG.rand(30, 4)  # squares of these lose the digits of the spread
PARTS = [slice(0, 1), slice(1, 12), slice(12, 30)]
ALL = slice(0, 4)


@pytest.mark.parametrize("kind", [Matrix, lambda X: SparseMatrix(sparse.csr_array(X))])
def test_pooled_moments_are_those_of_all_rows_in_any_order(kind):
    found = [moments(kind(X[rows]), rows, ALL, 0) for rows in PARTS]
    for parts in (found, found[::-1], [pooled(found[:2]), found[2]]):
        together = pooled(parts)
        assert together.n_samples == 30
        np.testing.assert_allclose(together.mean, X.mean(axis=0), rtol=1e-15)
        np.testing.assert_allclose(together.squares, 30 * X.var(axis=0), rtol=1e-9)
    np.testing.assert_array_equal(moments(kind(X), slice(0, 30), ALL, -3).mean, moments(kind(X), ALL, ALL, 0).mean / 8)


def test_a_chunk_is_spoilt_where_its_first_value_is_not_finite():
    spoilt = X.copy()
    spoilt[20, 1], spoilt[14, 3], spoilt[13, 2] = np.nan, np.nan, np.inf
    parts = [summarised(Matrix(spoilt[rows]), rows, ALL) for rows in PARTS]
    assert parts[2] == Spoilt(13, 2)
    whole = summary_of([summarised(Matrix(X[rows]), rows, ALL) for rows in PARTS[::-1]])
    np.testing.assert_array_equal(whole.counts, [30, 30, 30, 30])
    np.testing.assert_array_equal((whole.low[0], whole.high[0]), (X[:, 0].min(), X[:, 0].max()))

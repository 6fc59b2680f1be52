import numpy as np
import pytest
from scipy import sparse

from eigenselect import LaplacianScore
from eigenselect.matrix import DaskMatrix, Matrix, Residuals, covariate_basis, dask_residuals

da = pytest.importorskip("dask.array", reason="dask is not installed")

RNG = np.random.RandomState(3)
DEPTH = RNG.rand(40)
X = np.round(RNG.rand(40, 9) * 4) + 1e3
X[:, 2], X[:, 5] = 3 * DEPTH + 1, 7.0  # explained by the covariate, and constant


@pytest.mark.parametrize("chunks", [(11, 9), (40, 4), (11, 4)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_they_are_those_of_a_table_in_memory(chunks, kind):
    basis = covariate_basis(DEPTH, 40, "f", None)
    table = DaskMatrix(da.from_array(X, chunks=chunks).map_blocks(kind), feature_names=list("abcdefghi"))
    ours, held = dask_residuals(table, basis), Residuals.of(Matrix(X), basis)
    np.testing.assert_allclose(ours.to_array(), held.to_array(), rtol=1e-13)
    assert ours.n_explained == held.n_explained == 1
    assert not ours.is_sparse
    rows, columns = np.arange(0, 40, 2), np.array([1, 2, 8])
    np.testing.assert_array_equal(ours.take_rows(rows).basis, basis[rows])
    np.testing.assert_array_equal(ours.take_columns(columns).basis, basis)
    np.testing.assert_allclose(ours.take_columns(columns).to_array(), held.to_array()[:, columns], rtol=1e-13)
    assert list(ours.take_columns(columns).feature_names) == ["b", "c", "i"]


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
def test_scores_and_p_values_without_covariates():
    graph = np.kron(np.eye(8), np.ones((5, 5))) + 0.1
    selector = LaplacianScore(3, significance="given")
    expected = selector.fit(X, similarity_matrix=graph, covariates=DEPTH)
    scores, pvalues = expected.scores_, expected.pvalues_
    found = selector.fit(da.from_array(X, chunks=(11, 9)), similarity_matrix=graph, covariates=DEPTH)
    np.testing.assert_allclose(found.scores_, scores, rtol=1e-10)
    np.testing.assert_allclose(found.pvalues_, pvalues, rtol=1e-7)

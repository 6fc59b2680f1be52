"""An AnnData is a table with names: any of its matrices, in any storage."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.matrix import SparseMatrix, annotated_matrix, is_annotated

anndata = pytest.importorskip("anndata", reason="anndata is not installed")


@pytest.fixture
def adata(rng):
    X = rng.poisson(1.0, size=(12, 5)).astype(np.float32)
    made = anndata.AnnData(sparse.csr_matrix(X))
    made.obs_names, made.var_names = [f"cell{i}" for i in range(12)], list("abcde")
    return made


def test_names_and_values_of_x(adata):
    table = annotated_matrix(adata, "f")
    assert isinstance(table, SparseMatrix)
    assert (table.sample_label(3), table.feature_label(1)) == ("'cell3'", "'b'")
    np.testing.assert_array_equal(table.to_array(), adata.X.toarray())


def test_what_an_anndata_is(adata):
    class Mine(anndata.AnnData):
        pass

    assert all(map(is_annotated, (adata, adata[:3], Mine(adata))))
    assert not any(map(is_annotated, (adata.X, adata.obs, None, adata.layers)))

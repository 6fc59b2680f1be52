"""Tables on their way to estimators of any library."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

anndata = pytest.importorskip("anndata", reason="anndata is not installed")

from backed import LAYOUTS, annotated, as_if_large, counts, in_file  # noqa: E402
from eigenselect import LaplacianScore  # noqa: E402
from eigenselect.matrix import Matrix, annotated_matrix, indexable, portable, readable_by, rows_of  # noqa: E402

X = counts()[0]
ROWS = np.array([5, 2, 30])


@pytest.mark.parametrize(
    "make", [np.asarray, sparse.csr_matrix, sparse.csc_array, pd.DataFrame, annotated, list], ids=lambda f: f.__name__
)
def test_rows_of_any_table(make):
    taken = portable(rows_of(indexable(make(X), "f"), ROWS))
    np.testing.assert_array_equal(taken.toarray() if sparse.issparse(taken) else np.asarray(taken), X[ROWS])


def test_names_of_an_anndata_go_along():
    part = rows_of(indexable(annotated(X), "f"), ROWS)
    frame = portable(part)
    assert list(frame.index) == ["cell35", "cell38", "cell10"]
    assert list(frame.columns) == list(annotated(X).var_names)


def test_a_gene_with_several_probes_goes_to_scikit_learn_without_names():
    """scikit-learn refuses frames with equal names, in words of another library."""
    adata = annotated(X)
    adata.var_names = ["gene", "gene", *adata.var_names[2:]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = StandardScaler().fit_transform(portable(indexable(adata, "f")))
    np.testing.assert_array_equal(scaled, StandardScaler().fit_transform(X))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tables_in_files_are_loaded_for_others_only(tmp_path, monkeypatch, layout):
    as_if_large(monkeypatch)
    table = indexable(in_file(tmp_path / "x.h5ad", LAYOUTS[layout](X)), "f")
    assert readable_by(LaplacianScore(), table) is table
    with pytest.warns(UserWarning, match="^f: adata.X is loaded .*: estimators of other libraries take a table in mem"):
        given = readable_by(StandardScaler(), table)
    assert sparse.issparse(given) == (layout != "dense")
    np.testing.assert_array_equal(given.toarray() if sparse.issparse(given) else given, X)


def test_sparse_and_nameless_tables_stay_arrays():
    assert type(portable(annotated_matrix(annotated(sparse.csr_matrix(X)), "f"))) is sparse.csr_matrix
    assert type(portable(Matrix(X))) is np.ndarray
    adata = annotated(X)
    assert np.shares_memory(portable(annotated_matrix(adata, "f")).to_numpy(), adata.X)


def test_other_tables_stay_what_they_are():
    assert all(portable(table) is table for table in (X, pd.DataFrame(X), None))

"""An AnnData is a table with names: any of its matrices, in any storage."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

anndata = pytest.importorskip("anndata", reason="anndata is not installed")

from backed import LAYOUTS, annotated, counts, in_file  # noqa: E402
from eigenselect.matrix import BackedMatrix, DaskMatrix, SparseMatrix, annotated_matrix, is_annotated  # noqa: E402


@pytest.fixture
def adata():
    made = annotated(sparse.csr_matrix(counts()[0].astype(np.float32)))
    made.layers["twice"] = 2 * made.X.toarray()
    made.layers["columns"] = sparse.csc_matrix(made.X)
    made.obsm["X_pca"] = np.arange(80.0).reshape(40, 2)
    made.obsm["frame"] = pd.DataFrame({"p": np.arange(40.0), "q": 1.0}, index=made.obs_names)
    made.raw = annotated(sparse.csr_matrix(np.hstack([made.X.toarray(), np.ones((40, 1))])))
    return made


def test_names_and_values_of_x(adata):
    table = annotated_matrix(adata, "f")
    assert isinstance(table, SparseMatrix)
    assert (table.sample_label(3), table.feature_label(1)) == ("'cell37'", "'g7'")
    np.testing.assert_array_equal(table.to_array(), adata.X.toarray())


def test_values_are_not_copied(adata):
    assert np.shares_memory(annotated_matrix(adata, "f").raw.data, adata.X.data)
    assert np.shares_memory(annotated_matrix(adata, "f", layer="twice").raw, adata.layers["twice"])


def test_what_an_anndata_is(adata):
    class Mine(anndata.AnnData):
        pass

    assert all(map(is_annotated, (adata, adata[:3], Mine(adata))))
    assert not any(map(is_annotated, (adata.X, adata.obs, None, adata.layers)))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint8", "bool"])
def test_numbers_stay_as_they_are_stored(layout, dtype):
    X = counts()[0].astype(dtype)
    table = annotated_matrix(annotated(LAYOUTS[layout](X)), "f")
    assert (table.dtype, table.is_sparse) == (np.dtype(dtype), layout != "dense")
    np.testing.assert_array_equal(table.to_array(), X.astype(float))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix])
def test_a_view_has_the_class_of_its_table(kind):
    """anndata's views have classes of their own, which copy themselves wherever they are written to."""
    adata = annotated(kind(counts()[0]))
    table = annotated_matrix(adata[5:20, [4, 1]], "f")
    assert type(table.raw) is kind
    np.testing.assert_array_equal(table.to_array(), counts()[0][5:20][:, [4, 1]])


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"layer": "twice"}, lambda a: a.layers["twice"]),
        ({"layer": "columns"}, lambda a: a.X.toarray()),
        ({"use_raw": True}, lambda a: np.hstack([a.X.toarray(), np.ones((len(a), 1))])),
        ({"obsm": "X_pca"}, lambda a: a.obsm["X_pca"]),
        ({"obsm": "frame"}, lambda a: a.obsm["frame"].to_numpy()),
    ],
    ids=["layer", "csc", "raw", "obsm", "frame"],
)
@pytest.mark.parametrize("rows", [slice(None), [7, 2, 30]], ids=["all", "view"])
def test_other_matrices(adata, chosen, expected, rows):
    part = adata[rows]
    table = annotated_matrix(part, "f", **chosen)
    np.testing.assert_array_equal(table.to_array(), expected(part))
    assert list(table.sample_names) == list(part.obs_names)


def test_features_of_other_matrices(adata):
    names = {key: annotated_matrix(adata, "f", obsm=key).feature_names for key in ("X_pca", "frame")}
    assert names == {"X_pca": ["X_pca_0", "X_pca_1"], "frame": ["p", "q"]}
    assert annotated_matrix(adata, "f", use_raw=True).n_features == adata.n_vars + 1


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("part", [np.s_[:, :], np.s_[3:30, [5, 0, 2]], np.s_[[9, 1, 4], :], np.s_[:, 2:9]], ids=str)
def test_matrices_in_a_file(tmp_path, layout, part):
    """Of a view, the rows and columns that it shows; a view itself would load them."""
    X = counts()[0]
    adata = in_file(tmp_path / "x.h5ad", LAYOUTS[layout](X))
    table = annotated_matrix(adata[part], "f")
    assert isinstance(table, BackedMatrix)
    np.testing.assert_array_equal(table.to_array(), X[part[0]][:, part[1]])
    assert list(table.feature_names) == list(adata.var_names[part[1]])


def test_raw_in_a_file(tmp_path, adata):
    adata.write_h5ad(tmp_path / "x.h5ad")
    there = anndata.read_h5ad(tmp_path / "x.h5ad", backed="r")
    for part in (there, there[[8, 2]]):
        table = annotated_matrix(part, "f", use_raw=True)
        assert isinstance(table, BackedMatrix)
        np.testing.assert_array_equal(table.to_array()[:, :-1], adata[part.obs_names].X.toarray())


def test_a_file_that_was_closed_is_opened_for_a_view(tmp_path):
    adata = in_file(tmp_path / "x.h5ad", counts()[0])
    view = adata[:5]
    adata.file.close()
    np.testing.assert_array_equal(annotated_matrix(view, "f").to_array(), counts()[0][:5])


def empty():
    return anndata.AnnData(obs=pd.DataFrame(index=["a"]), var=pd.DataFrame(index=["g"]))


def with_layer():
    made = empty()
    made.layers["counts"] = np.ones((1, 1))
    return made


@pytest.mark.parametrize(
    ("adata", "chosen", "sentence"),
    [
        (empty, {}, "f: the AnnData has no X; set adata.X."),
        (with_layer, {}, "f: the AnnData has no X, only the layers 'counts'; set adata.X."),
        (with_layer, {"layer": "log"}, "f: adata.layers has no 'log'; there are 'counts'."),
        (empty, {"obsm": "X_pca"}, "f: adata.obsm has no 'X_pca'; there are none."),
        (empty, {"use_raw": True}, "f: use_raw=True, but adata.raw is None; set adata.raw, or leave use_raw out."),
        (
            with_layer,
            {"layer": "counts", "use_raw": True},
            "f: give at most one of layer, use_raw and obsm; each names another matrix.",
        ),
        (
            lambda: annotated(np.ones((2, 2), dtype=complex)),
            {},
            "f: adata.X must be a table of numbers, got complex128 of shape (2, 2); choose another matrix of the "
            "AnnData.",
        ),
        (
            lambda: annotated(np.ma.masked_array(np.ones((2, 2)), mask=np.eye(2))),
            {},
            "f: adata.X has 2 masked values, which count as missing; fill them first.",
        ),
    ],
)
def test_what_is_not_there_is_said(adata, chosen, sentence):
    with pytest.raises(ValueError) as refused:
        annotated_matrix(adata(), "f", **chosen)
    assert str(refused.value) == sentence


def test_dask_arrays_stay_lazy_with_the_names():
    da = pytest.importorskip("dask.array")
    adata = annotated(counts()[0])
    adata.layers["lazy"] = adata.X = da.from_array(counts()[0], chunks=(9, -1))
    for table in (annotated_matrix(adata, "f"), annotated_matrix(adata[:, ::2], "f", layer="lazy")):
        assert isinstance(table, DaskMatrix)
        assert list(table.sample_names) == list(adata.obs_names)
        np.testing.assert_array_equal(table.to_array(), counts()[0][:, :: 1 if table.n_features > 10 else 2])
    adata.layers["lazy"] = da.from_array(counts()[0].astype(str), chunks=(9, -1))
    with pytest.raises(ValueError, match=r"^f: adata.layers\['lazy'\] must hold numbers, got a Dask array of <U"):
        annotated_matrix(adata, "f", layer="lazy")

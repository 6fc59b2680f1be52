"""AnnData as X: its values in any storage, views in memory and in files, names, and places for pictures."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

anndata = pytest.importorskip("anndata", reason="anndata is not installed")

from backed import LAYOUTS, annotated, as_if_large, counts, in_file  # noqa: E402
from eigenselect import FisherScore  # noqa: E402
from eigenselect.evaluation import accuracy_curves  # noqa: E402
from eigenselect.matrix import planes  # noqa: E402

X, Y = counts()
PARTS = [np.s_[:, :], np.s_[3:30, [5, 0, 2]], np.s_[[9, 1, 4, 2, 30], :], np.s_[:, 2:9], np.s_[::-1, [4, 1]]]
pytestmark = pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")


def assert_same(table, values, y):
    found, expected = FisherScore(1).fit(table, y), FisherScore(1).fit(values, y)
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-10)
    assert list(found.feature_names_in_) == list(table.var_names)


def test_numbers_of_any_type_and_layout():
    for dtype in ("float64", "float32", "int32", "uint8", "bool"):
        for layout in (*LAYOUTS.values(), sparse.csr_array, sparse.csc_array):
            values = X.astype(dtype)
            assert_same(annotated(layout(values)), values.astype(float), Y)


@pytest.mark.parametrize("place", ["memory", "small file", "large file"])
def test_views_are_the_rows_and_columns_that_they_show(place, tmp_path, monkeypatch):
    if place == "large file":
        as_if_large(monkeypatch)
    for name, layout in LAYOUTS.items():
        adata = annotated(layout(X)) if place == "memory" else in_file(tmp_path / f"{name}.h5ad", layout(X))
        for rows, columns in PARTS:
            assert_same(adata[rows, columns], X[rows][:, columns], Y[rows])
        view = adata[adata.obs_names[5:15], ["g7", "g0"]]
        assert_same(view, X[5:15, :2][:, ::-1], Y[5:15])
        if place != "memory":
            adata.file.close()
            assert_same(view, X[5:15, :2][:, ::-1], Y[5:15])  # the file is opened for it


def test_values_are_read_where_they_are():
    adata = annotated(sparse.csr_matrix(X))
    before = adata.X.data.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error", anndata.ImplicitModificationWarning)
        FisherScore(2).fit(adata[3:30], Y[3:30])
    np.testing.assert_array_equal(adata.X.data, before)


def test_what_is_not_there_is_said():
    empty = anndata.AnnData(obs=pd.DataFrame(index=["a", "b"]), var=pd.DataFrame(index=["g"]))
    layered = empty.copy()
    layered.layers["counts"] = np.ones((2, 1))
    masked = np.ma.masked_array(np.ones((2, 2)), mask=np.eye(2))
    for adata, said in (
        (empty, "set adata.X"), (layered, "'counts'"), (annotated(np.ones((2, 2), dtype=complex)), "complex128"),
        (annotated(masked), "2 masked"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"^FisherScore: .*{said}"):
            FisherScore(1).fit(adata, [0, 1])


SCALED = {"scaled": make_pipeline(StandardScaler(with_mean=False), FisherScore())}


@pytest.mark.filterwarnings("ignore:.*loaded from its file:UserWarning")
def test_estimators_of_other_libraries_get_rows_in_memory(tmp_path, monkeypatch):
    """Also of genes with equal names, which scikit-learn refuses in a frame."""
    expected = accuracy_curves(SCALED, X, Y, [1, 3], n_repeats=1).accuracies
    as_if_large(monkeypatch)
    for name, layout in LAYOUTS.items():
        adata = annotated(layout(X))
        there = in_file(tmp_path / f"{name}.h5ad", layout(X))
        repeated = adata.copy()
        repeated.var_names = ["gene", "gene", *adata.var_names[2:]]
        for table in (adata, repeated, there):
            found = accuracy_curves(SCALED, table, Y, [1, 3], n_repeats=1).accuracies
            np.testing.assert_allclose(found, expected)


def test_places_of_samples_are_the_first_two_columns_of_known_entries():
    points = np.random.default_rng(0).normal(size=(5, 4))
    found = planes({"X_pca": points, "X_scvi": points, "spatial": points[:, :2].astype(np.float32)}, 5)
    assert list(found) == ["spatial", "X_pca"]
    np.testing.assert_array_equal(found["X_pca"], points[:, :2])
    found["X_pca"][:] = 0  # a copy
    whole = np.arange(10).reshape(5, 2)
    for values in (whole, whole.astype(np.uint8), pd.DataFrame(whole)):
        np.testing.assert_array_equal(planes({"X_umap": values}, 5)["X_umap"], whole)
    far = points.copy()
    far[0, 3] = np.nan  # beyond the plane
    assert list(planes({"X_pca": far}, 5)) == ["X_pca"]
    hole, wide = points.copy(), np.zeros((5, 2))
    hole[2, 1], wide[:2, 0] = np.inf, [-1.7e308, 1.7e308]
    for bad in (points[:4], points[:, :1], points[:, 0], points.astype(str), points.astype(complex), hole, wide,
                np.ma.masked_less(points, 0), sparse.csr_matrix(points), points.tolist(), None):  # fmt: skip
        assert planes({"X_umap": bad, "X_tsne": points}, 5).keys() == {"X_tsne"}

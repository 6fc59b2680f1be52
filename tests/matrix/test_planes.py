"""Places of samples: the first two columns of known entries that place all samples, and nothing else."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.matrix import planes

POINTS = np.random.default_rng(0).normal(size=(5, 4))


def test_the_first_two_columns_in_a_fixed_order():
    found = planes({"X_pca": POINTS, "X_scvi": POINTS, "spatial": POINTS[:, :2].astype(np.float32)}, 5)
    assert list(found) == ["spatial", "X_pca"]
    np.testing.assert_array_equal(found["X_pca"], POINTS[:, :2])
    assert found["spatial"].dtype == np.float64


def test_numbers_of_any_kind_and_frames():
    whole = np.arange(10).reshape(5, 2)
    for values in (whole, whole.astype(np.uint8), pd.DataFrame(whole)):
        np.testing.assert_array_equal(planes({"X_umap": values}, 5)["X_umap"], whole)


def test_they_are_a_copy():
    given = POINTS.copy()
    planes({"X_umap": given}, 5)["X_umap"][:] = 0
    np.testing.assert_array_equal(given, POINTS)


@pytest.mark.parametrize(
    "values",
    [
        POINTS[:4],
        POINTS[:, :1],
        POINTS[:, 0],
        POINTS.astype(str),
        POINTS.astype(complex),
        np.where(POINTS[2, 1] == POINTS, np.nan, POINTS),
        np.where(POINTS[2, 1] == POINTS, np.inf, POINTS),
        np.array([[-1.7e308, 0], [1.7e308, 0], [0, 0], [0, 0], [0, 0]]),
        np.ma.masked_less(POINTS, 0),
        sparse.csr_matrix(POINTS),
        POINTS.tolist(),
        None,
    ],
    ids=["short", "one", "flat", "text", "complex", "nan", "inf", "wide", "masked", "sparse", "list", "none"],
)
def test_what_places_no_samples_is_left_out(values):
    assert planes({"X_umap": values, "X_tsne": POINTS}, 5).keys() == {"X_tsne"}


def test_a_missing_value_beyond_the_plane_does_no_harm():
    far = POINTS.copy()
    far[0, 3] = np.nan
    assert list(planes({"X_pca": far}, 5)) == ["X_pca"]

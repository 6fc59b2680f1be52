"""What users know of the samples becomes an orthonormal basis, or one sentence says why it cannot."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import FisherScore
from eigenselect.matrix import covariate_basis


def projector(covariates, n_samples=12):
    Q = covariate_basis(covariates, n_samples, "SPEC")
    np.testing.assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-13)
    np.testing.assert_allclose(Q.sum(axis=0), 0.0, atol=1e-13)
    return Q @ Q.T


def expected(columns):
    """The projector onto the centred columns, by the pseudoinverse."""
    columns = np.column_stack(columns).astype(float)
    columns = columns - columns.mean(axis=0)
    return columns @ np.linalg.pinv(columns, rcond=1e-9)


@pytest.fixture
def C(rng):
    return rng.normal(size=(12, 3)) * [1.0, 1e150, 1e-150] + [1e6, 0, 0]


BATCH = list("aababcabccab")
INDICATORS = [[value == name for value in BATCH] for name in "ab"]


def test_numbers_of_any_size_and_storage(C):
    plain = expected([C[:, 0], C[:, 1] / 1e150, C[:, 2] * 1e150])
    for given in (C, C.tolist(), pd.DataFrame(C), sparse.csr_array(C)):
        np.testing.assert_allclose(projector(given), plain, atol=1e-9)
    np.testing.assert_allclose(projector(C[:, 2]), expected([C[:, 2] * 1e150]), atol=1e-13)
    np.testing.assert_allclose(projector(pd.Series(C[:, 2])), projector(C[:, 2:]), atol=1e-13)


@pytest.mark.parametrize(
    "given",
    [BATCH, np.array(BATCH), np.array(BATCH, dtype=object), pd.Series(BATCH), pd.Series(BATCH, dtype="category")],
    ids=["list", "text", "objects", "series", "categories"],
)
def test_categories_are_indicators(given):
    np.testing.assert_allclose(projector(given), expected(INDICATORS), atol=1e-13)


def test_a_frame_of_both(C):
    frame = pd.DataFrame({"x": C[:, 0], "batch": BATCH, "flag": np.arange(12) < 5})
    want = expected([C[:, 0], *INDICATORS, np.arange(12) < 5])
    np.testing.assert_allclose(projector(frame), want, atol=1e-9)


def test_numeric_categories_of_a_frame_are_no_numbers():
    codes = pd.Series([0, 1, 2] * 4)
    np.testing.assert_allclose(np.trace(projector(codes)), 1.0)
    np.testing.assert_allclose(np.trace(projector(codes.astype("category"))), 2.0)


def test_polars_frames(C):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": C[:, 0], "batch": BATCH})
    np.testing.assert_allclose(projector(frame), expected([C[:, 0], *INDICATORS]), atol=1e-9)


def test_columns_that_add_nothing_are_left_out(C):
    x = C[:, 0]
    copies = np.column_stack([x, 3 * x - 7, np.full(12, 0.1), x, x + C[:, 0] * 1e-15])
    np.testing.assert_allclose(projector(copies), expected([x]), atol=1e-9)
    assert covariate_basis(np.full((12, 2), 0.1), 12, "SPEC").shape == (12, 0)


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        (np.zeros(11), ValueError, r"one row per sample of X \(12\), got 11 rows"),
        (np.zeros((12, 2, 2)), ValueError, r"one value or one row per sample, got shape \(12, 2, 2\)"),
        ([np.nan, *range(11)], ValueError, "finite, got NaN or infinity"),
        ([None, *BATCH[1:]], ValueError, "no missing values, got 1 of 12"),
        (pd.Series([pd.NA, *range(11)], dtype="Int64"), ValueError, "finite, got NaN"),
        (pd.Series([pd.NA, *BATCH[1:]], dtype=object), ValueError, "no missing values, got 1 of 12"),
        (list("abcdefghijkl"), ValueError, "categories that samples share, got 12 categories of 12 samples"),
        (np.eye(12), ValueError, "covariates of rank 11 explain every feature on 12 samples"),
        (np.zeros(12, dtype="datetime64[D]"), TypeError, "numbers or categories, got datetime64"),
        (np.ones(12) * 1j, TypeError, "numbers or categories, got complex128"),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else None,
)
def test_bad_covariates_get_one_sentence(given, error, says):
    with pytest.raises(error, match=f"SPEC: covariates .*{says}|SPEC: {says}"):
        covariate_basis(given, 12, "SPEC")


def test_the_same_samples_in_another_order_are_refused():
    names = ["a", "b", "c", "d", "e", "f"]
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 3)), index=names)
    depth = pd.Series(np.arange(6.0) ** 2, index=names)
    selector = FisherScore()
    y = [0, 1, 0, 1, 0, 1]
    selector.fit(X, y, covariates=depth)
    selector.fit(X, y, covariates=depth.set_axis(range(6)))  # no names: by place
    for other in (depth[::-1], depth[::-1].to_frame()):
        with pytest.raises(ValueError, match="FisherScore: covariates must have the samples of X in the same order"):
            selector.fit(X, y, covariates=other)

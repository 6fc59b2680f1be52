"""Covariates of `fit`: the scores are those of least-squares residuals, and bad covariates are named."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import FisherScore, Variance
from eigenselect.exceptions import UndefinedScoreWarning

Y = np.arange(12) % 3
X = np.random.default_rng(0).normal(size=(12, 4)) + np.outer(Y, [2, 1, 0, 0])
BATCH = list("aababcabccab")
INDICATORS = [[value == name for value in BATCH] for name in "ab"]


def residuals(X, columns):
    """What a regression with an intercept leaves, and the mean."""
    C = np.column_stack([np.ones(len(X)), *columns]).astype(float)
    return X - C @ np.linalg.pinv(C, rcond=1e-9) @ X + X.mean(axis=0)


def assert_takes_out(given, columns, rtol=1e-7):
    expected = FisherScore().fit(residuals(X, columns), Y).scores_
    np.testing.assert_allclose(FisherScore().fit(X, Y, covariates=given).scores_, expected, rtol=rtol)


@pytest.fixture
def C(rng):
    return rng.normal(size=(12, 3)) * [1.0, 1e90, 1e-90] + [1e6, 0, 0]


def test_numbers_of_small_and_large_size_in_any_storage(C):
    plain = [C[:, 0] - 1e6, C[:, 1] / 1e90, C[:, 2] * 1e90]
    for given in (C, C.tolist(), C.astype(object), pd.DataFrame(C), sparse.csr_array(C)):
        assert_takes_out(given, plain)
    assert_takes_out(C[:, 2], plain[2:])
    assert_takes_out(pd.Series(C[:, 2]), plain[2:])


def test_categories_are_indicators(C):
    series = pd.Series(BATCH)
    for given in (BATCH, np.array(BATCH), np.array(BATCH, dtype=object), series, series.astype("category")):
        assert_takes_out(given, INDICATORS)
    frame = pd.DataFrame({"x": C[:, 0], "batch": BATCH, "flag": np.arange(12) < 5})
    assert_takes_out(frame, [C[:, 0] - 1e6, *INDICATORS, np.arange(12) < 5])
    codes = pd.Series([0, 1, 2, 2] * 3)
    assert_takes_out(codes, [codes])
    assert_takes_out(codes.astype("category"), [codes == 0, codes == 1])
    polars = pytest.importorskip("polars")
    assert_takes_out(polars.DataFrame({"x": C[:, 0], "batch": BATCH}), [C[:, 0] - 1e6, *INDICATORS])


def test_columns_that_add_nothing_are_left_out(C):
    x = C[:, 0] - 1e6
    assert_takes_out(np.column_stack([x, 3 * x - 7, np.full(12, 0.1), x, x + x * 1e-15]), [x])
    assert_takes_out(np.full((12, 2), 0.1), [])


@pytest.mark.parametrize("size", [1.0, 1e-90, 1e90])
def test_a_feature_that_covariates_explain_has_no_score(C, rng, size):
    x = C[:, 0] - 1e6
    explained = 2 * x + 0.7
    table = np.column_stack([explained, np.full(12, 0.1), X[:, 0], explained * 1e-3 + 1e3, explained]) * size
    table[:, 4] += rng.normal(size=12) * 1e-6 * size
    for store in (np.asarray, sparse.csr_array, sparse.csc_array):
        with pytest.warns(UndefinedScoreWarning, match="3 of 5"):
            found = FisherScore().fit(store(table), Y, covariates=x)
        assert np.isnan(found.scores_).tolist() == [True, True, False, True, False]


def test_features_far_from_zero_keep_their_digits(C):
    x = C[:, 0] - 1e6
    variances = residuals(X, [x]).var(axis=0)
    for store in (np.asarray, sparse.csr_array):
        found = Variance().fit(store(X + 1e6), covariates=x).native_scores_
        np.testing.assert_allclose(found, variances, rtol=1e-8)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (np.zeros(11), ValueError, "got 11 rows"),
        (np.zeros((12, 2, 2)), ValueError, r"shape \(12, 2, 2\)"),
        ([np.nan, *range(11)], ValueError, "NaN in row 0"),
        ([1e101, *range(11)], ValueError, "1e.101 in row 0"),
        ([1e-101] + 11 * [0.0], ValueError, "range of 1e-101"),
        ([None, *BATCH[1:]], ValueError, "1 of 12"),
        (pd.Series([pd.NA, *range(11)], dtype="Int64"), ValueError, "NaN"),
        (pd.Series([pd.NA, *BATCH[1:]], dtype=object), ValueError, "1 of 12"),
        (list("abcdefghijkl"), ValueError, "12 categories of 12"),
        (np.eye(12), ValueError, "rank 11"),
        (np.zeros(12, dtype="datetime64[D]"), TypeError, "datetime64"),
        (np.ones(12) * 1j, TypeError, "complex128"),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else None,
)
def test_bad_covariates_are_refused(given, error, said):
    with pytest.raises(error, match=rf"^FisherScore: .*{said}"):
        FisherScore().fit(X, Y, covariates=given)


def test_the_same_samples_in_another_order_are_refused():
    names = [f"s{i}" for i in range(12)]
    table = pd.DataFrame(X, index=names)
    depth = pd.Series(np.arange(12.0) ** 2, index=names)
    FisherScore().fit(table, Y, covariates=depth)
    FisherScore().fit(table, Y, covariates=depth.set_axis(range(12)))  # no names: by place
    for other in (depth[::-1], depth[::-1].to_frame()):
        with pytest.raises(ValueError, match="same order"):
            FisherScore().fit(table, Y, covariates=other)

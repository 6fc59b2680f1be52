"""Manhattan distances, dense and sparse, in double and in single precision."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect._floats import OutOfRangeError
from eigenselect.matrix import as_matrix
from eigenselect.similarity import loops_numba, manhattan
from eigenselect.similarity.manhattan import ManhattanPanels

ROWS = [slice(0, 7), slice(7, 30), slice(29, 30)]


@pytest.fixture
def X(rng):
    return rng.normal(size=(30, 11)) * (rng.random((30, 11)) < 0.6)


@pytest.fixture
def scale(rng):
    return rng.uniform(0.1, 3.0, 11)


@pytest.fixture(params=["full", "panels"])
def single(request, monkeypatch):
    """Compiled loops in single precision, with all distances at once or panel by panel."""
    monkeypatch.setattr(manhattan, "COMPILED_WORK", 0)
    monkeypatch.setattr(manhattan, "TILE_ROWS", 8)
    if request.param == "panels":
        monkeypatch.setattr(manhattan, "FULL_BYTES", 0)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_weighted_sums_of_absolute_differences(X, scale, store):
    for weights in (None, scale):
        panels = ManhattanPanels(as_matrix(store(X)), 1, weights)
        expected = cdist(
            X * (1.0 if weights is None else weights), X * (1.0 if weights is None else weights), "cityblock"
        )
        for rows in ROWS:
            np.testing.assert_allclose(panels(rows), expected[rows], atol=1e-12)
        assert not panels.in_single_precision
        np.testing.assert_array_equal(panels.doubt(np.arange(3.0)), 0)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_a_large_shift_leaves_differences_all_their_digits(rng, store):
    X = rng.integers(0, 7, size=(30, 3)).astype(float)
    shifted = ManhattanPanels(as_matrix(store(X + np.array([1e8, -1e6, 0.0]))), 1, np.full(3, 1 / 6))(slice(0, 30))
    np.testing.assert_allclose(shifted, cdist(X, X, "cityblock") / 6, rtol=1e-14, atol=1e-14)


@pytest.mark.usefixtures("single")
def test_single_precision_is_off_by_less_than_half_the_doubt(X, scale):
    """Up to one factor, which is the widest feature's."""
    X = X + 1e3  # a shift that differences do not see, and float32 would
    panels = ManhattanPanels(as_matrix(X), 2, scale)
    expected = cdist(X * panels.scale, X * panels.scale, "cityblock")
    assert panels.in_single_precision
    assert (np.ptp(X, axis=0) * panels.scale).max() == pytest.approx(1.0)
    for rows in ROWS:
        off = np.abs(panels(rows) - expected[rows])
        assert (off <= panels.doubt(expected[rows]) / 2).all()
        assert off.max() > 0  # it is single precision
    assert panels.doubt(expected).max() < 1e-4


@pytest.mark.usefixtures("single")
def test_samples_without_any_difference(scale):
    panels = ManhattanPanels(as_matrix(np.full((30, 11), 4.0)), 1, scale)
    np.testing.assert_array_equal(panels(slice(0, 30)), 0)


@pytest.mark.parametrize("exponent", [-1010, 1010])
def test_sums_that_are_no_numbers_are_refused_unless_a_scale_is_given(rng, exponent):
    X = as_matrix(np.ldexp(rng.uniform(0.5, 1.0, size=(5, 2)), exponent))
    with pytest.raises(OutOfRangeError, match="sums of differences"):
        ManhattanPanels(X, 1)
    scale = np.full(2, 2.0**-exponent)
    assert np.isfinite(ManhattanPanels(X, 1, scale)(slice(0, 5))).all()


def test_manhattan_of_even_and_odd_tiles(rng):
    """And of more features than a run."""
    for (n_a, n_b), dtype in product([(4, 6), (5, 4), (4, 5), (3, 7), (1, 1)], (np.float64, np.float32)):
        for width in (9, 2 * loops_numba.RUN + 5):
            A, B = rng.normal(size=(n_a, width)).astype(dtype), rng.normal(size=(n_b, width)).astype(dtype)
            out = np.full((n_a, n_b), np.nan, dtype=dtype)
            loops_numba.manhattan(A, B, out)
            expected = cdist(A, B, "cityblock")
            np.testing.assert_allclose(out, expected, rtol=1e-5 if dtype is np.float32 else 1e-13)


def sparse_distances(X, start, stop):
    """Distances of some rows of a sparse table from all."""
    rows, columns = sparse.csr_array(X), sparse.csc_array(X)
    norms, rests, out, lost = *np.empty((2, len(X))), *np.full((2, stop - start, len(X)), np.nan)
    loops_numba.absolute_sums(rows.indptr, rows.data, norms, rests)
    loops_numba.sparse_manhattan(
        *(rows.indptr, rows.indices, rows.data, columns.indptr, columns.indices, columns.data),
        *(norms, rests, start, stop, out, lost),
    )
    return out


def test_manhattan_of_sparse_rows(rng):
    X = rng.normal(size=(12, 20)) * (rng.random((12, 20)) < 0.3)
    X[4] = X[9]
    out = sparse_distances(X, 4, 9)
    np.testing.assert_allclose(out, cdist(X[4:9], X, "cityblock"), atol=1e-12)
    assert (out >= 0).all()
    assert out[0, 9] == 0


def test_manhattan_of_sparse_rows_that_share_a_large_value(rng):
    """What both have in common leaves no rounding of its size."""
    X = rng.choice([0.0, 0.1, -0.3], size=(12, 8))
    X[::2, 3] = 1e12
    near = np.ix_(range(0, 12, 2), range(0, 12, 2))
    np.testing.assert_allclose(sparse_distances(X, 0, 12)[near], cdist(X, X, "cityblock")[near], rtol=1e-13, atol=1e-15)

"""Compiled distances and neighbours against plain Python."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from eigenselect.similarity import loops_numba


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n_a", "n_b"), [(4, 6), (5, 4), (4, 5), (3, 7), (1, 1)])
def test_manhattan_of_even_and_odd_tiles(rng, dtype, n_a, n_b):
    A, B = rng.normal(size=(n_a, 9)).astype(dtype), rng.normal(size=(n_b, 9)).astype(dtype)
    out = np.full((n_a, n_b), np.nan, dtype=dtype)
    loops_numba.manhattan(A, B, out)
    np.testing.assert_allclose(out, cdist(A, B, "cityblock"), rtol=1e-5 if dtype is np.float32 else 1e-13)


def test_manhattan_of_more_features_than_a_run(rng):
    A, B = rng.normal(size=(3, 2 * loops_numba.RUN + 5)), rng.normal(size=(2, 2 * loops_numba.RUN + 5))
    out = np.full((3, 2), np.nan)
    loops_numba.manhattan(A, B, out)
    np.testing.assert_allclose(out, cdist(A, B, "cityblock"), rtol=1e-13)


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


def room_for(count):
    return np.empty(count + 1), np.empty(count + 1, dtype=np.int64)


class TestNearest:
    #: members of three classes: of five, of two, and of one sample
    MEMBERS = np.array([0, 3, 4, 6, 7, 1, 5, 2])
    BOUNDS = np.array([0, 5, 7, 8])

    def nearest(self, distances, count, samples):
        shape = (samples.size, 3)
        nearest = np.full((*shape, count), -7, dtype=np.int64)
        last, following = np.full(shape, np.nan), np.full(shape, np.nan)
        found = (nearest, last, following)
        loops_numba.nearest_by_class(distances, 0, samples, self.MEMBERS, self.BOUNDS, *found, *room_for(count))
        return nearest, last, following

    @pytest.mark.parametrize("count", [1, 2, 4])
    @pytest.mark.parametrize("levels", [3, 1000])
    def test_the_nearest_of_every_class_by_sorting(self, rng, count, levels):
        """With few levels of distance, ties go to the earlier member."""
        distances = rng.integers(1, levels, size=(8, 8)).astype(float)
        samples = np.array([6, 0, 2])
        nearest, last, following = self.nearest(distances, count, samples)
        for i, sample in enumerate(samples):
            for c in range(3):
                others = [j for j in self.MEMBERS[self.BOUNDS[c] : self.BOUNDS[c + 1]] if j != sample]
                order = sorted(others, key=lambda j: distances[sample, j])
                assert nearest[i, c].tolist() == (order + [-1] * count)[:count]
                taken, left = order[:count], order[count:]
                assert last[i, c] == (distances[sample, taken[-1]] if taken else np.inf)
                assert following[i, c] == (distances[sample, left[0]] if left else np.inf)

    def test_what_is_equal_up_to_rounding_ties(self):
        distances = np.ones((8, 8))
        distances[0, 7], distances[0, 6] = 1.0 - 1e-13, 1.0 - 1e-9
        nearest, _, _ = self.nearest(distances, 2, np.array([0]))
        assert nearest[0, 0].tolist() == [6, 3]

    def test_doubtful_pairs_are_measured_again(self, rng):
        """Rough distances name the candidates within a limit, exact ones choose among them."""
        X, scale = rng.normal(size=(8, 4)), rng.uniform(0.5, 2, 4)
        exact = cdist(X * scale, X * scale, "cityblock")
        rough = exact + rng.uniform(-0.2, 0.2, size=(8, 8))
        samples, count = np.array([3, 5]), 2
        nearest, _, _ = self.nearest(rough, count, samples)
        limits = np.full((2, 3), np.inf)
        rows, classes = np.array([0, 1]), np.array([0, 0])
        loops_numba.nearest_exactly(
            X,
            scale,
            rough,
            0,
            samples,
            self.MEMBERS,
            self.BOUNDS,
            limits,
            rows,
            classes,
            nearest,
            *room_for(count),
        )
        for i, sample in enumerate(samples):
            others = [j for j in self.MEMBERS[:5] if j != sample]
            assert nearest[i, 0].tolist() == sorted(others, key=lambda j: exact[sample, j])[:2]

    def test_none_beyond_the_limit_is_taken(self, rng):
        X = rng.normal(size=(8, 4))
        rough = np.arange(64.0).reshape(8, 8)
        nearest = np.full((1, 3, 2), -1, dtype=np.int64)
        limits = np.full((1, 3), 4.0)  # of sample 0: samples 3 and 4 of the first class
        loops_numba.nearest_exactly(
            X,
            np.ones(4),
            rough,
            0,
            np.array([0]),
            self.MEMBERS,
            self.BOUNDS,
            limits,
            np.array([0]),
            np.array([0]),
            nearest,
            *room_for(2),
        )
        assert set(nearest[0, 0]) == {3, 4}

"""Shuffled labels and columns: the same values in another order, in the same storage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.matrix import Matrix, SparseMatrix
from eigenselect.reporting.refitting.permuted_data import shuffled_columns, shuffled_within


@pytest.fixture
def counts(rng):
    """Mostly zeros; two columns are equal."""
    X = rng.poisson(0.4, size=(50, 12)).astype(np.float32)
    X[:, 1] = X[:, 0]
    return X


def same_columns(one, other):
    np.testing.assert_array_equal(np.sort(one, axis=0), np.sort(other, axis=0))


class TestColumns:
    def test_each_is_shuffled_by_itself(self, counts):
        shuffled = shuffled_columns(counts, np.random.RandomState(0))
        same_columns(shuffled, counts)
        assert shuffled.dtype == np.float32
        assert (shuffled != counts).any(axis=0).all()
        assert (shuffled[:, 0] != shuffled[:, 1]).any()  # equal columns get orders of their own

    @pytest.mark.parametrize("storage", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
    def test_a_sparse_table_stays_sparse(self, counts, storage):
        shuffled = shuffled_columns(storage(counts), np.random.RandomState(0))
        assert type(shuffled) is storage
        assert shuffled.nnz == np.count_nonzero(counts)
        same_columns(shuffled.toarray(), counts)
        assert (shuffled.toarray() != counts).any(axis=0).all()

    @pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
    def test_a_matrix_keeps_its_names(self, counts, made):
        names = [f"gene {j}" for j in range(12)]
        kind = Matrix if made is np.asarray else SparseMatrix
        shuffled = shuffled_columns(kind(made(counts), feature_names=names), np.random.RandomState(0))
        assert isinstance(shuffled, kind)
        assert list(shuffled.feature_names) == names
        same_columns(shuffled.to_array(), counts)

    def test_a_frame_keeps_its_index_and_types(self):
        letters = pd.Categorical(list("abca"))
        frame = pd.DataFrame({"n": [1.0, 2, 3, 4], "c": letters, "t": list("wxyz")}, index=list("pqrs"))
        shuffled = shuffled_columns(frame, np.random.RandomState(3))
        assert list(shuffled.index) == list("pqrs")
        assert list(shuffled.dtypes) == list(frame.dtypes)
        for name in frame:
            assert sorted(shuffled[name]) == sorted(frame[name])
        assert not shuffled.equals(frame)

    def test_a_frame_of_numbers(self, counts):
        frame = pd.DataFrame(counts, columns=list("abcdefghijkl"))
        shuffled = shuffled_columns(frame, np.random.RandomState(0))
        np.testing.assert_array_equal(shuffled, shuffled_columns(counts, np.random.RandomState(0)))
        assert list(shuffled) == list(frame)

    def test_a_frame_of_polars(self, counts):
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({f"g{j}": counts[:, j] for j in range(12)})
        same_columns(np.asarray(shuffled_columns(frame, np.random.RandomState(0))), counts)


def test_places_stay_in_their_group():
    groups = np.array([0, 1, 0, 1, 0, -1, 1, -1, 0])
    orders = np.array([shuffled_within(groups, np.random.RandomState(seed)) for seed in range(40)])
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.tile(np.arange(9), (40, 1)))
    np.testing.assert_array_equal(groups[orders], np.tile(groups, (40, 1)))
    assert (orders[:, [5, 7]] == [5, 7]).all()  # what has no group stays
    assert len(np.unique(orders, axis=0)) > 20

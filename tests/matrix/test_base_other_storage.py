"""A storage that is not in memory comes in by one subclass: the same scores, and never loaded as a whole."""

import numpy as np
import pytest

from eigenselect import MRSF, SPEC, FisherScore, HSICScore, LaplacianScore, TraceRatio
from eigenselect.matrix import Matrix
from eigenselect.similarity import gram


class File:
    """Something that can be sliced, as a dataset in a file can; it knows the largest part that was read."""

    def __init__(self, values):
        self._values, self.shape, self.dtype, self.largest_read = values, values.shape, values.dtype, 0

    def __getitem__(self, key):
        part = self._values[key]
        self.largest_read = max(self.largest_read, part.size)
        return part


class FileMatrix(Matrix):
    """All that such a storage needs."""

    in_memory = False

    def take_rows(self, rows):
        return Matrix(self.raw[rows])

    def take_columns(self, columns):
        return Matrix(self.raw[:, columns])


@pytest.fixture
def table(rng):
    X, y = rng.normal(size=(60, 8000)), np.repeat([0, 1, 2], 20)
    X[:, :50] += y[:, None]
    return X, y


@pytest.mark.parametrize(
    "selector",
    [
        LaplacianScore(5),
        LaplacianScore(5, similarity="rbf"),
        SPEC(5, ranking="phi3"),
        FisherScore(5),
        HSICScore(5),
        TraceRatio(5),
        MRSF(3, target="lda"),
    ],
    ids=str,
)
def test_the_same_scores_from_parts_of_it(table, selector, monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.base.BLOCK_BYTES", 2**19)
    monkeypatch.setattr(gram, "FEATURE_BLOCK_BYTES", 2**19)
    X, y = table
    expected = selector.fit(X, y).scores_
    file = File(X)
    found = selector.fit(FileMatrix(file), y)
    np.testing.assert_array_equal(found.scores_, expected)
    assert found.n_features_in_ == 8000
    assert 0 < file.largest_read < X.size / 2


def test_what_is_not_finite_is_refused(table):
    X, y = table
    X[7, 11] = np.nan
    with pytest.raises(ValueError, match="^FisherScore: X must be finite, got NaN in row 7, column 11; fill"):
        FisherScore(5).fit(FileMatrix(File(X)), y)


def test_one_sample_is_refused(table):
    with pytest.raises(ValueError, match="LaplacianScore: X must have at least 2 samples, got 1"):
        LaplacianScore(5).fit(FileMatrix(File(table[0][:1])))

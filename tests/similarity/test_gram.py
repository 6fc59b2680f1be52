"""Gram matrices over blocks of features: the same from every storage and on any number of threads."""

import numpy as np
import pytest

from eigenselect.matrix import Matrix, as_matrix
from eigenselect.similarity import gram
from eigenselect.similarity.gram import FeatureBlocks, dense_gram, mirrored


@pytest.fixture(params=["parts of features", "tiles", "one block"])
def route(request, monkeypatch):
    if request.param != "one block":
        monkeypatch.setattr(gram, "FEATURE_BLOCK_BYTES", 0)  # blocks of 64 features
    if request.param == "tiles":
        monkeypatch.setattr(gram, "PARTS_BYTES", 0)
        monkeypatch.setattr(gram, "TILE_ROWS", 16)


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint8, np.int64, bool])
def test_products_of_all_samples(rng, center, dtype):
    X = (rng.normal(size=(45, 1000)) * 100).astype(np.int16).astype(dtype)
    wide = X.astype(np.float64)
    wide = wide - wide.mean(axis=0) if center else wide
    found = dense_gram(as_matrix(X), center=center, n_jobs=2)
    np.testing.assert_allclose(found, wide @ wide.T, rtol=1e-11, atol=1e-7)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(found, dense_gram(as_matrix(X), center=center, n_jobs=1))


class Counting(Matrix):
    def __init__(self, raw, in_memory):
        super().__init__(raw)
        self.in_memory, self.read = in_memory, []

    def block(self, rows, columns):
        self.read.append((columns.start, columns.stop))
        return super().block(rows, columns)


@pytest.mark.parametrize("in_memory", [True, False])
def test_every_feature_is_read_once_and_a_file_in_order(rng, monkeypatch, in_memory):
    monkeypatch.setattr(gram, "FEATURE_BLOCK_BYTES", 0)
    X = Counting(rng.normal(size=(9, 1300)), in_memory)
    dense_gram(X, center=True, n_jobs=3)
    read = X.read if not in_memory else sorted(X.read)
    assert read == [(start, min(start + 64, 1300)) for start in range(0, 1300, 64)]


@pytest.mark.parametrize("keep", [True, False])
def test_blocks_are_kept_if_asked(rng, keep):
    X = Counting(rng.normal(size=(9, 130)), True)
    blocks = FeatureBlocks(X, True, keep=keep)
    for _ in range(3):
        np.testing.assert_allclose(np.concatenate(list(blocks), axis=1).mean(axis=0), 0, atol=1e-15)
    assert len(X.read) == (1 if keep else 3)


def test_the_upper_triangle_is_copied_down(rng, monkeypatch):
    monkeypatch.setattr(gram, "TILE_ROWS", 3)
    M = rng.normal(size=(8, 8))
    np.testing.assert_array_equal(mirrored(M.copy()), np.triu(M) + np.triu(M, 1).T)

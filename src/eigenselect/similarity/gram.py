"""Inner products of all samples of a dense table, over blocks of features that are read once.

A memory map, a float32 table or one of whole numbers is widened to float64 a block at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.similarity.ssyrk import upper_products

#: bytes of features converted to float64 at a time
FEATURE_BLOCK_BYTES = 2**24
#: bytes of dense feature blocks that are kept between panels
KEPT_BLOCKS_BYTES = 2**28
#: rows and columns of one tile of a Gram matrix
TILE_ROWS = 256
#: parts into which the features of a wide table are cut at most, and bytes of their Gram matrices together
PARTS, PARTS_BYTES = 8, 2**26


def dense_gram(X: Matrix, *, center: bool, n_jobs: int | None) -> FloatArray:
    """Compute X Xᵀ, exactly symmetric, features in blocks, which are centred if asked and read once.

    Few samples: every thread takes blocks of features, and adds their products to a Gram matrix of its part of them.
    More: threads share the tiles of one Gram matrix, block after block. Which of the two, and the parts, depend on the
    shape alone, so that sums have the same order on any number of threads.
    """
    if isinstance(X, DaskMatrix):
        from eigenselect.similarity.dask_pairs import chunk_gram

        return chunk_gram(X, center=center)
    return products_of_blocks(FeatureBlocks(X, center, keep=False), n_jobs, in_order=not X.in_memory)


class Blocks(Protocol):
    """Blocks of columns of all samples: by number, or one after the other.

    ``summed`` is how many columns BLAS adds up at once; with fewer than a block has, rounding grows more slowly.
    """

    n_samples: int
    summed: int

    def __len__(self) -> int: ...

    def __getitem__(self, number: int) -> NDArray[Any]: ...

    def __iter__(self) -> Iterator[NDArray[Any]]: ...


def products_of_blocks(blocks: Blocks, n_jobs: int | None, *, in_order: bool = False) -> FloatArray:
    """Sum the products of all samples over blocks, in double precision, exactly symmetric.

    Parameters
    ----------
    blocks : Blocks
        In any precision, which is that of the products of one block.
    n_jobs : int, optional
    in_order : bool, default=False
        Take one block after the other: a file is read from one end to the other.
    """
    n_parts = min(PARTS, PARTS_BYTES // (8 * blocks.n_samples**2 + 1), len(blocks))
    if n_parts > 1 and not in_order:
        return _gram_by_features(blocks, n_parts, n_jobs)
    gram = np.zeros((blocks.n_samples, blocks.n_samples))
    rows = slices(blocks.n_samples, TILE_ROWS)
    tiles = [(a, b) for index, a in enumerate(rows) for b in rows[index:]]
    for block in blocks:

        def accumulate(tile: tuple[slice, slice], block: NDArray[Any] = block) -> None:
            with np.errstate(over="ignore", invalid="ignore"):
                gram[tile] += _products(block[tile[0]], block[tile[1]], blocks.summed)

        map_blocks(accumulate, tiles, n_jobs)
    return mirrored(gram)


def _products(a: NDArray[Any], b: NDArray[Any], summed: int) -> NDArray[Any]:
    """Compute a bᵀ in its own precision: sums over some columns, and the sum of these.

    Of a matrix times its own transpose numpy computes one triangle.

    >>> _products(np.array([[1.0, 2, 3]]), np.array([[4.0, 5, 6]]), 2)
    array([[32.]])
    """
    first, *others = slices(a.shape[1], summed)
    total: NDArray[Any] = a[:, first] @ b[:, first].T
    for columns in others:
        total += a[:, columns] @ b[:, columns].T
    return total


def _own_products(block: NDArray[Any], summed: int) -> NDArray[Any]:
    """Compute a aᵀ in its own precision, or, in single precision, its upper triangle alone."""
    if block.dtype == np.float32:
        return upper_products(block, summed)
    return _products(block, block, summed)


def _gram_by_features(blocks: Blocks, n_parts: int, n_jobs: int | None) -> FloatArray:
    """Sum the products of several parts of the features, each made by one thread."""

    def add(numbers: slice) -> FloatArray:
        gram = np.zeros((blocks.n_samples, blocks.n_samples))
        for number in range(numbers.start, numbers.stop):
            block = blocks[number]
            with np.errstate(over="ignore", invalid="ignore"):
                gram += _own_products(block, blocks.summed)
        return gram

    grams = map_blocks(add, slices(len(blocks), -(-len(blocks) // n_parts)), n_jobs)
    for gram in grams[1:]:
        with np.errstate(over="ignore", invalid="ignore"):
            grams[0] += gram
    return mirrored(grams[0])


class FeatureBlocks:
    """X as dense float64 blocks of columns, each centred if asked: by number, or one after the other.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    center : bool
        Subtract the mean of every column.
    keep : bool, default=True
        Make the blocks of a table that fits `KEPT_BLOCKS_BYTES` once and keep them; else they are made each time.
    """

    def __init__(self, X: Matrix, center: bool, *, keep: bool = True) -> None:
        self._X, self._center, self.n_samples = X, center, X.n_samples
        self.summed = max(64, FEATURE_BLOCK_BYTES // (8 * X.n_samples))
        self._columns = slices(X.n_features, self.summed)
        fits = keep and 8 * X.n_samples * X.n_features <= KEPT_BLOCKS_BYTES
        self._kept: list[FloatArray] | None = None
        if fits:
            self._kept = [self[number] for number in range(len(self))]

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, number: int) -> FloatArray:
        if self._kept is not None:
            return self._kept[number]
        block = self._X.tile(self._columns[number])
        if self._center:
            with np.errstate(over="ignore", invalid="ignore"):  # seen in the squared lengths
                block -= block.mean(axis=0)
        return block

    def __iter__(self) -> Iterator[FloatArray]:
        return (self[number] for number in range(len(self)))


def mirrored(matrix: FloatArray) -> FloatArray:
    """Copy the upper triangle onto the lower one, in place."""
    for rows in slices(len(matrix), TILE_ROWS):
        matrix[rows, : rows.start] = matrix[: rows.start, rows].T
        corner = matrix[rows, rows]
        lower = np.tril_indices(len(corner), -1)
        corner[lower] = corner.T[lower]
    return matrix

"""Approximate neighbours by cells: samples around a centre are compared with those of the nearest cells, and no others.

How many cells are looked at is planned, not tried: where the true neighbours of some samples are known, the cells that
these lie in tell which part of them is found. Products are as fast as in the exact search, and results are the same on
any number of threads. It pays where samples have some structure; in noise of many dimensions, neighbours are anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.similarity.bounded_space import Space
from eigenselect.similarity.candidates import BLOCK_ROWS, lowest_bounds, product

#: cells are this part of √n, and centres are means of so many samples of each, in so many rounds
CELLS_PER_ROOT, TRAINED_PER_CELL, ROUNDS = 0.5, 64, 5
#: candidates beyond the neighbours that are wanted, for what single precision puts in another order
SPARE = 3


class Cells:
    """Samples in cells around centres.

    Parameters
    ----------
    space : Space
        Small enough to be kept in single precision.
    generator : RandomState
        Chooses the samples that centres begin with.

    Attributes
    ----------
    member : ndarray of shape (n,)
        The cell of every sample.
    order : ndarray of shape (n,)
        The samples, cell by cell.
    ends : ndarray of shape (n_cells + 1,)
        Where cells begin and end in ``order``.
    near : ndarray of shape (n_cells, n_cells)
        All cells from every cell, itself first, then by the distance of their centres.
    """

    def __init__(self, space: Space, generator: Any, n_jobs: int | None) -> None:
        self._space, table = space, space.single
        n_cells = max(1, round(CELLS_PER_ROOT * np.sqrt(len(table))))
        chosen = generator.permutation(len(table))[: TRAINED_PER_CELL * n_cells]
        centres = _means(table[chosen], n_cells, n_jobs)
        self.member = _nearest(table, centres, n_jobs)
        self.order = np.argsort(self.member, kind="stable")
        self.ends = np.concatenate([[0], np.cumsum(np.bincount(self.member, minlength=n_cells))])
        squared = np.einsum("ij,ij->i", centres, centres)
        apart = squared - 2.0 * centres @ centres.T
        np.fill_diagonal(apart, -np.inf)
        self.near = np.argsort(apart, axis=1, kind="stable")

    def needed(self, samples: IntArray, neighbors: IntArray, part: float) -> int:
        """Return how many cells must be looked at so that this part of known neighbours of some samples is found."""
        ranks = np.argsort(self.near, axis=1)[self.member[samples, None], self.member[neighbors]]
        ranks = np.sort(ranks, axis=None)
        return int(ranks[min(ranks.size - 1, int(np.ceil(part * ranks.size)) - 1)]) + 1

    def compared(self, count: int) -> float:
        """Return how many samples one is compared with, on average, if ``count`` cells are looked at."""
        sizes = np.diff(self.ends).astype(np.float64)
        return float(sizes @ sizes[self.near[:, :count]].sum(axis=1) / sizes.sum())

    def search(self, count: int, n_neighbors: int, n_jobs: int | None) -> IntArray:
        """Find the nearest of ``count`` cells, and a few more, of every sample; -1 where there are fewer."""
        table, norms = self._space.single[self.order], self._space.lowered_norms(np.float32)[self.order]
        found = np.empty((len(table), n_neighbors + SPARE), dtype=np.intp)

        def look(task: tuple[int, slice]) -> None:
            cell, rows = task
            products = self._products(table, rows, self.near[cell, :count])
            own = np.arange(rows.start, rows.stop)
            bounds, columns = lowest_bounds(own, products, norms, found.shape[1])
            found[self.order[rows]] = np.where(np.isfinite(bounds), self.order[columns], -1)

        map_blocks(look, self._tasks(), n_jobs)
        return found

    def _tasks(self) -> list[tuple[int, slice]]:
        """Return all rows, in blocks of one cell each."""
        bounds = list(zip(self.ends[:-1].tolist(), self.ends[1:].tolist(), strict=True))
        return [
            (cell, slice(start + part.start, start + part.stop))
            for cell, (start, stop) in enumerate(bounds)
            for part in slices(stop - start, BLOCK_ROWS)
        ]

    def _products(
        self, table: NDArray[np.float32], rows: slice, cells: IntArray
    ) -> Iterator[tuple[NDArray[Any], slice]]:
        """Yield twice the products of some rows with those of each cell."""
        doubled = 2 * table[rows]
        for cell in cells:
            others = slice(int(self.ends[cell]), int(self.ends[cell + 1]))
            if others.stop > others.start:
                yield product(doubled, table[others]), others


def _means(table: NDArray[np.float32], n_cells: int, n_jobs: int | None) -> FloatArray:
    """Return centres: the first samples, moved some times to the mean of those that are nearest to them."""
    centres = table[:n_cells].astype(np.float64)
    for _ in range(ROUNDS):
        member = _nearest(table, centres, n_jobs)
        order = np.argsort(member, kind="stable")
        counts = np.bincount(member, minlength=n_cells)
        filled = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[filled]
        sums = np.add.reduceat(table[order].astype(np.float64), starts, axis=0)
        centres[filled] = sums / counts[filled, None]
    return centres


def _nearest(table: NDArray[np.float32], centres: FloatArray, n_jobs: int | None) -> IntArray:
    """Return the number of the nearest centre of every row."""
    single = centres.astype(np.float32)
    half = (0.5 * np.einsum("ij,ij->i", centres, centres)).astype(np.float32)

    def nearest(rows: slice) -> IntArray:
        return np.argmax(table[rows] @ single.T - half, axis=1)

    return np.concatenate(map_blocks(nearest, slices(len(table), 16 * BLOCK_ROWS), n_jobs))

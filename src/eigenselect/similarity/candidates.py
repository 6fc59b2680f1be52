"""Exact neighbours from products in single precision: candidates, measured again, and a proof that none is missing.

The samples with the lowest bounds of `bounded_space` are candidates. Their distances are measured from differences in
double precision. Where the k-th of them is below the bound of everybody who is no candidate, the row is settled; the
other rows (copies, ties, clusters that are far apart) are searched again with products in double precision, among all
samples whose bound is not above the k-th distance that is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import Matrix
from eigenselect.similarity import bounded_space
from eigenselect.similarity.bounded_space import Space
from eigenselect.similarity.equal_rows import FirstCopies, all_differ
from eigenselect.similarity.ties import MOST_INSERTED, nearest_of, ordered_by_sample

#: rows and columns of one block of products: it stays in the cache until it was looked at
BLOCK_ROWS, BLOCK_COLUMNS = 256, 2048
#: blocks that few rows are cut into
FEW_BLOCKS = 8
#: candidates beyond the neighbours that are wanted, and one more for so many of these
SPARE, ONE_SPARE_PER = 8, 4
#: bytes of products of some rows with all samples
STRIPE_BYTES = 2**28
#: distances that are equal up to rounding tie, so that a proof needs so much room
ROOM = 1.0 + 1e-10


def blocked_neighbors(X: Matrix, n_neighbors: int, *, metric: str, n_jobs: int | None) -> tuple[IntArray, FloatArray]:
    """Find the exact neighbours of all samples; see `eigenselect.similarity.neighbors.nearest_neighbors`.

    Of equal samples only the first are searched.
    """
    kept, places = _first_copies(X, n_neighbors)
    table = X if kept.size == X.n_samples else X.take_rows(kept)
    indices, squared = neighbors_of_some(Space.of(table, metric), np.arange(kept.size), n_neighbors, n_jobs=n_jobs)
    return kept[indices][places], squared[places]


def neighbors_of_some(
    space: Space, rows: IntArray, n_neighbors: int, *, n_jobs: int | None
) -> tuple[IntArray, FloatArray]:
    """Find the exact neighbours of some samples, among all."""
    search = _Search(space, n_neighbors)
    if 4 * space.X.n_samples * space.X.n_features <= bounded_space.KEPT_BYTES:
        search.in_single_precision(rows, n_jobs)
    else:
        search.by_stripes(rows, np.float32, n_jobs)
    search.by_stripes(rows[~search.settled[rows]], np.float64, n_jobs)
    return search.indices[rows], search.squared[rows]


class _Search:
    """Neighbours as far as they are known.

    Attributes
    ----------
    indices, squared : ndarray of shape (n, k)
        Neighbours and their squared distances.
    settled : ndarray of bool of shape (n,)
        Whose neighbours are proved.
    """

    def __init__(self, space: Space, n_neighbors: int) -> None:
        self._space, self._n_neighbors = space, n_neighbors
        self._n_samples = space.X.n_samples
        self._n_candidates = min(self._n_samples - 1, n_neighbors + SPARE + n_neighbors // ONE_SPARE_PER)
        self.indices = np.empty((self._n_samples, n_neighbors), dtype=np.intp)
        self.squared = np.empty((self._n_samples, n_neighbors))
        self.settled = np.zeros(self._n_samples, dtype=bool)

    def in_single_precision(self, rows: IntArray, n_jobs: int | None) -> None:
        """Settle those of these rows that can be settled, in blocks of products that stay in the cache."""
        table, norms = self._space.single, self._space.lowered_norms(np.float32)

        def search(part: slice) -> None:
            own, doubled = rows[part], 2 * table[rows[part]]
            products = ((product(doubled, table[others]), others) for others in slices(self._n_samples, BLOCK_COLUMNS))
            self._settle(own, *lowest_bounds(own, products, norms, self._n_candidates))

        map_blocks(search, slices(rows.size, min(BLOCK_ROWS, max(1, rows.size // FEW_BLOCKS))), n_jobs)

    def by_stripes(self, rows: IntArray, dtype: Any, n_jobs: int | None) -> None:
        """Settle these rows in panels of products with all samples; in double precision, all of them are settled."""
        norms, everybody = self._space.lowered_norms(dtype), slice(0, self._n_samples)
        for stripe, products in _stripes(self._space, rows, dtype, n_jobs):

            def search(part: slice, stripe: IntArray = stripe, products: NDArray[Any] = products) -> None:
                own = stripe[part]
                self._settle(own, *lowest_bounds(own, [(products[part], everybody)], norms, self._n_candidates))
                if dtype == np.float64:
                    for place in part.start + np.flatnonzero(~self.settled[own]):
                        self._look_at_all(stripe[place], norms - products[place])

            map_blocks(search, slices(stripe.size, BLOCK_ROWS), n_jobs)

    def _settle(self, own: IntArray, bounds: NDArray[Any], columns: IntArray) -> None:
        """Choose among candidates; a row is settled where nobody else can be as near as the last that was chosen."""
        squared = self._space.measure(np.repeat(own, columns.shape[1]), columns.ravel()).reshape(columns.shape)
        places = nearest_of(squared, columns, self._n_neighbors)
        last = np.take_along_axis(squared, places[:, -1:], axis=1)[:, 0]
        self.indices[own], self.squared[own] = ordered_by_sample(squared, columns, places)
        complete = self._n_candidates == self._n_samples - 1
        self.settled[own] = complete | (last * ROOM < self._space.lowest(own, bounds[:, -1]))

    def _look_at_all(self, sample: int, bounds: FloatArray) -> None:
        """Settle one sample: measure everybody whose bound is not above the last distance that is known."""
        near = bounds <= self._space.highest(sample, self.squared[sample].max() * ROOM)
        near[sample] = False
        columns = np.flatnonzero(near)[None]
        squared = self._space.measure(np.full(columns.size, sample), columns[0])[None]
        places = nearest_of(squared, columns, self._n_neighbors)
        self.indices[sample], self.squared[sample] = (row[0] for row in ordered_by_sample(squared, columns, places))
        self.settled[sample] = True


def _first_copies(X: Matrix, n_neighbors: int) -> FirstCopies:
    """Look for equal samples in dense tables of which a copy fits."""
    too_large = X.is_sparse or 8 * X.n_samples * X.n_features > bounded_space.MEASURED_BYTES
    if too_large or all_differ(X.columns(slice(0, 1))[:, 0]):
        return FirstCopies(np.arange(X.n_samples), np.arange(X.n_samples))
    return FirstCopies.of(X.to_array(), n_neighbors)


def lowest_bounds(
    own: IntArray, products: Iterable[tuple[NDArray[Any], slice]], norms: NDArray[Any], count: int
) -> tuple[NDArray[Any], IntArray]:
    """Return the lowest bounds of each row, the highest last, infinite where there are fewer, and whose they are.

    Parameters
    ----------
    own : ndarray of int
        The numbers of the rows, which are no candidates of themselves.
    products : iterable of (ndarray, slice)
        Twice the products of these rows with those of a slice, one slice after the other.
    norms : ndarray
        The lowered squared lengths of all rows.
    count : int
    """
    from eigenselect.similarity.neighbor_loops import keep_lowest

    keep = keep_lowest if count <= MOST_INSERTED else _keep_many_lowest
    bounds = np.full((own.size, count), np.inf, dtype=norms.dtype)
    columns = np.zeros((own.size, count), dtype=np.int64)
    for block, others in products:
        keep(block, norms[others], others.start, own, bounds, columns)
    return bounds, columns


def _keep_many_lowest(
    products: NDArray[Any], norms: NDArray[Any], start: int, own: IntArray, bounds: NDArray[Any], columns: IntArray
) -> None:
    """Do as `neighbor_loops.keep_lowest`, in a time that grows with the count, not with its square; last is highest."""
    numbers, last = np.arange(start, start + norms.size), bounds.shape[1] - 1
    new = np.where(numbers == own[:, None], np.inf, norms - products).astype(bounds.dtype)
    lowest = np.hstack([bounds, new])
    places = np.argpartition(lowest, last, axis=1)[:, : last + 1]
    bounds[:] = np.take_along_axis(lowest, places, axis=1)
    everybody = np.hstack([columns, np.broadcast_to(numbers, new.shape)])
    columns[:] = np.take_along_axis(everybody, places, axis=1)


# -- products -------------------------------------------------------------------------------------


def product(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Compute a bᵀ, at most `bounded_space.SUMMED_FEATURES` terms at once."""
    first, *others = slices(a.shape[1], bounded_space.SUMMED_FEATURES)
    product = a[:, first] @ b[:, first].T
    for columns in others:
        product += a[:, columns] @ b[:, columns].T
    return product


def _stripes(space: Space, rows: IntArray, dtype: Any, n_jobs: int | None) -> Iterator[tuple[IntArray, NDArray[Any]]]:
    """Yield some of the rows and twice their products with all samples; features are made once for each stripe."""
    itemsize = np.dtype(dtype).itemsize
    for part in slices(rows.size, max(1, STRIPE_BYTES // (itemsize * space.X.n_samples))):
        products = np.zeros((rows[part].size, space.X.n_samples), dtype=dtype)
        for block in space.feature_blocks(dtype):
            _add_products(2 * block[rows[part]], block, products, n_jobs)
        yield rows[part], products


def _add_products(a: NDArray[Any], b: NDArray[Any], products: NDArray[Any], n_jobs: int | None) -> None:
    def add(tile: slice) -> None:
        products[tile] += a[tile] @ b.T

    map_blocks(add, slices(len(a), BLOCK_ROWS), n_jobs)

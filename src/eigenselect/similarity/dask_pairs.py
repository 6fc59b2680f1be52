"""Samples of a Dask array compared with each other where the chunks are: every two chunks of rows meet on a worker.

Lists of neighbours, or inner products, come to the client; the table never does. All pairs of chunks are one run, in
which every chunk is made once and kept until it has met all others: the workers together hold the table. Where they
cannot, ``KNN(n_components=50)`` takes a few passes and holds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import getitem
from typing import Any

import numpy as np

from eigenselect._floats import LARGEST_SQUARE, SMALLEST_SQUARE, OutOfRangeError
from eigenselect._parallel import single_threaded_blas, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.matrix.dask_passes import as_table, combined, over_chunks, sent, stacked
from eigenselect.matrix.dask_tasks import added
from eigenselect.similarity.gram import mirrored
from eigenselect.similarity.ties import (
    ANGLE_CANCELLATION,
    CANCELLATION,
    nearest_of,
    ordered_by_sample,
    smallest_per_row,
)

#: bytes of the distances of some rows of one part to all of another
PANEL_BYTES = 2**25
#: pairs of near copies that are computed again at once
PAIRS = 1024
#: parts into which the rows of a table without chunks of rows are cut
PARTS = 8

#: neighbours of some samples: who, and squared distances
Lists = tuple[IntArray, FloatArray]


def chunk_neighbors(X: DaskMatrix, n_neighbors: int, metric: str) -> Lists:
    """Find indices and squared distances of the nearest other samples, as `nearest_neighbors` does.

    >>> import dask.array as da
    >>> X = DaskMatrix(da.from_array(np.array([[0.0], [1.0], [3.0]]), chunks=(2, 1)))
    >>> chunk_neighbors(X, 1, "euclidean")[0].ravel()
    array([1, 0, 1])
    """
    from dask.delayed import delayed

    center = metric == "euclidean"
    origin = _means_in_range(X) if center else np.zeros(X.n_features)
    parts, near, side = _row_parts(X), delayed(_near), delayed(getitem)
    shared, lists = sent(origin), [list[Any]() for _ in parts]
    for i, (rows, part) in enumerate(parts):
        for j, (others, other) in enumerate(parts[i:], start=i):
            both = near(part, other, rows, others, shared, n_neighbors, center)
            lists[i].append(side(both, 0))
            if j > i:
                lists[j].append(side(both, 1))
    nearest = partial(_nearest, n_neighbors)
    found = X.computed(combined(of_rows, nearest) for of_rows in lists)
    indices, squared = (np.concatenate(values) for values in zip(*found, strict=True))
    return indices, squared


def chunk_gram(X: DaskMatrix, *, center: bool) -> FloatArray:
    """Compute X Xᵀ, of centred columns if asked, exactly symmetric: n × n numbers come to the client."""
    from dask.delayed import delayed

    origin = X.column_moments().mean if center else np.zeros(X.n_features)
    if len(X.row_slices) == 1:
        (gram,) = X.computed([combined(over_chunks(X.raw, _gram_of_chunk, (origin,))[0], added)])
        return mirrored(np.array(gram))
    gram, parts, shared, product = np.empty((X.n_samples, X.n_samples)), _row_parts(X), sent(origin), delayed(_product)
    pairs = [(i, j) for i in range(len(parts)) for j in range(i, len(parts))]
    blocks = X.computed(product(parts[i][1], parts[j][1], shared) for i, j in pairs)
    for (i, j), block in zip(pairs, blocks, strict=True):
        gram[parts[i][0], parts[j][0]] = block
    return mirrored(gram)


def _means_in_range(X: DaskMatrix) -> FloatArray:
    """Return the means of all columns; refuse values whose squared distances surely or maybe leave floating point."""
    low, high = X.column_extremes()
    n_samples, mean, squares = X.column_moments()
    with np.errstate(over="ignore", invalid="ignore"):
        most, least = float((np.maximum(high - mean, mean - low) ** 2).sum()), float(squares.sum() / n_samples)
    if (low < high).any() and not (least > SMALLEST_SQUARE and most < LARGEST_SQUARE):
        raise OutOfRangeError("X holds values too large or too small for squared distances; scale the features first.")
    return mean


def _row_parts(X: DaskMatrix) -> list[tuple[slice, Any]]:
    """Return parts of the rows with all columns, lazily: chunks of rows, or some cut out of chunks of columns."""
    from dask.delayed import delayed

    together, chunks, rows = delayed(_side_by_side), X.raw.to_delayed(), X.row_slices
    if len(rows) > 1:
        return [(part, together(list(chunks[i]), slice(None))) for i, part in enumerate(rows)]
    parts = slices(X.n_samples, max(1, -(-X.n_samples // PARTS)))
    return [(part, together([_cut(chunk, part) for chunk in chunks[0]], slice(None))) for part in parts]


def _cut(chunk: Any, rows: slice) -> Any:
    from dask.delayed import delayed

    return delayed(_side_by_side)([chunk], rows)


def _side_by_side(pieces: Sequence[Any], rows: slice) -> Any:
    values = stacked(pieces, 1)
    return values if rows == slice(None) else values[rows].copy()


def _gram_of_chunk(table: Matrix, rows: slice, columns: slice, origin: FloatArray) -> FloatArray:
    return _products(table, table, origin[columns])


def _product(first: Any, second: Any, origin: FloatArray) -> FloatArray:
    with single_threaded_blas():
        return _products(as_table(first), as_table(second), origin)


def _products(first: Matrix, second: Matrix, origin: FloatArray) -> FloatArray:
    """Compute the products of all rows of one table with all of another, less some values of every column."""
    found = np.zeros((first.n_samples, second.n_samples))
    with np.errstate(over="ignore", invalid="ignore"):
        for columns in first.tiles():
            found += (first.tile(columns) - origin[columns]) @ (second.tile(columns) - origin[columns]).T
    return found


def _near(
    first: Any, second: Any, rows: slice, others: slice, origin: FloatArray, count: int, center: bool
) -> tuple[Lists, Lists]:
    """Find the nearest samples of one part for every row of another, and the other way round, in panels of rows."""
    one, other = as_table(first), as_table(second)
    mine, theirs = list[Lists](), list[Lists]()
    for part in slices(one.n_samples, max(1, PANEL_BYTES // (8 * other.n_samples))):
        places = np.arange(part.start, part.stop)
        panel = one.take_rows(places)
        with single_threaded_blas():
            squared = _between(panel, other, origin) if center else _between_directions(panel, other)
        if rows == others:
            squared[places - part.start, places] = np.inf
        mine.append(_listed(squared, others.start, count))
        new = _listed(np.ascontiguousarray(squared.T), rows.start + part.start, count)
        theirs = [_nearest(count, [*theirs, new])]
    indices, distances = (np.concatenate(values) for values in zip(*mine, strict=True))
    return (indices, distances), theirs[0]


def _between(first: Matrix, second: Matrix, origin: FloatArray) -> FloatArray:
    """Compute squared distances, those of near copies from differences."""
    scale = _lengths(first, origin)[:, None] + _lengths(second, origin)
    squared = np.maximum(scale - 2.0 * _products(first, second, origin), 0.0)
    one, other = np.nonzero(squared < CANCELLATION * scale)
    squared[one, other] = _of_pairs(first, second, one, other)
    return squared


def _between_directions(first: Matrix, second: Matrix) -> FloatArray:
    """Compute squared distances of rows that are scaled to length 1; rows of zeros stay."""
    zeros = np.zeros(first.n_features)
    inverse = [np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
               for length in (np.sqrt(_lengths(table, zeros)) for table in (first, second))]  # fmt: skip
    squared = np.clip(2.0 - 2.0 * _products(first, second, zeros) * inverse[0][:, None] * inverse[1], 0.0, 4.0)
    one, other = np.nonzero(squared < ANGLE_CANCELLATION)
    squared[one, other] = _of_pairs(first, second, one, other, inverse)
    squared[squared <= ((first.n_features + 16) * np.finfo(np.float64).eps) ** 2] = 0.0
    return squared


def _lengths(table: Matrix, origin: FloatArray) -> FloatArray:
    found = np.zeros(table.n_samples)
    for columns in table.tiles():
        tile = table.tile(columns) - origin[columns]
        found += np.einsum("ij,ij->i", tile, tile)
    return found


def _of_pairs(
    first: Matrix, second: Matrix, one: IntArray, other: IntArray, factors: Sequence[FloatArray] | None = None
) -> FloatArray:
    """Compute squared distances of pairs of rows, times a factor each, from their differences."""
    found = np.empty(one.size)
    for pairs in slices(one.size, PAIRS):
        a, b = (table.block(rows[pairs], slice(None)).astype(np.float64)
                for table, rows in ((first, one), (second, other)))  # fmt: skip
        if factors is not None:
            a, b = a * factors[0][one[pairs], None], b * factors[1][other[pairs], None]
        a -= b
        found[pairs] = np.einsum("ij,ij->i", a, a)
    return found


def _listed(squared: FloatArray, start: int, count: int) -> Lists:
    """List the nearest of the samples from ``start`` on for every row; a sample itself is infinitely far away."""
    places = smallest_per_row(squared, min(count, squared.shape[1]))
    return places + start, np.take_along_axis(squared, places, axis=1)


def _nearest(count: int, lists: Sequence[Lists]) -> Lists:
    """Make one list of the nearest of several, sorted by sample; ties go to the lower one."""
    samples, squared = (np.concatenate(values, axis=1) for values in zip(*lists, strict=True))
    places = nearest_of(squared, samples, min(count, samples.shape[1]))
    return ordered_by_sample(squared, samples, places)

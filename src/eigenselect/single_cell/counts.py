"""Raw counts: in these a cell's depth decides, so that a verb warns of them; and how many cells express a gene."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from eigenselect._typing import AnyArray, FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.matrix import DaskMatrix, Matrix

#: values looked at together
VALUES = 2**20


def warn_of_raw_counts(table: Matrix, name: str, owner: str) -> None:
    """Warn where values are whole numbers, none negative, that tell more than presence."""
    if said := said_of_raw_counts(table, name):
        warn(f"{owner}: {said}.", UserWarning)


def said_of_raw_counts(table: Matrix, name: str) -> str:
    """Say that values are raw counts, and what to do; empty where they are none.

    >>> said_of_raw_counts(Matrix(np.array([[0.0, 3], [1, 2]])), "X").split(",")[0]
    'X holds raw counts (whole numbers up to 3)'
    """
    largest = largest_count(table)
    if largest <= 1:
        return ""
    return (
        f"{name} holds raw counts (whole numbers up to {largest:g}), in which a cell's depth counts more than its "
        "genes; run `pp.normalize_total` and `pp.log1p` first, or name a layer that holds logarithms"
    )


def refuse_empty(expressed: AnyArray, name: str, owner: str) -> None:
    """Refuse a table in which no cell expresses any gene, such as a layer that was never filled."""
    if not expressed.size:
        raise ValueError(f"{owner}: {name} has no genes; give at least one.")
    if not expressed.any():
        raise ValueError(f"{owner}: {name} is empty, every value is zero; name a layer that holds values.")


def largest_count(table: Matrix) -> float:
    """Return the largest value of a table of counts; 0 where some value is negative or no whole number.

    A table of other numbers is told by its first values, so that only counts are looked at as a whole. Beyond 2⁵³ every
    float is a whole number, and none is a count.

    >>> largest_count(Matrix(np.array([[0.0, 3], [1, 2]]))), largest_count(Matrix(np.array([[0.5, 3]])))
    (3.0, 0.0)
    """
    found = table.by_chunks(_largest_of_chunk, combine=max) if isinstance(table, DaskMatrix) else [_largest(table)]
    return max(found) if max(found) <= 2.0**53 else 0.0


def _largest(table: Matrix) -> float:
    """Return the largest count; infinity where some value is none."""
    largest = 0.0
    for values in _values(table):
        if values.dtype.kind == "b" or (values < 0).any() or not (values == np.floor(values)).all():
            return np.inf
        largest = max(largest, float(values.max(initial=0)))
    return largest


def _largest_of_chunk(table: Matrix, rows: slice, columns: slice) -> float:
    return _largest(table)


def n_expressed(table: Matrix) -> IntArray:
    """Count the cells in which each gene is not zero.

    >>> n_expressed(Matrix(np.array([[0.0, 3, -1], [0, 2, 0]])))
    array([0, 2, 1])
    """
    if isinstance(table, DaskMatrix):
        return np.concatenate(table.by_chunks(_expressed_in_chunk, combine=_added))
    if table.in_memory and sparse.issparse(table.raw):
        return _stored_non_zeros(table.raw)
    blocks = [table.raw] if table.in_memory else table.row_blocks()
    return np.sum([np.count_nonzero(block, axis=0) for block in blocks], axis=0, dtype=np.int64)


def expressed_or_nan(table: Matrix) -> FloatArray | IntArray:
    """Count as `n_expressed`; NaN for all genes if some value is below zero: centred values are not expression.

    >>> expressed_or_nan(Matrix(np.array([[0.0, 3, -1], [0, 2, 0]])))
    array([nan, nan, nan])
    """
    found = table.by_chunks(_below_zero, combine=any) if isinstance(table, DaskMatrix) else [_below_zero(table)]
    return np.full(table.n_features, np.nan) if any(found) else n_expressed(table)


def _below_zero(table: Matrix, *place: slice) -> bool:
    return any((values < 0).any() for values in _values(table))


def _expressed_in_chunk(table: Matrix, rows: slice, columns: slice) -> IntArray:
    return n_expressed(table)


def _added(parts: list[IntArray]) -> IntArray:
    return np.sum(parts, axis=0, dtype=np.int64)


def _stored_non_zeros(raw: sparse.csr_array | sparse.csc_array) -> IntArray:
    """Count the entries of each column; a zero that is stored is none, one that is stored twice is one."""
    if not raw.has_canonical_format:
        raw = raw.copy()
        raw.sum_duplicates()
    if not raw.data.all():
        raw = raw.copy()
        raw.eliminate_zeros()
    if raw.format == "csc":
        return np.diff(raw.indptr).astype(np.int64)
    counts = np.zeros(raw.shape[1], dtype=np.int64)
    for start in range(0, raw.nnz, VALUES):  # bincount makes integers of 64 bits of all that it is given
        counts += np.bincount(raw.indices[start : start + VALUES], minlength=raw.shape[1])
    return counts


def _values(table: Matrix) -> Iterator[AnyArray]:
    """Yield some values after the other; of sparse tables only the stored ones."""
    if not table.in_memory:
        yield from table.row_blocks()
        return
    values = table.raw.data if sparse.issparse(table.raw) else np.asarray(table.raw)
    step = max(1, VALUES * len(values) // max(1, values.size))
    for start in range(0, len(values), step):
        yield values[start : start + step]

"""Parts of the terms of a feature, one from each chunk of rows, and how workers pool them.

The tree in which they are pooled has a fixed order: bits do not depend on which task ends first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.engine import COMPILED, loops_chosen
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.matrix import DaskMatrix
from eigenselect.matrix.dask_passes import check_said, combined, sent


@dataclass(frozen=True)
class PooledTerms:
    """What some rows add to the terms of every feature, in k groups of samples.

    Attributes
    ----------
    weight : ndarray of shape (k,)
        Sums of the mass.
    mean, spread : ndarray of shape (k, n_features)
        m-weighted means, and Σ m_i (f_i - mean)².
    quadratic : ndarray of shape (…, n_features)
        What is only summed.

    Examples
    --------
    >>> first = PooledTerms(np.ones(1), np.array([[0.0]]), np.array([[0.0]]), np.zeros(1))
    >>> second = PooledTerms(np.ones(1), np.array([[2.0]]), np.array([[0.0]]), np.zeros(1))
    >>> both = pooled([first, second])
    >>> both.mean, both.spread
    (array([[1.]]), array([[2.]]))
    """

    weight: FloatArray
    mean: FloatArray
    spread: FloatArray
    quadratic: FloatArray

    def plus(self, other: PooledTerms) -> PooledTerms:
        """Pool two parts by how far apart their means are: only squares are added, so nothing cancels."""
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)[:, None]
        with np.errstate(over="ignore", invalid="ignore"):  # what leaves the range is measured again
            apart = other.mean - self.mean
            spread = self.spread + other.spread + apart**2 * (self.weight[:, None] * share)
            return PooledTerms(weight, self.mean + apart * share, spread, self.quadratic + other.quadratic)


def pooled(parts: Sequence[PooledTerms]) -> PooledTerms:
    """Pool the parts one after the other."""
    return reduce(PooledTerms.plus, parts)


def side_by_side(parts: Sequence[PooledTerms]) -> FeatureTerms:
    """Put the terms of all chunks of columns side by side."""
    quadratic, spread, mean = (
        np.concatenate(values)
        for values in zip(*((part.quadratic, part.spread[0], part.mean[0]) for part in parts), strict=True)
    )
    return FeatureTerms(quadratic, spread, mean, float(parts[0].weight[0]))


def pool_chunks(
    table: DaskMatrix,
    task: Callable[..., PooledTerms],
    arguments: Sequence[tuple[Any, ...]],
    halos: Sequence[IntArray] | None = None,
    per_column: FloatArray | None = None,
) -> list[PooledTerms]:
    """Run ``task(chunk, halo, *arguments[i])`` on every chunk; return what they add up to, by chunk of columns.

    Parameters
    ----------
    task : callable
    arguments : sequence of tuple
        What belongs to each chunk of rows: sent as one task each.
    halos : sequence of array, optional
        Rows of other chunks that each needs.
    per_column : ndarray of shape (n_features,), optional
        Last argument of the task, cut to the columns of the chunk.
    """
    from dask.delayed import delayed

    run, chunks, rows = delayed(_run), table.raw.to_delayed(), table.row_slices
    pieces = [sent(own) for own in arguments]
    found = []
    for j, columns in enumerate(table.column_slices):
        last = [] if per_column is None else [sent(per_column[columns])]
        parts = [
            run(
                task,
                chunks[i, j],
                (rows[i].stop - rows[i].start, columns.stop - columns.start),
                table.dtype,
                [] if halos is None else _cut_out(chunks[:, j], rows, halos[i]),
                COMPILED.get(),
                pieces[i],
                *last,
            )
            for i in range(len(rows))
        ]
        found.append(combined(parts, pooled))
    return table.computed(found)


def _run(
    task: Callable[..., PooledTerms],
    chunk: Any,
    shape: tuple[int, int],
    dtype: Any,
    halo: Sequence[Any],
    compiled: bool | None,
    own: tuple[Any, ...],
    *last: Any,
) -> Any:
    check_said(chunk, shape, dtype)
    with single_threaded_blas(), loops_chosen(compiled):
        return task(chunk, halo, *own, *last)


def _cut_out(chunks: Any, rows: Sequence[slice], wanted: IntArray) -> list[Any]:
    """Take rows out of the chunks that hold them, lazily and where these are."""
    from dask.delayed import delayed

    take = delayed(_taken_rows)
    starts = np.array([part.start for part in rows])
    owner = np.searchsorted(starts, wanted, side="right") - 1
    return [take(chunks[i], wanted[owner == i] - starts[i]) for i in np.unique(owner)]


def _taken_rows(chunk: Any, rows: IntArray) -> Any:
    return chunk[rows]

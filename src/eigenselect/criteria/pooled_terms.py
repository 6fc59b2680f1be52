"""Parts of the terms of a feature, one from each chunk of rows, and how workers pool them.

The tree in which they are pooled has a fixed order: bits do not depend on which task ends first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.engine import COMPILED, loops_chosen
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.matrix.dask_jobs import ChunkJob


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


def pooled(parts: Sequence[Any]) -> Any:
    """Pool the parts one after the other: `PooledTerms`, or what else says what it is ``plus`` another."""
    return reduce(lambda one, other: one.plus(other), parts)


def side_by_side(parts: Sequence[PooledTerms]) -> FeatureTerms:
    """Put the terms of all chunks of columns side by side."""
    quadratic, spread, mean = (
        np.concatenate(values)
        for values in zip(*((part.quadratic, part.spread[0], part.mean[0]) for part in parts), strict=True)
    )
    return FeatureTerms(quadratic, spread, mean, float(parts[0].weight[0]))


def pool_chunks(
    table: DaskMatrix,
    task: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    halos: Sequence[IntArray] | None = None,
    per_column: FloatArray | None = None,
    finish: Callable[[Any], Any] | None = None,
) -> list[Any]:
    """Run ``task(chunk, halo, *arguments[i])`` on every chunk; return what they add up to, by chunk of columns.

    A chunk is a `Matrix`; a result is anything that `pooled` pools.

    Parameters
    ----------
    task : callable
    arguments : sequence of tuple
        What belongs to each chunk of rows: sent as one task each.
    halos : sequence of array, optional
        Rows of other chunks that each needs.
    per_column : ndarray of shape (n_features,), optional
        Last argument of the task, cut to the columns of the chunk.
    finish : callable, optional
        Makes what is returned of what the chunks add up to, on a worker.
    """
    halos = [np.empty(0, dtype=np.intp) for _ in arguments] if halos is None else halos
    run = partial(_run, task, COMPILED.get())
    return table.passed(ChunkJob(run, pooled, halos=halos, by_row=arguments, by_column=per_column, finish=finish))


def _run(
    task: Callable[..., Any],
    compiled: bool | None,
    chunk: Matrix,
    rows: slice,
    columns: slice,
    halo: Sequence[Any],
    own: tuple[Any, ...],
    *last: Any,
) -> Any:
    with loops_chosen(compiled):
        return task(chunk, halo, *own, *last)

"""Sums over centred tiles of chunks of rows: what the second pass over a Dask array adds up.

Powers of P, few eigenvectors and class sums: each chunk gives its part from its own rows and those of its halo.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria import loops_numpy
from eigenselect.criteria.engine import Engine
from eigenselect.criteria.forms import Form, KernelForm, PowerForm
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.criteria.pooled_terms import PooledTerms, pool_chunks
from eigenselect.criteria.spectral_forms import FEW_VECTORS, ChebyshevForm, FactorForm
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.graph.row_parts import MOST_MOVED, GraphPart, reach
from eigenselect.matrix import DaskMatrix
from eigenselect.matrix.dask_passes import as_table


class Summand(Protocol):
    """What the centred rows of a chunk and of its halo add to sums."""

    def prepared(self, n_features: int) -> Callable[[FloatArray], FloatArray]:
        """Return the function of a centred tile; its result has a column for each of the tile's."""


@dataclass(frozen=True)
class Chain:
    """A form of powers of P, whose products are right on the rows of the chunk."""

    part: GraphPart
    form: Form

    def prepared(self, n_features: int) -> Callable[[FloatArray], FloatArray]:
        engine = PartEngine.for_work(self.part, n_features)
        return lambda tile: self.form.evaluate(tile, engine)


class PartEngine(Engine):
    """Products on a chunk and its halo; inner products count the chunk only."""

    def inner(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Compute ⟨u, v⟩ over the rows of the chunk."""
        return np.asarray(self.loops.inner(self.graph.counted, first, second))  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Projections:
    """Uᵀg for few vectors, and Σ a_i g_i²."""

    vectors: Any
    weights: FloatArray

    def prepared(self, n_features: int) -> Callable[[FloatArray], FloatArray]:
        vectors = self.vectors.T

        def of_tile(tile: FloatArray) -> FloatArray:
            return np.vstack([vectors @ tile, loops_numpy.inner(self.weights, tile, tile)])

        return of_tile


@dataclass(frozen=True)
class CentredSums:
    """A form as a function of sums over chunks.

    Attributes
    ----------
    summands : list of Summand
        One per chunk.
    halos : list of array
        Rows of other chunks that each needs.
    finish : callable
        Makes the form of the sums.
    """

    summands: list[Any]
    halos: list[IntArray]
    finish: Callable[[FloatArray], FloatArray]


def centred_sums(graph: SampleGraph, form: Form, chunks: Sequence[slice]) -> CentredSums | None:
    """Choose what the second pass sums; None where only whole columns will do."""
    nothing = [np.empty(0, dtype=np.intp) for _ in chunks]
    if isinstance(form, FactorForm) and form.weights.size <= FEW_VECTORS:
        zeros = np.zeros(graph.n_samples)
        parts = [Projections(form.basis[rows], zeros[rows]) for rows in chunks]
        return CentredSums(parts, nothing, lambda sums: form.weights @ sums[:-1] ** 2)
    if isinstance(form, KernelForm) and isinstance(form.kernel, ClassMeans):
        classes = form.kernel
        parts = [Projections(classes.member[rows], form.diagonal[rows]) for rows in chunks]
        factor = form.factor
        return CentredSums(parts, nothing, lambda sums: factor * (1.0 / classes.sizes @ sums[:-1] ** 2 + sums[-1]))
    hops = _hops(form) if graph.is_sparse else None
    halos = None if hops is None else _halos(graph, chunks, hops)
    if halos is None:
        return None
    chains = [Chain(GraphPart(graph, rows, halo), form) for rows, halo in zip(chunks, halos, strict=True)]
    return CentredSums(chains, halos, lambda sums: sums)


def _hops(form: Form) -> int | None:
    """Return how many edges away from a chunk its part of a form of powers of P looks; None for other forms."""
    if isinstance(form, PowerForm):
        return (form.exponent + 1) // 2
    return len(form.series.coefficients) // 2 if isinstance(form, ChebyshevForm) else None


def _halos(graph: SampleGraph, chunks: Sequence[slice], hops: int) -> list[IntArray] | None:
    """Find the halo of every chunk; None as soon as they hold more rows than chunks of columns would move."""
    halos, moved = [], 0
    for rows in chunks:
        halos.append(reach(graph.affinity, rows, hops))
        moved += halos[-1].size
        if moved > MOST_MOVED * graph.n_samples:
            return None
    return halos


def centred_terms(table: DaskMatrix, moments: FeatureTerms, sums: CentredSums) -> FeatureTerms:
    """Sum over the centred tiles of every chunk."""
    tasks = [(summand,) for summand in sums.summands]
    parts = pool_chunks(table, _chunk_sums, tasks, sums.halos, moments.mean)
    with np.errstate(over="ignore", invalid="ignore"):
        quadratic = [np.asarray(sums.finish(part.quadratic)) for part in parts]
    return replace(moments, quadratic=np.concatenate(quadratic))


def _chunk_sums(chunk: Any, halo: Sequence[Any], summand: Summand, mean: FloatArray) -> PooledTerms:
    tables = [as_table(part) for part in (chunk, *halo)]
    compute = summand.prepared(mean.size)
    found = []
    with np.errstate(over="ignore", invalid="ignore"):
        for columns in tables[0].tiles():
            tile = np.concatenate([table.tile(columns) for table in tables])
            tile -= mean[columns]
            found.append(compute(tile))
    nothing = np.zeros((1, mean.size))
    return PooledTerms(np.zeros(1), nothing, nothing, np.concatenate(found, axis=-1))

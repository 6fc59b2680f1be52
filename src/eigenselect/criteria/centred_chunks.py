"""Sums over tiles of chunks of rows with their halos: powers and series of P on a Dask array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.engine import Engine
from eigenselect.criteria.forms import Form, PowerForm
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.criteria.pooled_terms import PooledTerms, pool_chunks
from eigenselect.criteria.spectral_forms import ChebyshevForm
from eigenselect.graph import SampleGraph
from eigenselect.graph.row_parts import MOST_MOVED, GraphPart, reach
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.matrix.dask_passes import as_table


@dataclass(frozen=True)
class Chain:
    """A form of powers of P, whose products are right on the rows of the chunk."""

    part: GraphPart
    form: Form

    def prepared(self, n_features: int) -> Callable[[FloatArray], FloatArray]:
        """Return the function of a centred tile; its result has a number for each of the tile's columns."""
        engine = PartEngine.for_work(self.part, n_features)
        return lambda tile: self.form.evaluate(tile, engine)


class PartEngine(Engine):
    """Products on a chunk and its halo; inner products count the chunk only."""

    def inner(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Compute ⟨u, v⟩ over the rows of the chunk."""
        return np.asarray(self.loops.inner(self.graph.counted, first, second))  # type: ignore[attr-defined]

    @property
    def is_compiled(self) -> bool:
        """False: compiled series count all samples of a graph, the halo too; products are those of the loops."""
        return False


@dataclass(frozen=True)
class ChainedSums:
    """A form as a sum over chunks.

    Attributes
    ----------
    summands : list of Chain
        One per chunk.
    halos : list of array
        Rows of other chunks that each needs.
    """

    summands: list[Chain]
    halos: list[IntArray]


def chained_sums(graph: SampleGraph, form: Form, chunks: Sequence[slice]) -> ChainedSums | None:
    """Cut a form of powers of P along chunks; None where only whole columns will do."""
    hops = _hops(form) if graph.is_sparse else None
    halos = None if hops is None else _halos(graph, chunks, hops)
    if halos is None:
        return None
    chains = [Chain(GraphPart(graph, rows, halo), form) for rows, halo in zip(chunks, halos, strict=True)]
    return ChainedSums(chains, halos)


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


def centred_terms(table: DaskMatrix, moments: FeatureTerms, sums: ChainedSums) -> FeatureTerms:
    """Sum over the centred tiles of every chunk: a second pass, once the means are known."""
    tasks = [(chain,) for chain in sums.summands]
    parts = pool_chunks(table, _chunk_sums, tasks, sums.halos, moments.mean)
    return replace(moments, quadratic=np.concatenate([part.quadratic for part in parts]))


def _chunk_sums(chunk: Matrix, halo: Sequence[Any], chain: Chain, mean: FloatArray) -> PooledTerms:
    nothing = np.zeros((1, mean.size))
    return PooledTerms(np.zeros(1), nothing, nothing, summed_tiles(chunk, halo, chain, mean))


def summed_tiles(chunk: Matrix, halo: Sequence[Any], chain: Chain, mean: FloatArray) -> FloatArray:
    """Compute what a chunk and its halo add to the form, in tiles of columns less some mean."""
    tables = [chunk, *(as_table(part) for part in halo)]
    compute, found = chain.prepared(mean.size), []
    with np.errstate(over="ignore", invalid="ignore"):
        for columns in chunk.tiles():
            tile = np.concatenate([table.tile(columns) for table in tables])
            tile -= mean[columns]
            found.append(compute(tile))
    return np.concatenate(found, axis=-1)

"""f̂ᵀŜf̂ of a Dask array in chunks of rows, each chunk where it is: no chunk of columns is ever put together.

Every chunk gives a part of the sums, `PooledTerms`, and the workers pool these in a tree of fixed order, so bits do not
depend on which task ends first. A chunk sees, beside its own rows, only its halo: the rows that its edges lead to
(`eigenselect.graph.row_parts`), which are cut out where they are. A piece of the sample graph goes to a chunk as a
task, which Dask makes again when a worker dies. One pass over the table gives differences along edges, powers of P,
which see no constant, scatters of classes, and linear sums and squares, which are moved from the mean of a chunk to the
common one when they are pooled. Only a series of P takes the means first, and a second pass over centred tiles.

`row_terms` returns None where another route is cheaper or the only one: a graph whose edges lead everywhere would move
more rows than the table has, and a dense similarity or very many eigenvectors need whole columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.centred_chunks import Chain, centred_terms, chained_sums, summed_tiles
from eigenselect.criteria.engine import COMPILED, loops_chosen
from eigenselect.criteria.forms import AbsoluteForm, Form, IdentityForm, KernelForm, PowerForm
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.criteria.pooled_terms import PooledTerms, pool_chunks, side_by_side
from eigenselect.criteria.projected_chunks import PooledSums, ProjectedSums, Projections, projected_sums
from eigenselect.criteria.quadratic import terms_in_memory
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.graph.row_parts import MOST_MOVED, OwnEdges
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.matrix.dask_jobs import ChunkJob
from eigenselect.matrix.dask_passes import as_table, stacked

#: mean² vol / spread from which the means of chunks, as numbers with 16 digits, are too coarse to be compared
LARGE_MEAN = 1e8


def chunk_terms(table: DaskMatrix, graph: SampleGraph, form: Form) -> FeatureTerms:
    """Compute the terms of a Dask array, by the chunks of rows that it has or by columns, in its own unit."""
    terms = row_terms(table, graph, form) if len(table.row_slices) > 1 else None
    return column_terms(table, graph, form) if terms is None else terms


def row_terms(table: DaskMatrix, graph: SampleGraph, form: Form) -> FeatureTerms | None:
    """Compute the terms of a table in chunks of rows, in its unit; None where that is not the way.

    Features with a mean thousands of times their deviation are measured again in whole columns.
    """
    terms = _row_terms(table, graph, form)
    if terms is None:
        return None
    coarse = _coarse(terms, form == PowerForm(1) and isinstance(graph.affinity, ClassMeans))
    if coarse.size:
        terms.put(coarse, column_terms(table.take_columns(coarse), graph, form))
    return terms


def _coarse(terms: FeatureTerms, of_classes: bool) -> IntArray:
    """Find features with means, those of classes included, that are large beside the deviations from them."""
    deviations = np.minimum(terms.quadratic, terms.spread) if of_classes else terms.spread
    with np.errstate(over="ignore", invalid="ignore"):
        return np.flatnonzero((deviations > 0) & (terms.trivial + terms.spread > LARGE_MEAN * deviations))


def column_terms(table: Any, graph: SampleGraph, form: Form) -> FeatureTerms:
    """Compute the terms in blocks of columns with all rows, which workers put together where a table is on some."""
    if table.in_memory:
        return terms_in_memory(table, graph, form)
    if table.has_whole_columns:
        job = ChunkJob(_terms_of_chunk, _only, (graph, form, COMPILED.get()))
        return FeatureTerms.side_by_side(table.passed(job))
    quadratic, spread, mean = (np.empty(table.n_features) for _ in range(3))
    terms = FeatureTerms(quadratic, spread, mean, graph.volume)
    for columns, found in table.by_columns(_terms_of_columns, graph, form, COMPILED.get()):
        terms.put(columns, found)
    return terms


def _terms_of_chunk(table: Matrix, rows: slice, columns: slice, *rest: Any) -> FeatureTerms:
    return _terms_of_columns(table, *rest)


def _only(parts: list[Any]) -> Any:
    (part,) = parts
    return part


def _terms_of_columns(table: Matrix, graph: SampleGraph, form: Form, compiled: bool | None) -> FeatureTerms:
    with loops_chosen(compiled):
        return terms_in_memory(table, graph, form)


def _row_terms(table: DaskMatrix, graph: SampleGraph, form: Form) -> FeatureTerms | None:
    if isinstance(form, IdentityForm):
        terms = _moments(table, graph)
        return replace(terms, quadratic=terms.spread.copy())
    if isinstance(graph.affinity, ClassMeans) and form == PowerForm(1):
        return _class_terms(table, graph)
    if graph.is_sparse and isinstance(form, PowerForm | AbsoluteForm) and form.takes_differences(graph):
        return _difference_terms(table, graph, form)
    if isinstance(form, KernelForm) and sparse.issparse(form.kernel):
        return _kernel_terms(table, graph, form)
    projected = projected_sums(graph, form, table.row_slices)
    if projected is not None:
        tasks = [(graph.mass[rows], part) for rows, part in zip(table.row_slices, projected.parts, strict=True)]
        return side_by_side(pool_chunks(table, _chunk_projections, tasks, finish=projected.finished))
    chains = chained_sums(graph, form, table.row_slices)
    if chains is None:
        return None
    if isinstance(form, PowerForm):
        powers = [(graph.mass[rows], chain) for rows, chain in zip(table.row_slices, chains.summands, strict=True)]
        return side_by_side(pool_chunks(table, _chunk_powers, powers, chains.halos))
    return centred_terms(table, _moments(table, graph), chains)


# -- one pass ---------------------------------------------------------------------------------


def _chunk_projections(chunk: Matrix, halo: Sequence[Any], mass: FloatArray, part: Projections) -> PooledSums:
    return PooledSums.of(chunk, _chunk_moments(chunk, (), mass), part)


def _chunk_powers(chunk: Matrix, halo: Sequence[Any], mass: FloatArray, chain: Chain) -> PooledTerms:
    """Compute powers of P on a chunk and its halo less the mean of the chunk: P is 0 on what is constant."""
    own = _chunk_moments(chunk, (), mass)
    return replace(own, quadratic=summed_tiles(chunk, halo, chain, own.mean[0]))


def _moments(table: DaskMatrix, graph: SampleGraph) -> FeatureTerms:
    """Compute means and spreads alone."""
    tasks = [(graph.mass[rows],) for rows in table.row_slices]
    return side_by_side(pool_chunks(table, _chunk_moments, tasks))


def _chunk_moments(chunk: Matrix, halo: Sequence[Any], mass: FloatArray) -> PooledTerms:
    empty = sparse.csr_array((mass.size, mass.size))
    return _counted(chunk, mass, SampleGraph(empty, mass=_some_mass(mass)), IdentityForm())


def _difference_terms(table: DaskMatrix, graph: SampleGraph, form: Form) -> FeatureTerms | None:
    """Sum over the edges of every chunk, and over those from it to later ones."""
    parts = _own_edges(graph, table.row_slices)
    if parts is None:
        return None
    tasks = [(graph.mass[edges.rows], edges, form) for edges in parts]
    return side_by_side(pool_chunks(table, _chunk_differences, tasks, [edges.halo for edges in parts]))


def _own_edges(graph: SampleGraph, chunks: Sequence[slice]) -> list[OwnEdges] | None:
    """Cut the edges of every chunk out of a graph; None where they lead to more rows than columns would move."""
    parts, moved = [], 0
    for rows in chunks:
        parts.append(OwnEdges.of(graph.affinity, rows))
        moved += parts[-1].halo.size
        if moved > MOST_MOVED * graph.n_samples:
            return None
    return parts


def _chunk_differences(
    chunk: Matrix, halo: Sequence[Any], mass: FloatArray, edges: OwnEdges, form: Form
) -> PooledTerms:
    own = _counted(chunk, mass, SampleGraph(edges.inner, mass=_some_mass(mass), signed=True), form)
    if not edges.rim.size:
        return own
    ends = as_table(stacked([chunk.raw[edges.rim], *halo], 0))
    across = SampleGraph(edges.across, mass=np.ones(ends.n_samples), signed=True)
    return replace(own, quadratic=own.quadratic + terms_in_memory(ends, across, form).quadratic)


def _class_terms(table: DaskMatrix, graph: SampleGraph) -> FeatureTerms:
    """Pool the moments of every class; within and between scatter follow from these."""
    classes = graph.affinity
    tasks = [(classes.codes[rows], classes.sizes.size) for rows in table.row_slices]
    found = []
    for part in pool_chunks(table, _chunk_classes, tasks):
        with np.errstate(over="ignore", invalid="ignore"):
            between, mean = classes.between(part.mean, np.zeros_like(part.mean))
            within = part.spread.sum(axis=0)
        found.append((within, (within + between) * (graph.volume / graph.n_samples), mean))
    within, spread, mean = (np.concatenate(values) for values in zip(*found, strict=True))
    return FeatureTerms(within, spread, mean, graph.volume)


def _chunk_classes(chunk: Matrix, halo: Sequence[Any], codes: IntArray, n_classes: int) -> PooledTerms:
    """Compute the moments of every class that has rows in the chunk."""
    total = PooledTerms(
        np.bincount(codes, minlength=n_classes).astype(np.float64),
        np.zeros((n_classes, chunk.n_features)),
        np.zeros((n_classes, chunk.n_features)),
        np.zeros(chunk.n_features),
    )
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        part = _chunk_moments(chunk.take_rows(members), (), np.ones(members.size))
        total.mean[code], total.spread[code] = part.mean[0], part.spread[0]
    return total


def _counted(chunk: Matrix, mass: FloatArray, graph: SampleGraph, form: Form) -> PooledTerms:
    """Compute the terms of a chunk on a graph over its rows, which count by their mass."""
    terms = terms_in_memory(chunk, graph, form)
    counts = 1.0 if mass.any() else 0.0
    return PooledTerms(mass.sum()[None], counts * terms.mean[None], counts * terms.spread[None], terms.quadratic)


def _some_mass(mass: FloatArray) -> FloatArray:
    """Return ones in place of a mass of zeros only, which has no mean."""
    return mass if mass.any() else np.ones_like(mass)


def _kernel_terms(table: DaskMatrix, graph: SampleGraph, form: KernelForm) -> FeatureTerms | None:
    """Take squares and differences: gᵀKg = Σ_i (K1)_i g_i² - Σ_{i<j} K_ij (f_i - f_j)²."""
    kernel = SampleGraph(form.kernel, mass=graph.mass, signed=True)
    parts = _own_edges(kernel, table.row_slices)
    if parts is None:
        return None
    weights = kernel.row_sums + form.diagonal
    squares = [Projections(np.empty((edges.inner.shape[0], 0)), weights[edges.rows]) for edges in parts]
    tasks = [(graph.mass[edges.rows], edges, part) for edges, part in zip(parts, squares, strict=True)]
    factor, halos = form.factor, [edges.halo for edges in parts]
    sums = ProjectedSums(squares, lambda linear, squared, energy: factor * (squared - energy))
    return side_by_side(pool_chunks(table, _chunk_kernel, tasks, halos, finish=sums.finished))


def _chunk_kernel(
    chunk: Matrix, halo: Sequence[Any], mass: FloatArray, edges: OwnEdges, part: Projections
) -> PooledSums:
    return PooledSums.of(chunk, _chunk_differences(chunk, halo, mass, edges, PowerForm(1)), part)

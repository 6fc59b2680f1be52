"""f̂ᵀŜf̂ of a Dask array in chunks of rows, each chunk where it is: no chunk of columns is ever put together.

Every chunk gives a part of the sums, `PooledTerms`, and the workers pool these in a tree of fixed order, so bits do not
depend on which task ends first. A chunk sees, beside its own rows, only its halo: the rows that its edges lead to
(`eigenselect.graph.row_parts`), which are cut out where they are. A piece of the sample graph goes to a chunk as a task,
which Dask makes again when a worker dies. What needs no mean (differences along edges, scatters of classes) takes one
pass over the table; the rest takes the means first, and a second pass over centred tiles.

`row_terms` returns None where another route is cheaper or the only one: a graph whose edges lead everywhere would move
more rows than the table has, and a dense similarity or very many eigenvectors need whole columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from scipy import sparse

from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria import loops_numpy
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.criteria.quadratic import (
    FEW_VECTORS,
    AbsoluteForm,
    ChebyshevForm,
    Engine,
    FactorForm,
    Form,
    IdentityForm,
    KernelForm,
    PowerForm,
    terms_in_memory,
)
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.graph.row_parts import GraphPart, OwnEdges, reach
from eigenselect.matrix.dask_passes import as_table, combined, computed, sent, stacked

if TYPE_CHECKING:
    from eigenselect.matrix.dask_table import DaskMatrix

#: rows of halos, relative to those of the table, up to which chunks of rows are scored where they are; to make chunks
#: of columns moves every row once
MOST_MOVED = 1.0
#: mean² vol / spread from which the means of chunks, as numbers with 16 digits, are too coarse to be compared
LARGE_MEAN = 1e8


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


def chunk_terms(table: DaskMatrix, graph: SampleGraph, form: Form) -> FeatureTerms:
    """Compute the terms of a Dask array, by the chunks of rows that it has or by columns, in its own unit."""
    terms = row_terms(table, graph, form) if len(table.row_slices) > 1 else None
    return column_terms(table, graph, form) if terms is None else terms


def row_terms(table: DaskMatrix, graph: SampleGraph, form: Form) -> FeatureTerms | None:
    """Compute the terms of a table in chunks of rows, in its unit; None where that is not the way.

    Features with a mean thousands of times their deviation are measured again in whole columns.
    """
    has_empty_chunks = any(rows.start == rows.stop for rows in table.row_slices)
    terms = None if has_empty_chunks else _row_terms(table, graph, form)
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
    sizes = (np.empty(table.n_features) for _ in range(3))
    terms = FeatureTerms(*sizes, graph.volume)
    for columns, found in table.by_columns(terms_in_memory, graph, form):
        terms.put(columns, found)
    return terms


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
    sums = _centred_sums(graph, form, table.row_slices)
    return None if sums is None else _centred_terms(table, _moments(table, graph), sums)


# -- one pass ---------------------------------------------------------------------------------


def _moments(table: DaskMatrix, graph: SampleGraph) -> FeatureTerms:
    """Compute means and spreads alone."""
    tasks = [(graph.mass[rows],) for rows in table.row_slices]
    return _one_group(_pool(table, _chunk_moments, tasks))


def _chunk_moments(chunk: Any, halo: Sequence[Any], mass: FloatArray) -> PooledTerms:
    empty = sparse.csr_array((mass.size, mass.size))
    return _counted(chunk, mass, SampleGraph(empty, mass=_some_mass(mass)), IdentityForm())


def _difference_terms(table: DaskMatrix, graph: SampleGraph, form: Form) -> FeatureTerms | None:
    """Sum over the edges of every chunk, and over those from it to later ones."""
    parts, moved = [], 0
    for rows in table.row_slices:
        parts.append(OwnEdges.of(graph.affinity, rows))
        moved += parts[-1].halo.size
        if moved > MOST_MOVED * graph.n_samples:
            return None
    tasks = [(graph.mass[edges.rows], edges, form) for edges in parts]
    return _one_group(_pool(table, _chunk_differences, tasks, [edges.halo for edges in parts]))


def _chunk_differences(
    chunk: Any, halo: Sequence[Any], mass: FloatArray, edges: OwnEdges, form: Form
) -> PooledTerms:
    own = _counted(chunk, mass, SampleGraph(edges.inner, mass=_some_mass(mass), signed=True), form)
    if not edges.rim.size:
        return own
    ends = as_table(stacked([chunk[edges.rim], *halo], 0))
    across = SampleGraph(edges.across, mass=np.ones(ends.n_samples), signed=True)
    return replace(own, quadratic=own.quadratic + terms_in_memory(ends, across, form).quadratic)


def _class_terms(table: DaskMatrix, graph: SampleGraph) -> FeatureTerms:
    """Pool the moments of every class; within and between scatter follow from these."""
    classes = graph.affinity
    tasks = [(classes.codes[rows], classes.sizes.size) for rows in table.row_slices]
    found = []
    for part in _pool(table, _chunk_classes, tasks):
        with np.errstate(over="ignore", invalid="ignore"):
            between, mean = classes.between(part.mean, np.zeros_like(part.mean))
            within = part.spread.sum(axis=0)
        found.append((within, (within + between) * (graph.volume / graph.n_samples), mean))
    return FeatureTerms(*(np.concatenate(values) for values in zip(*found, strict=True)), graph.volume)


def _chunk_classes(chunk: Any, halo: Sequence[Any], codes: IntArray, n_classes: int) -> PooledTerms:
    """Compute the moments of every class that has rows in the chunk."""
    table = as_table(chunk)
    total = PooledTerms(
        np.bincount(codes, minlength=n_classes).astype(np.float64),
        np.zeros((n_classes, table.n_features)),
        np.zeros((n_classes, table.n_features)),
        np.zeros(table.n_features),
    )
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        part = _chunk_moments(chunk[members], (), np.ones(members.size))
        total.mean[code], total.spread[code] = part.mean[0], part.spread[0]
    return total


def _counted(chunk: Any, mass: FloatArray, graph: SampleGraph, form: Form) -> PooledTerms:
    """Compute the terms of a chunk on a graph over its rows, which count by their mass."""
    terms = terms_in_memory(as_table(chunk), graph, form)
    counts = 1.0 if mass.any() else 0.0
    return PooledTerms(mass.sum()[None], counts * terms.mean[None], counts * terms.spread[None], terms.quadratic)


def _some_mass(mass: FloatArray) -> FloatArray:
    """Return ones in place of a mass of zeros only, which has no mean."""
    return mass if mass.any() else np.ones_like(mass)


# -- two passes -------------------------------------------------------------------------------


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


def _centred_sums(graph: SampleGraph, form: Form, chunks: Sequence[slice]) -> CentredSums | None:
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


def _centred_terms(table: DaskMatrix, moments: FeatureTerms, sums: CentredSums) -> FeatureTerms:
    """Sum over the centred tiles of every chunk."""
    tasks = [(summand,) for summand in sums.summands]
    parts = _pool(table, _chunk_sums, tasks, sums.halos, moments.mean)
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


def _kernel_terms(table: DaskMatrix, graph: SampleGraph, form: KernelForm) -> FeatureTerms | None:
    """Take squares and differences: gᵀKg = Σ_i (K1)_i g_i² - Σ_{i<j} K_ij (f_i - f_j)²."""
    edges = SampleGraph(form.kernel, mass=graph.mass, signed=True)
    energy = _difference_terms(table, edges, PowerForm(1))
    if energy is None:
        return None
    weights = edges.row_sums + form.diagonal
    chunks = table.row_slices
    parts = [Projections(np.empty((rows.stop - rows.start, 0)), weights[rows]) for rows in chunks]
    nothing = [np.empty(0, dtype=np.intp) for _ in chunks]
    squares = _centred_terms(table, energy, CentredSums(parts, nothing, lambda sums: sums[-1])).quadratic
    with np.errstate(over="ignore", invalid="ignore"):
        return replace(energy, quadratic=form.factor * (squares - energy.quadratic))


# -- tasks ------------------------------------------------------------------------------------


def _one_group(parts: Sequence[PooledTerms]) -> FeatureTerms:
    """Put the terms of all chunks of columns side by side."""
    quadratic, spread, mean = (
        np.concatenate(values)
        for values in zip(*((part.quadratic, part.spread[0], part.mean[0]) for part in parts), strict=True)
    )
    return FeatureTerms(quadratic, spread, mean, float(parts[0].weight[0]))


def _pool(
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
    from dask import delayed

    run, chunks, rows = delayed(_run), table.raw.to_delayed(), table.row_slices
    pieces = [sent(own) for own in arguments]
    found = []
    for j, columns in enumerate(table.column_slices):
        last = [] if per_column is None else [sent(per_column[columns])]
        parts = [
            run(task, chunks[i, j], [] if halos is None else _cut_out(chunks[:, j], rows, halos[i]), pieces[i], *last)
            for i in range(len(rows))
        ]
        found.append(combined(parts, pooled))
    return computed(found)


def _run(task: Callable[..., PooledTerms], chunk: Any, halo: Sequence[Any], own: tuple[Any, ...], *last: Any) -> Any:
    with single_threaded_blas():
        return task(chunk, halo, *own, *last)


def _cut_out(chunks: Any, rows: Sequence[slice], wanted: IntArray) -> list[Any]:
    """Take rows out of the chunks that hold them, lazily and where these are."""
    from dask import delayed

    take = delayed(_taken_rows)
    starts = np.array([part.start for part in rows])
    owner = np.searchsorted(starts, wanted, side="right") - 1
    return [take(chunks[i], wanted[owner == i] - starts[i]) for i in np.unique(owner)]


def _taken_rows(chunk: Any, rows: IntArray) -> Any:
    return chunk[rows]

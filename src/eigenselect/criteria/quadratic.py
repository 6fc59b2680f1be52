"""f̂ᵀŜf̂, the one place where it is computed.

A criterion's matrix A is a function of the normalised Laplacian, γ(N), or a kernel. With the random-walk Laplacian
P = M⁻¹L, which is self-adjoint in ⟨u, v⟩ = uᵀMv (M the mass of the graph), and g the feature minus its weighted mean,

    (M^1/2 g)ᵀ γ(N) (M^1/2 g) = ⟨g, γ(P) g⟩,

so no square root of a degree and no n × n matrix is needed. Features are taken in tiles of columns that fit the cache,
tiles are spread over threads. Features whose squares leave the range of floating point are divided by a power of two
and measured again. Two routes give the form of a tile:

* **operator**: powers and Chebyshev series of P, and kernels, by products (`PowerForm`, `ChebyshevForm`, `KernelForm`);
* **factor**: A = U diag(w) Uᵀ from eigenpairs (`FactorForm`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.dense_sums import dense_energy_terms
from eigenselect.criteria.engine import Engine, loops_chosen, repeated
from eigenselect.criteria.forms import AbsoluteForm, Form, IdentityForm, KernelForm, PowerForm
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.criteria.sparse_sums import sparse_moments
from eigenselect.criteria.spectral_forms import ChebyshevForm, FactorForm
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.matrix import DaskMatrix, Matrix, SparseMatrix, as_matrix
from eigenselect.matrix.base import TILES

#: columns of a run of a row that is read where it lies: memory likes long ones
RUN_COLUMNS = 2048
#: means of classes that a thread keeps at most
RUN_MEANS = 2**18

__all__ = [
    "AbsoluteForm", "ChebyshevForm", "Engine", "FactorForm", "Form", "IdentityForm", "KernelForm", "PowerForm",
    "feature_terms", "repeated", "terms_in_memory",
]  # fmt: skip


def feature_terms(X: Any, graph: SampleGraph, form: Form, *, n_jobs: int | None = None) -> FeatureTerms:
    """Compute ⟨g, A g⟩, ⟨g, g⟩ and the mean of every feature.

    Parameters
    ----------
    X : Matrix, ndarray (also a memory map) or sparse matrix of shape (n_samples, n_features)
        float32 is widened a tile at a time; a sparse X is never made dense as a whole.
    graph : SampleGraph
    form : Form
    n_jobs : int, optional
    """
    table = X if isinstance(X, Matrix) else as_matrix(X)
    engine = Engine.for_work(graph, table.n_features)
    return _terms(table, engine, form, n_jobs)


def terms_in_memory(table: Matrix, graph: SampleGraph, form: Form, n_jobs: int | None = 1) -> FeatureTerms:
    """Compute the terms of a table in memory in its own unit: what a worker does with its part of a large one."""
    return _terms(table, Engine.for_work(graph, table.n_features), form, n_jobs)


def _terms(table: Matrix, engine: Engine, form: Form, n_jobs: int | None) -> FeatureTerms:
    """Compute the terms in the unit of the table; what overflows or vanishes there shows in the spread."""
    if isinstance(table, DaskMatrix):
        from eigenselect.criteria.row_chunks import chunk_terms

        with loops_chosen(engine.is_compiled):
            return chunk_terms(table, engine.graph, form)
    with np.errstate(over="ignore", invalid="ignore"):
        found = _sparse_terms(table, engine, form, n_jobs) if table.is_sparse else None
    return _terms_by_tiles(table, engine, form, n_jobs) if found is None else found


def _sparse_terms(table: Matrix, engine: Engine, form: Form, n_jobs: int | None) -> FeatureTerms | None:
    """Compute the terms from the non-zeros, band by band in a file; None where the form needs dense tiles."""
    graph, n_features = engine.graph, table.n_features
    terms = FeatureTerms.empty(n_features, graph.volume)
    covered = np.zeros(n_features)
    for columns, band in table.bands():
        found = _band_terms(cast(SparseMatrix, band), engine, form, n_jobs)
        if found is None:
            return None
        terms.put(columns, found[0])
        covered[columns] = found[1]
    # Where the non-zeros hold most of the volume, what is left for the zeros would be a difference of large numbers.
    full = np.flatnonzero(covered > 0.5 * graph.volume)
    if full.size:
        terms.put(full, _terms_by_tiles(table.take_columns(full), engine, form, n_jobs))
    return terms


def _band_terms(
    band: SparseMatrix, engine: Engine, form: Form, n_jobs: int | None
) -> tuple[FeatureTerms, FloatArray | float] | None:
    """Compute the terms of a sparse table, and the volume that the non-zeros cover where it matters."""
    graph = engine.graph
    if _is_scatter(graph, form):
        return _scatter_terms(_class_scatter(band, engine, n_jobs), graph), 0.0
    quadratic = form.evaluate_sparse(band, engine, n_jobs)
    if quadratic is None:
        return None
    mean, spread, covered = sparse_moments(band, graph, engine, n_jobs)
    return FeatureTerms(quadratic, spread, mean, graph.volume), covered


def _class_scatter(band: SparseMatrix, engine: Engine, n_jobs: int | None) -> list[FloatArray]:
    """Compute scatter within and between classes, and means; of CSC, some columns at a time are turned into rows."""
    if band.raw.format == "csr":
        return list(engine.loops.sparse_class_scatter(engine.graph.affinity, band.raw))

    def compute(part: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        found = engine.loops.sparse_class_scatter(engine.graph.affinity, band.raw[:, part[0] : part[-1] + 1])
        return cast(tuple[FloatArray, FloatArray, FloatArray], found)

    found = map_blocks(compute, band.column_parts(), n_jobs)
    return [np.concatenate(values) for values in zip(*found, strict=True)]


def _terms_by_tiles(table: Matrix, engine: Engine, form: Form, n_jobs: int | None) -> FeatureTerms:
    """Compute the terms by dense tiles; of CSR, some columns at a time are turned into CSC, which tiles are cut of."""
    if not isinstance(table, SparseMatrix) or table.raw.format == "csc":
        return _dense_terms(table, engine, form, n_jobs)
    terms = FeatureTerms.empty(table.n_features, engine.graph.volume)
    for part in table.column_parts():
        terms.put(part, _dense_terms(table.take_columns(part), engine, form, n_jobs))
    return terms


def _dense_terms(table: Matrix, engine: Engine, form: Form, n_jobs: int | None) -> FeatureTerms:
    """Compute the terms of a dense or sparse table by dense tiles of columns."""
    if _is_scatter(engine.graph, form):
        return _dense_scatter(table, engine, n_jobs)
    if engine.is_compiled and engine.graph.is_sparse and form == PowerForm(1):
        return dense_energy_terms(table, engine, n_jobs)
    quadratic, spread, mean = (np.empty(table.n_features) for _ in range(3))
    differences = form.takes_differences(engine.graph)

    def compute(columns: slice) -> None:
        tile = engine.tile(table, columns)
        with np.errstate(over="ignore", invalid="ignore"):
            if differences:
                quadratic[columns] = form.evaluate(tile, engine)
            mean[columns], spread[columns] = engine.center(tile)
            if not differences:
                quadratic[columns] = form.evaluate(tile, engine)

    tiles, wanted = table.tiles(), form.tile_columns(table.n_samples)
    if tiles and tiles[0].stop < wanted:
        tiles = slices(table.n_features, wanted)
    map_blocks(compute, tiles, n_jobs)
    return FeatureTerms(quadratic, spread, mean, engine.graph.volume)


def _dense_scatter(table: Matrix, engine: Engine, n_jobs: int | None) -> FeatureTerms:
    """Compute scatter within and between classes where the table lies, in long runs of its rows, or by tiles."""
    graph = engine.graph
    whole = table.rows_of_floats()
    n_features = table.n_features
    terms = FeatureTerms.empty(n_features, graph.volume)

    def compute(columns: slice) -> None:
        values = engine.tile(table, columns) if whole is None else whole
        part = slice(0, columns.stop - columns.start) if whole is None else columns
        with np.errstate(over="ignore", invalid="ignore"):
            terms.put(columns, _scatter_terms(engine.loops.class_scatter(graph.affinity, values, part), graph))

    fair = -(-n_features // (8 * TILES)) * 8
    width = max(64, min(RUN_COLUMNS, RUN_MEANS // graph.affinity.sizes.size, fair))
    map_blocks(compute, table.tiles() if whole is None else slices(n_features, width), n_jobs)
    return terms


def _is_scatter(graph: SampleGraph, form: Form) -> bool:
    """Whether the form is the scatter within classes, which the means of the classes tell together with the spread."""
    return isinstance(graph.affinity, ClassMeans) and form == PowerForm(1)


def _scatter_terms(found: Sequence[FloatArray], graph: SampleGraph) -> FeatureTerms:
    """Make terms of the scatter within classes, between them, and the mean."""
    within, between, mean = found
    spread = (within + between) * (graph.volume / graph.n_samples)  # every sample has the same mass
    return FeatureTerms(within, spread, mean, graph.volume)

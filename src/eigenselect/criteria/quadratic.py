"""The quadratic form, the spread and the mean of every feature of a table, in any storage.

Features are taken in tiles of columns that fit the cache, tiles are spread over threads. Of a sparse table the
non-zeros alone are visited if the form can: with mean, spread and form as differences of sums over them. Columns of
which such a difference has lost digits are measured again by tiles, as are all columns for other forms. The workers of
a Dask array do the same with blocks of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from eigenselect._floats import lost_digits
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.forms import (
    ORDERED_SAMPLES,
    AbsoluteForm,
    ChebyshevForm,
    FactorForm,
    Form,
    IdentityForm,
    KernelForm,
    PowerForm,
)
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.graph.sample_graph import inner
from eigenselect.matrix import DaskMatrix, Matrix, SparseMatrix, as_matrix
from eigenselect.matrix.dask_summary import Moments, extremes_and_moments, pooled_moments

#: multiply-adds (edges × features) from which compiled loops are worth their import
COMPILED_WORK = 3e7
#: columns for which an edge is looked up once, and the most bytes of a tile of so many
EDGE_COLUMNS, EDGE_BYTES = 64, 2**26

__all__ = [
    "AbsoluteForm", "ChebyshevForm", "FactorForm", "Form", "IdentityForm", "KernelForm", "PowerForm",
    "center", "feature_terms",
]  # fmt: skip


@dataclass(frozen=True)
class FeatureTerms:
    """Per feature: q = gᵀ M^1/2 A M^1/2 g of some matrix A, the spread gᵀMg and the mean; and the graph's volume.

    Examples
    --------
    >>> FeatureTerms(np.array([1.0]), np.array([4.0]), np.array([0.0]), volume=4.0).deviation
    array([1.])
    """

    quadratic: FloatArray
    spread: FloatArray
    mean: FloatArray
    volume: float

    @classmethod
    def empty(cls, n_features: int, volume: float) -> FeatureTerms:
        """Make room for the terms of so many features, which `put` fills."""
        quadratic, spread, mean = (np.empty(n_features) for _ in range(3))
        return cls(quadratic, spread, mean, volume)

    @classmethod
    def side_by_side(cls, parts: Sequence[FeatureTerms]) -> FeatureTerms:
        """Put the terms of several blocks of features together."""
        values = zip(*((part.quadratic, part.spread, part.mean) for part in parts), strict=True)
        quadratic, spread, mean = map(np.concatenate, values)
        return cls(quadratic, spread, mean, parts[0].volume)

    def put(self, columns: IntArray | slice, again: FeatureTerms) -> None:
        """Replace the terms of some features."""
        self.quadratic[columns], self.spread[columns], self.mean[columns] = again.quadratic, again.spread, again.mean

    @property
    def trivial(self) -> FloatArray:
        """Vol μ² of each feature."""
        return self.volume * self.mean**2

    @property
    def deviation(self) -> FloatArray:
        """The m-weighted standard deviation of each feature."""
        return np.sqrt(self.spread / self.volume)


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
    if isinstance(table, DaskMatrix):
        return _dask_terms(table, graph, form)
    kernels = _kernels_for(graph, table.n_features)
    if not table.is_sparse or kernels is None:
        return _terms_by_tiles(table, graph, form, kernels, n_jobs)
    terms, lost = FeatureTerms.empty(table.n_features, graph.volume), np.ones(table.n_features, dtype=bool)
    for columns, band in table.bands():
        found = _terms_of_nonzeros(cast(SparseMatrix, band), graph, form, kernels, n_jobs)
        if found is None:
            break
        terms.put(columns, found[0])
        lost[columns] = found[1]
    again = np.flatnonzero(lost)
    for part in table.column_parts(again) if isinstance(table, SparseMatrix) else [again]:  # CSR becomes CSC by parts
        terms.put(part, _terms_by_tiles(table.take_columns(part), graph, form, kernels, n_jobs))
    return terms


def center(F: FloatArray, graph: SampleGraph, kernels: Any = None) -> tuple[FloatArray, FloatArray]:
    """Subtract the weighted mean of each column in place; return the means and ⟨g, g⟩.

    The values of one sample are subtracted first: a constant feature becomes exactly zero, and a large mean is gone
    before anything is multiplied.
    """
    reference = int(np.argmax(graph.mass))  # its value is no outlier, or makes the spread; others may hold anything
    if kernels is not None:
        return cast(tuple[FloatArray, FloatArray], kernels.center(F, reference, graph.mass, graph.volume))
    shift = F[reference].copy()
    F -= shift
    mean = np.einsum("i,ij->j", graph.mass, F) / graph.volume
    F -= mean
    return shift + mean, inner(graph.mass, F, F)


def _kernels_for(graph: SampleGraph, n_features: int) -> Any:
    """Return the compiled loops if there is enough to do, else None: numba is not imported then."""
    per_feature = graph.affinity.nnz if graph.is_sparse else 4 * graph.n_samples  # as many passes
    if per_feature * float(n_features) < COMPILED_WORK:
        return None
    from eigenselect.criteria import kernels

    return kernels


def _terms_by_tiles(table: Matrix, graph: SampleGraph, form: Form, kernels: Any, n_jobs: int | None) -> FeatureTerms:
    terms, order = FeatureTerms.empty(table.n_features, graph.volume), None
    if kernels is not None and graph.is_sparse and form.is_of_graph and graph.n_samples >= ORDERED_SAMPLES:
        order, S = graph.order, graph.affinity[graph.order][:, graph.order]
        graph = SampleGraph(S, graph.mass[order], row_sums=graph.row_sums[order], signed=graph.signed)

    def measure(columns: slice) -> None:
        F = table.tile(columns) if order is None else table.tile(columns)[order]
        quadratic = form.quadratic(F, graph, kernels) if form.takes_differences(graph) else None
        mean, spread = center(F, graph, kernels)
        quadratic = form.quadratic(F, graph, kernels) if quadratic is None else quadratic
        terms.put(columns, FeatureTerms(quadratic, spread, mean, graph.volume))

    tiles, wide = table.tiles(), max(8, min(EDGE_COLUMNS, EDGE_BYTES // (8 * table.n_samples)))
    if tiles and tiles[0].stop < wide:
        tiles = slices(table.n_features, wide)
    map_blocks(measure, tiles, n_jobs)
    return terms


def _terms_of_nonzeros(
    X: SparseMatrix, graph: SampleGraph, form: Form, kernels: Any, n_jobs: int | None
) -> tuple[FeatureTerms, IntArray] | None:
    """Compute the terms from the non-zeros, and tell the columns that lost digits; None if the form takes tiles."""
    sums, squares = kernels.column_sums(X.raw, graph.mass, n_jobs)
    mean = sums / graph.volume
    found = form.quadratic_of_sparse(X, graph, kernels, mean, n_jobs)
    if found is None:
        return None
    terms = FeatureTerms(found[0], squares - sums * mean, mean, graph.volume)
    lost = np.zeros(X.n_features, dtype=bool)
    lost[lost_digits(terms.spread, squares)] = True
    lost[lost_digits(terms.quadratic, np.broadcast_to(found[1], squares.shape))] = True
    return terms, lost


# -- Dask ------------------------------------------------------------------------------------------


def _dask_terms(table: DaskMatrix, graph: SampleGraph, form: Form) -> FeatureTerms:
    """Compute the terms of blocks of columns on the workers; of classes from moments, pooled over chunks of rows."""
    if isinstance(graph.affinity, ClassMeans) and form == PowerForm(1):
        return FeatureTerms.side_by_side(
            table.by_chunks(_class_moments, graph, combine=pooled_moments, finish=_scatters)
        )
    task = partial(feature_terms, n_jobs=1)
    return FeatureTerms.side_by_side([part for _, part in table.by_columns(task, graph, form)])


def _class_moments(chunk: Matrix, rows: slice, columns: slice, graph: SampleGraph) -> Moments:
    """Return the moments of every class, one per row; zeros for classes that have no sample in the chunk."""
    mine, n_classes = graph.affinity.codes[rows], graph.affinity.sizes.size
    size = np.bincount(mine, minlength=n_classes)[:, None].astype(np.float64)
    found = np.zeros((3, n_classes, chunk.n_features))
    for code in np.unique(mine):
        found[:, code] = extremes_and_moments(chunk.take_rows(np.flatnonzero(mine == code)))[2][1:]
    return Moments(size, *found)


def _scatters(moments: Moments, graph: SampleGraph) -> FeatureTerms:
    """Return the scatter within classes, the spread and the mean."""
    within = moments.squares.sum(axis=0)
    between, mean = graph.affinity.between(moments.first, moments.mean)
    spread = (within + between) * (graph.volume / graph.n_samples)  # every sample has the same mass
    return FeatureTerms(within, spread, mean, graph.volume)

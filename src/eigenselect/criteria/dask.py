"""f̂ᵀŜf̂ of a Dask array: in memory for every block of columns, which workers put together; of classes, by chunks.

The scatters within and between classes follow from the moments of each class, which are pooled over chunks of rows, so
no block of columns is needed for them.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from eigenselect.criteria.forms import Form, PowerForm
from eigenselect.criteria.normalization import FeatureTerms
from eigenselect.criteria.quadratic import feature_terms
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.matrix import DaskMatrix, Matrix
from eigenselect.matrix.dask_summary import Moments, extremes_and_moments, pooled_moments


def dask_terms(table: DaskMatrix, graph: SampleGraph, form: Form) -> FeatureTerms:
    """Compute ⟨g, A g⟩, ⟨g, g⟩ and the mean of every feature where the chunks are."""
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

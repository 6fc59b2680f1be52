"""The graph that a report draws samples with: the selector's own where that can be drawn, else one of neighbours.

A picture in features that were chosen with the labels shows classes also where there are none (48 samples of 9000
columns of noise: the nearest neighbour in it has the same class for 92 to 100 % of the samples). So where the method's
own graph knows the labels, neighbours in all features are drawn, which do not (48 %).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.evaluation.correlations import unit_columns
from eigenselect.graph import SampleGraph
from eigenselect.graph.components import connected_components
from eigenselect.graph.spectrum import Spectrum
from eigenselect.reporting.gap import Gap, largest_gap
from eigenselect.reporting.inputs import columns_of, rows_of
from eigenselect.reporting.label_graphs import uses_labels
from eigenselect.similarity import KNN

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: samples of a graph that is drawn: the eigenvectors of more would take longer than the ranking
MAX_SAMPLES = 5000
#: numbers that a graph of neighbours is made from; of wider tables, features drawn at random are taken
NUMBERS = 5_000_000
#: A sample whose degree is below this part of the median hangs by a thread and is not drawn: what is drawn is divided
#: by the root of the degree, so it would take over the picture (unscaled breast cancer has degrees down to 1e-138).
THREAD = 1e-3
#: a component with this part of the samples is drawn alone, and so is the largest one of very many
MAIN_PART, MANY_COMPONENTS = 0.8, 20
#: part of the samples, and number of them, that an eigenvector must set apart to tell of more than stray ones
LOCAL, HANDFUL = 0.02, 3.0


@dataclass(frozen=True)
class DrawnGraph:
    """A graph whose eigenvectors can be drawn.

    Attributes
    ----------
    what : str
        Which graph it is, in words.
    graph : SampleGraph
        Over the samples of ``rows``.
    rows : ndarray of int
        The samples of the table that the graph holds.
    apart : ndarray of int
        Samples that were in the graph but are not drawn: isolated, hanging by a thread, or of other components.
    spectrum : Spectrum
        Leading eigenpairs.
    n_components : int
        Components with edges of the whole graph.
    """

    what: str
    graph: SampleGraph
    rows: IntArray
    apart: IntArray
    spectrum: Spectrum
    n_components: int

    @property
    def drawn(self) -> FloatArray:
        r"""The eigenvectors as they are drawn, :math:`D^{-1/2}\xi`."""
        return np.asarray(self.spectrum.eigenvectors * np.sqrt(self.graph.inverse_mass)[:, None])

    @property
    def gap(self) -> Gap:
        """The largest gap between its eigenvalues, whether it stands out, and whether it counts stray samples."""
        gap = largest_gap(self.spectrum.eigenvalues)
        lives_on = participation(self.drawn[:, 1 : gap.after])
        return replace(gap, strays=not is_wide(lives_on, self.rows.size).all())

    @property
    def n_whole(self) -> int:
        """Leading eigenpairs without a last group of equal eigenvalues that may go on: a part of it is any basis."""
        groups = self.spectrum.groups
        whole = groups.size == self.graph.n_live
        return int(groups.size if whole else np.searchsorted(groups, groups[-1]))


def participation(points: FloatArray) -> FloatArray:
    """How many samples each column sets apart from the others: 1 for a single stray one, n for two equal halves."""
    centred = points - points.mean(axis=0)
    widest = np.abs(centred).max(axis=0)
    centred = centred / np.where(widest > 0, widest, 1.0)  # so that fourth powers stay in range
    fourth = np.sum(centred**4, axis=0)
    return np.asarray(np.sum(centred**2, axis=0) ** 2 / np.where(fourth > 0, fourth, 1.0))


def is_wide(lives_on: FloatArray, n_samples: int) -> NDArray[np.bool_]:
    """Whether so many samples are more than a handful."""
    return np.asarray(np.round(lives_on, 6) >= max(HANDFUL, LOCAL * n_samples))


def picture_of(selector: Any, X: Any, random_state: Any, whole: Any = None) -> DrawnGraph | None:
    """The selector's own graph if it is made of the samples and not too large, else one of neighbours in all features.

    ``whole`` is the table before its columns were chosen, where a step before the selector did so: then the features of
    the own graph may have been chosen with the labels, and all are drawn. None where no sample has a neighbour.
    """
    own = getattr(selector, "graph_", None) if whole is None else None
    X = X if whole is None else whole if sparse.issparse(whole) or hasattr(whole, "columns") else np.asarray(whole)
    if own is not None and not own.signed and not uses_labels(selector) and X.shape[0] <= MAX_SAMPLES:
        return _drawn(own, "the sample graph of the method", np.arange(X.shape[0]), random_state)
    rows, some_rows = _some(X.shape[0], MAX_SAMPLES, "samples", random_state)
    columns, some_columns = _some(X.shape[1], max(1, NUMBERS // rows.size), "features", random_state)
    graph = KNN(n_neighbors=min(10, rows.size - 1)).build(unit_columns(columns_of(rows_of(X, rows), columns)))
    what = f"a graph of neighbours in {some_columns or f'all {X.shape[1]} features'}, scaled to unit length"
    return _drawn(graph, what + (f", of {some_rows}" if some_rows else ""), rows, random_state)


def _some(count: int, most: int, name: str, random_state: Any) -> tuple[IntArray, str]:
    """All places, or as many as may be, drawn at random, and what to call these."""
    if count <= most:
        return np.arange(count), ""
    drawn = np.sort(np.random.default_rng(random_state).choice(count, most, replace=False))
    return drawn, f"{most} {name} drawn at random"


def _drawn(graph: SampleGraph, what: str, rows: IntArray, random_state: Any) -> DrawnGraph | None:
    """The part of a graph to draw, with its eigenpairs.

    Eigenvectors that split off a few stray samples would draw all others as one point, so a component that holds nearly
    all samples is drawn alone; so is the largest of very many, whose zero eigenvalues would fill the spectrum.
    """
    live = np.flatnonzero(~graph.isolated)
    if live.size < 2:
        return None
    n_components = len(np.unique(graph.components[live]))
    drawn = np.arange(graph.n_samples)
    if not (graph.has_own_mass or graph.is_implicit):
        drawn, what = _main_part(graph, _firm(graph, live), what)
    if drawn.size < graph.n_samples:
        graph = SampleGraph(graph.affinity[drawn][:, drawn])
    pairs = graph.searched_spectrum(random_state)
    return DrawnGraph(what, graph, rows[drawn], np.delete(rows, drawn), pairs, n_components)


def _firm(graph: SampleGraph, live: IntArray) -> IntArray:
    """Samples that do not hang by a thread, nor by samples that do; all of them where fewer than two would be left."""
    firm = live
    while True:
        degrees = graph.mass if firm.size == graph.n_samples else _degrees_within(graph, firm)
        kept = firm[degrees >= THREAD * np.median(degrees)]
        if kept.size == firm.size:
            return firm if firm.size > 1 else live
        firm = kept


def _degrees_within(graph: SampleGraph, part: IntArray) -> NDArray[np.float64]:
    return np.asarray(graph.affinity[part][:, part].sum(axis=1), dtype=np.float64).ravel()


def _main_part(graph: SampleGraph, live: IntArray, what: str) -> tuple[IntArray, str]:
    """All of these samples, or those of their largest component, and what to call it."""
    labels = connected_components(graph.affinity[live][:, live])
    sizes = np.bincount(labels)
    if sizes.size > 1 and (sizes.max() >= MAIN_PART * live.size or sizes.size > MANY_COMPONENTS):
        return live[labels == sizes.argmax()], f"the largest component of {what}"
    return live, what

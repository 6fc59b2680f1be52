"""The graph that a report draws samples with: the selector's own where that can be drawn, else one of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.evaluation.correlations import unit_columns
from eigenselect.graph import SampleGraph
from eigenselect.graph.sample_graph import EIGENGAP_SEARCH
from eigenselect.graph.spectrum import Spectrum, largest_gap
from eigenselect.reporting.inputs import columns_of
from eigenselect.similarity import KNN

IntArray = NDArray[np.intp]

#: samples of a graph that is drawn: the eigenvectors of more would take longer than the ranking
MAX_SAMPLES = 5000
#: selected features that a neighbour graph is built from
MAX_FEATURES = 200
#: a sample graph of these is made of labels: its eigenvectors would draw one point per class
MADE_OF_LABELS = ("ClassLabels", "HitMiss")
#: a component with this part of the samples is drawn alone, and so is the largest one of very many
MAIN_PART, MANY_COMPONENTS = 0.8, 20


@dataclass(frozen=True)
class Picture:
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
        Samples that were in the graph but are not drawn: isolated, or of other components.
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
    def gap_after(self) -> int:
        """Eigenvalues before the largest gap; 1 where the samples show no clusters."""
        return largest_gap(self.spectrum.eigenvalues)

    @property
    def n_whole(self) -> int:
        """Leading eigenpairs without a last group of equal eigenvalues that may go on: a part of it is any basis."""
        groups = self.spectrum.groups
        whole = groups.size == self.graph.n_live
        return int(groups.size if whole else np.searchsorted(groups, groups[-1]))


def picture_of(selector: Any, X: Any, selected: IntArray, random_state: Any) -> Picture | None:
    """The selector's own graph if it is made of the samples and not too large, else one of the selected features.

    None where no sample has a neighbour.
    """
    own = getattr(selector, "graph_", None)
    rows = np.arange(X.shape[0])
    if (
        own is not None
        and not own.signed
        and own.description.get("similarity") not in MADE_OF_LABELS
        and rows.size <= MAX_SAMPLES
    ):
        graph, what = own, "the sample graph of the method"
    else:
        columns = selected[:MAX_FEATURES]
        what = f"a graph of neighbours in the {len(columns)} best features"
        if rows.size > MAX_SAMPLES:
            rows = np.sort(np.random.default_rng(random_state).choice(rows.size, MAX_SAMPLES, replace=False))
            what += f", of {MAX_SAMPLES} samples drawn at random"
        graph = KNN(n_neighbors=min(10, rows.size - 1)).build(unit_columns(columns_of(X, columns)[rows]))
    return _drawn(graph, what, rows, random_state)


def _drawn(graph: SampleGraph, what: str, rows: IntArray, random_state: Any) -> Picture | None:
    """The part of a graph to draw, with its eigenpairs.

    Eigenvectors that split off a few stray samples would draw all others as one point, so a component that holds nearly
    all samples is drawn alone; so is the largest of very many, whose zero eigenvalues would fill the spectrum.
    """
    live = np.flatnonzero(~graph.isolated)
    if live.size < 2:
        return None
    labels = graph.components[live]
    n_components = len(np.unique(labels))
    main = live[labels == np.bincount(labels).argmax()]
    drawn = np.arange(graph.n_samples)
    if graph.carrier is graph and not graph.is_implicit:
        if n_components > 1 and (main.size >= MAIN_PART * live.size or n_components > MANY_COMPONENTS):
            drawn, what = main, f"the largest component of {what}"
        elif live.size < graph.n_samples:
            drawn = live
    if drawn.size < graph.n_samples:
        graph = SampleGraph(graph.affinity[drawn][:, drawn])
    pairs = graph.spectrum(min(graph.n_live, max(graph.n_zero, 2) + EIGENGAP_SEARCH), random_state)
    return Picture(what, graph, rows[drawn], np.delete(rows, drawn), pairs, n_components)

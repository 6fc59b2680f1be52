"""The graph that a report draws samples with: the selector's own where that can be drawn, else one of neighbours.

A picture in features that were chosen with the labels shows classes also where there are none (48 samples of 9000
columns of noise: the nearest neighbour in it has the same class for 92 to 100 % of the samples). So where the method's
own graph knows the labels, neighbours in all features are drawn, which do not (48 %).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._typing import FloatArray, IntArray
from eigenselect.evaluation.correlations import unit_columns
from eigenselect.graph import SampleGraph, connected_components
from eigenselect.graph.spectrum import Spectrum
from eigenselect.matrix import as_matrix
from eigenselect.multisource import SampleCategories
from eigenselect.multisource.weights import LEARNED
from eigenselect.reporting.inputs import columns_of
from eigenselect.reporting.views.spectrum import Gap, judge_gap
from eigenselect.similarity import KNN

#: samples of a graph that is drawn: the eigenvectors of more would take longer than the ranking
MAX_SAMPLES = 5000
#: numbers that a graph of neighbours is made from; of wider tables, features drawn at random are taken
NUMBERS = 5_000_000
#: A sample whose degree is below this part of the median is hardly connected and is not drawn: what is drawn is divided
#: by the root of the degree, so it would take over the picture (unscaled breast cancer has degrees down to 1e-138).
WEAK_DEGREE = 1e-3
#: a component with this part of the samples is drawn alone, and so is the largest one of very many
MAIN_PART, MANY_COMPONENTS = 0.8, 20
#: part of the samples, and number of them, that an eigenvector must set apart to tell of more than stray ones
LOCAL, HANDFUL = 0.02, 3.0
#: part of the learned weight from which a source made of the labels is remarked on
REMARKED_SHARE = 0.5


@dataclass(frozen=True)
class DrawnGraph:
    """A graph whose eigenvectors can be drawn.

    Attributes
    ----------
    description : str
        Which graph it is, in words.
    graph : SampleGraph
        Over the samples of ``rows``.
    rows : ndarray of int
        The samples of the table that the graph holds.
    apart : ndarray of int
        Samples that were in the graph but are not drawn: isolated, hardly connected, or of other components.
    spectrum : Spectrum
        Leading eigenpairs.
    n_components : int
        Components with edges of the whole graph.
    why : str
        Why it is another graph than the one that the scores used; empty where it is that one.
    """

    description: str
    graph: SampleGraph
    rows: IntArray
    apart: IntArray
    spectrum: Spectrum
    n_components: int
    why: str = ""

    @cached_property
    def coordinates(self) -> FloatArray:
        r"""Return the eigenvectors as they are drawn, :math:`D^{-1/2}\xi`."""
        return np.asarray(self.spectrum.eigenvectors * np.sqrt(self.graph.inverse_mass)[:, None])

    @cached_property
    def gap(self) -> Gap:
        """Find the largest gap between its eigenvalues; tell whether it stands out and whether it counts strays."""
        gap = judge_gap(self.spectrum.eigenvalues)
        lives_on = participation(self.coordinates[:, 1 : gap.after])
        return replace(gap, strays=not is_wide(lives_on, self.rows.size).all())

    @property
    def n_whole(self) -> int:
        """Count leading eigenpairs, without a last group of equal eigenvalues that may go on beyond them."""
        groups = self.spectrum.groups
        whole = groups.size == self.graph.n_live
        return int(groups.size if whole else np.searchsorted(groups, groups[-1]))


def participation(points: FloatArray) -> FloatArray:
    """Count the samples that each column sets apart from the others: 1 for a stray one, n for two equal halves."""
    centred = points - points.mean(axis=0)
    widest = np.abs(centred).max(axis=0)
    centred = centred / np.where(widest > 0, widest, 1.0)  # so that fourth powers stay in range
    fourth = np.sum(centred**4, axis=0)
    return np.asarray(np.sum(centred**2, axis=0) ** 2 / np.where(fourth > 0, fourth, 1.0))


def is_wide(lives_on: FloatArray, n_samples: int) -> NDArray[np.bool_]:
    """Tell whether so many samples are more than a handful."""
    return np.asarray(np.round(lives_on, 6) >= max(HANDFUL, LOCAL * n_samples))


def draw_graph(selector: Any, X: Any, random_state: Any, whole: Any = None) -> DrawnGraph | None:
    """Draw the selector's own graph if it is made of the samples and not too large, else neighbours in all features.

    ``whole`` is the table before its columns were chosen, where a step before the selector did so: then the features of
    the own graph may have been chosen with the labels, and all are drawn. None where no sample has a neighbour.
    """
    own = getattr(selector, "graph_", None) if whole is None else None
    table = X if whole is None else whole
    n_samples, n_features = table.shape
    why = _why_another(selector, own, n_samples, chosen_before=whole is not None)
    if own is not None and not why:
        return _draw_part(own, "the sample graph of the method", np.arange(n_samples), random_state)
    rows, some_rows = _some(n_samples, MAX_SAMPLES, "samples", random_state)
    columns, some_columns = _some(n_features, max(1, NUMBERS // rows.size), "features", random_state)
    graph = KNN(n_neighbors=min(10, rows.size - 1)).build(
        unit_columns(columns_of(as_matrix(table).take_rows(rows), columns))
    )
    what = f"a graph of neighbours in {some_columns or f'all {n_features} features'}, scaled to unit length"
    drawn = _draw_part(graph, what + (f", of {some_rows}" if some_rows else ""), rows, random_state)
    return None if drawn is None else replace(drawn, why=why)


def _why_another(selector: Any, own: SampleGraph | None, n_samples: int, *, chosen_before: bool) -> str:
    """Say why the graph that the scores used is not drawn; nothing where it is."""
    if chosen_before:
        return (
            "a step before this one chose features, perhaps by the labels, and a picture of features that were chosen "
            "by them shows classes also where there are none"
        )
    if own is None:
        return "the method ranks without a sample graph of its own"
    if uses_labels(selector):
        return (
            "the graph of the scores is made of the labels, or was chosen by them, and a picture of it shows classes "
            "also where there are none"
        )
    if own.signed:
        return "the graph of the scores has negative weights"
    if n_samples > MAX_SAMPLES:
        return f"the graph of the scores has more than {MAX_SAMPLES} samples, whose eigenvectors take too long"
    return ""


def _some(count: int, most: int, name: str, random_state: Any) -> tuple[IntArray, str]:
    """Take all places, or as many as allowed, drawn at random; return them and their name."""
    if count <= most:
        return np.arange(count), ""
    drawn = np.sort(np.random.default_rng(random_state).choice(count, most, replace=False))
    return drawn, f"{most} {name} drawn at random"


def _draw_part(graph: SampleGraph, what: str, rows: IntArray, random_state: Any) -> DrawnGraph | None:
    """Choose the part of a graph to draw, and compute its eigenpairs.

    Eigenvectors that split off a few stray samples would draw all others as one point, so a component that holds nearly
    all samples is drawn alone; so is the largest of very many, whose zero eigenvalues would fill the spectrum.
    """
    live = np.flatnonzero(~graph.isolated)
    if live.size < 2:
        return None
    n_components = len(np.unique(graph.components[live]))
    drawn = np.arange(graph.n_samples)
    if not (graph.has_own_mass or graph.is_implicit):
        drawn, what = _main_part(graph, _connected_samples(graph, live), what)
    if drawn.size < graph.n_samples:
        graph = SampleGraph(graph.affinity[drawn][:, drawn])
    pairs = graph.searched_spectrum(random_state)
    return DrawnGraph(what, graph, rows[drawn], np.delete(rows, drawn), pairs, n_components)


def _connected_samples(graph: SampleGraph, live: IntArray) -> IntArray:
    """Leave out samples of weak degree, then those that only hung on them; none where fewer than two would be left."""
    part = live
    while True:
        degrees = graph.mass if part.size == graph.n_samples else _degrees_within(graph, part)
        kept = part[degrees >= WEAK_DEGREE * np.median(degrees)]
        if kept.size == part.size:
            return part if part.size > 1 else live
        part = kept


def _degrees_within(graph: SampleGraph, part: IntArray) -> NDArray[np.float64]:
    return np.asarray(graph.affinity[part][:, part].sum(axis=1), dtype=np.float64).ravel()


def _main_part(graph: SampleGraph, live: IntArray, what: str) -> tuple[IntArray, str]:
    """Take all of these samples, or those of their largest component; return them and their name."""
    labels = connected_components(graph.affinity[live][:, live])
    sizes = np.bincount(labels)
    if sizes.size > 1 and (sizes.max() >= MAIN_PART * live.size or sizes.size > MANY_COMPONENTS):
        return live[labels == sizes.argmax()], f"the largest component of {what}"
    return live, what


def uses_labels(selector: Any) -> bool:
    """Tell whether the selector's graph is made of labels, alone or with other sources, or chosen with them.

    Learned weights choose: of twenty sources of noise the one that follows the labels best is most of the graph, and a
    picture of it told classes by more than chance in 4 or 5 of 30 draws.
    """
    graph, sources = getattr(selector, "graph_", None), getattr(selector, "similarities_", None) or {}
    chosen = _learns_weights(selector) and len(sources) > 1
    return chosen or (graph is not None and graph.made_of_labels)


def _learns_weights(selector: Any) -> bool:
    rule = getattr(selector, "weights", None)
    return isinstance(rule, str) and rule in LEARNED


def label_weights(selector: Any) -> dict[str, float]:
    """Return the weights above 0 of the sources of a multi-source selector that are made of labels."""
    graphs = getattr(selector, "similarities_", None) or {}
    weights = getattr(selector, "weights_", ())
    return {
        name: float(weight)
        for (name, graph), weight in zip(graphs.items(), weights, strict=False)
        if weight > 0 and graph.made_of_labels
    }


def label_remarks(selector: Any) -> list[str]:
    """Remark on weights that were learned from the same labels that a source is made of, and went to it."""
    if not _learns_weights(selector):
        return []
    own = {
        str(name) for name, source in selector.sources if isinstance(source, SampleCategories) and source.labels is None
    }
    weights = {name: weight for name, weight in label_weights(selector).items() if name in own}
    share = sum(weights.values())
    if share < REMARKED_SHARE:
        return []
    return [
        f"The weights were learned from the labels, of which the source {', '.join(map(repr, weights))} is made "
        f"itself: it got {share:.0%} of the weight, whatever the data are."
    ]

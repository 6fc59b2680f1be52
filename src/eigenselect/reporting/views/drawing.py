"""What a report draws, as numbers: each view is a function of a fitted selector and its data."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np

from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import SampleGraph
from eigenselect.reporting.inputs import Fitted, columns_of
from eigenselect.reporting.view_types import (
    DegreesView,
    DistributionView,
    EmbeddingView,
    ExplanationsView,
    GroupDistribution,
    SamplesView,
    SeparationView,
    ValuesView,
    Views,
)
from eigenselect.reporting.views.by_class import by_class_view
from eigenselect.reporting.views.dot_plot import dots_view
from eigenselect.reporting.views.drawn_graph import DrawnGraph, draw_graph
from eigenselect.reporting.views.embedding import embedding_view, separation_view
from eigenselect.reporting.views.explanations import explanations_view
from eigenselect.reporting.views.groups import Groups, sample_groups
from eigenselect.reporting.views.heat_map import heat_map_view
from eigenselect.reporting.views.near_copies import SEARCHED, CopyGroups, find_copies, near_copies_view
from eigenselect.reporting.views.pictures import pictures_view
from eigenselect.reporting.views.redundancy import redundancy_view
from eigenselect.reporting.views.shown_table import ShownTable, shown_features, shown_table
from eigenselect.reporting.views.significance_views import significance_view
from eigenselect.reporting.views.spectrum import spectrum_view

#: features whose distribution is shown, samples drawn as points
SHOWN_DISTRIBUTIONS, SHOWN_SAMPLES = 12, 3000
#: bins of a histogram, and the quantiles of a box
BINS, QUARTILES = 24, (0, 0.25, 0.5, 0.75, 1)
#: feature values in a page, 4 bytes each: with 20 000 features and their names it stays under 2 MB
VALUE_BUDGET = 85_000
#: features whose values are given even if that goes beyond the budget, and features that are made dense at once
LEAST_FEATURES, BLOCK = 30, 64


@dataclass(frozen=True)
class Drawing:
    """How the samples of a fitted selector are drawn; what several views share is computed once, when first asked for.

    Attributes
    ----------
    fitted : Fitted
        The selector and its data.
    best : ndarray of int
        Features that the selection is judged by, best first; none where only samples are drawn.
    """

    fitted: Fitted
    best: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    @cached_property
    def graph(self) -> DrawnGraph | None:
        """Choose the graph to draw; None where no sample has a neighbour."""
        fitted = self.fitted
        return draw_graph(fitted.selector, fitted.X, fitted.random_state, fitted.whole)

    @cached_property
    def groups(self) -> Groups:
        """Group the samples by class, third or cluster."""
        fitted = self.fitted
        return sample_groups(fitted.selector, fitted.y, self.graph, fitted.X.shape[0], fitted.random_state)

    @cached_property
    def shown(self) -> IntArray:
        """Choose the samples that are drawn as points."""
        return shown_samples(self.graph, self.fitted.X.shape[0], self.fitted.random_state)

    @cached_property
    def embedding(self) -> EmbeddingView | None:
        """Place these samples in leading eigenvectors; None where there are no two to draw."""
        return None if self.graph is None else embedding_view(self.graph, self.shown)

    @cached_property
    def separation(self) -> SeparationView | None:
        """Measure how far that plane tells classes apart; None where that cannot be judged."""
        if self.graph is None:
            return None
        return separation_view(self.graph, self.embedding, self.groups, self.shown, self.fitted.random_state)

    @cached_property
    def explanations(self) -> ExplanationsView | None:
        """Explain the best features on the drawn graph; None where there is none."""
        fitted = self.fitted
        if self.graph is None:
            return None
        with single_threaded_blas():
            return explanations_view(self.graph, fitted.X, fitted.selector.ranking_.argsort(), self.shown)

    @cached_property
    def best_shown(self) -> IntArray:
        """Choose the features of heat map, dot plot and matrix of correlations, best first."""
        return shown_features(self.fitted, self.best)

    @cached_property
    def copies(self) -> CopyGroups:
        """Find the near-copies of the best features and of those that are shown."""
        searched = self.best[:SEARCHED]
        return find_copies(self.fitted, np.append(searched, np.setdiff1d(self.best_shown, searched)))

    @cached_property
    def clustered(self) -> ShownTable:
        """Cluster these features and the samples."""
        return shown_table(self.fitted, self.best_shown, self.copies.codes, self.groups)


#: every view by its name, as a function of a drawing and the columns of the best features
VIEWS: dict[str, Callable[[Drawing, IntArray], Any]] = {
    "groups": lambda drawing, best: drawing.groups.view,
    "degrees": lambda drawing, best: degrees_view(getattr(drawing.fitted.selector, "graph_", None)),
    "spectrum": lambda drawing, best: None if drawing.graph is None else spectrum_view(drawing.graph),
    "samples": lambda drawing, best: samples_view(drawing),
    "embedding": lambda drawing, best: drawing.embedding,
    "pictures": lambda drawing, best: pictures_view(drawing.fitted, drawing.shown),
    "separation": lambda drawing, best: drawing.separation,
    "distributions": lambda drawing, best: distributions_view(drawing.fitted, best, drawing.groups),
    "heat_map": lambda drawing, best: heat_map_view(drawing.fitted, drawing.clustered, drawing.groups),
    "dots": lambda drawing, best: dots_view(drawing.fitted, drawing.clustered.columns, drawing.groups),
    "redundancy": lambda drawing, best: redundancy_view(drawing.fitted, best, drawing.clustered, drawing.copies),
    "near_copies": lambda drawing, best: near_copies_view(drawing.copies.found, best, drawing.fitted.names),
    "explanations": lambda drawing, best: drawing.explanations,
    "by_class": lambda drawing, best: by_class_view(drawing.fitted, drawing.fitted.selector.ranking_.argsort()),
    "significance": lambda drawing, best: significance_view(drawing.fitted),
    "values": lambda drawing, best: values_view(drawing.fitted, drawing.shown),
}
#: what a page shows
ALL_VIEWS = tuple(VIEWS)


def make_views(drawing: Drawing, names: Iterable[str] = ALL_VIEWS) -> Views:
    """Make the views of these names."""
    wanted = set(names)
    if unknown := sorted(wanted - set(VIEWS)):
        raise ValueError(f"summarise: views must be among {', '.join(VIEWS)}, got {unknown[0]!r}.")
    return cast(Views, {name: view(drawing, drawing.best) for name, view in VIEWS.items() if name in wanted})


def shown_samples(drawn: DrawnGraph | None, n_samples: int, random_state: Any) -> IntArray:
    """Choose the samples that are drawn as points: all of the graph's, or some of them at random."""
    rows = np.arange(n_samples) if drawn is None else drawn.rows
    if rows.size <= SHOWN_SAMPLES:
        return rows
    return np.sort(np.random.default_rng(random_state).choice(rows, SHOWN_SAMPLES, replace=False))


def samples_view(drawing: Drawing) -> SamplesView:
    """List the drawn samples with their names and groups."""
    names, shown = drawing.fitted.sample_names, drawing.shown
    return {
        "number": shown.tolist(),
        "name": None if names is None else [str(names[row]) for row in shown],
        "group": drawing.groups.codes[shown].tolist(),
    }


def degrees_view(graph: SampleGraph | None) -> DegreesView | None:
    """Count the degrees in bins; None where all are the same, or there is no graph."""
    if graph is None:
        return None
    low, high = float(graph.mass.min()), float(graph.mass.max())
    if high - low <= 1e-9 * abs(high):
        return None
    return {"low": low, "high": high, "counts": histogram(graph.mass, low, high)}


def distributions_view(fitted: Fitted, best: IntArray, groups: Groups) -> list[DistributionView]:
    """Summarise the values of the best features in each group, on one axis for all groups."""
    columns = best[:SHOWN_DISTRIBUTIONS]
    table, ranks = columns_of(fitted.X, columns), fitted.selector.ranking_
    return [
        {
            "feature": fitted.names[column],
            "rank": int(ranks[column]),
            "low": float(values.min()),
            "high": float(values.max()),
            "groups": _group_distributions(values, groups),
        }
        for column, values in zip(columns, table.T, strict=True)
    ]


def _group_distributions(values: FloatArray, groups: Groups) -> list[GroupDistribution]:
    """Return mean, quartiles and histogram of each group that has samples."""
    low, high = float(values.min()), float(values.max())
    parts = [values[groups.codes == code] for code in range(len(groups.names))]
    exponent = int(np.frexp(np.abs(values).max())[1])  # so that sums and differences near 1.8e308 stay in range
    return [
        {
            "group": code,
            "n": int(part.size),
            "mean": float(np.ldexp(np.ldexp(part, -exponent).mean(), exponent)),
            "quartiles": np.ldexp(np.quantile(np.ldexp(part, -exponent), QUARTILES), exponent).tolist(),
            "counts": histogram(part, low, high),
        }
        for code, part in enumerate(parts)
        if part.size
    ]


def histogram(values: FloatArray, low: float, high: float) -> list[int]:
    """Count values in `BINS` bins between two ends, also where these are a rounding error apart, or nearly overflow."""
    width = high / 2 - low / 2
    share = (values / 2 - low / 2) / width if width > 0 else np.full(values.shape, 0.5)
    return np.bincount(np.clip((BINS * share).astype(np.intp), 0, BINS - 1), minlength=BINS).tolist()


def values_view(fitted: Fitted, samples: IntArray) -> ValuesView:
    """Encode the values of as many of the best features as the budget allows, on the drawn samples.

    Each feature is divided by its largest magnitude, so that single precision is enough at any scale.
    """
    order = fitted.selector.ranking_.argsort()
    count = min(len(order), max(LEAST_FEATURES, VALUE_BUDGET // max(1, len(samples))))
    parts, scale = np.empty((count, len(samples)), dtype="<f4"), np.empty(count)
    for start in range(0, count, BLOCK):
        block = slice(start, min(start + BLOCK, count))
        values = columns_of(fitted.X, order[block])[samples]
        largest = np.abs(values).max(axis=0)
        scale[block] = np.where(largest > 0, largest, 1.0)
        parts[block] = (values / scale[block]).T
    return {"count": count, "scale": scale.tolist(), "parts": base64.b64encode(parts.tobytes()).decode("ascii")}

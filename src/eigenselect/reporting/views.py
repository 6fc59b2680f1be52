"""What a report draws, as numbers: each view is a function of a fitted selector and its data."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from scipy.special import beta

from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import FloatArray, IntArray
from eigenselect.evaluation import near_copies
from eigenselect.evaluation.correlations import mean_correlation, products, unit_columns
from eigenselect.graph import SampleGraph
from eigenselect.reporting.drawn_graph import DrawnGraph, draw_graph
from eigenselect.reporting.embedding import embedding_view, separation_view
from eigenselect.reporting.explanations import explanations_view
from eigenselect.reporting.groups import Groups, sample_groups
from eigenselect.reporting.inputs import Fitted, columns_of
from eigenselect.reporting.pictures import pictures_view
from eigenselect.reporting.significance_views import significance_view
from eigenselect.reporting.spectrum import spectrum_view
from eigenselect.reporting.summary import (
    DegreesView,
    DistributionView,
    EmbeddingView,
    ExplanationsView,
    GroupDistribution,
    NearCopiesRow,
    RedundancyView,
    SamplesView,
    SeparationView,
    ValuesView,
    Views,
)

#: features whose distribution is shown, features of the heat map, samples drawn as points
SHOWN_DISTRIBUTIONS, SHOWN_CORRELATIONS, SHOWN_SAMPLES = 12, 30, 3000
#: bins of a histogram, and the quantiles of a box
BINS, QUARTILES = 24, (0, 0.25, 0.5, 0.75, 1)
#: correlation of a near-copy, how many are named, and samples that are enough to tell
NEAR_COPY, SHOWN_COPIES, COPY_SAMPLES = 0.9, 8, 5000
#: numbers that are made dense to measure the redundancy of a selection
REDUNDANCY_BUDGET = 20_000_000
#: feature values in a page, 4 bytes each: with 20 000 features and their names it stays under 2 MB
VALUE_BUDGET = 100_000
#: features whose values are given even if that goes beyond the budget, and features that are made dense at once
LEAST_FEATURES, BLOCK = 30, 64


@dataclass(frozen=True)
class Drawing:
    """How the samples of a fitted selector are drawn; what several views share is computed once, when first asked for.

    Attributes
    ----------
    fitted : Fitted
        The selector and its data.
    """

    fitted: Fitted

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
    "redundancy": lambda drawing, best: redundancy_view(drawing.fitted.X, best, drawing.fitted.names),
    "near_copies": lambda drawing, best: near_copies_view(drawing.fitted, best),
    "explanations": lambda drawing, best: drawing.explanations,
    "significance": lambda drawing, best: significance_view(drawing.fitted),
    "values": lambda drawing, best: values_view(drawing.fitted, drawing.shown),
}
#: what a page shows
ALL_VIEWS = tuple(VIEWS)


def make_views(fitted: Fitted, best: IntArray, names: Iterable[str] = ALL_VIEWS) -> Views:
    """Make the views of these names; ``best`` are the columns that the selection is judged by."""
    wanted = set(names)
    if unknown := sorted(wanted - set(VIEWS)):
        raise ValueError(f"summarise: views must be among {', '.join(VIEWS)}, got {unknown[0]!r}.")
    drawing = Drawing(fitted)
    return cast(Views, {name: view(drawing, best) for name, view in VIEWS.items() if name in wanted})


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


def redundancy_view(X: Any, selected: IntArray, names: Sequence[str]) -> RedundancyView:
    """Correlate the best features (constant ones have no correlation); average the magnitude over the selection.

    Of a very large selection, the mean is over as many of the best as fit into the budget.
    """
    measured = selected[: max(SHOWN_CORRELATIONS, REDUNDANCY_BUDGET // max(1, X.shape[0]))]
    unit = unit_columns(columns_of(X, measured))
    return {
        "features": [names[column] for column in measured[:SHOWN_CORRELATIONS]],
        "correlation": correlations(unit[:, :SHOWN_CORRELATIONS]).tolist(),
        "rate": mean_correlation(unit),
        "chance": chance_correlation(X.shape[0]),
        "n_measured": int(measured.size),
    }


def chance_correlation(n_samples: int) -> float:
    r"""Return the mean :math:`|\rho|` of two independent normal features, :math:`2 / ((n-2) B(1/2, (n-2)/2))`.

    >>> round(chance_correlation(48), 3)
    0.117
    """
    if n_samples < 3:
        return 1.0
    return float(2.0 / ((n_samples - 2) * beta(0.5, (n_samples - 2) / 2)))


def correlations(unit: FloatArray) -> FloatArray:
    """Correlate unit columns; NaN for constant ones, which are zero."""
    unit = np.where(unit.any(axis=0), unit, np.nan)
    return np.asarray(np.clip(products(unit, unit), -1.0, 1.0))


def near_copies_view(fitted: Fitted, best: IntArray) -> list[NearCopiesRow]:
    """Find dropped features that are near-copies of the best of the selection.

    Of many samples, a part drawn at random is enough to tell copies.
    """
    table, names = fitted.X, fitted.names
    if table.shape[0] > COPY_SAMPLES:
        rng = np.random.default_rng(fitted.random_state)
        table = table.take_rows(np.sort(rng.choice(table.shape[0], COPY_SAMPLES, replace=False)))
    rows: list[NearCopiesRow] = []
    for found in near_copies(table, best[:SHOWN_CORRELATIONS], threshold=NEAR_COPY):
        dropped = ~np.isin(found.copies, best)
        copies, correlations = found.copies[dropped], found.correlations[dropped]
        if copies.size:
            named = [names[column] for column in copies[:SHOWN_COPIES]]
            rows.append(
                {
                    "feature": names[found.feature],
                    "count": int(copies.size),
                    "copies": named,
                    "correlations": correlations[:SHOWN_COPIES].astype(float).tolist(),
                }
            )
    return rows


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

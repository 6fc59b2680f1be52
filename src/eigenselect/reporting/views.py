"""What a report draws, as numbers: spectrum, embedding, degrees, distributions, correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.graph import SampleGraph
from eigenselect.graph.sample_graph import EIGENGAP_SEARCH
from eigenselect.graph.spectrum import Spectrum, eigengap
from eigenselect.reporting.groups import Groups
from eigenselect.similarity import KNN

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

#: features whose distribution is shown, features of the heat map, samples drawn as points
SHOWN_DISTRIBUTIONS, SHOWN_CORRELATIONS, SHOWN_SAMPLES = 12, 30, 3000
#: bins of a histogram
BINS = 24
#: selected features that a neighbour graph for the picture is built from
PICTURE_FEATURES = 200
#: eigenvectors to choose from, and the part of the samples that one must live on to be drawn first
SHOWN_EIGENVECTORS, LOCAL = 6, 0.02
#: the part of the samples that makes a component the one to draw
MAIN_COMPONENT = 0.8
#: a sample graph of these is made of labels: its eigenvectors would draw one point per class
MADE_OF_LABELS = ("ClassLabels", "HitMiss")


@dataclass(frozen=True)
class PictureGraph:
    """A graph whose eigenvectors can be drawn, what it is, and its leading eigenpairs."""

    graph: SampleGraph
    what: str
    spectrum: Spectrum

    @property
    def n_zero(self) -> int:
        """Components with edges: the multiplicity of the eigenvalue 0."""
        return len(np.unique(self.graph.components[~self.graph.isolated]))

    def clusters(self) -> int:
        """Clusters that the eigen-gap suggests."""
        return min(eigengap(self.spectrum.eigenvalues), len(self.spectrum.eigenvalues))


def picture_graph(selector: Any, X: Any, selected: IntArray, random_state: Any) -> PictureGraph | None:
    """The selector's own graph if it is made of the samples, else one of neighbours in the selected features.

    None where no sample has a neighbour.
    """
    own = getattr(selector, "graph_", None)
    if own is not None and not own.signed and own.description.get("similarity") not in MADE_OF_LABELS:
        graph, what = own, "the sample graph of the method"
    else:
        columns = selected[:PICTURE_FEATURES]
        table = _standardised(columns_of(X, columns))
        graph = KNN(n_neighbors=min(10, len(table) - 1)).build(table)
        what = f"a graph of neighbours in the {len(columns)} best features"
    n_live = int((~graph.isolated).sum())
    if n_live < 2:
        return None
    n_zero = len(np.unique(graph.components[~graph.isolated]))
    pairs = graph.spectrum(min(n_live, max(n_zero, 2) + EIGENGAP_SEARCH), random_state)
    return PictureGraph(graph, what, pairs)


def spectrum_view(picture: PictureGraph) -> dict[str, Any]:
    """The smallest eigenvalues of the normalised Laplacian and where their largest gap is."""
    return {
        "of": picture.what,
        "eigenvalues": [float(value) for value in picture.spectrum.eigenvalues],
        "n_zero": picture.n_zero,
        "gap_after": eigengap(picture.spectrum.eigenvalues),
    }


def embedding_view(picture: PictureGraph, groups: Groups, random_state: Any) -> dict[str, Any] | None:
    r"""Samples in the first non-trivial eigenvectors, as :math:`D^{-1/2}\xi`.

    Of a graph whose largest component holds nearly all samples, that component's: the eigenvectors that split off a few
    stray samples would draw all others as one point. For the same reason the two to draw first pass over an eigenvector
    that lives on a handful of samples; how many it lives on is its participation
    :math:`1 / \sum_i \xi_i^4` with :math:`\sum_i \xi_i^2 = 1`. None where there are not two.
    """
    rows, axes = _drawn(picture)
    if len(axes) < 2:
        return None
    vectors = picture.spectrum.eigenvectors[rows][:, axes]
    points = vectors * np.sqrt(picture.graph.inverse_degrees[rows])[:, None]
    lives_on = 1.0 / np.sum(vectors**4, axis=0)
    wide = [place for place in range(len(axes)) if lives_on[place] >= max(3.0, LOCAL * len(rows))]
    shown = np.arange(len(rows))
    if len(rows) > SHOWN_SAMPLES:
        shown = np.sort(np.random.default_rng(random_state).choice(len(rows), SHOWN_SAMPLES, replace=False))
    return {
        "of": picture.what,
        "n_samples": int(picture.graph.n_samples),
        "n_component": len(rows),
        "eigenvectors": [int(axis) + 1 for axis in axes],
        "eigenvalues": [float(picture.spectrum.eigenvalues[axis]) for axis in axes],
        "lives_on": [round(float(count)) for count in lives_on],
        "axes": wide[:2] if len(wide) > 1 else [0, 1],
        "samples": rows[shown].tolist(),
        "coordinates": points[shown].T.tolist(),
        "group": groups.codes[rows[shown]].tolist(),
    }


def degree_view(graph: SampleGraph) -> dict[str, Any] | None:
    """Histogram of the degrees; None where all are the same."""
    if np.ptp(graph.degrees) <= 1e-9 * np.abs(graph.degrees).max():
        return None
    counts, edges = np.histogram(graph.degrees, bins=BINS)
    return {"counts": counts.tolist(), "edges": edges.tolist()}


def distribution_views(
    X: Any, columns: IntArray, names: Sequence[str], groups: Groups, ranking: IntArray
) -> list[dict[str, Any]]:
    """Quartiles, mean and histogram of each feature in each group, on one axis for all groups."""
    table = columns_of(X, columns)
    return [
        {
            "feature": names[column],
            "rank": int(ranking[column]),
            **_distribution(values, groups),
        }
        for column, values in zip(columns, table.T, strict=True)
    ]


def _distribution(values: FloatArray, groups: Groups) -> dict[str, Any]:
    edges = np.histogram_bin_edges(values, bins=BINS)
    parts = [values[groups.codes == code] for code in range(len(groups.names))]
    return {
        "low": float(edges[0]),
        "high": float(edges[-1]),
        "groups": [
            {
                "name": name,
                "n": int(part.size),
                "mean": float(part.mean()),
                "quartiles": [float(q) for q in np.quantile(part, [0, 0.25, 0.5, 0.75, 1])],
                "counts": np.histogram(part, bins=edges)[0].tolist(),
            }
            for name, part in zip(groups.names, parts, strict=True)
            if part.size
        ],
    }


def redundancy_view(X: Any, columns: IntArray, names: Sequence[str]) -> dict[str, Any]:
    """Correlations of the selected features (constant ones have none) and their mean magnitude."""
    from eigenselect.evaluation import redundancy_rate

    table = columns_of(X, columns)
    varies = (table != table[:1]).any(axis=0)
    unit = _standardised(table) / np.sqrt(len(table))
    correlation = np.clip(unit.T @ unit, -1.0, 1.0)
    correlation[~varies] = np.nan
    correlation[:, ~varies] = np.nan
    return {
        "features": [names[column] for column in columns],
        "correlation": correlation.tolist(),
        "rate": redundancy_rate(table),
    }


def columns_of(X: Any, columns: IntArray) -> FloatArray:
    """Some columns of an array, frame or sparse matrix, dense."""
    if sparse.issparse(X):
        return np.asarray(X.tocsc()[:, columns].toarray(), dtype=np.float64)
    if hasattr(X, "iloc"):
        return np.asarray(X.iloc[:, columns], dtype=np.float64)
    if hasattr(X, "to_numpy"):
        return np.asarray(X[:, columns.tolist()].to_numpy(), dtype=np.float64)
    return np.asarray(np.asarray(X)[:, columns], dtype=np.float64)


def _standardised(table: FloatArray) -> FloatArray:
    """Mean 0 and deviation 1; the largest entry is taken out first, so that squares stay in range."""
    centred = np.where((table != table[:1]).any(axis=0), table - table.mean(axis=0), 0.0)
    centred /= np.maximum(np.abs(centred).max(axis=0), np.finfo(np.float64).tiny)
    spread = np.sqrt((centred**2).mean(axis=0))
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))


def _drawn(picture: PictureGraph) -> tuple[IntArray, list[int]]:
    """Samples to draw, and the places of the eigenvectors to draw them in."""
    live = np.flatnonzero(~picture.graph.isolated)
    labels = picture.graph.components[live]
    rows = live[labels == np.bincount(labels).argmax()]
    if len(rows) < MAIN_COMPONENT * len(live):
        return live, list(range(1, len(picture.spectrum.eigenvalues)))[:SHOWN_EIGENVECTORS]
    mass = (picture.spectrum.eigenvectors[rows] ** 2).sum(axis=0)
    return rows, [axis for axis in range(picture.n_zero, mass.size) if mass[axis] > 0.99][:SHOWN_EIGENVECTORS]

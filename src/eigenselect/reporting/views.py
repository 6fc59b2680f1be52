"""What a report draws, as numbers: spectrum, embedding, degrees, distributions, correlations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import beta

from eigenselect._scaling import exponents_of
from eigenselect.evaluation import near_copies, redundancy_rate
from eigenselect.evaluation.correlations import products, unit_columns
from eigenselect.graph import SampleGraph
from eigenselect.reporting.drawn_graph import DrawnGraph, is_wide, participation
from eigenselect.reporting.groups import UNLABELLED, Groups
from eigenselect.reporting.inputs import columns_of, rows_of
from eigenselect.reporting.separation import separation_view

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
#: features whose distribution is shown, features of the heat map, samples drawn as points
SHOWN_DISTRIBUTIONS, SHOWN_CORRELATIONS, SHOWN_SAMPLES = 12, 30, 3000
#: eigenvectors to choose from
SHOWN_EIGENVECTORS = 6
#: bins of a histogram
BINS = 24
#: correlation of a near-copy, how many are named, and samples that are enough to tell
NEAR_COPY, SHOWN_COPIES, STANDING_SAMPLES = 0.9, 8, 5000
#: numbers that are made dense to measure the redundancy of a selection
REDUNDANCY_BUDGET = 20_000_000


def spectrum_view(picture: DrawnGraph) -> dict[str, Any]:
    """The smallest eigenvalues of the normalised Laplacian, where their largest gap is, and whether it stands out."""
    gap = picture.gap
    return {
        "of": picture.what,
        "eigenvalues": [float(value) for value in picture.spectrum.eigenvalues],
        "n_components": picture.n_components,
        "gap_after": gap.after,
        "gap_ratio": gap.ratio,
        "gap_chance": gap.chance,
        "clusters": gap.clusters,
        "sentence": gap.sentence,
    }


def shown_samples(picture: DrawnGraph | None, n_samples: int, random_state: Any) -> IntArray:
    """The samples that are drawn as points: all of the picture's, or some of them at random."""
    rows = np.arange(n_samples) if picture is None else picture.rows
    if rows.size <= SHOWN_SAMPLES:
        return rows
    return np.sort(np.random.default_rng(random_state).choice(rows, SHOWN_SAMPLES, replace=False))


def embedding_view(picture: DrawnGraph, shown: IntArray) -> dict[str, Any] | None:
    r"""Samples in the first non-trivial eigenvectors, as :math:`p = D^{-1/2}\xi`.

    The two to draw first pass over an eigenvector that sets a handful of samples apart, because it would draw all
    others as one point. How many it sets apart is the participation of what is drawn,
    :math:`(\sum_i q_i^2)^2 / \sum_i q_i^4` with :math:`q = p - \bar p`. Where fewer than two are wide, the two widest
    are drawn. Those of equal eigenvalues, which any rotation of them would replace as well, are in a basis that does
    not depend on the solver, and are named under ``"equal"``; where they are too many for all to be known, none is
    drawn. None where there are not two.
    """
    axes = list(range(1, picture.n_whole))[:SHOWN_EIGENVECTORS]
    if len(axes) < 2:
        return None
    points = picture.drawn[:, axes]
    lives_on = participation(points)
    return {
        "of": picture.what,
        "n_drawn": int(picture.rows.size),
        "n_apart": int(picture.apart.size),
        "eigenvectors": [int(axis) + 1 for axis in axes],
        "eigenvalues": [float(picture.spectrum.eigenvalues[axis]) for axis in axes],
        "equal": _equal(picture, axes),
        "lives_on": [round(float(count)) for count in lives_on],
        "axes": _first_axes(lives_on, len(points)),
        "coordinates": points[np.isin(picture.rows, shown)].T.tolist(),
    }


def _equal(picture: DrawnGraph, axes: list[int]) -> list[list[int]]:
    """Numbers of the drawn eigenvectors that have equal eigenvalues, group by group."""
    groups = picture.spectrum.groups
    members = {group: [axis + 1 for axis in axes if groups[axis] == group] for group in groups[axes].tolist()}
    return [numbers for numbers in members.values() if len(numbers) > 1]


def _first_axes(lives_on: FloatArray, n_samples: int) -> list[int]:
    """The first two places of eigenvectors that are wide, or else of the widest."""
    wide = np.flatnonzero(is_wide(lives_on, n_samples))
    if wide.size < 2:
        wide = np.sort(np.argsort(-np.round(lives_on), kind="stable")[:2])
    return [int(place) for place in wide[:2]]


def class_separation(
    picture: DrawnGraph, embedding: dict[str, Any] | None, groups: Groups, shown: IntArray, random_state: Any
) -> dict[str, Any] | None:
    """How far the plane that is drawn first tells classes apart; see `separation_view`.

    None for clusters, which were made from the picture itself, and where the plane is a choice among equal
    eigenvalues.
    """
    if embedding is None or groups.kind == "cluster" or _is_choice_of_basis(picture, embedding):
        return None
    axes = embedding["axes"]
    codes = np.where(np.array([*groups.names, ""], dtype=object)[groups.codes] == UNLABELLED, -1, groups.codes)
    points = np.array(embedding["coordinates"])[axes].T
    return separation_view(
        points, codes[shown], groups.kind, [embedding["eigenvectors"][axis] for axis in axes], random_state
    )


def _is_choice_of_basis(picture: DrawnGraph, embedding: dict[str, Any]) -> bool:
    """Whether an eigenvalue that is drawn has an eigenvector that is not: any other mixture would do as well.

    The eigenvectors of 0 are no choice: they contrast one component with the larger ones.
    """
    groups = picture.spectrum.groups
    drawn = [embedding["eigenvectors"][axis] - 1 for axis in embedding["axes"]]
    others = np.delete(groups, [0, *drawn])
    return bool(np.isin(groups[drawn][groups[drawn] > 0], others).any())


def degree_view(graph: SampleGraph) -> dict[str, Any] | None:
    """Histogram of the degrees; None where all are the same."""
    low, high = float(graph.mass.min()), float(graph.mass.max())
    if high - low <= 1e-9 * abs(high):
        return None
    return {"low": low, "high": high, "counts": histogram(graph.mass, low, high)}


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
    low, high = float(values.min()), float(values.max())
    parts = [values[groups.codes == code] for code in range(len(groups.names))]
    exponent = int(exponents_of(max(-low, high)))  # sums and differences of values near 1.8e308 stay in range
    return {
        "low": low,
        "high": high,
        "groups": [
            {
                "group": code,
                "n": int(part.size),
                "mean": float(np.ldexp(np.ldexp(part, -exponent).mean(), exponent)),
                "quartiles": np.ldexp(np.quantile(np.ldexp(part, -exponent), QUARTILES), exponent).tolist(),
                "counts": histogram(part, low, high),
            }
            for code, part in enumerate(parts)
            if part.size
        ],
    }


def histogram(values: FloatArray, low: float, high: float) -> list[int]:
    """Counts in `BINS` bins between two ends, also where these are a rounding error apart, or nearly overflow."""
    width = high / 2 - low / 2
    share = (values / 2 - low / 2) / width if width > 0 else np.full(values.shape, 0.5)
    return np.bincount(np.clip((BINS * share).astype(np.intp), 0, BINS - 1), minlength=BINS).tolist()


def redundancy_view(X: Any, selected: IntArray, names: Sequence[str]) -> dict[str, Any]:
    """Correlations of the best features (constant ones have none), and their mean magnitude in the selection.

    Of a very large selection, the mean is over as many of the best as fit into the budget.
    """
    measured = selected[: max(SHOWN_CORRELATIONS, REDUNDANCY_BUDGET // max(1, X.shape[0]))]
    table = columns_of(X, measured)
    return {
        "features": [names[column] for column in measured[:SHOWN_CORRELATIONS]],
        "correlation": correlations(table[:, :SHOWN_CORRELATIONS]).tolist(),
        "rate": redundancy_rate(table),
        "chance": chance_correlation(X.shape[0]),
        "n_measured": int(measured.size),
    }


def chance_correlation(n_samples: int) -> float:
    r"""Mean magnitude of the correlation of two independent normal features, :math:`2 / ((n-2) B(1/2, (n-2)/2))`."""
    if n_samples < 3:
        return 1.0
    return float(2.0 / ((n_samples - 2) * beta(0.5, (n_samples - 2) / 2)))


def correlations(table: FloatArray) -> FloatArray:
    """Correlations of the columns; NaN for constant ones."""
    unit = unit_columns(table)
    unit[:, ~unit.any(axis=0)] = np.nan
    return np.asarray(np.clip(products(unit, unit), -1.0, 1.0))


def standing_view(X: Any, selected: IntArray, names: Sequence[str], random_state: Any) -> list[dict[str, Any]]:
    """Which dropped features the best of the selection stand for, being near-copies of them.

    Of many samples, a part drawn at random is enough to tell copies.
    """
    table = X
    if X.shape[0] > STANDING_SAMPLES:
        rows = np.sort(np.random.default_rng(random_state).choice(X.shape[0], STANDING_SAMPLES, replace=False))
        table = rows_of(X, rows)
    found = near_copies(table, selected[:SHOWN_CORRELATIONS], threshold=NEAR_COPY)
    views = []
    for standing in found:
        dropped = ~np.isin(standing.copies, selected)
        copies, correlations = standing.copies[dropped], standing.correlations[dropped]
        if copies.size:
            first = range(min(copies.size, SHOWN_COPIES))
            views.append(
                {
                    "feature": names[standing.feature],
                    "count": int(copies.size),
                    "copies": [names[copies[place]] for place in first],
                    "correlations": [float(correlations[place]) for place in first],
                }
            )
    return views

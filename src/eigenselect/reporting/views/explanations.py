r"""Why the best features are where they are: at which scale each varies over the drawn graph, and where it is rough.

Noise varies, too. So the shares stand beside those that the same values have when they are shuffled over the samples:
their mean, :math:`\xi_j^\top D\, \xi_j` over its sum (`eigenselect.inference.scales`), and a level that one in a
hundred shuffles passes. For bell-shaped values the share p of a bin is about Beta-distributed,
:math:`\mathrm{Beta}(p\,(n-1)/2,\ (1-p)(n-1)/2)`, as squares of n - 1 independent normal numbers are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.special import betaincinv

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.graph import Origin, SampleGraph
from eigenselect.inference.feature_sums import Feature
from eigenselect.inference.places import EdgeTerms, largest_differences
from eigenselect.inference.scales import EigenGroups
from eigenselect.matrix import Matrix
from eigenselect.reporting.view_types import ExplainedFeature, ExplanationsView

if TYPE_CHECKING:
    from eigenselect.reporting.views.drawn_graph import DrawnGraph

#: features that are explained, and the roughest edges of each
SHOWN_FEATURES, SHOWN_EDGES = 50, 20
#: samples up to which all eigenvectors are computed: about as long as the rest of a page takes
FULL_SAMPLES = 600
#: bins of the whole spectrum, and of its beginning where that is all that is known
BINS, LEADING_BINS = 24, 8
#: edges beyond which none are looked at: a full kernel of 600 samples has nearly as many
MOST_EDGES = 200_000
#: part of the shuffles that stay below the level beside the mean
LEVEL = 0.99


def explanations_view(drawn: DrawnGraph, X: Matrix, columns: IntArray, shown: IntArray) -> ExplanationsView:
    """Explain these columns, best first, on a drawn graph; ``shown`` are the rows that are drawn as points."""
    graph, n_samples = drawn.graph, drawn.rows.size
    table = X.take_columns(columns[:SHOWN_FEATURES]).take_rows(drawn.rows)
    centred = _centred(table, graph)
    pairs, whole = _pairs(drawn)
    borders, bins = _bins(pairs, whole)
    expected = _binned(pairs.noise(graph)[:, None], bins, borders.size - 1)[:, 0]
    expected /= graph.volume - float(graph.mass @ graph.mass) / graph.volume
    spread = graph.mass @ centred**2
    with np.errstate(invalid="ignore"):  # a feature that is constant on the drawn samples has no shares
        shares = _binned(_squares(pairs, centred), bins, borders.size - 1) / spread
    if not whole:
        expected, shares = _with_rest(expected), _with_rest(shares)
        borders = np.append(borders, max(float(borders[-1]), float(graph.frequencies(np.array(graph.interval))[1])))
    place = np.searchsorted(shown, drawn.rows)
    is_shown = np.isin(drawn.rows, shown)
    edges = _roughest_edges(graph, centred, place, is_shown)
    return {
        "of": drawn.description,
        "saw_features": graph.origin is Origin.FEATURES,
        "whole": whole,
        "borders": borders.tolist(),
        "expected": expected.tolist(),
        "level": _level(expected, n_samples).tolist(),
        "features": [
            _explained(bool(size > 0), values, *found)
            for values, found, size in zip(shares.T, edges, spread, strict=True)
        ],
    }


def _explained(defined: bool, shares: FloatArray, edges: IntArray, part: float) -> ExplainedFeature:
    if not defined:
        return {"shares": None, "edges": [], "edge_share": 0.0}
    return {"shares": shares.tolist(), "edges": edges.tolist(), "edge_share": part}


def _centred(table: Matrix, graph: SampleGraph) -> FloatArray:
    """Take the columns out one by one, each in a unit of its own."""
    rows = np.arange(table.n_samples)
    features = [Feature.of(table, column, rows, "report") for column in range(table.n_features)]
    return np.stack([feature.centred(graph) for feature in features], axis=1)


def _pairs(drawn: DrawnGraph) -> tuple[EigenGroups, bool]:
    """Find all eigenpairs of a small graph; of a larger one take the drawn ones, without the trivial one."""
    graph = drawn.graph
    if graph.n_samples <= FULL_SAMPLES:
        found, whole = graph.full_eigensystem(), True
    else:
        found, whole = drawn.spectrum.leading(drawn.n_whole), drawn.n_whole >= graph.n_live
    start = 0 if graph.n_samples <= FULL_SAMPLES else 1
    values, groups = found.eigenvalues[start:], found.groups[start:]
    basis = np.sqrt(graph.mass)[:, None] * found.eigenvectors[:, start:]
    return EigenGroups(values, values, basis, groups - groups[:1].sum()), whole


def _bins(pairs: EigenGroups, whole: bool) -> tuple[FloatArray, IntArray]:
    """Cut the eigenvalues into bins of one width; equal ones, whose vectors are any basis, go into one bin."""
    values = pairs.sums(pairs.eigenvalues) / np.maximum(np.bincount(pairs.groups), 1)
    low, high = min(0.0, float(values.min(initial=0.0))), float(values.max(initial=0.0))
    count = BINS if whole else LEADING_BINS
    width = (high - low) / count or 1.0
    bins = np.clip(np.floor((values - low) / width + 1e-6), 0, count - 1).astype(np.intp)
    return np.asarray(low + width * np.arange(count + 1.0)), bins


def _squares(pairs: EigenGroups, centred: FloatArray) -> FloatArray:
    """Sum squared projections of every feature over each group."""
    squares = (pairs.basis.T @ centred) ** 2
    return np.stack([pairs.sums(column) for column in squares.T], axis=1)


def _binned(values: FloatArray, bins: IntArray, count: int) -> FloatArray:
    """Sum the rows of each bin."""
    total = np.zeros((count, values.shape[1]))
    np.add.at(total, bins, values)
    return total


def _with_rest(shares: FloatArray) -> FloatArray:
    """Append what is left of 1."""
    return np.concatenate([shares, np.maximum(0.0, 1.0 - shares.sum(axis=0, keepdims=True))])


def _level(expected: FloatArray, n_samples: int) -> FloatArray:
    """Return the share of each bin that shuffles of bell-shaped values stay below in 99 of 100 cases."""
    parts, size = np.clip(expected, 0.0, 1.0), (n_samples - 1) / 2
    inside = (parts > 1e-12) & (parts < 1 - 1e-12)
    a, b = np.where(inside, parts * size, 1.0), np.where(inside, (1 - parts) * size, 1.0)
    return np.asarray(np.where(inside, betaincinv(a, b, LEVEL), parts))


def _roughest_edges(
    graph: SampleGraph, centred: FloatArray, place: IntArray, shown: BoolArray
) -> list[tuple[IntArray, float]]:
    """Find for each feature the pairs of points between which it differs most, and their part of its roughness.

    None where roughness is no sum over stored edges, some count against it, or they are too many to look at.
    """
    stored = graph.spectral_map is None and not graph.signed
    if not stored or graph.n_edges is None or graph.n_edges > MOST_EDGES:
        return [(np.empty((0, 2), dtype=np.intp), 0.0)] * centred.shape[1]
    upper = sparse.triu(sparse.csr_array(graph.affinity), k=1, format="coo")
    return [_roughest(largest_differences(upper, values, most=SHOWN_EDGES), place, shown) for values in centred.T]


def _roughest(found: EdgeTerms, place: IntArray, shown: BoolArray) -> tuple[IntArray, float]:
    kept = shown[found.first] & shown[found.second] & (found.terms > 0)
    pairs = np.stack([place[found.first[kept]], place[found.second[kept]]], axis=1)
    total = float(found.terms.sum()) + found.rest
    return pairs, float(found.terms[kept].sum()) / total if total > 0 else 0.0

"""The two scatters of the trace ratio criterion, for every pair of graphs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.criterion import Scores, at_unit_deviation, rounding_of_sums
from eigenselect.criteria.forms import power_form
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.quadratic import FeatureTerms, feature_terms
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.graph import SampleGraph
from eigenselect.graph.eigensolver import as_array
from eigenselect.matrix import Matrix, as_matrix
from eigenselect.selection.rules import as_rule
from eigenselect.selection.trace_ratio import feature_ratios, largest_ratio_subset


@dataclass(frozen=True)
class GraphPair:
    r"""A within graph and a between graph; :math:`e = f^\top L_w f`, :math:`b = f^\top L_b f`.

    Attributes
    ----------
    within : SampleGraph
    between : SampleGraph, "total" or "rest"
        A graph of its own; ``"total"``: :math:`A_b = dd^\top/\mathrm{vol}`, so b is the d-weighted scatter;
        ``"rest"``: what of the total is not within, :math:`A_b = dd^\top/\mathrm{vol} - A_w` (Fisher's pair).
    rows : array of int, optional
        Samples that the graphs are about; None for all.
    scale : float, default=1.0
        Factor of both scatters.

    Examples
    --------
    >>> classes = SampleGraph(np.kron(np.eye(2), np.full((2, 2), 0.5)))
    >>> GraphPair(classes, "rest").scatters(np.array([[1.0], [1], [3], [3]]))
    (array([4.]), array([0.]))
    """

    within: SampleGraph
    between: SampleGraph | str
    rows: IntArray | None = None
    scale: float = 1.0

    def scatters(self, X: Any, n_jobs: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Compute both scatters, b and e, of every feature."""
        table = as_matrix(X)
        gain, cost = self._unscaled(table if self.rows is None else table.take_rows(self.rows), n_jobs)
        return self.scale * gain, self.scale * cost

    def variances(self, X: Matrix, gain: FloatArray, cost: FloatArray, n_jobs: int | None) -> FloatArray:
        """Compute variances; from the scatters where these are about all samples with one weight (Fisher's pair)."""
        if self.between == "rest" and self.rows is None and (self.within.mass == self.within.mass[0]).all():
            return np.asarray((gain + cost) / (self.scale * self.within.volume))
        return feature_variances(X, self.within, n_jobs)

    def unused(self, n_samples: int) -> BoolArray:
        """Tell which of all samples count in neither graph."""
        isolated = self.within.isolated
        if isinstance(self.between, SampleGraph):
            isolated = isolated & self.between.isolated
        unused = np.ones(n_samples, dtype=bool)
        unused[slice(None) if self.rows is None else self.rows] = isolated
        return unused

    @property
    def subtracts(self) -> bool:
        """Whether b is what e leaves of the total, so that its rounding is relative to both."""
        return isinstance(self.between, str) and self.between == "rest"

    def _unscaled(self, X: Matrix, n_jobs: int | None) -> tuple[FloatArray, FloatArray]:
        terms = _terms(X, self.within, n_jobs)
        if isinstance(self.between, SampleGraph):
            return _terms(X, self.between, n_jobs).quadratic, terms.quadratic
        if self.between == "total":
            return terms.spread, terms.quadratic
        return np.maximum(terms.spread - terms.quadratic, 0.0), terms.quadratic

    def laplacians(self, n_samples: int) -> tuple[FloatArray, FloatArray]:
        """Return L_b and L_w as dense arrays, for looking and checking."""
        within = as_array(self.within.laplacian())
        d = self.within.mass
        total = np.diag(d) - np.outer(d, d) / d.sum()
        if isinstance(self.between, SampleGraph):
            between = as_array(self.between.laplacian())
        else:
            between = total if self.between == "total" else total - within
        rows = np.arange(n_samples) if self.rows is None else self.rows
        full = np.zeros((2, n_samples, n_samples))
        full[np.ix_(np.arange(2), rows, rows)] = self.scale * np.stack([between, within])
        return full[0], full[1]

    def forms(self, n_samples: int) -> tuple[SymmetricForm, SymmetricForm]:
        """Return L_b and L_w in parts."""
        within = power_form(self.within, 1).structured(self.within)
        between = SymmetricForm.spread(self.within.mass)
        if isinstance(self.between, SampleGraph):
            between = power_form(self.between, 1).structured(self.between)
        elif self.between == "rest":
            between = between.minus(within)
        if self.rows is not None:
            between, within = between.extended(self.rows, n_samples), within.extended(self.rows, n_samples)
        return between.scaled(self.scale), within.scaled(self.scale)


@dataclass(frozen=True)
class PairSum:
    """Several pairs at once: their scatters add up."""

    parts: tuple[GraphPair, ...]

    @property
    def within(self) -> SampleGraph:
        """The within graph of the last part, which covers all samples."""
        return self.parts[-1].within

    def unused(self, n_samples: int) -> BoolArray:
        """Tell which of all samples count in none of the graphs."""
        return np.logical_and.reduce([part.unused(n_samples) for part in self.parts])

    @property
    def subtracts(self) -> bool:
        """Whether b of one of them is a difference."""
        return any(part.subtracts for part in self.parts)

    def scatters(self, X: Any, n_jobs: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Compute both scatters, b and e, of every feature."""
        gains, costs = zip(*(part.scatters(X, n_jobs) for part in self.parts), strict=True)
        return np.sum(gains, axis=0), np.sum(costs, axis=0)

    def variances(self, X: Matrix, gain: FloatArray, cost: FloatArray, n_jobs: int | None) -> FloatArray:
        """Compute the variance of every feature."""
        return feature_variances(X, self.within, n_jobs)

    def laplacians(self, n_samples: int) -> tuple[FloatArray, FloatArray]:
        """Return L_b and L_w as dense arrays, for looking and checking."""
        pairs = [part.laplacians(n_samples) for part in self.parts]
        return np.sum([pair[0] for pair in pairs], axis=0), np.sum([pair[1] for pair in pairs], axis=0)

    def forms(self, n_samples: int) -> tuple[SymmetricForm, SymmetricForm]:
        """Return L_b and L_w in parts."""
        (between, within), *others = (part.forms(n_samples) for part in self.parts)
        for pair in others:
            between, within = between.plus(pair[0]), within.plus(pair[1])
        return between, within


def feature_variances(X: Matrix, graph: SampleGraph, n_jobs: int | None = None) -> FloatArray:
    """Compute the variance of every feature over the samples that are not isolated, each counting the same."""
    X = X.take_rows(~graph.isolated) if graph.isolated.any() else X
    no_edges = SampleGraph(sparse.csr_array((X.n_samples, X.n_samples)), mass=np.ones(X.n_samples), signed=True)
    return np.asarray(_terms(X, no_edges, n_jobs).spread / X.n_samples)


def _terms(X: Matrix, graph: SampleGraph, n_jobs: int | None) -> FeatureTerms:
    return feature_terms(X, graph, power_form(graph, 1), n_jobs=n_jobs)


@dataclass(frozen=True)
class ScatterRatio:
    r"""Score by two scatters: b/e of each feature, or :math:`b - \lambda^* e` with the ratio λ* of the best subset.

    Attributes
    ----------
    pair : GraphPair or PairSum
    level : {"subset", "feature"}
    wanted : int, float, "auto", SelectionRule or None
        How many features the subset has; a knee is that of the feature-level scores. At feature level nobody asks.
    scale : "unit" or None, default=None
        ``"unit"``: every feature is divided by its standard deviation first, so its scatters are by its variance.
    ratio : float or None
        λ* where it is known.
    """

    pair: GraphPair | PairSum
    level: str
    wanted: Any
    scale: str | None = None
    ratio: float | None = None

    @property
    def larger_is_better(self) -> bool:
        """Direction of the scores."""
        return True

    def scores(self, X: Any, *, n_jobs: int | None = None, owner: str = "TraceRatio") -> Scores:
        """Find the best subset, and score every feature by its part in it; or score each by its own ratio.

        Rounding is relative to b + λe, of which b - λe may be a small rest; to b + e where b is itself what
        e leaves.
        """
        b, e = self._scatters(as_matrix(X), n_jobs)
        gain_size = b + e if self.pair.subtracts else b
        if self.level == "subset":
            return self._subset_scores(b, e, gain_size, owner)
        ratios = feature_ratios(b, e)

        def of_selection(support: BoolArray) -> dict[str, Any]:
            ratio = float(feature_ratios(b[support].sum(), e[support].sum()))
            return {"criterion_": replace(self, ratio=ratio), "trace_ratio_": ratio, "n_iter_": 1}

        return Scores(ratios, ratios, self._rounding(feature_ratios(gain_size, e)), True, of_selection=of_selection)

    def _subset_scores(self, b: FloatArray, e: FloatArray, gain_size: FloatArray, owner: str) -> Scores:
        ratios = feature_ratios(b, e)
        best = largest_ratio_subset(b, e, self._size(ratios, owner))
        known = replace(self, ratio=best.ratio)
        native, size = ratios, feature_ratios(gain_size, e)
        if known.by_subset:
            native = np.where(np.isnan(ratios), np.nan, b - best.ratio * e)
            size = gain_size + best.ratio * e
        found = {"criterion_": known, "trace_ratio_": best.ratio, "n_iter_": max(1, len(best.history))}
        return Scores(native, native, self._rounding(size), True, found, n_selected=best.subset.size)

    def _size(self, ratios: FloatArray, owner: str) -> int:
        return as_rule(self.wanted, owner).number(ratios, owner, self.pair.within.n_samples)

    def _rounding(self, size: FloatArray) -> FloatArray:
        return rounding_of_sums(self.pair.within.n_samples) * size

    @property
    def by_subset(self) -> bool:
        """Whether b - λe is the score: at subset level, unless perfect features make λ infinite."""
        return self.level == "subset" and self.ratio is not None and bool(np.isfinite(self.ratio))

    def _scatters(self, X: Matrix, n_jobs: int | None) -> tuple[FloatArray, FloatArray]:
        """Compute both scatters of the features as they are, or at unit standard deviation."""
        if self.scale is None:
            return self.pair.scatters(X, n_jobs)
        b, e = self.pair.scatters(X, n_jobs)
        variances = self.pair.variances(X, b, e, n_jobs)
        variances = np.where(variances > 0, variances, np.nan)
        return b / variances, e / variances

    def null_ratio(self) -> NullRatio:
        """Return b/e as a ratio of two quadratic forms of the feature itself; its scale cancels out."""
        if self.level != "feature":
            raise ValueError("TraceRatio: only scores of single features have null moments; use level='feature'.")
        n_samples = self.pair.within.n_samples
        between, within = self.pair.forms(n_samples)
        unused = self.pair.unused(n_samples)
        return NullRatio.over_live(between, within, unused, larger_is_better=True, centred=True)

    def matrix(self) -> FloatArray:
        """Return L_b - λ* L_w at subset level, L_b at feature level."""
        L_b, L_w = self.pair.laplacians(self.pair.within.n_samples)
        return L_b - self.ratio * L_w if self.by_subset and self.ratio is not None else L_b

    def features(self, X: FloatArray) -> FloatArray:
        """Return F, at unit deviation if asked for, at subset level; at feature level f at unit within scatter."""
        if self.by_subset:
            return X if self.scale is None else at_unit_deviation(X, self.pair.within, self.pair.unused(len(X)))
        L_w = self.pair.laplacians(len(X))[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(X / np.sqrt(np.einsum("ij,ij->j", X, L_w @ X)))

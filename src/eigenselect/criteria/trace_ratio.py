"""The two scatters of the trace ratio criterion, for every pair of graphs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.criteria.base import BaseCriterion
from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.selection.top_k import number_to_select
from eigenselect.selection.trace_ratio import SubsetRatio, feature_ratios, largest_ratio_subset

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class GraphPair:
    r"""A within graph and a between graph; :math:`e = f^\top L_w f`, :math:`b = f^\top L_b f`.

    Attributes
    ----------
    within : SampleGraph
    between : SampleGraph, "total" or "rest"
        A graph of its own; ``"total"``: :math:`A_b = dd^\top/\mathrm{vol}`, so b is the d-weighted scatter;
        ``"rest"``: what of the total is not within, :math:`A_b = dd^\top/\mathrm{vol} - A_w` (Fisher's pair).
    """

    within: SampleGraph
    between: SampleGraph | str

    def scatters(self, X: Any, n_jobs: int | None) -> tuple[FloatArray, FloatArray]:
        """B and e of every feature."""
        terms = feature_terms(X, self.within, PowerForm(1), n_jobs=n_jobs)
        if isinstance(self.between, SampleGraph):
            return feature_terms(X, self.between, PowerForm(1), n_jobs=n_jobs).quadratic, terms.quadratic
        if self.between == "total":
            return terms.spread, terms.quadratic
        return np.maximum(terms.spread - terms.quadratic, 0.0), terms.quadratic

    def laplacians(self) -> tuple[FloatArray, FloatArray]:
        """L_b and L_w as dense arrays, for looking and checking."""
        within = _laplacian(self.within)
        if isinstance(self.between, SampleGraph):
            return _laplacian(self.between), within
        d = self.within.degrees
        total = np.diag(d) - np.outer(d, d) / d.sum()
        return (total if self.between == "total" else total - within), within


def _laplacian(graph: SampleGraph) -> FloatArray:
    S = graph.carrier.to_array()
    return np.diag(S.sum(axis=1)) - S


@dataclass
class TraceRatioCriterion(BaseCriterion):
    r"""Feature level: b/e of each feature. Subset level: :math:`b - \lambda^* e` with the ratio λ* of the best subset.

    Attributes
    ----------
    pair : GraphPair
    level : {"subset", "feature"}
    wanted : int, float, "auto" or None
        How many features; ``"auto"`` is the knee of the feature-level scores.
    best : SubsetRatio
        After `native_scores`: the chosen subset and its ratio.
    """

    pair: GraphPair
    level: str
    wanted: Any
    best: SubsetRatio = field(init=False)

    @property
    def larger_is_better(self) -> bool:
        return True

    @property
    def by_subset(self) -> bool:
        """Whether b - λe is the score: at subset level, unless perfect features make λ infinite."""
        return self.level == "subset" and np.isfinite(self.best.ratio)

    def native_scores(self, X: Any, *, n_jobs: int | None = None) -> FloatArray:
        b, e = self.pair.scatters(X, n_jobs)
        ratios = feature_ratios(b, e)
        size = number_to_select(self.wanted, ratios, "TraceRatio")
        if self.level == "subset":
            self.best = largest_ratio_subset(b, e, size)
        else:
            chosen = np.argsort(-ratios, kind="stable")[:size]
            self.best = SubsetRatio(np.sort(chosen), float(feature_ratios(b[chosen].sum(), e[chosen].sum())), ())
        return np.where(np.isnan(ratios), np.nan, b - self.best.ratio * e) if self.by_subset else ratios

    def relevance(self, native: FloatArray) -> FloatArray:
        return native

    def matrix(self) -> FloatArray:
        L_b, L_w = self.pair.laplacians()
        return L_b - self.best.ratio * L_w if self.by_subset else L_b

    def features(self, X: FloatArray) -> FloatArray:
        """F itself at subset level; f scaled to unit within scatter at feature level."""
        if self.by_subset:
            return X
        L_w = self.pair.laplacians()[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(X / np.sqrt(np.einsum("ij,ij->j", X, L_w @ X)))

"""The sums that a criterion's score of one feature is.

The feature's column is the only part of a table that is looked at; means are subtracted before it is squared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray, IntArray, Names
from eigenselect.criteria.criterion import AsItIs, Criterion, UnitLength, UnitRange
from eigenselect.criteria.quadratic import FeatureTerms, PowerForm, feature_terms
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.inference.explanation import ClassTerms, Explanation, SampleTerms
from eigenselect.inference.places import EdgeTerms, edge_terms, local_energy, sample_terms
from eigenselect.inference.scales import ScaleTerms, scale_terms
from eigenselect.matrix import Matrix
from eigenselect.matrix.value_range import LARGEST, in_range

#: factor and graph of every source that a graph is a sum of
Sources = Mapping[str, tuple[float, SampleGraph]]


@dataclass(frozen=True)
class Feature:
    """One column of a table.

    Attributes
    ----------
    name : any
        The feature's name, or its column number.
    label : str
        The same in words, for messages.
    column : int
    values : ndarray of shape (n_samples,)
    rows : ndarray of int
        Rows of X that these samples are.
    sample_names : sequence or None
    """

    name: Any
    label: str
    column: int
    values: FloatArray
    rows: IntArray
    sample_names: Names | None

    @classmethod
    def of(cls, table: Matrix, column: int, rows: IntArray, owner: str) -> Feature:
        """Take one column out of a table of any storage, of which only the judged samples are left."""
        label = table.feature_label(column)
        values = table.columns(np.array([column]))[:, 0]
        if not in_range(values).all():
            raise ValueError(
                f"{owner}: X must hold numbers up to {LARGEST:g}, got others in {label}; give the data of fit."
            )
        name = column if label == f"column {column}" or table.feature_names is None else table.feature_names[column]
        names = table.sample_names
        named = names is not None and len(names) == table.n_samples and not hasattr(names, "step")
        return cls(name, label, column, values, rows, names if named else None)

    def at(self, rows: IntArray) -> Feature:
        """Return the values of some of these samples."""
        return replace(self, values=self.values[rows], rows=self.rows[rows], sample_names=None)

    def centred(self, graph: SampleGraph) -> FloatArray:
        """Subtract the weighted mean; that of the heaviest sample goes first, so a large mean costs no digits."""
        values = self.values - self.values[int(np.argmax(graph.mass))]
        return np.asarray(values - graph.mass @ values / graph.volume)

    def terms(self, graph: SampleGraph, form: Any) -> FeatureTerms:
        """Return the numbers that the score of this feature is made of."""
        return feature_terms(self.values[:, None], graph, form)

    def over_samples(self, numerator: FloatArray, denominator: FloatArray | None, factor: float) -> SampleTerms:
        """Make the sum over samples of terms that are multiplied by ``factor``, one over the sum of the denominator."""
        if denominator is None:
            denominator = np.full(numerator.size, 1.0 / (factor * numerator.size))
        with np.errstate(invalid="ignore"):  # a perfect feature is worth infinitely much, and 0 of that is nothing
            terms = np.where(numerator == 0, 0.0, numerator * factor)
        return SampleTerms(self.rows, terms, numerator, denominator, self.sample_names)

    def explained(self, owner: str, score: float, larger_is_better: bool, **sums: Any) -> Explanation:
        """Make an explanation of this feature."""
        return Explanation(owner, self.name, self.column, score, larger_is_better, **sums)


def explain_criterion(
    criterion: Criterion, feature: Feature, owner: str, sources: Sources | None = None
) -> Explanation:
    """Split the native score of one feature into all the sums that the criterion has.

    Parameters
    ----------
    criterion : Criterion
    feature : Feature
        Of the samples of the graph.
    owner : str
        Who scored.
    sources : dict, optional
        Factor and graph of every source that the criterion's graph is a sum of.
    """
    sums = _Sums(replace(criterion, normalization=_of_column(criterion.normalization, feature.column)), feature, owner)
    refuse_constant(sums.score, feature, owner)
    samples = sums.samples()
    return feature.explained(
        owner,
        sums.score,
        criterion.larger_is_better,
        samples=samples,
        edges=sums.edges(),
        scales=sums.scales(),
        classes=class_terms(criterion.graph, feature, samples.terms),
        sources=sums.sources(sources or {}),
    )


@dataclass(frozen=True)
class _Sums:
    """The sums of one feature, and the numbers that they share."""

    criterion: Criterion
    feature: Feature
    owner: str

    @cached_property
    def terms(self) -> FeatureTerms:
        return self.feature.terms(self.criterion.graph, self.criterion.form)

    @cached_property
    def centred(self) -> FloatArray:
        return self.feature.centred(self.criterion.graph)

    @cached_property
    def score(self) -> float:
        return float(self.criterion.score_terms(self.terms, self.owner).native[0])

    @cached_property
    def unit(self) -> float:
        """What the quadratic form is multiplied with: one over the squared length of f̂ before that was made 1."""
        return float(self._normalised(replace(self.terms, quadratic=np.ones(1)), 0.0))

    def samples(self) -> SampleTerms:
        graph, form = self.criterion.graph, self.criterion.form
        numerator = sample_terms(form, self.centred, graph)
        if self.criterion.native.as_odds:
            whole = float(numerator.sum())
            return self.feature.over_samples(
                between_terms(graph, self.centred, numerator), numerator, 1.0 / whole if whole > 0 else np.inf
            )
        if self._sees_mean:
            numerator = numerator + form.at_zero * graph.mass * self.terms.mean[0] ** 2
        return self.feature.over_samples(numerator, self._length_terms(), self.unit)

    def edges(self) -> EdgeTerms | None:
        if self.criterion.native.as_odds:  # edges sum to q, not to the odds
            return None
        found = edge_terms(self.criterion.form, self.centred, self.criterion.graph)
        return None if found is None else found.scaled(self.unit, self.feature.rows)

    def scales(self) -> ScaleTerms | None:
        if self.criterion.native.as_odds:  # scales sum to q, not to the odds
            return None
        graph, form = self.criterion.graph, self.criterion.form
        value = float(self._normalised(self.terms, form.at_zero))
        return scale_terms(graph, self.criterion.normalization, form, self.centred, self.terms, value)

    def sources(self, sources: Sources) -> dict[str, float]:
        """Sum over sources: the Laplacian of Σ θ_i s_i S_i is a sum, which other functions of N are not."""
        if self.criterion.form != PowerForm(1):
            return {}
        energies = {name: weight * local_energy(graph, self.centred).sum() for name, (weight, graph) in sources.items()}
        return {name: self.unit * float(energy) for name, energy in energies.items()}

    @property
    def _sees_mean(self) -> bool:
        rule = self.criterion.normalization
        return isinstance(rule, UnitLength) and not rule.deflated

    def _normalised(self, terms: FeatureTerms, at_zero: float) -> float:
        return float(self.criterion.normalization.value(terms, at_zero, self.owner)[0])

    def _length_terms(self) -> FloatArray | None:
        """Split the squared length of f̂ before it was made 1 into one term per sample; None where there is none."""
        rule, mass = self.criterion.normalization, self.criterion.graph.mass
        if isinstance(rule, UnitLength):
            return np.asarray(mass * (self.feature.values if self._sees_mean else self.centred) ** 2)
        if isinstance(rule, AsItIs) and rule.scale == "unit":
            return np.asarray(mass * self.centred**2 / self.terms.volume)
        return None


def refuse_constant(score: float, feature: Feature, owner: str) -> None:
    """Refuse a feature without a score."""
    if np.isnan(score):
        raise ValueError(
            f"{owner}: {feature.label} has no score to explain, because it is constant on the samples of the graph; "
            "choose another feature."
        )


def between_terms(graph: SampleGraph, centred: FloatArray, within: FloatArray) -> FloatArray:
    """Split the scatter that is not within: (mean of its class - mean of all)² of every sample of a class graph."""
    if isinstance(graph.affinity, ClassMeans):
        means = graph.affinity.means(centred[:, None])[:, 0]
        return np.asarray((means**2)[graph.affinity.codes])
    return np.asarray(graph.mass * centred**2 - within)


def class_terms(graph: SampleGraph, feature: Feature, terms: FloatArray) -> ClassTerms | None:
    """Sum over classes; None where the graph is no class-label similarity."""
    S = graph.affinity
    if not isinstance(S, ClassMeans):
        return None
    within = np.bincount(S.codes, weights=S.deviations(feature.values[:, None])[:, 0] ** 2)
    between = S.sizes * S.means(feature.centred(graph)[:, None])[:, 0] ** 2
    total = float(within.sum() + between.sum())
    means = S.means(feature.values[:, None])[:, 0]
    names = np.arange(S.sizes.size) if S.names is None else S.names
    by_class = np.bincount(S.codes, weights=terms).astype(np.float64, copy=False)
    return ClassTerms(names, S.sizes, means, within / total, between / total, by_class)


def _of_column(normalization: Any, column: int) -> Any:
    """Return the normalisation of one feature, where each has a number of its own."""
    return UnitRange(normalization.half_ranges[[column]]) if isinstance(normalization, UnitRange) else normalization

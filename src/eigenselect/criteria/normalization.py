r"""How a feature is made comparable: the f̂ of the theorem, applied without forming it.

Every rule works on three numbers per feature f, in the inner product of the graph's mass m:

* the mean :math:`\mu = f^\top m / \mathrm{vol}`,
* its *trivial* part :math:`\mathrm{vol}\,\mu^2`, the share along :math:`\xi_1 \propto M^{1/2}\mathbf 1`,
* its *spread* :math:`g^\top M g` with :math:`g = f - \mu\mathbf 1`, which is the rest.

Means are subtracted before anything is squared, so a feature with mean 1e6 and spread 1 keeps its digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.graph import SampleGraph


@dataclass(frozen=True)
class FeatureTerms:
    """Per feature: q = gᵀ M^1/2 A M^1/2 g of some matrix A, the spread gᵀMg and the mean; and the graph's volume.

    Examples
    --------
    >>> FeatureTerms(np.array([1.0]), np.array([4.0]), np.array([0.0]), volume=4.0).deviation
    array([1.])
    """

    quadratic: FloatArray
    spread: FloatArray
    mean: FloatArray
    volume: float

    @classmethod
    def empty(cls, n_features: int, volume: float) -> FeatureTerms:
        """Make room for the terms of so many features, which `put` fills."""
        quadratic, spread, mean = (np.empty(n_features) for _ in range(3))
        return cls(quadratic, spread, mean, volume)

    @classmethod
    def side_by_side(cls, parts: Sequence[FeatureTerms]) -> FeatureTerms:
        """Put the terms of several blocks of features together."""
        values = zip(*((part.quadratic, part.spread, part.mean) for part in parts), strict=True)
        quadratic, spread, mean = map(np.concatenate, values)
        return cls(quadratic, spread, mean, parts[0].volume)

    def put(self, columns: IntArray | slice, again: FeatureTerms) -> None:
        """Replace the terms of some features."""
        self.quadratic[columns], self.spread[columns], self.mean[columns] = again.quadratic, again.spread, again.mean

    @property
    def trivial(self) -> FloatArray:
        """Vol μ² of each feature."""
        return self.volume * self.mean**2

    @property
    def deviation(self) -> FloatArray:
        """The m-weighted standard deviation of each feature."""
        return np.sqrt(self.spread / self.volume)

    @property
    def defined_spread(self) -> FloatArray:
        """The spread, and NaN for a constant feature: it is ξ_1 itself and says nothing of the samples."""
        return np.where(self.spread > 0, self.spread, np.nan)


class Normalization(Protocol):
    """A rule that makes f̂ of f."""

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        """Compute f̂ᵀAf̂, where A has the eigenvalue ``at_zero`` for ξ_1; NaN for features without spread."""

    def length(self, terms: FeatureTerms) -> FloatArray | float:
        """Compute f̂ᵀf̂, which the rounding of f̂ᵀAf̂ is relative to."""

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        """Return F̂ itself, for looking and checking; NaN for features without spread."""


@dataclass(frozen=True)
class UnitLength:
    r"""Give features unit length, :math:`\hat f = M^{1/2} f / \lVert M^{1/2} f \rVert`.

    Attributes
    ----------
    deflated : bool
        Project :math:`\xi_1` out first (φ2), or keep it (φ1, φ3).

    See Also
    --------
    Criterion : Has a normalisation.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.criteria import UnitLength
    >>> from eigenselect.graph import SampleGraph
    >>> UnitLength(deflated=True).apply(np.array([[1.0], [3.0]]), SampleGraph(np.ones((2, 2)))).round(3)
    array([[-0.707],
           [ 0.707]])
    """

    deflated: bool

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        """Compute f̂ᵀAf̂ of every feature.

        Parameters
        ----------
        terms : FeatureTerms
            Quadratic form, spread and mean of every feature.
        at_zero : float
            The eigenvalue of A for ξ_1.
        owner : str
            Who speaks in errors.

        Returns
        -------
        ndarray of shape (n_features,)
            NaN for features without spread.
        """
        if self.deflated:
            return terms.quadratic / terms.defined_spread
        return (terms.quadratic + at_zero * terms.trivial) / (terms.defined_spread + terms.trivial)

    def length(self, terms: FeatureTerms) -> float:
        """Compute f̂ᵀf̂, which the rounding of f̂ᵀAf̂ is relative to.

        Parameters
        ----------
        terms : FeatureTerms
            Quadratic form, spread and mean of every feature.

        Returns
        -------
        float
            1 for all.
        """
        return 1.0

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        """Return F̂ itself, for looking and checking.

        Parameters
        ----------
        features : ndarray of shape (n_samples, n_features)
            Features in columns.
        graph : SampleGraph
            Whose mass counts.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            NaN for features without spread.
        """
        live, mass = features[~graph.isolated], graph.mass
        features = np.where((live == live[0]).all(axis=0), np.nan, features)
        if self.deflated:
            features = features - features[int(np.argmax(mass))]
            features = features - mass @ features / mass.sum()
        weighted = np.sqrt(mass)[:, None] * features
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(weighted / np.linalg.norm(weighted, axis=0))


@dataclass(frozen=True)
class AsItIs:
    r""":math:`\hat f = f`, or f divided by its standard deviation.

    Attributes
    ----------
    scale : "unit" or None
        ``"unit"`` for unit standard deviation, so that the unit of a feature does not count.

    Examples
    --------
    >>> AsItIs("unit").apply(np.array([[0.0], [4.0]]), SampleGraph(np.ones((2, 2))))
    array([[0.],
           [2.]])
    """

    scale: str | None = None

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        if self.scale == "unit":
            return terms.quadratic / (terms.defined_spread / terms.volume)
        return np.where(terms.spread > 0, terms.quadratic, np.nan)

    def length(self, terms: FeatureTerms) -> FloatArray | float:
        return terms.volume if self.scale == "unit" else terms.spread

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        return at_unit_deviation(features, graph) if self.scale == "unit" else features


@dataclass(frozen=True)
class Centred:
    r""":math:`\hat f = (f - \mu\mathbf 1) / \sqrt n`, whose squared length is the variance of f; 0 for a constant one.

    Examples
    --------
    >>> Centred().apply(np.array([[0.0], [4.0]]), SampleGraph(np.zeros((2, 2)), mass=np.ones(2))).round(3)
    array([[-1.414],
           [ 1.414]])
    """

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        return terms.quadratic / terms.volume

    def length(self, terms: FeatureTerms) -> FloatArray:
        return terms.spread / terms.volume

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        features = features - features[0]  # a large mean costs no digits then
        return np.asarray((features - features.mean(axis=0)) / np.sqrt(graph.n_samples))


@dataclass(frozen=True)
class UnitRange:
    r""":math:`\hat f = f / (\max f - \min f)`, for forms of absolute differences, which are linear in f.

    Attributes
    ----------
    half_ranges : ndarray of shape (n_features,)
        Half the range of every feature.

    Examples
    --------
    >>> UnitRange(np.array([2.0])).apply(np.array([[0.0], [4.0]]), SampleGraph(np.ones((2, 2))))
    array([[0.],
           [1.]])
    """

    half_ranges: FloatArray

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        return terms.quadratic / np.where(terms.spread > 0, 2.0 * self.half_ranges, np.nan)

    def length(self, terms: FeatureTerms) -> float:
        return 1.0

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        halves = np.where(self.half_ranges > 0, self.half_ranges, np.nan)
        return np.asarray(features / 2 / halves)


UNIT = UnitLength(deflated=False)
DEFLATED = UnitLength(deflated=True)


def at_unit_deviation(X: FloatArray, graph: SampleGraph, unused: BoolArray | None = None) -> FloatArray:
    """Divide features by their standard deviation over samples that are not isolated.

    NaN for constant ones; 0 for samples that count nowhere: the isolated ones, unless ``unused`` says which.
    """
    X = np.where((graph.isolated if unused is None else unused)[:, None], 0.0, X)
    live = X[~graph.isolated]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(live.max(axis=0) > live.min(axis=0), X / live.std(axis=0), np.nan))

r"""How a feature is made comparable: the f̂ of the theorem, applied without forming it.

Every rule works on three numbers per feature f, in the inner product of the degrees d:

* the mean :math:`\mu = f^\top d / \mathrm{vol}`,
* its *trivial* part :math:`\mathrm{vol}\,\mu^2`, the share along :math:`\xi_1 \propto D^{1/2}\mathbf 1`,
* its *spread* :math:`g^\top D g` with :math:`g = f - \mu\mathbf 1`, which is the rest.

Means are subtracted before anything is squared, so a feature with mean 1e6 and spread 1 keeps its digits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenselect._scaling import OutOfRangeError, column_exponents, divided

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class FeatureTerms:
    """Per feature: q = gᵀ D^1/2 M D^1/2 g of some matrix M, the spread gᵀDg and the mean; and the graph's volume.

    All three are those of the feature divided by 2^exponent, which is 0 unless its squares would leave the range of
    floating point. Scores that do not depend on a feature's unit need not look at it; `in_unit_of_table` is for others.
    """

    quadratic: FloatArray
    spread: FloatArray
    mean: FloatArray
    volume: float
    exponent: NDArray[np.intp] | None = None

    def in_unit_of_table(self, owner: str) -> FeatureTerms:
        """The same for the features as they are; refused where a square of theirs is no floating-point number."""
        if self.exponent is None:
            return self
        with np.errstate(over="ignore", under="ignore"):  # refused below
            quadratic, spread = (np.ldexp(values, 2 * self.exponent) for values in (self.quadratic, self.spread))
        too_large = np.isinf(spread) | (np.isinf(quadratic) & np.isfinite(self.quadratic))
        lost = int((too_large | ((spread < np.finfo(np.float64).tiny) & (self.spread > 0))).sum())
        if lost:
            raise OutOfRangeError(
                f"{owner}: the values of {lost} of {spread.size} features are too large or too small to be squared; "
                "scale the features first, for example with StandardScaler, or let scale='unit' do it where the method "
                "has it."
            )
        return FeatureTerms(quadratic, spread, np.ldexp(self.mean, self.exponent), self.volume)

    @property
    def trivial(self) -> FloatArray:
        return self.volume * self.mean**2

    @property
    def deviation(self) -> FloatArray:
        """The d-weighted standard deviation of each feature."""
        return np.sqrt(self.spread / self.volume)


@dataclass(frozen=True)
class Normalization:
    r"""f̂ = D^1/2 f scaled to unit length, with or without its trivial part.

    Attributes
    ----------
    deflated : bool
        Project :math:`\xi_1` out first (φ2), or keep it (φ1, φ3).
    """

    deflated: bool

    def score(self, terms: FeatureTerms, at_zero: float) -> FloatArray:
        r"""f̂ᵀ M f̂, where M has the eigenvalue ``at_zero`` for :math:`\xi_1`; NaN for features without spread.

        A constant feature is ξ_1 itself: it says nothing of the samples and has no score, under any rule.
        """
        undefined = ~(terms.spread > 0)
        spread = np.where(undefined, np.nan, terms.spread)
        if self.deflated:
            return terms.quadratic / spread
        return (terms.quadratic + at_zero * terms.trivial) / (spread + terms.trivial)

    def apply(self, features: FloatArray, degrees: FloatArray) -> FloatArray:
        """F̂ itself, for looking and checking; NaN for features without spread."""
        isolated = degrees == 0
        live = features[~isolated]
        features = np.where(isolated[:, None], 0.0, features)  # they count nowhere, whatever their size
        features = divided(features, column_exponents(live))
        features = np.where((live == live[0]).all(axis=0), np.nan, features)
        root = np.sqrt(degrees)[:, None]
        if self.deflated:
            features = features - features[int(np.argmax(degrees > 0))]
            features = features - degrees @ features / degrees.sum()
        weighted = root * features
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(weighted / np.linalg.norm(weighted, axis=0))


UNIT = Normalization(deflated=False)
DEFLATED = Normalization(deflated=True)

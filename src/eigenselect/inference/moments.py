r"""Mean, variance and third central moment of :math:`T = f^\top (\alpha A + \beta B) f` when f is permuted.

With :math:`f = c\mathbf 1 + z`, c the mean, T is :math:`\tau p_2 + c^2 s` plus :math:`Q = z^\top B z` and
:math:`\ell = 2c\, (HA\mathbf 1)^\top z`, which both have mean 0. What products of up to six permuted values leave is in
`eigenselect.inference.patterns`; the scalars of the forms are in `eigenselect.inference.scalars`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect.inference.patterns import coefficient
from eigenselect.inference.polynomials import evaluate
from eigenselect.inference.power_sums import PowerSums
from eigenselect.inference.scalars import LinearScalars, Scalars

#: a variance below this part of its terms is rounding: every permutation has the same value
NO_VARIANCE = 1e-13


@dataclass(frozen=True)
class Moments:
    """Mean, variance and third central moment of T for every feature; the variance is 0 where it is only rounding."""

    mean: FloatArray
    variance: FloatArray
    third: FloatArray

    @property
    def skewness(self) -> FloatArray:
        """Third moment over the third power of the standard deviation; 0 where nothing varies."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.variance > 0, self.third / self.variance**1.5, 0.0)


def null_moments(scalars: Scalars, sums: PowerSums, alpha: FloatArray, beta: FloatArray) -> Moments:
    r"""Compute the moments of T of every feature at its own (α, β).

    .. math:: \mathrm{var} &= 2 g_{22} \mathrm{tr} B^2 + g_4 \sum b_i^2 \\
              \mu_3 &= 8 g_{222} \mathrm{tr} B^3 + g_{33} \bigl(4 \sum B_{ij}^3 + 6 b^\top B b\bigr)
              + 12 g_{42} \sum b_i (B^2)_{ii} + g_6 \sum b_i^3

    for forms that annihilate constants; the others have the terms of ℓ beside these.
    """
    at = _Values(scalars, sums, alpha, beta)
    mean = at.value(scalars.tau) * sums.powers[2] + sums.mean**2 * at.value(scalars.total)
    variance = 2.0 * at.g(2, 2) * at.value(scalars.trace2) + at.g(4) * at.value(scalars.bb)
    third = (
        8.0 * at.g(2, 2, 2) * at.value(scalars.trace3)
        + at.g(3, 3) * (4.0 * at.value(scalars.cubes) + 6.0 * at.value(scalars.bBb))
        + 12.0 * at.g(4, 2) * at.value(scalars.bB2)
        + at.g(6) * at.value(scalars.bbb)
    )
    if scalars.linear is not None:
        more = _linear_moments(scalars.linear, at, 2.0 * sums.mean)
        variance, third = variance + more[0], third + more[1]
    varies = variance > NO_VARIANCE * at.size()
    return Moments(mean, np.where(varies, variance, 0.0), np.where(varies, third, 0.0))


def _linear_moments(linear: LinearScalars, at: _Values, c: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute 2 E[Qℓ] + E[ℓ²] and 3 E[Q²ℓ] + 3 E[Qℓ²] + E[ℓ³], for ℓ = c lᵀz."""
    Ql, ll = c * at.g(3) * at.value(linear.bl), c**2 * at.g(2) * at.value(linear.ll)
    QQl = c * (at.g(3, 2) * 4.0 * (at.value(linear.bBl) + at.value(linear.lB2)) + at.g(5) * at.value(linear.bbl))
    Qll = c**2 * (2.0 * at.g(2, 2) * at.value(linear.lBl) + at.g(4) * at.value(linear.bll))
    lll = c**3 * at.g(3) * at.value(linear.lll)
    return 2.0 * Ql + ll, 3.0 * (QQl + Qll) + lll


class _Values:
    """Polynomials and pattern coefficients of all features."""

    def __init__(self, scalars: Scalars, sums: PowerSums, alpha: FloatArray, beta: FloatArray) -> None:
        self.scalars, self.sums, self.alpha, self.beta = scalars, sums, alpha, beta

    def value(self, polynomial: FloatArray) -> FloatArray:
        return evaluate(polynomial, self.alpha, self.beta)

    def g(self, *pattern: int) -> FloatArray:
        return coefficient(pattern, self.scalars.n_samples, self.sums.powers)

    def size(self) -> FloatArray:
        """Bound the terms whose sum the variance is: of both forms, without any cancellation between them."""
        n, p2 = self.scalars.n_samples, self.sums.powers[2]
        alpha, beta = np.abs(self.alpha), np.abs(self.beta)
        tau = evaluate(np.abs(self.scalars.tau), alpha, beta)
        quadratic = evaluate(np.abs(self.scalars.trace2), alpha, beta) + n * tau**2
        size = 2.0 * (p2 / n) ** 2 * quadratic
        if self.scalars.linear is None:
            return size
        return size + 4.0 * self.sums.mean**2 * p2 / n * evaluate(np.abs(self.scalars.linear.ll), alpha, beta)

r"""Whose p-values three moments do not tell.

Three moments describe the tail of a bell-shaped feature down to about 1e-5 where many samples carry the form. They do
not where

* few values carry the feature. Its null distribution has lumps, atoms, and tails that no smooth family follows. How
  few is said by

  .. math:: k = \Big(\sum_i z_i^2\Big)^2 \Big/ \sum_i z_i^4, \qquad z = f - \bar f,

  which is about the number of non-zeros of a rare feature and n/3 for a bell-shaped one;
* few samples or edges carry the form, so that its tail is heavy without being skewed
  (`eigenselect.inference.kurtosis`);
* few samples hold the form by themselves, as those of a class of two do: a score is then that of the few values that
  land on them, with lumps where a feature has few levels, and without the tail of a sum of many where it has more. With
  B the form without constant part and trace, this is measured by

  .. math:: \ell = \Big|\sum_i B_{ii}^3\Big| \Big/ (\mathrm{tr} B^2)^{3/2},

  at the mean of permuted scores, which is :math:`1/s^2` for a class of s samples among many, and small where many
  samples are alike;
* scores are skewed the wrong way, so that the type III curve ends (`eigenselect.inference.tails.careful_tail`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenselect._typing import BoolArray, FloatArray
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.kurtosis import unseen_kurtosis
from eigenselect.inference.polynomials import evaluate
from eigenselect.inference.power_sums import PowerSums
from eigenselect.inference.scalars import Scalars

#: effective number of values from which the moments are enough. Measured on 400 samples, three graphs: at a true 1e-4
#: type III says 0.7e-4 to 1.3e-4 from 130 values on, 0.4e-4 to 1.1e-4 with 50, and 0.02e-4 to 3e-4 with 3 to 20.
ENOUGH_VALUES = 100.0
#: and the part of the samples that bell-shaped (n/3) and uniform (n/1.8) features surely exceed: few samples do not
#: make a feature rare
ENOUGH_SHARE = 1 / 6
#: type III goes wrong where p · k is below about this (the same measurements: at 1e-2 it is good with 50 values, and
#: off by a factor of 2 with 3 to 6)
DEEP = 1.0
#: kurtosis beyond that of type III up to which the moments are enough, and its share that is the largest p-value which
#: it makes wrong. By Edgeworth's series it moves the tail at t by a share of Δκ (t³ - 3t) φ(t) / 24 P(t), about a
#: quarter where P is Δκ/48: from 0.004 on with 0.2, from 0.02 on with 1, and from 0.1 on with 5
SEEN_KURTOSIS, HEAVY = 0.12, 1 / 48
#: ℓ up to which the moments are enough: of a class of five among 150 samples it is 0.033, and noise that is 0 or 1 has
#: p ≤ 0.01 in 1.6 % of the cases; of classes of one to three, up to twice as many p-values are small as should be
SEEN_LUMPS = 0.03
#: skewness below which the curve ends so early, before 5 standard deviations, that its tail is not believed at 0.003
WRONG_WAY = -0.4


def has_few_values(sums: PowerSums, pvalues: FloatArray) -> BoolArray:
    """Tell which features so few values carry that their moments do not tell such small p-values."""
    effective = effective_values(sums)
    enough = np.minimum(ENOUGH_VALUES, ENOUGH_SHARE * sums.powers[0])
    return np.asarray((effective < enough) & (pvalues * effective < DEEP))


def has_wrong_curve(
    forms: Sequence[SymmetricForm],
    scores: FloatArray,
    pvalues: FloatArray,
    skewness: FloatArray | None = None,
    lumps: FloatArray | None = None,
) -> BoolArray:
    """Tell at which scores r the tail of A - rB is heavier than type III says, in lumps, or skewed the wrong way.

    Parameters
    ----------
    forms : sequence of SymmetricForm
        A and B; A alone where B stands for 1.
    scores, pvalues : ndarray of shape (n_features,)
    skewness : ndarray of shape (n_features,), optional
        Of permuted scores, in the direction of good ones.
    lumps : ndarray of shape (n_features,), optional
        See `form_lumps`.
    """
    unseen = unseen_kurtosis(forms, scores)
    wrong = (unseen > SEEN_KURTOSIS) & (pvalues < HEAVY * unseen)
    if skewness is not None:
        wrong |= skewness < WRONG_WAY
    return wrong if lumps is None else wrong | (lumps > SEEN_LUMPS)


def form_lumps(scalars: Scalars, alpha: FloatArray, beta: FloatArray) -> FloatArray:
    """Return ℓ of the forms αA + βB: how much of each few samples hold by themselves.

    >>> from eigenselect.criteria.null_ratio import NullRatio
    >>> from eigenselect.inference.scalars import null_scalars
    >>> two = SymmetricForm.of_classes(np.repeat([0, 1], [998, 2]), np.array([1 / 998, 1 / 2])).centred()
    >>> form_lumps(null_scalars(NullRatio(two, None, True, True, 1000)), np.ones(1), np.zeros(1)).round(2)
    array([0.25])
    """
    squares = np.maximum(evaluate(scalars.trace2, alpha, beta), 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        lumps = np.abs(evaluate(scalars.bbb, alpha, beta)) / squares**1.5
    return np.where(np.isfinite(lumps), lumps, 0.0)


def effective_values(sums: PowerSums) -> FloatArray:
    """Return (Σ z²)² / Σ z⁴ of every column; infinite for constant ones.

    >>> from eigenselect.inference.power_sums import power_sums
    >>> from eigenselect.matrix import Matrix
    >>> effective_values(power_sums(Matrix(np.array([[1.0, 0], [-1, 0], [1, 8], [-1, 0]]))))
    array([4.        , 1.71428571])
    """
    varies = sums.powers[4] > 0
    return np.where(varies, sums.powers[2] ** 2 / np.where(varies, sums.powers[4], 1.0), np.inf)

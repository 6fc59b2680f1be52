r"""Whose p-values three moments do not tell.

Three moments describe the tail of a bell-shaped feature down to about 1e-5 where many samples carry the form. They do
not where

* few values carry the feature. Its null distribution has lumps, atoms, and tails that no smooth family follows. How
  few is said by

  .. math:: k = \Big(\sum_i z_i^2\Big)^2 \Big/ \sum_i z_i^4, \qquad z = f - \bar f,

  which is about the number of non-zeros of a rare feature and n/3 for a bell-shaped one;
* few samples or edges carry the form, so that its tail is heavy without being skewed
  (`eigenselect.inference.kurtosis`);
* scores are skewed the wrong way, so that the type III curve ends (`eigenselect.inference.tails.careful_tail`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.kurtosis import unseen_kurtosis
from eigenselect.inference.power_sums import PowerSums

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
    order: IntArray | None = None,
) -> BoolArray:
    """Tell at which scores r the tail of A - rB is heavier than type III says, or skewed the wrong way.

    Parameters
    ----------
    forms : sequence of SymmetricForm
        A and B; A alone where B stands for 1.
    scores, pvalues : ndarray of shape (n_features,)
    skewness : ndarray of shape (n_features,), optional
        Of permuted scores, in the direction of good ones.
    order : array of int, optional
        Which samples the rows of the forms are.
    """
    unseen = unseen_kurtosis(forms, scores, order)
    heavy = (unseen > SEEN_KURTOSIS) & (pvalues < HEAVY * unseen)
    return heavy if skewness is None else heavy | (skewness < WRONG_WAY)


def effective_values(sums: PowerSums) -> FloatArray:
    """Return (Σ z²)² / Σ z⁴ of every column; infinite for constant ones.

    >>> from eigenselect.inference.power_sums import power_sums
    >>> from eigenselect.matrix import Matrix
    >>> effective_values(power_sums(Matrix(np.array([[1.0, 0], [-1, 0], [1, 8], [-1, 0]]))))
    array([4.        , 1.71428571])
    """
    varies = sums.powers[4] > 0
    return np.where(varies, sums.powers[2] ** 2 / np.where(varies, sums.powers[4], 1.0), np.inf)

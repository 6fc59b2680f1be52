r"""P-values of features with two values on classes: exact, from the counts of the rarer value in each class.

No permutation within a class changes a score, so a score is a function of how many of the k rarer values each class
has, and these counts are hypergeometric under permutation:

.. math:: P(a_1, \dots, a_c) = \prod_l \binom{n_l}{a_l} \Big/ \binom nk .

There are few of them, and a smooth curve goes through the middle of the lumps: of 4 ones among 30 samples, 3 in a class
of 8, type III says 0.018, and 0.048 of all arrangements are as good. For two classes this is Fisher's exact test with
arrangements in the order of the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, prod

import numpy as np
from scipy.special import gammaln

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.inference.power_sums import PowerSums
from eigenselect.matrix import Matrix

#: rarer values up to which a smooth curve does not do, and numbers (samples times tables) up to which they are counted
MOST_RARE, MOST_VALUES = 100, 500_000
#: kurtosis may exceed its least value, that of two values, by this part for rounding; columns are looked at then
ROUNDING = 1e-6
#: what is left of a difference of this part of its terms is rounding
SAME_SCORE = 1e-11


def may_have_two_values(sums: PowerSums) -> BoolArray:
    r"""Tell which features can have two values: there alone kurtosis is as small as it can be, 1 + skewness².

    >>> from eigenselect.inference.power_sums import power_sums
    >>> may_have_two_values(power_sums(Matrix(np.array([[0.0, 1], [0, 2], [3, 3], [0, 4]]))))
    array([ True, False])
    """
    n, p2, p3, p4 = (sums.powers[k] for k in (0, 2, 3, 4))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(n * p4 / p2**2 - n * p3**2 / p2**3 < 1 + ROUNDING * n)


def two_value_pvalues(ratio: NullRatio, X: Matrix, native: FloatArray) -> FloatArray:
    """Compute the exact p-value of every feature with two values; NaN for others, and where it would take too long.

    Parameters
    ----------
    ratio : NullRatio
    X : Matrix of shape (n_samples, n_features)
        Over the samples that count.
    native : ndarray of shape (n_features,)
        Observed scores.

    Examples
    --------
    Two ones in a class of two, among five: one of ten places.

    >>> from eigenselect.criteria.structured import SymmetricForm
    >>> classes = SymmetricForm.of_classes(np.array([0, 0, 1, 1, 1]), np.array([1 / 2, 1 / 3]))
    >>> ratio = NullRatio(classes.centred(), SymmetricForm.spread(np.ones(5)), True, True, 5)
    >>> X = np.array([[1.0, 1, 0, 0, 0]]).T
    >>> two_value_pvalues(ratio, Matrix(X), ratio.values(X)).round(3)
    array([0.1])
    """
    found = np.full(native.size, np.nan)
    codes = ratio.classes
    if codes is None:
        return found
    sizes = np.bincount(codes)
    known: dict[tuple[float, float, int], _Arrangements] = {}
    for place, score in enumerate(native.tolist()):
        values, counts = np.unique(X.columns(slice(place, place + 1))[:, 0], return_counts=True)
        count = int(counts.min())
        if values.size != 2 or count > MOST_RARE or _n_tables(sizes, count) * ratio.n_samples > MOST_VALUES:
            continue
        common, rare = values[np.argsort(-counts, kind="stable")].tolist()
        unit = rare - common if ratio.centred else max(abs(common), abs(rare))
        key = (0.0, 1.0, count) if ratio.centred else (common / unit, rare / unit, count)
        if key not in known:
            known[key] = _Arrangements.of(ratio, codes, *key)
        found[place] = known[key].pvalue(score if ratio.denominator is not None else score / unit / unit)
    return found


@dataclass(frozen=True)
class _Arrangements:
    """Numerator, denominator (1 where there is none) and probability of every table of counts."""

    gain: FloatArray
    cost: FloatArray
    probability: FloatArray
    larger_is_better: bool

    @classmethod
    def of(cls, ratio: NullRatio, codes: IntArray, common: float, rare: float, count: int) -> _Arrangements:
        """Try all tables."""
        sizes = np.bincount(codes)
        tables = _tables(sizes, count)
        X = np.where(_placed(codes, tables), rare, common)
        X = X - X.mean(axis=0) if ratio.centred else X
        cost = np.ones(len(tables)) if ratio.denominator is None else ratio.denominator.quadratic(X)
        probability = np.exp(_log_probabilities(sizes, tables))
        return cls(ratio.numerator.quadratic(X), cost, probability, ratio.larger_is_better)

    def pvalue(self, score: float) -> float:
        """Sum the probabilities of tables with at least as good a score: where fᵀ(A - rB)f says so, ties included.

        Of large r, infinite ones too, that is divided by r.
        """
        unit = max(1.0, abs(score))
        gain, cost = self.gain / unit, self.cost * (score if unit == 1.0 else np.copysign(1.0, score))
        lead = gain - cost if self.larger_is_better else cost - gain
        as_good = lead >= -SAME_SCORE * (np.abs(gain).max() + np.abs(cost).max())
        return min(1.0, float(self.probability[as_good].sum()))


def _n_tables(sizes: IntArray, count: int) -> int:
    """Bound the number of ways to share the rarer values among the classes."""
    return min(comb(count + sizes.size - 1, count), prod(min(size, count) + 1 for size in sizes.tolist()))


def _tables(sizes: IntArray, count: int) -> IntArray:
    """List the counts of each class that sum to ``count``, one row for each.

    >>> _tables(np.array([1, 3]), 2)
    array([[0, 2],
           [1, 1]])
    """
    tables = np.zeros((1, 0), dtype=np.intp)
    for number, size in enumerate(sizes.tolist()):
        left, room = count - tables.sum(axis=1), int(sizes[number + 1 :].sum())
        rows = [(row, own) for row, rest in enumerate(left) for own in range(max(0, rest - room), min(size, rest) + 1)]
        places, own = np.array(rows, dtype=np.intp).T
        tables = np.column_stack([tables[places], own])
    return tables


def _placed(codes: IntArray, tables: IntArray) -> BoolArray:
    """Put the rarer values on the first samples of each class: one column for each table."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], codes)
    ranks = np.empty(codes.size, dtype=np.intp)
    ranks[order] = np.arange(codes.size)
    return np.asarray((ranks - starts)[:, None] < tables.T[codes])


def _log_probabilities(sizes: IntArray, tables: IntArray) -> FloatArray:
    """Return the logarithm of the multivariate hypergeometric probabilities."""
    logs = gammaln(sizes + 1.0) - gammaln(tables + 1.0) - gammaln(sizes - tables + 1.0)
    total, count = float(sizes.sum()), float(tables[0].sum())
    whole = gammaln(total + 1.0) - gammaln(count + 1.0) - gammaln(total - count + 1.0)
    return np.asarray(logs.sum(axis=1) - whole)

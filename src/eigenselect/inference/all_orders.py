r"""P-values of few samples: every order of the values is tried.

Three moments say little where there are few orders: of 3 against 3 samples no p-value is below 0.1, where a smooth
curve says 0.02. The score of a feature in the order :math:`\pi` is that of the form with rows and columns in the
order :math:`\pi^{-1}`, so the forms are ordered, once for all features; what labels and symmetric graphs make equal is
counted, not computed again.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.landing import TIED
from eigenselect.matrix import Matrix

#: samples of which all orders are tried: 8! are 40 320
MOST_SAMPLES = 8
#: numbers of one block of features: orders × features
BLOCK = 2**22
#: rounding of entries of size 1
ROUNDING = 1e-15
#: digits of ordered forms that are told apart
DIGITS = 12


def all_orders_pvalues(ratio: NullRatio, X: Matrix, native: FloatArray) -> FloatArray:
    r"""Count the orders of the values in which a feature is at least as good as it is, ties included.

    .. math:: p = \frac{1}{n!} \#\{\pi: \pm f_\pi^\top (A - rB) f_\pi \ge 0\}

    Parameters
    ----------
    ratio : NullRatio
        Of few samples.
    X : Matrix of shape (n_samples, n_features)
        Over the samples that count.
    native : ndarray of shape (n_features,)
        Observed scores r, infinite ones, too; none is NaN.

    Examples
    --------
    Three against three: of the 20 ways to put the larger values, 2 are as good.

    >>> from eigenselect.criteria.structured import SymmetricForm
    >>> classes = SymmetricForm.of_classes(np.array([0, 0, 0, 1, 1, 1]), np.full(2, 1 / 3))
    >>> ratio = NullRatio(classes.centred(), SymmetricForm.spread(np.ones(6)), True, True, 6)
    >>> X = np.array([[1.0, 2, 3, 7, 8, 9]]).T
    >>> all_orders_pvalues(ratio, Matrix(X), ratio.values(X))
    array([0.1])
    """
    orders = _Orders(ratio)
    step = max(1, BLOCK // orders.counts.size)
    parts = [slice(start, start + step) for start in range(0, native.size, step)]
    return np.concatenate([np.zeros(0), *(orders.shares(X.columns(part), native[part]) for part in parts)])


class _Orders:
    r"""Numerator and denominator in all orders that differ, as rows of weights.

    With f = c1 + z, of which c is 0 where constants do not count, a form is
    :math:`\sum_{i \le j} w_{ij} z_i z_j + 2c\,(A\mathbf 1)^\top z + c^2\,\mathbf 1^\top A\mathbf 1`.
    """

    def __init__(self, ratio: NullRatio) -> None:
        self.ratio = ratio
        self.first, self.second = np.triu_indices(ratio.n_samples)
        orders = np.array(list(permutations(range(ratio.n_samples))), dtype=np.intp)
        forms = [form.to_array() for form in (ratio.numerator, ratio.denominator) if form is not None]
        self.units = [_unit(form) for form in (ratio.numerator, ratio.denominator) if form is not None]
        weights = np.stack([self._ordered(form / unit, orders) for form, unit in zip(forms, self.units, strict=True)])
        rounded = np.round(np.hstack(list(weights)), DIGITS) + 0.0
        _, places, self.counts = np.unique(rounded, axis=0, return_index=True, return_counts=True)
        self.weights = weights[:, places]
        self.largest = np.maximum(np.abs(self.weights).max(axis=1), ROUNDING / TIED)

    def _ordered(self, form: FloatArray, orders: IntArray) -> FloatArray:
        twice = np.where(self.first == self.second, 1.0, 2.0)
        image = form.sum(axis=1)
        pairs = twice * form[orders[:, self.first], orders[:, self.second]]
        return np.hstack([pairs, 2.0 * image[orders], np.full((len(orders), 1), image.sum())])

    def shares(self, tile: FloatArray, native: FloatArray) -> FloatArray:
        """Return the share of orders in which each column is at least as good as its score."""
        alpha, beta, constant = self._along(native)
        terms = self._terms(tile)
        statistics, size = alpha * (self.weights[0] @ terms) - constant, alpha * (self.largest[0] @ np.abs(terms))
        if self.ratio.denominator is not None:
            statistics -= beta * (self.weights[1] @ terms)
            size += np.abs(beta) * (self.largest[1] @ np.abs(terms))
        as_good = (statistics if self.ratio.larger_is_better else -statistics) >= -TIED * (size + np.abs(constant))
        return np.asarray(np.maximum(self.counts @ as_good, 1) / self.counts.sum())

    def _terms(self, tile: FloatArray) -> FloatArray:
        """Return z_i z_j, c z_i and c²; a feature of which constants do not count has c = 0."""
        mean = tile.mean(axis=0)
        z = tile - mean
        mean = np.zeros_like(mean) if self.ratio.centred else mean
        return np.vstack([z[self.first] * z[self.second], mean * z, mean[None] ** 2])

    def _along(self, native: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return α, β and c of the statistic αA - βB - c of the scaled forms: α = 0 for infinite scores."""
        if self.ratio.denominator is None:
            ones = np.ones_like(native)
            return ones, 0.0 * ones, native / self.units[0]
        scores = np.where(np.isinf(native), native, native * (self.units[1] / self.units[0]))
        length = np.hypot(1.0, scores)
        with np.errstate(invalid="ignore"):
            beta = np.where(np.isinf(scores), np.sign(scores), scores / length)
        return 1.0 / length, beta, np.zeros_like(scores)


def _unit(form: SymmetricForm) -> float:
    """Return the size of a form's entries, and of terms that cancel in them."""
    largest = float(np.abs(form.to_array()).max())
    return max(largest, float(form.explicit.diagonal_size().max())) or 1.0

"""Safe screening: bounds that spare most features a product with the residual, and the candidates that are left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.multivariate.centred_columns import CentredColumns

#: features that are multiplied with every residual: this part of all, and at least so many
POOL_SHARE = 1 / 24
POOL_LEAST = 192
#: the pool is filled anew when it would grow beyond this many times its first size
LARGEST = 2.5
#: columns that differ by this part of their norm are the same but for rounding
ROUNDING = 1e-13


@dataclass
class Correlations:
    r"""Correlations of the pool with a residual.

    Attributes
    ----------
    R : ndarray of shape (n_samples, n_outputs)
        The residual.
    products : ndarray of shape (n_pool, n_outputs)
        :math:`x_i^\top R`.
    norms : ndarray of shape (n_pool,)
        Norms of these rows; 0 for features that do not compete.
    highest : float
        The largest norm.
    """

    R: FloatArray
    products: FloatArray
    norms: FloatArray
    highest: float


class ScreeningPool:
    r"""Multiply the features near the boundary with every residual, all others only when no bound rules them out.

    With :math:`g_i = \lVert x_i^\top R_0 \rVert` known from an earlier residual :math:`R_0`, and any number s,

    .. math:: \lVert x_i^\top R \rVert \le s\,g_i + \lVert x_i \rVert\, \lVert R - s R_0 \rVert_2 .

    As long as this is at most λ for all features outside of the pool, none of them can violate the optimality
    conditions. The spectral norm is bounded from above by :math:`\lVert (\Delta^\top\Delta)^4 \rVert_F^{1/8}`.

    Parameters
    ----------
    columns : CentredColumns
    copy_tolerance : float, default=0.0
        Features that differ from one that entered by at most this part of its norm, up to sign, are its copies.

    Attributes
    ----------
    features : ndarray of int
        Members of the pool.
    rows : ndarray of shape (n_pool, n_samples)
        Their columns.
    excluded : ndarray of bool of shape (n_features,)
        Features that do not compete for entry: those of the active set, copies of them, and columns of zeros.
    copies : ndarray of bool of shape (n_features,)
        The copies among these.

    References
    ----------
    Ghaoui, Viallon and Rabbani (2012), Pacific Journal of Optimization 8, 667-698; Ndiaye, Fercoq, Gramfort and Salmon
    (2017), JMLR 18(128).

    Examples
    --------
    >>> pool = ScreeningPool(CentredColumns(np.eye(3), center=False))
    >>> pool.correlate(np.array([[3.0], [1], [2]]), penalty=3.0).norms
    array([3., 1., 2.])
    """

    def __init__(self, columns: CentredColumns, copy_tolerance: float = 0.0) -> None:
        self.columns, self.copy_tolerance = columns, max(copy_tolerance, ROUNDING)
        self.size = min(columns.n_features, max(POOL_LEAST, int(POOL_SHARE * columns.n_features)))
        self.features = np.empty(0, np.intp)
        self.rows = np.empty((0, columns.n_samples))
        self.excluded = columns.norms == 0
        self.copies = np.zeros(columns.n_features, dtype=bool)
        self._inside = np.zeros(columns.n_features, dtype=bool)
        self._reference: FloatArray | None = None
        self.refreshes = 0

    def correlate(self, R: FloatArray, penalty: float) -> Correlations:
        """Multiply the pool with R, after all features that might exceed λ have come into it."""
        if self._reference is None:
            self.fill(R, penalty, self.columns.correlation_norms(R))
        else:
            suspects = self._not_ruled_out(R, penalty)
            if suspects.sum() + self.features.size > LARGEST * self.size:
                self.fill(R, penalty, self.columns.correlation_norms(R))
            elif suspects.any():
                features = self._outside[suspects]
                self._add(features, self.columns.take(features))
                self._keep_outside(~suspects)
        return self.multiply(R)

    def multiply(self, R: FloatArray) -> Correlations:
        """Multiply the pool as it is with R."""
        products = np.asarray(self.rows @ R)
        norms = np.sqrt(np.einsum("ij,ij->i", products, products))
        norms[self.excluded[self.features]] = 0.0
        return Correlations(R, products, norms, float(norms.max(initial=0.0)))

    def fill(self, R: FloatArray, penalty: float, norms: FloatArray) -> None:
        """Take those that need the least change of R to reach λ, and remember R for the bound of the others.

        ``norms`` are the `CentredColumns.correlation_norms` of R.
        """
        self.refreshes += 1
        competing, lengths = ~self.excluded, self.columns.norms
        room = np.full(lengths.size, np.inf)
        np.divide(penalty - norms, lengths, out=room, where=competing)
        chosen = np.zeros(lengths.size, dtype=bool)
        chosen[np.argpartition(room, self.size - 1)[: self.size]] = True
        chosen |= norms > penalty
        chosen &= competing
        self._inside, self.features = chosen, np.flatnonzero(chosen)
        self.rows = self.columns.take(self.features)
        self._reference, self._reference_square = R, float(np.vdot(R, R))
        self._outside = np.flatnonzero(competing & ~chosen)
        self._outside_norms, self._outside_lengths = norms[self._outside], lengths[self._outside]

    def crossing(self, correlations: Correlations, slope: FloatArray, penalty: float) -> float:
        r"""Find the largest λ below at which a feature of the pool reaches it, if residuals go on along ``slope``.

        :math:`\lVert x_i^\top (R + \delta \dot R) \rVert = \lambda + \delta` is a quadratic equation for each feature;
        where a feature is above λ already, the crossing is above.
        """
        c, s = correlations.products, self.rows @ slope
        a = np.einsum("ij,ij->i", s, s) - 1
        b = np.einsum("ij,ij->i", c, s) - penalty
        q = np.einsum("ij,ij->i", c, c) - penalty**2
        with np.errstate(divide="ignore", invalid="ignore"):
            t = -(b + np.copysign(np.sqrt(np.maximum(b * b - a * q, 0.0)), b))
            roots = np.stack([t / a, q / t])
        roots[~np.isfinite(roots)] = -np.inf
        below = np.where(roots < 0, roots, -np.inf).max(axis=0)
        above = np.where(roots > 0, roots, np.inf).min(axis=0)
        step = np.where(q > 0, np.where(np.isfinite(above), above, 0.0), below)
        step[self.excluded[self.features]] = -np.inf
        return penalty + max(float(step.max(initial=-np.inf)), -penalty)

    def enter(self, correlations: Correlations, threshold: float) -> IntArray:
        """Let features enter whose correlation reaches the threshold, in column order, without copies of each other."""
        fresh: list[int] = []
        reached = np.flatnonzero(correlations.norms >= threshold)
        for place in reached[np.argsort(self.features[reached])]:
            feature = int(self.features[place])
            if not self.excluded[feature]:
                fresh.append(feature)
                self.excluded[feature] = True
                self.exclude_copies(self._copies_of(self.rows[place]))
        return np.array(fresh, np.intp)

    def leave(self, features: IntArray, rows: FloatArray) -> None:
        """Let features compete again that have left the active set."""
        self.excluded[features] = False
        self._add(features, rows)

    def exclude_copies(self, features: IntArray) -> None:
        """Let copies of features in the active set never enter."""
        self.excluded[features] = self.copies[features] = True

    def _copies_of(self, column: FloatArray) -> IntArray:
        """Find members of the pool that equal a column up to sign."""
        length = np.linalg.norm(column)
        along = self.rows @ column
        alike = np.flatnonzero(np.abs(along) >= (1 - 2 * self.copy_tolerance) * length**2)
        apart = self.rows[alike] - np.sign(along[alike])[:, None] * column
        near = np.sqrt(np.einsum("ij,ij->i", apart, apart)) <= self.copy_tolerance * length
        copies = self.features[alike[near]]
        return np.asarray(copies[~self.excluded[copies]])

    def _add(self, features: IntArray, rows: FloatArray) -> None:
        """Take features in, if they are not in yet."""
        if not features.size:
            return
        fresh = ~self._inside[features]
        self._inside[features] = True
        self.features = np.concatenate([self.features, features[fresh]])
        self.rows = np.vstack([self.rows, rows[fresh]])

    def _not_ruled_out(self, R: FloatArray, penalty: float) -> BoolArray:
        assert self._reference is not None
        share = max(float(np.vdot(R, self._reference)) / self._reference_square, 0.0)
        moved = spectral_norm_bound(R - share * self._reference)
        bound = share * self._outside_norms + moved * self._outside_lengths
        return np.asarray(bound > penalty)

    def _keep_outside(self, kept: BoolArray) -> None:
        self._outside = self._outside[kept]
        self._outside_norms, self._outside_lengths = self._outside_norms[kept], self._outside_lengths[kept]


def spectral_norm_bound(matrix: FloatArray) -> float:
    """Bound the largest singular value from above, by at most 1.33 times as much for 100 columns."""
    size = float(np.abs(matrix).max(initial=0.0))
    if size == 0.0:
        return 0.0
    scaled = matrix / size
    square = scaled.T @ scaled
    for _ in range(2):
        square = square @ square
    return size * float(np.sqrt(np.vdot(square, square))) ** 0.125

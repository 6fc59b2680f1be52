"""Which features can matter: bounds that spare most of them a product with the residual."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenselect.multivariate.centred_columns import CentredColumns

FloatArray = NDArray[np.float64]

#: features that are looked at every time: this part of all, and at least so many
POOL_SHARE = 1 / 24
POOL_LEAST = 192
#: the pool is made anew when it would grow beyond this many times its first size
LARGEST = 2.5


class ScreeningPool:
    r"""The features near the boundary, looked at every time; all others only when a bound no longer rules them out.

    With :math:`g_i = \lVert x_i^\top R_0 \rVert` known from an earlier residual :math:`R_0`, and any number s,

    .. math:: \lVert x_i^\top R \rVert \le s\,g_i + \lVert x_i \rVert\, \lVert R - s R_0 \rVert_2 .

    As long as this is at most λ for all features outside of the pool, none of them can violate the optimality
    conditions. The spectral norm is bounded from above by :math:`\lVert (\Delta^\top\Delta)^4 \rVert_F^{1/8}`.

    Parameters
    ----------
    columns : CentredColumns

    Attributes
    ----------
    features : ndarray of int
        Who is in the pool.
    rows : ndarray of shape (n_pool, n_samples)
        Their columns.
    """

    def __init__(self, columns: CentredColumns) -> None:
        self.columns = columns
        self.size = min(columns.n_features, max(POOL_LEAST, int(POOL_SHARE * columns.n_features)))
        self.features = np.empty(0, np.intp)
        self.rows = np.empty((0, columns.n_samples))
        self._inside = np.zeros(columns.n_features, dtype=bool)
        self._reference: FloatArray | None = None
        self.refreshes = 0

    def correlations(self, R: FloatArray, penalty: float, ignored: NDArray[np.bool_]) -> FloatArray:
        """:math:`x_i^T R` of the pool, after all features that might exceed λ have come into it.

        Those that are ``ignored`` do not come in; such that have been in before may still be.
        """
        if self._reference is None:
            self._fill(R, penalty, ignored)
        else:
            suspects = self._not_ruled_out(R, penalty)
            if suspects.sum() + self.features.size > LARGEST * self.size:
                self._fill(R, penalty, ignored)
            elif suspects.any():
                features = self._outside[suspects]
                self.add(features, self.columns.take(features))
                self._keep_outside(~suspects)
        return np.asarray(self.rows @ R)

    def add(self, features: NDArray[np.intp], rows: FloatArray) -> None:
        """Take features in, if they are not in yet."""
        if not features.size:
            return
        fresh = ~self._inside[features]
        self._inside[features] = True
        self.features = np.concatenate([self.features, features[fresh]])
        self.rows = np.vstack([self.rows, rows[fresh]])

    def _not_ruled_out(self, R: FloatArray, penalty: float) -> NDArray[np.bool_]:
        assert self._reference is not None
        share = max(float(np.vdot(R, self._reference)) / self._reference_square, 0.0)
        moved = spectral_norm_bound(R - share * self._reference)
        bound = share * self._outside_correlations + moved * self._outside_lengths
        return np.asarray(bound > penalty)

    def _fill(self, R: FloatArray, penalty: float, ignored: NDArray[np.bool_]) -> None:
        """Take those that need the least change of R to reach λ, and remember R for the bound of the others."""
        self.refreshes += 1
        correlations = self.columns.correlation_lengths(R)
        lengths = self.columns.lengths
        room = np.full(lengths.size, np.inf)
        np.divide(penalty - correlations, lengths, out=room, where=~ignored)
        chosen = np.zeros(lengths.size, dtype=bool)
        chosen[np.argpartition(room, self.size - 1)[: self.size]] = True
        chosen |= correlations > penalty
        chosen &= ~ignored
        self._inside, self.features = chosen, np.flatnonzero(chosen)
        self.rows = self.columns.take(self.features)
        self._reference, self._reference_square = R, float(np.vdot(R, R))
        self._outside = np.flatnonzero(~(chosen | ignored))
        self._outside_correlations, self._outside_lengths = correlations[self._outside], lengths[self._outside]

    def _keep_outside(self, kept: NDArray[np.bool_]) -> None:
        self._outside = self._outside[kept]
        self._outside_correlations, self._outside_lengths = (
            self._outside_correlations[kept],
            self._outside_lengths[kept],
        )


def spectral_norm_bound(matrix: FloatArray) -> float:
    """An upper bound of the largest singular value, at most 1.33 times as large for 100 columns."""
    size = float(np.abs(matrix).max(initial=0.0))
    if size == 0.0:
        return 0.0
    scaled = matrix / size
    square = scaled.T @ scaled
    for _ in range(2):
        square = square @ square
    return size * float(np.sqrt(np.vdot(square, square))) ** 0.125

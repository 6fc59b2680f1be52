r"""An approximate inverse of a graph's matrix, in a time that grows as the graph does: smooth, then correct on groups.

What varies from neighbour to neighbour is damped by a polynomial of the matrix. What is left varies slowly, and one
number for each group of neighbours describes it (`eigenselect.graph.aggregation_numba`). With :math:`P_0` the known
null vector of M cut into groups, a column of unit length for each, and b the upper end of the spectrum,

.. math:: P = (I - \tfrac{4}{3b} M) P_0, \qquad A = P^\top M P, \qquad r \mapsto P A^{-1} P^\top r

is the correction. In planar neighbour graphs a group has about fifteen samples, so that A is factorised in a small part
of the time. The same Chebyshev polynomial of degree two smooths before and after: the whole is symmetric and positive.
Conjugate gradients repeat it, so single precision is enough.

References
----------
Vaněk, Mandel and Brezina, Algebraic multigrid by smoothed aggregation for second and fourth order elliptic problems,
Computing 1996, doi:10.1007/BF02238511; Adams, Brezina, Hu and Tuminaro, Parallel multigrid smoothing: polynomial versus
Gauss-Seidel, J. Comput. Phys. 2003, doi:10.1016/S0021-9991(03)00194-3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eigenselect._eigen import eigh
from eigenselect._typing import FloatArray
from eigenselect.graph.factorization import Factor, plan_factor
from eigenselect.graph.krylov import upper_end

Singles = NDArray[np.float32]

#: a neighbour is strong if its weight is at least this part of the largest weight of one of the two samples
STRONG = 0.1
#: smoothing damps the spectrum from this part of its upper end on
DAMPED_FROM = 0.125
#: what makes the matrix of the groups, whose null vector is known and set aside, positive definite
SHIFT = 1e-10
#: matrices of the groups up to this size are factorised even if they are wide
SMALL_COARSE = 6000
#: products with the inverse of the matrix of the groups that start vectors are made of
START_PRODUCTS = 4


class TwoGrid:
    """The approximate inverse of M on the complement of its only null vector, applied to columns.

    Examples
    --------
    >>> ring = sparse.csr_array(np.roll(np.eye(60), 1, axis=1) + np.roll(np.eye(60), -1, axis=1))
    >>> M, constant = sparse.csr_array(sparse.eye_array(60) - ring / 2), np.full(60, 60**-0.5)
    >>> wave = np.cos(np.arange(60) * 2 * np.pi / 60)[:, None]
    >>> inverse = TwoGrid.of(M, constant, np.random.RandomState(0))
    >>> bool(np.abs(inverse(M @ wave) - wave).max() < 0.1)
    True
    """

    def __init__(self, grids: _Grids, factor: Factor) -> None:
        self._grids, self._factor = grids, factor
        self._matrix, self._up = grids.matrix.astype(np.float32), grids.up.astype(np.float32)
        self._down = sparse.csr_array(self._up.T)
        self._image = sparse.csr_array(grids.image.T.astype(np.float32))
        self._scale = grids.scale[:, None].astype(np.float32)
        self._null = (grids.null / np.linalg.norm(grids.null))[:, None]
        self._entries = self._matrix.indptr, self._matrix.indices, self._matrix.data
        self._weights = _chebyshev_weights(grids.top)

    @classmethod
    def of(cls, matrix: sparse.csr_array, null: FloatArray, start: np.random.RandomState) -> TwoGrid | None:
        """Make it for a matrix without negative eigenvalues; None if the matrix of the groups has no small factor.

        Parameters
        ----------
        matrix : csr_array of shape (n, n)
            M, symmetric. Neighbours should have near numbers: products are then several times as fast.
        null : ndarray of shape (n,)
            The only null vector, without zeros.
        start : RandomState
            For the estimate of the spectrum's upper end.
        """
        if (matrix.diagonal() <= 0).any():
            return None
        grids = _Grids(matrix, null, start)
        plan = plan_factor(grids.coarse, wide_up_to=SMALL_COARSE)
        if plan is None or (grids.mass <= 0).any():
            return None
        return cls(grids, Factor(grids.coarse, SHIFT, plan))

    def __call__(self, residuals: FloatArray | Singles) -> Singles:
        """Return about M⁻¹ r for every column r that is orthogonal to the null vector."""
        from eigenselect.graph.two_grid_numba import smooth_last, subtract_product

        right = np.asarray(residuals, dtype=np.float32) * self._scale
        left, step = self._smooth(right)
        # P'(r - M step) by the short product (MP)' step; then one product with M for both steps.
        step += self._up @ self._solve(self._down @ left - self._image @ step)
        subtract_product(*self._entries, step, left)
        solution = np.empty_like(right)
        smooth_last(*self._entries, left, *self._weights, right, step, self._scale[:, 0], solution)
        return solution

    def start(self, count: int, start: np.random.RandomState) -> FloatArray:
        r"""Return about the ``count`` smallest eigenvectors, or some more, from those of the groups, smoothed.

        The groups' problem is :math:`Av = \mu\,\mathrm{diag}(m)v` with m the row sums of P'P, weighted so that the null
        vector stays what it is. Some products of its inverse with a random block hold copies of repeated eigenvalues.
        """
        from eigenselect.graph.two_grid_numba import WIDTH

        root = np.sqrt(self._grids.mass)[:, None]
        width = min(-(-count // WIDTH) * WIDTH, root.size // (2 * START_PRODUCTS))
        block, spaces = start.normal(size=(root.size, width)), []
        for _ in range(START_PRODUCTS):
            block = np.linalg.qr(root * self._solve(root * block).astype(np.float64))[0]
            spaces.append(block)
        basis = np.linalg.qr(np.hstack(spaces))[0]
        rotation = eigh(basis.T @ ((self._grids.coarse @ (basis / root)) / root))[1]
        vectors = self._up @ (basis @ rotation[:, :width] / root).astype(np.float32)
        image = self._matrix @ vectors
        vectors -= self._weights[0] * image + self._smooth(image)[1]
        return np.asarray(vectors * self._scale, dtype=np.float64)

    def _smooth(self, right: Singles) -> tuple[Singles, Singles]:
        """Take two steps of Chebyshev's iteration: what the first leaves, and the second."""
        from eigenselect.graph.two_grid_numba import smooth

        left, step = np.empty_like(right), np.empty_like(right)
        smooth(*self._entries, right, *self._weights, left, step)
        return left, step

    def _solve(self, right: FloatArray | Singles) -> Singles:
        """Return A⁻¹ r on the complement of the null vector of the groups."""
        right = right.astype(np.float64)
        solution = self._factor.solve(np.asfortranarray(right - self._null @ (self._null.T @ right)))
        return np.asarray(solution - self._null @ (self._null.T @ solution), dtype=np.float32)


def _chebyshev_weights(top: float) -> tuple[np.float32, np.float32, np.float32]:
    """Return the weights of the first residual in the first step, and of the second and the first in the second."""
    middle, radius = ((1 + sign * DAMPED_FROM) * top / 2 for sign in (1, -1))
    ratio = 1 / (2 * middle / radius - radius / middle)
    return np.float32(1 / middle), np.float32(2 * ratio / radius), np.float32(ratio * radius / middle**2)


class _Grids:
    """Both matrices and the way between them.

    Attributes
    ----------
    scale : ndarray of shape (n,)
        Δ^-1/2, with Δ the diagonal of M.
    matrix : csr_array
        Δ^-1/2 M Δ^-1/2, called M in what follows.
    top : float
        The upper end b of its spectrum, about.
    up, image, coarse : csr_array
        P, MP and A.
    null, mass : ndarray
        The null vector of A, and the m of `TwoGrid.start`.
    """

    def __init__(self, matrix: sparse.csr_array, null: FloatArray, start: np.random.RandomState) -> None:
        from eigenselect.graph.aggregation_numba import aggregates

        self.scale = 1 / np.sqrt(matrix.diagonal())
        scaling = sparse.diags_array(self.scale)
        self.matrix = sparse.csr_array(scaling @ matrix @ scaling)
        self.top = upper_end(lambda vector: self.matrix @ vector, matrix.shape[0], start)
        fine_null = null / self.scale
        groups = aggregates(self.matrix, STRONG)
        self.null = np.sqrt(np.bincount(groups, weights=fine_null**2))
        pieces = sparse.csr_array((fine_null / self.null[groups], groups, np.arange(groups.size + 1)))
        self.up = sparse.csr_array(pieces - min(4 / (3 * self.top), 1.0) * (self.matrix @ pieces))
        self.image = sparse.csr_array(self.matrix @ self.up)
        coarse: Any = self.up.T @ self.image
        self.coarse = sparse.csr_array((coarse + coarse.T) / 2)
        self.mass = self.up.T @ (fine_null * self.scale**2) / self.null

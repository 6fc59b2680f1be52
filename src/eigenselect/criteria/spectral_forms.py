"""Forms of criteria: any function of N, by a Chebyshev series or from eigenpairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.engine import Engine
from eigenselect.criteria.forms import ByTiles
from eigenselect.criteria.sparse_sums import sparse_moments
from eigenselect.criteria.structured import SymmetricForm, series_form
from eigenselect.graph import SampleGraph
from eigenselect.matrix import SparseMatrix
from eigenselect.spectral import ChebyshevSeries, SpectralFunction

#: eigenvectors up to which a sparse X is projected without dense tiles
FEW_VECTORS = 100
#: columns that a Chebyshev series takes at a time, and the most bytes of such a tile, unless it would be narrow; fewer
#: are a multiple of `FEWEST_COLUMNS`, which registers hold: 41 columns took longer than 48
SERIES_COLUMNS, SERIES_BYTES, FEWEST_COLUMNS = 64, 5 * 2**24, 8
#: tiles of a sparse table that one thread takes after each other
SERIES_TILES = 2


@dataclass(frozen=True)
class ChebyshevForm(ByTiles):
    r"""A = γ(N) by a Chebyshev series: :math:`\sum_k c_k \langle g, T_k g\rangle`.

    where :math:`T_k` are the Chebyshev polynomials of P, moved to [-1, 1]. With :math:`t_k = T_k g`,

    .. math:: t_{k+1} = 2 P' t_k - t_{k-1}, \qquad \langle g, T_{2k} g\rangle = 2 \langle t_k, t_k\rangle - \langle g, g
              \rangle, \qquad \langle g, T_{2k+1} g\rangle = 2 \langle t_{k+1}, t_k\rangle - \langle g, P' g\rangle,

    so a series of degree q takes q/2 products.

    Attributes
    ----------
    series : ChebyshevSeries
    gamma : SpectralFunction
    at_zero : float
        γ(0).

    References
    ----------
    Weisse, Wellein, Alvermann and Fehske, The kernel polynomial method, Rev. Mod. Phys. 2006,
    doi:10.1103/RevModPhys.78.275 (the doubling of moments).

    Examples
    --------
    >>> from eigenselect.spectral import Heat, chebyshev_series
    >>> graph = SampleGraph(np.ones((2, 2)))
    >>> ChebyshevForm(chebyshev_series(Heat(), graph.interval), Heat()).matrix(graph).round(3)
    array([[ 0.316, -0.316],
           [-0.316,  0.316]])
    """

    series: ChebyshevSeries
    gamma: SpectralFunction
    at_zero: float = 0.0

    def cancellation(self, graph: SampleGraph) -> float:
        return len(self.series.coefficients) * self.gamma.largest

    def matrix(self, graph: SampleGraph) -> FloatArray:
        pairs = graph.full_eigensystem()
        return np.asarray((pairs.eigenvectors * self.gamma(pairs.eigenvalues)) @ pairs.eigenvectors.T)

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        return series_form(graph, self.series)

    def tile_columns(self, n_samples: int) -> int:
        """Columns that are worth a tile: each edge is then read once for so many."""
        fitting = SERIES_BYTES // (8 * n_samples) // FEWEST_COLUMNS * FEWEST_COLUMNS
        return max(FEWEST_COLUMNS, min(SERIES_COLUMNS, fitting))

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        coefficients = self.series.coefficients
        if engine.has_series_loops:
            return self._compiled(tile, engine)
        low, high = self.series.interval

        def scaled(vectors: FloatArray) -> FloatArray:
            """(2P - high - low) g / (high - low), the operator on [-1, 1]."""
            image = engine.walk(vectors)
            image *= 2.0 / (high - low)
            image -= (high + low) / (high - low) * vectors
            return image

        previous, current = tile, scaled(tile).copy()
        moments = [engine.inner(tile, tile), engine.inner(tile, current)]
        total = coefficients[0] * moments[0] + coefficients[1] * moments[1]
        for degree in range(2, len(coefficients)):
            if degree % 2:
                following = scaled(current)
                following *= 2.0
                np.subtract(following, previous, out=previous)  # T_k+1 = 2x T_k - T_k-1
                previous, current = current, previous
                moment = 2.0 * engine.inner(current, previous) - moments[1]
            else:
                moment = 2.0 * engine.inner(current, current) - moments[0]
            total += coefficients[degree] * moment
        return np.asarray(total)

    def _compiled(self, tile: FloatArray, engine: Engine) -> FloatArray:
        """Compute the same by compiled loops, on samples in an order in which neighbours are near each other."""
        current = engine.workspace.array("current", tile.shape)
        current[...] = tile[engine.near_order[0]]
        return engine.series(self.series).evaluate(current, engine.workspace.array("previous", tile.shape))

    def evaluate_sparse(self, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        """Write tiles of the columns minus their means straight from the non-zeros, in the order of the samples."""
        if not engine.has_series_loops:
            return None
        from eigenselect.criteria.series_loops import fill_tile
        from eigenselect.matrix.row_bands import row_band

        mean = sparse_moments(X, engine.graph, engine, n_jobs)[0]
        order, loops = engine.near_order[0], engine.series(self.series)
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        width, total = self.tile_columns(X.n_samples), np.empty(X.n_features)

        def compute(columns: slice) -> None:
            band = row_band(X.raw, columns)
            begin, end, indices, data, offset = band.entries
            for part in slices(columns.stop - columns.start, width):
                here = slice(columns.start + part.start, columns.start + part.stop)
                current = engine.workspace.array("current", (X.n_samples, part.stop - part.start))
                fill_tile(begin, end, indices, data, offset + part.start, place, mean[here], current)
                total[here] = loops.evaluate(current, engine.workspace.array("previous", current.shape))

        map_blocks(compute, slices(X.n_features, SERIES_TILES * width), n_jobs)
        return total


@dataclass(frozen=True)
class FactorForm(ByTiles):
    r"""A = U diag(w) Uᵀ from eigenpairs: :math:`\sum_j w_j (u_j^\top M^{1/2} g)^2`, one product for all pairs.

    Attributes
    ----------
    basis : ndarray of shape (n_samples, n_pairs)
        :math:`M^{1/2} U`.
    weights : ndarray of shape (n_pairs,)
        w.
    largest : float
        max |γ|, what rounding is relative to.
    at_zero : float
        Eigenvalue of A for ξ_1.
    attributes : dict
        Fitted attributes that finding the pairs came upon.
    eigenvalues, groups : ndarray of shape (n_pairs,), optional
        Eigenvalues of N, and which of them are equal, for explanations.

    Examples
    --------
    >>> graph = SampleGraph(np.ones((2, 2)))
    >>> FactorForm.of(graph, np.array([[0.6], [0.8]]), np.ones(1), largest=1.0).matrix(graph)
    array([[0.36, 0.48],
           [0.48, 0.64]])
    """

    basis: FloatArray
    weights: FloatArray
    largest: float
    at_zero: float = 0.0
    attributes: Mapping[str, Any] = field(default_factory=dict)
    eigenvalues: FloatArray | None = None
    groups: IntArray | None = None

    @classmethod
    def of(cls, graph: SampleGraph, vectors: FloatArray, weights: FloatArray, **options: Any) -> FactorForm:
        """Make the form of eigenvectors U with weights w."""
        return cls(np.sqrt(graph.mass)[:, None] * vectors, np.asarray(weights), **options)

    def cancellation(self, graph: SampleGraph) -> float:
        return self.largest

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        return self.weights @ (self.basis.T @ tile) ** 2

    def evaluate_sparse(self, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        """Project by Uᵀ M^1/2 g = Uᵀ M^1/2 f - μ Uᵀ M^1/2 1, worth it for few vectors."""
        if self.weights.size > FEW_VECTORS:
            return None
        graph = engine.graph
        projections = X.transposed_times(np.column_stack([self.basis, graph.mass]))
        mean = projections[:, -1] / graph.volume
        projections = projections[:, :-1] - np.outer(mean, self.basis.sum(axis=0))
        return np.asarray((projections**2 * self.weights).sum(axis=1))  # the same bits whatever columns are beside

    def matrix(self, graph: SampleGraph) -> FloatArray:
        vectors = np.sqrt(graph.inverse_mass)[:, None] * self.basis
        isolated = np.diag(self.at_zero * graph.isolated)  # N has zero rows there, so γ(N) has γ(0)
        return np.asarray((vectors * self.weights) @ vectors.T + isolated)

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        """Keep few vectors side by side; many are multiplied out."""
        if self.weights.size <= FEW_VECTORS:
            return SymmetricForm.low_rank(self.basis, np.diag(self.weights))
        return SymmetricForm.of((self.basis * self.weights) @ self.basis.T)

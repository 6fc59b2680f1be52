"""Forms of criteria: powers of N, sums over edges, kernels. `spectral_forms` has those of any function of N."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray
from eigenselect.criteria.engine import Engine
from eigenselect.criteria.sparse_sums import (
    sparse_absolute,
    sparse_energy,
    sparse_images,
    sparse_means,
    sparse_moments,
    sparse_squares,
)
from eigenselect.criteria.structured import SymmetricForm, laplacian_power
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.graph.row_panels import absolute_row_sums
from eigenselect.matrix import SparseMatrix


class Form(Protocol):
    """A way to compute ⟨g, A g⟩ for a matrix A over the samples."""

    @property
    def at_zero(self) -> float:
        """Eigenvalue of A for the trivial vector ξ_1."""

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Fitted attributes that making the form came upon."""

    def takes_differences(self, graph: SampleGraph) -> bool:
        """Tell whether only differences of samples are summed: no mean is subtracted then, its rounding would show."""

    def cancellation(self, graph: SampleGraph) -> float:
        """Bound the summed terms, relative to ⟨g, g⟩, where they may cancel; 0 where they cannot."""

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        """Compute the form of the columns of a tile, centred unless the form takes differences."""

    def evaluate_sparse(self, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        """Compute it for all columns of a sparse X from its non-zeros; None where the form needs dense tiles."""

    def tile_columns(self, n_samples: int) -> int:
        """Say how many columns a tile should have at least."""

    def matrix(self, graph: SampleGraph) -> FloatArray:
        """Return A as a dense array, for looking and checking."""

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        """Return M^1/2 A M^1/2 in parts: its quadratic form of the feature itself is the form."""


class ByTiles:
    """What most forms share: A ξ_1 = 0, centred tiles, nothing to tell, no shortcut for a sparse X."""

    at_zero: float = 0.0
    attributes: Mapping[str, Any] = MappingProxyType({})

    def takes_differences(self, graph: SampleGraph) -> bool:
        return False

    def evaluate_sparse(self, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        return None

    def tile_columns(self, n_samples: int) -> int:
        return 1


@dataclass(frozen=True)
class PowerForm(ByTiles):
    r"""A = N^p by half as many products, because P is self-adjoint.

    .. math:: \langle g, P^{2h} g\rangle = \langle P^h g, P^h g\rangle, \qquad
              \langle g, P^{2h+1} g\rangle = (P^h g)^\top L\, (P^h g) = \sum_{i<j} S_{ij} (u_i - u_j)^2, \; u = P^h g

    Differences of samples are summed, so a tiny form of a smooth feature keeps its digits. For p = 1 nothing is
    multiplied at all.

    Attributes
    ----------
    exponent : int
        p.

    Examples
    --------
    >>> from eigenselect.criteria.quadratic import feature_terms
    >>> graph = SampleGraph(np.array([[0.0, 1], [1, 0]]))
    >>> feature_terms(np.array([[0.0], [3.0]]), graph, PowerForm(1)).quadratic
    array([9.])
    """

    exponent: int

    def takes_differences(self, graph: SampleGraph) -> bool:
        return self.exponent == 1 and graph.has_differences

    def cancellation(self, graph: SampleGraph) -> float:
        if not self.takes_differences(graph):
            return self.exponent * 2.0**self.exponent
        if not (graph.signed and graph.is_sparse):
            return 0.0
        return 2.0 * float((abs(graph.affinity).sum(axis=1) * graph.inverse_mass).max())  # ‖D_A - A‖ is at most this

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        for step in range(self.exponent // 2):
            tile = engine.walk(tile, buffer=f"walk{step % 2}")
        return engine.graph.energy(tile, engine.loops) if self.exponent % 2 else engine.inner(tile, tile)

    def evaluate_sparse(self, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        graph = engine.graph
        if self.exponent > 2 or not (engine.is_compiled and graph.is_sparse):
            return None
        if self.exponent == 2:
            return sparse_images(X, engine, n_jobs)
        return sparse_energy(graph.affinity, X, engine, n_jobs)

    def matrix(self, graph: SampleGraph) -> FloatArray:
        N = graph.normalized_laplacian() @ np.eye(graph.n_samples)
        return np.asarray(np.linalg.matrix_power(N, self.exponent))

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        return laplacian_power(graph, self.exponent)


@dataclass(frozen=True)
class IdentityForm(ByTiles):
    r"""A = I: the spread :math:`\langle g, g\rangle` itself, which needs no edges.

    Examples
    --------
    >>> from eigenselect.criteria.quadratic import feature_terms
    >>> graph = SampleGraph(np.zeros((2, 2)), mass=np.ones(2))
    >>> feature_terms(np.array([[0.0], [4.0]]), graph, IdentityForm()).quadratic
    array([8.])
    """

    at_zero: float = 1.0

    def cancellation(self, graph: SampleGraph) -> float:
        return 0.0

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        return engine.inner(tile, tile)

    def evaluate_sparse(self, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        return sparse_moments(X, engine.graph, engine, n_jobs)[1]

    def matrix(self, graph: SampleGraph) -> FloatArray:
        return np.eye(graph.n_samples)

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        return SymmetricForm.diagonal_matrix(graph.mass)


@dataclass(frozen=True)
class AbsoluteForm(ByTiles):
    r""":math:`\sum_{i<j} S_{ij} |f_i - f_j|`: the edges of the Laplacian form with another cost, Relief's default.

    It is linear in the size of f and no quadratic form.

    Examples
    --------
    >>> from eigenselect.criteria.quadratic import feature_terms
    >>> graph = SampleGraph(sparse.csr_array([[0.0, 1], [1, 0]]), mass=np.ones(2), signed=True)
    >>> feature_terms(np.array([[0.0], [3.0]]), graph, AbsoluteForm()).quadratic
    array([3.])
    """

    def takes_differences(self, graph: SampleGraph) -> bool:
        return True

    def cancellation(self, graph: SampleGraph) -> float:
        return 0.5 * float(abs(graph.affinity).sum())

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        return np.asarray(engine.loops.absolute_energy(engine.graph.affinity, tile))

    def evaluate_sparse(self, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        return sparse_absolute(engine.graph.affinity, X, engine, n_jobs) if engine.is_compiled else None

    def matrix(self, graph: SampleGraph) -> FloatArray:
        raise ValueError("A sum of absolute differences is no quadratic form.")

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        raise ValueError("A sum of absolute differences is no quadratic form.")


@dataclass(frozen=True)
class KernelForm(ByTiles):
    r"""A = c C (K + diag(a)) C: :math:`c\,(g^\top K g + \sum_i a_i g_i^2)` of the centred feature.

    Attributes
    ----------
    kernel : ndarray, csr_array or LinearOperator
        K.
    diagonal : ndarray of shape (n_samples,)
        a.
    factor : float, default=1.0
        c.

    Examples
    --------
    >>> KernelForm(np.eye(2), np.zeros(2)).matrix(SampleGraph(np.ones((2, 2))))
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """

    kernel: Any
    diagonal: FloatArray
    factor: float = 1.0

    def cancellation(self, graph: SampleGraph) -> float:
        """Bound ‖K + diag(a)‖ by the largest sum of absolute values of a row."""
        K = self.kernel
        rows = np.ones(1) if isinstance(K, ClassMeans) else absolute_row_sums(K)
        return self.factor * float(rows.max() + np.abs(self.diagonal).max())

    def evaluate(self, tile: FloatArray, engine: Engine) -> FloatArray:
        image = self.kernel @ tile
        image += self.diagonal[:, None] * tile
        return self.factor * np.asarray(np.einsum("ij,ij->j", tile, image))

    def evaluate_sparse(self, X: SparseMatrix, engine: Engine, n_jobs: int | None) -> FloatArray | None:
        """Take squares and differences: gᵀKg = Σ_i (K1)_i g_i² - Σ_{i<j} K_ij (f_i - f_j)², from the non-zeros."""
        if not (engine.is_compiled and sparse.issparse(self.kernel)):
            return None
        mean = sparse_means(X, engine, n_jobs)
        squares, _ = sparse_squares(X, self.kernel.sum(axis=1) + self.diagonal, mean, engine, n_jobs)
        return self.factor * (squares - sparse_energy(self.kernel, X, engine, n_jobs))

    def matrix(self, graph: SampleGraph) -> FloatArray:
        """C (K + diag(a)) C with the centring matrix C, because g is centred."""
        n = self.diagonal.size
        centring = np.eye(n) - 1.0 / n
        return np.asarray(self.factor * (centring @ (self.kernel @ centring + self.diagonal[:, None] * centring)))

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        form = SymmetricForm.of(self.kernel)
        if self.diagonal.any():
            form = form.plus(SymmetricForm.diagonal_matrix(self.diagonal))
        return form.deflated(graph.mass).scaled(self.factor)

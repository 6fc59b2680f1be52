r"""Forms of criteria: what the matrix A of f̂ᵀAf̂ is, and how it is applied.

With the random-walk Laplacian P = M⁻¹L, which is self-adjoint in ⟨u, v⟩ = uᵀMv (M the mass of the graph), and g the
feature minus its weighted mean,

    (M^1/2 g)ᵀ γ(N) (M^1/2 g) = ⟨g, γ(P) g⟩,

so no square root of a degree and no n × n matrix is needed. A form defines `product`, M γ(P) G. The quadratic form, the
dense matrix, the terms of single samples and the form for null moments follow from it; they are overridden if a faster
or more exact way pays. ``kernels`` is `eigenselect.criteria.kernels` if there is so much to do that compiled loops are
worth their import, else None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.criteria.structured import SymmetricForm, laplacian_power
from eigenselect.graph import ClassMeans, SampleGraph, Spectrum
from eigenselect.graph.sample_graph import absolute_row_sums, inner, sum_over_edges
from eigenselect.matrix import SparseMatrix
from eigenselect.spectral import ChebyshevSeries, Power, SpectralFunction, chebyshev_series

#: eigenvectors up to which a sparse X is projected without dense tiles
FEW_VECTORS = 100
#: samples up to which an arbitrary γ is computed from the full eigensystem
EXACT_SAMPLES = 400
#: samples up to which the full eigensystem is used where no polynomial fits γ
EXACT_FALLBACK_SAMPLES = 5000
#: samples from which neighbours are visited together: those of fewer are found in cache in any order (measured on
#: 50 000 samples in three dimensions: a product takes 17 ms for 64 columns, and 79 ms in the order of the table)
ORDERED_SAMPLES = 2**13


class Form:
    """A way to compute ⟨g, A g⟩ for a matrix A over the samples."""

    #: eigenvalue of A for the trivial vector ξ_1
    at_zero: float = 0.0
    #: whether the graph is all that it needs to know of the samples, whatever their order
    is_of_graph: bool = False
    #: fitted attributes that are known once the form is
    attributes: Mapping[str, Any] = MappingProxyType({})

    def product(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        """Compute M^1/2 A M^1/2 G, which is M γ(P) G."""
        raise NotImplementedError

    def quadratic(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        """Compute ⟨g, γ(P) g⟩ of each column of a tile, centred unless the form takes differences."""
        return np.einsum("ij,ij->j", G, self.product(G, graph, kernels))

    def quadratic_of_sparse(
        self, X: SparseMatrix, graph: SampleGraph, kernels: Any, mean: FloatArray, n_jobs: int | None
    ) -> tuple[FloatArray, FloatArray | float] | None:
        """Compute it from the non-zeros, with the size of the terms that may have cancelled; None if it takes tiles."""
        return None

    def takes_differences(self, graph: SampleGraph) -> bool:
        """Whether only differences of samples are summed: rounding of a mean that is subtracted before would show."""
        return False

    def cancellation(self, graph: SampleGraph) -> float:
        """Bound the summed terms, relative to ⟨g, g⟩, if they may cancel; 0 if they cannot."""
        return 0.0

    def matrix(self, graph: SampleGraph) -> FloatArray:
        """Return A as a dense array, for looking and checking."""
        root = np.sqrt(graph.inverse_mass)
        A = root[:, None] * self.product(np.diag(root), graph)
        return np.asarray(A + np.diag(self.at_zero * graph.isolated))  # N has zero rows there, so γ(N) has γ(0)

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        """Return M^1/2 A M^1/2 in parts: its quadratic form of the feature itself is the form."""
        edges = graph.affinity if graph.is_sparse else None
        return SymmetricForm.of_products(lambda F: self.product(F, graph), graph.n_samples, edges)


@dataclass(frozen=True)
class PowerForm(Form):
    r"""A = N^p by half as many products, because P is self-adjoint.

    .. math:: \langle g, P^{2h} g\rangle = \langle P^h g, P^h g\rangle, \qquad
              \langle g, P^{2h+1} g\rangle = (P^h g)^\top L\, (P^h g) = \sum_{i<j} S_{ij} (u_i - u_j)^2, \; u = P^h g

    Differences of samples are summed, so a tiny form of a smooth feature keeps its digits. For p = 1 nothing is
    multiplied at all; of a sparse table only the non-zeros are visited, as :math:`\sum_i d_i f_i^2 - 2 \sum_{i<j}
    S_{ij} f_i f_j`.

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
    is_of_graph = True

    def product(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        for _ in range(self.exponent):
            G = graph.walk(G, kernels)
        return graph.mass[:, None] * G

    def quadratic(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        for _ in range(self.exponent // 2):
            G = graph.walk(G, kernels)
        return graph.energy(G, kernels) if self.exponent % 2 else inner(graph.mass, G, G)

    def quadratic_of_sparse(
        self, X: SparseMatrix, graph: SampleGraph, kernels: Any, mean: FloatArray, n_jobs: int | None
    ) -> tuple[FloatArray, FloatArray | float] | None:
        S = graph.affinity
        if self.exponent > 1 or not graph.has_differences:
            return None
        if isinstance(S, ClassMeans):
            _, squares = kernels.column_sums(X.raw, np.ones(graph.n_samples), n_jobs)
            return squares - (S.sizes[:, None] * S.means(X.raw) ** 2).sum(axis=0), squares
        degrees = graph.row_sums - S.diagonal()
        squares, products = kernels.edge_products(S, X.raw, degrees, _visits(graph), n_jobs)
        if not graph.signed:
            return squares - products, squares
        _, sizes = kernels.column_sums(X.raw, absolute_row_sums(S) - np.abs(S.diagonal()), n_jobs)
        return squares - products, sizes

    def takes_differences(self, graph: SampleGraph) -> bool:
        return self.exponent == 1 and graph.has_differences

    def cancellation(self, graph: SampleGraph) -> float:
        if not self.takes_differences(graph):
            return self.exponent * 2.0**self.exponent
        if not (graph.signed and graph.is_sparse):
            return 0.0
        return 2.0 * float((absolute_row_sums(graph.affinity) * graph.inverse_mass).max())  # ‖D_A - A‖ is at most this

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        return laplacian_power(graph, self.exponent)


@dataclass(frozen=True)
class IdentityForm(Form):
    r"""A = I: the spread :math:`\langle g, g\rangle` itself, which needs no edges.

    Examples
    --------
    >>> from eigenselect.criteria.quadratic import feature_terms
    >>> graph = SampleGraph(np.zeros((2, 2)), mass=np.ones(2))
    >>> feature_terms(np.array([[0.0], [4.0]]), graph, IdentityForm()).quadratic
    array([8.])
    """

    at_zero: float = 1.0

    def product(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        return graph.mass[:, None] * G

    def quadratic_of_sparse(
        self, X: SparseMatrix, graph: SampleGraph, kernels: Any, mean: FloatArray, n_jobs: int | None
    ) -> tuple[FloatArray, FloatArray | float] | None:
        sums, squares = kernels.column_sums(X.raw, graph.mass, n_jobs)
        return squares - sums * mean, squares

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        return SymmetricForm.diagonal_matrix(graph.mass)


@dataclass(frozen=True)
class AbsoluteForm(Form):
    r""":math:`\sum_{i<j} S_{ij} |f_i - f_j|`: the edges of the Laplacian form with another cost, Relief's default.

    It is linear in the size of f and not a quadratic form.

    Examples
    --------
    >>> from eigenselect.criteria.quadratic import feature_terms
    >>> graph = SampleGraph(sparse.csr_array([[0.0, 1], [1, 0]]), mass=np.ones(2), signed=True)
    >>> feature_terms(np.array([[0.0], [3.0]]), graph, AbsoluteForm()).quadratic
    array([3.])
    """

    is_of_graph = True

    def product(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        raise ValueError("A sum of absolute differences is no quadratic form.")

    def quadratic(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        if kernels is None:
            return sum_over_edges(graph.affinity, G, np.abs)
        return np.asarray(kernels.edge_sums(graph.affinity, G, absolute=True))

    def takes_differences(self, graph: SampleGraph) -> bool:
        return True

    def cancellation(self, graph: SampleGraph) -> float:
        return 0.5 * float(abs(graph.affinity).sum())

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        raise ValueError("A sum of absolute differences is no quadratic form.")


@dataclass(frozen=True)
class KernelForm(Form):
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

    def product(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        image = self.kernel @ G
        image += self.diagonal[:, None] * G
        return np.asarray(self.factor * image)

    def quadratic_of_sparse(
        self, X: SparseMatrix, graph: SampleGraph, kernels: Any, mean: FloatArray, n_jobs: int | None
    ) -> tuple[FloatArray, FloatArray | float] | None:
        r"""With B = K + diag(a): gᵀBg = fᵀBf - 2 μ (B1)ᵀf + μ² 1ᵀB1."""
        K = self.kernel
        if not sparse.issparse(K):
            return None
        row_sums = K.sum(axis=1) + self.diagonal
        squares, products = kernels.edge_products(K, X.raw, K.diagonal() + self.diagonal, _visits(graph), n_jobs)
        sums, _ = kernels.column_sums(X.raw, row_sums, n_jobs)
        return self.factor * (squares + products - mean * (2.0 * sums - mean * row_sums.sum())), 0.0

    def cancellation(self, graph: SampleGraph) -> float:
        """Bound ‖K + diag(a)‖ by the largest sum of absolute values of a row."""
        K = self.kernel
        rows = np.ones(1) if isinstance(K, ClassMeans) else absolute_row_sums(K)
        return self.factor * float(rows.max() + np.abs(self.diagonal).max())

    def matrix(self, graph: SampleGraph) -> FloatArray:
        """C (K + diag(a)) C with the centring matrix C, because g is centred."""
        centring = np.eye(self.diagonal.size) - 1.0 / self.diagonal.size
        return np.asarray(centring @ self.product(centring, graph))

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        form = SymmetricForm.of(self.kernel)
        if self.diagonal.any():
            form = form.plus(SymmetricForm.diagonal_matrix(self.diagonal))
        return form.deflated(graph.mass).scaled(self.factor)


@dataclass(frozen=True)
class ChebyshevForm(Form):
    r"""A = γ(N) by a Chebyshev series: :math:`\sum_k c_k \langle g, T_k g\rangle`.

    where :math:`T_k` are the Chebyshev polynomials of P', which is P moved to [-1, 1]. With :math:`t_k = T_k g`,

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
    is_of_graph = True

    def product(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        polynomials = self._polynomials(G, graph, kernels)
        total = sum((c * T for c, T in zip(self.series.coefficients, polynomials, strict=False)), np.zeros(1))
        return np.asarray(graph.mass[:, None] * total)

    def quadratic(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        c, mass = self.series.coefficients, graph.mass
        polynomials = self._polynomials(G, graph, kernels)
        before, norm, first = next(polynomials), inner(mass, G, G), None
        total = c[0] * norm
        for degree in range(1, c.size, 2):
            now = next(polynomials)
            cross = inner(mass, now, before)
            first = cross if first is None else first
            total += c[degree] * (2.0 * cross - first)
            if degree + 1 < c.size:
                total += c[degree + 1] * (2.0 * inner(mass, now, now) - norm)
            before = now
        return total

    def cancellation(self, graph: SampleGraph) -> float:
        return len(self.series.coefficients) * self.gamma.largest

    def _polynomials(self, G: FloatArray, graph: SampleGraph, kernels: Any) -> Iterator[FloatArray]:
        """Yield T_0 G, T_1 G, … by T_{k+1} = 2P' T_k - T_{k-1}.

        2P' = 2 (2P - high - low) / (high - low) is the P of a graph with masses m (high - low) / 4, and with row sums
        that are smaller by m (high + low) / 2.
        """
        low, high = self.series.interval
        mass, row_sums = graph.mass * (high - low) / 4.0, graph.row_sums - graph.mass * (high + low) / 2.0
        doubled = SampleGraph(graph.affinity, mass, row_sums=row_sums, signed=True)
        before, now = G, 0.5 * doubled.walk(G, kernels)
        yield before
        while True:
            yield now
            following = doubled.walk(now, kernels)
            following -= before
            before, now = now, following


@dataclass(frozen=True)
class FactorForm(Form):
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
        Fitted attributes that are known once the pairs are.
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

    def product(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        return np.asarray(self.basis @ (self.weights[:, None] * (self.basis.T @ G)))

    def quadratic(self, G: FloatArray, graph: SampleGraph, kernels: Any = None) -> FloatArray:
        return np.asarray(self.weights @ (self.basis.T @ G) ** 2)

    def quadratic_of_sparse(
        self, X: SparseMatrix, graph: SampleGraph, kernels: Any, mean: FloatArray, n_jobs: int | None
    ) -> tuple[FloatArray, FloatArray | float] | None:
        """Project by Uᵀ M^1/2 g = Uᵀ M^1/2 f - μ Uᵀ M^1/2 1, worth it for few vectors."""
        if self.weights.size > FEW_VECTORS:
            return None
        projections = X.transposed_times(self.basis) - np.outer(mean, self.basis.sum(axis=0))
        return (projections**2 * self.weights).sum(axis=1), 0.0  # equal columns have equal sums, unlike by BLAS

    def cancellation(self, graph: SampleGraph) -> float:
        return self.largest

    def structured(self, graph: SampleGraph) -> SymmetricForm:
        """Keep few vectors side by side; many are multiplied out."""
        if self.weights.size <= FEW_VECTORS:
            return SymmetricForm.low_rank(self.basis, np.diag(self.weights))
        return SymmetricForm.of((self.basis * self.weights) @ self.basis.T)


def _visits(graph: SampleGraph) -> IntArray:
    """Return the order in which a compiled loop visits the samples: neighbours of many are near each other in it."""
    return graph.order if graph.is_sparse and graph.n_samples >= ORDERED_SAMPLES else np.arange(graph.n_samples)


def power_form(graph: SampleGraph, exponent: int) -> Form:
    """Make the form of N^p: by products, unless N is a map of the stored graph, as in diffusion.

    Parameters
    ----------
    graph : SampleGraph
        Whose N.
    exponent : int
        The power p.

    Returns
    -------
    Form
        For a `Criterion`.

    See Also
    --------
    spectral_form : The form of any function of N.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.criteria import power_form
    >>> from eigenselect.graph import SampleGraph
    >>> graph = SampleGraph(np.array([[0.0, 1], [1, 0]]))
    >>> power_form(graph, 2).matrix(graph)
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    return PowerForm(exponent) if graph.spectral_map is None else spectral_form(graph, Power(exponent))


def spectral_form(graph: SampleGraph, gamma: SpectralFunction) -> Form:
    """Choose how γ(N) is applied: by products, from the full eigensystem, or by a Chebyshev series.

    Parameters
    ----------
    graph : SampleGraph
        Whose N.
    gamma : SpectralFunction
        The function γ, as `eigenselect.spectral` has them.

    Returns
    -------
    Form
        For a `Criterion`.

    Warns
    -----
    ConvergenceWarning
        If a large graph needs a series, and the function is too steep for it.

    See Also
    --------
    power_form : The form of a power of N.
    phi : The criteria that use it.

    Notes
    -----
    Powers are products with N. Else graphs of up to 400 samples are decomposed, of up to 5000 where no series
    converges; larger ones take the Chebyshev series.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.criteria import spectral_form
    >>> from eigenselect.graph import SampleGraph
    >>> from eigenselect.spectral import Power
    >>> graph = SampleGraph(np.array([[0.0, 1], [1, 0]]))
    >>> spectral_form(graph, Power(0.5)).matrix(graph).round(3)
    array([[ 0.707, -0.707],
           [-0.707,  0.707]])
    """
    if isinstance(gamma, Power) and gamma.is_integer and graph.spectral_map is None:
        return PowerForm(int(gamma.exponent))
    if graph.n_samples <= EXACT_SAMPLES:
        return _exact_form(graph, gamma)
    series = chebyshev_series(lambda mu: gamma(graph.frequencies(mu)), graph.interval)
    if not series.converged:
        if graph.n_samples <= EXACT_FALLBACK_SAMPLES:
            return _exact_form(graph, gamma)
        warn(
            f"The spectral function is not smooth: its polynomial of degree {len(series.coefficients) - 1} is off "
            f"by up to {series.error:.1e}, and so may be every score.",
            ConvergenceWarning,
        )
    return ChebyshevForm(series, gamma, at_zero=_at_zero(gamma))


def leading_form(graph: SampleGraph, gamma: SpectralFunction, leading: Spectrum) -> FactorForm:
    """Make φ3's form Σ_{j≥2} (γ(2) - γ(λ_j)) ξ_j ξ_jᵀ over the pairs 1..k, never a part of equal eigenvalues."""
    weights = gamma(np.array([2.0])) - gamma(leading.eigenvalues[1:])
    found = {"eigenvalues_": leading.eigenvalues, "n_clusters_": len(leading.eigenvalues)}
    known = {"eigenvalues": leading.eigenvalues[1:], "groups": leading.groups[1:], "attributes": found}
    return FactorForm.of(graph, leading.nontrivial_vectors(), weights, largest=gamma.largest, **known)


def _exact_form(graph: SampleGraph, gamma: SpectralFunction) -> FactorForm:
    pairs = graph.full_eigensystem()
    known = {"eigenvalues": pairs.eigenvalues, "groups": pairs.groups}
    options = {"largest": gamma.largest, "at_zero": _at_zero(gamma), **known}
    return FactorForm.of(graph, pairs.eigenvectors, gamma(pairs.eigenvalues), **options)


def _at_zero(gamma: SpectralFunction) -> float:
    return float(gamma(np.zeros(1))[0])

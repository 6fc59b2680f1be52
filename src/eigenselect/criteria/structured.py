r"""Symmetric matrices over the samples in parts that are never multiplied out.

A quadratic form :math:`f^\top A f` of n samples needs no n × n numbers if A is sparse, of low rank, or constant on the
pairs of a class, or if only its products are known: `SymmetricForm` keeps such parts side by side. With the random-walk
Laplacian :math:`P = M^{-1} L`, powers and Chebyshev series of a graph's Laplacian are quadratic forms of the feature
itself: :math:`M^{1/2} \gamma(N) M^{1/2} = M \gamma(P)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import block_diag
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from eigenselect._typing import Affinity, FloatArray, IntArray
from eigenselect.graph import ClassMeans, SampleGraph

Product = Callable[[FloatArray], FloatArray]
#: entries up to which a power of a sparse Laplacian is multiplied out
MOST_ENTRIES = 4_000_000
#: samples up to which n × n numbers are taken instead
FEW_SAMPLES = 2000


@dataclass(frozen=True)
class SymmetricForm:
    r"""A symmetric matrix :math:`A = \mathrm{diag}(d) + E + V C V^\top + Z\,\mathrm{diag}(w)\,Z^\top`.

    Attributes
    ----------
    d : ndarray of shape (n,)
    E : csr_array, ndarray or LinearOperator of shape (n, n)
        Symmetric; it may have a diagonal of its own.
    V : ndarray of shape (n, k)
        Few columns.
    C : ndarray of shape (k, k)
        Symmetric.
    Z : csr_array of shape (n, c)
        One in the column of a sample's class; a row of zeros for samples of no class.
    w : ndarray of shape (c,)
        Weights of the classes.
    pattern : csr_array or None
        A graph over whose edges an E known by products decays: probes keep its neighbours apart.

    Examples
    --------
    The centring matrix, as the identity and a rank-one part:

    >>> SymmetricForm.diagonal_matrix(np.ones(2)).centred().to_array()
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """

    d: FloatArray
    E: Affinity
    V: FloatArray
    C: FloatArray
    Z: sparse.csr_array
    w: FloatArray
    pattern: sparse.csr_array | None = None

    @classmethod
    def _of_parts(cls, n_samples: int, **parts: Any) -> SymmetricForm:
        """Make a form of some parts; the others are zero."""
        empty = {"d": np.zeros(n_samples), "E": sparse.csr_array((n_samples, n_samples))}
        empty |= {"V": np.zeros((n_samples, 0)), "C": np.zeros((0, 0))}
        empty |= {"Z": sparse.csr_array((n_samples, 0)), "w": np.zeros(0)}
        return cls(**(empty | parts))

    @classmethod
    def of(cls, E: Affinity) -> SymmetricForm:
        """Make the form of a dense or sparse matrix, or of an operator."""
        if isinstance(E, ClassMeans):
            return cls.of_classes(E.codes, 1.0 / E.sizes)
        if isinstance(E, LinearOperator):
            return cls._of_parts(E.shape[0], E=E)
        E = sparse.csr_array(E, dtype=np.float64) if sparse.issparse(E) else np.asarray(E, dtype=np.float64)
        return cls._of_parts(E.shape[0], E=E)

    @classmethod
    def of_products(cls, product: Product, n_samples: int, pattern: sparse.csr_array | None = None) -> SymmetricForm:
        """Make the form of a function that maps an array of shape (n, m) to A times it.

        >>> doubled = SymmetricForm.of_products(lambda F: 2.0 * F, 2)
        >>> doubled.centred() @ np.array([1.0, 3.0])
        array([-2.,  2.])
        """
        E = LinearOperator((n_samples, n_samples), matvec=product, matmat=product, dtype=np.float64)
        return cls._of_parts(n_samples, E=E, pattern=pattern)

    @classmethod
    def diagonal_matrix(cls, diagonal: FloatArray) -> SymmetricForm:
        """Make the form Σ d_i f_i²."""
        return cls._of_parts(diagonal.size, d=np.asarray(diagonal, dtype=np.float64))

    @classmethod
    def low_rank(cls, V: FloatArray, C: FloatArray) -> SymmetricForm:
        """Make the form of V C Vᵀ."""
        return cls._of_parts(len(V), V=V, C=C)

    @classmethod
    def squared_mean(cls, mass: FloatArray) -> SymmetricForm:
        """Make the form Σm μ², μ the m-weighted mean of f: mmᵀ/Σm.

        >>> SymmetricForm.squared_mean(np.array([1.0, 3.0])).to_array()
        array([[0.25, 0.75],
               [0.75, 2.25]])
        """
        return cls.low_rank(mass[:, None], np.array([[1.0 / mass.sum()]]))

    @classmethod
    def spread(cls, mass: FloatArray) -> SymmetricForm:
        """Make the form Σ m_i (f_i - μ)², μ the m-weighted mean: diag(m) - mmᵀ/Σm.

        >>> SymmetricForm.spread(np.ones(2)).to_array()
        array([[ 0.5, -0.5],
               [-0.5,  0.5]])
        """
        return replace(cls.squared_mean(mass).scaled(-1.0), d=mass)

    @classmethod
    def of_classes(cls, codes: IntArray, weights: FloatArray) -> SymmetricForm:
        """Make the form Σ_l w_l (sum of f over class l)²."""
        return cls._of_parts(codes.size, Z=_one_per_row(codes, weights.size), w=weights)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.d.size)

    @property
    def is_dense(self) -> bool:
        """Whether E holds n × n numbers."""
        return isinstance(self.E, np.ndarray)

    @property
    def is_implicit(self) -> bool:
        """Whether E is known by its products only."""
        return isinstance(self.E, LinearOperator)

    @cached_property
    def explicit(self) -> SymmetricForm:
        """The form itself, or with a dense E, by n products: for few samples."""
        if not self.is_implicit:
            return self
        E = self.E @ np.eye(self.n_samples)
        return replace(self, E=(E + E.T) / 2)

    @property
    def entries(self) -> Affinity:
        """diag(d) + E."""
        return _sum(sparse.csr_array(sparse.diags_array(self.d)), self.E)

    @property
    def n_entries(self) -> int:
        """Stored entries of a sparse diag(d) + E; of a form of low rank alone those of its zero diagonal."""
        has_diagonal = self.d.any() or not (self.E.nnz or self.w.size)
        return int(self.E.nnz + self.n_samples * has_diagonal)

    @property
    def codes(self) -> IntArray:
        """Class of every sample; the number of classes for samples of no class."""
        n_classes = self.w.size
        return np.asarray(n_classes + self.Z @ (np.arange(n_classes) - n_classes), dtype=np.intp)

    def __matmul__(self, features: FloatArray) -> FloatArray:
        """Multiply with an array of shape (n,) or (n, m)."""
        if features.ndim == 1:
            return np.asarray((self @ features[:, None])[:, 0])
        image = np.asarray(self.E @ features)
        image += self.d[:, None] * features
        if self.w.size:
            image += self.Z @ (self.w[:, None] * (self.Z.T @ features))
        if self.V.size:
            image += self.V @ (self.C @ (self.V.T @ features))
        return image

    def quadratic_of_sums(self, features: FloatArray) -> FloatArray:
        """Compute what depends on few sums over the samples, those of V and of classes, of every column."""
        projections = self.V.T @ features
        total = np.einsum("ij,ij->j", projections, self.C @ projections)
        return np.asarray(total + self.w @ (self.Z.T @ features) ** 2)

    def quadratic(self, features: FloatArray) -> FloatArray:
        entries = np.einsum("ij,ij->j", features, self.E @ features) + self.d @ features**2
        return np.asarray(entries + self.quadratic_of_sums(features))

    def diagonal(self) -> FloatArray:
        """Return A_ii."""
        low_rank = np.einsum("ia,ia->i", self.V @ self.C, self.V)
        return np.asarray(self.d + self.explicit.E.diagonal() + low_rank + self.Z @ self.w)

    def diagonal_size(self) -> FloatArray:
        """Sum the absolute values of the terms that A_ii consists of: what its rounding is measured by."""
        low_rank = np.einsum("ia,ia->i", abs(self.V) @ abs(self.C), abs(self.V))
        return np.asarray(abs(self.d + self.E.diagonal()) + low_rank + self.Z @ abs(self.w))

    def row_size(self) -> FloatArray:
        """Sum the absolute values of all terms of every row; the largest bounds those of fᵀAf, in units of fᵀf."""
        low_rank = abs(self.V) @ (abs(self.C) @ abs(self.V).sum(axis=0))
        return np.asarray(abs(self.entries).sum(axis=1) + low_rank + self.Z @ (abs(self.w) * self.Z.sum(axis=0)))

    def to_array(self) -> FloatArray:
        """Return A as a dense array: n² numbers."""
        entries = self.explicit.without_classes().entries
        entries = entries.toarray() if sparse.issparse(entries) else entries
        return np.asarray(entries + self.V @ self.C @ self.V.T)

    def scaled(self, factor: float) -> SymmetricForm:
        """Return c A; the pattern of a sparse E is shared, not copied."""
        E = self.E
        E = sparse.csr_array((factor * E.data, E.indices, E.indptr), E.shape) if sparse.issparse(E) else factor * E
        return replace(self, d=factor * self.d, E=E, C=factor * self.C, w=factor * self.w)

    def plus(self, other: SymmetricForm) -> SymmetricForm:
        """Return A + B; classes of B that are not those of A become entries."""
        if not self.w.size:
            own = replace(self, Z=other.Z, w=np.zeros_like(other.w))
        else:
            own, other = self, other.on_classes_of(self)
        V, C = np.hstack([own.V, other.V]), block_diag(own.C, other.C)
        pattern = other.pattern if own.pattern is None else own.pattern
        return SymmetricForm(own.d + other.d, _sum(own.E, other.E), V, C, own.Z, own.w + other.w, pattern)

    def minus(self, other: SymmetricForm) -> SymmetricForm:
        """Return A - B."""
        return self.plus(other.scaled(-1.0))

    def on_classes_of(self, other: SymmetricForm) -> SymmetricForm:
        """Return the same matrix with Z as that of another form."""
        if other.w.size == self.w.size and np.array_equal(other.codes, self.codes):
            return self
        return replace(self.without_classes(), Z=other.Z, w=np.zeros_like(other.w))

    def without_classes(self) -> SymmetricForm:
        """Return the same matrix with the class part among the entries of E."""
        classes = sparse.csr_array((self.Z * self.w) @ self.Z.T)
        return replace(self, E=_sum(self.E, classes), Z=self.Z[:, :0], w=self.w[:0])

    def is_constant_within(self, codes: IntArray) -> bool:
        """Whether the form stays the same when samples of one class change places."""
        if not sparse.issparse(self.E):
            return False
        row, column = self.E.nonzero()
        per_sample = np.column_stack([self.d + self.E.diagonal(), self.V, self.codes])
        _, first, place = np.unique(codes, return_index=True, return_inverse=True)
        return bool((row == column).all() and (per_sample == per_sample[first][place]).all())

    def restricted(self, rows: IntArray) -> SymmetricForm:
        """Return the rows and columns of some samples."""
        return self._moved(_one_per_row(rows, self.n_samples))

    def extended(self, rows: IntArray, n_samples: int) -> SymmetricForm:
        """Return the form over more samples, zero but at the given rows, which are these samples."""
        return self._moved(sparse.csr_array(_one_per_row(rows, n_samples).T))

    def _moved(self, T: sparse.csr_array) -> SymmetricForm:
        """Return T A Tᵀ for a matrix T of zeros and ones."""
        left, right = (aslinearoperator(T), aslinearoperator(T.T)) if self.is_implicit else (T, T.T)
        pattern = None if self.pattern is None else sparse.csr_array(T @ self.pattern @ T.T)
        return SymmetricForm(T @ self.d, left @ self.E @ right, T @ self.V, self.C, T @ self.Z, self.w, pattern)

    def projected(self, Q: FloatArray) -> SymmetricForm:
        """Return (I - QQᵀ) A (I - QQᵀ) for orthonormal columns Q."""
        return self._congruent(Q, Q)

    def deflated(self, mass: FloatArray) -> SymmetricForm:
        """Return the form of the feature minus its weighted mean, f - 1 (mᵀf)/Σm."""
        return self._congruent(np.ones((self.n_samples, 1)), (mass / mass.sum())[:, None])

    def centred(self) -> SymmetricForm:
        """Return HAH, the form of the feature minus its mean."""
        return self.deflated(np.ones(self.n_samples))

    def _congruent(self, P: FloatArray, Q: FloatArray) -> SymmetricForm:
        """Return (I - QPᵀ) A (I - PQᵀ) = A - Q(AP)ᵀ - (AP)Qᵀ + Q (PᵀAP) Qᵀ: E stays, the rank grows."""
        image, count = self @ P, P.shape[1]
        corner = P.T @ image
        update = np.block([[(corner + corner.T) / 2, -np.eye(count)], [-np.eye(count), np.zeros((count, count))]])
        return replace(self, V=np.hstack([self.V, Q, image]), C=block_diag(self.C, update))


def _one_per_row(columns: IntArray, n_columns: int) -> sparse.csr_array:
    """Return a matrix of zeros with a one in the given column of each row."""
    return sparse.csr_array((np.ones(columns.size), columns, np.arange(columns.size + 1)), (columns.size, n_columns))


def _sum(first: Affinity, second: Affinity) -> Affinity:
    """Add two matrices; a sparse one without entries is not copied."""
    for one, other in ((first, second), (second, first)):
        if sparse.issparse(one) and not one.nnz:
            return other
    if isinstance(first, LinearOperator) or isinstance(second, LinearOperator):
        return aslinearoperator(first) + aslinearoperator(second)
    total = first + second
    return sparse.csr_array(total) if sparse.issparse(total) else np.asarray(total)


def laplacian_power(graph: SampleGraph, exponent: int) -> SymmetricForm:
    """Make M^1/2 N^p M^1/2 = L (M⁻¹L)^(p-1): multiplied out if that stays small, else by products.

    >>> laplacian_power(SampleGraph(np.array([[0.0, 1], [1, 0]])), 1).to_array()
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if exponent == 1 or _is_projector(graph):
        return SymmetricForm.diagonal_matrix(graph.row_sums).minus(SymmetricForm.of(graph.affinity))
    L = power = None if graph.is_implicit else graph.stored_laplacian()
    for _ in range(exponent - 1):
        power = None if power is None else _next_power(power, graph, L)
    if power is not None:
        return SymmetricForm.of(power)

    def product(features: FloatArray) -> FloatArray:
        for _ in range(exponent):
            features = graph.walk(features)
        return np.asarray(graph.mass[:, None] * features)

    return SymmetricForm.of_products(product, graph.n_samples, graph.affinity if graph.is_sparse else None)


def _is_projector(graph: SampleGraph) -> bool:
    """Whether N is the projector I - S, which is all of its powers."""
    of_classes = isinstance(graph.affinity, ClassMeans) and graph.spectral_map is None
    return of_classes and bool((graph.mass == 1.0).all() and (graph.row_sums == 1.0).all())


def _next_power(power: Affinity, graph: SampleGraph, L: Affinity) -> Affinity | None:
    """Multiply with M⁻¹L; None if the product may have too many entries."""
    if not sparse.issparse(power):
        L = L.toarray() if sparse.issparse(L) else L
        return np.asarray(power @ (graph.inverse_mass[:, None] * L))
    entries = float(np.bincount(power.indices, minlength=graph.n_samples) @ np.diff(L.indptr))
    if graph.n_samples <= FEW_SAMPLES and 4 * entries > graph.n_samples**2:
        return _next_power(power.toarray(), graph, L)
    if entries > MOST_ENTRIES:
        return None
    return sparse.csr_array(power @ (sparse.diags_array(graph.inverse_mass) @ L))

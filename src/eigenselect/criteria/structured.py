r"""Symmetric matrices over the samples in parts that are never multiplied out.

A quadratic form :math:`f^\top A f` of n samples needs no n × n numbers where A is sparse, of low rank, or constant on
the pairs of a class. `SymmetricForm` keeps such parts side by side; `ImplicitForm` knows nothing but products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from eigenselect._typing import Affinity, BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from eigenselect.graph.nearby_numba import Nearby


@dataclass(frozen=True)
class Classes:
    """A_ij = w_l where i and j are both of class l, else 0: any number of classes in n + c numbers.

    Attributes
    ----------
    codes : array of int of shape (n,)
        Class of every sample.
    weights : ndarray of shape (n_classes,)
        w; 0 for samples that are of no class.
    """

    codes: IntArray
    weights: FloatArray

    @property
    def sizes(self) -> FloatArray:
        """Number of samples of every class."""
        return np.bincount(self.codes, minlength=self.weights.size).astype(np.float64)

    def sums(self, features: FloatArray) -> FloatArray:
        """Sum the rows of each class."""
        ones, starts = np.ones(self.codes.size), np.arange(self.codes.size + 1)
        member = sparse.csr_array((ones, self.codes, starts), shape=(self.codes.size, self.weights.size))
        return np.asarray(member.T @ features)

    def __matmul__(self, features: FloatArray) -> FloatArray:
        return np.asarray((self.weights[:, None] * self.sums(features))[self.codes])

    def explicit(self) -> sparse.csr_array:
        """Return the matrix with its Σ n_l² entries."""
        order = np.argsort(self.codes, kind="stable")
        sizes = self.sizes.astype(np.intp)[self.codes]
        start = (np.cumsum(self.sizes) - self.sizes).astype(np.intp)[self.codes]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        within = np.arange(indptr[-1]) - np.repeat(indptr[:-1], sizes)
        data = np.repeat(self.weights[self.codes], sizes)
        matrix = sparse.csr_array((data, order[np.repeat(start, sizes) + within], indptr), shape=(order.size,) * 2)
        matrix.eliminate_zeros()
        return matrix


@dataclass(frozen=True)
class SymmetricForm:
    r"""A symmetric matrix :math:`A = E + V C V^\top + G` whose parts are never multiplied out.

    Attributes
    ----------
    E : csr_array or ndarray of shape (n, n)
        Symmetric, with its diagonal.
    V : ndarray of shape (n, k)
        Few columns.
    C : ndarray of shape (k, k)
        Symmetric.
    classes : Classes or None
        G, constant on the pairs of a class.

    Examples
    --------
    The centring matrix, as the identity and a rank-one part:

    >>> SymmetricForm.diagonal_matrix(np.ones(2)).centred().to_array()
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """

    E: Affinity
    V: FloatArray
    C: FloatArray
    classes: Classes | None = None

    @classmethod
    def of(cls, E: Affinity) -> SymmetricForm:
        """Make the form of a dense or sparse matrix."""
        E = sparse.csr_array(E, dtype=np.float64) if sparse.issparse(E) else np.asarray(E, dtype=np.float64)
        return cls(E, np.zeros((E.shape[0], 0)), np.zeros((0, 0)))

    @classmethod
    def diagonal_matrix(cls, diagonal: FloatArray) -> SymmetricForm:
        """Make the form Σ a_i f_i²."""
        return cls.of(_diagonal(diagonal))

    @classmethod
    def low_rank(cls, V: FloatArray, C: FloatArray) -> SymmetricForm:
        """Make the form of V C Vᵀ."""
        return cls(_diagonal(np.zeros(len(V))), V, C)

    @classmethod
    def squared_mean(cls, mass: FloatArray) -> SymmetricForm:
        """Make the form Σm μ², μ the m-weighted mean of f: mmᵀ/Σm.

        >>> SymmetricForm.squared_mean(np.array([1.0, 3.0])).to_array()
        array([[0.25, 0.75],
               [0.75, 2.25]])
        """
        exponent = int(np.frexp(mass.max(initial=0.0))[1])
        moderate = np.ldexp(mass, -exponent)  # so that C has the size of the masses, not of one over them
        return cls.low_rank(moderate[:, None], np.array([[np.ldexp(1.0 / moderate.sum(), exponent)]]))

    @classmethod
    def spread(cls, mass: FloatArray) -> SymmetricForm:
        """Make the form Σ m_i (f_i - μ)², μ the m-weighted mean: diag(m) - mmᵀ/Σm.

        >>> SymmetricForm.spread(np.ones(2)).to_array()
        array([[ 0.5, -0.5],
               [-0.5,  0.5]])
        """
        mean = cls.squared_mean(mass)
        return replace(cls.diagonal_matrix(mass), V=mean.V, C=-mean.C)

    @classmethod
    def of_classes(cls, codes: IntArray, weights: FloatArray) -> SymmetricForm:
        """Make the form Σ_l w_l (sum of f over class l)²."""
        return replace(cls.diagonal_matrix(np.zeros(codes.size)), classes=Classes(codes, weights))

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.E.shape[0])

    @property
    def is_dense(self) -> bool:
        """Whether E holds n × n numbers."""
        return not sparse.issparse(self.E)

    def __matmul__(self, features: FloatArray) -> FloatArray:
        """Multiply with an array of shape (n,) or (n, m)."""
        if features.ndim == 1:
            return np.asarray((self @ features[:, None])[:, 0])
        image = np.asarray(self.E @ features) + self.V @ (self.C @ (self.V.T @ features))
        return image if self.classes is None else image + self.classes @ features

    def quadratic(self, features: FloatArray) -> FloatArray:
        """Compute fᵀAf of every column."""
        return np.einsum("ij,ij->j", features, self.E @ features) + self.quadratic_of_sums(features)

    def quadratic_of_sums(self, features: FloatArray) -> FloatArray:
        """Compute fᵀ(A - E)f of every column: what depends on few sums over the samples, those of V and of classes."""
        projections = self.V.T @ features
        total = np.asarray(np.einsum("ij,ij->j", projections, self.C @ projections))
        if self.classes is None:
            return total
        return np.asarray(total + self.classes.weights @ self.classes.sums(features) ** 2)

    def split(self) -> tuple[FloatArray, Affinity, float]:
        """Return the diagonal of E, and a matrix and a factor of it that have its other entries."""
        return self.E.diagonal(), self.E, 1.0

    def diagonal(self) -> FloatArray:
        """Return A_ii."""
        diagonal = self.split()[0] + np.einsum("ia,ab,ib->i", self.V, self.C, self.V, optimize=True)
        return np.asarray(diagonal if self.classes is None else diagonal + self.classes.weights[self.classes.codes])

    def diagonal_size(self) -> FloatArray:
        """Sum the absolute values of the terms that A_ii consists of: what its rounding is measured by."""
        V = np.abs(self.V)
        size = np.abs(self.split()[0]) + np.einsum("ia,ab,ib->i", V, np.abs(self.C), V, optimize=True)
        return np.asarray(size if self.classes is None else size + np.abs(self.classes.weights)[self.classes.codes])

    def row_size(self) -> FloatArray:
        """Sum the absolute values of all terms of every row; the largest bounds those of fᵀAf, in units of fᵀf."""
        V, entries = np.abs(self.V), abs(self.E)
        size = np.asarray(entries.sum(axis=1)) + V @ (np.abs(self.C) @ V.sum(axis=0))
        if self.classes is None:
            return size
        return np.asarray(size + (np.abs(self.classes.weights) * self.classes.sizes)[self.classes.codes])

    def to_array(self) -> FloatArray:
        """Return A as a dense array: n² numbers, for looking and checking."""
        return self @ np.eye(self.n_samples)

    def multiplied_out(self) -> FloatArray:
        """Return A as a dense array, from its parts."""
        form = self.without_classes()
        E = np.asarray(form.E.toarray() if sparse.issparse(form.E) else form.E)
        return np.asarray(E + form.V @ form.C @ form.V.T)

    def scaled(self, factor: float) -> SymmetricForm:
        """Return c A."""
        classes = self.classes
        if classes is not None:
            classes = replace(classes, weights=factor * classes.weights)
        return SymmetricForm(_times(factor, self.E), self.V, factor * self.C, classes)

    def plus(self, other: AnyForm) -> AnyForm:
        """Return A + B."""
        if isinstance(other, ImplicitForm):
            return other.plus(self)
        first, second = self._beside(other)
        classes = first.classes if second.classes is None else second.classes
        if first.classes is not None and second.classes is not None:
            classes = replace(first.classes, weights=first.classes.weights + second.classes.weights)
        V, C = np.hstack([first.V, second.V]), _block_diagonal(first.C, second.C)
        return SymmetricForm(_sum(first.E, second.E), V, C, classes)

    def minus(self, other: AnyForm) -> AnyForm:
        """Return A - B."""
        return self.plus(other.scaled(-1.0))

    def restricted(self, rows: IntArray | BoolArray) -> SymmetricForm:
        """Return the rows and columns of some samples."""
        classes = self.classes
        if classes is not None:
            classes = replace(classes, codes=classes.codes[rows])
        return SymmetricForm(self.E[rows][:, rows], self.V[rows], self.C, classes)

    def moved(self, nearby: Nearby) -> SymmetricForm:
        """Put the samples of a sparse form into another order."""
        classes = None if self.classes is None else replace(self.classes, codes=self.classes.codes[nearby.order])
        return SymmetricForm(nearby.moved(self.E), self.V[nearby.order], self.C, classes)

    def extended(self, rows: IntArray, n_samples: int) -> SymmetricForm:
        """Return the form over more samples, zero but at the given rows, which are these samples."""
        place = sparse.csr_array((np.ones(rows.size), (rows, np.arange(rows.size))), shape=(n_samples, rows.size))
        V, classes = place @ self.V, self.classes
        if classes is not None:
            codes = np.full(n_samples, classes.weights.size, dtype=np.intp)
            codes[rows] = classes.codes
            classes = Classes(codes, np.append(classes.weights, 0.0))
        E = sparse.csr_array(place @ sparse.csr_array(self.E) @ place.T)
        return SymmetricForm(E, V, self.C, classes)

    def projected(self, Q: FloatArray) -> SymmetricForm:
        """Return (I - QQᵀ) A (I - QQᵀ) for orthonormal columns Q: E stays, the rank grows."""
        return self._congruent(Q, Q)

    def deflated(self, mass: FloatArray) -> SymmetricForm:
        r"""Return the form of the feature minus its weighted mean, f - 1 (mᵀf)/Σm."""
        return self._congruent(np.ones((self.n_samples, 1)), (mass / mass.sum())[:, None])

    def centred(self) -> SymmetricForm:
        """Return HAH, the form of the feature minus its mean."""
        return self.deflated(np.ones(self.n_samples))

    def _congruent(self, P: FloatArray, Q: FloatArray) -> SymmetricForm:
        """Return (I - QPᵀ) A (I - PQᵀ) = A - Q(AP)ᵀ - (AP)Qᵀ + Q (PᵀAP) Qᵀ."""
        image, count = self @ P, P.shape[1]
        corner = P.T @ image
        update = np.block([[(corner + corner.T) / 2, -np.eye(count)], [-np.eye(count), np.zeros((count, count))]])
        return SymmetricForm(self.E, np.hstack([self.V, Q, image]), _block_diagonal(self.C, update), self.classes)

    def _beside(self, other: SymmetricForm) -> tuple[SymmetricForm, SymmetricForm]:
        """Return both, the class part of the second among its entries where its classes are other ones."""
        mine, others = self.classes, other.classes
        if mine is None or others is None or same_classes(mine, others):
            return self, other
        return self, other.without_classes()

    def is_blind_within(self, classes: Classes) -> bool:
        """Whether the form stays the same when samples of one class change places."""
        if self.is_dense or not (self.classes is None or same_classes(self.classes, classes)):
            return False
        entries, first = self.E.tocoo(), np.unique(classes.codes, return_index=True)[1]
        row, column = entries.coords
        per_sample = np.column_stack([self.E.diagonal(), self.V])
        place = np.unique(classes.codes, return_inverse=True)[1]
        return bool((row == column).all() and (per_sample == per_sample[first][place]).all())

    def without_classes(self) -> SymmetricForm:
        """Return the same matrix with the class part among the entries of E."""
        if self.classes is None:
            return self
        return SymmetricForm(_sum(self.E, self.classes.explicit()), self.V, self.C)


@dataclass(frozen=True)
class ImplicitForm:
    """A symmetric matrix of which only products are known, such as γ(N) by a Chebyshev series.

    Attributes
    ----------
    product : callable
        Maps an array of shape (n, m) to A times it.
    n_samples : int
    pattern : csr_array or None
        A graph over whose edges A decays, where there is one: probes keep its neighbours apart.

    Examples
    --------
    >>> doubled = ImplicitForm(lambda F: 2.0 * F, 2)
    >>> doubled.centred() @ np.array([1.0, 3.0])
    array([-2.,  2.])
    """

    product: Callable[[FloatArray], FloatArray]
    n_samples: int
    pattern: sparse.csr_array | None = None

    def __matmul__(self, features: FloatArray) -> FloatArray:
        """Multiply with an array of shape (n,) or (n, m)."""
        if features.ndim == 1:
            return np.asarray(self.product(features[:, None])[:, 0])
        return self.product(features)

    def quadratic(self, features: FloatArray) -> FloatArray:
        """Compute fᵀAf of every column."""
        return np.asarray(np.einsum("ij,ij->j", features, self @ features))

    def to_array(self) -> FloatArray:
        """Return A as a dense array: n products, made symmetric to the last bit."""
        full = self @ np.eye(self.n_samples)
        return (full + full.T) / 2

    def diagonal(self) -> FloatArray:
        """Return A_ii, by n products."""
        return self.explicit().diagonal()

    def explicit(self) -> SymmetricForm:
        """Return the dense form, by n products: for few samples. Who asks again gets the same one."""
        return self._explicit

    @cached_property
    def _explicit(self) -> SymmetricForm:
        return SymmetricForm.of(self.to_array())

    def scaled(self, factor: float) -> ImplicitForm:
        """Return c A."""
        return replace(self, product=lambda F: factor * self.product(F))

    def plus(self, other: AnyForm) -> ImplicitForm:
        """Return A + B."""
        return replace(self, product=lambda F: self.product(F) + other @ F)

    def minus(self, other: AnyForm) -> ImplicitForm:
        """Return A - B."""
        return self.plus(other.scaled(-1.0))

    def restricted(self, rows: IntArray | BoolArray) -> ImplicitForm:
        """Return the rows and columns of some samples."""
        rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows

        def product(features: FloatArray) -> FloatArray:
            full = np.zeros((self.n_samples, features.shape[1]))
            full[rows] = features
            return self.product(full)[rows]

        return ImplicitForm(product, rows.size, None if self.pattern is None else self.pattern[rows][:, rows])

    def extended(self, rows: IntArray, n_samples: int) -> ImplicitForm:
        """Return the form over more samples, zero but at the given rows, which are these samples."""

        def product(features: FloatArray) -> FloatArray:
            full = np.zeros((n_samples, features.shape[1]))
            full[rows] = self.product(features[rows])
            return full

        return ImplicitForm(product, n_samples)

    def projected(self, Q: FloatArray) -> ImplicitForm:
        """Return (I - QQᵀ) A (I - QQᵀ) for orthonormal columns Q."""
        return self._congruent(Q, Q)

    def deflated(self, mass: FloatArray) -> ImplicitForm:
        """Return the form of the feature minus its weighted mean, f - 1 (mᵀf)/Σm."""
        return self._congruent(np.ones((self.n_samples, 1)), (mass / mass.sum())[:, None])

    def centred(self) -> ImplicitForm:
        """Return HAH, the form of the feature minus its mean."""
        return self.deflated(np.ones(self.n_samples))

    def _congruent(self, P: FloatArray, Q: FloatArray) -> ImplicitForm:
        """Return (I - QPᵀ) A (I - PQᵀ)."""

        def product(features: FloatArray) -> FloatArray:
            image = self.product(features - P @ (Q.T @ features))
            return image - Q @ (P.T @ image)

        return replace(self, product=product)


#: a symmetric matrix, in parts or by products
AnyForm = SymmetricForm | ImplicitForm


def same_classes(first: Classes, second: Classes) -> bool:
    """Whether two class parts are about the same classes."""
    return first.weights.size == second.weights.size and bool(np.array_equal(first.codes, second.codes))


def _diagonal(values: FloatArray) -> sparse.csr_array:
    n = values.size
    places = np.arange(n + 1, dtype=np.int32 if n < 2**31 - 1 else np.int64)  # scipy would make copies of long ones
    return sparse.csr_array((np.asarray(values, dtype=np.float64), places[:-1], places), shape=(n, n))


def _times(factor: float, E: Affinity) -> Affinity:
    """Multiply a matrix by a number; the pattern of a sparse one is shared, not copied."""
    if not sparse.issparse(E):
        return factor * E
    return sparse.csr_array((factor * E.data, E.indices, E.indptr), shape=E.shape)


def _block_diagonal(first: FloatArray, second: FloatArray) -> FloatArray:
    blocks = np.zeros((len(first) + len(second),) * 2)
    blocks[: len(first), : len(first)] = first
    blocks[len(first) :, len(first) :] = second
    return blocks


def _sum(first: Any, second: Any) -> Affinity:
    """Add two matrices; dense where one of them is."""
    if sparse.issparse(first) and sparse.issparse(second):
        return sparse.csr_array(first + second)
    return np.asarray(first + second)

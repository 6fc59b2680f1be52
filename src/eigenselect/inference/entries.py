"""The off-diagonal entries of one or two forms: sums over edges, wedges and triangles, as polynomials.

Every function returns coefficients along the first axis, as in `eigenselect.inference.polynomials`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Protocol

import numpy as np
from scipy import sparse

from eigenselect._typing import Affinity, FloatArray, IntArray
from eigenselect.inference import loops_numpy
from eigenselect.inference.polynomials import cube_differences, row_dot, times

#: steps of the search for triangles from which compiled loops are worth their import
COMPILED_WORK = 3e6


@dataclass(frozen=True)
class Background:
    """What the entries are added to: R = UVᵀ + G, evaluated where there is an entry.

    Attributes
    ----------
    U : ndarray of shape (q, n, k)
        V C of each form.
    V : ndarray of shape (n, k)
    codes : array of int of shape (n,)
    weights : ndarray of shape (q, c)
        G_ij where i and j are of one class.
    """

    U: FloatArray
    V: FloatArray
    codes: IntArray
    weights: FloatArray

    def at(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return R at some places, of shape (q, number of places)."""
        low_rank = np.stack([np.einsum("ek,ek->e", U[rows], self.V[columns]) for U in self.U])
        return np.asarray(low_rank + self.weights[:, self.codes[rows]] * (self.codes[rows] == self.codes[columns]))

    def block(self, rows: slice) -> FloatArray:
        """Return some rows of R, of shape (q, rows, n)."""
        low_rank = self.U[:, rows] @ self.V.T
        same = self.codes[rows, None] == self.codes
        return np.asarray(low_rank + self.weights[:, self.codes[rows]][:, :, None] * same)


class Entries(Protocol):
    """Off-diagonal entries W of q forms."""

    def times(self, features: FloatArray) -> FloatArray:
        """Compute W F, of shape (q, n, m)."""

    def squares(self) -> FloatArray:
        """Compute Σ_j W_ij² for every i."""

    def triangles(self, n_jobs: int | None = None) -> FloatArray:
        """Compute tr W³."""

    def cubes(self, background: Background, n_jobs: int | None = None) -> FloatArray:
        """Compute Σ_ij (W + R)_ij³ - R_ij³."""

    def within(self, codes: IntArray) -> FloatArray:
        """Compute the sum of W_ij over the j of the class of i, for every i."""

    def class_squares(self, codes: IntArray, n_classes: int) -> FloatArray:
        """Compute Σ_k (Σ_{i in l} W_ik)² for every class l."""


def entries_of(matrices: list[Affinity]) -> Entries:
    """Take the diagonal off one or two matrices and put the rest side by side."""
    if any(not sparse.issparse(matrix) for matrix in matrices):
        return DenseEntries.of(matrices)
    return SparseEntries.of(matrices)


@dataclass(frozen=True)
class SparseEntries:
    """Entries on one pattern of edges.

    Attributes
    ----------
    indptr, indices : array of int
        Rows as of a CSR matrix, columns sorted; each pair is stored twice.
    data : ndarray of shape (q, n_entries)
        Zero on the diagonal.
    """

    indptr: IntArray
    indices: IntArray
    data: FloatArray

    @classmethod
    def of(cls, matrices: list[Affinity]) -> SparseEntries:
        first, *others = [_without_diagonal(matrix) for matrix in matrices]
        if not others:
            return cls(first.indptr, first.indices, first.data[None])
        second = others[0]
        if not second.nnz:
            return cls(first.indptr, first.indices, np.stack([first.data, np.zeros(first.nnz)]))
        if not first.nnz:
            return cls(second.indptr, second.indices, np.stack([np.zeros(second.nnz), second.data]))
        union = sparse.csr_array(first + 1j * second)  # an entry of either is an entry of the sum
        union.sort_indices()
        return cls(union.indptr, union.indices, np.stack([union.data.real, union.data.imag]))

    @property
    def n_samples(self) -> int:
        return self.indptr.size - 1

    @cached_property
    def rows(self) -> IntArray:
        """Row of every entry."""
        return np.repeat(np.arange(self.n_samples), np.diff(self.indptr))

    def _matrix(self, x: int) -> sparse.csr_array:
        return sparse.csr_array((self.data[x], self.indices, self.indptr), shape=(self.n_samples, self.n_samples))

    def _used(self) -> list[int]:
        return [x for x in range(len(self.data)) if self.data[x].any()]

    def times(self, features: FloatArray) -> FloatArray:
        used = self._used()
        empty = np.zeros_like(features)
        return np.stack([np.asarray(self._matrix(x) @ features) if x in used else empty for x in range(len(self.data))])

    def squares(self) -> FloatArray:
        return self._row_sums(times(self.data, self.data))

    def _row_sums(self, values: FloatArray) -> FloatArray:
        return np.stack([np.bincount(self.rows, weights=v, minlength=self.n_samples) for v in values])

    def triangles(self, n_jobs: int | None = None) -> FloatArray:
        first, factor = self._multiples()
        if factor is not None:
            power = times(times(factor, factor), factor)
            return power * self._loops().triangles(self.indptr, self.indices, self.data[first : first + 1], n_jobs)[0]
        return np.asarray(self._loops().triangles(self.indptr, self.indices, self.data, n_jobs))

    def _multiples(self) -> tuple[int, FloatArray | None]:
        """Return which data all are multiples of, and the factors; None where they are not."""
        used = self._used()
        first = used[0] if used else 0
        base = self.data[first]
        place = int(np.argmax(np.abs(base))) if base.size else 0
        factor = self.data[:, place] / base[place] if used else np.zeros(len(self.data))
        same = all(np.array_equal(data, f * base) for data, f in zip(self.data, factor, strict=True))
        return first, np.asarray(factor) if same else None

    def cubes(self, background: Background, n_jobs: int | None = None) -> FloatArray:
        return np.asarray(self._loops().cubes(self, background, n_jobs))

    def within(self, codes: IntArray) -> FloatArray:
        if codes.max(initial=0) == 0:
            return self._row_sums(self.data)
        return self._row_sums(self.data * (codes[self.rows] == codes[self.indices]))

    def class_squares(self, codes: IntArray, n_classes: int) -> FloatArray:
        if n_classes == 1:
            sums = self._row_sums(self.data)
            return times(sums, sums).sum(axis=1, keepdims=True)
        n = self.n_samples
        member = sparse.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, n_classes)).T.tocsr()
        sums = [sparse.csr_array(member @ self._matrix(x)) for x in range(len(self.data))]
        total = np.zeros((2 * len(sums) - 1, n_classes))
        for i, a in enumerate(sums):
            for j, b in enumerate(sums):
                total[i + j] += np.asarray(a.multiply(b).sum(axis=1)).ravel()
        return total

    def _loops(self) -> ModuleType:
        """Take compiled loops where there is enough to do; the choice depends on the pattern only."""
        degrees = np.diff(self.indptr).astype(np.float64)
        if float(degrees @ degrees) >= COMPILED_WORK:
            from eigenselect.inference import loops_numba

            return loops_numba
        return loops_numpy


@dataclass(frozen=True)
class DenseEntries:
    """Entries between all pairs of samples.

    Attributes
    ----------
    data : ndarray of shape (q, n, n)
        Zero on the diagonal.
    """

    data: FloatArray

    @classmethod
    def of(cls, matrices: list[Affinity]) -> DenseEntries:
        data = np.stack([m.toarray() if sparse.issparse(m) else m for m in matrices])
        data[:, np.arange(data.shape[1]), np.arange(data.shape[1])] = 0.0
        return cls(data)

    def times(self, features: FloatArray) -> FloatArray:
        return np.asarray(self.data @ features)

    def squares(self) -> FloatArray:
        return row_dot(self.data, self.data)

    def triangles(self, n_jobs: int | None = None) -> FloatArray:
        first = self.data[0] @ self.data[0]
        total = np.zeros(3 * len(self.data) - 2)
        total[0] = np.vdot(first, self.data[0])
        if len(self.data) == 2:
            last = self.data[1] @ self.data[1]
            total[1:] = 3 * np.vdot(first, self.data[1]), 3 * np.vdot(last, self.data[0]), np.vdot(last, self.data[1])
        return total

    def cubes(self, background: Background, n_jobs: int | None = None) -> FloatArray:
        n = self.data.shape[1]
        total = np.zeros(3 * len(self.data) - 2)
        step = max(1, 2**21 // n)
        for start in range(0, n, step):
            rows = slice(start, start + step)
            total += cube_differences(self.data[:, rows], background.block(rows))
        return total

    def within(self, codes: IntArray) -> FloatArray:
        return np.einsum("qij,ij->qi", self.data, codes[:, None] == codes)

    def class_squares(self, codes: IntArray, n_classes: int) -> FloatArray:
        sums = np.einsum("il,qij->qlj", np.eye(n_classes)[codes], self.data, optimize=True)
        return times(sums, sums).sum(axis=2)


def _without_diagonal(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the off-diagonal entries, columns sorted; none where there are only zeros."""
    matrix = sparse.csr_array(matrix)
    n = matrix.shape[0]
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
    keep = (matrix.indices != rows) & (matrix.data != 0)
    counts = np.bincount(rows[keep], minlength=n)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(matrix.indptr.dtype)
    kept = sparse.csr_array((matrix.data[keep], matrix.indices[keep], indptr), shape=matrix.shape)
    kept.sort_indices()
    return kept

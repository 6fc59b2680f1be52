"""The off-diagonal entries of one or two forms: sums over edges, wedges and triangles, as polynomials.

Every function returns coefficients along the first axis, as in `eigenselect.inference.polynomials`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import Affinity, FloatArray, IntArray
from eigenselect.inference import loops_numpy
from eigenselect.inference.polynomials import cube_differences, row_dot, times

#: factors up to this, and from its inverse on, need not be multiplied into entries: their cubes stay in range
ORDINARY = 2.0**64
#: steps of the search for triangles from which compiled loops are worth their import
COMPILED_WORK = 3e6
#: rows of a dense matrix that are multiplied together
DENSE_ROWS = 256
#: rows of a sparse matrix that are looked at together
BLOCK_ROWS = 4096


@dataclass(frozen=True)
class Background:
    """What the entries are added to: R = V C Vᵀ + G, evaluated where there is an entry.

    Attributes
    ----------
    V : ndarray of shape (n, k)
    C : ndarray of shape (q, k, k)
    codes : array of int of shape (n,)
    weights : ndarray of shape (q, c)
        G_ij where i and j are of one class.
    """

    V: FloatArray
    C: FloatArray
    codes: IntArray
    weights: FloatArray

    def at(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Return R at some places, of shape (q, number of places)."""
        low_rank = np.stack([np.einsum("ek,ek->e", U, self.V[columns]) for U in self.V[rows] @ self.C])
        return np.asarray(low_rank + self.weights[:, self.codes[rows]] * (self.codes[rows] == self.codes[columns]))

    def block(self, rows: slice) -> FloatArray:
        """Return some rows of R, of shape (q, rows, n)."""
        low_rank = self.V[rows] @ self.C @ self.V.T
        same = self.codes[rows, None] == self.codes
        return np.asarray(low_rank + self.weights[:, self.codes[rows]][:, :, None] * same)


class Entries(Protocol):
    """Off-diagonal entries W of q forms, each a mixture of u ≤ 2 matrices: W_x = Σ_u mix_xu data_u."""

    @property
    def mix(self) -> FloatArray:
        """Of shape (q, u)."""

    def images(self, features: FloatArray) -> FloatArray:
        """Compute data F, of shape (u, n, m)."""

    def squares(self, rows: slice) -> FloatArray:
        """Compute Σ_j W_ij² for some i."""

    def triangles(self, n_jobs: int | None = None) -> FloatArray:
        """Compute tr W³."""

    def cubes(self, background: Background, n_jobs: int | None = None) -> FloatArray:
        """Compute Σ_ij (W + R)_ij³ - R_ij³."""

    def within(self, codes: IntArray) -> FloatArray:
        """Compute the sum of W_ij over the j of the class of i, for every i."""

    def class_squares(self, codes: IntArray, n_classes: int) -> FloatArray:
        """Compute Σ_k (Σ_{i in l} W_ik)² for every class l."""


def entries_of(matrices: Sequence[Affinity], factors: Sequence[float] | None = None) -> Entries:
    """Take the diagonal off one or two matrices, times a factor each, and put the rest side by side."""
    factors = [1.0] * len(matrices) if factors is None else factors
    if any(not sparse.issparse(matrix) for matrix in matrices):
        return DenseEntries.of(matrices, factors)
    return SparseEntries.of(matrices, factors)


@dataclass(frozen=True)
class SparseEntries:
    """Entries on one pattern of edges: W_x = Σ_u mix_xu data_u.

    Entries of one form alone, or of two that are multiples of each other, are held once.

    Attributes
    ----------
    indptr, indices : array of int
        Rows as of a CSR matrix, columns sorted; each pair is stored twice.
    data : ndarray of shape (0, 1 or 2, n_entries)
        Zero on the diagonal.
    mix : ndarray of shape (q, 0, 1 or 2)
    """

    indptr: IntArray
    indices: IntArray
    data: FloatArray
    mix: FloatArray

    @classmethod
    def of(cls, matrices: Sequence[Affinity], factors: Sequence[float]) -> SparseEntries:
        """Find what the forms have in common; the entries of one alone are not copied, its factor is in ``mix``."""
        stripped = [_without_diagonal(matrix) for matrix in matrices]
        found, mix = _used(stripped)
        if not found:
            n = matrices[0].shape[0]
            return cls(np.zeros(n + 1, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros((0, 0)), mix)
        used = np.asarray(factors)[mix.any(axis=1)]
        if len(found) == 1 and 1 / ORDINARY <= abs(used[0]) <= ORDINARY:
            return cls(found[0].indptr, found[0].indices, found[0].data[None], used[0] * mix)
        first, *others = (_scaled(matrix, factor) for matrix, factor in zip(found, used, strict=True))
        if not others:
            return cls(first.indptr, first.indices, first.data[None], mix)
        second = others[0]
        if not (np.array_equal(first.indptr, second.indptr) and np.array_equal(first.indices, second.indices)):
            union = sparse.csr_array(first + 1j * second)  # an entry of either is an entry of the sum
            union.sort_indices()
            return cls(union.indptr, union.indices, np.stack([union.data.real, union.data.imag]), mix)
        place = int(np.argmax(np.abs(first.data)))
        factor = second.data[place] / first.data[place]
        if np.array_equal(second.data, factor * first.data):
            return cls(first.indptr, first.indices, first.data[None], np.array([[1.0], [factor]]))
        return cls(first.indptr, first.indices, np.stack([first.data, second.data]), mix)

    @property
    def n_samples(self) -> int:
        return self.indptr.size - 1

    @cached_property
    def rows(self) -> IntArray:
        """Row of every entry."""
        return _rows_of(self.indptr, self.indices)

    def mixed(self, entries: slice) -> FloatArray:
        """Return some entries of every form."""
        return np.asarray(self.mix @ self.data[:, entries])

    def _polynomial(self, base: FloatArray, degree: int) -> FloatArray:
        return polynomial_of_forms(base, self.mix, degree)

    def images(self, features: FloatArray) -> FloatArray:
        shape = (self.n_samples, self.n_samples)
        matrices = [sparse.csr_array((data, self.indices, self.indptr), shape=shape) for data in self.data]
        if len(matrices) == 1:
            return np.asarray(matrices[0] @ features)[None]  # no copy: there may be millions of samples
        return np.array([matrix @ features for matrix in matrices]).reshape(-1, *features.shape)

    def squares(self, rows: slice) -> FloatArray:
        if not len(self.data):
            return np.zeros((2 * len(self.mix) - 1, rows.stop - rows.start))
        entries = slice(self.indptr[rows.start], self.indptr[rows.stop])
        data, starts = self.data[:, entries], self.indptr[rows.start : rows.stop + 1] - entries.start
        part = SparseEntries(starts, self.indices[entries], data, self.mix)
        return self._polynomial(part._row_sums(times(data, data)), 2)

    def _row_sums(self, values: FloatArray) -> FloatArray:
        """Sum over the entries of each row."""
        sums = np.zeros((len(values), self.n_samples))
        used = np.flatnonzero(np.diff(self.indptr))
        for place, row in enumerate(values if used.size else ()):
            sums[place, used] = np.add.reduceat(row, self.indptr[used])
        return sums

    def triangles(self, n_jobs: int | None = None) -> FloatArray:
        if not len(self.data):
            return np.zeros(3 * len(self.mix) - 2)
        return self._polynomial(self._loops().triangles(self.indptr, self.indices, self.data, n_jobs), 3)

    def cubes(self, background: Background, n_jobs: int | None = None) -> FloatArray:
        return np.asarray(self._loops().cubes(self, background, n_jobs))

    def within(self, codes: IntArray) -> FloatArray:
        same = codes[self.rows] == codes[self.indices]
        return np.asarray(self.mix @ self._row_sums(self.data * same))

    def class_squares(self, codes: IntArray, n_classes: int) -> FloatArray:
        n = self.n_samples
        member = sparse.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, n_classes)).T.tocsr()
        parts = [member @ sparse.csr_array((data, self.indices, self.indptr), shape=(n, n)) for data in self.data]
        if not parts:
            return np.zeros((2 * len(self.mix) - 1, n_classes))
        total = np.zeros((2 * len(parts) - 1, n_classes))
        for i, a in enumerate(parts):
            for j, b in enumerate(parts):
                total[i + j] += np.asarray(a.multiply(b).sum(axis=1)).ravel()
        return self._polynomial(total, 2)

    def _loops(self) -> ModuleType:
        """Take compiled loops where there is enough to do; the choice depends on the pattern only."""
        degrees = np.diff(self.indptr).astype(np.float64)
        if float(degrees @ degrees) >= COMPILED_WORK:
            from eigenselect.inference import loops_numba

            return loops_numba
        return loops_numpy


@dataclass(frozen=True)
class DenseEntries:
    """Entries between all pairs of samples: W_x = Σ_u mix_xu data_u.

    Attributes
    ----------
    data : list of ndarray of shape (n, n)
        Zero on the diagonal; forms that are only a diagonal have none.
    mix : ndarray of shape (q, 1 or 2)
    """

    data: list[FloatArray]
    mix: FloatArray

    @classmethod
    def of(cls, matrices: Sequence[Affinity], factors: Sequence[float]) -> DenseEntries:
        """Make those dense that have off-diagonal entries."""
        data = [_dense_without_diagonal(matrix, factor) for matrix, factor in zip(matrices, factors, strict=True)]
        return cls(*_used(data))

    def _polynomial(self, base: FloatArray, degree: int) -> FloatArray:
        return polynomial_of_forms(base, self.mix, degree)

    def images(self, features: FloatArray) -> FloatArray:
        return np.stack([data @ features for data in self.data])

    def squares(self, rows: slice) -> FloatArray:
        some = [data[rows] for data in self.data]
        return self._polynomial(row_dot(some, some), 2)

    def triangles(self, n_jobs: int | None = None) -> FloatArray:
        """Sum over blocks of rows, of which each product is as wide as what is right of the diagonal."""
        n, data = len(self.data[0]), self.data

        def compute(rows: slice) -> FloatArray:
            total, right = np.zeros(3 * len(data) - 2), slice(rows.stop, n)
            for i, first in enumerate(data):
                for j, last in enumerate(data):
                    here, there = first[rows] @ last[:, rows], first[rows] @ last[:, right]
                    for k, closing in enumerate(data):
                        total[i + j + k] += np.vdot(here, closing[rows, rows]) + 2.0 * np.vdot(
                            there, closing[rows, right]
                        )
            return total

        return self._polynomial(np.sum(map_blocks(compute, slices(n, DENSE_ROWS), n_jobs), axis=0), 3)

    def cubes(self, background: Background, n_jobs: int | None = None) -> FloatArray:
        n = len(self.data[0])

        def compute(rows: slice) -> FloatArray:
            W = np.einsum("xu,unm->xnm", self.mix, np.stack([data[rows] for data in self.data]))
            return cube_differences(W, background.block(rows))

        return np.asarray(np.sum(map_blocks(compute, slices(n, max(1, 2**18 // n)), n_jobs), axis=0))

    def within(self, codes: IntArray) -> FloatArray:
        same = codes[:, None] == codes
        return np.asarray(self.mix @ np.stack([np.einsum("ij,ij->i", data, same) for data in self.data]))

    def class_squares(self, codes: IntArray, n_classes: int) -> FloatArray:
        member = sparse.csr_array(
            (np.ones(codes.size), codes, np.arange(codes.size + 1)), shape=(codes.size, n_classes)
        )
        sums = np.stack([member.T @ data for data in self.data])
        return self._polynomial(times(sums, sums).sum(axis=2), 2)


def _used(matrices: list[Any]) -> tuple[list[Any], FloatArray]:
    """Return the matrices that there are, and which form has which."""
    used = [x for x, matrix in enumerate(matrices) if matrix is not None]
    mix = np.zeros((len(matrices), len(used)))
    mix[used, np.arange(len(used))] = 1.0
    return [matrices[x] for x in used], mix


def polynomial_of_forms(base: FloatArray, mix: FloatArray, degree: int) -> FloatArray:
    """Turn a polynomial of the data into that of the forms: the same, unless all forms are multiples of one."""
    if mix.shape[1] != 1:
        return base
    power = np.ones(1)
    for _ in range(degree):
        power = times(power, mix[:, 0])
    return np.multiply.outer(power, base[0])


def _dense_without_diagonal(matrix: Affinity, factor: float) -> FloatArray | None:
    """Return the matrix times a factor, dense and with zeros on its diagonal; None where a sparse one has no more."""
    if sparse.issparse(matrix):
        stripped = _without_diagonal(matrix)
        return None if stripped is None else np.asarray(factor * stripped.toarray())
    data = np.asarray(factor * matrix)
    np.fill_diagonal(data, 0.0)
    return data


def _rows_of(indptr: IntArray, indices: IntArray) -> IntArray:
    """Return the row of every entry, in numbers as short as those of its column."""
    return np.repeat(np.arange(indptr.size - 1, dtype=indices.dtype), np.diff(indptr))


def _without_diagonal(matrix: Affinity) -> sparse.csr_array | None:
    """Return the matrix with zeros on its diagonal, columns sorted; None where there are only zeros.

    Entries are copied only where there are some on the diagonal.
    """
    matrix = sparse.csr_array(matrix)
    data = matrix.data
    if matrix.diagonal().any():
        data = data.copy()
        for rows in slices(matrix.shape[0], BLOCK_ROWS):  # in blocks: as many rows as entries would count in memory
            entries = slice(matrix.indptr[rows.start], matrix.indptr[rows.stop])
            row = rows.start + _rows_of(matrix.indptr[rows.start : rows.stop + 1], matrix.indices)
            data[entries][matrix.indices[entries] == row] = 0.0
    if not data.any():
        return None
    kept = sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    return kept if kept.has_sorted_indices else kept.sorted_indices()


def _scaled(matrix: sparse.csr_array, factor: float) -> sparse.csr_array:
    """Return the matrix times a factor, on the same pattern."""
    return sparse.csr_array((factor * matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)

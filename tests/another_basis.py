"""Eigensolvers as another processor might have them: other signs, other bases of equal eigenvalues, other last bits.

Which vectors a solver returns for equal eigenvalues, and every sign, is chance. `use_another_basis` replaces the
solvers of `eigenselect.graph.eigensolver`, the only module that calls them, by ones that choose at random. Whatever a
user sees must stay the same.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from eigenselect.graph import eigensolver

#: eigenvalues closer than this part of the largest magnitude are turned into each other; the package's own rule, which
#: says what is equal to its users, is wider: `eigensolver.EQUAL`
EQUAL = 1e-10
#: relative noise of what is returned: some units in the last place
NOISE = 1e-15


def use_another_basis(monkeypatch, seed=0):
    """From here on the package gets its eigenvectors from solvers that flip and turn them at random."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(eigensolver, "_dense_solver", _dense(rng))
    monkeypatch.setattr(eigensolver, "_lanczos_solver", _lanczos(rng))
    monkeypatch.setattr(eigensolver, "_singular_solver", _singular(rng))


def _dense(rng):
    def solve(matrix, subset_by_index=None):
        values, vectors = _turned(rng, *linalg.eigh(matrix))
        first, last = subset_by_index or (0, len(values) - 1)
        return values[first : last + 1], vectors[:, first : last + 1]

    return solve


def _lanczos(rng):
    """The largest pairs of an operator, found by LAPACK: any part of equal ones at the end."""

    def solve(operator, k, which, v0, **options):
        assert which == "LA"
        matrix = operator @ np.eye(operator.shape[0])
        values, vectors = _turned(rng, *linalg.eigh((matrix + matrix.T) / 2))
        return values[-k:], vectors[:, -k:]

    return solve


def _singular(rng):
    """Equal singular values turn both sides together; those of 0 have nothing in common."""

    def solve(matrix, full_matrices):
        U, sizes, Vt = np.linalg.svd(matrix, full_matrices=full_matrices)
        for own in _groups(sizes, sizes[0]):
            turn = random_rotation(rng, own.size)
            zero = sizes[own[0]] <= EQUAL * sizes[0]
            U[:, own] = U[:, own] @ turn
            Vt[own] = (random_rotation(rng, own.size) if zero else turn).T @ Vt[own]
        return _noisy(rng, U), _noisy(rng, sizes), _noisy(rng, Vt)

    return solve


def _turned(rng, values, vectors):
    vectors = vectors.copy()
    for own in _groups(values, np.abs(values).max()):
        vectors[:, own] = vectors[:, own] @ random_rotation(rng, own.size)
    return np.sort(_noisy(rng, values)), _noisy(rng, vectors)


def _groups(values, reach):
    return np.split(np.arange(len(values)), np.flatnonzero(np.abs(np.diff(values)) > EQUAL * reach) + 1)


def _noisy(rng, numbers):
    return numbers + NOISE * np.abs(numbers).max(initial=0.0) * rng.uniform(-1, 1, numbers.shape)


def random_rotation(rng, size):
    """A random orthogonal matrix, ±1 for size 1."""
    rotation, triangle = np.linalg.qr(rng.normal(size=(size, size)))
    return rotation * np.sign(np.diag(triangle)) * (1 if size > 1 else rng.choice([-1, 1]))

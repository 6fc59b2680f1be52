r"""Samples in few dimensions: principal components or a random projection, of any table that can be multiplied.

Only `Matrix.times` and `Matrix.transposed_times` see the table, so a sparse one stays sparse, and one in a file or on a
cluster where it is: means are subtracted from the products, never from the table.

Distances between projected samples do not depend on the signs of components, nor on the basis of those with equal
variances, which are taken as a whole group. Where the shorter side of the table is long, components come from a seeded
block Krylov space, which grows until the variance that they hold settles: the same arithmetic on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._eigen import eigh, end_of_group, group_numbers, tell_whole_group
from eigenselect._parallel import single_threaded_blas, slices
from eigenselect._random import random_generator
from eigenselect._typing import FloatArray
from eigenselect.matrix import Matrix
from eigenselect.similarity.distances import check_range

#: a shorter side up to this is decomposed as a whole
WHOLE_SIDE = 400
#: vectors beyond the wanted ones in a block
SPARE = 10
#: blocks of a Krylov space: at least, at most, and the part of the variance that one more may add before it ends
FEWEST_BLOCKS, MOST_BLOCKS, SETTLED = 3, 12, 1e-5
#: components of a smaller part of the largest variance are rounding
NOISE = 1e-13


def project(X: Matrix, n_components: int, projection: Any, random_state: Any) -> Matrix:
    """Return the samples in ``n_components`` dimensions.

    Parameters
    ----------
    X : Matrix of shape (n, m)
    n_components : int
        At most the smaller of n and m.
    projection : {"pca", "random"}
        Principal components, or products with normal random numbers, which keep distances up to a factor of about
        1 ± √(2 / n_components).
    random_state : int, RandomState or None
        Of the random numbers, of both.

    Examples
    --------
    >>> X = Matrix(np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [4.0, 0.1, 1.0]]))
    >>> points = project(X, 1, "pca", None).to_array()
    >>> np.abs(points).round(1).ravel()
    array([2., 0., 2.])
    """
    generator = random_generator(random_state)
    table = _Centred(X)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        if projection == "random":
            points = table.times(generator.normal(size=(X.n_features, n_components)) / np.sqrt(n_components))
        else:
            points = _principal_components(table, n_components, generator)
    check_range(X, np.einsum("ij,ij->i", points, points), center=True)
    return Matrix(points, sample_names=X.sample_names)


class _Centred:
    """Products with a table whose columns have mean 0, which is never made."""

    def __init__(self, X: Matrix) -> None:
        self._X = X
        self.shape = X.shape
        with np.errstate(over="ignore", invalid="ignore"):  # seen in the squared lengths
            self._mean = X.transposed_times(np.full((X.n_samples, 1), 1.0 / X.n_samples))[:, 0]

    def times(self, right: FloatArray) -> FloatArray:
        return self._X.times(right) - self._mean @ right

    def transposed_times(self, left: FloatArray) -> FloatArray:
        return self._X.transposed_times(left) - np.outer(self._mean, left.sum(axis=0))


def _principal_components(table: _Centred, n_components: int, generator: Any) -> FloatArray:
    """Return the samples in the directions of most variance."""
    n_samples, n_features = table.shape
    by_sample = n_samples < n_features  # then products of samples are decomposed, not of features

    def squared(vectors: FloatArray) -> FloatArray:
        if by_sample:
            return table.times(table.transposed_times(vectors))
        return table.transposed_times(table.times(vectors))

    side = min(n_samples, n_features)
    values, vectors = _whole(squared, side) if side <= WHOLE_SIDE else _krylov(squared, side, n_components, generator)
    values, vectors = values[::-1], vectors[:, ::-1]
    if not np.isfinite(values).all():
        return np.full((n_samples, 1), np.inf)  # refused as out of range
    used = min(end_of_group(group_numbers(values, max(values[0], 0.0)), n_components), values.size)
    real = int(np.count_nonzero(values[:used] > NOISE * values[0])) if values[0] > 0 else 0
    if used > n_components and real == used:
        tell_whole_group(f"KNN: n_components={n_components}", used)
    values, vectors = values[: max(1, real)], vectors[:, : max(1, real)]
    return vectors * np.sqrt(np.maximum(values, 0.0)) if by_sample else table.times(vectors)


def _whole(squared: Any, side: int) -> tuple[FloatArray, FloatArray]:
    """Decompose a short side as a whole."""
    unit = np.eye(side)
    matrix = np.hstack([squared(unit[:, part]) for part in slices(side, 100)])
    return _eigh_or_inf(_symmetric(matrix))


def _krylov(squared: Any, side: int, n_components: int, generator: Any) -> tuple[FloatArray, FloatArray]:
    """Find the largest eigenpairs in the space of a random block and its images, each orthogonal to those before."""
    width = min(side, n_components + SPARE)
    basis = np.linalg.qr(generator.normal(size=(side, width)))[0]
    images = squared(basis)
    held = 0.0
    for step in range(1, MOST_BLOCKS + 1):
        values, turns = _eigh_or_inf(_symmetric(basis.T @ images))
        before, held = held, float(values[-n_components:].sum())
        room = side - basis.shape[1]
        settled = step >= FEWEST_BLOCKS and held - before <= SETTLED * held
        if settled or not room or step == MOST_BLOCKS or not np.isfinite(held):
            break
        block = images[:, -width:][:, :room]
        for _ in range(2):  # once more, for what rounding left
            block = np.linalg.qr(block - basis @ (basis.T @ block))[0]
        basis, images = np.hstack([basis, block]), np.hstack([images, squared(block)])
    return values[-width:], (basis @ turns)[:, -width:]


def _symmetric(matrix: FloatArray) -> FloatArray:
    return (matrix + matrix.T) / 2


def _eigh_or_inf(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenpairs; infinite ones where squares left floating point."""
    if not np.isfinite(matrix).all():
        return np.full(len(matrix), np.inf), np.eye(len(matrix))
    return eigh(matrix)

r"""Samples in few dimensions: principal components or a random projection, from products with the table alone.

A sparse table stays sparse, and one in a file or on a cluster stays there: means are subtracted from the products.
Components with equal variances are taken as a whole group, so that distances do not depend on their basis. If the
shorter side of the table is long, components come from a seeded block Krylov space, which grows until their variance
settles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._checks import random_generator
from eigenselect._parallel import single_threaded_blas, slices
from eigenselect._typing import FloatArray
from eigenselect.graph.eigensolver import eigh, end_of_group, group_numbers, tell_whole_group
from eigenselect.matrix import Matrix

#: a shorter side up to this is decomposed as a whole
WHOLE_SIDE = 400
#: vectors of a block beyond the requested components
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

    Examples
    --------
    >>> X = Matrix(np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [4.0, 0.1, 1.0]]))
    >>> points = project(X, 1, "pca", None).to_array()
    >>> np.abs(points).round(1).ravel()
    array([2., 0., 2.])
    """
    generator = random_generator(random_state)
    mean = X.transposed_times(np.full((X.n_samples, 1), 1.0 / X.n_samples))[:, 0]

    def times(right: FloatArray) -> FloatArray:
        return X.times(right) - mean @ right

    def transposed_times(left: FloatArray) -> FloatArray:
        return X.transposed_times(left) - np.outer(mean, left.sum(axis=0))

    with single_threaded_blas():
        if projection == "random":
            points = times(generator.normal(size=(X.n_features, n_components)) / np.sqrt(n_components))
        elif X.n_samples < X.n_features:  # products of samples are decomposed, else those of features
            squared = _largest(lambda v: times(transposed_times(v)), X.n_samples, n_components, generator)
            points = squared[1] * np.sqrt(np.maximum(squared[0], 0.0))
        else:
            squared = _largest(lambda v: transposed_times(times(v)), X.n_features, n_components, generator)
            points = times(squared[1])
    return Matrix(points, sample_names=X.sample_names)


def _largest(squared: Any, side: int, n_components: int, generator: Any) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenpairs, with those that are equal to the last one; rounding is left out."""
    if side <= WHOLE_SIDE:
        unit = np.eye(side)
        values, vectors = _eigenpairs(np.hstack([squared(unit[:, part]) for part in slices(side, 100)]))
    else:
        values, vectors = _krylov(squared, side, n_components, generator)
    values, vectors = values[::-1], vectors[:, ::-1]
    used = min(end_of_group(group_numbers(values, max(values[0], 0.0)), n_components), values.size)
    real = int(np.count_nonzero(values[:used] > NOISE * values[0])) if values[0] > 0 else 0
    if used > n_components and real == used:
        tell_whole_group(f"KNN: n_components={n_components}", used)
    return values[: max(1, real)], vectors[:, : max(1, real)]


def _krylov(squared: Any, side: int, n_components: int, generator: Any) -> tuple[FloatArray, FloatArray]:
    """Find the largest eigenpairs in the space of a random block and its images, each orthogonal to those before."""
    width = min(side, n_components + SPARE)
    basis = np.linalg.qr(generator.normal(size=(side, width)))[0]
    images = squared(basis)
    variance = 0.0
    for step in range(1, MOST_BLOCKS + 1):
        values, turns = _eigenpairs(basis.T @ images)
        before, variance = variance, float(values[-n_components:].sum())
        dimensions = side - basis.shape[1]
        settled = step >= FEWEST_BLOCKS and variance - before <= SETTLED * variance
        if settled or not dimensions or step == MOST_BLOCKS:
            break
        block = images[:, -width:][:, :dimensions]
        for _ in range(2):  # once more, for what rounding left
            block = np.linalg.qr(block - basis @ (basis.T @ block))[0]
        basis, images = np.hstack([basis, block]), np.hstack([images, squared(block)])
    return values[-width:], (basis @ turns)[:, -width:]


def _eigenpairs(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    return eigh((matrix + matrix.T) / 2)

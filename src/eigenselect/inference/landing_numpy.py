"""Random landings by numpy: for little work, and as the reference of ``landing_numba``."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray, IntArray
from eigenselect.inference.landing import FIRST, SECOND, STEP, STREAM, TIED, Landing

#: numbers of one block of draws: n_samples × draws
BLOCK = 2**20


def statistics(landing: Landing, first: int, count: int) -> FloatArray:
    """Compute gᵀAg + aᵀg + c, raised by `TIED` of its terms, for the draws ``first`` to ``first + count - 1``.

    >>> from eigenselect.criteria.structured import SymmetricForm
    >>> form = SymmetricForm.diagonal_matrix(np.array([1.0, 2.0, 3.0]))
    >>> landing = Landing.of(form, np.array([2.0]), background=0.0, constant=0.0, seed=0)
    >>> sorted(set(statistics(landing, 0, 100).round(6)))
    [np.float64(4.0), np.float64(8.0), np.float64(12.0)]
    """
    step = max(1, BLOCK // landing.n_samples)
    starts = range(first, first + count, step)
    return np.concatenate([_of_draws(landing, np.arange(at, min(at + step, first + count))) for at in starts])


def places(seed: int, draws: IntArray, n_values: int, n_samples: int) -> IntArray:
    """Return where the values of every draw land, one draw a row: the first places of a random order of the samples.

    >>> np.sort(places(0, np.arange(2), 3, 3), axis=1)
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    row = np.arange(draws.size)
    order = np.tile(np.arange(n_samples), (draws.size, 1))
    state = first_states(seed, draws)
    for j in range(n_values):
        state = state + np.uint64(STEP)
        chosen = j + ((_mixed(state) >> np.uint64(11)).astype(np.float64) * 2.0**-53 * (n_samples - j)).astype(np.intp)
        order[row, j], order[row, chosen] = order[row, chosen], order[row, j]
    return order[:, :n_values]


def first_states(seed: int, draws: IntArray) -> np.ndarray:
    """Return where the stream of random numbers of every draw begins."""
    return _mixed(np.uint64(seed) + draws.astype(np.uint64) * np.uint64(STREAM))


def _mixed(state: np.ndarray) -> np.ndarray:
    """Hash 64 bits as splitmix64 does."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(FIRST)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(SECOND)
    return state ^ (state >> np.uint64(31))


def _of_draws(landing: Landing, draws: IntArray) -> FloatArray:
    landed = np.zeros((landing.n_samples, draws.size))
    landed[places(landing.seed, draws, landing.values.size, landing.n_samples).T, np.arange(draws.size)] = (
        landing.values[:, None]
    )
    total, size = np.full(draws.size, landing.constant), np.full(draws.size, abs(landing.constant))
    for part, absolute in (_linear(landing, landed), _entries(landing, landed), _sums(landing, landed)):
        total += part
        size += absolute
    return total + TIED * size


def _linear(landing: Landing, landed: FloatArray) -> tuple[FloatArray, FloatArray]:
    return landing.linear @ landed, np.abs(landing.linear) @ np.abs(landed)


def _entries(landing: Landing, landed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute gᵀEg, and the same of absolute values."""
    shape = (landing.n_samples,) * 2
    E = (
        landing.dense
        if landing.dense.size
        else sparse.csr_array((landing.data, landing.indices, landing.indptr), shape)
    )
    return np.sum(landed * (E @ landed), axis=0), np.sum(np.abs(landed) * (abs(E) @ np.abs(landed)), axis=0)


def _sums(landing: Landing, landed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the parts that depend on sums over the landed values: the low rank and the classes."""
    projections = landing.V.T @ landed
    terms = projections[:, None] * landing.C[:, :, None] * projections
    classes = np.arange(landing.weights.size)
    member = (landing.codes == classes[:, None]).astype(np.float64)
    squares = landing.weights[:, None] * (member @ landed) ** 2
    return terms.sum(axis=(0, 1)) + squares.sum(axis=0), np.abs(terms).sum(axis=(0, 1)) + np.abs(squares).sum(axis=0)

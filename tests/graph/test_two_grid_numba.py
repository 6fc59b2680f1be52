"""The joined loops against the same formulas on dense matrices."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.graph import two_grid_numba

FIRST, GAIN, KEEP = np.float32(0.6), np.float32(0.8), np.float32(0.3)


@pytest.fixture
def entries_and_dense(rng):
    """Rows with 0 to 12 entries: whole groups of four and what is left of them."""
    dense = np.zeros((30, 30), dtype=np.float32)
    for i in range(30):
        dense[i, rng.permutation(30)[: i % 13]] = rng.normal(size=i % 13)
    matrix = sparse.csr_array(dense)
    return (matrix.indptr, matrix.indices, matrix.data), dense


def blocks(rng, count, columns=8):
    return [rng.normal(size=(30, columns)).astype(np.float32) for _ in range(count)]


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("columns", [1, 8, 13])
def test_subtract_product(rng, entries_and_dense, columns):
    entries, dense = entries_and_dense
    block, out = blocks(rng, 2, columns)
    expected = out - dense @ block
    two_grid_numba.subtract_product(*entries, block, out)
    close(out, expected)


def test_two_steps_and_the_last_two(rng, entries_and_dense):
    entries, dense = entries_and_dense
    right, left, step, other, out = blocks(rng, 5)
    scale = rng.random(30).astype(np.float32)
    two_grid_numba.smooth(*entries, right, FIRST, GAIN, KEEP, left, step)
    close(left, right - FIRST * dense @ right)
    close(step, GAIN * left + KEEP * right)
    two_grid_numba.smooth_last(*entries, right, FIRST, GAIN, KEEP, other, step, scale, out)
    two_steps = FIRST * right + GAIN * (right - FIRST * dense @ right) + KEEP * right
    close(out, scale[:, None] * (FIRST * other + step + two_steps))


def test_a_shifted_product_and_its_curvature(rng, entries_and_dense):
    entries, dense = entries_and_dense
    block, out = blocks(rng, 2)
    shifts, curvature = rng.random(8).astype(np.float32), np.full(8, np.nan)
    two_grid_numba.shifted_product(*entries, block, shifts, out, curvature)
    close(out, dense @ block - block * shifts)
    close(curvature, np.sum(block * out, axis=0))


def test_steps_of_conjugate_gradients(rng):
    direction, image, solution, left = blocks(rng, 4)
    lengths = rng.random(8).astype(np.float32)
    expected = solution + direction * lengths, left - image * lengths, left + direction * lengths
    two_grid_numba.turn(left, lengths, turned := direction.copy())
    close(turned, expected[2])
    two_grid_numba.advance(direction, image, lengths, solution, left)
    close(solution, expected[0])
    close(left, expected[1])

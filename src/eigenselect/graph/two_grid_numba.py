"""Products of a sparse matrix with a block of columns, joined with what follows them, compiled.

Each loop reads and writes a block once. Blocks are C-contiguous with a multiple of `WIDTH` columns, which processors
multiply together.
"""

from __future__ import annotations

import numpy as np

from eigenselect._compiled import compiled

#: columns that are multiplied together
WIDTH = 8


@compiled("contract")
def _row_times(indptr, indices, data, block, i, product):  # type: ignore[no-untyped-def]
    """Row i of the matrix times the block, four entries at a time."""
    product[:] = 0
    entry, end = indptr[i], indptr[i + 1]
    while entry + 4 <= end:
        a, b, c, d = data[entry], data[entry + 1], data[entry + 2], data[entry + 3]
        p, q = block[indices[entry]], block[indices[entry + 1]]
        r, s = block[indices[entry + 2]], block[indices[entry + 3]]
        for k in range(product.size):
            product[k] += a * p[k] + b * q[k] + c * r[k] + d * s[k]
        entry += 4
    while entry < end:
        a, p = data[entry], block[indices[entry]]
        for k in range(product.size):
            product[k] += a * p[k]
        entry += 1


@compiled("contract")
def smooth(indptr, indices, data, right, first, gain, keep, left, step):  # type: ignore[no-untyped-def]
    """Two steps for Mx = r from 0: x = first·r + step, with step = gain·left + keep·r and left = r - first·Mr."""
    product = np.empty(right.shape[1], right.dtype)
    for i in range(right.shape[0]):
        _row_times(indptr, indices, data, right, i, product)
        for k in range(product.size):
            left[i, k] = right[i, k] - first * product[k]
            step[i, k] = gain * left[i, k] + keep * right[i, k]


@compiled("contract")
def subtract_product(indptr, indices, data, block, out):  # type: ignore[no-untyped-def]
    """Subtract M·block from ``out``."""
    product = np.empty(block.shape[1], block.dtype)
    for i in range(out.shape[0]):
        _row_times(indptr, indices, data, block, i, product)
        for k in range(product.size):
            out[i, k] -= product[k]


@compiled("contract")
def smooth_last(indptr, indices, data, left, first, gain, keep, right, step, scale, out):  # type: ignore[no-untyped-def]
    """Write scale·(first·r + step + x), with x as in `smooth` for what is left."""
    product = np.empty(left.shape[1], left.dtype)
    for i in range(left.shape[0]):
        _row_times(indptr, indices, data, left, i, product)
        for k in range(product.size):
            then = (first + keep) * left[i, k] + gain * (left[i, k] - first * product[k])
            out[i, k] = scale[i] * (first * right[i, k] + step[i, k] + then)


@compiled("contract")
def shifted_product(indptr, indices, data, block, shifts, out, curvature):  # type: ignore[no-untyped-def]
    """Write M·block - block·shifts, and the products of its columns with those of the block."""
    product = np.empty(block.shape[1], block.dtype)
    curvature[:] = 0
    for i in range(block.shape[0]):
        _row_times(indptr, indices, data, block, i, product)
        for k in range(product.size):
            out[i, k] = product[k] - shifts[k] * block[i, k]
            curvature[k] += block[i, k] * out[i, k]


@compiled("contract")
def advance(direction, image, lengths, solution, left):  # type: ignore[no-untyped-def]
    """Add direction·lengths to the solution, and subtract image·lengths from what is left."""
    for i in range(solution.shape[0]):
        for k in range(lengths.size):
            solution[i, k] += lengths[k] * direction[i, k]
            left[i, k] -= lengths[k] * image[i, k]


@compiled("contract")
def turn(gradient, lengths, direction):  # type: ignore[no-untyped-def]
    """Make direction = gradient + direction·lengths."""
    for i in range(direction.shape[0]):
        for k in range(lengths.size):
            direction[i, k] = gradient[i, k] + lengths[k] * direction[i, k]

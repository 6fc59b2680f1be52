"""Products of all rows of a block in single precision, summed in place: BLAS's ``ssyrk``.

numpy calls it, too, into fresh memory each time, and then copies one triangle onto the other: on two threads and 500
rows, blocks of 512 columns took an eighth longer by that.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import slices


def upper_products(block: NDArray[np.float32], summed: int) -> NDArray[np.float32]:
    """Compute the upper triangle of a aᵀ: sums over ``summed`` columns at a time, and the sum of these; zeros below it.

    >>> upper_products(np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32), 2)
    array([[14., 32.],
           [ 0., 77.]], dtype=float32)
    """
    total = np.zeros((len(block), len(block)), dtype=np.float32)
    block = block if _has_plain_rows(block) else block.copy(order="C")
    size, one = _integer(len(block)), ctypes.byref(ctypes.c_float(1.0))
    row = _integer(block.strides[0] // block.itemsize)
    for columns in slices(block.shape[1], summed):
        values, width = block[:, columns].ctypes.data, _integer(columns.stop - columns.start)
        # BLAS counts by columns: our upper triangle is its lower one, and a is its transpose
        _ssyrk()(b"L", b"T", size, width, one, values, row, one, total.ctypes.data, size)
    return total


def _has_plain_rows(block: NDArray[np.float32]) -> bool:
    """Whether BLAS can read the block where it lies: rows without gaps, one behind the other."""
    row, column = block.strides
    behind = row >= block.shape[1] * block.itemsize and row % block.itemsize == 0
    return bool(column == block.itemsize and behind and block.flags.aligned)


def _integer(value: int) -> Any:
    """Return a number by its address; its first four bytes are the same number, where BLAS counts in as many."""
    return ctypes.byref(ctypes.c_int64(value))


@cache
def _ssyrk() -> Any:
    """Return BLAS's function as scipy has it for compiled code; other threads run while it is called."""
    from numba.extending import get_cython_function_address

    address = get_cython_function_address("scipy.linalg.cython_blas", "ssyrk")
    return ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, *[ctypes.c_void_p] * 8)(address)

"""Products that BLAS can make and numpy does not offer: X Xᵀ of columns of a wide table where they lie, one triangle.

numpy, too, asks BLAS for one triangle of a matrix times its own transpose, but then copies it onto the other, element
by element; scipy's wrappers copy columns of a wider table first. Of many narrow blocks both take a tenth of the time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import slices

#: the largest integer that this BLAS takes
LARGEST_INT = 2**31 - 1


def lower_products(block: NDArray[Any], summed: int) -> NDArray[Any]:
    """Compute the lower triangle of block blockᵀ in its own precision; what is above is of no meaning.

    Parameters
    ----------
    block : ndarray of floats
    summed : int
        Columns that are added up at once; then come the sums of these.

    Examples
    --------
    >>> np.tril(lower_products(np.array([[1, 2], [3, 4]], dtype=np.float32), 1))
    array([[ 5.,  0.],
           [11., 25.]], dtype=float32)
    """
    write = _single_products if block.dtype == np.float32 else _plain_products
    total = np.zeros((len(block), len(block)), dtype=block.dtype)
    first, *others = slices(block.shape[1], summed)
    write(block[:, first], total)
    part = np.zeros_like(total) if others else total
    for columns in others:
        write(block[:, columns], part)
        total += part
    return total


def _plain_products(block: NDArray[Any], out: NDArray[Any]) -> None:
    """Write block blockᵀ."""
    np.matmul(block, block.T, out=out)


def _single_products(block: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Write the lower triangle of block blockᵀ, of rows that lie within a larger table, too."""
    step, left = divmod(block.strides[0], block.itemsize)
    lies_well = block.strides[1] == block.itemsize and not left and block.shape[1] <= step <= LARGEST_INT
    syrk = _ssyrk()
    if syrk is None or not (lies_well and block.flags.aligned):
        _plain_products(block, out)
        return
    # in Fortran's eyes: the upper triangle of AᵀA, with A = blockᵀ
    n, k, lda = (ctypes.c_int(size) for size in (*block.shape, step))
    one, zero = ctypes.c_float(1.0), ctypes.c_float(0.0)
    syrk(b"U", b"T", n, k, one, block.ctypes.data, lda, zero, out.ctypes.data, n)


@cache
def _ssyrk() -> Callable[..., None] | None:
    """Return SSYRK of scipy's BLAS; None where its integers are of another size."""
    from numba.extending import get_cython_function_address
    from scipy.linalg import cython_blas

    if " int *" not in repr(cython_blas.__pyx_capi__["ssyrk"]):
        return None
    by_place, integer, number = ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_float)
    letters: list[Any] = [ctypes.c_char_p, ctypes.c_char_p]
    types = [*letters, integer, integer, number, by_place, integer, number, by_place, integer]
    return ctypes.CFUNCTYPE(None, *types)(get_cython_function_address("scipy.linalg.cython_blas", "ssyrk"))

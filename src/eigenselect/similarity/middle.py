"""The two numbers in the middle of very many, without sorting or copying them.

Floating-point numbers that are not negative have the order of their bits, read as whole numbers. So the range of bits
is cut into equal buckets, the numbers in each are counted, and the bucket that holds the middle is cut again, until
what it holds is few enough to be sorted. Exact: it is the numbers themselves that are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from eigenselect._typing import FloatArray, IntArray

#: a function that yields the same numbers, in parts, whenever it is called
Parts = Callable[[], Iterator[FloatArray]]
#: numbers that are copied out and sorted rather than counted
FEW = 2**18
#: buckets of one count, as a power of two
BUCKET_BITS = 12


def middle_two(parts: Parts, lowest: float, end: float) -> tuple[float, float] | None:
    """Find the two numbers in the middle, the same twice if their count is odd, of those in [lowest, end).

    Parameters
    ----------
    parts : callable
        Yields arrays of numbers, none of them negative or NaN.
    lowest, end : float
        Numbers outside do not count; not negative.

    Returns
    -------
    tuple of float or None
        None where no number counts.

    Examples
    --------
    >>> middle_two(lambda: iter([np.array([5.0, 1.0]), np.array([np.inf, 2.0, 9.0])]), 0.0, np.inf)
    (2.0, 5.0)
    """
    start, stop = (int(bits) for bits in np.array([lowest, end]).view(np.int64))
    count = sum(int(np.count_nonzero((part >= lowest) & (part < end))) for part in parts())
    if not count:
        return None
    low, high = (_number_at(parts, rank, start, stop, count) for rank in ((count - 1) // 2, count // 2))
    return low, high


def _number_at(parts: Parts, rank: int, start: int, stop: int, count: int) -> float:
    """Find the number of a rank, from 0, among the ``count`` whose bits are in [start, stop)."""
    while count > FEW and stop - start > 1:
        shift = max(0, (stop - start - 1).bit_length() - BUCKET_BITS)
        counts = np.zeros(2**BUCKET_BITS, dtype=np.int64)
        for part in parts():
            inside = _bits_inside(part, start, stop)
            counts += np.bincount((inside - start) >> shift, minlength=counts.size)
        before = np.cumsum(counts) - counts
        bucket = int(np.searchsorted(before, rank, side="right")) - 1
        rank, count = rank - int(before[bucket]), int(counts[bucket])
        start, stop = start + (bucket << shift), min(stop, start + ((bucket + 1) << shift))
    if stop - start == 1:  # very many equal ones
        return float(np.array(start, dtype=np.int64).view(np.float64))
    inside = np.concatenate([_bits_inside(part, start, stop) for part in parts()])
    return float(np.partition(inside, rank)[rank : rank + 1].view(np.float64)[0])


def _bits_inside(part: FloatArray, start: int, stop: int) -> IntArray:
    bits = np.ascontiguousarray(part, dtype=np.float64).ravel().view(np.int64)
    inside: IntArray = bits[(bits >= start) & (bits < stop)]
    return inside

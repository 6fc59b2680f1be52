"""Where a sequence of lines of unequal sizes is cut, so that no part is large."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenselect._typing import IntArray


def cut_by_size(sizes: IntArray, most: int) -> Iterator[slice]:
    """Cut a sequence into slices of at most so many bytes each, or of one line that has more.

    >>> list(cut_by_size(np.array([3, 3, 9, 1]), 6))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    ends, start = np.cumsum(sizes, dtype=np.int64), 0
    while start < ends.size:
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield slice(start, stop)
        start = stop

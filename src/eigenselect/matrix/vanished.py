"""Chunks that were in a zarr store and are gone: zarr gives their fill value in silence, which would count as zeros.

A chunk of nothing but the fill value need not be stored at all, so a missing one is no mistake by itself. The number of
stored chunks is known from the start; where a whole chunk reads as the fill value, they are counted again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._typing import AnyArray


def stored_chunks(dataset: Any) -> int | None:
    """Return how many chunks of a zarr array are stored; None for what is none."""
    count = getattr(dataset, "nchunks_initialized", None)
    return None if count is None else int(count)


def reads_as_empty(values: AnyArray, starts: tuple[int, ...], chunks: tuple[int, ...], fill: Any) -> bool:
    """Whether some chunk, or the part of it that was read, holds nothing but the fill value.

    Parameters
    ----------
    values : ndarray
        What was read.
    starts : tuple of int
        Where it begins in the array, along each axis.
    chunks : tuple of int
        The shape of chunks.
    fill : number or None

    Examples
    --------
    >>> values = np.array([[1, 2, 0, 0], [0, 1, 0, 0]])
    >>> reads_as_empty(values, (0, 0), (2, 2), 0), reads_as_empty(values, (0, 1), (2, 2), 0)
    (True, True)
    >>> reads_as_empty(values[:, :2], (0, 0), (2, 2), 0)
    False
    """
    if not values.size:
        return False
    differs = np.asarray(values != (0 if fill is None else fill))
    for axis, (start, chunk) in enumerate(zip(starts, chunks, strict=True)):
        begins = np.arange(-start % chunk, values.shape[axis], chunk)
        differs = np.logical_or.reduceat(differs, np.union1d([0], begins), axis=axis)
    return not differs.all()


def starts_of(key: Any, n_axes: int) -> tuple[int, ...]:
    """Return where slices begin, along each axis.

    >>> starts_of((slice(3, 5), slice(None)), 2), starts_of(..., 1)
    ((3, 0), (0,))
    """
    parts = key if isinstance(key, tuple) else (key,)
    return tuple(int(part.start or 0) if isinstance(part, slice) else 0 for part in parts)[:n_axes]

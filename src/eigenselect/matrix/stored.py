"""Datasets in files, read some lines at a time: of HDF5 or zarr, dense, or sparse as anndata writes them.

A line is what lies together in the file: a row, but a column of CSC.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._parallel import slices
from eigenselect._typing import AnyArray, IntArray

#: bytes of lines that are read at once
READ_BYTES = 2**24
#: attributes by which HDF5 and zarr tell how anndata stored a sparse matrix, now and in old files
ENCODINGS = {"csr_matrix": "csr", "csc_matrix": "csc", "csr": "csr", "csc": "csc"}


def is_stored(values: Any) -> bool:
    """Whether something is a dataset in a file: an array of HDF5 or zarr, a group of them, or anndata's sparse one.

    >>> is_stored(np.zeros(3))
    False
    """
    package = type(values).__module__.partition(".")[0]
    return package in ("h5py", "zarr") or (package == "anndata" and hasattr(values, "group"))


def stored(values: Any, called: str) -> StoredLines:
    """Return lines of a dataset in a file; errors call it ``called``."""
    group = getattr(values, "group", values)
    return SparseLines(group, called) if hasattr(group, "keys") else DenseLines(group, called)


def cut_by_size(sizes: IntArray, most: int) -> Iterator[slice]:
    """Cut a sequence into slices of at most so many bytes each, or of one line that has more.

    >>> list(cut_by_size(np.array([3, 3, 9, 1]), 6))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    ends, start = np.cumsum(sizes), 0
    while start < ends.size:
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield slice(start, stop)
        start = stop


def _opened(path: str) -> Any:
    """Open a file of HDF5 that another process has open, perhaps for writing."""
    import h5py

    try:
        return h5py.File(path, "r")
    except OSError:  # locked by who writes to it, and flushed: see `StoredLines.__getstate__`
        return h5py.File(path, "r", locking=False)


class StoredLines:
    """Lines of a dataset in a file.

    Attributes
    ----------
    shape : tuple of int
        Lines, and values of each.
    axis : int
        0 if lines are rows of the table, 1 if they are columns.
    is_sparse : bool
    dtype : dtype
        float32 where the file has it, else float64: what values are given in.
    called : str
    was_loaded : bool
        Whether it was said that all of it is loaded.
    """

    shape: tuple[int, int]
    axis: int = 0
    is_sparse: bool = False
    dtype: Any
    was_loaded: bool = False

    def __init__(self, dataset: Any, called: str) -> None:
        self.dataset, self.called = dataset, called

    def read(self, lines: slice, values: slice) -> Any:
        """Return some values of some consecutive lines, as an array or as CSR."""
        raise NotImplementedError

    def steps(self) -> list[slice]:
        """Cut the lines into slices that are read at once."""
        raise NotImplementedError

    @property
    def entry_bytes(self) -> int:
        """The size of one stored value in memory."""
        return int(self.dtype.itemsize)

    def line_bytes(self) -> IntArray:
        """Return the size of each line in memory."""
        raise NotImplementedError

    def value_bytes(self) -> IntArray:
        """Return for each place of a line the bytes that its values on all lines take in memory."""
        raise NotImplementedError

    def _values(self, dataset: Any, key: Any) -> AnyArray:
        """Read values, or say that the file is damaged."""
        try:
            return np.asarray(dataset[key])
        except (OSError, RuntimeError) as error:  # h5py's and zarr's, of chunks that cannot be decompressed
            raise ValueError(
                f"{self.called} cannot be read from its file ({error}); is it damaged, or being written to?"
            ) from error

    def _float_type(self, dtype: Any) -> Any:
        """Return what numbers of a type become, or refuse what are none."""
        dtype = np.dtype(dtype)
        if dtype.kind not in "biuf":
            raise ValueError(f"{self.called} must hold numbers, got {dtype}; choose another matrix of the AnnData.")
        return np.dtype(np.float32) if dtype == np.float32 else np.dtype(np.float64)

    def __getstate__(self) -> dict[str, Any]:
        """Let other processes open the file themselves: handles of HDF5 belong to one."""
        state = {name: value for name, value in vars(self).items() if name != "starts"}
        file = getattr(self.dataset, "file", None)
        if file is not None:
            if file.mode != "r":
                file.flush()  # the others read what is on the disk
            state["dataset"] = (os.path.abspath(file.filename), self.dataset.name)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if isinstance(self.dataset, tuple):
            path, name = self.dataset
            self.dataset = _opened(path)[name]


class DenseLines(StoredLines):
    """Rows of an array of HDF5 or zarr."""

    def __init__(self, dataset: Any, called: str) -> None:
        super().__init__(dataset, called)
        if len(dataset.shape) != 2:
            raise ValueError(f"{called} must have samples in rows and features in columns, got shape {dataset.shape}.")
        n_samples, n_features = map(int, dataset.shape)
        self.shape, self.dtype = (n_samples, n_features), self._float_type(dataset.dtype)

    def read(self, lines: slice, values: slice) -> AnyArray:
        return np.asarray(self._values(self.dataset, (lines, values)), dtype=self.dtype)

    def steps(self) -> list[slice]:
        width = max(1, self.shape[1] * self.dtype.itemsize)
        return slices(self.shape[0], max(1, READ_BYTES // width))

    def line_bytes(self) -> IntArray:
        return np.full(self.shape[0], self.shape[1] * self.dtype.itemsize, dtype=np.intp)

    def value_bytes(self) -> IntArray:
        return np.full(self.shape[1], self.shape[0] * self.dtype.itemsize, dtype=np.intp)


class SparseLines(StoredLines):
    """Rows of CSR, or columns of CSC, in a group with ``data``, ``indices`` and ``indptr``."""

    is_sparse = True

    def __init__(self, dataset: Any, called: str) -> None:
        super().__init__(dataset, called)
        attributes = dict(dataset.attrs)
        kind = ENCODINGS.get(str(attributes.get("encoding-type", attributes.get("h5sparse_format"))))
        size = attributes.get("shape", attributes.get("h5sparse_shape"))
        if kind is None or size is None or not all(part in dataset for part in ("data", "indices", "indptr")):
            raise ValueError(f"{called} is a group that holds no sparse matrix; choose another matrix of the AnnData.")
        n_samples, n_features = map(int, size)
        self.axis = 0 if kind == "csr" else 1
        self.shape = (n_samples, n_features) if kind == "csr" else (n_features, n_samples)
        self.dtype = self._float_type(dataset["data"].dtype)

    @cached_property
    def starts(self) -> IntArray:
        """Where the non-zeros of each line start, and where the last ones end."""
        starts = self._values(self.dataset["indptr"], ...).astype(np.intp)
        stored_values = min(self.dataset["data"].shape[0], self.dataset["indices"].shape[0])
        if (
            starts.shape != (self.shape[0] + 1,)
            or starts[0]
            or (np.diff(starts) < 0).any()
            or starts[-1] > stored_values
        ):
            raise self._damaged()
        return starts

    def read(self, lines: slice, values: slice) -> sparse.csr_array:
        starts = self.starts[lines.start : lines.stop + 1]
        part = slice(int(starts[0]), int(starts[-1]))
        places, data = self._places(part), self._values(self.dataset["data"], part)
        shape = (lines.stop - lines.start, self.shape[1])
        index = self._index_type(data.size)  # of both: scipy takes the wider one, and a band would be half larger
        read = sparse.csr_array(
            (data.astype(self.dtype), places.astype(index, copy=False), (starts - starts[0]).astype(index)), shape=shape
        )
        read.sum_duplicates()
        return read if values == slice(0, self.shape[1]) else read[:, values]

    def steps(self) -> list[slice]:
        return list(cut_by_size(self.line_bytes(), READ_BYTES))

    def line_bytes(self) -> IntArray:
        return np.diff(self.starts) * self.entry_bytes

    def value_bytes(self) -> IntArray:
        total = np.zeros(self.shape[1], dtype=np.intp)
        for lines in self.steps():
            part = slice(int(self.starts[lines.start]), int(self.starts[lines.stop]))
            total += np.bincount(self._places(part), minlength=self.shape[1])
        return total * self.entry_bytes

    @property
    def entry_bytes(self) -> int:
        return int(self.dtype.itemsize + self._index_type(0).itemsize)

    def _index_type(self, n_stored: int) -> Any:
        """Return the type of places on a line in memory, whatever the file has: int32 where it suffices."""
        return np.dtype(np.int32 if max(n_stored, *self.shape) <= np.iinfo(np.int32).max else np.int64)

    def _places(self, part: slice) -> AnyArray:
        """Read where some values stand on their lines, which must be on them."""
        places = self._values(self.dataset["indices"], part)
        if places.size and (int(places.min()) < 0 or int(places.max()) >= self.shape[1]):
            raise self._damaged()
        return places

    def _damaged(self) -> ValueError:
        return ValueError(f"{self.called} is damaged: its indices do not fit its shape; write the file again.")

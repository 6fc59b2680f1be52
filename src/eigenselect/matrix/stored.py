"""Datasets in files, read some lines at a time: of HDF5 or zarr, dense, or sparse as anndata writes them.

A line is what lies together in the file: a row, but a column of CSC.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._checks import memory_for
from eigenselect._parallel import slices
from eigenselect._progress import PASSES, Passes
from eigenselect._typing import AnyArray, IntArray
from eigenselect.exceptions import within
from eigenselect.matrix.bounds import read_bytes
from eigenselect.matrix.cuts import cut_by_size
from eigenselect.matrix.handles import check_handle, check_member
from eigenselect.matrix.number_types import is_number_type, is_wide, kept_type, working_type
from eigenselect.matrix.vanished import reads_as_empty, starts_of, stored_chunks

#: attributes by which HDF5 and zarr tell how anndata stored a sparse matrix, now and in old files
ENCODINGS = {"csr_matrix": "csr", "csc_matrix": "csc", "csr": "csr", "csc": "csc"}
#: what another process reads or opens itself
NOT_SENT = ("starts", "value_counts", "_members", "column_bands", "_passes")
#: bytes that are kept for each sample and each feature at least: counts, and scores
PLACE_BYTES = 32
#: what h5py and zarr raise where chunks cannot be read, or not be decompressed
UNREADABLE = (OSError, RuntimeError, ValueError, KeyError, TypeError)


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
    check_handle(group, called)
    return SparseLines(group, called) if hasattr(group, "keys") else DenseLines(group, called)


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
        What values are given in: see `eigenselect.matrix.number_types.kept_type`.
    called : str
    was_loaded : bool
        Whether it was said that all of it is loaded.
    largest : float
        The largest |x| that was read so far of whole numbers of 64 bits.
    """

    shape: tuple[int, int]
    axis: int = 0
    is_sparse: bool = False
    dtype: Any
    was_loaded: bool = False
    largest: float = 0.0
    _passes: Passes | None = None
    #: see `eigenselect.matrix.scratch.split`, which sets it
    column_bands: Any

    def __init__(self, dataset: Any, called: str) -> None:
        self.dataset, self.called = dataset, called
        self._chunks: dict[str, int] = {}
        self._passes = PASSES.get()  # threads that read would not know it

    def tell(self, what: str, start: int, stop: int, total: int) -> None:
        """Tell whoever looks how far a pass is; see `eigenselect._progress.Passes`."""
        if self._passes is not None:
            self._passes.reached(what, start, stop, total)

    def expect(self, n_passes: int) -> None:
        """Tell whoever looks that there will be so many passes more than usual."""
        if self._passes is not None:
            self._passes.planned += n_passes

    def read(self, lines: slice, values: slice) -> Any:
        """Return some values of some consecutive lines, as an array or as CSR."""
        raise NotImplementedError

    def steps(self, n_values: int | None = None) -> list[slice]:
        """Cut the lines into slices that are read at once, all values of them or so many."""
        raise NotImplementedError

    @property
    def entry_bytes(self) -> int:
        """The size of one stored value in memory."""
        return int(self.dtype.itemsize)

    def line_bytes(self) -> IntArray:
        """Return the size of each line in memory."""
        raise NotImplementedError

    def chunk_of(self, line: int, value: int) -> str:
        """Name the chunk that holds a value of a line, by its number along the lines and, if those are cut, along them.

        Empty where the file has no chunks.
        """
        raise NotImplementedError

    def learn_counts(self, counts: IntArray) -> None:
        """Keep how many non-zeros each place of a line has, as a pass over all lines found."""

    def value_bytes(self) -> IntArray:
        """Return for each place of a line the bytes that its values on all lines take in memory."""
        raise NotImplementedError

    def _values(self, dataset: Any, key: Any) -> AnyArray:
        """Read values, or say that the file is damaged or gone."""
        try:
            values = np.asarray(dataset[key])
        except UNREADABLE as error:
            raise ValueError(
                f"{self.called} cannot be read from its file ({error}); is it damaged, or being written to?"
            ) from error
        self._check_there(dataset, key, values)
        return values

    def _noted(self, values: AnyArray) -> AnyArray:
        """Return values, and keep the size of whole numbers that floats may not hold: who warns need not read again."""
        if is_wide(values.dtype) and values.size:
            self.largest = max(self.largest, float(values.max()), -float(values.min()))
        return values

    def _watch(self, *datasets: Any) -> None:
        """Note how many chunks of zarr arrays are there, so that it is seen if some go."""
        found = {str(dataset.name): stored_chunks(dataset) for dataset in datasets if hasattr(dataset, "name")}
        self._chunks = {name: count for name, count in found.items() if count is not None}

    def _check_there(self, dataset: Any, key: Any, values: AnyArray) -> None:
        """Refuse the fill values that zarr gives for chunks that were there and are gone."""
        known = self._chunks.get(str(getattr(dataset, "name", "")))
        if known is None or not reads_as_empty(values, starts_of(key, values.ndim), dataset.chunks, dataset.fill_value):
            return
        left = stored_chunks(dataset)
        if left is not None and left < known:
            raise ValueError(
                f"{self.called} was changed while it was read: {known - left} of {known} chunks of its zarr array "
                f"{dataset.name} are gone; restore the store, and fit again."
            )

    def _number_type(self, dtype: Any) -> Any:
        """Return the type in which numbers are held, or refuse what are none."""
        if not is_number_type(dtype):
            raise ValueError(f"{self.called} must hold numbers, got {dtype}; choose another dataset of the file.")
        return kept_type(dtype)

    def __getstate__(self) -> dict[str, Any]:
        """Let other processes open the file themselves: handles of HDF5 belong to one."""
        state = {name: value for name, value in vars(self).items() if name not in NOT_SENT}
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
        self.shape, self.dtype = (n_samples, n_features), self._number_type(dataset.dtype)
        self._watch(dataset)

    def read(self, lines: slice, values: slice) -> AnyArray:
        return self._noted(self._values(self.dataset, (lines, values))).astype(self.dtype, copy=False)

    def steps(self, n_values: int | None = None) -> list[slice]:
        width = max(1, (self.shape[1] if n_values is None else n_values) * self.dtype.itemsize)
        fitting, chunk = max(1, read_bytes() // width), self._chunk_shape()[0]
        return slices(self.shape[0], fitting if fitting < chunk else fitting // chunk * chunk)

    def lies_in_tall_chunks(self) -> bool:
        """Whether rows that are read at once are only parts of their chunks, which are then unpacked over and over."""
        rows, columns = self._chunk_shape()
        return columns < self.shape[1] and rows * self.shape[1] * self.dtype.itemsize > 2 * read_bytes()

    def chunk_of(self, line: int, value: int) -> str:
        if getattr(self.dataset, "chunks", None) is None:
            return ""
        rows, columns = self._chunk_shape()
        return f"{line // rows}, {value // columns}" if columns < self.shape[1] else str(line // rows)

    def _chunk_shape(self) -> tuple[int, int]:
        rows, columns = getattr(self.dataset, "chunks", None) or (1, self.shape[1])
        return max(1, int(rows)), max(1, int(columns))

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
            inside = ", ".join(list(map(str, dataset.keys()))[:5])
            raise ValueError(
                f"{called} is a group that holds no sparse matrix in anndata's encoding; choose a dataset, or a group "
                f"with data, indices and indptr{f', inside it ({inside})' if inside else ''}."
            )
        n_samples, n_features = self._size(size)
        self.axis = 0 if kind == "csr" else 1
        self.shape = (n_samples, n_features) if kind == "csr" else (n_features, n_samples)
        for name, member in self._members.items():
            check_member(member, name, called)
        self.dtype = self._number_type(self._members["data"].dtype)
        self._watch(*self._members.values())

    def _size(self, size: Any) -> tuple[int, int]:
        """Return the numbers of samples and features that a file claims; refuse what cannot be, or be worked on."""
        sizes = np.atleast_1d(np.asarray(size))
        if sizes.shape != (2,) or sizes.dtype.kind not in "iu" or (sizes < 0).any():
            raise ValueError(
                f"{self.called} is damaged: its shape must be two whole numbers, got {within(str(size), 60)}; write "
                "the file again."
            )
        n_samples, n_features = map(int, sizes)
        with memory_for(
            PLACE_BYTES * max(n_samples, n_features),
            f"{self.called}: its {n_samples} samples and {n_features} features",
            "see whether the file claims a wrong shape",
        ):
            return n_samples, n_features

    @cached_property
    def _members(self) -> dict[str, Any]:
        """The three arrays, which zarr would look up again each time."""
        return {part: self.dataset[part] for part in ("data", "indices", "indptr")}

    @cached_property
    def starts(self) -> IntArray:
        """Where the non-zeros of each line start, and where the last ones end."""
        starts = self._whole_numbers("indptr", ...).astype(np.intp)
        stored_values = min(self._members["data"].shape[0], self._members["indices"].shape[0])
        if (
            starts.shape != (self.shape[0] + 1,)
            or starts[0]
            or (np.diff(starts) < 0).any()
            or starts[-1] > stored_values
        ):
            raise self._damaged()
        return starts

    def read(self, lines: slice, values: slice) -> sparse.csr_array:
        starts, part = self.starts[lines.start : lines.stop + 1], self._entries(lines)
        places, data = self._places(part), self._noted(self._values(self._members["data"], part))
        shape = (lines.stop - lines.start, self.shape[1])
        index = self._index_type(data.size)  # of both: scipy takes the wider one, and a band would be half larger
        read = sparse.csr_array(
            (data.astype(self.dtype, copy=False), places.astype(index, copy=False), (starts - starts[0]).astype(index)),
            shape=shape,
        )
        read = read if read.has_canonical_format else self._summed(read)
        return read if values == slice(0, self.shape[1]) else read[:, values]

    def _summed(self, read: sparse.csr_array) -> sparse.csr_array:
        """Sort entries, and add those of one place; refuse whole numbers whose sum their type does not hold."""
        if self.dtype.kind == "f":
            read.sum_duplicates()
            return read
        wide = read.astype(np.float64)
        wide.sum_duplicates()
        if wide.nnz == read.nnz:  # they were not sorted
            read.sort_indices()
            return read
        kept = wide.astype(self.dtype)
        if not np.array_equal(kept.data, wide.data):
            raise ValueError(
                f"{self.called} names places of its matrix several times, and their sum does not fit {self.dtype}; "
                "write it with each place once (sum_duplicates of scipy)."
            )
        return kept

    def steps(self, n_values: int | None = None) -> list[slice]:
        return list(cut_by_size(self.line_bytes(), read_bytes()))

    def line_bytes(self) -> IntArray:
        return np.diff(self.starts) * self.entry_bytes

    def chunk_of(self, line: int, value: int) -> str:
        chunks = getattr(self._members["data"], "chunks", None)
        return "" if chunks is None else str(int(self.starts[line]) // int(chunks[0]))  # that the line begins in

    def learn_counts(self, counts: IntArray) -> None:
        vars(self).setdefault("value_counts", counts)

    def value_bytes(self) -> IntArray:
        return self.value_counts * self.entry_bytes

    @cached_property
    def value_counts(self) -> IntArray:
        """How many non-zeros each place of a line has on all lines; one pass over the indices."""
        total = np.zeros(self.shape[1], dtype=np.intp)
        for lines in self.steps():
            total += np.bincount(self._places(self._entries(lines)), minlength=self.shape[1])
        return total

    @property
    def entry_bytes(self) -> int:
        return int(working_type(self.dtype).itemsize + self._index_type(0).itemsize)

    def _entries(self, lines: slice) -> slice:
        """Return where the non-zeros of some consecutive lines are."""
        return slice(int(self.starts[lines.start]), int(self.starts[lines.stop]))

    def _index_type(self, n_stored: int) -> Any:
        """Return the type of places on a line in memory, whatever the file has: int32 where it suffices."""
        return np.dtype(np.int32 if max(n_stored, *self.shape) <= np.iinfo(np.int32).max else np.int64)

    def _places(self, part: slice) -> AnyArray:
        """Read where some values stand on their lines, which must be on them."""
        places = self._whole_numbers("indices", part)
        if places.size and (int(places.min()) < 0 or int(places.max()) >= self.shape[1]):
            raise self._damaged()
        return places

    def _whole_numbers(self, name: str, part: Any) -> AnyArray:
        """Read indices; refuse fractions and text, which numpy would cut to whole numbers in silence."""
        found = self._values(self._members[name], part)
        if found.dtype.kind not in "iu":
            raise ValueError(
                f"{self.called} is damaged: its {name} are {found.dtype}, not integers; write the file again."
            )
        return found

    def _damaged(self) -> ValueError:
        return ValueError(f"{self.called} is damaged: its indices do not fit its shape; write the file again.")

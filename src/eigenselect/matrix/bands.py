"""Some lines of a dataset in a file, and some values of each: bands of values are read in one pass and kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._typing import AnyArray, FloatArray, IntArray
from eigenselect.matrix.bounds import band_bytes
from eigenselect.matrix.cuts import cut_by_size
from eigenselect.matrix.stored import StoredLines

#: bands that are kept: threads that work on neighbouring tiles may need two
KEPT_BANDS = 2
#: lines between two that are wanted which are read with them rather than left out
GAP = 64


@dataclass(frozen=True)
class Band:
    """Values ``start`` to ``stop`` of all lines, in memory: an array, CSR or CSC."""

    start: int
    stop: int
    held: Any


class StoredPart:
    """Some lines and values of a dataset in a file, in any order.

    A tile of values of all lines takes one pass over the file, whatever its width. A band of as many values as fit
    `band_bytes` is therefore read at once and kept, and the tiles that follow are cut from it.

    Parameters
    ----------
    source : StoredLines
    lines, values : ndarray of int, optional
        Which of them; all by default.

    Examples
    --------
    >>> from eigenselect.matrix.stored import DenseLines
    >>> part = StoredPart(DenseLines(np.arange(12.0).reshape(3, 4), "X"), lines=np.array([2, 0]))
    >>> part.take(slice(0, 2), slice(1, 3))
    array([[ 9., 10.],
           [ 1.,  2.]])
    """

    def __init__(self, source: StoredLines, lines: IntArray | None = None, values: IntArray | None = None) -> None:
        self.source, self.lines, self.values = source, lines, values
        self.shape = tuple(
            int(size) if chosen is None else chosen.size
            for size, chosen in zip(source.shape, (lines, values), strict=True)
        )
        self._bands: list[Band] = []
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"source": self.source, "lines": self.lines, "values": self.values}

    def __setstate__(self, state: dict[str, Any]) -> None:
        StoredPart.__init__(self, **state)

    def part(self, lines: Any, values: Any) -> StoredPart:
        """Return some of these lines and values; None stands for all."""
        return StoredPart(self.source, _composed(self.lines, lines), _composed(self.values, values))

    def take(self, lines: Any, values: Any) -> AnyArray:
        """Read some lines and values, given by slices, numbers or masks, as a dense array."""
        if isinstance(lines, slice) and lines.indices(self.shape[0]) == (0, self.shape[0], 1):
            return self._all_lines(np.arange(self.shape[1])[values])
        return self._read(np.arange(self.shape[0])[lines], np.arange(self.shape[1])[values])

    def load(self) -> Any:
        """Return all of it as an array, or as CSR."""
        return self._gathered(np.arange(self.shape[1]))

    def blocks(self) -> Iterator[tuple[IntArray, Any]]:
        """Read all of it once, some lines after the other: their numbers, and an array or CSR."""
        counts = np.zeros(self.shape[1], dtype=np.intp)
        for lines, block in self._pass(np.arange(self.shape[0]), np.arange(self.shape[1]), self.source.steps()):
            if self.source.is_sparse:
                counts += np.bincount(block.indices, minlength=self.shape[1])
            yield lines, block
            if self.lines is None:
                self.source.tell("check", int(lines[0]), int(lines[-1]) + 1, self.shape[0])
        if self.lines is None and self.values is None:
            self.source.learn_counts(counts)

    def chunk_of(self, line: int, value: int) -> str:
        """Name the chunk of the file that holds a value of a line; empty where it has no chunks."""
        return self.source.chunk_of(
            line if self.lines is None else int(self.lines[line]),
            value if self.values is None else int(self.values[value]),
        )

    def bands(self) -> Iterator[tuple[slice, Any]]:
        """Yield some values of all lines after the other, as an array or CSR; a pass over the file for each."""
        n_bands = self.bounds.size - 1
        for number in range(n_bands):
            with self._lock:
                if n_bands > KEPT_BANDS:
                    self._bands = []  # before the next is read: whoever looked at the last may still hold it
                band = self._band(number)
            yield slice(band.start, band.stop), band.held

    def line_bands(self) -> Iterator[tuple[slice, Any]]:
        """Yield all values of some lines after the other, as an array or CSR of at most `band_bytes` or one line."""
        for lines in cut_by_size(self._line_bytes, band_bytes()):
            whole = self.lines is None and self.values is None  # one read, and no copy of it
            read = self.source.read(lines, slice(0, self.shape[1])) if whole else None
            yield lines, self.part(np.arange(lines.start, lines.stop), None).load() if read is None else read
            if whole:
                self.source.tell("columns", lines.start, lines.stop, self.shape[0])

    @property
    def n_bytes(self) -> int:
        """Bytes of all of it in memory; of some values of sparse lines as on average."""
        return int(self._line_bytes.sum())

    @property
    def _line_bytes(self) -> IntArray:
        share = self.shape[1] / max(1, self.source.shape[1])
        whole = self.source.line_bytes()
        return np.asarray((whole if self.lines is None else whole[self.lines]) * share, dtype=np.intp)

    # -- bands ---------------------------------------------------------------------------------

    @property
    def bounds(self) -> IntArray:
        """Where bands of at most `band_bytes`, or one value, begin, and where the last one ends."""
        if self.n_bytes <= band_bytes():
            return np.array([0, self.shape[1]], dtype=np.intp)
        if self._split is not None and self.values is None:
            return np.asarray(self._split.bounds)
        return self._own_bounds

    @cached_property
    def _own_bounds(self) -> IntArray:
        ends = [cut.stop for cut in cut_by_size(self._value_bytes.astype(np.int64), band_bytes())]
        return np.array([0, *ends], dtype=np.intp)

    def _all_lines(self, places: IntArray) -> AnyArray:
        """Cut some values of all lines out of bands; values that are far from each other are read by themselves."""
        if not places.size:
            return np.empty((self.shape[0], 0), dtype=self.source.dtype)
        bounds = self.bounds
        first, last = (int(band) for band in np.searchsorted(bounds, [places.min(), places.max()], side="right") - 1)
        if last - first >= KEPT_BANDS or (first < last and not _ascends(places)):
            return _dense(self._gathered(places))
        parts = [self._cut_of_band(number, places, bounds) for number in range(first, last + 1)]
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    def _cut_of_band(self, number: int, places: IntArray, bounds: IntArray) -> AnyArray:
        """Cut those values that are in one band out of it."""
        start, stop = bounds[number : number + 2]
        inside = places[(places >= start) & (places < stop)] - start
        with self._lock:  # one thread reads, the others wait for what it reads
            held = self._band(number, by_column=True).held
        return _dense(held[:, slice(int(inside[0]), int(inside[-1]) + 1) if _ascends(inside) else inside])

    def _band(self, number: int, *, by_column: bool = False) -> Band:
        """Return a band that is kept, or read it; then only the one before it is kept."""
        start, stop = (int(bound) for bound in self.bounds[number : number + 2])
        kept = next((band for band in self._bands if (band.start, band.stop) == (start, stop)), None)
        if kept is not None:
            return kept
        self._bands = self._bands[len(self._bands) + 1 - KEPT_BANDS :]  # before it is read, or one more is in memory
        held = self._gathered(np.arange(start, stop))
        held = sparse.csc_array(held) if by_column and sparse.issparse(held) else held  # tiles will be cut out of it
        self._bands = [*self._bands, Band(start, stop, held)]
        if self.lines is None and self.values is None:
            self.source.tell("columns", start, stop, self.shape[1])
        return self._bands[-1]

    @property
    def _split(self) -> Any:
        """The same lines by bands of values, if these were made; see `eigenselect.matrix.scratch.split`."""
        return vars(self.source).get("column_bands")

    @cached_property
    def _value_bytes(self) -> FloatArray:
        """Bytes of each value on all of these lines, of sparse ones as on average."""
        whole = self.source.value_bytes()
        share = self.shape[0] / max(1, self.source.shape[0])
        return np.asarray((whole if self.values is None else whole[self.values]) * share, dtype=np.float64)

    # -- reading -------------------------------------------------------------------------------

    def _gathered(self, places: IntArray) -> Any:
        """Read some values of all lines: an array, or CSR. In one pass, or where the file was split, by bands."""
        if self._split is not None and places.size:
            held = self._split.take(places if self.values is None else self.values[places])
            return held if self.lines is None else held[self.lines]
        there = places if self.values is None else self.values[places]
        lines, steps = np.arange(self.shape[0]), self.source.steps(int(np.ptp(there)) + 1 if there.size else None)
        if not self.source.is_sparse:
            return self._filled(lines, places, steps)
        read = list(self._pass(lines, places, steps))
        if not read:
            return sparse.csr_array((self.shape[0], places.size), dtype=self.source.dtype)
        whole = sparse.csr_array(sparse.vstack([block for _, block in read], format="csr"))
        order = np.concatenate([positions for positions, _ in read])
        return whole if _ascends(order) else whole[np.argsort(order)]

    def _read(self, lines: IntArray, places: IntArray) -> AnyArray:
        """Read some values of some lines: near ones together."""
        wanted = np.unique(lines if self.lines is None else self.lines[lines])
        return self._filled(lines, places, _runs(wanted, self.source.steps()))

    def _filled(self, lines: IntArray, places: IntArray, steps: list[slice]) -> AnyArray:
        """Read lines into one array."""
        out = np.empty((lines.size, places.size), dtype=self.source.dtype)
        for positions, block in self._pass(lines, places, steps):
            out[positions] = _dense(block)
        return out

    def _pass(self, lines: IntArray, places: IntArray, steps: list[slice]) -> Iterator[tuple[IntArray, Any]]:
        """Read lines of the file in steps; yield which of ``lines`` were among them, and their values."""
        there = lines if self.lines is None else self.lines[lines]
        order = np.argsort(there, kind="stable")
        ascending = there[order]
        columns = places if self.values is None else self.values[places]
        span = slice(int(columns.min()), int(columns.max()) + 1) if columns.size else slice(0, 0)
        chosen = slice(None) if _ascends(columns) else columns - span.start
        for step in steps:
            first, last = np.searchsorted(ascending, [step.start, step.stop])
            if first < last:
                positions = order[first:last]
                yield positions, _cut(self.source.read(step, span), there[positions] - step.start, chosen)


def _cut(block: Any, lines: IntArray, chosen: Any) -> Any:
    """Return some lines of a block, and some values of each."""
    block = block if _ascends(lines) and lines.size == block.shape[0] else block[lines]
    return block if isinstance(chosen, slice) else block[:, chosen]


def _dense(block: Any) -> AnyArray:
    """Return a block as an array."""
    return np.asarray(block.toarray(order="C") if sparse.issparse(block) else block)


def _runs(wanted: IntArray, steps: list[slice]) -> list[slice]:
    """Cut sorted line numbers into slices: where more than `GAP` lines are not wanted, and where a step ends."""
    ends = np.array([step.stop for step in steps])
    step_of = np.searchsorted(ends, wanted, side="right")
    cuts = np.flatnonzero((np.diff(wanted) > GAP) | (np.diff(step_of) > 0)) + 1
    return [slice(int(run[0]), int(run[-1]) + 1) for run in np.split(wanted, cuts) if run.size]


def _composed(before: IntArray | None, chosen: Any) -> IntArray | None:
    """Return the numbers of what is chosen among what was chosen before."""
    if chosen is None:
        return before
    chosen = np.asarray(chosen)
    chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.intp)
    return chosen if before is None else before[chosen]


def _ascends(numbers: IntArray) -> bool:
    """Whether numbers count up one by one."""
    return bool(numbers.size) and bool((np.diff(numbers) == 1).all())

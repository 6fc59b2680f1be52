"""Products on a tile of features with one graph, and which loops make them."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from eigenselect._typing import AnyArray, FloatArray, IntArray
from eigenselect.criteria import loops_numpy
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.spectral import ChebyshevSeries

if TYPE_CHECKING:
    from eigenselect.criteria.series_loops import SeriesLoops
    from eigenselect.criteria.sparse_loops import Edges, Pairs
    from eigenselect.graph.nearby_numba import Nearby

#: multiply-adds (edges × features) from which compiled loops are worth their import
COMPILED_WORK = 3e7
#: bytes that memory gives at once, and that the widest registers hold
CACHE_LINE = 64
#: samples from which neighbours of one sample are put near each other before many products: fewer stay in cache anyway
ORDERED_SAMPLES = 8192
#: what `repeated` set
REPEATS: ContextVar[int] = ContextVar("repeats", default=1)
#: what `loops_chosen` set
COMPILED: ContextVar[bool | None] = ContextVar("compiled", default=None)


@contextmanager
def loops_chosen(compiled: bool | None) -> Iterator[None]:
    """Within, compiled loops are taken or not, whatever there is to do: parts of a table take those of the whole."""
    token = COMPILED.set(compiled)
    try:
        yield
    finally:
        COMPILED.reset(token)


@contextmanager
def repeated(times: int) -> Iterator[None]:
    """Within, work is done about so many times, so that compiled loops are worth their import the earlier."""
    token = REPEATS.set(times)
    try:
        yield
    finally:
        REPEATS.reset(token)


class Workspace(threading.local):
    """Arrays that each thread uses again for tile after tile: fresh ones would cost a page fault per 4 kB."""

    def __init__(self) -> None:
        self._arrays: dict[str, AnyArray] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: Any = np.float64) -> AnyArray:
        """Return an uninitialised C-ordered array; the next call with this name may return the same memory."""
        if name not in self._arrays or self._arrays[name].shape != shape:
            self._arrays[name] = aligned(shape, dtype)
        return self._arrays[name]


def aligned(shape: tuple[int, ...], dtype: Any = np.float64) -> AnyArray:
    """Return an uninitialised array that begins at a line of the cache; numpy's lie across, and so does every read.

    >>> aligned((3, 5)).ctypes.data % 64
    0
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.empty(size + CACHE_LINE, dtype=np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + size].view(dtype).reshape(shape)


@dataclass(frozen=True)
class Engine:
    """Products on a tile with one graph, by numpy or by compiled loops.

    Attributes
    ----------
    graph : SampleGraph
    loops : module
        `loops_numpy` or `loops_numba`: the same functions, tested against each other.
    workspace : Workspace
        Buffers of every thread.
    """

    graph: SampleGraph
    loops: ModuleType
    workspace: Workspace = field(default_factory=Workspace)
    _edges: dict[int, Edges] = field(default_factory=dict, repr=False)
    _pairs: dict[int, Pairs] = field(default_factory=dict, repr=False)
    _series: dict[int, SeriesLoops] = field(default_factory=dict, repr=False)

    @classmethod
    def for_work(cls, graph: SampleGraph, n_features: int) -> Engine:
        """Take compiled loops where there is enough to do; numpy otherwise, without importing numba.

        The choice depends on sizes, and on `repeated`, only, so equal calls take equal routes; or it was made before
        (`loops_chosen`).
        """
        per_feature = graph.affinity.nnz if graph.is_sparse else 4 * graph.n_samples  # as many passes
        chosen = COMPILED.get()
        if per_feature * float(n_features) * REPEATS.get() >= COMPILED_WORK if chosen is None else chosen:
            from eigenselect.criteria import loops_numba

            return cls(graph, loops_numba)
        return cls(graph, loops_numpy)

    @property
    def is_compiled(self) -> bool:
        """Whether numba was worth its import."""
        return self.loops is not loops_numpy

    def tile(self, table: Matrix, columns: slice) -> FloatArray:
        """Return the columns of a tile in float64, in memory that the thread's next tile uses again."""
        return table.tile(columns, self.workspace.array("tile", (table.n_samples, columns.stop - columns.start)))

    def center(self, tile: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Subtract the means in place; return them and ⟨g, g⟩."""
        graph = self.graph
        reference = int(np.argmax(graph.mass))  # its value is no outlier, or makes the spread; others may hold anything
        mean, spread = self.loops.center(tile, reference, graph.mass, graph.volume)
        return mean, spread

    def walk(self, tile: FloatArray, buffer: str = "walk") -> FloatArray:
        """Multiply with P, into the thread's buffer of that name where the graph is sparse."""
        out = self.workspace.array(buffer, tile.shape) if self.graph.is_sparse else None
        return self.graph.walk(tile, self.loops, out)

    def inner(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Compute ⟨u, v⟩ of each pair of columns."""
        return np.asarray(self.loops.inner(self.graph.mass, first, second))

    def edges(self, affinity: sparse.csr_array) -> Edges:
        """Return the edges of a sparse S, the graph's or a kernel, as compiled loops over sparse tables take them."""
        from eigenselect.criteria.sparse_loops import Edges

        if id(affinity) not in self._edges:  # some bands of a table after the other ask for them
            self._edges[id(affinity)] = Edges.of(affinity, self._nearby(affinity))
        return self._edges[id(affinity)]

    def pairs(self, affinity: sparse.csr_array, n_jobs: int | None) -> Pairs:
        """Return the same edges, each once."""
        from eigenselect.criteria.sparse_loops import Pairs

        if id(affinity) not in self._pairs:
            self._pairs[id(affinity)] = Pairs.of(affinity, self._nearby(affinity), n_jobs)
        return self._pairs[id(affinity)]

    def _nearby(self, affinity: sparse.csr_array) -> Nearby | None:
        """Return the order of the graph's samples where it is asked for: many samples, and no other kernel."""
        from eigenselect.criteria.sparse_loops import ORDERED_SAMPLES

        known = affinity is self.graph.affinity and self.graph.n_samples >= ORDERED_SAMPLES
        return self.graph.nearby if known else None

    @property
    def has_series_loops(self) -> bool:
        """Whether compiled loops evaluate a whole Chebyshev series."""
        return self.is_compiled and self.graph.is_sparse

    @cached_property
    def near_order(self) -> tuple[IntArray, SampleGraph]:
        """An order of the samples in which neighbours are near each other, and the graph in it.

        The order and the graph as they are where the samples are few. A product then finds the rows of neighbours in
        cache: measured on 50 000 samples at random places of a plane, it is 3 times faster.
        """
        graph = self.graph
        if graph.n_samples < ORDERED_SAMPLES:
            return np.arange(graph.n_samples), graph
        order, S = graph.nearby.order, graph.nearby.moved(graph.affinity)
        return order, SampleGraph(S, graph.mass[order], row_sums=graph.row_sums[order], signed=graph.signed)

    def series(self, series: ChebyshevSeries) -> SeriesLoops:
        """Return the graph, in `near_order`, and a series as compiled loops over tiles take them."""
        from eigenselect.criteria.series_loops import SeriesLoops

        if id(series) not in self._series:
            self._series[id(series)] = SeriesLoops.of(self.near_order[1], series)
        return self._series[id(series)]

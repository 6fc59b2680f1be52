"""The one way to report progress: long work calls ``progress(done, total)`` after each step.

Whoever starts the work passes such a function (`Progress`), or None. The library draws nothing on its own, except for
a line on a terminal where a function says so (`progress_line`).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO, TypeVar

Item = TypeVar("Item")

#: called with (steps done, steps in all)
Progress = Callable[[int, int], None]

#: what `watched_by` set
WATCHER: ContextVar[Progress | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(progress: Progress | None) -> Iterator[None]:
    """Within, call ``progress`` in this thread after each block of any work that `_parallel.map_blocks` does.

    Such work has several stages, nobody knows how many: each counts from 1 to its own total.
    """
    token = WATCHER.set(progress)
    try:
        yield
    finally:
        WATCHER.reset(token)


@contextmanager
def counted_as_whole(label: str, verbose: int | bool) -> Iterator[Progress | None]:
    """Within, blocks of single fits are not reported; yield what reports the fits: a line if asked for, or the watcher.

    >>> seen = []
    >>> with watched_by(lambda done, total: seen.append((done, total))), counted_as_whole("graphs", False) as progress:
    ...     progress(1, 2)
    >>> seen
    [(1, 2)]
    """
    progress = progress_line(label) if verbose else WATCHER.get()
    with watched_by(None):
        yield progress


def tracked(items: Iterable[Item], total: int, progress: Progress | None) -> Iterator[Item]:
    """Yield the items, and report each one after it was used.

    >>> seen = []
    >>> list(tracked("ab", 2, lambda done, total: seen.append((done, total)))), seen
    (['a', 'b'], [(1, 2), (2, 2)])
    """
    for done, item in enumerate(items, 1):
        yield item
        if progress is not None:
            progress(done, total)


class Parts:
    """Split the progress of work into consecutive parts, each of which counts its own steps.

    Parameters
    ----------
    progress : Progress or None
        Gets the whole.
    total : int
        The sizes of all parts together.

    Examples
    --------
    >>> parts = Parts(lambda done, total: print(done, "of", total), 30)
    >>> first, second = parts.next(10), parts.next(20)
    >>> first(1, 2); second(2, 2)
    5 of 30
    30 of 30
    """

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._begun = progress, total, 0

    def next(self, size: int) -> Progress | None:
        """Return what the next part, of this size, calls."""
        if (progress := self._progress) is None:
            return None
        before, self._begun = self._begun, self._begun + size
        return lambda done, steps: progress(before + size * done // steps, self._total)


def progress_line(label: str, stream: TextIO | None = None, *, clock: Callable[[], float] = time.monotonic) -> Progress:
    """Make a `Progress` that writes ``label 3/50, 0:47 left`` over and over on one line, and ends it when done.

    The time left is told once the work has taken a second: what is done took as long, step for step.
    """
    start, widest = clock(), 0

    def show(done: int, total: int) -> None:
        nonlocal widest
        out = sys.stderr if stream is None else stream
        text = f"{label} {done}/{total}{_time_left(clock() - start, done, total)}"
        out.write(f"\r{text:{widest}}" + "\n" * (done == total))
        out.flush()
        widest = max(widest, len(text))

    return show


class Passes:
    r"""Tell on a line of its own how far each pass over a table in a file is, which one it is, and the time left.

    Parameters
    ----------
    label : str
    planned : int
        How many passes are expected; where there are more, the last is the last known.
    stream, clock
        As of `progress_line`.

    Examples
    --------
    >>> import io
    >>> terminal = io.StringIO()
    >>> passes = Passes("[SPEC]", 2, terminal, clock=iter([0, 30]).__next__)
    >>> passes.reached("check", 0, 25, 100)
    >>> terminal.getvalue()
    '\r[SPEC] pass 1 of 2, check: 25%, 1:30 left'
    """

    def __init__(
        self, label: str, planned: int, stream: TextIO | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.label, self.planned = label, planned
        self._stream, self._clock, self._lock = stream, clock, threading.Lock()
        self._number, self._last, self._start, self._widest = 0, 0, 0.0, 0

    def reached(self, what: str, start: int, stop: int, total: int) -> None:
        """Say that lines ``start`` to ``stop`` were read; what does not follow on what was before is no pass."""
        with self._lock:
            if start == 0:
                self._number, self._start, self._widest = self._number + 1, self._clock(), 0
            elif start != self._last:
                return
            self._last = stop
            known = max(self._number, self.planned)
            left = _time_left(self._clock() - self._start, stop, total)
            text = f"{self.label} pass {self._number} of {known}, {what}: {stop / total:.0%}{left}"
            out = sys.stderr if self._stream is None else self._stream
            out.write(f"\r{text:{self._widest}}" + "\n" * (stop == total))
            out.flush()
            self._widest = max(self._widest, len(text))


#: who is told of passes over tables that are opened within `passes_told`
PASSES: ContextVar[Passes | None] = ContextVar("passes", default=None)


@contextmanager
def passes_told(label: str, verbose: int | bool, planned: int) -> Iterator[None]:
    """Within, tell of passes over tables in files, if asked for and somebody sees it: on a terminal."""
    seen = bool(verbose) and sys.stderr is not None and sys.stderr.isatty()
    token = PASSES.set(Passes(label, planned) if seen else None)
    try:
        yield
    finally:
        PASSES.reset(token)


def _time_left(seconds: float, done: int, total: int) -> str:
    """Say how long the rest will take, blank where too little was done to know.

    >>> _time_left(10.0, 1, 13)
    ', 2:00 left'
    """
    if seconds < 1 or not 0 < done < total:
        return ""
    left = round(seconds * (total - done) / done)
    return f", {left // 60}:{left % 60:02} left"

"""The one way to report progress: long work calls ``progress(done, total)`` after each step.

The caller passes such a function (`Progress`), or None. The library prints nothing on its own, except for a line on a
terminal if it is asked to (`progress_line`, `Passes`).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Item = TypeVar("Item")

#: called with (steps done, steps in all)
Progress = Callable[[int, int], None]
#: set by `watched_by`
WATCHER: ContextVar[Progress | None] = ContextVar("watcher", default=None)


@contextmanager
def _having(variable: ContextVar[Any], value: Any) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def watched_by(progress: Progress | None) -> AbstractContextManager[None]:
    """Within, call ``progress`` in this thread after each block of any work that `_parallel.map_blocks` does.

    Such work has an unknown number of stages: each counts from 1 to its own total.
    """
    return _having(WATCHER, progress)


@contextmanager
def counted_as_whole(label: str, verbose: int | bool) -> Iterator[Progress | None]:
    """Within, blocks of single fits are not reported; yield a line for the fits if ``verbose``, else the watcher.

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


class _Line:
    """One line of stderr, written again and again, with the time left once the work has taken a second."""

    def __init__(self) -> None:
        self.start, self.widest = time.monotonic(), 0

    def write(self, text: str, done: int, total: int) -> None:
        seconds = time.monotonic() - self.start
        if seconds >= 1 and 0 < done < total:
            left = round(seconds * (total - done) / done)
            text += f", {left // 60}:{left % 60:02} left"
        sys.stderr.write(f"\r{text:{self.widest}}" + "\n" * (done == total))
        sys.stderr.flush()
        self.widest = max(self.widest, len(text))


def progress_line(label: str) -> Progress:
    """Return a `Progress` that writes ``label 3/50, 0:47 left`` over and over on one line, and ends it when done."""
    line = _Line()
    return lambda done, total: line.write(f"{label} {done}/{total}", done, total)


class Passes:
    """Report on a line each how far each pass over a table in a file is, its number, and the time left.

    Parameters
    ----------
    label : str
    planned : int
        The expected number of passes; if there are more, the last one so far.
    """

    def __init__(self, label: str, planned: int) -> None:
        self.label, self.planned = label, planned
        self._line, self._lock, self._number, self._last = _Line(), threading.Lock(), 0, 0

    def reached(self, what: str, start: int, stop: int, total: int) -> None:
        """Report that lines ``start`` to ``stop`` were read; lines that do not follow the last ones are ignored."""
        with self._lock:
            if start == 0:
                self._number, self._line = self._number + 1, _Line()
            elif start != self._last:
                return
            self._last = stop
            place = f"pass {self._number} of {max(self._number, self.planned)}"
            self._line.write(f"{self.label} {place}, {what}: {stop / total:.0%}", stop, total)


#: gets the passes over tables that are opened within `passes_told`
PASSES: ContextVar[Passes | None] = ContextVar("passes", default=None)


def passes_told(label: str, planned: int) -> AbstractContextManager[None]:
    """Within, report passes over tables in files on a terminal."""
    seen = sys.stderr is not None and sys.stderr.isatty()
    return _having(PASSES, Passes(label, planned) if seen else None)

"""The one way to report progress: long work calls ``progress(done, total)`` after each step.

Whoever starts the work passes such a function (`Progress`), or None. The library draws nothing on its own, except for
a line on a terminal where a function says so (`progress_line`).
"""

from __future__ import annotations

import sys
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


def progress_line(label: str, stream: TextIO | None = None) -> Progress:
    """Make a `Progress` that writes ``label 3/50`` over and over on one line of a terminal, and ends it when done."""

    def show(done: int, total: int) -> None:
        out = sys.stderr if stream is None else stream
        out.write(f"\r{label} {done}/{total}" + "\n" * (done == total))
        out.flush()

    return show


def timed_line(label: str, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> Progress:
    r"""Make a `progress_line` that says, too, how long the rest will take if it takes as long as what is done.

    >>> import io
    >>> terminal, seconds = io.StringIO(), iter([0, 10])
    >>> timed_line("graphs", terminal, seconds.__next__)(2, 6)
    >>> terminal.getvalue()
    '\rgraphs 2/6, 0:20 left'
    """
    start = clock()

    def show(done: int, total: int) -> None:
        out = sys.stderr if stream is None else stream
        minutes, seconds = divmod(round((clock() - start) * (total - done) / done), 60)
        out.write(f"\r{label} {done}/{total}, {minutes}:{seconds:02} left" + "\n" * (done == total))
        out.flush()

    return show

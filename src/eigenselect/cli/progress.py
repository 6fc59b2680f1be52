"""A line with the time left on long work: on a terminal only, and gone when the work is done."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TextIO

from eigenselect.cli.streams import encoding_of, fitted

#: seconds of work before the line appears, and between two states of it
PATIENCE, PAUSE = 0.5, 0.1
WIDTH = 24
ERASE = "\r\033[K"


class ProgressLine:
    """One line on a terminal that shows how much of the work is done and how long the rest will take.

    After a share p of the work in t seconds, t (1 - p) / p seconds are left.

    Parameters
    ----------
    label : str
    stream : file, optional
        A terminal; None for a line that is never shown.
    total : int, default=1
        The sizes of all parts together.
    clock : callable
        Seconds.

    Examples
    --------
    >>> import io
    >>> terminal = io.StringIO()
    >>> line = ProgressLine("comparing", terminal, total=4, clock=iter([0, 0, 10]).__next__)
    >>> line.part(size=2)(1, 1)  # the first part, half of the work, took ten seconds
    >>> terminal.getvalue().removeprefix(ERASE)
    'comparing ████████████░░░░░░░░░░░░  50%, 0:10 left'
    """

    def __init__(
        self, label: str, stream: TextIO | None, total: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.label, self.stream, self.total, self._clock = label, stream, total, clock
        self._start = self._last = clock()
        self._finished, self._drawn = 0, False

    def part(self, size: int) -> Callable[[int, int], None]:
        """Return what the next part of the work, ``size`` of the total, calls with (steps done, steps in all)."""
        if self._finished == 0:  # what came before, such as imports, says nothing about the rest
            self._start = self._clock()
        before, self._finished = self._finished, self._finished + size
        return lambda done, steps: self.show((before + size * done / steps) / self.total)

    def stage(self, done: int, steps: int) -> None:
        """Show one of several stages, nobody knows how many: each has a line of its own."""
        self.show(done / steps)
        if done == steps:
            self.close()
            self._start = self._clock()

    def show(self, share: float) -> None:
        """Draw the line, unless it is too early, or was drawn a moment ago."""
        now = self._clock()
        if self.stream is None or now - self._start < PATIENCE or now - self._last < PAUSE:
            return
        self._last, self._drawn = now, True
        minutes, seconds = divmod(round((now - self._start) * (1 - share) / share), 60)
        bar = "█" * round(WIDTH * share)
        line = f"{ERASE}{self.label} {bar:░<{WIDTH}} {share:4.0%}, {minutes}:{seconds:02} left"
        self.stream.write(fitted(line, encoding_of(self.stream))[0])
        self.stream.flush()

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self.stream is not None and self._drawn:
            self.stream.write(ERASE)
            self.stream.flush()
            self._drawn = False


@contextmanager
def progress_line(label: str, *, quiet: bool, total: int = 1) -> Iterator[ProgressLine]:
    """Within, show a line on stderr if that is a terminal and nobody asked for quiet; erase it at the end."""
    seen = not quiet and sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    line = ProgressLine(label, sys.stderr if seen else None, total)
    try:
        yield line
    finally:
        line.close()


def watched_fit(*, quiet: bool) -> AbstractContextManager[None]:
    """Within, show how many blocks of a fit are done."""
    return _watched("computing", quiet=quiet)


def watched_reading(*, quiet: bool) -> AbstractContextManager[None]:
    """Within, show how many bytes of a file of text are read; a file is read two or three times, to check it first."""
    return _watched("reading", quiet=quiet)


@contextmanager
def _watched(label: str, *, quiet: bool) -> Iterator[None]:
    from eigenselect._progress import watched_by

    with progress_line(label, quiet=quiet) as line, watched_by(line.stage) if line.stream else nullcontext():
        yield

"""Time and peak memory of one call, in a process that does nothing else at that time."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: a call is not repeated once its calls took so long together
LONG_CALL_SECONDS = 10.0
#: shorter calls are timed in a row, so that one timing lasts about this long
SHORTEST_TIMING_SECONDS = 0.05
SAMPLING_SECONDS = 0.005


@dataclass(frozen=True)
class Work:
    """What a child process runs.

    Attributes
    ----------
    call : callable
        The measured call. An array that it returns is kept, to compare the two sides of a row.
    warm_up : callable, optional
        Run once before anything is measured, on a small part of the data: it imports and compiles, but leaves the
        allocator without the memory that the measured call is to ask for.
    sampled : bool, default=False
        Peak of anonymous memory, sampled, in place of the kernel's peak of all resident memory: for work on mapped
        files, whose pages do not count.
    discount : callable, optional
        From what the call returned to the bytes that do not count.
    scale : float, default=1.0
        The time is multiplied by this: a call on a part of the work stands for the whole.
    most_calls : int, optional
        No more calls than this are made, where fewer than usual will do.
    all_calls : bool, default=False
        Make all calls, however long they take: for a row that compares a long call with a short one of the same kind.
        A first call also pays for fresh memory, which a machine that lends it to others gives back slowly.
    """

    call: Callable[[], Any]
    warm_up: Callable[[], Any] | None = None
    sampled: bool = False
    discount: Callable[[Any], int] | None = None
    scale: float = 1.0
    most_calls: int | None = None
    all_calls: bool = False


@dataclass(frozen=True)
class Job:
    """A function that makes `Work` in the child, and its arguments.

    Jobs that name the same ``process`` share one, one after the other, so that what their library compiles in every
    process is compiled once; others get a fresh process each.
    """

    make: Callable[..., Work]
    arguments: tuple[Any, ...] = ()
    process: str = ""


@dataclass
class Measurement:
    """What came back from a child: times, memory beyond the moment before the call, or why there are none."""

    seconds: float | None = None
    runs: int = 0
    peak_mb: float | None = None
    scores: NDArray[np.float64] | None = None
    error: str | None = None
    scale: float = 1.0


def python_process(*words: str) -> Work:
    """Work that starts Python; a first start writes the bytecode, as an installation does."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def call() -> None:
        subprocess.run([sys.executable, *words], env=environment, check=True, capture_output=True)

    return Work(call, warm_up=call)


class Processes:
    """Child processes that measure jobs; those that jobs share live until the end of the ``with``."""

    def __init__(self) -> None:
        self._shared: dict[str, _Child] = {}

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *exc_info: object) -> None:
        for name in [*self._shared]:
            self._shared.pop(name).end()

    def measure(self, job: Job, repeats: int, *, limit: float | None = None) -> Measurement:
        """Best of ``repeats`` calls; a failure is returned as its one-line reason.

        A process that takes more than ``limit`` seconds for this job is ended.
        """
        child = self._shared.pop(job.process, None) or _Child()
        found = child.measure(job, repeats, limit)
        if job.process and child.is_alive:
            self._shared[job.process] = child
        else:
            child.end()
        return found


class _Child:
    """A spawned process that waits for jobs."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def is_alive(self) -> bool:
        return not self._connection.closed

    def measure(self, job: Job, repeats: int, limit: float | None) -> Measurement:
        try:
            self._connection.send((job, repeats))
            if self._connection.poll(limit):
                return self._connection.recv()
        except (EOFError, ConnectionError):
            self.end()
            return Measurement(error=f"the process ended with code {self._process.exitcode}")
        self._process.kill()
        self.end()
        return Measurement(error=f"ended after {limit:.0f} s")

    def end(self) -> None:
        """Let the process end, which it does when nobody can send it a job, and wait for it."""
        self._connection.close()
        self._process.join()


def measure(job: Job, repeats: int, *, limit: float | None = None) -> Measurement:
    """Measure one job in a process of its own; see `Processes.measure`."""
    with Processes() as processes:
        return processes.measure(job, repeats, limit=limit)


def _serve(connection: Connection) -> None:
    warnings.simplefilter("ignore")
    while True:
        try:
            job, repeats = connection.recv()
        except EOFError:
            return
        connection.send(_measured(job, repeats))


def _measured(job: Job, repeats: int) -> Measurement:
    try:
        work = job.make(*job.arguments)
        if work.warm_up is not None:
            work.warm_up()
        return _sampled(work) if work.sampled else _timed(work, min(repeats, work.most_calls or repeats))
    except Exception as error:
        return Measurement(error=f"{type(error).__name__}: {error}".splitlines()[0])


def _timed(work: Work, repeats: int) -> Measurement:
    """Best time of one call, and the kernel's own high-water mark, which costs the timed call nothing."""
    _release_memory()
    can_reset = _reset_high_water_mark()
    before = _status_kb("VmRSS")
    times: list[float] = []
    outcome: Any = None
    calls = 1
    while len(times) < repeats and (work.all_calls or sum(times) <= LONG_CALL_SECONDS):
        outcome = None
        start = time.perf_counter()
        for _ in range(calls):
            outcome = work.call()
        times.append((time.perf_counter() - start) / calls)
        calls = max(1, round(SHORTEST_TIMING_SECONDS / times[-1]))
    peak = (_status_kb("VmHWM") - before) / 1024 if can_reset else None
    return Measurement(min(times) * work.scale, len(times), peak, _scores(outcome), scale=work.scale)


def _sampled(work: Work) -> Measurement:
    _release_memory()
    before = _status_kb("RssAnon")
    with _AnonymousPeak() as peak:
        start = time.perf_counter()
        outcome = work.call()
        seconds = time.perf_counter() - start
    discount = work.discount(outcome) if work.discount is not None else 0
    return Measurement(seconds, 1, (peak.kb - before) / 1024 - discount / 2**20, _scores(outcome))


class _AnonymousPeak:
    """Within, a thread looks at RssAnon every few milliseconds; the kernel keeps no high-water mark of it."""

    def __enter__(self) -> _AnonymousPeak:
        self.kb = _status_kb("RssAnon")
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        finished = False
        while not finished:
            finished = self._done.wait(SAMPLING_SECONDS)
            self.kb = max(self.kb, _status_kb("RssAnon"))


def _release_memory() -> None:
    """Give back what the warm-up freed: memory that the allocator keeps would hide as much of the measured call's."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only
    if trim is not None:
        trim(0)


def _scores(outcome: Any) -> NDArray[np.float64] | None:
    return np.asarray(outcome, dtype=np.float64) if isinstance(outcome, np.ndarray) and outcome.ndim == 1 else None


def _status_kb(field: str) -> int:
    """A size from /proc/self/status; Linux only."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise OSError(f"/proc/self/status has no {field}")


def _reset_high_water_mark() -> bool:
    """Make VmHWM the present VmRSS; False where the system forbids it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True

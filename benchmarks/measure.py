"""Time and peak memory of one call, each in a fresh process of its own."""

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

#: a call that takes longer is not repeated
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
    """

    call: Callable[[], Any]
    warm_up: Callable[[], Any] | None = None
    sampled: bool = False
    discount: Callable[[Any], int] | None = None
    scale: float = 1.0


@dataclass(frozen=True)
class Job:
    """A function that makes `Work` in the child, and its arguments."""

    make: Callable[..., Work]
    arguments: tuple[Any, ...] = ()


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


def measure(job: Job, repeats: int, *, limit: float | None = None) -> Measurement:
    """Best of ``repeats`` calls in a spawned process; a failure is returned as its one-line reason.

    A process that takes more than ``limit`` seconds in all is ended.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(job, repeats, sender), daemon=True)
    child.start()
    sender.close()
    try:
        if limit is not None and not receiver.poll(limit):
            child.kill()
            return Measurement(error=f"ended after {limit:.0f} s")
        return receiver.recv()
    except EOFError:
        child.join()
        return Measurement(error=f"the process ended with code {child.exitcode}")
    finally:
        child.join()


def _child(job: Job, repeats: int, sender: Connection) -> None:
    warnings.simplefilter("ignore")
    try:
        work = job.make(*job.arguments)
        if work.warm_up is not None:
            work.warm_up()
        result = _sampled(work) if work.sampled else _timed(work, repeats)
    except Exception as error:
        result = Measurement(error=f"{type(error).__name__}: {error}".splitlines()[0])
    sender.send(result)


def _timed(work: Work, repeats: int) -> Measurement:
    """Best time of one call, and the kernel's own high-water mark, which costs the timed call nothing."""
    _release_memory()
    can_reset = _reset_high_water_mark()
    before = _status_kb("VmRSS")
    times: list[float] = []
    outcome: Any = None
    calls = 1
    while len(times) < repeats and (not times or times[-1] <= LONG_CALL_SECONDS):
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

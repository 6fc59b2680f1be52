"""Threads over fixed blocks: the one place where work is spread over cores.

Blocks are cut by size only, never by the number of threads, and each block is computed
by one thread with single-threaded BLAS. Results are therefore bit-for-bit the same on
any number of threads, and BLAS never competes with ours for the cores.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, partial
from numbers import Integral
from typing import Any, TypeVar

import joblib
import sklearn
from threadpoolctl import OpenBLASController, ThreadpoolController

from eigenselect._progress import WATCHER, tracked

Block = TypeVar("Block")
Result = TypeVar("Result")


@cache
def _blas_libraries() -> list[Any]:
    """Handles of the BLAS of numpy and of scipy: kept, for a scan of the process takes longer than small work does."""
    # scipy brings its own BLAS; it must be loaded to be found.
    import scipy.linalg.blas  # noqa: F401

    return ThreadpoolController().select(user_api="blas").lib_controllers


class _OneBlasThread:
    """Limits BLAS while any thread is inside.

    BLAS is shared by all threads of the process: the first one in sets the limit, the last one out lifts it, whichever
    it is. threadpoolctl lets only the thread that set a limit change it, so that hold is freed first.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: list[tuple[Any, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                _free_control()
                self._before = [(library, library.num_threads) for library in _blas_libraries()]
                for library, _ in self._before:
                    library.set_num_threads(1)
            self._inside += 1

    def __exit__(self, *exc_info: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                _free_control()
                for library, threads in self._before:
                    library.set_num_threads(threads)
                _free_control()


def _free_control() -> None:
    """Make OpenBLAS's limits nobody's, so that the next thread to set them can (threadpoolctl 3.8 and later)."""
    release = getattr(OpenBLASController, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)


_one_blas_thread = _OneBlasThread()


def single_threaded_blas() -> AbstractContextManager[Any]:
    """Within, BLAS uses one thread.

    numpy and scipy each bring a BLAS with threads of its own; alternating small calls make the two pools fight for the
    cores (measured: a Lanczos run on 20 000 samples took 17 s, and 1.5 s within this context).
    """
    return _one_blas_thread


def effective_threads(n_jobs: int | None) -> int:
    """Number of threads for ``n_jobs``.

    ``None`` means as many as OpenMP would use (all cores, or ``OMP_NUM_THREADS``, which
    joblib sets in its workers, so nested parallelism does not oversubscribe); a negative
    number counts back from all cores, as in scikit-learn.
    """
    cores = joblib.cpu_count()
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(limit)) if limit.isdigit() and int(limit) > 0 else cores
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a non-zero integer, got {n_jobs!r}; use -1 for all cores.")
    return int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))


def map_blocks(task: Callable[[Block], Result], blocks: Sequence[Block], n_jobs: int | None = None) -> list[Result]:
    """Return ``[task(block) for block in blocks]``, computed on several threads, each with single-threaded BLAS."""
    threads = min(effective_threads(n_jobs), len(blocks))
    with single_threaded_blas():
        if threads <= 1:
            return _collect(map(task, blocks), len(blocks))
        with _pool(threads) as pool:
            try:
                return _collect(pool.map(task, blocks), len(blocks))
            except BaseException:  # an error or Ctrl-C does not wait for blocks that nobody has begun
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def map_ahead(task: Callable[[Block], Result], blocks: Iterable[Block], n_jobs: int | None = None) -> Iterator[Result]:
    """Yield ``task(block)`` of each block in order, some computed ahead on other threads; of a stream few are held.

    >>> list(map_ahead(abs, iter([-1, 2, -3])))
    [1, 2, 3]
    """
    threads, waiting = effective_threads(n_jobs), deque[Future[Result]]()
    with single_threaded_blas(), _pool(threads) as pool:
        try:
            for block in blocks:
                waiting.append(pool.submit(task, block))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # an error, or nobody asks for more
            pool.shutdown(wait=True, cancel_futures=True)


def _pool(threads: int) -> ThreadPoolExecutor:
    """Make threads with the settings of scikit-learn of this one, ``working_memory`` among them: each has its own."""
    return ThreadPoolExecutor(threads, initializer=partial(sklearn.set_config, **sklearn.get_config()))


def _collect(results: Iterable[Result], total: int) -> list[Result]:
    watcher = WATCHER.get()
    return list(results if watcher is None else tracked(results, total, watcher))


def slices(length: int, step: int) -> list[slice]:
    """Cut ``range(length)`` into consecutive slices of at most ``step``."""
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]

"""Threads over fixed blocks: the one place that spreads work over cores.

Blocks are cut by size only, never by the number of threads, and each block is computed by one thread with
single-threaded BLAS, so that results do not depend on the number of threads and BLAS does not compete for the cores.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, partial
from numbers import Integral
from typing import Any, TypeVar

import joblib
import sklearn
from threadpoolctl import ThreadpoolController

from eigenselect._progress import WATCHER, tracked

Block = TypeVar("Block")
Result = TypeVar("Result")


@cache
def _blas() -> Any:
    """Control of the BLAS of numpy and scipy; cached, since finding them takes longer than small work."""
    import scipy.linalg.blas  # noqa: F401  # scipy's own BLAS must be loaded to be found

    return ThreadpoolController().select(user_api="blas")


def single_threaded_blas() -> AbstractContextManager[Any]:
    """Within, BLAS uses one thread.

    numpy and scipy each bring a BLAS with its own threads; alternating small calls make the two pools compete for the
    cores (measured: a Lanczos run on 20 000 samples took 17 s, and 1.5 s within this context).
    """
    limited: AbstractContextManager[Any] = _blas().limit(limits=1)
    return limited


def effective_threads(n_jobs: int | None) -> int:
    """Number of threads for ``n_jobs``.

    ``None`` means as many as OpenMP would use (all cores, or ``OMP_NUM_THREADS``, which joblib sets in its workers); a
    negative number counts back from all cores, as in scikit-learn.
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
    threads, progress = min(effective_threads(n_jobs), len(blocks)), WATCHER.get()
    with single_threaded_blas():
        if threads <= 1 and progress is None:
            return [task(block) for block in blocks]
        if threads <= 1:
            return list(tracked(map(task, blocks), len(blocks), progress))
        with _pool(threads) as pool:
            try:
                return list(tracked(pool.map(task, blocks), len(blocks), progress))
            except BaseException:  # an error or Ctrl-C does not wait for blocks that have not begun
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def map_ahead(task: Callable[[Block], Result], blocks: Iterable[Block], n_jobs: int | None = None) -> Iterator[Result]:
    """Yield ``task(block)`` of each block in order, some computed ahead on other threads; few of a stream are held.

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
        finally:  # after an error, or if the caller stops early
            pool.shutdown(wait=True, cancel_futures=True)


def _pool(threads: int) -> ThreadPoolExecutor:
    """Start threads with scikit-learn's settings of this one, such as ``working_memory``: each thread has its own."""
    return ThreadPoolExecutor(threads, initializer=partial(sklearn.set_config, **sklearn.get_config()))


def slices(length: int, step: int) -> list[slice]:
    """Cut ``range(length)`` into consecutive slices of at most ``step``."""
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sklearn
from threadpoolctl import threadpool_limits

from eigenselect import _parallel
from eigenselect._parallel import effective_threads, map_ahead, map_blocks, single_threaded_blas
from eigenselect._progress import watched_by


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_a_stream_is_read_only_a_little_ahead(n_jobs):
    read = []
    results = map_ahead(lambda b: b * b, (read.append(b) or b for b in range(1000)), n_jobs)
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    assert len(read) <= 5 + effective_threads(n_jobs)
    results.close()


def test_an_error_of_a_block_ends_the_stream():
    def task(block):
        if block == 2:
            raise ValueError("two")
        return block

    results = map_ahead(task, iter(range(100)), 2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="two"):
        next(results)


def test_an_interrupt_does_not_wait_for_blocks_that_nobody_began(monkeypatch):
    gate, begun, shutdown = threading.Event(), set(), ThreadPoolExecutor.shutdown

    def task(block):
        begun.add(block)
        if block:
            gate.wait(60)

    def interrupt(done, total):
        raise KeyboardInterrupt

    def opening(self, wait=True, **options):
        if wait:
            gate.set()
        shutdown(self, wait=wait, **options)

    monkeypatch.setattr(ThreadPoolExecutor, "shutdown", opening)
    with watched_by(interrupt), pytest.raises(KeyboardInterrupt):
        map_blocks(task, list(range(50)), 2)
    assert begun <= {0, 1, 2}


@pytest.fixture
def blas_threads():
    """A function that says how many threads each BLAS has; they are two each, whatever the machine allows."""
    libraries = _parallel._blas().lib_controllers  # numpy's and scipy's; other packages bring more
    with threadpool_limits(2, user_api="blas"):
        yield lambda: {library.num_threads for library in libraries}


def test_overlapping_work_leaves_blas_as_it_was(blas_threads):
    assert blas_threads() == {2}
    with single_threaded_blas():
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: map_blocks(str, list(range(50)), 2), range(20)))
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_errors_come_out():
    with pytest.raises(ZeroDivisionError):
        map_blocks(lambda b: 1 // b, [1, 0, 2], 2)


def test_numbers_of_threads(monkeypatch):
    monkeypatch.setattr(_parallel.joblib, "cpu_count", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert [effective_threads(n) for n in (None, 1, np.int64(3), -1, -2, -100)] == [8, 1, 3, 8, 7, 1]
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert effective_threads(None) == 2


@pytest.mark.parametrize("bad", [0, 1.5, "all", True])
def test_bad_numbers_of_threads(bad):
    with pytest.raises(ValueError, match=f"n_jobs.*{bad}"):
        effective_threads(bad)


@pytest.mark.parametrize("run", [map_blocks, map_ahead])
def test_threads_have_the_settings_of_who_started_them(run):
    """scikit-learn keeps one set of them per thread: a bound on memory would not hold."""
    with sklearn.config_context(working_memory=7):
        found = list(run(lambda _: sklearn.get_config()["working_memory"], list(range(6)), 2))
    assert found == [7] * 6

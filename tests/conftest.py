"""Graphs and tables that many tests need."""

from __future__ import annotations

import importlib
import logging
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from scipy import sparse

#: tables that hypothesis makes for a test that does not say how many: 100 by itself, which takes minutes in all
settings.register_profile("few", max_examples=30)
settings.load_profile("few")

#: files whose tests stay together: they share a cluster, an index that is compiled for half a minute, or pages
TOGETHER = (
    "tests/matrix/test_dask_table_cluster.py",
    "tests/similarity/test_approximate.py",
    "tests/reporting/test_browser.py",
)
#: whole texts, reviewed when they change
SNAPSHOTS = Path(__file__).parent / "snapshots"
#: how a test that needs a browser says why it was skipped
NO_BROWSER = "BROWSER TESTS DID NOT RUN"


@pytest.fixture(autouse=True)
def _wide_terminal(monkeypatch):
    """Tables are as wide as nobody's terminal: pytest-xdist tells its workers of 80 columns."""
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def rng():
    return np.random.default_rng(20070620)


@pytest.fixture
def paper(monkeypatch):
    """Import a file of papers/ by its name."""
    folder = Path(__file__).resolve().parents[1] / "papers"
    if not folder.is_dir():
        pytest.skip("the source distribution has no papers/")
    monkeypatch.syspath_prepend(folder)
    return importlib.import_module


def random_similarity(rng, n=24, *, density=0.4, blocks=1, isolated=0):
    """Random symmetric non-negative S with `blocks` components and some isolated samples at the end."""
    sizes = np.array_split(np.arange(n - isolated), blocks)
    S = np.zeros((n, n))
    for part in sizes:
        block = rng.random((part.size, part.size)) * (rng.random((part.size, part.size)) < density)
        ring = np.roll(np.eye(part.size), 1, axis=1) * 0.3
        S[np.ix_(part, part)] = block + block.T + ring + ring.T
    return S


@pytest.fixture
def make_similarity(rng):
    return lambda *args, **kwargs: random_similarity(rng, *args, **kwargs)


@pytest.fixture(params=[2, 4])
def labelled(request, rng):
    """Some features follow the classes, some do not; classes of unequal size."""
    y = np.array(
        [f"class {c}" for c in rng.permutation(np.repeat(np.arange(request.param), [13, 17, 11, 12][: request.param]))]
    )
    codes = np.unique(y, return_inverse=True)[1]
    X = rng.normal(size=(y.size, 7)) + np.outer(codes, [2, 1, 0, 0, -1, 0.3, 0])
    return X, y


@pytest.fixture(params=["dense", "sparse"])
def as_kind(request):
    return np.asarray if request.param == "dense" else sparse.csr_array


@pytest.fixture(params=["numpy", "numba"])
def kernels(request, monkeypatch):
    """Force compiled loops, or numpy and scipy."""
    from eigenselect.criteria import quadratic

    monkeypatch.setattr(quadratic, "COMPILED_WORK", 0 if request.param == "numba" else np.inf)
    return request.param


@pytest.fixture(scope="session")
def dask_cluster():
    """A client of a Dask cluster of two processes, started when the first test asks for it.

    Tests that use it are in one file, which stays together (`TOGETHER`), so that one process starts one.
    """
    from distributed import Client, LocalCluster

    options = {
        "host": "127.0.0.1",
        "dashboard_address": "127.0.0.1:0",
        "memory_limit": None,
        "silence_logs": logging.CRITICAL,
    }
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **options) as workers,
        Client(workers, set_as_default=False) as client,
    ):
        yield client


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Run tests that share what is dear to make in one process, with `--dist loadgroup`.

    Marks of groups do not: pytest 9.2 does not look any more where xdist 3.8 writes them.
    """
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class Together(LoadGroupScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.split("::")[0]
            return file if file.startswith(TOGETHER) else super()._split_scope(nodeid)

    return Together(config, log)


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="the first case of each test")
    parser.addoption("--renew-snapshots", action="store_true", help="write tests/snapshots anew, to be reviewed")


def pytest_configure(config):
    """Give each process of pytest-xdist one BLAS thread.

    BLAS threads of several processes wait for each other's cores: LAPACK took ten times as long with two of each.
    """
    if config.getoption("numprocesses", None):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark tests by the fixtures they use; with `--quick`, keep the first case of each test."""
    for item in items:
        for fixture, mark in {"chromium": "browser", "dask_cluster": "cluster"}.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
    if config.getoption("--quick"):
        first = {}
        for item in items:
            name = getattr(item, "originalname", item.name)
            first.setdefault((item.path, getattr(item, "cls", None), name), item)
        kept = set(first.values())
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = first.values()


@pytest.fixture
def snapshot(request):
    """Compare a whole text with ``tests/snapshots/NAME``; ``make snapshots`` writes the files anew."""

    def compare(name, text):
        path = SNAPSHOTS / name
        if request.config.getoption("--renew-snapshots"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{path} differs; review and renew it by `make snapshots`"

    return compare


def pytest_terminal_summary(terminalreporter):
    """What was measured on the way (never asserted), and loudly what could not run at all."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "measured" and report.when == "call":
                terminalreporter.write_line(f"measured: {value}")
    missing = [report for report in terminalreporter.getreports("skipped") if NO_BROWSER in str(report.longrepr)]
    if missing:
        terminalreporter.write_sep("*", f"{len(missing)} {NO_BROWSER}", red=True, bold=True)

"""Graphs and tables that many tests need."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

#: how a test that needs a browser says why it was skipped
NO_BROWSER = "BROWSER TESTS DID NOT RUN"


@pytest.fixture
def rng():
    return np.random.default_rng(20070620)


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


@pytest.fixture(params=["dense", "sparse"])
def as_kind(request):
    return np.asarray if request.param == "dense" else sparse.csr_array


@pytest.fixture(params=["numpy", "numba"])
def kernels(request, monkeypatch):
    """Force one of the two implementations of the inner loops."""
    from eigenselect.criteria import quadratic

    monkeypatch.setattr(quadratic, "COMPILED_WORK", 0 if request.param == "numba" else np.inf)
    return request.param


def pytest_terminal_summary(terminalreporter):
    """What was measured on the way (never asserted), and loudly what could not run at all."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "measured" and report.when == "call":
                terminalreporter.write_line(f"measured: {value}")
    missing = [report for report in terminalreporter.getreports("skipped") if NO_BROWSER in str(report.longrepr)]
    if missing:
        terminalreporter.write_sep("*", f"{len(missing)} {NO_BROWSER}", red=True, bold=True)

"""Kernels compile if nothing can be cached, or if the cache is damaged."""

import os
import subprocess
import sys

import numba
import pytest

from eigenselect import _compiled


def test_without_a_place_for_the_cache(monkeypatch):
    calls = []

    def njit(**options):
        calls.append(options)
        if options.get("cache"):

            def refuse(kernel):
                raise RuntimeError("cannot cache function: no locator available")

            return refuse
        return numba.njit(**options)

    monkeypatch.setattr(_compiled, "njit", njit)
    kernel = _compiled.compiled("contract")(lambda x: x + 1.0)
    assert kernel(1.0) == pytest.approx(2.0)
    assert [options.get("cache", False) for options in calls] == [True, False]


@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc"])
def test_a_damaged_cache_is_compiled_anew(tmp_path, kind):
    """An empty or cut file would break every later fit."""
    program = (
        "import numpy as np, eigenselect as es; X = np.random.default_rng(0).normal(size=(300, 1500))\n"
        "print(es.ReliefF(3).fit(X, np.arange(300) % 2).scores_.sum())"
    )

    def run():
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        return subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout

    expected = run()
    files = list(tmp_path.rglob(kind))
    assert files
    for size in (0, 40):
        for file in files:
            os.truncate(file, size)
        assert run() == expected

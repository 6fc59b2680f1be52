"""Kernels compile where nothing can be cached, and what they ask memory for ahead changes nothing."""

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

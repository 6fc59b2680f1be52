"""Kernels compile where nothing can be cached, and what they ask memory for ahead changes nothing."""

import numba
import numpy as np
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


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.uint8])
def test_asking_for_memory_ahead_reads_and_writes_nothing(dtype):
    @_compiled.compiled()
    def total(values, places):
        found = 0.0
        for place in places:
            _compiled.prefetch(values, place)
        for place in range(values.size):
            found += values[place]
        return found

    values = np.arange(100).astype(dtype)
    before = values.copy()
    assert total(values, np.array([0, 99, 100, 10**9, -(10**9)])) == 4950  # also far beyond both ends
    np.testing.assert_array_equal(values, before)

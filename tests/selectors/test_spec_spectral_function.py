"""Errors about γ speak as the class that was called."""

import numpy as np
import pytest

from eigenselect import MSFS, SPEC, SSelect
from eigenselect.multisource import TargetData

X = np.random.default_rng(0).normal(size=(20, 4))


@pytest.mark.parametrize("selector", [SPEC(), SSelect(), MSFS(sources=[("x", TargetData())])])
@pytest.mark.parametrize("gamma", ["cube", -1, None, lambda r: r[:2]])
def test_bad_spectral_function_is_refused_by_the_selector(selector, gamma):
    with pytest.raises((TypeError, ValueError), match=f"^{type(selector).__name__}: spectral_function"):
        selector.set_params(spectral_function=gamma).fit(X, np.arange(20) % 2)


def test_an_error_of_the_users_own_function_is_left_as_it_is():
    def broken(r):
        raise ValueError("my own bug")

    with pytest.raises(ValueError, match="^my own bug$"):
        SPEC(spectral_function=broken).fit(X)

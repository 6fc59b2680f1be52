"""Tables and selectors that several files of this room need."""

import numpy as np
import pytest
from sklearn.base import clone

from eigenselect import SPEC, LaplacianScore

SELECTORS = [SPEC(ranking="phi1"), SPEC(ranking="phi2"), SPEC(ranking="phi3"), LaplacianScore()]


@pytest.fixture
def X(rng):
    """Two informative features (groups), six of noise, one connected cloud."""
    groups = np.repeat([0.0, 1.5], 30)
    first, last = groups + rng.normal(size=60) * 0.4, rng.normal(size=60) - 2 * groups
    return np.column_stack([first, rng.normal(size=(60, 6)), last])


@pytest.fixture(params=SELECTORS, ids=lambda s: f"{type(s).__name__}-{getattr(s, 'ranking', '')}")
def selector(request):
    return clone(request.param).set_params(n_features_to_select=2)


@pytest.fixture
def counts(rng):
    """Sparse counts with ties, as text has."""
    y = np.repeat([0, 1, 2], [20, 15, 25])
    X = rng.poisson(0.4 + 0.8 * (y[:, None] == np.arange(9) % 3)).astype(float)
    return X, y


@pytest.fixture
def unlike_spreads(rng):
    """Classes that some features tell apart, with spreads over four orders of magnitude."""
    y = rng.permutation(np.repeat([0, 1, 2], 12))
    X = rng.normal(size=(36, 8)) + np.outer(y, rng.normal(size=8))
    return X * 10.0 ** rng.uniform(-2, 2, 8), y

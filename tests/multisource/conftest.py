"""A target table for sources."""

import numpy as np
import pytest

from eigenselect.matrix import as_matrix
from eigenselect.multisource.target import Target


@pytest.fixture
def make_target():
    """A target from a table, with or without labels and names."""

    def make(X, y=None, samples=None, genes=None):
        return Target.of(as_matrix(getattr(X, "raw", X), sample_names=samples, feature_names=genes), y, "test")

    return make


@pytest.fixture
def samples():
    """Names of the target's samples."""
    return np.array([f"patient{i}" for i in range(12)], dtype=object)


@pytest.fixture
def genes():
    """Names of the target's features."""
    return np.array([f"G{j}" for j in range(9)], dtype=object)


@pytest.fixture
def target(rng, make_target, samples, genes):
    """Twelve named samples of three classes, nine named features."""
    return make_target(rng.normal(size=(12, 9)), np.arange(12) % 3, samples, genes)

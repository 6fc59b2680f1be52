"""Exact distances and neighbours, however they are computed."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.similarity import KNN, distances


@pytest.mark.parametrize("levels", [2, 4])
def test_a_tree_settles_ties_as_brute_force_does(rng, monkeypatch, levels):
    X = rng.integers(0, levels, size=(150, 3)).astype(float)
    expected = KNN(6, "binary").build(X)
    monkeypatch.setattr(distances, "TREE_SAMPLES", 0)
    assert (KNN(6, "binary").build(X).affinity != expected.affinity).nnz == 0


@pytest.mark.parametrize("cheap", [True, False])
def test_sparse_float32_keeps_the_distances_of_near_copies(rng, monkeypatch, cheap):
    monkeypatch.setattr(distances, "SCATTERED_ADD_COST", 0.0 if cheap else np.inf)
    X = (rng.normal(size=(40, 60)) * (rng.random((40, 60)) < 0.2) * 100).astype(np.float32)
    X[1] = X[0]
    X[1, 0] += np.float32(1e-2)
    gap = abs(float(X[1, 0]) - float(X[0, 0]))
    S = KNN(3, bandwidth=gap).build(sparse.csr_array(X)).to_array()
    assert S[0, 1] == pytest.approx(np.exp(-0.5), rel=1e-5)

"""Heat diffusion over a neighbour graph."""

import numpy as np
import pytest
from scipy.linalg import expm

from eigenselect.similarity import KNN, Diffusion


class TestDiffusion:
    def test_it_is_the_exponential_of_the_knn_laplacian(self, rng):
        X = rng.normal(size=(30, 4))
        S0 = KNN(6).build(X).to_array()
        expected = expm(-2.0 * (np.diag(S0.sum(axis=1)) - S0))
        np.testing.assert_allclose(Diffusion(beta=2.0, n_neighbors=6).build(X).to_array(), expected, atol=1e-12)

    def test_nothing_as_large_as_n_squared_is_made(self, rng):
        import tracemalloc

        from eigenselect import SPEC

        X = rng.normal(size=(3000, 3))
        n_squared_bytes = 8 * 3000**2
        tracemalloc.start()
        SPEC(1, similarity=Diffusion(n_neighbors=5)).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < n_squared_bytes / 2

    @pytest.mark.parametrize("beta", [0, -1, np.inf, "x", True])
    def test_bad_beta(self, rng, beta):
        with pytest.raises(ValueError, match=f"Diffusion: beta.*{beta}"):
            Diffusion(beta=beta).build(rng.normal(size=(20, 2)))

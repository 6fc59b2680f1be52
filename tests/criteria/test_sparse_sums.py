"""Sums over non-zeros and their edges equal those of the dense route."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria import engine
from eigenselect.criteria.criterion import phi
from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.spectral import Power


@pytest.fixture
def graph(make_similarity):
    return SampleGraph(sparse.csr_array(make_similarity(30)))


class TestSparseColumns:
    """The route that visits only non-zeros, where it could go wrong."""

    @pytest.fixture(autouse=True)
    def compiled(self, monkeypatch):
        monkeypatch.setattr(engine, "COMPILED_WORK", 0)

    @pytest.fixture
    def X(self, rng):
        X = np.zeros((30, 7))
        X[4, 1] = 2.5  # a single non-zero
        X[:, 2] = rng.normal(size=30)  # no zeros at all
        X[:, 3] = 7.0  # constant
        X[3:28, 4] = rng.normal(size=25)  # most of the volume
        X[[1, 5, 9], 5] = [1e-9, -1e9, 3.0]
        X[:5, 6] = 1.0
        return X

    @pytest.mark.parametrize("blocks", [1, 3])
    def test_equals_the_dense_route(self, make_similarity, X, blocks):
        graph = SampleGraph(sparse.csr_array(make_similarity(30, blocks=blocks, isolated=2)))
        terms = feature_terms(sparse.csc_array(X), graph, PowerForm(1))
        dense = feature_terms(X, graph, PowerForm(1))
        np.testing.assert_allclose(terms.quadratic, dense.quadratic, rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(terms.spread, dense.spread, rtol=1e-10)
        np.testing.assert_allclose(terms.mean, dense.mean, rtol=1e-10)
        assert terms.spread[0] == 0
        assert terms.spread[3] == 0

    def test_explicit_zeros_and_self_loops(self, make_similarity, X):
        S = make_similarity(30) + np.diag(np.arange(30.0))
        graph = SampleGraph(sparse.csr_array(S))
        stored = sparse.csc_array(X)
        stored.data[::3] = 0.0
        np.testing.assert_allclose(
            feature_terms(stored, graph, PowerForm(1)).quadratic,
            feature_terms(stored.toarray(), graph, PowerForm(1)).quadratic,
            rtol=1e-12,
        )

    def test_large_mean_in_a_full_sparse_column(self, graph, rng):
        f = rng.normal(size=(30, 1))
        phi2 = phi("phi2", graph, Power(1))
        shifted = phi2.scores(sparse.csc_array(f + 1e6)).native
        np.testing.assert_allclose(shifted, phi2.scores(f).native, rtol=1e-6)

"""Each form is the quadratic form of the matrix that it shows."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from eigenselect.criteria.forms import IdentityForm, KernelForm, PowerForm
from eigenselect.criteria.quadratic import feature_terms
from eigenselect.criteria.structured import ImplicitForm, SymmetricForm
from eigenselect.graph import ClassMeans, SampleGraph


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kind", ["power 1", "power 2", "power 3", "identity", "kernel"])
def test_a_form_is_that_of_its_matrix(make_similarity, rng, kernels, kind, store):
    S = make_similarity(20)
    graph = SampleGraph(sparse.csr_array(S))
    form = IdentityForm() if kind == "identity" else PowerForm(int(kind[-1])) if kind[:5] == "power" else None
    if form is None:
        graph = graph.weighing_equally()
        form = KernelForm(sparse.csr_array(S), rng.normal(size=20), factor=0.5)
    X = rng.poisson(0.8, size=(20, 6)) * rng.normal(size=(20, 6))
    g = np.sqrt(graph.mass)[:, None] * (X - np.average(X, axis=0, weights=graph.mass))
    expected = np.einsum("ij,ij->j", g, form.matrix(graph) @ g)
    np.testing.assert_allclose(feature_terms(store(X), graph, form).quadratic, expected, rtol=1e-10)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, aslinearoperator, None])
def test_a_kernel_as_a_structured_form_takes_out_the_mean(make_similarity, rng, store):
    """No kernel is written out that was not: classes stay sums over classes, products stay products."""
    K = ClassMeans(rng.permutation(np.arange(20) % 3), 3) if store is None else store(make_similarity(20))
    graph = SampleGraph(sparse.csr_array(make_similarity(20))).weighing_equally()
    X = rng.normal(3.0, size=(20, 4))
    for diagonal in (np.zeros(20), rng.normal(size=20)):
        form = KernelForm(K, diagonal, factor=0.5)
        found, expected = form.structured(graph), form.evaluate(X - X.mean(axis=0), None)
        np.testing.assert_allclose(found.quadratic(X), expected, rtol=1e-9)
        assert isinstance(found, ImplicitForm if store is aslinearoperator else SymmetricForm)

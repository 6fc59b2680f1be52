"""Sums about means of chunks become those about the common mean."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect.criteria.forms import KernelForm, PowerForm
from eigenselect.criteria.pooled_terms import PooledTerms, pooled
from eigenselect.criteria.projected_chunks import PooledSums, Projections, projected_sums
from eigenselect.criteria.spectral_forms import FactorForm
from eigenselect.graph import ClassMeans, SampleGraph
from eigenselect.matrix import Matrix, SparseMatrix

N = 30
BLOCKS = [slice(0, 3), slice(3, 4), slice(4, 19), slice(19, N)]


def counted(values, mass):
    mean = mass @ values / mass.sum() if mass.any() else np.zeros(values.shape[1])
    return PooledTerms(mass.sum()[None], mean[None], (mass @ (values - mean) ** 2)[None], np.zeros(values.shape[1]))


@pytest.mark.parametrize("kind", [Matrix, lambda values: SparseMatrix(sparse.csr_array(values))])
def test_parts_are_moved_to_the_common_mean(kind, rng):
    """Means of chunks are a thousand deviations from zero, weights are of either sign, one chunk counts nowhere."""
    X, mass, V, a = rng.normal(1e3, size=(N, 4)), rng.random(N), rng.normal(size=(N, 2)), rng.normal(size=N)
    mass[BLOCKS[0]] = 0.0
    parts = [PooledSums.of(kind(X[rows]), counted(X[rows], mass[rows]), Projections(V[rows], a[rows]))
             for rows in BLOCKS]  # fmt: skip
    both, centred = pooled(parts), X - mass @ X / mass.sum()
    np.testing.assert_allclose(both.linear[:-1], V.T @ centred, rtol=1e-10)
    np.testing.assert_allclose(both.squares, a @ centred**2, rtol=1e-8)
    np.testing.assert_allclose(both.about(np.zeros(4)).squares, a @ X**2, rtol=1e-12)


def test_which_forms_are_sums_of_this_kind(rng):
    graph, classes = SampleGraph(np.ones((N, N))), ClassMeans(np.arange(N) % 3, 3)
    few, many = (FactorForm.of(graph, rng.normal(size=(N, k)), np.ones(k), largest=1.0) for k in (2, 101))
    assert projected_sums(graph, few, BLOCKS) is not None
    assert projected_sums(graph, KernelForm(classes, np.zeros(N)), BLOCKS) is not None
    for form in (many, KernelForm(np.eye(N), np.zeros(N)), PowerForm(2)):
        assert projected_sums(graph, form, BLOCKS) is None


def test_sums_of_chunks_become_the_form(rng):
    """wᵀ(Vᵀg)² for few eigenvectors, gᵀ(K + diag(a))g for a kernel of classes, with g about the common mean."""
    graph, classes = SampleGraph(np.ones((N, N))), ClassMeans(np.arange(N) % 3, 3)
    X, a = rng.normal(2.0, size=(N, 4)), rng.normal(size=N)
    for form in (
        FactorForm.of(graph, rng.normal(size=(N, 2)), np.array([0.5, 2.0]), largest=1.0),
        KernelForm(classes, a, factor=3.0),
    ):
        sums = projected_sums(graph, form, BLOCKS)
        parts = [PooledSums.of(Matrix(X[rows]), counted(X[rows], np.ones(X[rows].shape[0])), part)
                 for rows, part in zip(BLOCKS, sums.parts, strict=True)]  # fmt: skip
        expected = form.evaluate(X - X.mean(axis=0), None)
        np.testing.assert_allclose(sums.finished(pooled(parts)).quadratic, expected, rtol=1e-9)

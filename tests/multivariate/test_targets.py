"""Outputs whose product is the similarity, or that make regression a discriminant analysis."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import scale

from eigenselect.exceptions import EqualEigenvaluesWarning
from eigenselect.multivariate.targets import discriminant_outputs, margin_outputs, root_of, similarity_outputs
from eigenselect.similarity import KNN, RBF, ClassLabels


def test_similarity_is_the_product_of_outputs(rng):
    X = rng.normal(size=(40, 6))
    S = RBF().build(X)
    Y = similarity_outputs(S, None, None)
    np.testing.assert_allclose(Y @ Y.T, S.to_array(), atol=1e-8)


def test_class_labels_without_a_matrix():
    graph = ClassLabels().build(None, [0, 1, 0, 2, 1])
    Y = similarity_outputs(graph, None, None)
    assert Y.shape == (5, 3)
    np.testing.assert_allclose(Y @ Y.T, graph.to_array(), atol=1e-15)


def test_negative_eigenvalues_are_left_out(rng):
    graph = KNN(4).build(rng.normal(size=(30, 5)))
    values, vectors = np.linalg.eigh(graph.to_array())
    assert values[0] < 0
    Y = similarity_outputs(graph, None, None)
    positive = np.maximum(values, 0)
    np.testing.assert_allclose(Y @ Y.T, vectors * positive @ vectors.T, atol=1e-8)


def test_leading_pairs_of_many_samples(rng, monkeypatch):
    factor = rng.normal(size=(80, 6)) * np.array([9, 7, 5, 4, 3, 2])
    monkeypatch.setattr("eigenselect.multivariate.targets.FULL_SIZE", 10)
    for matrix in (factor @ factor.T, sparse.csr_array(factor @ factor.T)):
        Y = root_of(matrix, 6, None)
        np.testing.assert_allclose(Y @ Y.T, factor @ factor.T, atol=1e-6)


@pytest.mark.parametrize("full_size", [2000, 10], ids=["lapack", "lanczos"])
def test_equal_eigenvalues_are_all_taken_or_none(monkeypatch, full_size):
    """Fifteen blocks of two values, non-negative: 3 fifteen times, 1 fifteen times."""
    monkeypatch.setattr("eigenselect.multivariate.targets.FULL_SIZE", full_size)
    matrix = np.kron(np.eye(15), [[2.0, 1], [1, 2]])
    for kind in (np.asarray, sparse.csr_array, aslinearoperator):
        with pytest.warns(EqualEigenvaluesWarning, match="MRSF: n_outputs=4 .* 15 "):
            Y = root_of(kind(matrix), 4, None)
        np.testing.assert_allclose(Y @ Y.T, np.kron(np.eye(15), np.full((2, 2), 1.5)), atol=1e-8)
        assert root_of(kind(matrix), 15, None).shape == (30, 15)


def test_discriminant_outputs_as_written():
    y = np.array([0, 0, 1, 2, 2, 2])
    n, sizes = 6, [2, 1, 3]
    expected = [[np.sqrt(n / sizes[j]) * (y[i] == j) - np.sqrt(sizes[j] / n) for j in range(3)] for i in range(6)]
    np.testing.assert_allclose(discriminant_outputs(y), expected)
    np.testing.assert_allclose(discriminant_outputs(y).sum(axis=0), 0, atol=1e-14)


def test_discriminant_outputs_have_the_similarity_of_classes():
    """Eq. 4.17: YYᵀ = nS - 11ᵀ, with S of the class labels, which says what S says."""
    for y in ([0, 0, 1, 2, 2, 2], [0, 1], [0] * 7 + [1]):
        Y, n = discriminant_outputs(np.array(y)), len(y)
        same = np.equal.outer(y, y)
        np.testing.assert_allclose(Y @ Y.T, n * same / same.sum(axis=1) - 1, atol=1e-13)


class TestPrincipalComponents:
    """What k outputs of X leave of XXᵀ, after Eq. 4.13; σ are the singular values of X."""

    def test_the_rest_are_squares_of_singular_values(self, rng):
        """By Frobenius √(Σ σ⁴), by the spectral norm the first σ², by the trace Σ σ²; the paper prints Σ σ."""
        for shape, count in (((9, 5), 1), ((5, 9), 3)):
            X = rng.normal(size=shape)
            rest = np.linalg.svd(X, compute_uv=False)[count:]
            Y = root_of(X @ X.T, count, None)
            left = X @ X.T - Y @ Y.T
            assert np.linalg.norm(left) == pytest.approx(np.sqrt((rest**4).sum()), rel=1e-10)
            assert np.linalg.norm(left, 2) == pytest.approx(rest[0] ** 2, rel=1e-10)
            assert np.trace(left) == pytest.approx((rest**2).sum(), rel=1e-10)

    def test_the_printed_sum_is_another_number(self):
        """σ = 3, 2, 1 and one output: √17 is left, not 3."""
        Y = root_of(np.diag([9.0, 4.0, 1.0]), 1, None)
        assert np.linalg.norm(np.diag([9.0, 4.0, 1.0]) - Y @ Y.T) == pytest.approx(np.sqrt(17))

    def test_equal_singular_values_are_left_together(self):
        """σ = 2, 2, 1: with both outputs of 2, whichever basis they are in, 1 is left."""
        X = np.diag([2.0, 2.0, 1.0])
        with pytest.warns(EqualEigenvaluesWarning):
            Y = root_of(X @ X.T, 1, None)
        assert np.linalg.norm(X @ X.T - Y @ Y.T) == pytest.approx(1)

    def test_loadings_reach_the_outputs_exactly(self, rng):
        """Eq. 4.11, with the least and not the largest distance: y = σu is Xv, so nothing is left and w = v."""
        X = rng.normal(size=(9, 5))
        Y = root_of(X @ X.T, 3, None)
        W = np.linalg.lstsq(X, Y, rcond=None)[0]
        np.testing.assert_allclose(X @ W, Y, atol=1e-10)
        loadings = np.linalg.svd(X)[2][:3].T
        np.testing.assert_allclose(np.abs(W), np.abs(loadings), atol=1e-10)


def test_discriminant_regression_spans_discriminant_analysis():
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    W = np.linalg.lstsq(X, discriminant_outputs(y), rcond=None)[0]
    axes = LinearDiscriminantAnalysis(solver="svd").fit(X, y).scalings_
    fitted = axes @ np.linalg.lstsq(axes, W, rcond=None)[0]
    np.testing.assert_allclose(fitted, W, atol=1e-8)


def test_margin_outputs():
    np.testing.assert_array_equal(margin_outputs(np.array([0, 1, 1])), [[1, -1], [-1, 1], [-1, 1]])
    np.testing.assert_array_equal(margin_outputs(np.array([0, 1, 2])), 2 * np.eye(3) - 1)

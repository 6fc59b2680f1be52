"""Learned weights find the source that knows the classes."""

import numpy as np
import pytest

from eigenselect.graph import SampleGraph
from eigenselect.multisource.weights import (
    alignment_weights,
    centred_kernel,
    class_indicators,
    combination_scale,
    default_mu,
    discriminant_objective,
    discriminant_weights,
    given_weights,
)
from eigenselect.similarity import KNN, RBF, ClassLabels, Linear


def three_sources(rng, n_classes=2, n=60):
    """One informative source, one of low-dimensional noise, one of high-dimensional noise (nearly the identity)."""
    codes = np.arange(n) % n_classes
    centres = 3 * rng.normal(size=(n_classes, 4))
    tables = [centres[codes] + rng.normal(size=(n, 4)), rng.normal(size=(n, 3)), rng.normal(size=(n, 500))]
    return [RBF().build(table) for table in tables], codes


@pytest.mark.parametrize(
    ("learn", "n_classes"),
    [(discriminant_weights, 2), (discriminant_weights, 3), (discriminant_weights, 5), (alignment_weights, 2)],
)
def test_the_informative_source_wins(rng, learn, n_classes):
    for _ in range(5):
        graphs, codes = three_sources(rng, n_classes)
        weights = learn([centred_kernel(graph) for graph in graphs], codes)
        assert weights.sum() == pytest.approx(1)
        assert weights[0] >= 0.9
        weights = learn([centred_kernel(graph) for graph in [*graphs, ClassLabels().build(None, codes)]], codes)
        assert ((weights == 0) | (weights > 1e-6 * weights.max())).all()  # not what rounding of a solver leaves


def test_a_small_mu_lets_noise_in(rng):
    """Why the default is what it is: a kernel that tells every sample from every other fits any labels."""
    graphs, codes = three_sources(rng)
    kernels = [centred_kernel(graph) for graph in graphs]
    assert discriminant_weights(kernels, codes, mu=0.01)[2] > 0.3
    assert discriminant_weights(kernels, codes, mu=default_mu(60, 2))[2] < 0.05
    assert default_mu(100, 2) == 10


def test_the_objective_against_a_convex_solver(rng):
    cvxpy = pytest.importorskip("cvxpy")
    for n_classes, mu in ((2, 0.5), (3, 10.0)):
        graphs, codes = three_sources(rng, n_classes, n=18)
        graphs[0] = RBF().build(rng.normal(size=(18, 2)) + 0.7 * codes[:, None])  # no clear winner
        kernels, targets = [centred_kernel(graph) for graph in graphs], class_indicators(codes)
        theta = cvxpy.Variable(3, nonneg=True)
        A = np.eye(18) + sum(theta[i] * kernels[i] for i in range(3)) / mu
        A = (A + A.T) / 2
        objective = sum(cvxpy.matrix_frac(h, A) for h in targets.T)
        problem = cvxpy.Problem(cvxpy.Minimize(objective), [cvxpy.sum(theta) == 1])
        problem.solve(solver="CLARABEL")
        found = discriminant_weights(kernels, codes, mu=mu)
        value = discriminant_objective(found, kernels, targets, mu)[0]
        assert value == pytest.approx(problem.value, rel=1e-5)
        np.testing.assert_allclose(found, theta.value, atol=2e-3)  # the bottom is flat


def test_alignment_is_the_best_of_many(rng):
    graphs, codes = three_sources(rng)
    kernels, targets = [centred_kernel(graph) for graph in graphs], class_indicators(codes)
    T = targets @ targets.T

    def alignment(theta):
        K = sum(t * kernel for t, kernel in zip(theta, kernels, strict=True))
        return np.sum(K * T) / np.linalg.norm(K)

    best = alignment(alignment_weights(kernels, codes))
    assert all(alignment(theta) <= best + 1e-12 for theta in rng.dirichlet(np.ones(3), size=500))
    nothing = [np.zeros((6, 6)), np.zeros((6, 6))]
    np.testing.assert_array_equal(alignment_weights(nothing, np.arange(6) % 2), [0.5, 0.5])


@pytest.mark.parametrize("similarity", [RBF(), Linear(), KNN(n_neighbors=4)])
def test_scale_gives_the_centred_similarity_trace_n(rng, similarity):
    graph = similarity.build(rng.random((20, 3)) + 1)
    S = graph.to_array()
    S = S + np.diag(S.sum(axis=1)) if isinstance(similarity, KNN) else S
    H = np.eye(20) - 1 / 20
    scale = combination_scale(graph)
    assert np.trace(scale * H @ S @ H) == pytest.approx(20)
    np.testing.assert_allclose(centred_kernel(graph), scale * H @ S @ H, atol=1e-9)


def test_similarities_of_special_kinds(rng):
    """Of two classes the trace is 2, less 1 for the mean; equal samples say nothing; a positive part is kept."""
    assert combination_scale(ClassLabels().build(None, np.repeat([0, 1], 5))) == pytest.approx(10)
    assert combination_scale(SampleGraph(np.ones((5, 5)))) == 0.0
    S = rng.random((15, 15))
    K = centred_kernel(SampleGraph(S + S.T))
    assert np.linalg.eigvalsh(K).min() > -1e-10
    assert np.trace(K) == pytest.approx(15)


def test_given_weights():
    names = ["a", "b", "c"]
    np.testing.assert_allclose(given_weights([1, 3, 0], names), [0.25, 0.75, 0])
    np.testing.assert_allclose(given_weights({"c": 1, "a": 1, "b": 2}, names), [0.25, 0.5, 0.25])
    for weights, keyword in (
        ([1, 2], "3 sources"),
        ([0, 0, 0], "not all zero"),
        ([1, np.nan, 1], "finite"),
        ({"a": 1, "b": 1}, r"\['c'\]"),
        ({"a": 1, "b": 1, "c": 1, "d": 1}, r"\['d'\]"),
        (None, "one number"),
    ):
        with pytest.raises(ValueError, match=keyword):
            given_weights(weights, names)

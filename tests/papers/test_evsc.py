"""papers/evsc*.py: neighbours and turning points against plain loops, statements on made-up numbers."""

import numpy as np
import pytest

from eigenselect.evaluation import jaccard_score

pytestmark = pytest.mark.slow


@pytest.fixture
def trials(paper):
    return paper("evsc_trials")


def naive_neighbours(X, i, k, kind):
    def far(j):
        if kind == "inner product":
            return -X[i] @ X[j]
        if kind == "cosine":
            return -X[i] @ X[j] / (np.linalg.norm(X[i]) * np.linalg.norm(X[j]))
        return np.linalg.norm(X[i] - X[j])

    return set(sorted((j for j in range(len(X)) if j != i), key=far)[:k])


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("kind", ["inner product", "cosine", "Euclidean"])
def test_jaccard_scores_are_their_definition(trials, rng, kind, k):
    X, order, sizes = rng.random((14, 20)) + 0.2, rng.permutation(20), (3, 7, 12)
    expected = []
    for size in sizes:
        chosen = X[:, order[:size]]
        pairs = [(naive_neighbours(chosen, i, k, kind), naive_neighbours(X, i, k, kind)) for i in range(14)]
        expected.append(np.mean([len(a & b) / len(a | b) for a, b in pairs]))
    assert trials.jaccard_curves(X, order, sizes)[f"{kind}, {k}"] == pytest.approx(expected)


def test_the_protocol_is_the_score_of_the_library(trials, rng):
    X, order = rng.random((15, 30)), rng.permutation(30)
    expected = [jaccard_score(X[:, order[:size]], X @ X.T, 5) for size in (4, 9)]
    assert trials.jaccard_curves(X, order, (4, 9))["inner product, 5"] == pytest.approx(expected)

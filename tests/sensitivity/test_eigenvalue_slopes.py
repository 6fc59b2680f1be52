"""Slopes of eigenvalues against finite differences and against the paper's sums over pairs."""

import numpy as np
import pytest
from scipy import linalg

import naive
from another_basis import use_another_basis
from eigenselect import EVSC
from eigenselect.exceptions import EqualEigenvaluesWarning
from eigenselect.sensitivity import eigenvalue_slopes
from eigenselect.similarity import KNN, RBF, Linear

SIGMA = 1.7


def weighted_similarity(kind, X, w, mask):
    """S(w), with the neighbours of w = 1."""
    Z = X * w
    if kind == "linear":
        return Z @ Z.T
    squared = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    return np.exp(-squared / (2 * SIGMA**2)) * mask


def eigenvalues(S):
    return linalg.eigvalsh(np.diag(S.sum(axis=1)) - S, np.diag(S.sum(axis=1)))


def by_central_differences(kind, X, mask, step=1e-4):
    scores = []
    for t in range(X.shape[1]):
        up, down = np.ones(X.shape[1]), np.ones(X.shape[1])
        up[t] += step
        down[t] -= step
        high, low = (eigenvalues(weighted_similarity(kind, X, w, mask)) for w in (up, down))
        scores.append(np.abs(high - low).sum() / (2 * step))
    return np.array(scores)


CASES = {
    "rbf": (RBF(bandwidth=SIGMA), "rbf"),
    "knn": (KNN(n_neighbors=5, bandwidth=SIGMA), "rbf"),
    "linear": (Linear(), "linear"),
}


@pytest.fixture(params=CASES)
def case(request, rng):
    """A table, the similarity, the name of its formula, and which pairs count."""
    similarity, kind = CASES[request.param]
    X = rng.random((18, 6)) * np.array([1, 2, 0.5, 1, 3, 1])
    mask = similarity.build(X).to_array() != 0
    return X, similarity, kind, mask


class TestSlopes:
    def test_central_differences(self, case):
        X, similarity, kind, mask = case
        expected = by_central_differences(kind, X, mask)
        np.testing.assert_allclose(EVSC(similarity=similarity).fit(X).scores_, expected, rtol=1e-5)

    def test_sums_over_pairs(self, case):
        X, similarity, kind, mask = case
        S = weighted_similarity(kind, X, np.ones(X.shape[1]), mask)
        expected = []
        for x in X.T:
            derivative = 2 * np.outer(x, x) if kind == "linear" else -(np.subtract.outer(x, x) ** 2) / SIGMA**2 * S
            expected.append(np.abs(naive.evsc_slopes(S, derivative)).sum())
        np.testing.assert_allclose(EVSC(similarity=similarity).fit(X).scores_, expected, rtol=1e-8)

    def test_leading_eigenvalues(self, case):
        X, similarity, kind, mask = case
        S = weighted_similarity(kind, X, np.ones(X.shape[1]), mask)
        x = X[:, 2]
        derivative = 2 * np.outer(x, x) if kind == "linear" else -(np.subtract.outer(x, x) ** 2) / SIGMA**2 * S
        expected = np.abs(naive.evsc_slopes(S, derivative))[:4].sum()
        fitted = EVSC(similarity=similarity, n_eigenvalues=4).fit(X)
        assert fitted.scores_[2] == pytest.approx(expected, rel=1e-8)
        np.testing.assert_allclose(fitted.eigenvalues_, eigenvalues(S)[:4], atol=1e-10)

    def test_all_eigenvalues_are_the_leading_n(self, case):
        X, similarity, _, _ = case
        every = EVSC(similarity=similarity).fit(X).scores_
        np.testing.assert_allclose(EVSC(similarity=similarity, n_eigenvalues=18).fit(X).scores_, every, rtol=1e-9)

    def test_repeated_eigenvalues_give_the_slopes_of_their_branches(self):
        """A square's corners: its middle eigenvalue is double, and a feature's weight splits it."""
        X = np.array([[1.0, 1], [1, 2], [2, 1], [2, 2]])
        values = eigenvalues(weighted_similarity("rbf", X, np.ones(2), 1))
        assert values[1] == pytest.approx(values[2], abs=1e-12)
        step, expected = 1e-6, []
        for t in range(2):
            w = np.ones(2)
            w[t] += step  # one side: the branches cross at w = 1
            expected.append(np.abs(eigenvalues(weighted_similarity("rbf", X, w, 1)) - values).sum() / step)
        np.testing.assert_allclose(EVSC(similarity=RBF(bandwidth=SIGMA)).fit(X).scores_, expected, rtol=1e-4)

    def test_of_equal_eigenvalues_the_formula_depends_on_the_basis(self):
        """Proposition 1 at the square's corners: vectors along its sides give the branches, along its diagonals not."""
        X = np.array([[1.0, 1], [1, 2], [2, 1], [2, 2]])
        S = weighted_similarity("rbf", X, np.ones(2), 1)
        derivative = -(np.subtract.outer(X[:, 0], X[:, 0]) ** 2) / SIGMA**2 * S
        L, D = (np.diag(derivative.sum(axis=1)) - derivative, np.diag(derivative.sum(axis=1)))
        value, step = eigenvalues(S)[1], 1e-6
        branches = (eigenvalues(weighted_similarity("rbf", X, np.array([1 + step, 1]), 1))[1:3] - value) / step
        for sides, same in [(X - 1.5, True), ((X - 1.5) @ [[1, 1], [1, -1]], False)]:
            Q = sides / np.sqrt((S.sum(axis=1)[:, None] * sides**2).sum(axis=0))
            slopes = np.sort(np.diag(Q.T @ (L - value * D) @ Q))
            assert np.allclose(slopes, np.sort(branches), rtol=1e-3, atol=1e-4) == same

    def test_repeated_eigenvalues_do_not_depend_on_the_basis(self, monkeypatch):
        """A simplex and its centre: all features are alike, whatever basis and part of the spectrum is taken."""
        X = np.vstack([np.eye(6), np.zeros((1, 6))])
        expected = EVSC(similarity=RBF(bandwidth=1.0)).fit(X).scores_
        with pytest.warns(EqualEigenvaluesWarning, match="EVSC: n_eigenvalues=2 .* 6 "):
            leading = EVSC(similarity=RBF(bandwidth=1.0), n_eigenvalues=2).fit(np.eye(6))
        assert leading.eigenvalues_.size == 6
        use_another_basis(monkeypatch)
        for scores in (expected, leading.scores_, EVSC(similarity=RBF(bandwidth=1.0)).fit(X).scores_):
            np.testing.assert_allclose(scores, scores[0], rtol=1e-9)
        np.testing.assert_allclose(scores, expected, rtol=1e-9)

    def test_both_ways_to_tell_branches_apart_agree(self, monkeypatch):
        X = np.vstack([np.eye(6) + 0.1, np.full((1, 6), 0.1)])  # a simplex and its centre
        selectors = [EVSC(similarity=s) for s in (RBF(bandwidth=1.0), KNN(n_neighbors=6, bandwidth=1.0), Linear())]
        few = [selector.fit(X).scores_ for selector in selectors]
        monkeypatch.setattr(eigenvalue_slopes, "FEW_BRANCHES", 0)
        np.testing.assert_allclose([selector.fit(X).scores_ for selector in selectors], few, rtol=1e-9)

    def test_a_smooth_low_dimensional_graph(self, rng):
        """Most eigenvalues are 1 up to rounding, also of twins; finite differences see their sum all the same."""
        X = rng.random((60, 2))
        assert max(group.size for group in EVSC().fit(X).criterion_._crowds) > 10
        for table in (X, np.repeat(rng.random((8, 4)), 2, axis=0)):
            found = EVSC(similarity=RBF(bandwidth=SIGMA)).fit(table).scores_
            expected = by_central_differences("rbf", table, np.ones((len(table),) * 2))
            np.testing.assert_allclose(found, expected, rtol=1e-5)

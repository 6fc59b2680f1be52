"""Chapter 4 of the dissertation: how near the features of the path come to S, and which of two alike enters."""

import numpy as np
import pytest
from tests.multivariate.problems import problem, violation

from eigenselect.multivariate import l21_path
from eigenselect.multivariate.targets import similarity_outputs
from eigenselect.similarity import KNN, RBF, ClassLabels


def lengths(rows):
    return np.linalg.norm(rows, axis=-1)


class TestSimilarityIsKept:
    """Theorem 15: with Ω = Y - XW, XW keeps S = YYᵀ up to (2‖Y‖ + ‖Ω‖)‖Ω‖, which is less than the printed bound."""

    def bound(self, Y, residual):
        size = np.linalg.norm(residual)
        return (2 * np.linalg.norm(Y) + size) * size

    @pytest.mark.parametrize("labels", [False, True], ids=["rbf", "classes"])
    def test_along_the_path_and_for_any_coefficients(self, rng, labels):
        """The classes have equal eigenvalues and a graph in three parts."""
        y = np.arange(30) % 3
        X = rng.normal(size=(30, 12)) + np.outer(y, rng.normal(size=12))
        graph = ClassLabels().build(None, y) if labels else RBF().build(X)
        Y, S = similarity_outputs(graph, None, None), graph.to_array()
        path = l21_path(X, Y, 8)
        bounds = []
        for W in [path.coef(knot).toarray() for knot in range(len(path.alphas))]:
            away = np.linalg.norm(X @ W @ W.T @ X.T - S)
            bounds.append(self.bound(Y, Y - X @ W))
            assert away <= bounds[-1] * (1 + 1e-12)
        assert (np.diff(bounds) < 0).all()  # a smaller λ promises more
        for size in (0.01, 1.0, 10.0):
            W = size * rng.normal(size=(12, Y.shape[1]))
            assert np.linalg.norm(X @ W @ W.T @ X.T - S) <= self.bound(Y, Y - X @ W)

    def test_no_smaller_bound_holds(self):
        """One output, XW = (1 + c)Y: then ‖XW(XW)ᵀ - YYᵀ‖ = (2c + c²)‖Y‖²."""
        Y = np.array([[3.0], [4.0]])
        for c in (0.1, 2.0):
            assert np.linalg.norm((1 + c) ** 2 * Y @ Y.T - Y @ Y.T) == pytest.approx(self.bound(Y, -c * Y))

    def test_of_a_graph_with_negative_eigenvalues_only_the_positive_part_is_kept(self, rng):
        """Then Ω = 0 does not give S: the theorem needs S ⪰ 0, else ‖S₋‖ comes on top."""
        graph = KNN(4).build(rng.normal(size=(20, 5)))
        S, X = graph.to_array(), rng.normal(size=(20, 20))
        values = np.linalg.eigvalsh(S)
        negative = np.linalg.norm(values[values < 0])
        Y = similarity_outputs(graph, None, None)
        W = np.linalg.solve(X, Y)
        assert self.bound(Y, Y - X @ W) < 1e-6 < negative
        assert np.linalg.norm(X @ W @ W.T @ X.T - S) == pytest.approx(negative, rel=1e-6)
        for V in (0.9 * W, rng.normal(size=W.shape)):
            assert np.linalg.norm(X @ V @ V.T @ X.T - S) <= self.bound(Y, Y - X @ V) + negative


def test_the_first_feature_is_the_one_with_the_largest_form(rng):
    """Eq. 4.2 with one feature of unit length: ‖Y - fwᵀ‖² is least tr S - fᵀSf, so that Eq. 4.1 is maximised."""
    X = rng.normal(size=(25, 10))
    graph = RBF().build(X)
    X /= np.linalg.norm(X, axis=0)
    S, Y = graph.to_array(), similarity_outputs(graph, None, None)
    left = [np.sum((Y - np.outer(f, np.linalg.lstsq(f[:, None], Y, rcond=None)[0])) ** 2) for f in X.T]
    forms = np.einsum("ij,ij->j", X, S @ X)
    np.testing.assert_allclose(left, np.trace(S) - forms, rtol=1e-8)
    assert l21_path(X, Y, 1).order[0] == forms.argmax()


class TestRedundancy:
    """Theorem 16: f_p and f_q explain Y alike, f_p is nearer to f_d; the other features see no difference."""

    D, P, Q = 0, 1, 2

    def problem(self, correlations, products):
        """X and Y with the given XᵀX and XᵀY, which are all that the path sees."""
        X = np.linalg.cholesky(correlations).T
        return X, np.linalg.solve(X.T, products)

    def random_problem(self, seed, n_outputs=3):
        rng = np.random.default_rng(seed)
        G = np.zeros((6, 6))
        G[self.D, self.P], G[self.D, self.Q], G[self.P, self.Q] = 0.8, 0.1, 0.2
        G[self.P, 3:] = G[self.Q, 3:] = rng.uniform(-0.2, 0.2, size=3)
        products = rng.normal(size=(6, n_outputs))
        products[[self.P, self.Q]] = products[self.D] + 0.3 * products[self.P]
        return self.problem(G + G.T + np.eye(6), products)

    def test_the_less_redundant_one_is_never_missing(self):
        """Where w_d and w_p point the same way, the optimum has w_q ≠ 0: exchanging them would lower the loss."""
        seen = 0
        for seed in range(12):
            X, Y = self.random_problem(seed)
            path = l21_path(X, Y, 6)
            for knot in range(len(path.alphas)):
                w_d, w_p, w_q = path.coef(knot).toarray()[:3]
                if lengths(w_p) > 0 and w_d @ w_p > 1e-6:
                    seen += 1
                    assert lengths(w_q) > 0
        assert seen > 5

    def test_what_exchanging_them_gains(self):
        for seed in range(3):
            X, Y = self.random_problem(seed)
            W = np.random.default_rng(seed).normal(size=(6, 3))
            W[self.Q] = 0
            other = W.copy()
            other[[self.P, self.Q]] = W[[self.Q, self.P]]
            gain = np.sum((Y - X @ W) ** 2) - np.sum((Y - X @ other) ** 2)
            assert gain == pytest.approx(2 * W[self.D] @ W[self.P] * (0.8 - 0.1), abs=1e-9)

    @pytest.mark.parametrize(("product", "order"), [(0.95, [D, Q, P]), (0.2, [D, P, Q])])
    def test_the_sign_decides(self, product, order):
        """fᵀY is 1 for f_d: if 0.2 for both others, f_p enters first, to take off what f_d gives too much."""
        G = np.array([[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]])
        X, Y = self.problem(G, np.array([[1.0], [product], [product]]))
        path = l21_path(X, Y, 3)
        assert path.order.tolist() == order
        w_d, w_p, _ = path.coef().toarray()[:, 0]
        assert (w_d * w_p > 0) == (order[1] == self.Q)


class TestLeastSquaresStep:
    """Theorem 17: a step along the least squares of the active set keeps what is necessary of an optimum.

    With one output it is the path itself; with more it is not, and the library follows the tangent instead.
    """

    def step(self, X, Y, W, penalty):
        """W and λ after the step to where the next feature enters, from a knot of the path."""
        R = Y - X @ W
        C = X.T @ R
        active = lengths(C) >= penalty * (1 - 1e-5)
        direction = np.linalg.lstsq(X[:, active], R, rcond=None)[0]
        B = X.T @ X[:, active] @ direction
        shares = [1.0]
        for c, b in zip(C[~active], B[~active], strict=True):  # ‖c - αb‖ = (1 - α)λ
            roots = np.roots([b @ b - penalty**2, -2 * (c @ b - penalty**2), c @ c - penalty**2])
            shares += [float(root.real) for root in roots if abs(root.imag) < 1e-12 and 0 < root.real < 1]
        share = min(shares)
        moved = W.copy()
        moved[active] += share * direction
        return moved, (1 - share) * penalty, active

    @pytest.mark.parametrize("n_outputs", [1, 4])
    def test_it_keeps_the_necessary_conditions(self, n_outputs):
        X, Y = problem(1, 30, 40, n_outputs)
        path = l21_path(X, Y, 6)
        for knot in range(5):
            W, penalty, active = self.step(X, Y, path.coef(knot).toarray(), path.alphas[knot])
            norms = lengths(X.T @ (Y - X @ W))
            np.testing.assert_allclose(norms[active], penalty, rtol=1e-4)
            assert norms.max() <= penalty * (1 + 1e-4)
            assert 0 < penalty < path.alphas[knot]
            if n_outputs == 1 and not (path.coef(knot).toarray() * W < 0).any():
                assert violation(X, Y, W, penalty) < 1e-4 * path.alphas[0]
                assert penalty == pytest.approx(path.alphas[knot + 1], rel=1e-4)

    def test_with_several_outputs_they_are_not_sufficient(self):
        X, Y = problem(0, 30, 40, 4)
        path = l21_path(X, Y, 6)
        W, penalty, _ = self.step(X, Y, path.coef(3).toarray(), path.alphas[3])
        assert violation(X, Y, W, penalty) > 0.01 * penalty
        assert violation(X, Y, path.coef(4).toarray(), path.alphas[4]) < 1e-6 * path.alphas[0]

"""Problems for the path, and the optimality conditions that any solution of them satisfies."""

import numpy as np


def violation(X, Y, W, alpha):
    """Largest violation of the optimality conditions, over all features."""
    C = X.T @ (Y - X @ W)
    lengths = np.linalg.norm(W, axis=1)
    active = lengths > 0
    inside = np.linalg.norm(C[active] - alpha * W[active] / lengths[active, None], axis=1)
    outside = np.linalg.norm(C[~active], axis=1) - alpha
    return max(inside.max(initial=0.0), outside.max(initial=0.0))


def worst_violation(X, Y, path):
    """Over all points of the path, relative to λ_max."""
    found = [violation(X, Y, path.coef(t).toarray(), alpha) for t, alpha in enumerate(path.alphas)]
    return max(found) / path.alphas[0]


def objective(X, Y, W, alpha):
    return 0.5 * np.sum((Y - X @ W) ** 2) + alpha * np.linalg.norm(W, axis=1).sum()


def problem(seed, n=30, m=80, k=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)) * rng.uniform(0.5, 2, size=m)
    Y = X[:, :5] @ rng.normal(size=(min(5, m), k)) + rng.normal(size=(n, k))
    return X, Y


def almost_planar(seed):
    """Features in a plane but for a thousandth, a target along one of them: tangents are long and change fast."""
    rng = np.random.default_rng(seed)
    n, m, k = rng.integers(3, 30), rng.integers(3, 80), rng.integers(1, 8)
    X, Y = rng.normal(size=(n, m)), rng.normal(size=(n, k))
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, m)) + 1e-3 * X
    return X, X[:, :1] @ rng.normal(size=(1, k)) + 1e-2 * Y, min(m, rng.integers(1, 25))

"""The papers' formulas written down plainly, one feature at a time: what the library is held against."""

from __future__ import annotations

import numpy as np


def eigensystem(S):
    """All eigenpairs of N, ascending, with D^1/2 1 rotated to the front of the zero eigenspace."""
    d = S.sum(axis=1)
    scale = np.where(d > 0, 1 / np.sqrt(np.where(d > 0, d, 1)), 0)
    N = np.diag((d > 0).astype(float) * d * scale**2) - scale[:, None] * S * scale
    values, vectors = np.linalg.eigh(N)
    zero = np.flatnonzero(np.abs(values) < 1e-10)
    trivial = np.sqrt(d) / np.linalg.norm(np.sqrt(d))
    rotated, _ = np.linalg.qr(np.column_stack([trivial, vectors[:, zero]]))
    vectors[:, zero] = rotated[:, : zero.size]
    return values, vectors


def alphas(S, f):
    d = S.sum(axis=1)
    f_hat = np.sqrt(d) * f
    f_hat = f_hat / np.linalg.norm(f_hat)
    values, vectors = eigensystem(S)
    return values, vectors.T @ f_hat


def phi1(S, f, gamma):
    values, alpha = alphas(S, f)
    return np.sum(alpha**2 * gamma(values))


def phi2(S, f, gamma):
    values, alpha = alphas(S, f)
    return np.sum(alpha[1:] ** 2 * gamma(values[1:])) / np.sum(alpha[1:] ** 2)


def phi3(S, f, gamma, k):
    values, alpha = alphas(S, f)
    return np.sum((gamma(2.0) - gamma(values[1:k])) * alpha[1:k] ** 2)


def laplacian_score(S, f):
    """He, Cai and Niyogi's own formula."""
    D = np.diag(S.sum(axis=1))
    ones = np.ones(len(f))
    f_tilde = f - (f @ D @ ones) / (ones @ D @ ones) * ones
    return (f_tilde @ (D - S) @ f_tilde) / (f_tilde @ D @ f_tilde)


def knn_graph(X, k, weight):
    """Union of directed neighbours, ties to the lower index, weights from a function of the distance."""
    n = len(X)
    distance = np.array([[np.sqrt(np.sum((X[i] - X[j]) ** 2)) for j in range(n)] for i in range(n)])
    keep = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = sorted((j for j in range(n) if j != i), key=lambda j: (distance[i, j], j))
        keep[i, others[:k]] = True
    keep |= keep.T
    return np.where(keep, weight(distance, keep), 0.0), distance, keep

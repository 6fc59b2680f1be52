"""Random perturbations of graphs and features, for tests and for the figures in docs/robustness.md."""

from __future__ import annotations

import numpy as np


def random_laplacian(rng, n=12, *, repeated=False):
    """N of a random graph; of a complete graph or of two equal halves where eigenvalues are to be repeated."""
    if repeated:
        half = np.ones((n // 2, n // 2)) if rng.random() < 0.5 else rng.random((n // 2, n // 2))
        S = np.kron(np.eye(2), half + half.T)
    else:
        S = rng.random((n, n)) * (rng.random((n, n)) < 0.6)
        S = S + S.T + 0.01
    d = S.sum(axis=1)
    return np.eye(n) - S / np.sqrt(np.outer(d, d))


def random_perturbations(rng, count):
    """N, Ñ, f, f̃: every third one with repeated eigenvalues, from tiny to large noise."""
    for index in range(count):
        repeated = index % 3 == 0
        N, other = random_laplacian(rng, repeated=repeated), random_laplacian(rng, repeated=index % 6 == 0)
        amount = 10 ** rng.uniform(-6, 0)
        f = rng.normal(size=(12, 4))
        yield N, (1 - amount) * N + amount * other, f, f + 10 ** rng.uniform(-6, 0) * rng.normal(size=f.shape)

"""Tables without any relation to a sample graph: what a p-value must call nothing."""

import numpy as np
from scipy import sparse

#: families of features; those of few values or few non-zeros have atoms, where a p-value can only be too large
FAMILIES = ("normal", "lognormal", "rare counts", "few non-zeros", "binary", "uniform")
DISCRETE = ("rare counts", "few non-zeros", "binary")
GRAPHS = ("knn", "grid", "points")


def features(family, n, m, rng):
    """Draw m independent features of n exchangeable samples."""
    if family == "normal":
        return rng.normal(size=(n, m))
    if family == "lognormal":
        return rng.lognormal(sigma=1.0, size=(n, m))
    if family == "rare counts":
        return rng.negative_binomial(0.5, 0.5 / (0.5 + 0.2), size=(n, m)).astype(float)
    if family == "few non-zeros":
        X = np.zeros((n, m))
        for column, count in enumerate(rng.integers(5, 13, size=m)):
            X[rng.choice(n, count, replace=False), column] = rng.lognormal(size=count)
        return X
    if family == "binary":
        return (rng.random((n, m)) < rng.uniform(0.05, 0.5, size=m)).astype(float)
    return rng.random((n, m))


def graph(kind, n, rng):
    """Make a sparse similarity: weighted neighbours in ten dimensions, a grid, or neighbours of points in a plane."""
    from eigenselect.similarity import KNN

    if kind == "knn":
        return KNN(10).build(rng.normal(size=(n, 10))).affinity
    if kind == "points":
        return KNN(6, weight="binary").build(rng.random((n, 2))).affinity
    rows = int(np.sqrt(n))
    columns = -(-n // rows)
    place = np.arange(rows * columns).reshape(rows, columns)
    pairs = np.concatenate([
        np.stack([place[:, :-1].ravel(), place[:, 1:].ravel()]),
        np.stack([place[:-1].ravel(), place[1:].ravel()]),
    ], axis=1)  # fmt: skip
    pairs = pairs[:, (pairs < n).all(axis=0)]
    S = sparse.coo_array((np.ones(pairs.shape[1]), tuple(pairs)), shape=(n, n))
    return sparse.csr_array(S + S.T)

"""Small spatial slides, and I, C and their null distributions by the book."""

from itertools import permutations

import anndata
import numpy as np
import pandas as pd
from scipy import sparse


def weights(rng, n_cells, *, asymmetric=True, diagonal=True):
    """Weights of random neighbours; cell 0 has none, cell 1 is its own neighbour."""
    W = (rng.random((n_cells, n_cells)) < 6 / n_cells) * rng.random((n_cells, n_cells))
    W = W if asymmetric else W + W.T
    np.fill_diagonal(W, 0.0)
    W[0], W[:, 0] = 0.0, 0.0
    W[1, 1] = 1.5 * diagonal
    return W


def slide(n_cells=60, n_genes=8, seed=0, layout=sparse.csr_matrix, **options):
    """Counts without structure: gene 2 is constant, gene 3 is in one cell, gene 4 follows the first of the others."""
    rng = np.random.default_rng(seed)
    W = weights(rng, n_cells, **options)
    X = rng.poisson(0.7, size=(n_cells, n_genes)).astype(float)
    X[:, 2], X[:, 3] = 0.0, 0.0
    X[5, 3] = 2.0
    var = pd.DataFrame(index=[f"gene{j}" for j in range(n_genes)])
    obs = pd.DataFrame({"depth": X.sum(axis=1), "type": ["a", "b"] * (n_cells // 2)}, index=map(str, range(n_cells)))
    adata = anndata.AnnData(layout(X), obs=obs, var=var, obsp={"spatial_connectivities": sparse.csr_matrix(W)})
    adata.obsm["place"] = rng.random((n_cells, 3))
    return adata


def row_normalised(W):
    sums = W.sum(axis=1, keepdims=True)
    return np.divide(W, sums, out=np.zeros_like(W), where=sums > 0)


def moran(W, x):
    z = x - x.mean()
    return len(x) / W.sum() * (z @ W @ z) / (z @ z)


def geary(W, x):
    z = x - x.mean()
    return (len(x) - 1) * np.sum(W * (x[:, None] - x[None, :]) ** 2) / (2 * W.sum() * (z @ z))


def of_all_orders(statistic, W, x):
    """The statistic of every order of the values."""
    return np.array([statistic(W, x[list(order)]) for order in permutations(range(len(x)))])

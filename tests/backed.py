"""Small tables in files, treated as if they were large."""

import warnings

import anndata
import numpy as np
import pandas as pd
from scipy import sparse

#: what a matrix of an AnnData may be; integers and booleans become float64, float32 stays
LAYOUTS = {"dense": np.asarray, "csr": sparse.csr_matrix, "csc": sparse.csc_matrix}


def counts(n_cells=40, n_genes=14, seed=0, rate=0.4):
    """Counts of two classes of cells, one gene in none of them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_cells) % 2
    X = rng.poisson(rate + np.outer(y, np.linspace(0, 2, n_genes))).astype(float)
    X[:, 3] = 0.0
    return X, y


def annotated(X):
    """An AnnData with names of cells and genes that sort unlike their places."""
    n_cells, n_genes = X.shape
    obs = pd.DataFrame(index=[f"cell{n_cells - i}" for i in range(n_cells)])
    return anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=[f"g{7 * j % 100}" for j in range(n_genes)]))


def in_file(path, X, mode="r", **how):
    """An AnnData that is backed by a new file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        annotated(X).write_h5ad(path, **how)
    return anndata.read_h5ad(path, backed=mode)


def as_if_large(monkeypatch, *, band=1500, read=600):
    """Let files of more than a few bytes count as large: they are read some hundred bytes at a time."""
    monkeypatch.setattr("eigenselect.matrix.backed.band_bytes", lambda: 16)
    monkeypatch.setattr("eigenselect.matrix.bands.band_bytes", lambda: band)
    monkeypatch.setattr("eigenselect.matrix.scratch.band_bytes", lambda: band)
    monkeypatch.setattr("eigenselect.matrix.stored.read_bytes", lambda: read)

"""An AnnData with everything that one can hold, and what of a file must not change."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

N, P = 7, 5


def rich(seed=0):
    """Every kind of part: dense and sparse, text and categories, tables, nullable columns, raw."""
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.0, size=(N, P))
    obs = pd.DataFrame(
        {"class": pd.Categorical(list("uvuvuvu")), "depth": rng.normal(size=N), "note": [f"n{i}" for i in range(N)]},
        index=[f"c{i}" for i in range(N)],
    )
    var = pd.DataFrame(
        {
            "kind": pd.Categorical(["x", "y", None, "x", "y"]),
            "mean": counts.mean(axis=0).astype(np.float32),
            "ok": [True, False, True, True, False],
            "whole": pd.array([1, None, 3, 4, 5], dtype="Int64"),
            "text": list("pqrst"),
        },
        index=pd.Index([f"g{j}" for j in range(P)], name="gene"),
    )
    data = anndata.AnnData(sparse.csr_matrix(counts.astype(np.float32)), obs, var)
    data.layers["counts"] = counts
    data.layers["columns"] = sparse.csc_matrix(counts * 0.5)
    data.obsm["X_pca"] = rng.normal(size=(N, 2))
    data.obsp["connectivities"] = sparse.csr_matrix(np.eye(N)[::-1])
    data.varm["PCs"] = rng.normal(size=(P, 2))
    data.varm["table"] = pd.DataFrame({"a": rng.normal(size=P), "b": list("vwxyz")}, index=var.index)
    data.varm["thin"] = sparse.csr_matrix(np.eye(P)[:, :3])
    data.varp["dense"] = rng.normal(size=(P, P))
    data.varp["thin"] = sparse.csr_matrix(np.triu(rng.poisson(1.0, size=(P, P)).astype(float)))
    data.uns["neighbors"] = {"params": {"n_neighbors": 3, "method": "umap"}, "names": np.array(["a", "b"])}
    more = pd.DataFrame({"length": np.arange(8)}, index=[f"r{j}" for j in range(8)])
    data.raw = anndata.AnnData(sparse.csr_matrix(rng.poisson(1.0, size=(N, 8)).astype(float)), obs, more)
    return data


def written(path, data, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data.write_h5ad(path, **how)
    return str(path)


def stored(path, skip=()):
    """Every dataset and attribute of a file: types, storage and the bytes of its values, by name."""
    import h5py

    found = {}

    def look(name, node):
        if any(name == part or name.startswith(f"{part}/") for part in skip):
            return
        attributes = {
            key: (np.asarray(value).dtype.kind, np.asarray(value).tolist()) for key, value in node.attrs.items()
        }
        if isinstance(node, h5py.Dataset):
            storage = (node.dtype.str, node.shape, node.chunks, node.compression, node.maxshape)
            values = node[()]
            content = np.asarray(values).tolist() if node.dtype.kind == "O" else np.asarray(values).tobytes()
            found[name] = (attributes, storage, content)
        else:
            found[name] = (attributes,)

    with h5py.File(path, "r") as file:
        look("/", file)
        file.visititems(look)
    return found

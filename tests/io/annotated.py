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
        plain = {
            key: node.file[value].name if isinstance(value, h5py.Reference) else value
            for key, value in node.attrs.items()
        }
        attributes = {key: (np.asarray(value).dtype.kind, np.asarray(value).tolist()) for key, value in plain.items()}
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


def as_of_0_7(path):
    """Rewrite a file as anndata 0.7 stored it: categories beside the columns, which name them by references.

    Attributes of sparse matrices have the names of the versions before.
    """
    import h5py

    with h5py.File(path, "r+") as file:
        for frame in (file["obs"], file["var"]):
            for name in [name for name in frame if "categories" in frame[name]]:
                codes, categories = frame[name]["codes"][()], frame[name]["categories"].asstr()[()]
                del frame[name]
                kept = frame.require_group("__categories").create_dataset(
                    name, data=categories.astype(object), dtype=h5py.string_dtype()
                )
                kept.attrs["ordered"] = False
                frame.create_dataset(name, data=codes).attrs["categories"] = kept.ref
            frame.attrs["encoding-version"] = "0.1.0"
        X = file["X"]
        X.attrs["h5sparse_format"], X.attrs["h5sparse_shape"] = "csr", X.attrs["shape"]
        for name in ("encoding-type", "encoding-version", "shape"):
            del X.attrs[name]
        for part in ("", "raw", "layers", "obsm", "obsp", "uns", "varm", "varp"):
            for name in [name for name in ("encoding-type", "encoding-version") if name in file[part or "/"].attrs]:
                del file[part or "/"].attrs[name]
    return path


def of_records(path, X):
    """Write a file as before anndata 0.7: obs and var are arrays of records, and raw stands beside them."""
    import h5py

    with h5py.File(path, "w") as file:
        file["X"], file["raw.X"] = X, X + 1
        file["obs"] = np.array([(b"a", 1.0), (b"b", 2.0)], dtype=[("index", "S1"), ("y", "f8")])
        file["var"] = np.array([(b"g1",), (b"g2",), (b"g3",)], dtype=[("index", "S2")])
        file["raw.var"] = np.array([(b"r1",), (b"r2",), (b"r3",)], dtype=[("index", "S2")])
    return str(path)


def same(found, expected):
    """Equal in values, type and storage; categories that anndata drops as unused may stay."""
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_categorical=False)
    elif sparse.issparse(expected):
        assert found.format == expected.format
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.toarray(), expected.toarray())
    else:
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def same_tables(found, expected):
    """All parts of two AnnData but uns and raw."""
    same(found.X, expected.X)
    same(found.var, expected.var)
    pd.testing.assert_frame_equal(found.obs, expected.obs)  # with the order of categories
    for name in ("layers", "varm", "varp", "obsm", "obsp"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert set(ours) == set(theirs)
        for key in theirs:
            same(ours[key], theirs[key])

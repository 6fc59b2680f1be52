"""Tables and files that the tests of readers and writers share."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat

from damage import Damage
from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.io.writers import column_names, table_bytes

MB = 1_000_000
NAMES = list("abcdef")
LABELS = np.array(list("uv") * 6)
SPARSE_LAYOUTS = ("csr", "csc", "coo")


def values():
    return np.random.default_rng(0).normal(size=(12, 6))


def thinned():
    return np.maximum(values(), 0)


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def save(folder, content, name="t.csv"):
    """Write text or bytes to a file; return its path as text."""
    path = Path(folder, name)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def refuses(path, keyword, read=read_table, **how):
    """Check that a file is refused in one printable line that has the keyword."""
    try:
        read(str(path), **how)
    except InputError as error:
        said = str(error)
        assert keyword in said, f"{keyword!r} is not in {said!r}"
        assert said.isprintable(), said
    else:
        pytest.fail(f"not refused: {keyword!r}, {path}, {how}")


def save_frame(path, frame, features=(), index=None):
    """Write a table of columns in the format of the ending: features, and text of the samples beside them."""
    kind, others = path.suffix[1:], [name for name in frame if name not in features]
    indexed = frame.set_index(index) if index else frame
    X = frame[list(features)].to_numpy() if features else np.ones((len(frame), 1))
    text = str if kind == "npz" else object
    arrays = {"X": X, "feature_names": np.array(features, dtype=text)} if features else {}
    arrays |= {name: frame[name].to_numpy(text) for name in others}
    if kind in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="," if kind == "csv" else "\t")
    elif kind == "xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(path, index=False)
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        indexed.to_parquet(path)
    elif kind == "h5ad":
        obs = indexed.drop(columns=list(features)).rename(index=str if index else "cell{}".format)
        save_h5ad(path, X, obs, pd.DataFrame(index=list(features) or ["x"]))
    else:
        (np.savez(path, **arrays) if kind == "npz" else savemat(path, arrays))
    return str(path)


def save_h5ad(path, X, obs=None, var=None, **parts):
    anndata = pytest.importorskip("anndata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata.AnnData(X, obs, var, **parts).write_h5ad(path)
    return str(path)


def h5ad_bytes(path, X):
    obs = pd.DataFrame({"y": LABELS}, index=[f"c{i}" for i in range(12)])
    save_h5ad(path, X, obs, pd.DataFrame(index=NAMES))
    return path.read_bytes()


def written(table, ending="csv"):
    return table_bytes(table, ending, column_names(table, ending, samples=None, label=None))


def n_refused(path, read, n_variants, seed=0):
    """Damage a file again and again; count how often its reader refuses it. Any other error than ours is a failure."""
    content, rng, refused = path.read_bytes(), np.random.default_rng(seed), 0
    for _ in range(n_variants):
        path.write_bytes(Damage(rng).of("t.npz", content) or b"x")
        try:
            read(str(path))
        except InputError:
            refused += 1
    path.write_bytes(content)
    return refused

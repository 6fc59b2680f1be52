"""Big tables: tables in files, of more bands than are kept in memory, against the same table in memory.

The promise is about memory: all that is in memory of a file at a time is less than scikit-learn's ``working_memory``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from scipy import sparse

from cases import Case, Goal
from data import Store
from eigenselect import LaplacianScore
from measure import Job, Work

#: scikit-learn's working_memory in MB: an eighth of it is a band, and the table has more than ten
WORKING_MEMORY = 256
#: kinds of files, and what rows call them
KINDS = {
    "h5": "CSR by rows in HDF5 (12 % non-zero)",
    "zarr": "CSR by rows in zarr (12 % non-zero)",
    "dense": "float32 by rows in HDF5 (half of the samples)",
}


def cases(store: Store) -> Iterator[Case]:
    """Yield for each kind of file its time against the table in memory, and its peak memory."""
    n_samples, n_features = (20_000, 500) if store.quick else (200_000, 2000)
    path = _written(store, n_samples, n_features)
    size = f"{n_samples} × {n_features}"
    limit = None if store.quick else float(WORKING_MEMORY)
    for kind, name in KINDS.items():
        for method in ("Laplacian score", "p-values") if kind == "h5" else ("Laplacian score",):
            there, held = Job(in_file, (path, kind, method)), Job(in_memory, (path, kind, method))
            title = f"{method} of {name}, {size}, given graph"
            yield Case(title, "the same in memory", there, held, Goal("cost"), True)
            yield Case(f"{title}: peak memory, MB", "working_memory", there, None, Goal("memory", limit))


def in_file(path: Path, kind: str, method: str) -> Work:
    """Fit on the file, with bands of an eighth of `WORKING_MEMORY`."""

    def call() -> Any:
        with sklearn.config_context(working_memory=WORKING_MEMORY):
            return _fitted(_opened(path, kind), path, method)

    return Work(call, warm_up=lambda: _fitted(_small(kind), path, method), sampled=True)


def in_memory(path: Path, kind: str, method: str) -> Work:
    """Fit on the table, which is in memory before."""
    there = _opened(path, kind)
    if hasattr(there, "keys"):
        parts = tuple(there[name][...] for name in ("data", "indices", "indptr"))
        X: Any = sparse.csr_array(parts, shape=tuple(there.attrs["shape"]))
    else:
        X = there[...]
    return Work(lambda: _fitted(X, path, method), warm_up=lambda: _fitted(_small(kind), path, method))


def _fitted(X: Any, path: Path, method: str) -> Any:
    n_samples = int((X.attrs["shape"] if hasattr(X, "keys") else X.shape)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = LaplacianScore(10, significance="given" if method == "p-values" else None)
        return selector.fit(X, similarity_matrix=_ring(n_samples)).scores_


def _small(kind: str) -> Any:
    """A table that compiles what the large one needs."""
    small = sparse.random_array((2000, 3000), density=0.1, dtype=np.float32, format="csr", rng=0)
    return small.toarray() if kind == "dense" else small


def _ring(n_samples: int) -> sparse.csr_array:
    """Every sample and the five after it."""
    ones = [np.ones(n_samples - step) for step in range(1, 6)]
    half = sparse.diags_array(ones, offsets=list(range(1, 6)), shape=(n_samples, n_samples))
    return sparse.csr_array(half + half.T)


def _opened(path: Path, kind: str) -> Any:
    if kind != "zarr":
        import h5py

        return h5py.File(path.with_suffix(".h5"), "r")["X" if kind == "h5" else "dense"]
    import zarr

    return zarr.open_group(str(path.with_suffix(".zarr")), mode="r")


def _written(store: Store, n_samples: int, n_features: int) -> Path:
    """Write seeded counts, block by block, to an HDF5 group and a zarr group."""
    import h5py
    import zarr

    path, step = store.folder / "stored", 10_000
    blocks = [
        sparse.random_array((step, n_features), density=0.12, dtype=np.float32, format="csr", rng=seed)
        for seed in range(n_samples // step)
    ]
    X = sparse.vstack(blocks, format="csr")
    X.sort_indices()
    attributes = {"encoding-type": "csr_matrix", "shape": [n_samples, n_features]}
    with h5py.File(path.with_suffix(".h5"), "w") as file:
        group = file.create_group("X")
        group.attrs.update(attributes)
        for name in ("data", "indices", "indptr"):
            group.create_dataset(name, data=getattr(X, name), chunks=True)
        half = n_samples // 2
        dense = file.create_dataset("dense", shape=(half, n_features), dtype="f4", chunks=(1000, n_features))
        for start in range(0, half, step):
            dense[start : start + step] = X[start : start + step].toarray()
    root = zarr.open_group(str(path.with_suffix(".zarr")), mode="w")
    root.attrs.update(attributes)
    for name in ("data", "indices", "indptr"):
        root.create_array(name, data=getattr(X, name), chunks=(2**18,))
    store.sources["stored"] = (
        f"synthetic: {n_samples} x {n_features}, 12 % non-zero, float32, seeds of every 10 000 rows"
    )
    return path

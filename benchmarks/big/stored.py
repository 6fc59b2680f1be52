"""Big tables: tables in files, of more bands than are kept in memory, against the same table in memory."""

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


def cases(store: Store) -> Iterator[Case]:
    """Yield for each kind of file its time against the table in memory, and its peak memory."""
    n_samples, n_features = (20_000, 500) if store.quick else (200_000, 2000)
    path = _written(store, n_samples, n_features)
    size = f"{n_samples} × {n_features}, 12 % non-zero, given graph"
    for kind in ("h5", "zarr"):
        there, held = Job(in_file, (path, kind)), Job(in_memory, (path,))
        title = f"Laplacian score of CSR by rows in {'HDF5' if kind == 'h5' else 'zarr'}, {size}"
        yield Case(title, "the same in memory", there, held, Goal("cost"), True)
        limit = None if store.quick else float(WORKING_MEMORY)
        yield Case(f"{title}: peak memory, MB", "working_memory", there, None, Goal("memory", limit))


def in_file(path: Path, kind: str) -> Work:
    """Fit on the file, with bands of an eighth of `WORKING_MEMORY`."""

    def call() -> Any:
        with sklearn.config_context(working_memory=WORKING_MEMORY):
            return _fitted(_opened(path, kind), path)

    return Work(call, warm_up=lambda: _fitted(_small(), path), sampled=True)


def in_memory(path: Path) -> Work:
    """Fit on the table, which is in memory before."""
    group = _opened(path, "h5")
    parts = (group[name][...] for name in ("data", "indices", "indptr"))
    X = sparse.csr_array(tuple(parts), shape=tuple(group.attrs["shape"]))
    return Work(lambda: _fitted(X, path), warm_up=lambda: _fitted(_small(), path))


def _fitted(X: Any, path: Path) -> Any:
    n_samples = int((X.attrs["shape"] if hasattr(X, "keys") else X.shape)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LaplacianScore(10).fit(X, similarity_matrix=_ring(n_samples)).scores_


def _small() -> sparse.csr_array:
    """A table that compiles what the large one needs."""
    return sparse.random_array((2000, 3000), density=0.1, dtype=np.float32, format="csr", rng=0)


def _ring(n_samples: int) -> sparse.csr_array:
    """Every sample and the five after it."""
    ones = [np.ones(n_samples - step) for step in range(1, 6)]
    half = sparse.diags_array(ones, offsets=list(range(1, 6)), shape=(n_samples, n_samples))
    return sparse.csr_array(half + half.T)


def _opened(path: Path, kind: str) -> Any:
    if kind == "h5":
        import h5py

        return h5py.File(path.with_suffix(".h5"), "r")["X"]
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
    root = zarr.open_group(str(path.with_suffix(".zarr")), mode="w")
    root.attrs.update(attributes)
    for name in ("data", "indices", "indptr"):
        root.create_array(name, data=getattr(X, name), chunks=(2**18,))
    store.sources["stored"] = (
        f"synthetic: {n_samples} x {n_features}, 12 % non-zero, float32, seeds of every 10 000 rows"
    )
    return path

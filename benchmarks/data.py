"""The tables and graphs that both sides of a benchmark get, as files that child processes load."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import io, sparse

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
BASEHOCK_SHAPE = (1993, 4862)
WIDE_SHAPE = (2000, 20_000)
MAPPED_SHAPE = (2000, 200_000)
GENES_SHAPE = (100, 8000)
SPATIAL_SHAPE = (50_000, 5000)
SPATIAL_NEIGHBORS = 15
N_TERMS = 65
NEIGHBORS = 10
LABELLED_SHAPES = {"madelon": (2600, 500), "COIL20": (1440, 1024), "pixraw10P": (100, 10_000), "PCMAC": (1943, 3289),
    "orlraws10P": (100, 10_304), "TOX-171": (171, 5748)}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """Where a table, its labels and its graph are stored; small, so that it can be sent to a child process.

    Attributes
    ----------
    name : str
    features, graph, labels : Path
        A dense ``.npy``, a CSR ``.npz`` and a ``.npy``.
    columns : int, optional
        Only the first so many columns are used.
    """

    name: str
    features: Path
    graph: Path
    labels: Path
    columns: int | None = None

    def X(self) -> NDArray[Any]:
        """The dense features, C-ordered and in memory."""
        return np.ascontiguousarray(np.load(self.features)[:, : self.columns])

    def S(self) -> sparse.csr_array:
        return sparse.csr_array(sparse.load_npz(self.graph))

    def y(self) -> NDArray[Any]:
        return np.load(self.labels)


@dataclass(frozen=True)
class Spatial:
    """Where the sparse counts of cells and their graph are stored."""

    counts: Path
    graph: Path

    def X(self) -> sparse.csr_array:
        return sparse.csr_array(sparse.load_npz(self.counts))

    def S(self) -> sparse.csr_array:
        return sparse.csr_array(sparse.load_npz(self.graph))


class Store:
    """Makes each table when it is first asked for, in a folder that the caller deletes.

    Graphs are built once, here, so that no side pays for one or gets another one than its rival.
    """

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self.folder, self.quick = folder, quick
        #: where each table came from, for the report
        self.sources: dict[str, str] = {}
        self._tables: dict[str, Table] = {}
        self._spatial: Spatial | None = None

    def basehock(self, columns: int | None = None) -> Table:
        """Word counts of two newsgroups as float64: the published table, or a synthetic one of its shape."""
        if "BASEHOCK" not in self._tables:
            X, y, self.sources["BASEHOCK"] = _basehock()
            self._tables["BASEHOCK"] = self._stored("BASEHOCK", X, y)
        return self._first_columns("BASEHOCK", columns)

    def wide(self) -> Table:
        if "wide" not in self._tables:
            self.sources["wide"] = "synthetic: 10 clusters with normal noise, float64, seed 0"
            X, y = clusters(np.random.default_rng(0), *WIDE_SHAPE)
            self._tables["wide"] = self._stored("wide", X, y)
        return self._first_columns("wide", None)

    def labelled(self, name: str) -> Table:
        """One of the published labelled tables as float64, or clusters of its shape."""
        if name not in self._tables:
            path = SHARED_DATA / f"{name}.mat"
            if path.exists():
                content = io.loadmat(path)
                X, y = content["X"], content["Y"].ravel()
                X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64)
                self.sources[name] = f"real data: shared/data/{path.name}, as float64"
            else:
                X, y = clusters(np.random.default_rng(4), *LABELLED_SHAPES[name])
                self.sources[name] = f"SYNTHETIC clusters of the same shape (no {path}), seed 4"
            self._tables[name] = self._stored(name, np.ascontiguousarray(X), np.unique(y, return_inverse=True)[1])
        return self._first_columns(name, None)

    def spatial(self) -> Spatial:
        """Sparse counts of many cells at random places, and the symmetrised graph of their 15 neighbours."""
        if self._spatial is None:
            n_samples, n_features = (5000, 500) if self.quick else SPATIAL_SHAPE
            self.sources["spatial"] = (
                f"synthetic: {n_samples} cells x {n_features} genes, 5 % non-zero counts, float32; binary graph of 15 "
                "neighbours of random points in a plane, seed 8"
            )
            self._spatial = Spatial(self.folder / "spatial_X.npz", self.folder / "spatial_S.npz")
            X, S = _spatial_counts(np.random.default_rng(8), n_samples, n_features)
            sparse.save_npz(self._spatial.counts, X, compressed=False)
            sparse.save_npz(self._spatial.graph, S, compressed=False)
        return self._spatial

    def mapped(self) -> Path:
        """A raw C-ordered float32 file of n × m, written in blocks of rows."""
        n_samples, n_features = self.mapped_shape
        path = self.folder / "mapped.f32"
        self.sources["mapped"] = (
            f"synthetic: 10 clusters with normal noise, float32, {n_samples} × {n_features}, seed 1"
        )
        rng = np.random.default_rng(1)
        centres = rng.standard_normal((10, n_features), dtype=np.float32)
        with path.open("wb") as file:
            for start in range(0, n_samples, 100):
                block = rng.standard_normal((min(100, n_samples - start), n_features), dtype=np.float32)
                block += centres[np.arange(start, start + len(block)) % 10]
                file.write(block.tobytes())
        return path

    @property
    def mapped_shape(self) -> tuple[int, int]:
        return (MAPPED_SHAPE[0], MAPPED_SHAPE[1] // 10) if self.quick else MAPPED_SHAPE

    def csv(self, columns: int = 1000, digits: int = 6, rows: int = 100) -> Path:
        """A table as text, with a header."""
        path = self.folder / f"table_{rows}_{columns}_{digits}.csv"
        self.sources[f"csv of {columns} columns"] = f"synthetic: {rows} × {columns}, {digits} digits, seed 2"
        X, _ = clusters(np.random.default_rng(2), rows, columns)
        header = ",".join(f"feature_{j}" for j in range(X.shape[1]))
        np.savetxt(path, X, delimiter=",", header=header, comments="", fmt=f"%.{digits}g")
        return path

    def _stored(self, name: str, X: NDArray[Any], y: NDArray[Any]) -> Table:
        from eigenselect.similarity import KNN

        stem = self.folder / name
        table = Table(name, Path(f"{stem}_X.npy"), Path(f"{stem}_S.npz"), Path(f"{stem}_y.npy"))
        np.save(table.features, X)
        np.save(table.labels, y)
        sparse.save_npz(table.graph, KNN(NEIGHBORS).build(X).affinity, compressed=False)
        return table

    def _first_columns(self, name: str, columns: int | None) -> Table:
        return replace(self._tables[name], columns=columns)


def annotated_genes(seed: int = 5) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Expression of 8000 genes in 100 samples, and 65 terms of which each gene has some, as in GO slim."""
    rng = np.random.default_rng(seed)
    X, _ = clusters(rng, *GENES_SHAPE)
    share = rng.beta(0.5, 4.0, size=N_TERMS)
    return X, (rng.random((GENES_SHAPE[1], N_TERMS)) < share).astype(np.float64)


def clusters(rng: np.random.Generator, n_samples: int, n_features: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Samples around 10 centres, so that a neighbour graph has something to find."""
    y = np.arange(n_samples) % 10
    X = rng.standard_normal((n_samples, n_features))
    X += rng.standard_normal((10, n_features))[y]
    return X, y


def _spatial_counts(
    rng: np.random.Generator, n_samples: int, n_features: int
) -> tuple[sparse.csr_array, sparse.csr_array]:
    from eigenselect.similarity import KNN

    S = KNN(SPATIAL_NEIGHBORS, weight="binary").build(rng.random((n_samples, 2))).affinity
    X = sparse.random_array((n_samples, n_features), density=0.05, format="csr", dtype=np.float32, rng=rng)
    X.data = (1 + rng.poisson(1.0, size=X.nnz)).astype(np.float32)
    return X, S


def _basehock() -> tuple[NDArray[np.float64], NDArray[Any], str]:
    path = SHARED_DATA / "BASEHOCK.mat"
    if path.exists():
        content = io.loadmat(path)
        X = content["X"].toarray() if sparse.issparse(content["X"]) else content["X"]
        return X.astype(np.float64), content["Y"].ravel(), f"real data: shared/data/{path.name}, as float64"
    X, y = _counts(np.random.default_rng(3), *BASEHOCK_SHAPE)
    return X, y, f"SYNTHETIC counts of the same shape and density (no {path}), seed 3"


def _counts(rng: np.random.Generator, n_samples: int, n_features: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Word counts of two topics, 1 % non-zero; every sample has a word."""
    y = np.arange(n_samples) % 2
    rates = 0.01 * rng.exponential(size=(2, n_features))
    X = rng.poisson(rates[y]).astype(np.float64)
    X[np.arange(n_samples), rng.integers(n_features, size=n_samples)] += 1
    return X, y

"""The public calls that `differential.py` compares, and the process that runs them.

A call is a few lines of Python, drawn from a seed and a number by the rules below: ``call(seed, number)`` gives the
same text everywhere. The text ends by setting ``result``. To run one by hand, in a folder that may be written to:
``PYTHONPATH=CHECKOUT/src:CHECKOUT/benchmarks python -c "from differential_calls import *; …"``.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import random
import re
import runpy
import shlex
import sys
import tempfile
import time
import warnings
import zipfile
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import anndata
import dask.array as da
import h5py
import numpy as np
import pandas as pd
import polars as pl
import zarr
from scipy import io as scipy_io
from scipy import sparse

import eigenselect as es  # noqa: F401 - for the calls

#: seconds after which a call counts as one that does not end
LIMIT = 300
#: numbers of an array that are kept; of longer ones, as many at equal distances
KEPT = 1000
#: entries of results that tell of the run and not of the data
OF_THE_RUN = ("date", "versions", "seconds")


# -- what calls are given ----------------------------------------------------------------------------

#: changes of a table of normal numbers, each of which is hard for some method
TABLES: dict[str, Any] = {
    "plain": lambda X, rng: X,
    "ties": lambda X, rng: np.round(X),
    "duplicates": lambda X, rng: X[rng.integers(0, len(X) // 3 + 1, len(X))],
    "constant columns": lambda X, rng: np.where(np.arange(X.shape[1]) % 3 == 1, 2.5, X),
    "copies": lambda X, rng: X[:, rng.integers(0, X.shape[1] // 2 + 1, X.shape[1])],
    "shifted": lambda X, rng: X + 1e6,
    "outlier": lambda X, rng: X + 1e4 * (np.arange(X.size).reshape(X.shape) == X.size // 2),
    "counts": lambda X, rng: rng.poisson(np.exp(X - 1)).astype(float),
    "two values": lambda X, rng: (X > 0.5).astype(float),
    "tiny": lambda X, rng: X * 1e-9,
    "large": lambda X, rng: X * 1e9,
    "units": lambda X, rng: X * 10.0 ** rng.integers(-6, 7, X.shape[1]),
    "zeros": lambda X, rng: np.where(X > 0.5, X, 0.0),
    "empty samples": lambda X, rng: np.where(np.arange(len(X))[:, None] % 7 == 3, 0.0, np.abs(X)),
    "components": lambda X, rng: X + 100.0 * (np.arange(len(X)) % 3)[:, None],
    "equal samples": lambda X, rng: np.ones_like(X),
    "missing": lambda X, rng: np.where(np.arange(X.size).reshape(X.shape) == 5, np.nan, X),
}


def table(kind: str, n: int, p: int, seed: int) -> np.ndarray:
    """Make a table in which some features differ between two halves of the samples."""
    rng = np.random.default_rng([seed, n, p])
    X = rng.normal(size=(n, p))
    X[: n // 2, : p // 3 + 1] += 2.0
    return np.asarray(TABLES[kind](X, rng))


def named(X: np.ndarray) -> pd.DataFrame:
    """Give samples and features names."""
    return pd.DataFrame(X, index=[f"s{i}" for i in range(len(X))], columns=[f"f{j}" for j in range(X.shape[1])])


def annotated(X: Any) -> anndata.AnnData:
    """Make an AnnData with the names of `named`."""
    frame = named(np.empty(X.shape, dtype=bool))
    return anndata.AnnData(X, obs=pd.DataFrame(index=frame.index), var=pd.DataFrame(index=frame.columns))


def memory_map(X: np.ndarray) -> np.ndarray:
    np.save("x.npy", X)
    return np.load("x.npy", mmap_mode="r")


def hdf5(X: np.ndarray) -> Any:
    with h5py.File("x.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(min(7, len(X)), min(5, X.shape[1])))
    return h5py.File("x.h5", "r")["X"]


def backed(X: Any) -> anndata.AnnData:
    annotated(X).write_h5ad("x.h5ad")
    return anndata.read_h5ad("x.h5ad", backed="r")


#: how `fit` may be given a table
STORAGES: dict[str, Any] = {
    "rows": lambda X: X,
    "columns": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "int": lambda X: np.round(X).astype(np.int64),
    "int8": lambda X: np.clip(np.round(X), -100, 100).astype(np.int8),
    "bool": lambda X: X > 0,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "pandas": named,
    "polars": lambda X: pl.DataFrame(X, schema=[f"f{j}" for j in range(X.shape[1])]),
    **{kind: getattr(sparse, kind) for kind in ("csr_array", "csc_array", "coo_array", "csr_matrix", "csc_matrix")},
    **{kind: getattr(sparse, kind) for kind in ("lil_array", "dok_array", "dia_array", "bsr_array", "coo_matrix")},
    "memory map": memory_map,
    "hdf5": hdf5,
    "zarr": lambda X: zarr.create_array("x.zarr", data=X, chunks=(min(9, len(X)), min(4, X.shape[1]))),
    "anndata": annotated,
    "anndata csr": lambda X: annotated(sparse.csr_matrix(X)),
    "backed": backed,
    "backed csr": lambda X: backed(sparse.csr_matrix(X)),
    "backed csc": lambda X: backed(sparse.csc_matrix(X)),
    "dask rows": lambda X: da.from_array(X, chunks=(7, -1)),
    "dask columns": lambda X: da.from_array(X, chunks=(-1, 5)),
    "dask csr": lambda X: da.from_array(X, chunks=(7, -1)).map_blocks(sparse.csr_matrix, dtype=X.dtype),
}


def stored(X: np.ndarray, storage: str) -> Any:
    """Put a table into a storage; files go to the present folder."""
    return STORAGES[storage](X)


def target(kind: str, n: int, seed: int) -> Any:
    """Make labels or numbers of the samples."""
    rng = np.random.default_rng([seed, n])
    codes = (np.arange(n) < n // 2) + rng.integers(0, 2, n)
    made: dict[str, Any] = {
        "classes": codes,
        "halves": (np.arange(n) < n // 2).astype(int),
        "text": np.array(["a", "b", "c"])[codes],
        "category": pd.Series(pd.Categorical(np.array(["u", "v", "w"])[codes]), index=[f"s{i}" for i in range(n)]),
        "numbers": codes + rng.normal(size=n),
        "whole": rng.integers(0, 10 * n, n),
        "missing": np.where(rng.random(n) < 0.4, np.nan, codes),
        "none": np.where(rng.random(n) < 0.4, None, np.array(["a", "b", "c"])[codes]),
        "minus one": np.where(rng.random(n) < 0.4, -1, codes),
        "rare": np.where(np.arange(n) == 3, 7, codes),
        "one": np.zeros(n, dtype=int),
        "absent": None,
    }
    return made[kind]


def weights(kind: str, n: int, seed: int) -> Any:
    """Make a similarity matrix of the samples."""
    rng = np.random.default_rng([seed, n, 1])
    if kind == "band":
        values = rng.random((24, n)) * (rng.random((24, n)) < 0.9)
        W = sparse.diags_array(values, offsets=range(1, 25), shape=(n, n), format="csr")
        W.eliminate_zeros()
        return W + W.T
    W = rng.random((n, n)) * (rng.random((n, n)) < 0.4) + np.eye(n, k=1)
    W = W + W.T
    if kind == "components":
        W = W * (np.arange(n)[:, None] % 2 == np.arange(n) % 2)
    if kind == "isolated":
        W[::5], W[:, ::5] = 0.0, 0.0
    if kind == "ring":
        W = np.roll(np.eye(n), 1, axis=1) + np.roll(np.eye(n), -1, axis=1)
    if kind == "directed":
        W = np.triu(W)
    if kind == "signed":
        W[W > 1.2] *= -1
    return sparse.csr_array(W) if kind in ("sparse", "isolated", "directed") else W


def cells(X: Any, n: int, p: int, seed: int) -> anndata.AnnData:
    """Make an AnnData as single-cell programs leave it: labels, batches, places, graphs, a layer and raw counts."""
    data, rng = annotated(X), np.random.default_rng([seed, n, 2])
    data.obs["type"] = pd.Categorical(target("text", n, seed))
    data.obs["batch"] = pd.Categorical(np.array(["one", "two"])[np.arange(n) % 2])
    data.obs["depth"] = rng.gamma(3.0, size=n)
    data.obs["some"] = pd.Categorical(target("none", n, seed))
    data.obsm["spatial"], data.obsm["X_pca"] = rng.normal(size=(n, 2)), rng.normal(size=(n, 4))
    data.layers["counts"] = table("counts", n, p, seed)
    data.raw = data.copy()
    for name, kind in {"connectivities": "sparse", "spatial_connectivities": "isolated", "way": "directed"}.items():
        data.obsp[name] = sparse.csr_matrix(weights(kind, n, seed))
    recorded = {"connectivities_key": "connectivities", "params": {"n_neighbors": 5, "method": "umap"}}
    data.uns["neighbors"] = recorded
    return data


# -- files -------------------------------------------------------------------------------------------


def _arrays(X: np.ndarray, y: Any) -> dict[str, Any]:
    return {"X": X, "class": y, "feature_names": np.array([f"f{j}" for j in range(X.shape[1])])}


def _frame(X: np.ndarray, y: Any) -> pd.DataFrame:
    return named(X).assign(**{"class": y}).rename_axis("id").reset_index()


def _mat(path: str, X: np.ndarray, y: Any) -> None:
    scipy_io.savemat(path, _arrays(X, y))
    with open(path, "r+b") as file:
        file.write(b"MATLAB 5.0 MAT-file".ljust(116))  # without its date


def _xlsx(path: str, X: np.ndarray, y: Any) -> None:
    _frame(X, y).to_excel("dated.xlsx", index=False)
    with zipfile.ZipFile("dated.xlsx") as dated, zipfile.ZipFile(path, "w") as file:
        for name in dated.namelist():
            text = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2000-01-01T00:00:00Z", dated.read(name))
            file.writestr(zipfile.ZipInfo(name), text)


def _h5ad(path: str, X: np.ndarray, y: Any) -> None:
    made = cells(X, *X.shape, 0)
    made.obs["class"] = pd.Categorical(np.asarray(y).astype(str))
    made.write_h5ad(path)


def _h5mu(path: str, X: np.ndarray, y: Any) -> None:
    import mudata

    first, second = annotated(X), annotated(X[:, ::2])
    first.obs["class"] = np.asarray(y).astype(str)
    second.var_names = [f"p{j}" for j in range(second.n_vars)]
    mudata.MuData({"rna": first, "prot": second}).write(path)


def _loom(path: str, X: np.ndarray, y: Any) -> None:
    with h5py.File(path, "w") as file:
        file["matrix"] = X.T
        file["row_attrs/Gene"], file["col_attrs/CellID"] = list(named(X)), list(named(X).index)
        file["col_attrs/class"] = np.asarray(y).astype("S8")
        file.create_group("layers")


def _market(path: str, X: np.ndarray, y: Any) -> None:
    scipy_io.mmwrite(path, sparse.coo_matrix(X), symmetry="general")


def _tenx(path: str, X: np.ndarray, y: Any) -> None:
    Path(path).mkdir()
    scipy_io.mmwrite(f"{path}/matrix.mtx", sparse.coo_matrix(X.T), symmetry="general")
    Path(path, "genes.tsv").write_text("".join(f"g{j}\tf{j}\n" for j in range(X.shape[1])), encoding="utf-8")
    Path(path, "barcodes.tsv").write_text("".join(f"s{i}\n" for i in range(len(X))), encoding="utf-8")


def _hdf5(path: str, X: np.ndarray, y: Any) -> None:
    with h5py.File(path, "w") as file:
        file["X"], file["class"], file["feature_names"] = X, np.asarray(y).astype("S8"), list(named(X))


def _zarr(path: str, X: np.ndarray, y: Any) -> None:
    root = zarr.open_group(path, mode="w")
    root.create_array("X", data=X)
    root.create_array("class", data=np.asarray(y).astype(float))


#: how a table with labels is written, by the name of the file
FILES: dict[str, Any] = {
    "t.csv": lambda path, X, y: _frame(X, y).to_csv(path, index=False),
    "t.csv.gz": lambda path, X, y: _frame(X, y).to_csv(path, index=False),
    "german.csv": lambda path, X, y: _frame(X, y).to_csv(path, index=False, sep=";", decimal=",", encoding="utf-16"),
    "t.tsv": lambda path, X, y: _frame(X, y).to_csv(path, index=False, sep="\t"),
    "turned.csv": lambda path, X, y: named(X).T.to_csv(path),
    "t.parquet": lambda path, X, y: _frame(X, y).to_parquet(path),
    "t.feather": lambda path, X, y: _frame(X, y).to_feather(path),
    "t.xlsx": _xlsx,
    "t.npz": lambda path, X, y: np.savez(path, **_arrays(X, y)),
    "t.npy": lambda path, X, y: np.save(path, X),
    "t.mat": _mat,
    "t.h5ad": _h5ad,
    "t.h5mu": _h5mu,
    "t.loom": _loom,
    "t.mtx": _market,
    "t_10x": _tenx,
    "t.h5": _hdf5,
    "t.zarr": _zarr,
}


def write(name: str, X: np.ndarray, y: Any) -> None:
    """Write a table, and beside it labels, covariates, another table and knowledge of the features."""
    FILES[name](name, X, y)
    frame, numbers = _frame(X, y), np.arange(len(X))
    frame[["id", "class"]].to_csv("labels.csv", index=False)
    frame[["id"]].assign(age=numbers**0.5, batch=np.where(numbers % 3 == 0, "a", "b")).to_csv("known.csv", index=False)
    named(table("plain", len(X), 5, 1)).rename_axis("id").reset_index().to_csv("other.csv", index=False)
    names = list(named(X))
    Path("sets.gmt").write_text("early\tx\tf0\tf1\tf2\nall\tx\t" + "\t".join(names) + "\n", encoding="utf-8")
    pairs = zip(names, names[1:] + names[:1], strict=True)
    Path("pairs.tsv").write_text("".join(f"{a}\t{b}\t{1 + len(b)}\n" for a, b in pairs), encoding="utf-8")


def command(*parts: str) -> dict[str, Any]:
    """Run ``python -m eigenselect WORDS`` in this process; return its exit code, what it printed and what it wrote."""
    words = " ".join(parts)
    before, streams, code = set(Path().rglob("*")), (io.StringIO(), io.StringIO()), 0
    sys.argv = ["eigenselect", *shlex.split(words)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            runpy.run_module("eigenselect", run_name="__main__", alter_sys=False)
        except SystemExit as exit:
            code = exit.code
    printed = streams[0].getvalue()
    is_json = " --json" in words and printed.startswith(("{", "["))
    found = {"exit code": code, "printed": json.loads(printed) if is_json else {"text": printed}}
    if words.startswith("select") and printed:
        found["printed"] = pd.read_csv(io.StringIO(printed), float_precision="round_trip")
    written = sorted(set(Path().rglob("*")) - before)
    absent = "No such option" in streams[1].getvalue() or "No such command" in streams[1].getvalue()
    return found | {"files": {str(path): content(path) for path in written}, "absent": absent, "said": streams[1]}


def content(path: Path) -> Any:
    """Read a file that the command wrote: the numbers, not the layout; of a page the data in it."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    if path.suffix in (".csv", ".tsv"):
        return pd.read_csv(path, sep="," if path.suffix == ".csv" else "\t", float_precision="round_trip")
    if path.suffix == ".html":
        found = re.search(
            r'<script type="application/json"[^>]*>(.*?)</script>', path.read_text(encoding="utf-8"), re.S
        )
        return json.loads(found[1]) if found else "no data"
    if path.suffix == ".npz":
        return dict(np.load(path))
    if path.suffix == ".h5ad":
        return anndata.read_h5ad(path)
    return pd.read_parquet(path) if path.suffix == ".parquet" else path.suffix


# -- drawing -----------------------------------------------------------------------------------------

#: kinds of calls, and how often each is drawn, in percent
KINDS = {
    "fit": 25.0,
    "p-values": 20.0,
    "score function": 8.0,
    "after a fit": 7.0,
    "function": 14.0,
    "verb": 8.0,
    "drawing": 3.0,
    "command": 12.5,
    "large": 2.5,
}
#: A line is a name and what may stand in the place of ``{name}``: alternatives with bars between; lines that begin with
#: blanks have more of them. ``{name?}`` is often left out, and ``{seed}`` is a number.
GRAMMAR = """
# tables, and what is given beside them
given: n, p = {rows}, {columns}; X = stored(table('{ugly}', n, p, {seed}), '{storage}'); {with labels}
with labels: y = target('{labels}', n, {seed})
simple: n, p = {rows}, {columns}; X = named(table('{tame}', n, p, {seed})); y = target('{complete}', n, {seed})
network: {simple}; W = weights('{net}', n, {seed}); graph = es.graph.SampleGraph(W)
rows: 8 | 13 | 20 | 20 | 30 | 30 | 45 | 60
columns: 3 | 7 | 12 | 12 | 25 | 60
ugly: plain | {any table} | {any table} | {any table}
tame: plain | ties | copies | units | counts
storage: rows | pandas | {any storage} | {any storage} | {any storage}
labels: {complete} | {complete} | {complete} | {complete} | {complete} | category | numbers | whole | missing | none
  minus one | rare | one | absent
complete: classes | halves | text
net: dense | sparse | components | isolated | ring
matrix: weights('{net}', n, {seed}) | weights('{net}', n, {seed}) | weights('{net}', n, {seed})
  weights('{net}', n, {seed}) | weights('{strange net}', n, {seed})
strange net: directed | signed
beside: , similarity_matrix={matrix} | , covariates=table('plain', n, 2, {seed}) | , covariates={groups}
groups: np.array(['a', 'b', 'c'])[np.arange(n) % 3]
# similarities
similarity: '{graph name}' | '{graph name}' | '{graph name}' | {graph object} | {graph object} | {other graph}
other graph: es.similarity.FromTable(table('plain', n, 4, 1)) | lambda X: np.exp(-np.abs(X[:, :1] - X[:, 0]))
graph name: knn | rbf | linear | cosine | diffusion | geodesic | class_labels | hit_miss
graph object: es.similarity.KNN({k}, {weight?}{bandwidth?}{metric?}{search?}) | es.similarity.RBF({bandwidth?})
  es.similarity.Diffusion({number}, {k}, {weight?}{bandwidth?}{metric?}) | es.similarity.HitMiss({k}, {metric?})
  es.similarity.Geodesic({k}, {bandwidth?}{length?}{metric?}) | es.similarity.{kernel}()
kernel: Cosine | Linear | ClassLabels
k: 2 | 4 | 5 | 7
number: 0.5 | 1.0 | 3.0
weight: weight='rbf', | weight='binary', | weight='cosine',
length: weight='length', | weight='hops',
bandwidth: bandwidth=0.7, | bandwidth=3.0, | bandwidth='median', | bandwidth='self-tuning',
metric: metric='cosine', | metric='euclidean',
search: algorithm='exact', | n_components=2, | n_components=2, projection='random',
# how many features, and other options
count: None | 3 | 3 | 2 | 0.4 | 1.0 | 'auto' | {rule}
rule: es.selection.TopK(0.5) | es.selection.TopK({k}, must_keep=[0], never=[1]) | es.selection.Knee(never=[1])
  es.selection.Threshold({number}, must_keep=[2]) | es.selection.FDR() | 0
tested count: 'fdr' | 'auto' | 3 | es.selection.FDR({alpha}, 'by') | es.selection.FDR({alpha}, must_keep=[1], never=[0])
alpha: 0.05 | 0.2 | 0.5
similar: similarity={similarity},
ranking: ranking='phi1', | ranking='phi2', | ranking='phi3', | ranking='phi3', n_clusters=2, | ranking='phi4',
gamma: spectral_function={curve},
curve: 'identity' | 'heat' | 'car' | 2 | 3 | 0.5 | np.sqrt | es.spectral.Heat(2.0) | es.spectral.CAR(0.5)
jobs: n_jobs=1, | n_jobs=2, | random_state=3,
y holds: target='auto', | target='classes', | target='numbers',
scale: scale='unit', | scale=None,
# estimators
fit: {given}; result = {estimator}.fit(X, y{beside?})
estimator: es.SPEC({count}, {similar?}{ranking?}{gamma?}{jobs?}) | es.SPEC({count}, {similar?}{ranking?}{gamma?}{jobs?})
  es.LaplacianScore({count}, {similar?}{jobs?}) | es.FisherScore({count}, {jobs?}) | es.Variance({count}, {jobs?})
  es.ReliefF({count}, n_neighbors={k}, {difference?}{y holds?}{drawn?}{jobs?})
  es.HSICScore({count}, {y holds?}{target kernel?}{scale?}{jobs?})
  es.TraceRatio({count}, {pair?}{level?}{scale?}{similar?}{jobs?})
  es.SSelect({count}, {similar?}{ranking?}{regularization?}{gamma?}{jobs?})
  es.EVSC({count}, {differentiable?}{jobs?}) | es.MultiscaleSPEC({count}, {similar?}{scales?}{jobs?})
  es.MRSF({count}, {outputs?}{similar?}{path?}{jobs?}) | es.MRSF({count}, {outputs?}{similar?}{path?}{jobs?})
  es.MSFS({count}, sources=[('a', {source}), ('b', {source})], {mix?}{ranking?}{gamma?}{jobs?})
  es.KOGS({count}, rankers=[(None, {small}), ({source}, es.SPEC())], {fusion?}{jobs?})
  es.MoranI({count}, {similar?}{jobs?}) | es.GearyC({count}, {similar?}{jobs?})
  es.IteratedSPEC({count}, {similar?}{ranking?}{gamma?}{rounds?}{jobs?})
  es.StabilitySelector({small}, n_pairs=4, {stable?}{jobs?})
small: es.SPEC(3, {ranking?}) | es.LaplacianScore(2, {similar?}) | es.FisherScore(3) | es.MRSF(2) | es.ReliefF(2)
difference: difference='absolute', | difference='squared',
drawn: n_samples=6,
target kernel: target_kernel='labels', | target_kernel='linear', | target_kernel='rbf', | target_kernel={matrix},
pair: graphs='fisher', | graphs='laplacian', | graphs='semi-supervised', | graphs=({matrix}, {matrix}),
level: level='subset', | level='feature',
regularization: regularization=0.5, | regularization='auto', | regularization=0, | n_levels=3,
differentiable: similarity='linear', | similarity='knn', | n_eigenvalues=3, | similarity='knn', n_eigenvalues=2,
  similarity={graph object},
outputs: target='lda', | target='svm', | target='pca', | n_outputs=2,
path: center=False, | tol=1e-4, | copy_tolerance=0, | copy_tolerance=0.2, | max_iter=3,
source: es.multisource.TargetData({similarity}) | es.multisource.AuxiliaryData(table('{ugly}', n, 5, 2), {similarity})
  es.multisource.SampleCategories({categories?}) | es.multisource.SampleSimilarity({matrix})
  es.multisource.FeatureSet([0, 2, 1], {similarity}) | es.multisource.FeatureInteractions([(0, 1), (1, 2, 0.5)], {use?})
  es.multisource.FeatureSimilarity(np.abs(table('ties', p, {k}, {seed})), {precision?})
categories: target('none', n, {seed})
use: use='features', | use='graph',
precision: precision='laplacian', | precision='laplacian_squared',
mix: weights='discriminant', | weights='alignment', | weights=[1, 3], | weights=dict(a=2, b=1),
fusion: aggregation={aggregation}, | weights='learn', | weights=[1, 2],
aggregation: 'borda' | 'median' | 'rra' | 'mc4'
scales: scales=(1, 3), | scales=('heat', 'car', 2.5),
rounds: max_iter=2, | max_iter=3,
stable: threshold=0.7, | max_false=1.0, | bound='worst-case', | bound='r-concave', max_false=2,
# p-values
p-values: {sound}; result = es.{on labels} significance={test}).fit(X, y{known?})
  {sound}; result = es.{on graph} similarity='class_labels', significance={test}).fit(X, y{known?})
  {sound}; result = es.{on graph} significance={test of given}).fit(X, similarity_matrix={matrix})
  {sound}; result = es.{on graph} similarity={other}, significance={test}).fit(X, y{known?})
  {sound}; result = es.{on graph} {own graph?}significance={own test}).fit(X, y{known?})
  {sound}; result = es.{on graph} {own graph?}significance={own test}).fit(X, y{known?})
  {sound}; result = es.MSFS({tested count}, sources=[('a', {other source})], significance={test}).fit(X, y)
  {sound}; result = es.MSFS({tested count}, sources=[('a', {source})], significance='given').fit(X, y)
  {sound}; result = es.fisher_score_pvalues(X, y) | {sound}; result = es.hsic_score_pvalues(X, y, {scale?})
sound: n, p = {rows}, {columns}; X = stored(table('{ugly}', n, p, {seed}), '{storage}'); {with classes}
with classes: y = target('{complete}', n, {seed})
on labels: FisherScore({tested count}, | HSICScore({tested count}, {scale?}
  TraceRatio({tested count}, level='feature',
on graph: SPEC({tested count}, {ranking?}{gamma?} | LaplacianScore({tested count}, | MoranI({tested count},
  GearyC({tested count}, | MultiscaleSPEC({tested count}, {scales?}
own graph: similarity='rbf', | similarity=es.similarity.KNN({k}), | similarity='diffusion', | {similar}
other source: es.multisource.AuxiliaryData(table('{ugly}', n, 5, 2)) | es.multisource.SampleCategories()
other: es.similarity.FromTable(table('{ugly}', n, 4, {seed}), {similarity})
known: , covariates=np.arange(n) | , covariates={groups}
test: True | es.inference.Permutation({error}, random_state={k})
test of given: 'given' | 'given' | es.inference.Given({error}) | True
error: None | 0.3
own test: 'split' | es.inference.Split({k}, 2, {parts}, combination='median') | es.inference.Split({k}, 2, {parts})
  'shadows' | es.inference.Shadows({parts}, 1, 'auto')
  es.inference.Shadows(1, {parts}, level={alpha}, random_state={k})
parts: 2 | 3
tested: {network}; s = es.{on graph} significance='given').fit(X, similarity_matrix=W)
# functions that score, and what follows a fit
score function: {given}; result = es.spec_score(X, y, {similar?}{ranking?}{gamma?})
  {given}; result = es.fisher_score(X, y)
  {given}; result = es.{graph score}(X, y, {similar?})
  {given}; result = es.{graph score}(X, similarity_matrix={matrix})
  {given}; result = es.multiscale_spec_score(X, y, {similar?}{scales?}) | {given}; result = es.variance_score(X)
  {given}; result = es.sselect_score(X, y, {similar?}{regularization?})
  {given}; result = es.hsic_score(X, y, {y holds?}{target kernel?}{scale?})
  {given}; result = es.relieff_score(X, y, n_neighbors={k}, {difference?}{y holds?})
  {given}; result = es.evsc_score(X, y, {differentiable?})
graph score: laplacian_score | moran_i_score | geary_c_score
after a fit: {given}; s = {estimator}.fit(X, y{beside?}); result = s.transform(X), s.get_support(), s.n_features_
  {given}; s = {estimator}.fit(X, y{beside?}); result = s.explain(X, 1)
  {simple}; s = {estimator}.fit(X, y{beside?}); result = s.explain(X, 'f2')
  {given}; result = es.selection.feature_order({estimator}.fit(X, y))
  {simple}; s = es.SPEC('auto').set_params(similarity__n_neighbors={k}); result = s.fit(X), s.get_feature_names_out()
  {simple}; s = {small}.fit(X, y); result = es.report(s, X, y, evaluation=False)
  {simple}; s = {small}.fit(X, y); result = es.report(s, X, y, evaluation={flag}).to_json()
  {tested}; result = es.report(s, X, evaluation=False)
  {simple}; from sklearn.pipeline import make_pipeline; s = make_pipeline({small}, {small}).fit(X, y); {pipeline}
  {simple}; result = es.sensitivity.ranking_stability({small}, X, y, n_repeats=3, {perturbed?})
pipeline: result = s.get_feature_names_out(), s.transform(X), es.selection.feature_order(s)
perturbed: perturbation='noise', | perturbation='bootstrap', | fraction=0.6, n_selected=2,
# the other functions
function: {built}; result = graph, graph.degrees, graph.components, graph.to_array()
  {built}; result = es.criteria.phi('{phi}', graph, {gamma of}).scores(X)
  {built}; result = es.criteria.phi('{phi}', graph, {gamma of}).scores(X)
  {simple}; graph = es.graph.graph_from_matrix({matrix}, n); result = graph, graph.normalized_laplacian()
  {network}; result = es.graph.leading_eigenpairs(graph, {k}).eigenvalues, graph.describe()
  {network}; result = graph.diffuse({number}).spectrum({k}).eigenvalues, es.graph.HeatFlow({number}).frequencies(W[0])
  {network}; result = es.graph.checked_matrix({matrix}, n, name='W'), es.graph.connected_components(W)
  {simple}; result = es.graph.eigengap(np.sort(X['f0'].abs().to_numpy()))
  means = es.graph.ClassMeans(np.array([0, 1, 1, 0]), 2); result = means.energy(table('plain', 4, 5, {seed}))
  {network}; result = es.criteria.power_form(graph, {k}).matrix(graph)
  {network}; result = es.criteria.UnitLength({flag}).apply(X.to_numpy(), graph)
  {network}; result = es.criteria.spectral_form(graph, {gamma of}).matrix(graph)
  result = [row.as_dict() for row in es.criteria.METHODS], es.criteria.METHODS.names()
  p = table('two values', 3, 9, {seed}) / 7 + 1e-9; result = es.inference.cauchy_combination(p)
  p = np.random.default_rng({seed}).beta(0.2, {k}, 40); result = es.inference.benjamini_hochberg(p)
  result = str(es.inference.as_route({own test}, 'SPEC')), es.similarity.made_of_labels('{graph name}')
  result = str(es.similarity.similarity_from_text('{text}')) | result = list(es.similarity.SIMILARITY_NAMES)
  {simple}; result = es.selection.rank_features(X.iloc[0].to_numpy(), larger_is_better={flag})
  {simple}; result = es.selection.knee(X['f0'].to_numpy())
  {simple}; result = es.selection.number_to_select({count}, X['f0'].to_numpy(), 'x', n_samples={rows})
  result = es.spectral.chebyshev_series({gamma of}, (0.0, 2.0)) | result = es.spectral.Custom(np.sin)(np.arange({k}))
  result = {gamma of}(np.linspace(0, 2, 9)), {gamma of}.largest, es.spectral.Power({number})(np.arange(3.0))
  {network}; labels = es.semisupervised.PartialLabels(np.array([0, n - 1]), np.array([0, 1])); {agreement}
  {simple}; top = lambda v: np.arange(1, 2 + int(v)); {regularized}
  {network}; N = graph.laplacian(), W @ W; result = es.sensitivity.perturbation_bound(*N, X, n_eigenvalues={k})
  {simple}; result = es.multivariate.l21_path({table}, table('plain', n, 3, {seed}), 3, {path?})
  result = es.multisource.aggregate_rankings(np.argsort(table('plain', 4, 12, {seed})) + 1, {aggregation})
  write('t.csv', table('plain', 9, 5, {seed}), target('text', 9, 1)); result = es.multisource.read_{knowledge}
  {simple}; result = es.evaluation.accuracy_curves(dict(a={small}), X, y, [1, 2], n_splits=2).to_frame()
  {simple}; result = es.evaluation.clustering_accuracy(y, target('rare', n, {seed}))
  {simple}; result = es.evaluation.jaccard_score(X, weights('dense', n, 3), {k}, center={flag})
  {simple}; result = es.evaluation.near_copies({table}, [0, 1], threshold={alpha}, nearest_only={flag})
  {simple}; result = es.evaluation.redundancy_rate({table})
  {simple}; result = es.evaluation.subset_accuracies([[0], [1, 2]], X, y, np.arange(0, n, 2), np.arange(1, n, 2))
  {compared}; result = found | {simple}; result = es.reporting.summarise_comparison({comparison options})
  {simple}; s = es.FisherScore(2, significance=True).fit(X, y); {summary}
built: {simple}; graph = es.similarity.as_similarity({similarity}, n).build(X, y)
gamma of: es.spectral.as_spectral_function({curve})
phi: phi1 | phi2 | phi3
flag: True | False
table: X | X.to_numpy() | sparse.csr_array(X.to_numpy())
text: knn:k=5 | rbf:bandwidth=2 | knn:k=3,weight=binary | diffusion:beta=2 | geodesic | knn:k=x | nothing
agreement: gamma = es.spectral.Power(2); smooth = es.criteria.phi('{phi}', graph, gamma); {agreement scores}
agreement scores: result = es.semisupervised.SmoothAgreement(smooth, gamma, labels, 2, {alpha}).scores(X)
regularized: build = lambda c: es.similarity.RBF().build(X.iloc[:, c]); {regularization path}
regularization path: result = es.semisupervised.regularization_path(np.linspace(0, 1, 3), top, build)
knowledge: gene_sets('sets.gmt') | interactions('pairs.tsv') | annotations('sets.gmt') | auxiliary('other.csv')
comparison options: dict(a={small}), X, y, list(X), n_features=1, sizes=[1], n_splits=2, random_state={k}
compared: {simple}; found = es.reporting.compare(dict(a={small}, b=es.SPEC()), X, y, n_features=2, sizes=[2])
summary: fitted = es.reporting.Fitted(s, X, y, list(X)); {summarised}
summarised: found = es.reporting.add_views(es.reporting.summarise(fitted, kept=2), fitted); {answered}
answered: found = es.reporting.add_evaluation(found, fitted); result = es.reporting.add_answer(found, fitted)
  found['evaluation'] = None; result = es.reporting.add_paper(es.reporting.add_answer(found, fitted), fitted)
# verbs for AnnData, and drawing
cells: n, p = {rows}, {columns}; adata = cells({cell matrix}(table('{cell table}', n, p, {seed})), n, p, {seed})
cell matrix: np.asarray | np.asarray | sparse.csr_matrix | sparse.csr_matrix | sparse.csc_matrix | da.from_array
cell table: plain | counts | zeros | constant columns | copies
verb: {cells}; result = es.pp.spectral_features(adata, {top?}{by?}{method?}{cell test?}{batches?}{kept?}), adata
  {cells}; result = es.pp.spectral_features(adata, {top?}{by?}{method?}{values?}{batches?}inplace=False)
  {cells}; result = es.pp.spectral_features(adata, {top?}label_key='{column}', method={supervised}, {batches?}), adata
  {cells}; result = es.gr.spatial_autocorr(adata, {mode?}{permuted?}{tails?}{genes?}copy=True)
  {cells}; result = es.gr.spatial_autocorr(adata, '{edges}', {mode?}{corrected?}{values?}), adata.uns
  {cells}; {second modality}; result = es.pp.spectral_features(both, 3, modality='rna', {by modality?}), both['rna']
  {cells}; {second modality}; result = es.gr.spatial_autocorr(both, 'rna:way', modality='prot', {mode?}copy=True)
second modality: import mudata; both = mudata.MuData(dict(rna=adata, prot=annotated(table('plain', n, 4, 1))))
by modality: method='msfs', | use_rep='rna:X_pca', | obsp='rna:connectivities', | label_key='rna:type',
top: 3,
by: obsp='spatial_connectivities', | obsp='way', | use_rep='X_pca', | use_rep='spatial', | label_key='type',
  use_rep='X',
method: method=['laplacian', 'geary'], | method=es.SPEC(ranking='phi1'), | method='{one method}',
  method='{one method}',
one method: spec-phi1 | spec-phi3 | variance | moran | multiscale | iterated-spec | evsc | mrsf
column: type | type | some
supervised: 'fisher' | 'hsic' | 'relieff' | 'trace-ratio' | 'sselect' | ['fisher', 'spec-phi2']
cell test: significance='given', | significance='split', | significance='shadows', | significance=None,
batches: batch_key='batch', | covariates='depth', | covariates=['depth', 'batch'],
kept: subset=True, | flag_as_highly_variable=True, | must_keep=['f1'], never=['f0'], | key_added='new',
values: layer='counts', | use_raw=True,
mode: mode='geary', | mode='moran', transformation=False,
permuted: n_perms=20, seed=3, | n_perms=15,
tails: two_tailed=True,
genes: genes=['f0', 'f2'], | genes='f1', | attr='obs', | attr='obsm', layer='X_pca',
edges: connectivities | spatial_connectivities | spatial_connectivities | way
corrected: corr_method='fdr_{fdr}', | corr_method='{other rule}', | corr_method=None,
fdr: by | tsbh | tsbky | gbs
other rule: bonferroni | sidak | holm | holm-sidak | simes-hochberg | hommel
drawing: {cells}; es.pp.spectral_features(adata, 3, {by?}{cell test?}); result = es.pl.{cell plot}(adata, show=False)
  {tested}; result = es.plot.{plot}
  {tested}; result = es.plot.{plot}
  {compared}; result = es.plot.accuracy_curves(found), es.plot.consensus(found)
cell plot: embedding | qq | ranking | score_mean | spatial
plot: qq(s) | volcano(s) | mean_score(s, X) | spectrum(s, X) | redundancy(s, X) | score_curve(s, X)
  heat_map(s, X, y) | dot_plot(s, X, y) | embedding(s, X, y)
# the command
command: {file}; result = command('rank', name, '{labelled?} {how?} {asked?} {prepared?} {shown}')
  {file}; result = command('rank', name, '{labelled?} {how?} {asked?} {prepared?} {shown}')
  {csv}; result = command('rank t.csv --samples id {labelled} {how?} {asked?} {prepared?} {shown}')
  {csv}; result = command('rank t.csv --samples id --ignore class {how?} {asked?} {prepared?} {shown}')
  {file}; result = command('select', name, '{labelled?} -k {most} {how?} {written?}')
  {csv}; result = command('select t.csv --samples id {labelled} -k {most} {how?} {prepared?} {written?}')
  {csv}; result = command('compare t.csv --samples id --label class -k 2 --sizes 1,2 --folds 2 {methods?} {shown}')
  {csv}; result = command('fuse t.csv --samples id --label class {sources} {asked?} {shown}')
  {ann}; result = command('rank t.h5ad {cell options} {asked?} {shown}')
  {ann}; result = command('{act} t.h5ad {cell options} -k 3 -o out.h5ad')
  result = command('{short}')
file: name = '{any file}'; write(name, table('{tame}', 20, {columns}, {seed}), target('classes', 20, {seed}))
csv: write('t.csv', table('{cell table}', 20, {columns}, {seed}), target('{some labels}', 20, {seed}))
ann: write('t.h5ad', table('{cell table}', 20, {columns}, {seed}), target('classes', 20, {seed}))
some labels: classes | classes | text | halves | numbers | missing
labelled: --label class | --labels labels.csv:class | --label class --drop-unlabelled
how: --method {method name} | --method {method name} | --method {method name} --similarity {text}
  --method {spectral} --power 2 | --method spec-phi3 --clusters 2
spectral: spec-phi1 | spec-phi2 | sselect
method name: spec-phi1 | spec-phi2 | spec-phi3 | laplacian | iterated-spec | multiscale | moran | geary | variance
  fisher | relieff | hsic | trace-ratio | sselect | evsc | mrsf
asked: -k 2 | -k 0.5 | -k auto | -k 3 | --significance split | --significance {route} | --significance {route} -k fdr
route: true | split | shadows | none
prepared: --scale standard | --scale minmax | --covariates known.csv | --covariates known.csv:age
  --one-hot | --impute median | --transpose
shown: --json | --json | -o out.csv | -o out.tsv | -o out.json | --report out.html --no-evaluation | -q
most: 2 | 3 | 0.5 | auto | fdr --alpha 0.3
written: -o out.csv | -o out.tsv | -o out.parquet | -o out.npz
methods: --methods fisher,relieff | --methods laplacian,spec-phi3,hsic | --methods mrsf,fisher
sources: --auxiliary a=other.csv | --gene-set g=sets.gmt:early --weights learn
  --annotation t=sets.gmt --interactions i=pairs.tsv --ranking phi3
  --auxiliary a=other.csv --without-target --significance true
  --interactions i=pairs.tsv --with-labels --weights alignment --source-similarity i=knn:k=3
cell options: --obsp connectivities | --obsm spatial | --label type | --layer counts | --raw | --obsp way
act: rank | select
short: methods | methods --json | --version | --help | rank | rank absent.csv | rank --nothing | nothing | select -k x
# tables that are large enough for compiled loops, series and approximate searches
large: {banded}; result = es.{on band}.fit(X, similarity_matrix=W)
  {banded}; result = es.{on band}.fit(X, similarity_matrix=W)
  {banded}; result = es.SPEC(5, {ranking?}spectral_function={large curve}).fit(X, similarity_matrix=W)
  {banded}; result = es.SPEC(5, {ranking?}spectral_function={large curve}).fit(X, similarity_matrix=W)
  {banded}; result = es.{graph score}(X, similarity_matrix=W)
  {dense}; result = es.{on rows}.fit(X, y)
  {dense}; result = es.ReliefF(5, n_neighbors=5, {difference?}).fit(X, y)
  {dense}; result = es.{graph score}(X, y, similarity='{large graph}')
  {wide}; result = es.{on classes}.fit(X, y)
  {many}; result = es.{on many}.fit(X, y)
  {many}; result = es.laplacian_score(X, similarity=es.similarity.KNN({k}, algorithm='approximate'))
  n = 2700; result = es.{graph score}(table('plain', n, 6, {seed}), similarity_matrix=weights('sparse', n, 3))
  write('t.csv', table('{tame}', 600, 250, {seed}), target('text', 600, 1)); result = command('{large command}')
banded: n, p = 3000, 300; X = {matrix kind}(table('{mostly 0}', n, p, {seed})); W = weights('band', n, {seed})
dense: n, p = 700, 130; X = table('{tame}', n, p, {seed}); y = target('classes', n, {seed})
wide: n, p = 1500, 5500; X = {matrix kind}(table('{mostly 0}', n, p, {seed})); y = target('classes', n, {seed})
many: n, p = {thousands}, 4; X = stored(table('{tame}', n, p, {seed}), '{large storage}'); y = target('classes', n, 1)
matrix kind: np.asarray | np.asarray | np.asfortranarray | sparse.csr_array | sparse.csc_array
mostly 0: zeros | counts
thousands: 2500 | 5000 | 9000
large storage: rows | backed csr | memory map
large graph: knn | rbf | cosine | geodesic | class_labels | hit_miss
large command: rank t.csv --samples id --label class --json | rank t.csv --samples id --ignore class --json
large curve: 2 | 3 | 'heat'
on band: SPEC(5, {ranking?}) | LaplacianScore('fdr', significance='given') | GearyC('fdr', significance='given')
  MoranI(5) | MultiscaleSPEC(5) | SPEC(5, ranking='phi3', n_clusters={k})
on rows: SPEC(3, {ranking?}{gamma?}) | SSelect(3) | MRSF(3) | EVSC(3, similarity='knn') | TraceRatio(3) | Variance(3)
on many: SPEC(3, {ranking?}{gamma?}) | SSelect(3) | TraceRatio(3) | FisherScore(3, significance=True)
on classes: FisherScore(5, significance=True) | SPEC(5, similarity='class_labels', significance=True) | HSICScore(5)
  TraceRatio(5) | SSelect(5)
"""


def rules() -> dict[str, list[str]]:
    """Read the grammar, and add the names of tables, storages and files."""
    found = {"any table": [*TABLES], "any storage": [*STORAGES], "any file": [*FILES]}
    for line in GRAMMAR.splitlines():
        name, parted, body = line.partition(":")
        if parted and line[0] not in "# ":
            last = found[name] = []
            line = body
        if line and line[0] != "#":
            last += line.strip().split(" | ")
    return found


RULES = rules()


def call(seed: int, number: int) -> tuple[str, str]:
    """Return the kind and the text of one call."""
    draw = random.Random(f"{seed}/{number}")
    kind = draw.choices([*KINDS], [*KINDS.values()])[0]
    return kind, expanded(f"{{{kind}}}", draw).replace("; ", "\n")


def expanded(text: str, draw: random.Random) -> str:
    """Put one alternative of its rule in the place of every ``{name}``, and often nothing for ``{name?}``."""

    def chosen(match: re.Match[str]) -> str:
        if match[1] == "seed":
            return str(draw.randrange(1000))
        if match[2] and draw.random() < 0.6:
            return ""
        return expanded(draw.choice(RULES[match[1]]), draw)

    return re.sub(r"\{([a-z][a-z0-9 -]*)(\??)\}", chosen, text)


# -- results as plain values -------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Turn a result into what JSON holds; arrays of numbers are ``{"shape", "type", "numbers"}``."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, io.StringIO):
        return {"text": value.getvalue()}
    if sparse.issparse(value):
        return plain(value.toarray())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items() if key not in OF_THE_RUN}
    if isinstance(value, pd.DataFrame):
        return {"index": plain(value.index), **{str(name): plain(value[name]) for name in value}}
    if isinstance(value, list | tuple | set):
        items = sorted(value) if isinstance(value, set) else value
        if not items or not all(isinstance(item, bool | int | float | np.number) for item in items):
            return [plain(item) for item in items]
    if isinstance(value, list | tuple | set | pd.Series | pd.Index | np.ndarray | np.generic):
        return _numbers(np.asarray(value))
    names = _attributes(value)
    return {"class": type(value).__name__, **{name: plain(getattr(value, name)) for name in names}}


def _numbers(array: np.ndarray) -> Any:
    """Keep some numbers of a large array, all of a small one; what holds no numbers becomes a list."""
    kept = array.ravel()[:: array.size // KEPT + 1].tolist()
    if array.dtype.kind not in "biuf":
        return [plain(item) for item in kept]
    return {"shape": list(array.shape), "type": array.dtype.kind, "numbers": kept}


def _attributes(value: Any) -> list[str]:
    """List what users may look at in an object: fitted attributes, fields of a record, parts of a graph or AnnData."""
    if hasattr(value, "get_support"):
        return [name for name in vars(value) if name[-1] == "_" != name[0] and name != "criterion_"]
    if is_dataclass(value):
        return [field.name for field in fields(value) if not field.name.startswith("_") and field.repr]
    known = {
        "SampleGraph": ["affinity", "mass", "isolated", "description"],
        "AnnData": ["X", "obs", "var", "varm", "uns", "obsm", "obsp", "layers"],
        "MuData": ["obs", "var", "uns"],
        "Report": ["summary"],
    }
    return known.get(type(value).__name__, [])


# -- the process that runs calls ---------------------------------------------------------------------


def outcome(text: str) -> dict[str, Any]:
    """Run one call in an empty folder: its result, or the class of its exception; classes of warnings; messages."""
    found: dict[str, Any] = {"value": None, "error": None, "absent": False}
    variables = dict(globals())
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        start = time.process_time()
        try:
            exec(text, variables)
            found["value"] = plain(variables["result"])
            found["absent"] = isinstance(variables["result"], dict) and variables["result"].get("absent", False)
        except Exception as error:
            found["error"], found["said"] = type(error).__name__, str(error)
            found["absent"] = is_absent(error)
    found["seconds"] = time.process_time() - start
    ours = [warning for warning in heard if not issubclass(warning.category, DeprecationWarning | FutureWarning)]
    found["warnings"] = sorted({warning.category.__name__ for warning in ours})
    found["warned"] = sorted({str(warning.message) for warning in ours})
    return found


def is_absent(error: Exception) -> bool:
    """Tell whether a checkout lacks the name or the option that a call uses."""
    words = str(error)
    no_name = isinstance(error, AttributeError | ImportError) and "eigenselect" in words
    return no_name or (isinstance(error, TypeError) and "unexpected keyword argument" in words)


def main() -> None:
    """Run the calls whose numbers stand on standard input, and append their outcomes to a file, each at once."""
    path, seed = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    import matplotlib as mpl

    mpl.use("agg")
    for number in map(int, sys.stdin.read().split()):
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            found = outcome(call(seed, number)[1])
        faulthandler.cancel_dump_traceback_later()
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"number": number, **found}).replace(folder, ".") + "\n")


if __name__ == "__main__":
    main()

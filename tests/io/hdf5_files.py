"""HDF5 files as the programs write them that biologists use: Cell Ranger, loompy, mudata."""

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

COUNTS = np.random.default_rng(0).poisson(0.7, size=(9, 6)).astype(np.int32)
MATRIX = COUNTS.T.astype(np.float32)
CELLS = [f"AAC{i}-1" for i in range(9)]
GENES = [f"G{j}" for j in range(6)]
KINDS = ["Gene Expression"] * 4 + ["Antibody Capture"] * 2
GENOMES = ["GRCh38", "GRCh38", "GRCh38", "mm10", "", ""]


def _counts(group, counts):
    X = sparse.csr_matrix(counts)  # of cells x genes, which is the csc of genes x cells
    group["data"], group["indices"], group["indptr"] = X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)
    group["shape"] = np.array(counts.shape[::-1], dtype=np.int32)
    group["barcodes"] = np.array(CELLS, dtype="S18")


def write_version_3(path, genomes=GENOMES, kinds=KINDS, counts=COUNTS):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        group = file.create_group("matrix")
        _counts(group, counts)
        group["features/id"] = np.array([f"ENSG{j}" for j in range(6)], dtype="S16")
        group["features/name"] = np.array(GENES, dtype="S16")
        group["features/feature_type"] = np.array(kinds, dtype="S18")
        group["features/genome"] = np.array(genomes, dtype="S8")
        group["features/_all_tag_keys"] = np.array([b"genome"])
    return path


def write_version_2(path, genomes=("hg19", "mm10")):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for k, genome in enumerate(genomes):
            group = file.create_group(genome)
            _counts(group, COUNTS[:, 3 * k : 3 * k + 3])
            group["genes"] = np.array([f"ENSG{j}" for j in range(3)], dtype="S16")
            group["gene_names"] = np.array([f"{genome}_{j}" for j in range(3)], dtype="S16")
    return path


def write_loom(path, matrix=MATRIX, gene_names="Gene", cell_names="CellID"):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file.create_dataset("matrix", data=matrix, chunks=(4, 4), compression="gzip")
        file["layers/spliced"] = (2 * matrix).astype(np.uint16)
        file[f"row_attrs/{gene_names}"] = np.array(GENES, dtype=h5py.string_dtype())
        file["row_attrs/Chromosome"] = np.array(["1"] * 6, dtype="S2")
        file[f"col_attrs/{cell_names}"] = np.array(CELLS, dtype=h5py.string_dtype())
        file["col_attrs/Class"] = np.array([b"&#945;", b"b", b"c"] * 3)
        file["col_attrs/Age"] = np.array([1.0, np.nan, 3.0] * 3)
        file["col_attrs/UMAP"] = np.ones((9, 2))
        file["col_graphs/KNN/a"], file["col_graphs/KNN/b"] = np.arange(8), np.arange(1, 9)
        file["col_graphs/KNN/w"] = np.linspace(0.1, 0.8, 8)
    return path


def write_mudata(path):
    """Two modalities of cells of which each has some; the table of all cells has their batch."""
    anndata, mudata = pytest.importorskip("anndata"), pytest.importorskip("mudata")
    rna = anndata.AnnData(
        sparse.csr_matrix(COUNTS[:6].astype(np.float32)),
        obs=pd.DataFrame({"type": pd.Categorical(list("uvwuvw"))}, index=CELLS[:6]),
        var=pd.DataFrame(index=GENES),
    )
    rna.layers["counts"] = COUNTS[:6]
    rna.obsp["connectivities"] = sparse.csr_matrix(np.eye(6)[::-1])
    rna.raw = rna.copy()
    prot = anndata.AnnData(
        np.arange(14.0).reshape(7, 2),
        obs=pd.DataFrame({"depth": np.arange(7.0)}, index=CELLS[:1:-1]),
        var=pd.DataFrame(index=["CD3", "CD4"]),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = mudata.MuData({"rna": rna, "prot": prot})
        data.obs["batch"] = pd.Categorical([f"b{name}" for name in data.obs_names])
        data.obs["half"] = pd.array([i % 2 == 0 or None for i in range(9)], dtype="boolean")
        data.write(path)
    return path


def without_h5py(monkeypatch, module):
    """Let h5py be missing for a module that reads parts."""
    monkeypatch.setitem(sys.modules, "h5py", None)
    for name in ("h5ad_parts", module):
        monkeypatch.delitem(sys.modules, f"eigenselect.io.{name}", raising=False)

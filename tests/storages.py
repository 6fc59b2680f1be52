"""One table in every storage that `fit` takes: a dict, to which a new storage adds a line."""

import warnings

import numpy as np
import pytest
from scipy import sparse


def memory_map(X, folder):
    path = folder / "x.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def hdf5(X, folder):
    """A dataset in chunks that divide neither rows nor columns."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(folder / "x.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(7, 5), compression="gzip")
    return h5py.File(folder / "x.h5", "r")["X"]


def hdf5_group(kind):
    """A sparse matrix as anndata writes it."""

    def made(X, folder):
        h5py = pytest.importorskip("h5py", reason="h5py is not installed")
        with h5py.File(folder / "x.h5", "w") as file:
            fill_group(file.create_group("X"), kind(X), lambda group, name, data: group.create_dataset(name, data=data))
        return h5py.File(folder / "x.h5", "r")["X"]

    return made


def zarr_array(X, folder):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    array = zarr.open_group(str(folder / "x.zarr"), mode="w").create_array("X", data=X, chunks=(19, 9))
    return zarr.open_array(str(folder / "x.zarr" / array.path), mode="r")


def zarr_group(kind):
    def made(X, folder):
        zarr = pytest.importorskip("zarr", reason="zarr is not installed")
        root = zarr.open_group(str(folder / "x.zarr"), mode="w")
        fill_group(root, kind(X), lambda group, name, data: group.create_array(name, data=data, chunks=(100,)))
        return zarr.open_group(str(folder / "x.zarr"), mode="r")

    return made


def fill_group(group, X, write):
    """Write a sparse matrix in anndata's encoding."""
    group.attrs["encoding-type"], group.attrs["encoding-version"] = f"{X.format}_matrix", "0.1.0"
    group.attrs["shape"] = list(X.shape)
    for name in ("data", "indices", "indptr"):
        write(group, name, getattr(X, name))


def backed_anndata(kind):
    def made(X, folder):
        anndata = pytest.importorskip("anndata", reason="anndata is not installed")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            anndata.AnnData(kind(X)).write_h5ad(folder / "x.h5ad")
        return anndata.read_h5ad(folder / "x.h5ad", backed="r")

    return made


def dask_array(chunks, kind=None):
    """A Dask array in chunks of rows, of columns or of both, which divide neither."""

    def made(X, folder):
        da = pytest.importorskip("dask.array", reason="dask is not installed")
        array = da.from_array(X, chunks={"rows": (7, -1), "columns": (-1, 5), "both": (7, 5)}[chunks])
        return array if kind is None else array.map_blocks(kind, dtype=X.dtype)

    return made


#: how a test writes a table: name of the storage to a function of an array and a folder that returns what `fit` takes
STORAGES = {
    "dense": lambda X, folder: X,
    "columns first": lambda X, folder: np.asfortranarray(X),
    "memory map": memory_map,
    "CSR": lambda X, folder: sparse.csr_array(X),
    "CSC": lambda X, folder: sparse.csc_matrix(X),
    "COO": lambda X, folder: sparse.coo_array(X),
    "HDF5": hdf5,
    "HDF5 CSR": hdf5_group(sparse.csr_matrix),
    "HDF5 CSC": hdf5_group(sparse.csc_matrix),
    "zarr": zarr_array,
    "zarr CSR": zarr_group(sparse.csr_matrix),
    "zarr CSC": zarr_group(sparse.csc_matrix),
    "backed AnnData": backed_anndata(np.asarray),
    "backed AnnData, CSR": backed_anndata(sparse.csr_matrix),
    "backed AnnData, CSC": backed_anndata(sparse.csc_matrix),
    "Dask by rows": dask_array("rows"),
    "Dask by columns": dask_array("columns"),
    "Dask by rows, CSR": dask_array("rows", sparse.csr_matrix),
    "Dask by both, CSC": dask_array("both", sparse.csc_array),
}

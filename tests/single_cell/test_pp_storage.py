"""The verbs leave X, obs, obsp, files and views as they are, files keep the results, and any storage gives the same."""

import hashlib
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import eigenselect as es
from eigenselect import gr, pp
from single_cell.cells import INFORMATIVE, SPATIAL, cells, found, quiet, round_trip

anndata = pytest.importorskip("anndata")


def bits(value):
    """Everything that makes an array, a sparse matrix or a frame what it is."""
    if sparse.issparse(value):
        flags = (value.has_sorted_indices, value.has_canonical_format)
        return (type(value).__name__, flags, *(bits(part) for part in (value.data, value.indices, value.indptr)))
    if isinstance(value, pd.DataFrame):
        return tuple((name, bits(value[name].to_numpy()), str(value[name].dtype)) for name in value) + tuple(
            value.index
        )
    value = np.asarray(value)
    content = value.tobytes() if value.dtype != object else repr(value.tolist()).encode()
    return (value.dtype.str, value.shape, value.flags.f_contiguous, hashlib.sha256(content).hexdigest())


def contents(adata):
    """The bits of all that the verb must not touch."""
    entries = {("obs",): bits(adata.obs), ("X",): bits(adata.X)}
    for place in ("layers", "obsp", "obsm"):
        entries |= {(place, key): bits(value) for key, value in getattr(adata, place).items()}
    entries["uns"] = repr(adata.uns["neighbors"])
    return entries


def unsorted(matrix):
    """The same matrix with the entries of each row in reverse order."""
    matrix = sparse.csr_matrix(matrix)
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(matrix.indptr, matrix.indptr[1:], strict=False)])
    turned = sparse.csr_matrix((matrix.data[order], matrix.indices[order], matrix.indptr), shape=matrix.shape)
    assert not turned.has_sorted_indices
    return turned


VALUES = {
    "csr": sparse.csr_matrix,
    "unsorted": unsorted,
    "csc": sparse.csc_array,
    "float32": lambda X: X.toarray().astype(np.float32),
    "columns first": lambda X: np.asfortranarray(X.toarray()),
    "counts": lambda X: sparse.csr_matrix(X).astype(np.int32),
}
CALLS = {
    "neighbours": {"n_top_genes": 3},
    "tissue": {"obsp": SPATIAL},
    "split": {"significance": "split"},
    "batches": {"obsp": SPATIAL, "batch_key": "donor"},
    "methods": {"obsp": SPATIAL, "method": ["moran", "mrsf"], "n_top_genes": 3},
    "labels": {"label_key": "type", "covariates": ["depth"]},
    "coordinates": {"use_rep": "spatial", "method": "spec-phi3"},
}


def with_depth():
    adata = cells()
    adata.obs["depth"] = np.random.default_rng(3).normal(size=60)
    return adata


@pytest.mark.parametrize("call", CALLS)
def test_the_data_are_bit_identical_afterwards(call):
    for values in VALUES if call == "tissue" else ("unsorted", "columns first"):
        adata = with_depth()
        adata.X = VALUES[values](adata.X)
        adata.obsp[SPATIAL] = unsorted(adata.obsp[SPATIAL]).astype(np.float32)
        before = contents(adata)
        quiet(adata, **CALLS[call])
        assert contents(adata) == before, values


@pytest.mark.parametrize("call", CALLS)
def test_round_trips(tmp_path, call):
    adata = with_depth()
    quiet(adata, **CALLS[call], must_keep=["gene9"], flag_as_highly_variable=True)
    for suffix in ("h5ad", "zarr") if call == "methods" else ("h5ad",):
        read = round_trip(adata, tmp_path / f"x.{suffix}")
        pd.testing.assert_frame_equal(read.var, adata.var, check_exact=True)
        assert list(read.varm) == list(adata.varm) == (["spectral"] if call == "methods" else [])
        for name, frame in read.varm.items():
            pd.testing.assert_frame_equal(frame, adata.varm[name], check_exact=True)
        wrote, kept = adata.uns["spectral"], read.uns["spectral"]
        assert set(wrote) == set(kept) == {"eigenselect", "params", "rule", "n_selected"}
        assert (wrote["rule"], wrote["n_selected"]) == (kept["rule"], kept["n_selected"])
        assert set(wrote["params"]) == set(kept["params"])
        for name, value in wrote["params"].items():
            assert list(np.atleast_1d(kept["params"][name])) == list(np.atleast_1d(value))
        quiet(read, **CALLS[call])  # again, over what was read


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_backed_tables_stay_in_their_file(tmp_path, mode):
    adata, path = cells(), tmp_path / "x.h5ad"
    adata.raw = adata
    adata.write_h5ad(path)
    backed = anndata.read_h5ad(path, backed=mode)
    calls = (CALLS["tissue"], CALLS["split"], CALLS["batches"], {"obsp": SPATIAL, "use_raw": True})
    for arguments in calls:
        expected = found(adata, **arguments)
        quiet(backed, **arguments)
        pd.testing.assert_frame_equal(backed.var[list(expected)], expected, rtol=1e-9)
        assert backed.isbacked
        backed.obs["donor"] = adata.obs["donor"]
    with pytest.raises(ValueError, match="subset=True"):
        quiet(backed, 3, subset=True)
    with pytest.raises(ValueError, match="view of a backed"):
        quiet(backed[:30], 3)
    part = found(backed[:30], obsp=SPATIAL)
    pd.testing.assert_frame_equal(part, found(adata[:30].copy(), obsp=SPATIAL), rtol=1e-9)
    backed.file.close()
    on_disk = anndata.read_h5ad(path)
    assert list(on_disk.var) == []
    assert "spectral" not in on_disk.uns
    assert contents(on_disk) == contents(round_trip(adata, tmp_path / "again.h5ad"))


def test_backed_tables_are_read_by_blocks(tmp_path, monkeypatch):
    from eigenselect.matrix.backed import BackedMatrix

    adata = cells(400, 30)
    adata.write_h5ad(tmp_path / "x.h5ad")
    backed = anndata.read_h5ad(tmp_path / "x.h5ad", backed="r")

    def refused(*_):
        raise AssertionError("the whole table was loaded")

    monkeypatch.setattr(BackedMatrix, "to_array", refused)
    monkeypatch.setattr(anndata.AnnData, "to_memory", refused)
    quiet(backed, obsp=SPATIAL)
    assert backed.var_names[backed.var["spectral"]].tolist()[:3] == INFORMATIVE
    backed.file.close()


def test_a_view_is_told_of_once_and_its_parent_stays():
    parent = cells()
    before = contents(parent)
    view = parent[10:50, 1:]
    with pytest.warns(anndata.ImplicitModificationWarning) as told:
        es.pp.spectral_features(view, obsp=SPATIAL)
    assert [one.filename for one in told] == [__file__]
    pd.testing.assert_frame_equal(view.var, found(parent[10:50, 1:].copy(), obsp=SPATIAL))
    assert contents(parent) == before
    assert list(parent.var) == []
    untouched = parent[10:50]
    es.pp.spectral_features(untouched, obsp=SPATIAL, inplace=False)  # no warning: an error here
    assert untouched.is_view


N, M = 60, 8
VERBS = {
    "spectral_features": lambda adata: pp.spectral_features(adata, 3, significance="given", inplace=False),
    "spatial_autocorr": lambda adata: gr.spatial_autocorr(adata, copy=True),
    "batches": lambda adata: pp.spectral_features(adata, 3, batch_key="half", significance="given", inplace=False),
    "labels": lambda adata: pp.spectral_features(adata, 3, method="fisher", label_key="half", inplace=False),
    "places": lambda adata: pp.spectral_features(adata, 3, use_rep="spatial", significance=True, inplace=False),
    "layer": lambda adata: gr.spatial_autocorr(adata, mode="geary", layer="logarithms", copy=True),
}
KINDS = {
    "rows": lambda X: dask_array().from_array(X, chunks=(25, M)),
    "CSR": lambda X: dask_array().from_array(X, chunks=(25, M)).map_blocks(sparse.csr_matrix),
}


def dask_array():
    return pytest.importorskip("dask.array", reason="dask is not installed")


def logarithms(kind):
    """Logarithms of counts of cells in a line, half of which have more of three genes."""
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, size=(N, M))
    X[: N // 2, :3] += rng.poisson(3.0, size=(N // 2, 3))
    X = kind(np.log1p(X))
    adata = anndata.AnnData(X, layers={"logarithms": X})
    S = sum(np.eye(N, k=step) for step in (-2, -1, 1, 2))
    adata.obsp["connectivities"] = adata.obsp["spatial_connectivities"] = sparse.csr_matrix(S)
    adata.obs["half"] = np.repeat(["a", "b"], N // 2)
    adata.obsm["spatial"] = np.column_stack([np.arange(N) / N, np.arange(N) % 5 / 5])
    adata.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {"n_neighbors": 4}}
    return adata


@pytest.fixture(scope="module")
def lazy_store(tmp_path_factory):
    """An AnnData of which anndata reads nothing before it is asked for: graphs are in Dask, too, and obs in xarray."""
    pytest.importorskip("xarray", reason="xarray is not installed")
    lazily = pytest.importorskip("anndata.experimental").read_lazy
    path = str(tmp_path_factory.mktemp("lazy") / "cells.zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logarithms(sparse.csr_matrix).write_zarr(path)
        return lazily(path)


@pytest.mark.parametrize("kind", [*KINDS, "lazy store"])
def test_numbers_of_dask_arrays_are_those_in_memory(kind, request):
    """The array stays lazy."""
    adata = request.getfixturevalue("lazy_store") if kind == "lazy store" else logarithms(KINDS[kind])
    held = logarithms(np.asarray)
    for verb, call in VERBS.items():
        expected, table = call(held), call(adata)
        assert isinstance(adata.X, dask_array().Array)
        assert list(table.columns) == list(expected.columns)
        assert list(table.index) == list(expected.index)
        for name in expected.select_dtypes("number"):
            np.testing.assert_allclose(table[name], expected[name], rtol=1e-10, err_msg=f"{verb} {name}")

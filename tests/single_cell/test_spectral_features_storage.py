"""What `pp.spectral_features` leaves as it is: X, obs and obsp to the bit, files, views; and what files keep of it."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import eigenselect as es
from single_cell.cells import INFORMATIVE, cells, found, quiet, round_trip

anndata = pytest.importorskip("anndata")
SPATIAL = "spatial_connectivities"


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


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("call", CALLS)
def test_the_data_are_bit_identical_afterwards(values, call):
    adata = cells()
    adata.obs["depth"] = np.random.default_rng(3).normal(size=60)
    adata.X = VALUES[values](adata.X)
    adata.obsp[SPATIAL] = unsorted(adata.obsp[SPATIAL]).astype(np.float32)
    before = contents(adata)
    quiet(adata, **CALLS[call])
    assert contents(adata) == before


@pytest.mark.parametrize("suffix", ["h5ad", "zarr"])
@pytest.mark.parametrize("call", CALLS)
def test_round_trips(tmp_path, suffix, call):
    adata = cells()
    adata.obs["depth"] = np.random.default_rng(3).normal(size=60)
    quiet(adata, **CALLS[call], must_keep=["gene9"], flag_as_highly_variable=True)
    read = round_trip(adata, tmp_path / f"x.{suffix}")
    pd.testing.assert_frame_equal(read.var, adata.var, check_exact=True)
    assert list(read.varm) == list(adata.varm) == (["spectral"] if call == "methods" else [])
    if call == "methods":
        pd.testing.assert_frame_equal(read.varm["spectral"], adata.varm["spectral"], check_exact=True)
    wrote, kept = adata.uns["spectral"], read.uns["spectral"]
    assert set(wrote) == set(kept) == {"eigenselect", "params", "rule", "n_selected"}
    assert (wrote["rule"], wrote["n_selected"]) == (kept["rule"], kept["n_selected"])
    assert set(wrote["params"]) == set(kept["params"])
    for name, value in wrote["params"].items():
        assert value is not None
        assert not isinstance(value, tuple)
        assert list(np.atleast_1d(kept["params"][name])) == list(np.atleast_1d(value))
    quiet(read, **CALLS[call])  # again, over what was read
    assert contents(read)["X",] == contents(adata)["X",]


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_backed_tables_stay_in_their_file(tmp_path, mode):
    adata, path = cells(), tmp_path / "x.h5ad"
    adata.write_h5ad(path)
    backed = anndata.read_h5ad(path, backed=mode)
    for arguments in ({"obsp": SPATIAL}, {"significance": "split"}, {"obsp": SPATIAL, "batch_key": "donor"}):
        expected = found(adata, **arguments)
        quiet(backed, **arguments)
        pd.testing.assert_frame_equal(backed.var[list(expected)], expected, rtol=1e-9)
        assert backed.isbacked
        backed.obs["donor"] = adata.obs["donor"]
    with pytest.raises(
        ValueError, match=r"subset=True cuts genes out of a file; use inplace=False, or adata.to_memory"
    ):
        quiet(backed, 3, subset=True)
    with pytest.raises(ValueError, match="a view of a backed AnnData cannot be written to"):
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

"""Places of samples in AnnData files: read where they can be, left out where not, and never a reason to refuse."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.io.h5ad import read_h5ad
from eigenselect.io.request import Request

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(2.0, size=(6, 4))
PLACES = RNG.normal(size=(6, 5))


@pytest.fixture
def path(tmp_path):
    obs, var = pd.DataFrame({"kind": list("xyxyxy")}, index=list("abcdef")), pd.DataFrame(index=list("ghij"))
    data = anndata.AnnData(COUNTS, obs, var, obsm={"X_umap": PLACES[:, :2], "X_pca": PLACES, "X_scvi": PLACES})
    data.obsm["X_tsne"] = pd.DataFrame(PLACES[:, :2], index=obs.index, columns=["0", "1"])
    data.write_h5ad(tmp_path / "t.h5ad")
    return str(tmp_path / "t.h5ad")


def read(path):
    return read_h5ad(path, "t.h5ad", Request())


def test_arrays_are_read_by_both_processes(path):
    table = read(path)
    assert table.coordinates.keys() == {"X_umap", "X_pca"}
    for name in table.coordinates:
        np.testing.assert_array_equal(table.coordinates[name], PLACES[:, :2])


def test_an_old_version_is_read_by_anndata(path):
    with h5py.File(path, "r+") as file:
        file["obs"].create_dataset("y", data=np.arange(6.0)).attrs["categories"] = 1
        file["obs"].attrs["column-order"] = np.array(["kind", "y"], dtype=object)
    np.testing.assert_array_equal(read(path).coordinates["X_umap"], PLACES[:, :2])


def no_group(file):
    del file["obsm"]
    file["obsm"] = np.zeros(6, dtype=[("X_umap", "f8", 2)])


def nowhere(file):
    del file["obsm/X_umap"]
    file["obsm/X_umap"] = h5py.SoftLink("/obsm/nowhere")


def circle(file):
    del file["obsm/X_umap"]
    file["obsm/X_umap"] = h5py.SoftLink("/obsm/X_umap")


def elsewhere(file):
    del file["obsm/X_umap"]
    file["obsm/X_umap"] = h5py.ExternalLink("/etc/passwd", "/X")


def huge(file):
    """One that claims more rows than there are samples: no value of it is read."""
    del file["obsm/X_umap"]
    file.create_dataset("obsm/X_umap", shape=(10**12, 2), dtype="f8", chunks=(1024, 2))


def broken(file):
    """Values whose packing is damaged."""
    del file["obsm/X_umap"]
    node = file.create_dataset("obsm/X_umap", data=PLACES[:, :2], chunks=(6, 2), compression="gzip")
    node.id.write_direct_chunk((0, 0), b"no gzip at all")


def text(file):
    del file["obsm/X_umap"]
    file["obsm/X_umap"] = np.full((6, 2), "here", dtype=object)


def wide_text(file):
    """Text of a hundred megabytes in each place, none of which is stored."""
    del file["obsm/X_umap"]
    file.create_dataset("obsm/X_umap", shape=(6, 2), dtype="S100000000", chunks=(1, 1))


def wide_blocks(file):
    """Two columns that lie in packed blocks of a billion numbers."""
    del file["obsm/X_umap"]
    file.create_dataset("obsm/X_umap", shape=(6, 10**8), dtype="f4", chunks=(6, 10**8), compression="gzip")


@pytest.mark.parametrize("harm", [no_group, nowhere, circle, elsewhere, huge, broken, text, wide_text, wide_blocks])
def test_what_cannot_be_read_is_left_out(path, harm, monkeypatch):
    if harm is not broken:  # the others are no danger to a process
        monkeypatch.setattr("eigenselect.io.h5ad_parts.outlives", lambda *_: True)
    with h5py.File(path, "r+") as file:
        harm(file)
    table = read(path)
    np.testing.assert_array_equal(table.X, COUNTS)
    assert "X_umap" not in table.coordinates
    assert ("X_pca" in table.coordinates) == (harm is not no_group)


def test_they_follow_the_table_when_columns_are_left_out(path):
    from eigenselect.io.readers import read_table
    from eigenselect.io.table import scaled

    table = scaled(read_table(path, label="kind", ignore=["g"]), "standard")
    assert table.feature_names == ("h", "i", "j")
    np.testing.assert_array_equal(table.coordinates["X_umap"], PLACES[:, :2])

"""MuData files: a modality by name, labels of it or of all cells, and the parts that h5ad files have, too."""

import re
import warnings

import numpy as np
import pytest
from tests.io.hdf5_files import CELLS, COUNTS, GENES, point_elsewhere, without_h5py, write_mudata, write_version_3
from tests.io.tables import n_refused

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts

h5py = pytest.importorskip("h5py")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write_mudata(tmp_path_factory.mktemp("mudata") / "t.h5mu").read_bytes()


@pytest.fixture
def path(tmp_path, written):
    (tmp_path / "t.h5mu").write_bytes(written)
    return tmp_path / "t.h5mu"


def test_the_first_modality_is_read_and_it_is_said(path):
    table = read_table(str(path))
    np.testing.assert_array_equal(table.X.toarray(), COUNTS[:6].astype(np.float32))
    assert (table.feature_names, table.sample_names.tolist()) == (tuple(GENES), CELLS[:6])
    assert table.notes == (f"of 2 tables ('rna', 'prot') the first is read; name another as {path}:NAME",)


def test_a_modality_as_mudata_reads_it(path):
    mudata = pytest.importorskip("mudata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = mudata.read_h5mu(path)
    for name in ("rna", "prot"):
        table, data = read_table(f"{path}:{name}", label="batch"), theirs[name]
        X, other = (values.toarray() if hasattr(values, "toarray") else values for values in (table.X, data.X))
        np.testing.assert_array_equal(X, other)
        assert table.feature_names == tuple(data.var_names)
        assert table.sample_names.tolist() == list(data.obs_names)
        assert table.label_text.tolist() == theirs.obs.loc[data.obs_names, "batch"].tolist()
        assert table.notes == ()


@pytest.mark.parametrize("label", ["type", "rna:type"])
def test_labels_of_the_modality(path, label):
    assert read_table(f"{path}:rna", label=label).label_text.tolist() == list("uvwuvw")


def test_labels_of_all_cells_with_missing_ones(path):
    table = read_table(f"{path}:prot", label="half", samples="batch")
    places = [CELLS.index(name[1:]) for name in table.sample_names]
    assert table.label_text.tolist() == ["True" if place % 2 == 0 else "" for place in places]
    assert table.n_unlabelled == sum(place % 2 for place in places)


def test_layers_graphs_and_raw_as_of_h5ad(path):
    table = read_table(f"{path}:rna", parts=AnnotatedParts(layer="counts", obsp="connectivities"))
    np.testing.assert_array_equal(table.X, COUNTS[:6])
    np.testing.assert_array_equal(table.graph.toarray(), np.eye(6)[::-1])
    np.testing.assert_array_equal(read_table(f"{path}:rna", parts=AnnotatedParts(raw=True)).X.toarray(), COUNTS[:6])


@pytest.mark.parametrize(
    ("name", "asked", "message"),
    [
        ("t.h5mu:RNA", {}, "no modality named 'RNA'; did you mean 'rna'?"),
        ("t.h5mu:rna", {"label": "batches"}, "no column of obs of rna named 'batches'; did you mean 'batch'?"),
        ("t.h5mu:rna", {"label": "depth"}, "no column of obs of rna named 'depth'; there are"),
        ("t.h5mu:prot", {"parts": AnnotatedParts(raw=True)}, "holds no raw; leave out --raw"),
        ("t.h5mu:rna", {"parts": AnnotatedParts(layer="count")}, "no layer named 'count'; did you mean 'counts'?"),
    ],
)
def test_what_is_not_there(path, name, asked, message):
    with pytest.raises(InputError, match=re.escape(f"{name}: {message}")):
        read_table(str(path.with_name(name)), **asked)


class TestDamaged:
    def test_variants_are_read_or_refused(self, path):
        assert n_refused(path, lambda name: read_table(f"{name}:rna", label="batch"), 10) > 3

    def test_a_file_of_another_kind(self, tmp_path):
        write_version_3(tmp_path / "t.h5mu")
        with pytest.raises(InputError, match=r"t\.h5mu: cannot be read as h5mu, it is damaged or of another kind"):
            read_table(str(tmp_path / "t.h5mu"))

    @pytest.mark.parametrize(
        "values", [np.arange(1, 10), np.arange(4), np.arange(9.0), np.arange(9) - 4, np.ones(9, int)]
    )
    def test_places_that_are_none(self, path, values):
        """Of nine cells of all modalities, six are in this one."""
        with h5py.File(path, "r+") as file:
            del file["obsmap/rna"]
            file["obsmap/rna"] = values
        with pytest.raises(InputError, match="cannot be read as h5mu, it is damaged"):
            read_table(f"{path}:rna", label="batch")

    def test_an_old_layout_within_a_modality(self, path, monkeypatch):
        """It is not left to anndata, which would read the table of all modalities in its place."""
        calls = []
        monkeypatch.setattr("eigenselect.io.h5ad._read_by_anndata", lambda *words: calls.append(words))
        with h5py.File(path, "r+") as file:
            del file["mod/rna/var"]
            file["mod/rna/var"] = np.arange(6)
        with pytest.raises(InputError, match="cannot be read as h5mu, it is damaged"):
            read_table(f"{path}:rna")
        assert calls == []

    def test_a_file_without_modalities(self, path):
        with h5py.File(path, "r+") as file:
            del file["mod/rna"], file["mod/prot"]
        with pytest.raises(InputError, match="holds no modality; write it again with mudata"):
            read_table(str(path))


class TestHostile:
    @pytest.mark.parametrize("part", ["mod", "mod/rna", "mod/rna/X", "obs", "obs/batch", "obsmap/rna"])
    def test_no_other_file_is_ever_read(self, path, part):
        point_elsewhere(path, part)
        with pytest.raises(InputError, match="points to data in another file, which is never followed"):
            read_table(f"{path}:rna", label="batch")

    def test_a_missing_library(self, path, monkeypatch):
        without_h5py(monkeypatch, "h5mu_parts")
        with pytest.raises(InputError, match=re.escape("h5mu needs mudata; pip install 'eigenselect[anndata]'.")):
            read_table(str(path))

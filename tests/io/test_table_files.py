"""Tables in files of every format: what was read is read again, whole or not at all."""

import os
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from tests.io.annotated import rich, same_tables, written

from eigenselect.exceptions import InputError
from eigenselect.io import table_files
from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts
from eigenselect.io.table import Table, scaled
from eigenselect.io.table_files import check_can_write, text_for_output, write_table
from eigenselect.io.writers import column_names

FORMATS = ["csv", "tsv", "parquet", "npz", "h5ad"]


def needed(ending):
    """Skip where a package is missing."""
    for package in {"parquet": ["pyarrow"], "h5ad": ["anndata"]}.get(ending, []):
        pytest.importorskip(package)


def names_of(table, ending):
    return column_names(table, ending, samples=table.samples_name, label=table.label_name)


def write(table, path, **how):
    ending = str(path).rsplit(".", 1)[1]
    return write_table(str(path), table, ending, names_of(table, ending), **how)


@pytest.fixture
def table(rng):
    labels = np.array(["u", "007", "u", "007", "u", "007"], dtype=object)
    names = np.array([f"s{i}" for i in range(6)], dtype=object)
    return Table(
        rng.normal(size=(6, 3)), ("TP53", "größe", "c"), labels, (), names, labels, label_name="type", samples_name="id"
    )


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_what_was_written_is_read_again(table, tmp_path, ending, kind):
    needed(ending)
    table = replace(table, X=kind(np.where(table.X > 0, table.X, 0)))
    notes = write(table, tmp_path / f"t.{ending}")
    found = read_table(str(tmp_path / f"t.{ending}"), label="type", samples=None if ending == "h5ad" else "id")
    dense = [X.toarray() if sparse.issparse(X) else X for X in (found.X, table.X)]
    np.testing.assert_array_equal(*dense)
    assert found.feature_names == table.feature_names
    assert found.label_text.tolist() == table.label_text.tolist()
    assert found.sample_names.tolist() == table.sample_names.tolist()
    stays = ending in ("npz", "h5ad")
    assert sparse.issparse(found.X) == (stays and sparse.issparse(table.X))
    said = f"the table is sparse, and {ending} holds all 6 x 3 numbers of it; .npz and .h5ad do not"
    assert notes == ([said] if sparse.issparse(table.X) and not stays else [])


@pytest.mark.parametrize("ending", FORMATS)
def test_a_failure_leaves_the_old_file_and_nothing_else(table, tmp_path, monkeypatch, ending):
    def half(target, *rest):
        with open(target, "wb") as file:
            file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(table_files._WRITERS, ending, half)
    target = tmp_path / f"t.{ending}"
    target.write_text("old")
    with pytest.raises(OSError, match="cannot be written .No space left on device.; nothing was changed"):
        write(table, target, force=True)
    assert (target.read_text(), os.listdir(tmp_path)) == ("old", [target.name])


@pytest.mark.parametrize("ending", FORMATS)
def test_no_file_is_replaced_without_force(table, tmp_path, ending):
    needed(ending)
    target = tmp_path / f"t.{ending}"
    target.write_text("old")
    with pytest.raises(InputError, match="exists already; use --force"):
        write(table, target)
    assert target.read_text() == "old"
    write(table, target, force=True)
    assert target.read_bytes() != b"old"


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_sparse_tables_that_do_not_fit_into_memory(little, tmp_path, ending):
    wide = Table(sparse.csr_array((5000, 5000)), tuple(f"f{j}" for j in range(5000)))
    with pytest.raises(InputError, match="all numbers of 5000 samples and 5000 features needs about 400.0 MB"):
        write(wide, tmp_path / f"t.{ending}")
    with pytest.raises(InputError, match="standard output: all numbers"):
        text_for_output(wide, names_of(wide, "csv"))
    assert os.listdir(tmp_path) == []


def test_text_for_output_is_what_a_csv_holds(table, tmp_path):
    write(table, tmp_path / "t.csv")
    assert text_for_output(table, names_of(table, "csv")) == (tmp_path / "t.csv").read_text(encoding="utf-8")


class TestAsEarlyAsPossible:
    @pytest.mark.parametrize(
        ("ending", "package", "extra"), [("parquet", "pyarrow", "io"), ("h5ad", "h5py", "anndata")]
    )
    def test_a_package_that_is_missing(self, monkeypatch, ending, package, extra):
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
        with pytest.raises(InputError, match=rf"t: {ending} needs {package}; pip install 'eigenselect\[{extra}\]'"):
            check_can_write("t", ending)

    def test_names_that_a_format_cannot_hold(self):
        with pytest.raises(InputError, match="an npz archive has an array 'X' of its own"):
            check_can_write("t.npz", "npz", label="X")
        with pytest.raises(InputError, match="h5ad cannot hold a column named 'a/b'"):
            check_can_write("t.h5ad", "h5ad", label="a/b")
        for ending in ("csv", "tsv", "parquet"):
            check_can_write("t", ending, label="a/b", samples="X")


def test_labels_of_another_file_never_replace_an_array(table, tmp_path):
    with pytest.raises(InputError, match="an npz archive has an array 'X' of its own"):
        write(replace(table, label_name="X"), tmp_path / "t.npz")
    assert os.listdir(tmp_path) == []


class TestCopies:
    """From h5ad to h5ad the file itself is copied."""

    @pytest.fixture
    def path(self, tmp_path):
        pytest.importorskip("anndata")
        return written(tmp_path / "s.h5ad", rich())

    def read(self, path, columns, **how):
        """Read a file and keep some features."""
        table = read_table(path, label="class", **how)
        names = tuple(table.feature_names[j] for j in columns)
        origin = table.origin.taken(table.feature_names, columns)
        return replace(table, X=table.X[:, columns], feature_names=names, origin=origin)

    def test_all_that_belongs_to_the_kept_features(self, path, tmp_path):
        import anndata

        assert write(self.read(path, [0, 2]), tmp_path / "t.h5ad") == []
        same_tables(anndata.read_h5ad(tmp_path / "t.h5ad"), rich()[:, [0, 2]].copy())

    def test_what_was_ignored_is_gone(self, path, tmp_path):
        import anndata

        write(self.read(path, [0, 2], ignore=["g0,g3"]), tmp_path / "t.h5ad")
        same_tables(anndata.read_h5ad(tmp_path / "t.h5ad"), rich()[:, ["g1", "g4"]].copy())

    def test_raw(self, path, tmp_path):
        notes = write(self.read(path, [1, 6], parts=AnnotatedParts(raw=True)), tmp_path / "t.h5ad")
        assert notes == ["raw is X now; layers, varm and varp, which are of other variables, are left out"]
        found = read_table(str(tmp_path / "t.h5ad"))
        assert found.feature_names == ("r1", "r6")
        np.testing.assert_array_equal(found.X.toarray(), rich().raw.X[:, [1, 6]].toarray())

    @pytest.mark.parametrize(("parts", "place"), [({}, "X"), ({"layer": "counts"}, "the layer counts")])
    def test_scaled_values(self, path, tmp_path, parts, place):
        table = scaled(self.read(path, [0, 2], parts=AnnotatedParts(**parts)), "minmax")
        notes = write(table, tmp_path / "t.h5ad")
        assert notes == [f"{place} holds the values that were ranked; all else is as it was in the file"]
        found = read_table(str(tmp_path / "t.h5ad"), parts=AnnotatedParts(**parts))
        dense = [X.toarray() if sparse.issparse(X) else X for X in (found.X, table.X)]
        np.testing.assert_array_equal(*dense)

    def test_a_file_that_changed(self, path, tmp_path):
        table = self.read(path, [0])
        written(path, rich(seed=1))
        with pytest.raises(InputError, match="was changed while it was read"):
            write(table, tmp_path / "t.h5ad")
        assert not (tmp_path / "t.h5ad").exists()

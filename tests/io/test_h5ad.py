"""AnnData files: every way in which obs may hold a column, and files of old versions."""

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.io.tables import h5ad_bytes, thinned

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

X = np.arange(12.0).reshape(4, 3) ** 2
COLUMNS = {
    "text": (["u", "v", "u", "007"], ["u", "v", "u", "007"]),
    "category": (pd.Categorical(["u", None, "v", "u"]), ["u", "", "v", "u"]),
    "numbers as categories": (pd.Categorical([3, 1, 3, 1]), ["3", "1", "3", "1"]),
    "whole": (np.array([3, 1, 2, 1]), ["3", "1", "2", "1"]),
    "holes": (pd.array([3, None, 2, 1], dtype="Int64"), ["3", "", "2", "1"]),
    "truth": (pd.array([True, None, False, True], dtype="boolean"), ["True", "", "False", "True"]),
    "measured": (np.array([0.5, np.nan, 2.0, 1.0]), ["0.5", "", "2.0", "1.0"]),
}


@pytest.fixture
def path(tmp_path):
    obs = pd.DataFrame(
        {name: values for name, (values, _) in COLUMNS.items()}, index=pd.Index(list("abcd"), name="cell")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=["g1", "g2", "g3"])).write_h5ad(tmp_path / "t.h5ad")
    return tmp_path / "t.h5ad"


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_obs(path, name):
    table = read_table(str(path), label=name)
    assert table.label_text.tolist() == COLUMNS[name][1]
    assert table.sample_names.tolist() == list("abcd")
    assert table.feature_names == ("g1", "g2", "g3")
    np.testing.assert_array_equal(table.X, X)


def test_the_index_by_its_name(path):
    assert read_table(str(path), samples="cell", label="whole").sample_names.tolist() == list("abcd")


def test_a_column_that_is_not_there(path):
    with pytest.raises(InputError, match=r"no column of obs named 'zzz'; there are 7 columns of obs \(.*, …\)\."):
        read_table(str(path), label="zzz")


@pytest.mark.parametrize("layout", [None, "csr", "csc"])
def test_a_matrix_that_does_not_fit_its_names(path, layout):
    with h5py.File(path, "r+") as file:
        del file["X"]
        if layout is None:
            file["X"] = np.ones((4, 2))
        else:
            matrix = sparse.csr_array(np.ones((4, 2))).asformat(layout)
            group = file.create_group("X")
            group.attrs.update({"encoding-type": f"{layout}_matrix", "encoding-version": "0.1.0", "shape": (4, 2)})
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(matrix, part)
    with pytest.raises(InputError, match="a row for each of 4 observations and a column for each of 3 variables"):
        read_table(str(path))


def test_no_matrix(path):
    with h5py.File(path, "r+") as file:
        del file["X"]
    with pytest.raises(InputError, match=r"t\.h5ad: holds no matrix X\."):
        read_table(str(path))


def test_codes_without_a_category(path):
    with h5py.File(path, "r+") as file:
        file["obs/category/codes"][1] = 7
    with pytest.raises(InputError, match="cannot be read as h5ad, it is damaged"):
        read_table(str(path), label="category")


def test_files_of_old_versions_are_left_to_anndata(tmp_path):
    """Before 0.7, obs and var were arrays of records."""
    obs = np.array([(b"a", 1.0), (b"b", 2.0), (b"c", 1.0), (b"d", 2.0)], dtype=[("index", "S1"), ("y", "f8")])
    var = np.array([(b"g1",), (b"g2",), (b"g3",)], dtype=[("index", "S2")])
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"], file["obs"], file["var"] = X, obs, var
    table = read_table(str(tmp_path / "t.h5ad"), label="y")
    np.testing.assert_array_equal(table.X, X)
    assert (table.feature_names, table.sample_names.tolist()) == (("g1", "g2", "g3"), list("abcd"))
    assert table.label_text.tolist() == ["1", "2", "1", "2"]


def by_link(file, name, other):
    del file[name]
    file[name] = h5py.ExternalLink(other, name)


def by_soft_link(file, name, other):
    file["elsewhere"] = h5py.ExternalLink(other, "/")
    del file[name]
    file[name] = h5py.SoftLink(f"/elsewhere/{name}")


def by_storage(file, name, other):
    del file[name]
    file.create_dataset(name, X.shape, "f8", external=[(other, 0, X.nbytes)])


def by_layout(file, name, other):
    del file[name]
    layout = h5py.VirtualLayout(X.shape, "f8")
    layout[:] = h5py.VirtualSource(other, name, X.shape)
    file.create_virtual_dataset(name, layout)


WAYS_OUT = [(how, "X") for how in (by_link, by_soft_link, by_storage, by_layout)]
WAYS_OUT += [
    (how, name) for how in (by_link, by_soft_link) for name in ("obs", "var", "obs/text", "obs/category/codes")
]


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize(("how", "name"), WAYS_OUT)
def test_no_other_file_is_ever_read(path, how, name, old):
    """A file of someone else may point to any file of ours."""
    other = path.with_name("other.h5ad")
    other.write_bytes(path.read_bytes())
    with h5py.File(path, "r+") as file:
        if old:  # of a version that only anndata knows
            file["obs/text"].attrs["categories"] = 1
        how(file, name, str(other))
    with pytest.raises(
        InputError, match=r"t\.h5ad: points to data in another file, which is never followed; save every"
    ):
        read_table(str(path), label="category" if "category" in name else "text")


def test_links_within_the_file_are_followed(path):
    with h5py.File(path, "r+") as file:
        file.move("X", "Y")
        file["X"] = h5py.SoftLink("/Y")
        file["obs/again"] = file["obs"]
    np.testing.assert_array_equal(read_table(str(path)).X, X)


def test_groups_in_circles_of_old_files_come_to_an_end(path):
    from eigenselect.io.h5ad_parts import outlives, refuse_outside

    with h5py.File(path, "r+") as file:
        file["obs/again"] = file["obs"]
        file["obs/text"].attrs["categories"] = 1
    assert outlives(str(path))
    refuse_outside(str(path))


def test_the_first_process_reads_little_of_a_wide_matrix(path):
    from eigenselect.io.h5ad_parts import read_parts

    with h5py.File(path, "r+") as file:
        del file["X"]
        file.create_dataset("X", (4, 10**5), "f8", chunks=(4, 1000))
    first, last = read_parts(str(path), [], most=1000).matrix["X"]
    assert (first, last) == (0.0, 0.0)


def test_an_old_layout_without_anndata_names_the_extra(tmp_path, monkeypatch):
    """With h5py alone, present files are read, and old ones are not called damaged."""
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"] = np.eye(2)
        file["obs"] = np.array([(b"a",), (b"b",)], dtype=[("index", "S1")])
        file["var"] = np.array([(b"g1",), (b"g2",)], dtype=[("index", "S2")])
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(InputError, match=r"old version, which needs anndata; pip install 'eigenselect\[anndata\]'\."):
        read_table(str(tmp_path / "t.h5ad"))


@pytest.mark.parametrize("part", ["X", "var/_index", "obs/text"])
def test_what_only_claims_to_be_large_is_damaged(path, part):
    """A file of some kB that says 8 GB: zeros that were never written would fill the memory."""
    with h5py.File(path, "r+") as file:
        del file[part]
        kind = "f8" if part == "X" else h5py.string_dtype()
        file.create_dataset(part, (4, 2**28) if part == "X" else (2**30,), kind, chunks=True)
    with pytest.raises(InputError, match=r"cannot be read as h5ad, it is damaged"):
        read_table(str(path), label="text")


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_h5ad_with_indices_out_of_range(tmp_path, layout, part):
    h5ad_bytes(tmp_path / "t.h5ad", sparse.csr_matrix(thinned()).asformat(layout))
    import h5py

    with h5py.File(tmp_path / "t.h5ad", "r+") as file:
        file["X"][part][4] = 10**6
    with pytest.raises(InputError, match="is damaged, its sparse matrix has ind"):
        read_table(str(tmp_path / "t.h5ad"))

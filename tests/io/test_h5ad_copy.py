"""Copies of h5ad files: what is taken is what anndata takes, and the rest has the same bits."""

import numpy as np
import pytest
from tests.io.annotated import P, rich, same_tables, stored, written

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

from eigenselect.io import h5ad_copy  # noqa: E402
from eigenselect.io.h5ad_copy import TakenError, check_free, mark_variables, take_variables  # noqa: E402
from eigenselect.io.h5ad_parts import BoundlessError, OutsideError, UnknownLayoutError, Wanted  # noqa: E402

#: all that a choice of variables leaves as it is
UNTOUCHED = ("obs", "obsm", "obsp", "uns", "raw")
CHOICES = [[0], [1, 3], [0, 1, 2, 3, 4], [4], []]


@pytest.fixture(scope="module")
def data():
    return rich()


@pytest.fixture(scope="module")
def content(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("h5ad") / "a.h5ad"
    written(path, data)
    return path.read_bytes()


@pytest.fixture
def path(content, tmp_path):
    (tmp_path / "a.h5ad").write_bytes(content)
    return str(tmp_path / "a.h5ad")


@pytest.mark.parametrize(("places", "block"), [*zip(CHOICES, [1, 3, 1 << 20, 4, 2], strict=True)])
def test_takes_what_anndata_takes(data, path, tmp_path, monkeypatch, places, block):
    """Whatever the size of blocks."""
    monkeypatch.setattr(h5ad_copy, "BLOCK", block)
    target = str(tmp_path / "t.h5ad")
    take_variables(path, target, Wanted(), np.array(places, dtype=np.intp))
    same_tables(anndata.read_h5ad(target), data[:, places].copy())


def test_all_that_is_not_of_the_variables_keeps_its_bits(tmp_path):
    source, target = written(tmp_path / "s.h5ad", rich(), compression="gzip"), str(tmp_path / "t.h5ad")
    take_variables(source, target, Wanted(), np.array([0, 2]))
    before, after = stored(source), stored(target)
    assert before.keys() == after.keys()
    for name, held in before.items():
        if name == "/" or name.split("/")[0] in UNTOUCHED:
            assert after[name] == held
        if len(held) > 1:  # types and filters stay, whatever the shape
            assert (after[name][0], after[name][1][0], after[name][1][3]) == (held[0], held[1][0], held[1][3])


def test_takes_all_of_raw_with_the_variables_of_raw(data, path, tmp_path):
    target = str(tmp_path / "t.h5ad")
    take_variables(path, target, Wanted(raw=True), np.array([1, 6, 7]))
    found, expected = anndata.read_h5ad(target), data.raw.to_adata()[:, [1, 6, 7]].copy()
    same_tables(found, expected)
    assert found.raw is None


def test_takes_one_modality_of_several(data, path, tmp_path):
    with h5py.File(path) as file, h5py.File(tmp_path / "m.h5mu", "w") as many:
        many.create_group("mod")
        file.copy("/", many["mod"], "rna")
    take_variables(str(tmp_path / "m.h5mu"), str(tmp_path / "t.h5ad"), Wanted(root="mod/rna"), np.array([0, 3]))
    same_tables(anndata.read_h5ad(tmp_path / "t.h5ad"), data[:, [0, 3]].copy())


@pytest.mark.parametrize("wanted", [Wanted(), Wanted(raw=True)])
def test_columns_are_added_and_nothing_else_changes(path, content, tmp_path, wanted):
    twin = tmp_path / "b.h5ad"
    twin.write_bytes(content)
    frame, n = wanted.variables, 8 if wanted.raw else P
    score, flag = np.arange(n) / 7, np.arange(n) % 2 == 0
    record = {"eigenselect": "1", "params": {"method": "laplacian", "alpha": 0.05}, "n_selected": 3}
    mark_variables(path, wanted, {"spectral_score": score, "spectral": flag}, ["mean"], record, "spectral")
    skip = (frame, "uns/spectral")
    assert stored(path, skip) == stored(twin, skip)
    before, after = stored(twin), stored(path)
    kept = [name for name in before if name.startswith(f"{frame}/") and not name.startswith(f"{frame}/mean")]
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    data = anndata.read_h5ad(path)
    variables = data.raw.var if wanted.raw else data.var
    np.testing.assert_array_equal(variables["spectral_score"], score)
    assert variables["spectral"].tolist() == flag.tolist()
    assert "mean" not in variables
    assert list(variables)[-2:] == ["spectral_score", "spectral"]
    assert data.uns["spectral"] == record
    assert data.uns["neighbors"]["params"]["n_neighbors"] == 3


def test_columns_of_an_earlier_call_are_replaced(path):
    for score in (np.zeros(P), np.ones(P)):
        mark_variables(path, Wanted(), {"kind": score}, [], {"n": 1}, "neighbors")
    data = anndata.read_h5ad(path)
    assert data.var["kind"].tolist() == [1.0] * P
    assert list(data.var).count("kind") == 1
    assert data.uns["neighbors"] == {"n": 1}


@pytest.mark.parametrize("place", ["uns/far", "obsm/X_pca", "varm/PCs", "layers/counts"])
def test_data_of_other_files_are_refused(path, tmp_path, place):
    """Also where a table does not read them."""
    with h5py.File(path, "r+") as file:
        if place in file:
            del file[place]
        file[place] = h5py.ExternalLink("/etc/hostname", "/")
    with pytest.raises(OutsideError):
        take_variables(path, str(tmp_path / "t.h5ad"), Wanted(), np.array([0]))


@pytest.mark.parametrize(("part", "value"), [("indices", 99), ("indices", -1), ("indptr", 99), ("indptr", -1)])
def test_sparse_matrices_that_lead_astray_are_refused(path, tmp_path, part, value):
    with h5py.File(path, "r+") as file:
        file["layers/columns"][part][1] = value
    with pytest.raises(ValueError, match="out of range|lead astray"):
        take_variables(path, str(tmp_path / "t.h5ad"), Wanted(), np.array([0]))


def test_what_is_not_known_is_not_guessed(path, tmp_path):
    with h5py.File(path, "r+") as file:
        file["varm/table"].attrs["encoding-type"] = "awkward-array"
    with pytest.raises(UnknownLayoutError):
        take_variables(path, str(tmp_path / "t.h5ad"), Wanted(), np.array([0]))


def test_links_within_the_file_become_what_they_lead_to(data, path, tmp_path):
    with h5py.File(path, "r+") as file:
        file.move("obsm/X_pca", "uns/elsewhere")
        file["obsm/X_pca"] = h5py.SoftLink("/uns/elsewhere")
    take_variables(path, str(tmp_path / "t.h5ad"), Wanted(), np.array([0]))
    np.testing.assert_array_equal(anndata.read_h5ad(tmp_path / "t.h5ad").obsm["X_pca"], data.obsm["X_pca"])


class TestFree:
    """Where scores would be written, there must be nothing else."""

    def test_nothing_there_or_ours(self, path):
        check_free(path, Wanted(), "spectral", "eigenselect")
        mark_variables(path, Wanted(), {"spectral": np.zeros(P, dtype=bool)}, [], {"eigenselect": "1"}, "spectral")
        check_free(path, Wanted(), "spectral", "eigenselect")

    @pytest.mark.parametrize(("key", "place"), [("neighbors", "uns"), ("mean", "var"), ("kind", "var")])
    def test_something_else(self, path, key, place):
        with pytest.raises(TakenError, match=rf"{place}\['{key}'\]"):
            check_free(path, Wanted(), key, "eigenselect")

    def test_a_number_in_uns(self, path):
        with h5py.File(path, "r+") as file:
            file["uns/spectral"] = 3
        with pytest.raises(TakenError, match="uns"):
            check_free(path, Wanted(), "spectral", "eigenselect")

    def test_a_column_of_truth_values_gives_way(self, path):
        check_free(path, Wanted(), "ok", "eigenselect")


def test_scores_of_several_methods_of_an_earlier_call_are_gone(path):
    mark_variables(path, Wanted(), {"score": np.zeros(P)}, [], {"n": 1}, "PCs")
    data = anndata.read_h5ad(path)
    assert set(data.varm) == {"table", "thin"}
    assert data.uns["PCs"] == {"n": 1}


@pytest.mark.parametrize("link", [lambda file: file["var"], lambda file: h5py.SoftLink("/var")])
def test_what_has_two_names_is_not_written_to(path, link):
    """Else scores would appear in the other place, too."""
    with h5py.File(path, "r+") as file:
        del file["raw/var"]
        file["raw/var"] = link(file)
    with pytest.raises(UnknownLayoutError):
        mark_variables(path, Wanted(raw=True), {"score": np.zeros(P)}, [], {"n": 1}, "spectral")


def soft(target):
    return lambda file: h5py.SoftLink(target)


def hard(target):
    return lambda file: file[target]


@pytest.mark.parametrize("link", [soft("/uns"), soft("/"), soft("/nowhere"), hard("/uns"), hard("/")])
def test_circles_come_to_an_end(data, path, tmp_path, link):
    with h5py.File(path, "r+") as file:
        file["uns/loop"] = link(file)
    target = str(tmp_path / "t.h5ad")
    take_variables(path, target, Wanted(), np.array([0, 2]))
    with h5py.File(target) as file:
        np.testing.assert_array_equal(file["obsm/X_pca"], data.obsm["X_pca"])


def test_a_layer_that_only_claims_to_be_large_is_not_written_out(path, tmp_path):
    with h5py.File(path, "r+") as file:
        file.create_dataset("layers/claimed", (2**30, P), "f8", chunks=(1024, P))
    with pytest.raises(BoundlessError, match="/layers/claimed"):
        take_variables(path, str(tmp_path / "t.h5ad"), Wanted(), np.array([0, 2]))


def test_a_link_to_itself_is_damage(path, tmp_path):
    with h5py.File(path, "r+") as file:
        file["uns/loop"] = h5py.SoftLink("/uns/loop")
    with pytest.raises(RecursionError):
        take_variables(path, str(tmp_path / "t.h5ad"), Wanted(), np.array([0, 2]))


@pytest.mark.parametrize("place", ["layers/counts", "varm/PCs", "layers/columns/data", "varp/dense"])
def test_a_group_where_an_array_belongs(path, tmp_path, place):
    with h5py.File(path, "r+") as file:
        del file[place]
        file.create_group(place)
    with pytest.raises((UnknownLayoutError, AttributeError, TypeError)):
        take_variables(path, str(tmp_path / "t.h5ad"), Wanted(), np.array([0]))

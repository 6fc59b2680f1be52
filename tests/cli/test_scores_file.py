"""``rank -o FILE.h5ad``: scores in var under the names of `eigenselect.pp`, and all else with the same bits."""

import warnings

import numpy as np
import pandas as pd
import pytest
from tests.io.annotated import as_of_0_7

import eigenselect as es

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")


@pytest.fixture
def rank(call, tmp_path):
    """Rank and read what stands in the file then."""

    def run(path, *words):
        target = tmp_path / "t.h5ad"
        assert call("rank", path, *words, "-o", target, "--force", "-q") == (0, "", "")
        return anndata.read_h5ad(target)

    return run


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("--obsp spatial_connectivities", {"obsp": "spatial_connectivities"}),
        ("--obsp spatial_connectivities --layer log", {"obsp": "spatial_connectivities", "layer": "log"}),
        ("--obsp connectivities -k 3", {"obsp": "connectivities", "n_top_genes": 3, "significance": None}),
        (
            "--obsp connectivities -k fdr --significance true --alpha 0.2",
            {"obsp": "connectivities", "significance": "given", "alpha": 0.2},
        ),
        ("--obsm spatial", {"use_rep": "spatial"}),
        ("--obsm spatial --method moran -k fdr", {"use_rep": "spatial", "method": "moran"}),
        ("--label type --method fisher", {"label_key": "type", "method": "fisher"}),
    ],
)
def test_the_same_columns_as_the_verb(rank, cells, cells_path, line, how):
    es.pp.spectral_features(cells, **how)
    found = rank(cells_path, *line.split())
    pd.testing.assert_frame_equal(found.var, cells.var, rtol=1e-12)
    ours, theirs = found.uns["spectral"], cells.uns["spectral"]
    assert (ours["rule"], ours["n_selected"]) == (theirs["rule"], theirs["n_selected"])
    shared = ours["params"].keys() & theirs["params"].keys()
    assert shared >= {"method", "significance"}
    assert {name: ours["params"][name] for name in shared} == {name: theirs["params"][name] for name in shared}


@pytest.mark.filterwarnings("ignore:.*encoding metadata")
@pytest.mark.parametrize("old", [False, True])
def test_covariates_of_another_file(rank, cells, cells_path, tmp_path, old):
    depth = pd.DataFrame({"depth": np.arange(60.0)}, index=cells.obs_names)
    depth.to_csv(tmp_path / "sheet.csv", index_label="cell")
    es.pp.spectral_features(cells, label_key="type", method="fisher", covariates=depth)
    if old:
        as_of_0_7(cells_path)
    words = ("--label", "type", "--method", "fisher", "--covariates", f"{tmp_path / 'sheet.csv'}:depth")
    found = rank(cells_path, *words)
    np.testing.assert_allclose(found.var["spectral_score"], cells.var["spectral_score"], rtol=1e-6)
    assert list(found.uns["spectral"]["params"]["covariates"]) == ["depth"]


@pytest.mark.parametrize("shift", [0, -0.5])
def test_values_below_zero_are_not_expression(rank, cells, tmp_path, shift):
    cells.X = cells.X.toarray() + np.float32(shift)
    cells.write_h5ad(tmp_path / "shifted.h5ad")
    found = rank(tmp_path / "shifted.h5ad", "--label", "type")
    assert found.var["spectral_n_expressed"].isna().tolist() == [shift < 0] * 8


class TestTheFile:
    def test_scores_of_raw_stand_in_raw(self, rank, summary_of, cells_path):
        found = rank(cells_path, "--label", "type", "--raw")
        assert "spectral_score" not in found.var
        rows = summary_of("rank", cells_path, "--label", "type", "--raw")["features"]
        assert {row["feature"]: row["score"] for row in rows} == found.raw.var["spectral_score"].to_dict()

    def test_variables_that_were_not_ranked(self, rank, summary_of, cells_path):
        words = (cells_path, "--label", "type", "--ignore", "g1,g6")
        found = rank(*words, "-k", "2").var.filter(like="spectral")
        left = found.loc[["g1", "g6"]]
        assert not left.pop("spectral").any()
        assert left.isna().all(axis=None)
        for row in summary_of("rank", *words)["features"]:
            values = found.loc[row["feature"], ["spectral_score", "spectral_rank", "spectral_qval"]]
            assert values.tolist() == [row["score"], row["rank"], row["qvalue"]]

    def test_equal_names_have_their_own_scores(self, call, cells, tmp_path):
        expected = es.FisherScore().fit(cells.X, cells.obs["type"].astype(str)).scores_
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that names are not unique
            cells.var_names = ["a", "b", "a", "a", "c", "b", "d", "e"]
            cells.write_h5ad(tmp_path / "twice.h5ad")
        assert call("rank", tmp_path / "twice.h5ad", "--label", "type", "-o", tmp_path / "t.h5ad", "-q").code == 0
        with pytest.warns(UserWarning, match="not unique"):
            found = anndata.read_h5ad(tmp_path / "t.h5ad")
        np.testing.assert_allclose(found.var["spectral_score"].to_numpy(), expected, rtol=1e-12)

    @pytest.mark.parametrize("name", ["s.csv", "s.npz"])
    def test_other_formats_make_a_new_file(self, rank, cells, tmp_path, name):
        X, names = cells.X.toarray().astype(np.float64), cells.var_names.to_numpy(dtype=str)
        if name == "s.csv":
            pd.DataFrame(X, columns=names).assign(type=cells.obs["type"].tolist()).to_csv(tmp_path / name, index=False)
        else:
            np.savez(tmp_path / name, X=X, feature_names=names, type=cells.obs["type"].to_numpy(str))
        found = rank(tmp_path / name, "--label", "type", "-k", "3")
        np.testing.assert_array_equal(found.X, X)
        assert found.obs["type"].tolist() == cells.obs["type"].tolist()
        assert found.var["spectral"].sum() == 3
        assert found.uns["spectral"]["params"]["label_key"] == "type"

    def test_fuse_writes_scores_too(self, call, summary_of, cells_path, tmp_path):
        assert call("fuse", cells_path, "-k", "3", "-o", tmp_path / "f.h5ad", "-q") == (0, "", "")
        found = anndata.read_h5ad(tmp_path / "f.h5ad").var
        assert found["spectral"].sum() == 3
        expected = {row["feature"]: row["score"] for row in summary_of("fuse", cells_path)["features"]}
        assert found["spectral_score"].to_dict() == pytest.approx(expected)


class TestRefused:
    @pytest.mark.parametrize("place", ["uns", "var"])
    def test_what_would_be_lost(self, refused, cells_path, tmp_path, place, monkeypatch):
        """Before anything is computed."""
        with h5py.File(cells_path, "r+") as file:
            file[f"{place}/spectral"] = np.arange(8.0)
        monkeypatch.setattr("eigenselect.cli.run.fit_watched", None)
        refused(1, f"{place}['spectral']", "rank", cells_path, "--label", "type", "-o", tmp_path / "t.h5ad")
        assert not (tmp_path / "t.h5ad").exists()

    def test_over_the_input(self, refused, cells_path):
        before = cells_path.read_bytes()
        refused(1, "write to another file", "rank", cells_path, "--label", "type", "-o", cells_path, "--force")
        assert cells_path.read_bytes() == before

    def test_a_file_that_changes_meanwhile(self, refused, cells, cells_path, tmp_path, monkeypatch):
        from eigenselect.cli import run

        real = run.fit_watched

        def meanwhile(*words, **how):
            cells.obs["other"] = 1.0
            cells.write_h5ad(cells_path)
            return real(*words, **how)

        monkeypatch.setattr(run, "fit_watched", meanwhile)
        refused(1, "changed while", "rank", cells_path, "--label", "type", "-o", tmp_path / "t.h5ad")
        assert not (tmp_path / "t.h5ad").exists()

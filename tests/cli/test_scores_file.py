"""``rank -o FILE.h5ad``: scores in var under the names of `eigenselect.pp`, and all else with the same bits."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.io.annotated import as_of_0_7, stored, written

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")

import eigenselect as es  # noqa: E402
from eigenselect.single_cell.record import COLUMNS  # noqa: E402

N, P = 60, 8
NAMES = ["spectral", *(f"spectral_{end}" for end in COLUMNS)]


def made(seed=0):
    """Cells in a line, of two kinds; genes 2 and 5 follow both."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(1.0, size=(N, P)).astype(np.float32)
    X[: N // 2, [2, 5]] += [3, 2]
    X[rng.random(X.shape) < 0.3] = 0
    line = sparse.diags_array([np.ones(N - 1)] * 2, offsets=[-1, 1], format="csr")
    obs = pd.DataFrame(
        {"type": pd.Categorical(np.where(np.arange(N) < N // 2, "B", "T"), categories=["T", "B"])},
        index=[f"c{i}" for i in range(N)],
    )
    var = pd.DataFrame({"length": np.arange(P)}, index=[f"g{j}" for j in range(P)])
    data = anndata.AnnData(sparse.csr_matrix(X), obs=obs, var=var)
    data.obsp["spatial_connectivities"] = data.obsp["connectivities"] = line
    data.obsm["spatial"] = np.column_stack([np.arange(N) % 5, np.arange(N) // 5 + rng.random(N) / 9])
    data.layers["log"] = np.log1p(X)
    data.uns["other"] = {"a": 1}
    data.raw = anndata.AnnData(sparse.csr_matrix(np.hstack([X, X[:, :1] * 2])), obs=obs).copy()
    return data


@pytest.fixture
def data():
    return made()


@pytest.fixture
def path(tmp_path, data):
    return written(tmp_path / "s.h5ad", data)


@pytest.fixture
def rank(call, tmp_path):
    """Rank and give what stands in the file then."""

    def run(path, *words):
        target = tmp_path / "t.h5ad"
        code, out, err = call("rank", path, *words, "-o", target, "--force", "-q")
        assert (code, out, err) == (0, "", "")
        return anndata.read_h5ad(target)

    return run


class TestTheVerb:
    """The file holds what the verb writes into an AnnData in memory."""

    @pytest.mark.parametrize(
        ("words", "how"),
        [
            (["--obsp", "spatial_connectivities"], {"obsp": "spatial_connectivities"}),
            (
                ["--obsp", "spatial_connectivities", "--layer", "log"],
                {"obsp": "spatial_connectivities", "layer": "log"},
            ),
            (
                ["--obsp", "connectivities", "-k", "3"],
                {"obsp": "connectivities", "n_top_genes": 3, "significance": None},
            ),
            (
                ["--obsp", "connectivities", "-k", "fdr", "--significance", "true", "--alpha", "0.2"],
                {"obsp": "connectivities", "significance": "given", "alpha": 0.2},
            ),
            (["--obsm", "spatial"], {"use_rep": "spatial"}),
            (["--obsm", "spatial", "--method", "moran", "-k", "fdr"], {"use_rep": "spatial", "method": "moran"}),
            (["--label", "type", "--method", "fisher"], {"label_key": "type", "method": "fisher"}),
            (
                ["--obsp", "connectivities", "--method", "moran"],
                {"obsp": "connectivities", "method": "moran", "significance": None},
            ),
        ],
    )
    def test_the_same_columns(self, rank, data, path, words, how):
        es.pp.spectral_features(data, **how)
        found = rank(path, *words)
        pd.testing.assert_frame_equal(found.var, data.var, rtol=1e-12)
        assert found.uns["spectral"]["rule"] == data.uns["spectral"]["rule"]
        assert found.uns["spectral"]["n_selected"] == data.uns["spectral"]["n_selected"]
        shared = found.uns["spectral"]["params"].keys() & data.uns["spectral"]["params"].keys()
        assert shared >= {"method", "significance"}
        for name in shared:
            assert found.uns["spectral"]["params"][name] == data.uns["spectral"]["params"][name]

    def test_its_pictures_take_the_file(self, rank, path):
        pytest.importorskip("matplotlib").use("agg")
        found = rank(path, "--obsp", "spatial_connectivities")
        axes = es.pl.ranking(found, show=False)
        assert axes is not None


class TestTheFile:
    @pytest.mark.parametrize("words", [[], ["--layer", "log"], ["--raw"], ["--ignore", "g1"], ["--scale", "standard"]])
    def test_all_else_has_the_same_bits(self, rank, path, tmp_path, words):
        rank(path, "--label", "type", *words)
        variables = "raw/var" if "--raw" in words else "var"
        skip = (variables, "uns/spectral")
        before, after = stored(path), stored(tmp_path / "t.h5ad")
        assert stored(tmp_path / "t.h5ad", skip) == stored(path, skip)
        columns = [name for name in before if name.startswith(f"{variables}/")]
        assert {name: after[name] for name in columns} == {name: before[name] for name in columns}

    def test_scores_of_raw_stand_in_raw(self, rank, path, call):
        found = rank(path, "--label", "type", "--raw")
        assert "spectral_score" in found.raw.var
        assert "spectral_score" not in found.var
        rows = json.loads(call("rank", path, "--label", "type", "--raw", "--json")[1])["features"]
        assert {row["feature"]: row["score"] for row in rows} == found.raw.var["spectral_score"].to_dict()

    def test_variables_that_were_not_ranked(self, rank, path, call):
        found = rank(path, "--label", "type", "--ignore", "g1,g6", "-k", "2").var
        left = found.loc[["g1", "g6"]]
        assert not left["spectral"].any()
        assert left[[name for name in NAMES if name != "spectral"]].isna().all(axis=None)
        rows = json.loads(call("rank", path, "--label", "type", "--ignore", "g1,g6", "--json")[1])["features"]
        for row in rows:
            assert found.loc[row["feature"], "spectral_score"] == row["score"]
            assert found.loc[row["feature"], "spectral_rank"] == row["rank"]
            assert found.loc[row["feature"], "spectral_qval"] == row["qvalue"]

    def test_equal_names_have_their_own_scores(self, call, data, tmp_path):
        expected = es.FisherScore().fit(data.X, data.obs["type"].astype(str)).scores_
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that names are not unique
            data.var_names = ["a", "b", "a", "a", "c", "b", "d", "e"]
            path = written(tmp_path / "twice.h5ad", data)
        assert call("rank", path, "--label", "type", "-o", tmp_path / "t.h5ad", "-q") == (0, "", "")
        with pytest.warns(UserWarning, match="not unique"):
            found = anndata.read_h5ad(tmp_path / "t.h5ad")
        np.testing.assert_allclose(found.var["spectral_score"].to_numpy(), expected, rtol=1e-12)

    @pytest.mark.filterwarnings("ignore:Element.*was written without encoding")
    def test_files_of_old_versions(self, rank, data, tmp_path):
        new, old = written(tmp_path / "n.h5ad", data), written(tmp_path / "o.h5ad", data)
        data.var["kind"] = pd.Categorical(["x", "y"] * 4)
        as_of_0_7(written(old, data))
        expected = rank(new, "--label", "type").var
        found = rank(old, "--label", "type").var
        assert found.pop("kind").tolist() == ["x", "y"] * 4
        pd.testing.assert_frame_equal(found, expected)

    def test_a_second_call_replaces_the_first(self, rank, path, tmp_path):
        first = rank(path, "--label", "type", "-k", "2")
        (tmp_path / "t.h5ad").rename(tmp_path / "first.h5ad")
        second = rank(str(tmp_path / "first.h5ad"), "--method", "mrsf", "-k", "2", "--scale", "standard")
        assert sorted(second.var) == sorted({*first.var} - {"spectral_n_expressed"})  # of scaled values nobody knows it
        assert second.var["spectral_pval"].isna().all()
        assert second.uns["spectral"]["params"]["method"] == "mrsf"
        assert "label_key" not in second.uns["spectral"]["params"]

    @pytest.mark.parametrize("name", ["s.csv", "s.npz"])
    def test_other_formats_make_a_new_file(self, rank, data, tmp_path, name):
        X = data.X.toarray().astype(np.float64)
        names = data.var_names.to_numpy(dtype=str)
        if name == "s.csv":
            frame = pd.DataFrame(X, columns=names).assign(type=data.obs["type"].tolist())
            frame.to_csv(tmp_path / name, index=False)
        else:
            np.savez(tmp_path / name, X=X, feature_names=names, type=data.obs["type"].to_numpy(str))
        found = rank(tmp_path / name, "--label", "type", "-k", "3")
        np.testing.assert_array_equal(found.X, X)
        assert found.obs["type"].tolist() == data.obs["type"].tolist()
        assert set(found.var) == set(NAMES)
        assert found.var["spectral"].sum() == 3
        assert found.uns["spectral"]["params"]["label_key"] == "type"

    def test_it_is_read_and_written_again(self, rank, path, tmp_path):
        found = rank(path, "--label", "type")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.write_h5ad(tmp_path / "again.h5ad")
        pd.testing.assert_frame_equal(anndata.read_h5ad(tmp_path / "again.h5ad").var, found.var)

    def test_fuse_writes_scores_too(self, call, path, tmp_path):
        code, _, err = call("fuse", path, "-k", "3", "-o", tmp_path / "f.h5ad", "-q")
        assert (code, err) == (0, "")
        found = anndata.read_h5ad(tmp_path / "f.h5ad")
        assert found.var["spectral"].sum() == 3
        rows = json.loads(call("fuse", path, "--json", "-q")[1])["features"]
        assert found.var["spectral_score"].to_dict() == pytest.approx({row["feature"]: row["score"] for row in rows})


class TestRefused:
    @pytest.mark.parametrize("place", ["uns/spectral", "var/spectral"])
    def test_what_would_be_lost(self, call, path, tmp_path, place, monkeypatch):
        """Before anything is computed."""
        with h5py.File(path, "r+") as file:
            file[place] = np.arange(float(P))
        monkeypatch.setattr("eigenselect.cli.run.fit_watched", None)
        code, out, err = call("rank", path, "--label", "type", "-o", tmp_path / "t.h5ad")
        assert (code, out) == (1, "")
        assert f"{place.split('/')[0]}['spectral'] holds something else, which would be lost; rename that first" in err
        assert not (tmp_path / "t.h5ad").exists()

    def test_over_the_input(self, call, path, tmp_path):
        before = (tmp_path / "s.h5ad").read_bytes()
        code, _, err = call("rank", path, "--label", "type", "-o", path, "--force")
        assert code == 1
        assert "is a file that is read; write to another file" in err
        assert (tmp_path / "s.h5ad").read_bytes() == before

    def test_compare_has_no_scores_to_write(self, call, path, tmp_path):
        code, _, err = call("compare", path, "--label", "type", "-o", tmp_path / "t.h5ad")
        assert code == 2
        assert "the ending must be .csv, .tsv, .json or .md." in err

    def test_a_file_that_changes_meanwhile(self, call, path, tmp_path, monkeypatch):
        from eigenselect.cli import run

        real = run.fit_watched

        def meanwhile(*words, **how):
            written(path, made(seed=1))
            return real(*words, **how)

        monkeypatch.setattr(run, "fit_watched", meanwhile)
        code, _, err = call("rank", path, "--label", "type", "-o", tmp_path / "t.h5ad")
        assert code == 1
        assert "was changed while it was read; run again" in err
        assert not (tmp_path / "t.h5ad").exists()

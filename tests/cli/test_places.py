"""``--obsm``: neighbours in coordinates of the file make the graph; `test_scores_file` holds it to the verb."""

import html
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from eigenselect import LaplacianScore
from eigenselect.similarity import KNN, RBF, FromTable

anndata = pytest.importorskip("anndata")
SPATIAL = ("--obsm", "spatial")


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    places = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), axis=-1).reshape(-1, 2)
    X = rng.normal(size=(64, 12))
    X[:, 0] += places[:, 0]
    kinds = np.where(rng.random(64) < 0.5, "a", "b")
    adata = anndata.AnnData(X, obs=pd.DataFrame({"kind": kinds}).set_axis(map("s{}".format, range(64))))
    adata.obsm["spatial"], adata.obsm["X_umap"] = places, places[:, ::-1].copy()
    adata.obsm["cube"] = np.zeros((64, 2, 2))
    adata.obsm["frame"] = pd.DataFrame(places, index=adata.obs_names, columns=["x", "y"])
    adata.obsp["near"] = KNN(4).build(places).affinity
    return adata, places


@pytest.fixture
def path(data, tmp_path):
    data[0].write_h5ad(tmp_path / "slide.h5ad")
    return tmp_path / "slide.h5ad"


@pytest.mark.parametrize(("text", "similarity"), [("knn:k=6", KNN(6)), ("rbf:bandwidth=2", RBF(2.0))])
def test_any_similarity_of_them(summary_of, by_column, data, path, text, similarity):
    adata, places = data
    expected = LaplacianScore(similarity=FromTable(places, similarity), significance=True).fit(adata.X)
    found = summary_of("rank", path, *SPATIAL, "--similarity", text)
    graph = found["graph"]
    assert (graph["similarity"], graph["made_of"]) == (type(similarity).__name__, "obsm['spatial']")
    assert graph.get("n_neighbors") == getattr(similarity, "n_neighbors", None)
    np.testing.assert_allclose(by_column(found, "score"), expected.scores_, rtol=1e-9)
    np.testing.assert_allclose(by_column(found, "qvalue"), expected.qvalues_, rtol=1e-6)


def test_the_record_in_a_file_says_which_graph(succeed, path, tmp_path):
    records = {}
    for words, similarity, graph in (
        ("--obsm spatial", None, "KNN of obsm['spatial'], 14 neighbours"),
        ("--obsm spatial --similarity knn:k=6", "knn:k=6", "KNN of obsm['spatial'], 6 neighbours"),
        ("--similarity knn:k=7", "knn:k=7", "KNN, 7 neighbours"),
        ("--method spec-phi1 --similarity rbf", "rbf", "RBF, σ = "),
        ("--obsp near", None, "precomputed of obsp['near']"),
    ):
        succeed("rank", path, *words.split(), "-o", tmp_path / "t.h5ad", "--force")
        record = records[words] = dict(anndata.read_h5ad(tmp_path / "t.h5ad").uns["spectral"]["params"])
        assert record.get("similarity") == similarity, words
        assert record.pop("sample_graph").startswith(graph), words
    default, knn = list(records.values())[:2]
    assert knn == {**default, "similarity": "knn:k=6"}


def test_text_page_and_markdown_say_what_the_graph_is(succeed, path, tmp_path):
    words = ("--no-evaluation", "--report", tmp_path / "p.html", "-o", tmp_path / "r.md")
    assert "KNN (of obsm['spatial'])" in succeed("rank", path, *SPATIAL, "-k", 3, *words).err
    page, text = (html.unescape((tmp_path / name).read_text(encoding="utf-8")) for name in ("p.html", "r.md"))
    assert re.search(r"<td>KNN</td></tr>\s*<tr><th scope=\"row\">of</th><td>obsm\['spatial'\]</td>", page)
    assert "| graph | KNN of obsm['spatial'] |" in text.replace("\\", "")
    assert "precomputed" not in text
    assert ">precomputed<" not in page
    assert "obsp['near'] was not made" in succeed("rank", path, "--obsp", "near", "--significance", "true").err


@pytest.mark.slow
def test_other_formats_have_coordinates_too(summary_of, data, path, tmp_path):
    """The same ranking from h5ad, zarr and a modality of h5mu."""
    pytest.importorskip("zarr")
    mudata = pytest.importorskip("mudata")
    with warnings.catch_warnings(action="ignore"):
        data[0].write_zarr(tmp_path / "slide.zarr")
        mudata.MuData({"rna": data[0]}).write(tmp_path / "slide.h5mu")
    names = ("slide.h5ad", "slide.zarr", "slide.h5mu:rna")
    first, *others = (summary_of("rank", tmp_path / name, *SPATIAL)["features"] for name in names)
    assert all(result == first for result in others)
    assert [row["feature"] for row in first if row["qvalue"] < 0.05] == ["0"]  # and no noise


def test_one_place_for_all_and_for_many(succeed, refused, data, path):
    """Noise on a graph of equal places would be called significant."""
    adata, places = data
    adata.obsm["spatial_lost"] = np.zeros((64, 2))
    adata.obsm["spatial_half"] = np.where(np.arange(64)[:, None] < 32, 0.0, places)
    adata.obsm["spatial_missing"] = np.where(np.arange(64)[:, None] == 3, np.nan, places)
    adata.write_h5ad(path)
    refused(1, "all 64 cells", "rank", path, "--obsm", "spatial_lost")
    refused(1, ["--obsm spatial_missing", "NaN"], "rank", path, "--obsm", "spatial_missing")
    assert "warning: 32 of 64 cells" in succeed("rank", path, "--obsm", "spatial_half").err
    assert "32 of 64" not in succeed("rank", path, "--obsm", "spatial_half", "--similarity", "rbf").err


@pytest.mark.parametrize("name", ["X_pca", "spatial_pca", "X_spatial_umap", "Spatial", "spatial_of_5"])
def test_noise_is_never_found_on_a_map_that_it_made_itself(succeed, refused, summary_of, data, path, name):
    adata, _ = data
    adata.obsm[name] = adata.X[:, : 5 if name.endswith("5") else 2].copy()
    adata.write_h5ad(path)
    assert summary_of("rank", path, "--obsm", name)["significance"] is None
    assert "significance='split'" in succeed("rank", path, "--obsm", name).err
    assert summary_of("rank", path, "--obsm", name, "--significance", "true")["significance"]["n_tested"] == 12
    refused(2, f"--obsm {name}", "rank", path, "--obsm", name, "-k", "fdr")


def test_labels_and_samples_without_one(summary_of, by_column, data, path):
    adata, places = data
    adata.obs["kind"] = adata.obs["kind"].where(np.arange(64) > 3)
    adata.write_h5ad(path)
    words = ("--similarity", "knn:k=4", "--label", "kind", "--drop-unlabelled", "--method", "laplacian")
    expected = LaplacianScore().fit(adata.X[4:], similarity_matrix=KNN(4).build(places[4:]).affinity)
    found = by_column(summary_of("rank", path, *SPATIAL, *words), "score")
    np.testing.assert_allclose(found, expected.scores_, rtol=1e-9)


@pytest.mark.parametrize("line", ["rank", "rank -k 2", "select -k 2", "rank --method variance --label kind"])
def test_who_ranks_without_them_is_told_words_that_work(succeed, path, line):
    command, *words = line.split()
    advice = re.search(r"(--method laplacian --obsm spatial .*?) tests", succeed(command, path, *words).err)[1]
    kept = [word for word in words if word not in ("--method", "variance")]
    assert "of 12 tested features" in succeed(command, path, *kept, *advice.split()).err


def test_who_has_no_use_for_them_is_not_told(succeed, data, path):
    for line in (
        "rank --label kind",
        "rank --label kind --method relieff",
        "rank --obsp near",
        "rank --significance none",
        "select --significance none -k 2",
        "fuse",
        "fuse --significance none",
    ):
        command, *words = line.split()
        err = succeed(command, path, *words).err
        assert "--obsm" not in err, line
        assert "none" not in line or "Not tested" not in err, line
    data[0][:4].copy().write_h5ad(path)
    assert "--obsm" not in succeed("rank", path).err


@pytest.mark.parametrize("line", ["--label kind", "--label some", "--method mrsf -k 3"])
def test_a_method_without_p_values_names_one_that_has_them_on_this_graph(succeed, summary_of, data, path, line):
    adata, _ = data
    adata.obs["some"] = adata.obs["kind"].where(np.arange(64) > 9)
    adata.write_h5ad(path)
    err = succeed("rank", path, *SPATIAL, *line.split()).err
    assert "--drop-unlabelled" not in err
    advice = re.search(r"\((--method laplacian [^)]*)\)", err)[1]
    kept = [word for word in line.split() if word not in ("--method", "mrsf")]
    found = summary_of("rank", path, *SPATIAL, *kept, *advice.split())
    assert found["significance"]["n_tested"] == 12


def test_what_does_not_go(refused, path):
    for line, code, keywords in (
        ("--obsm spatia", 1, "did you mean 'spatial'?"),
        ("--obsm cube", 1, ["obsm", "64"]),
        ("--obsm frame", 1, "'frame' of obsm"),
        ("--obsm spatial --obsp x", 2, "two sample graphs"),
        ("--obsm spatial --significance split", 2, ["--obsm spatial", "use true"]),
        ("--obsm X_umap -k fdr", 2, ["--obsm X_umap", "--significance true"]),
        ("--obsm spatial --transpose", 1, "obsm"),
        ("--obsm spatial --label kind -k fdr", 2, ["spec-phi1", "geary"]),
        ("--obsm spatial --method variance", 2, "the method variance"),
        ("--obsm spatial --similarity class_labels", 2, "made of labels"),
    ):
        refused(code, keywords, "rank", path, *line.split())

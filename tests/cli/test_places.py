"""``--obsm``: neighbours in coordinates of the file make the graph; `test_scores_file` holds it to the verb."""

import html
import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from eigenselect import LaplacianScore
from eigenselect.similarity import KNN, RBF, FromTable

anndata = pytest.importorskip("anndata")


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    places = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), axis=-1).reshape(-1, 2)
    X = rng.normal(size=(64, 12))
    X[:, 0] += places[:, 0]
    kinds = np.where(rng.random(64) < 0.5, "a", "b")
    return anndata.AnnData(X, obs=pd.DataFrame({"kind": kinds}).set_axis(map("s{}".format, range(64)))), places


@pytest.fixture
def path(data, tmp_path):
    adata, places = data
    adata.obsm["spatial"], adata.obsm["X_umap"] = places, places[:, ::-1].copy()
    adata.obsm["cube"] = np.zeros((64, 2, 2))
    adata.obsm["frame"] = pd.DataFrame(places, index=adata.obs_names, columns=["x", "y"])
    adata.write_h5ad(tmp_path / "slide.h5ad")
    return tmp_path / "slide.h5ad"


@pytest.mark.parametrize(("text", "similarity"), [("knn:k=6", KNN(6)), ("rbf:bandwidth=2", RBF(2.0))])
def test_any_similarity_of_them(call, data, path, text, similarity):
    adata, places = data
    how = FromTable(places, similarity)
    expected = LaplacianScore(similarity=how, significance=True).fit(adata.X)
    code, out, err = call("rank", path, "--obsm", "spatial", "--similarity", text, "--json")
    assert code == 0, err
    assert f"graph: {type(similarity).__name__} (of obsm['spatial'])" in err
    graph = json.loads(out)["graph"]
    assert (graph["similarity"], graph["made_of"]) == (type(similarity).__name__, "obsm['spatial']")
    assert graph.get("n_neighbors") == getattr(similarity, "n_neighbors", None)
    found = {row["column"]: row for row in json.loads(out)["features"]}
    np.testing.assert_allclose([found[j]["score"] for j in range(12)], expected.scores_, rtol=1e-9)
    np.testing.assert_allclose([found[j]["qvalue"] for j in range(12)], expected.qvalues_, rtol=1e-6)


def test_the_record_in_a_file_says_which_similarity(call, path, tmp_path):
    """Without it the record would be that of other scores."""
    for name, words in (("default", ()), ("knn", ("--similarity", "knn:k=6"))):
        assert call("rank", path, "--obsm", "spatial", *words, "-o", tmp_path / f"{name}.h5ad")[0] == 0
    default, knn = (
        anndata.read_h5ad(tmp_path / f"{name}.h5ad").uns["spectral"]["params"] for name in ("default", "knn")
    )
    assert default["sample_graph"] == "KNN of obsm['spatial'], 14 neighbours, rbf weights"
    six = "KNN of obsm['spatial'], 6 neighbours, rbf weights, σ = "
    assert knn["sample_graph"].startswith(six)
    assert dict(knn) == {**default, "similarity": "knn:k=6", "sample_graph": knn["sample_graph"]}


@pytest.mark.parametrize("words", [("--similarity", "knn:k=7"), ("--method", "spec-phi1", "--similarity", "rbf")])
def test_the_record_names_a_similarity_of_the_features_too(call, path, tmp_path, words):
    assert call("rank", path, *words, "-o", tmp_path / "t.h5ad")[0] == 0
    record = anndata.read_h5ad(tmp_path / "t.h5ad").uns["spectral"]["params"]
    assert record["similarity"] == words[-1]
    assert record["sample_graph"].startswith("KNN, 7 neighbours" if "knn" in words[-1] else "RBF, σ = ")


def test_the_page_and_markdown_say_what_the_graph_is(call, path, tmp_path):
    words = ("--no-evaluation", "--report", tmp_path / "p.html", "-o", tmp_path / "r.md")
    code, _, err = call("rank", path, "--obsm", "spatial", "-k", 3, *words)
    assert code == 0, err
    page, text = (html.unescape((tmp_path / name).read_text(encoding="utf-8")) for name in ("p.html", "r.md"))
    text = text.replace("\\", "")
    assert re.search(
        r"similarity</th><td>KNN</td></tr>\s*<tr><th scope=\"row\">of</th><td>obsm\['spatial'\]</td>", page
    )
    assert "Samples were compared in the coordinates obsm['spatial'], not in the features." in page
    assert "| graph | KNN of obsm['spatial'] |" in text
    assert "precomputed" not in text
    assert ">precomputed<" not in page


def test_a_graph_of_the_file_is_named(call, data, path, tmp_path):
    adata, places = data
    adata.obsp["near"] = KNN(4).build(places).affinity
    adata.write_h5ad(path)
    code, out, err = call("rank", path, "--obsp", "near", "-o", tmp_path / "t.h5ad", "--json")
    assert code == 0, err
    assert "graph: precomputed (obsp['near'])" in err
    told = call("rank", path, "--obsp", "near", "--significance", "true")[2]
    assert "These hold if obsp['near'] was not made of these features." in told
    assert json.loads(out)["graph"]["made_of"] == "obsp['near']"
    assert anndata.read_h5ad(tmp_path / "t.h5ad").uns["spectral"]["params"]["sample_graph"] == (
        "precomputed of obsp['near']"
    )


def test_other_formats_have_coordinates_too(call, data, path, tmp_path):
    """The same ranking from h5ad, zarr and a modality of h5mu."""
    adata = data[0]
    pytest.importorskip("zarr")
    mudata = pytest.importorskip("mudata")
    with warnings.catch_warnings(action="ignore"):
        adata.write_zarr(tmp_path / "slide.zarr")
        mudata.MuData({"rna": adata}).write(tmp_path / "slide.h5mu")
    results = []
    for name in ("slide.h5ad", "slide.zarr", "slide.h5mu:rna"):
        code, out, err = call("rank", tmp_path / name, "--obsm", "spatial", "--json")
        assert code == 0, err
        results.append(json.loads(out)["features"])
    assert all(result == results[0] for result in results)
    assert results[0][0]["qvalue"] < 0.05


def test_one_place_for_all_and_for_many(call, data, path):
    """Noise on a graph of equal places would be called significant."""
    adata, places = data
    adata.obsm["spatial_lost"] = np.zeros((64, 2))
    adata.obsm["spatial_half"] = np.where(np.arange(64)[:, None] < 32, 0.0, places)
    adata.write_h5ad(path)
    code, out, err = call("rank", path, "--obsm", "spatial_lost")
    assert (code, out) == (1, "")
    assert "--obsm spatial_lost: all 64 cells have the same place in obsm['spatial_lost']" in err
    code, _, err = call("rank", path, "--obsm", "spatial_half")
    assert code == 0, err
    assert "warning: 32 of 64 cells have one and the same place in obsm['spatial_half'], more than the 14 neigh" in err
    err = call("rank", path, "--obsm", "spatial_half", "--similarity", "rbf")[2]
    assert "one and the same place" not in err


def test_noise_is_not_found_and_one_gene_is(call, path):
    code, out, err = call("rank", path, "--obsm", "spatial", "-k", "fdr", "--json")
    assert code == 0, err
    assert [row["feature"] for row in json.loads(out)["features"]] == ["0"]


@pytest.mark.parametrize("name", ["X_pca", "spatial_pca", "X_spatial_umap", "Spatial", "spatial_of_5"])
def test_noise_is_never_found_on_a_map_that_it_made_itself(call, data, path, name):
    adata, _ = data
    adata.obsm[name] = adata.X[:, : 5 if name.endswith("5") else 2].copy()
    adata.write_h5ad(path)
    code, out, err = call("rank", path, "--obsm", name, "--json")
    assert code == 0, err
    assert json.loads(out)["significance"] is None
    assert "if these features did not make the graph; if they did, use significance='split' without it" in err
    split = json.loads(call("rank", path, "--significance", "split", "--json")[1])
    assert split["significance"]["n_tested"] == 12
    assert call("rank", path, "--obsm", name, "-k", "fdr")[0] == 2


def test_maps_of_the_genes_have_no_p_values_unless_somebody_says_so(call, path):
    assert json.loads(call("rank", path, "--obsm", "X_umap", "--json")[1])["significance"] is None
    told = json.loads(call("rank", path, "--obsm", "X_umap", "--significance", "true", "--json")[1])
    assert told["significance"]["n_tested"] == 12


def test_labels_and_samples_without_one(call, data, path):
    adata, places = data
    adata.obs["kind"] = adata.obs["kind"].where(np.arange(64) > 3)
    adata.write_h5ad(path)
    words = ("--obsm", "spatial", "--similarity", "knn:k=4", "--label", "kind", "--drop-unlabelled")
    code, out, err = call("rank", path, *words, "--method", "laplacian", "--json")
    assert code == 0, err
    S = KNN(4).build(places[4:]).affinity
    expected = LaplacianScore().fit(adata.X[4:], similarity_matrix=S)
    found = {row["column"]: row["score"] for row in json.loads(out)["features"]}
    np.testing.assert_allclose([found[j] for j in range(12)], expected.scores_, rtol=1e-9)


@pytest.mark.parametrize(
    ("command", "words"),
    [("rank", ()), ("rank", ("-k", 2)), ("select", ("-k", 2)), ("rank", ("--method", "variance", "--label", "kind"))],
)
def test_who_ranks_without_them_is_told_words_that_work(call, path, command, words):
    code, _, err = call(command, path, *words)
    assert code == 0, err
    advice = re.search(r"(--method laplacian --obsm spatial .*) tests on the coordinates of this file", err)[1]
    kept = [word for word in words if word not in ("--method", "variance")]
    code, _, err = call(command, path, *kept, *advice.split())
    assert code == 0, err
    assert "of 12 tested features" in err


@pytest.mark.parametrize(
    "words",
    [
        ("rank", "--label", "kind"),
        ("rank", "--label", "kind", "--method", "relieff"),
        ("rank", "--obsp", "near"),
        ("rank", "--significance", "none"),
        ("select", "--significance", "none", "-k", 2),
        ("fuse",),
    ],
)
def test_who_has_no_use_for_them_is_not_told(call, data, path, words):
    adata, places = data
    adata.obsp["near"] = KNN(4).build(places).affinity
    adata.write_h5ad(path)
    command, *options = words
    code, _, err = call(command, path, *options)
    assert code == 0, err
    assert "--obsm" not in err
    assert "none" not in options or "Not tested" not in err


def test_few_samples_and_fuse_without_p_values(call, data, path):
    assert "Not tested" not in call("fuse", path, "--significance", "none")[2]
    data[0][:4].copy().write_h5ad(path)
    assert call("rank", path)[2].endswith("significance: Not tested: 4 samples, and at least 5 are needed.\n")


@pytest.mark.parametrize("words", [("--label", "kind"), ("--label", "some"), ("--method", "mrsf", "-k", 3)])
def test_a_method_without_p_values_names_one_that_has_them_on_this_graph(call, data, path, words):
    adata, _ = data
    adata.obs["some"] = adata.obs["kind"].where(np.arange(64) > 9)
    adata.write_h5ad(path)
    code, _, err = call("rank", path, "--obsm", "spatial", *words)
    assert code == 0, err
    assert "--drop-unlabelled" not in err
    advice = re.search(r"\((--method laplacian [^)]*)\) has on the same graph", err)[1]
    kept = [word for word in words if word not in ("--method", "mrsf")]
    out = call("rank", path, "--obsm", "spatial", *kept, *advice.split(), "--json")[1]
    assert json.loads(out)["significance"]["n_tested"] == 12


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--obsm", "spatia"), 1, "no entry of obsm named 'spatia'; did you mean 'spatial'?"),
        (("--obsm", "cube"), 1, "coordinates of obsm must be a matrix of real numbers with a row for each of 64 obs"),
        (("--obsm", "frame"), 1, "'frame' of obsm is no array; store it as one"),
        (("--obsm", "spatial", "--obsp", "x"), 2, "--obsp x and --obsm spatial are two sample graphs; name one"),
        (("--obsm", "spatial", "--significance", "split"), 2, "leave out --obsm spatial, or use true"),
        (("--obsm", "X_umap", "-k", "fdr"), 2, "did not make the graph --obsm X_umap, which --significance true"),
        (("--obsm", "spatial", "--transpose"), 1, "coordinates of obsm are of its rows, which are features; leave out"),
        (
            ("--obsm", "spatial", "--label", "kind", "-k", "fdr"),
            2,
            "one that has: spec-phi1, spec-phi2, spec-phi3, lap",
        ),
        (("--obsm", "spatial", "--label", "kind", "-k", "fdr"), 2, "multiscale, moran, geary."),
        (("--obsm", "spatial", "--method", "variance"), 2, "--obsm spatial: the method variance cannot rank"),
        (("--obsm", "spatial", "--similarity", "class_labels"), 2, "is made of labels, not of --obsm spatial"),
    ],
)
def test_what_does_not_go(call, path, words, code, says):
    found, out, err = call("rank", path, *words)
    assert (found, out) == (code, "")
    assert says in err


def test_places_that_are_missing(call, data, path):
    adata, places = data
    places[3, 1] = np.nan
    adata.obsm["spatial"] = places
    adata.write_h5ad(path)
    code, out, err = call("rank", path, "--obsm", "spatial")
    assert (code, out) == (1, "")
    assert "--obsm spatial" in err
    assert "NaN" in err

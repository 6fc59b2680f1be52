"""``--obsm``: neighbours in coordinates of the file make the graph; `test_scores_file` holds it to the verb."""

import json
import re

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
    assert f"graph: precomputed (made of spatial of obsm by {text})" in err
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
    assert dict(knn) == {**default, "similarity": "knn:k=6"}


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
    assert "if these features did not make the graph" in err
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

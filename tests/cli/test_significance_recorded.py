"""Labels that an annotated file records as a clustering of its table: the command says what `eigenselect.pp` says."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import eigenselect as es

anndata = pytest.importorskip("anndata")


@pytest.fixture(scope="module")
def adata():
    """Thirty genes; clusters that uns records, the same merged, donors, and types that clusters nearly tell."""
    rng = np.random.default_rng(0)
    clusters = np.arange(60) % 4
    types = np.where(clusters > 1, "T", "B")
    types[0] = "T"
    obs = pd.DataFrame(
        {
            "leiden": pd.Categorical(clusters.astype(str)),
            "merged": np.where(clusters > 1, "low", "high"),
            "type": types,
            "donor": np.repeat(["x", "y"], 30),
        },
        index=[f"cell{i}" for i in range(60)],
    )
    recorded = {"leiden": {"params": {"resolution": 1.0, "random_state": 0, "n_iterations": -1}}}
    return anndata.AnnData(rng.normal(size=(60, 30)), obs, uns=recorded)


@pytest.fixture(scope="module", params=["h5ad", "zarr"])
def file(request, tmp_path_factory, adata):
    path = tmp_path_factory.mktemp("cells") / f"cells.{request.param}"
    if request.param == "zarr":
        pytest.importorskip("zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of anndata and zarr, about each other
        adata.write_h5ad(path) if request.param == "h5ad" else adata.write_zarr(path)
    return path


@pytest.mark.parametrize("label", ["leiden", "merged", "type", "donor"])
def test_the_command_and_the_verb_test_the_same_labels(call, file, adata, label):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        expected = es.pp.spectral_features(adata, label_key=label, method="fisher", inplace=False)["spectral_pval"]
    code, out, err = call("rank", file, "--label", label, "--json")
    assert code == 0, err
    summary = json.loads(out)
    found = {row["feature"]: row.get("pvalue") for row in summary["features"]}
    if expected.isna().all():
        assert set(found.values()) == {None}
        assert "which uns records" in summary["untested"] or "uns['leiden'] records" in summary["untested"]
        assert "--significance true" in summary["untested"]
    else:
        np.testing.assert_allclose([found[name] for name in adata.var_names], expected)
    doubted = "tell nearly all labels"
    assert (doubted in err) == any(doubted in str(warning.message) for warning in said)


def test_the_users_word_is_taken_with_a_doubt(call, file):
    code, out, err = call("rank", file, "--label", "leiden", "--significance", "true", "--json")
    assert code == 0
    assert json.loads(out)["significance"]["n_tested"] == 30
    assert "warning: uns['leiden'] records obs['leiden'] as a clustering of this table; p- and q-values hold" in err


def test_no_number_of_features_rests_on_them(call, file):
    code, _, err = call("rank", file, "--label", "leiden", "-k", "fdr")
    assert code == 2
    assert "-k fdr needs q-values; uns['leiden'] records obs['leiden'] as a clustering of this table" in err


def test_a_graph_is_judged_by_what_is_recorded_of_it(call, tmp_path, adata):
    """A spatial graph of another name has p-values, neighbours by genes have none, whatever they are called."""
    slide = adata.copy()
    ring = np.roll(np.eye(60), 1, axis=1)
    for key, record in (
        ("near", {"coord_type": "generic"}),
        ("spatial_connectivities", {"n_pcs": 10, "method": "umap"}),
    ):
        slide.obsp[key] = ring + ring.T
        slide.uns[f"{key}_record"] = {"connectivities_key": key, "params": record}
    slide.write_h5ad(tmp_path / "slide.h5ad")
    for key, tested in (("near", True), ("spatial_connectivities", False)):
        _, out, err = call("rank", tmp_path / "slide.h5ad", "--obsp", key, "--json")
        assert (json.loads(out)["significance"] is not None) == tested, err

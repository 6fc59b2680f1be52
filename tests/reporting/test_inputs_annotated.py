"""Reports, comparisons and plots of an AnnData are those of its matrix, with its names."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anndata", reason="anndata is not installed")

import eigenselect as es
from backed import LAYOUTS, annotated, as_if_large, counts, in_file
from eigenselect import plot
from eigenselect.reporting import compare
from eigenselect.reporting.inputs import check_fitted

pytestmark = pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")

X, Y = counts(40, 8)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("large", [False, True])
def test_a_report_has_the_names_and_numbers(tmp_path, monkeypatch, layout, large):
    values = LAYOUTS[layout](X)
    there = in_file(tmp_path / "x.h5ad", values)
    expected = es.report(es.LaplacianScore(3).fit(values), values, Y, feature_names=list(there.var_names)).summary
    if large:
        as_if_large(monkeypatch)
    for adata in (annotated(values), there):
        found = es.report(es.LaplacianScore(3).fit(adata), adata, Y).summary
        assert found["features"] == expected["features"]
        assert found["graph"] == expected["graph"]


def test_samples_are_called_by_their_names():
    adata = annotated(X)
    fitted = check_fitted("report", es.LaplacianScore(3).fit(adata), adata, Y)
    assert list(fitted.sample_names) == list(adata.obs_names)
    assert fitted.names == list(adata.var_names)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_comparison(tmp_path, monkeypatch, large):
    there = in_file(tmp_path / "x.h5ad", X)
    options = {"n_features": 3, "sizes": [1, 3], "n_splits": 2}
    selectors = {"laplacian": es.LaplacianScore(), "fisher": es.FisherScore()}
    expected = told(compare(selectors, X, Y, **options, feature_names=list(there.var_names)))
    if large:
        as_if_large(monkeypatch)
    for adata in (annotated(X), there):
        assert told(compare(selectors, adata, Y, **options)) == expected


def told(comparison):
    """What is said of every method, but for its time."""
    methods = comparison.summary["methods"]
    return {name: {key: value for key, value in of.items() if key != "seconds"} for name, of in methods.items()}


@pytest.mark.parametrize(
    "call",
    [
        lambda selector, adata, y: es.report(selector, adata, y),
        lambda selector, adata, y: compare({"s": selector}, adata, y, n_features=2, sizes=[2]),
    ],
    ids=["report", "compare"],
)
def test_labels_in_another_order_are_refused(call):
    adata = annotated(X)
    labels = pd.Series(Y, index=adata.obs_names)
    with pytest.raises(ValueError, match="y must have the samples of X in the same order"):
        call(es.LaplacianScore(3).fit(adata), adata, labels[::-1])


def test_another_table_is_refused():
    adata = annotated(X)
    selector = es.LaplacianScore(3).fit(adata)
    with pytest.raises(ValueError, match="the columns of X must be those of fit, in the same order"):
        es.report(selector, adata[:, ::-1])


@pytest.mark.parametrize("large", [False, True])
def test_plots(tmp_path, monkeypatch, large):
    """The drawn numbers are those of the matrix."""
    plt = pytest.importorskip("matplotlib.pyplot")
    if large:
        as_if_large(monkeypatch)
    there = in_file(tmp_path / "x.h5ad", X)
    on_file, on_array = es.LaplacianScore(3).fit(there), es.LaplacianScore(3).fit(X)
    axes = [plot.redundancy(on_file, there), plot.redundancy(on_array, X)]
    np.testing.assert_array_equal(*(ax.collections[0].get_array() for ax in axes))
    kept = list(there.var_names[on_array.get_support()])
    assert sorted(label.get_text() for label in axes[0].get_xticklabels()) == sorted(kept)
    places = [plot.embedding(s, table).collections[0].get_offsets() for s, table in ((on_file, there), (on_array, X))]
    np.testing.assert_array_equal(*places)
    plt.close("all")


def test_places_of_the_samples_come_along():
    adata = annotated(X)
    places = np.random.default_rng(0).normal(size=(40, 3))
    adata.obsm["X_umap"], adata.obsm["X_other"] = places, places
    selector = es.LaplacianScore(3).fit(adata)
    for table in (adata, adata[:]):
        fitted = check_fitted("report", selector, table, Y)
        assert list(fitted.coordinates) == ["X_umap"]
        np.testing.assert_array_equal(fitted.coordinates["X_umap"], places[:, :2])
    found = es.report(selector, adata, Y).summary["views"]
    assert found["pictures"]["first"] == "X_umap"
    assert len(found["pictures"]["planes"][0]["coordinates"][0]) == len(found["samples"]["number"])
    assert dict(check_fitted("report", selector, adata.to_df(), Y).coordinates) == {}

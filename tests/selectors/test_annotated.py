"""Every selector on an AnnData: the numbers of its matrix, in memory and in a file, and a view that comes out."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from backed import LAYOUTS, annotated, as_if_large, counts, in_file
from eigenselect import SPEC, FisherScore, LaplacianScore, StabilitySelector
from eigenselect.criteria.methods import METHODS
from eigenselect.similarity import FromTable
from rows import made

#: one gene is in no cell
pytestmark = pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")

X, Y = counts(60, 12)
X = X + 0.1 * (X > 0)  # sums of these are rounded


def fit(row, table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return made(row).set_params(n_features_to_select=3).fit(table, Y)


def same(found, expected):
    for name in ("scores_", "native_scores_", "ranking_", "rounding_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


@pytest.mark.parametrize("row", list(METHODS), ids=lambda row: row.name)
@pytest.mark.parametrize("layout", ["csr"])
def test_every_method_gives_the_numbers_of_the_matrix(tmp_path, monkeypatch, row, layout):
    """Bit by bit: of an AnnData in memory, of one in a small file, and of one in a file that is read in bands."""
    values = LAYOUTS[layout](X.astype(np.float32 if layout == "csr" else np.float64))
    expected, adata = fit(row, values), annotated(values)
    there = in_file(tmp_path / "x.h5ad", values)
    found = fit(row, adata)
    same(found, expected)
    same(fit(row, there), expected)
    as_if_large(monkeypatch)
    same(fit(row, there), expected)
    chosen = found.transform(adata)
    assert chosen.is_view
    assert list(chosen.var_names) == list(adata.var_names[found.get_support()])
    assert list(found.feature_names_in_) == list(adata.var_names)
    assert list(found.get_feature_names_out()) == list(chosen.var_names)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("large", [False, True])
def test_views_of_files(tmp_path, monkeypatch, layout, large):
    if large:
        as_if_large(monkeypatch)
    rows, columns = np.flatnonzero(Y == 1), np.array([8, 1, 5, 0])
    view = in_file(tmp_path / "x.h5ad", LAYOUTS[layout](X))[rows, columns]
    expected = SPEC(2).fit(LAYOUTS[layout](X[rows][:, columns]))
    found = SPEC(2).fit(view)
    same(found, expected)
    assert list(found.get_feature_names_out()) == list(view.var_names[expected.get_support()])


WAYS = {
    "split": lambda table, **y: SPEC(3, significance="split").fit(table),
    "shadows": lambda table, **y: SPEC(3, significance="shadows").fit(table),
    "permutation": lambda table, **y: FisherScore(3, significance=True).fit(table, Y),
    "covariates": lambda table, **y: FisherScore(3, significance=True).fit(table, Y, covariates=np.arange(60.0)),
    "covariates of a graph": lambda table, **y: SPEC(3).fit(table, covariates=np.arange(60.0)),
    "manhattan": lambda table, **y: FisherScore(3).fit(table, Y),
    "callable": lambda table, **y: SPEC(3, similarity=lambda Z: np.abs(Z @ Z.T) if isinstance(Z, np.ndarray) else
                                        (Z @ Z.T).toarray()).fit(table),
    "cosine": lambda table, **y: SPEC(3, similarity="cosine").fit(table),
    "given": lambda table, **y: SPEC(3).fit(table, similarity_matrix=np.exp(-abs(np.subtract.outer(X[:, 1], X[:, 1])))),
}  # fmt: skip


@pytest.mark.parametrize(
    ("way", "layout"),
    [
        pytest.param(way, list(LAYOUTS)[place % 3], marks=[pytest.mark.slow] if way == "split" else [])
        for place, way in enumerate(WAYS)
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_p_values_covariates_and_graphs_of_files(tmp_path, monkeypatch, layout, way):
    values = LAYOUTS[layout](X)
    expected = WAYS[way](values)
    as_if_large(monkeypatch)
    found = WAYS[way](in_file(tmp_path / "x.h5ad", values))
    same(found, expected)
    for name in ("pvalues_", "qvalues_"):
        if hasattr(expected, name):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_explanations_and_forms_of_files(tmp_path, monkeypatch, layout):
    values = LAYOUTS[layout](X)
    there, expected = in_file(tmp_path / "x.h5ad", values), SPEC(3).fit(values)
    as_if_large(monkeypatch)
    found = SPEC(3).fit(there)
    name = there.var_names[4]
    assert found.explain(there, name).score == expected.explain(values, 4).score
    for mine, theirs in zip(found.quadratic_form(there), expected.quadratic_form(values), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_labels_are_matched_by_place_and_refused_in_another_order():
    adata = annotated(X)
    labels = pd.Series(Y, index=adata.obs_names)
    expected = FisherScore(3).fit(X, Y)
    for y in (Y, list(Y), labels, labels.astype("category"), pd.Series(Y), labels.rename(index=lambda n: f"other {n}")):
        same(FisherScore(3).fit(adata, y), expected)
    for y in (labels[::-1], labels.sort_index()):
        with pytest.raises(ValueError, match="^FisherScore: y must have"):
            FisherScore(3).fit(adata, y)


def test_names_may_repeat():
    """Symbols of genes do, and scikit-learn would refuse them."""
    adata = annotated(X)
    adata.var_names = ["a", "b"] * 6
    selector = LaplacianScore(3).fit(adata)
    same(selector, LaplacianScore(3).fit(X))
    np.testing.assert_array_equal(selector.transform(adata).X, X[:, selector.get_support()])
    assert selector.explain(adata, 4).score == pytest.approx(selector.native_scores_[4], rel=1e-12)
    with pytest.raises(ValueError, match="6 features have the name 'a'"):
        selector.explain(adata, "a")
    assert StabilitySelector(LaplacianScore(3), n_pairs=3).fit(adata).transform(adata).n_obs == 60


def test_an_anndata_stays_one_whatever_output_is_asked_for():
    adata = annotated(X)
    selector = LaplacianScore(3).set_output(transform="pandas").fit(adata)
    assert selector.transform(adata).is_view
    assert list(selector.transform(adata.to_df()).columns) == list(selector.transform(adata).var_names)


def test_a_matrix_and_its_anndata_are_the_same_table():
    """Fitted to one, the other can be transformed."""
    adata = annotated(X)
    on_array, on_adata = LaplacianScore(3).fit(X), LaplacianScore(3).fit(adata)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(on_array.transform(adata).var_names) == list(on_adata.get_feature_names_out())
    assert LaplacianScore(3).fit_transform(adata).shape == (60, 3)
    np.testing.assert_array_equal(on_adata.transform(adata.to_df()), on_adata.transform(adata).X)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda selector, adata: selector.transform(adata[:, :5]),
            "LaplacianScore.transform: the AnnData must",
        ),
        (
            lambda selector, adata: selector.transform(adata[:, ::-1]),
            "LaplacianScore.transform: adata.var_names must be",
        ),
        (
            lambda selector, adata: selector.inverse_transform(adata[:, :3]),
            "matrix, got an AnnData",
        ),
    ],
    ids=["fewer", "other order", "inverse"],
)
def test_other_genes_are_refused(call, sentence):
    adata = annotated(X)
    with pytest.raises((ValueError, TypeError)) as refused:
        call(LaplacianScore(3).fit(adata), adata)
    assert sentence in str(refused.value)


def test_nothing_selected_is_said():
    adata, noise = annotated(X), np.random.default_rng(0).random(60)
    selector = LaplacianScore("fdr", similarity=FromTable(noise[:, None]), significance=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(adata[:, 3:5].copy())
    with pytest.warns(UserWarning, match="at_least=1"):
        assert selector.transform(adata[:, 3:5]).n_vars == 0


def test_fits_know_nothing_of_a_file(tmp_path, monkeypatch):
    """A fitted selector is pickled, cloned and used when the file is gone."""
    as_if_large(monkeypatch)
    path = tmp_path / "x.h5ad"
    adata = in_file(path, sparse.csr_matrix(X))
    selector = LaplacianScore(3).fit(adata)
    adata.file.close()
    path.unlink()
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.transform(annotated(X)).X, X[:, selector.get_support()])
    same(clone(selector).fit(sparse.csr_matrix(X)), selector)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_stability_on_a_file(tmp_path, monkeypatch, layout):
    values = LAYOUTS[layout](X)
    as_if_large(monkeypatch)
    there = in_file(tmp_path / "x.h5ad", values)
    for inner in (LaplacianScore(3), FisherScore(3)):
        fits = [StabilitySelector(inner, n_pairs=4, random_state=0).fit(table, Y) for table in (there, values)]
        np.testing.assert_array_equal(fits[0].scores_, fits[1].scores_)
        assert list(fits[0].transform(there).var_names) == list(there.var_names[fits[1].get_support()])


def test_pipelines_of_selectors():
    adata = annotated(X)
    both = make_pipeline(FisherScore(8), LaplacianScore(3)).fit(adata, Y)
    assert both.transform(adata).shape == (60, 3)
    inside = StabilitySelector(make_pipeline(StandardScaler(), LaplacianScore(3)), n_pairs=3).fit(adata)
    assert list(inside.feature_names_in_) == list(adata.var_names)


def test_pipelines_that_end_in_a_classifier_take_a_dense_anndata():
    adata, model = annotated(X), make_pipeline(FisherScore(3), LogisticRegression())
    expected = clone(model).fit(X, Y)
    found = model.fit(adata, Y)
    np.testing.assert_array_equal(found.predict_proba(adata), expected.predict_proba(X))
    np.testing.assert_array_equal(cross_val_score(model, adata, Y, cv=3), cross_val_score(model, X, Y, cv=3))


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_pipelines_that_would_make_a_sparse_anndata_dense_refuse_at_once(layout):
    """numpy would take the AnnData for a sequence of sequences, and fail in its own words after a long time."""
    with pytest.raises(TypeError, match="FisherScore.transform: expected an AnnData"):
        make_pipeline(FisherScore(3), LogisticRegression()).fit(annotated(LAYOUTS[layout](X)), Y)


def other(package, name):
    return type(name, (), {"__module__": f"{package}._core"})()


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (other("mudata", "MuData"), "MuData; give one modality"),
        (
            other("spatialdata", "SpatialData"),
            "got a SpatialData; give",
        ),
    ],
    ids=["mudata", "spatialdata"],
)
def test_containers_of_several_tables_get_a_sentence(table, sentence):
    selector = LaplacianScore(3).fit(X)
    for call in (LaplacianScore(3).fit, selector.transform, selector.inverse_transform, selector.quadratic_form):
        with pytest.raises(TypeError, match=rf"^LaplacianScore.*{sentence}"):
            call(table)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_table_that_is_not_finite_is_refused(tmp_path, monkeypatch, layout):
    values = X.copy()
    values[7, 2] = np.nan
    there = in_file(tmp_path / "x.h5ad", LAYOUTS[layout](values))
    with pytest.raises(ValueError, match="NaN"):
        LaplacianScore(3).fit(there)
    as_if_large(monkeypatch)
    place = r"row 7 \('cell53'\), column 2 \('g14'\)"
    with pytest.raises(ValueError, match=f"^LaplacianScore: .*NaN in {place}"):
        LaplacianScore(3).fit(there)

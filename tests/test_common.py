"""What every estimator promises, whatever its method: one item per estimator or per row of the table of methods."""

import inspect
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import eigenselect as es
import rows
from another_basis import use_another_basis
from eigenselect import multisource
from eigenselect.criteria.methods import METHODS
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.selectors.base import EVIDENCE
from eigenselect.similarity import KNN
from storages import STORAGES

#: one instance of every class
ESTIMATORS = {
    name: getattr(es, name)(2)
    for name in (
        "SPEC", "LaplacianScore", "FisherScore", "ReliefF", "HSICScore", "TraceRatio", "SSelect", "EVSC", "MRSF",
        "MoranI", "GearyC", "Variance", "MultiscaleSPEC", "IteratedSPEC",
    )
} | {
    "MSFS": es.MSFS(2, sources=[("own", multisource.TargetData()), ("near", multisource.TargetData("knn"))]),
    "KOGS": es.KOGS(2, rankers=[(None, es.SPEC()), (None, es.LaplacianScore(similarity="rbf"))]),
    "StabilitySelector": es.StabilitySelector(es.FisherScore(2), n_pairs=3),
}  # fmt: skip
every_estimator = pytest.mark.parametrize("name", ESTIMATORS)
every_row = pytest.mark.parametrize("row", list(METHODS), ids=lambda row: row.name)


def labelled_table(n_features=8):
    """Two overlapping groups; features follow them less and less."""
    rng = np.random.default_rng(7)
    y = rng.permutation(np.repeat([0, 1], 30))
    return rng.normal(size=(60, n_features)) + 5 + np.outer(y, np.linspace(3, 0, n_features)), y


def fitted(name, X, y, **parameters):
    """Fit a clone; findings about a small table do not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(ESTIMATORS[name]).set_params(**parameters).fit(X, y)


def test_every_estimator_is_here():
    public = {name for name in es.__all__ if name[0].isupper() and hasattr(getattr(es, name), "fit")}
    assert public == set(ESTIMATORS) == {row.selector for row in METHODS} | {"StabilitySelector"}


@every_estimator
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks(name):
    estimator = ESTIMATORS[name]
    if "n_features_to_select" in estimator.get_params():
        estimator = clone(estimator).set_params(n_features_to_select=None)
    count = 0
    for instance, check in estimator_checks_generator(estimator):
        check(clone(instance))
        count += 1
    assert count > 30


@every_row
def test_row_of_the_method_table(row):
    """Names, labels, targets, options, direction, naive formula, quadratic form, explanation, p-values."""
    for check in rows.CHECKS:
        check(row)


@every_estimator
def test_scores_ranking_support_and_transform_agree(name):
    X, y = labelled_table()
    selector = fitted(name, X, y)
    if hasattr(selector, "ranking_"):
        best_first = np.argsort(selector.ranking_)
        assert sorted(selector.ranking_) == list(range(1, 9))
        ordered = selector.scores_[best_first][: getattr(selector, "n_ordered_", 8)]
        assert (np.diff(ordered) <= 1e-12 * np.abs(ordered).max()).all()
        np.testing.assert_array_equal(selector.get_support(), selector.ranking_ <= selector.get_support().sum())
    np.testing.assert_array_equal(selector.transform(X), X[:, selector.get_support()])


@every_estimator
def test_samples_and_features_in_another_order(name):
    if name == "StabilitySelector":  # draws halves by place
        return
    X, y = labelled_table()
    rng = np.random.default_rng(1)
    samples, features = rng.permutation(60), rng.permutation(8)
    expected = fitted(name, X, y).scores_
    np.testing.assert_allclose(fitted(name, X[samples], y[samples]).scores_, expected, rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(fitted(name, X[:, features], y).scores_, expected[features], rtol=1e-8, atol=1e-11)


@every_estimator
def test_the_same_on_any_number_of_threads_and_again(name):
    X, y = labelled_table(70)
    one, three, again = (fitted(name, X, y, n_jobs=n_jobs) for n_jobs in (1, 3, 1))
    for other in (three, again):
        np.testing.assert_allclose(other.scores_, one.scores_, rtol=1e-10)
        np.testing.assert_array_equal(other.get_support(), one.get_support())
        if hasattr(one, "ranking_"):
            np.testing.assert_array_equal(other.ranking_, one.ranking_)


#: storages of every kind; tests/matrix tries all of them
SOME_STORAGES = ("columns first", "memory map", "CSR", "CSC", "HDF5", "zarr CSR", "backed AnnData, CSR", "Dask by rows")


@every_estimator
def test_the_same_in_any_storage(name, tmp_path):
    X, y = labelled_table()
    X = np.maximum(X - 6, 0)  # a third of the values is zero
    expected = fitted(name, X, y)
    for place, storage in enumerate(SOME_STORAGES):
        (tmp_path / str(place)).mkdir()
        found = fitted(name, STORAGES[storage](X, tmp_path / str(place)), y)
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-10, err_msg=storage)
        np.testing.assert_array_equal(found.get_support(), expected.get_support(), err_msg=storage)


@every_estimator
def test_the_same_in_another_basis_of_eigenvectors(name, monkeypatch):
    """Samples in four equal corners: the graph has equal eigenvalues, for which a solver may return any basis."""
    X, y = labelled_table(3)
    X = np.hstack([np.kron(np.eye(4), np.ones((15, 1))), 0.01 * X])
    expected = fitted(name, X, y).scores_
    use_another_basis(monkeypatch, 0)
    np.testing.assert_allclose(fitted(name, X, y).scores_, expected, rtol=1e-7, atol=1e-9)


@every_estimator
def test_copies_of_a_feature_tie_and_the_first_column_leads(name):
    if name in ("MRSF", "StabilitySelector"):  # a copy adds nothing; halves are drawn
        return
    X, y = labelled_table(4)
    X = X[:, [0, 1, 2, 3, 0, 1, 2, 3]]
    selector = fitted(name, X, y)
    np.testing.assert_allclose(selector.scores_[4:], selector.scores_[:4], rtol=1e-9)
    assert (selector.ranking_[4:] > selector.ranking_[:4]).all()


@every_estimator
def test_units_of_the_whole_table_do_not_change_the_ranking(name):
    X, y = labelled_table()
    expected = fitted(name, X, y).get_support()
    for factor in (1e-90, 1e-5, 1e5, 1e90):
        np.testing.assert_array_equal(fitted(name, X * factor, y).get_support(), expected, err_msg=str(factor))


@every_estimator
def test_pickles_and_refits(name):
    X, y = labelled_table()
    selector = fitted(name, X, y)
    loaded = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(loaded.scores_, selector.scores_)
    np.testing.assert_array_equal(loaded.transform(X), selector.transform(X))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = loaded.fit(X[:40, :5], y[:40])
    expected = fitted(name, X[:40, :5], y[:40])
    assert again.scores_.shape == (5,)
    assert {key for key in vars(again) if key.endswith("_")} == {key for key in vars(expected) if key.endswith("_")}


@every_estimator
def test_frames_keep_their_names(name):
    X, y = labelled_table()
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(8)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = clone(ESTIMATORS[name]).set_output(transform="pandas").fit(frame, y)
    assert list(selector.transform(frame).columns) == list(selector.get_feature_names_out())
    assert set(selector.get_feature_names_out()) <= set(frame.columns)
    np.testing.assert_array_equal(selector.get_support(), fitted(name, X, y).get_support())


#: tables that no estimator takes, and a word of the reason
BAD_TABLES = {
    "NaN": (np.array([[1.0, np.nan], [2, 3], [4, 5], [5, 5]]), "nan"),
    "infinity": (np.array([[1.0, np.inf], [2, 3], [4, 5], [5, 5]]), "inf"),
    "no samples": (np.zeros((0, 3)), "0 sample"),
    "no features": (np.zeros((5, 0)), "0 feature"),
    "one sample": (np.ones((1, 3)), "1 sample|minimum of 2"),
    "one dimension": (np.ones(5), "1d|2d"),
    "text": (np.array([["a", "b"], ["c", "d"]]), "string|numeric"),
}


@every_estimator
def test_bad_tables_are_refused(name):
    for bad, word in BAD_TABLES.values():
        with pytest.raises(ValueError, match=f"(?i){word}"):
            clone(ESTIMATORS[name]).fit(bad, np.arange(len(bad)) % 2)
    with pytest.raises(NotFittedError):
        clone(ESTIMATORS[name]).transform(labelled_table()[0])


@every_estimator
def test_constant_features_come_last_with_one_warning(name):
    X, y = labelled_table()
    X[:, 2], X[:, 4] = 3.3, 0.0
    for table in (X, sparse.csr_array(X)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            selector = clone(ESTIMATORS[name]).fit(table, y)
        assert not selector.get_support()[[2, 4]].any()
        said = [str(one.message) for one in caught if issubclass(one.category, UndefinedScoreWarning)]
        if name == "StabilitySelector":  # counts in how many fits a feature was selected
            np.testing.assert_array_equal(selector.scores_[[2, 4]], 0.0)
            continue
        assert set(selector.ranking_[[2, 4]]) == {7, 8}
        if name == "Variance":
            np.testing.assert_array_equal(selector.scores_[[2, 4]], 0.0)
        else:
            assert np.isnan(selector.scores_[[2, 4]]).all()
            assert len(said) == (3 if name == "KOGS" else 1)  # each of its two rankers warns
            assert all("2 of 8" in text for text in said)


def test_a_nested_grid_in_a_pipeline():
    X, y = labelled_table()
    pipeline = make_pipeline(es.SPEC(2, similarity=KNN()), KNeighborsClassifier())
    search = GridSearchCV(pipeline, {"spec__similarity__n_neighbors": [12, 15]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.8


#: parameters under which an estimator sets all that it can, and whether a third of the labels is known
FULL = {
    "SPEC": ({"ranking": "phi3"}, False),
    "TraceRatio": ({"graphs": "semi-supervised"}, True),
    "SSelect": ({"ranking": "phi3", "regularization": "auto"}, True),
    "MSFS": ({"sources": [("x", multisource.TargetData()), ("y", multisource.SampleCategories())], "ranking": "phi3"},
             False),
}  # fmt: skip


def documented(estimator):
    """Return the names of the section "Attributes" of a docstring, also those that share a line."""
    text = re.search(r"Attributes\n-+\n(.*?)\n\n", inspect.getdoc(type(estimator)), re.DOTALL)[1]
    lines = [line for line in text.split("\n") if re.match(r"\S", line)]
    return {name.strip() for line in lines for name in line.split(" :")[0].split(",")}


@every_estimator
def test_docstrings_list_the_fitted_attributes(name):
    X, y = labelled_table()
    parameters, some_labels = FULL.get(name, ({}, False))
    labels = np.where(np.arange(60) % 3 == 0, y, -1) if some_labels else y
    selector = fitted(name, pd.DataFrame(X, columns=list("abcdefgh")), labels, **parameters)
    there = {key for owner in (selector, type(selector)) for key in vars(owner)}
    there |= set(EVIDENCE) if hasattr(selector, "significance") else set()
    assert {key for key in there if key.endswith("_") and not key.startswith("_")} == documented(selector)

"""Warnings point at the user's line, whichever way the library was reached."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect._warn import is_heard, unheard
from eigenselect.multisource import SampleSimilarity
from eigenselect.selectors.laplacian_score import laplacian_score


def with_a_constant_feature():
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[:, 2] = 7.0
    return X


CALLS = {
    "fit": lambda X: es.LaplacianScore(2).fit(X),
    "fit_transform": lambda X: es.LaplacianScore(2).fit_transform(X),
    "pipeline": lambda X: make_pipeline(StandardScaler(), es.LaplacianScore(2)).fit(X),
    "function": lambda X: laplacian_score(X),
}


@pytest.mark.parametrize("way", CALLS)
def test_a_warning_points_at_the_callers_line(way):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CALLS[way](with_a_constant_feature())
    (warning,) = caught
    assert warning.filename == __file__
    assert warning.lineno == inspect.getsourcelines(CALLS[way])[1]


CUT = np.kron(np.eye(5), np.ones((6, 6)))  # five components, so that 0 is an eigenvalue five times
SPEAKERS = {
    "SPEC": lambda X: es.SPEC(2, ranking="phi3", n_clusters=3).fit(X, similarity_matrix=CUT),
    "SSelect": lambda X: es.SSelect(2, ranking="phi3", n_clusters=3).fit(X, similarity_matrix=CUT),
    "MSFS": lambda X: es.MSFS(2, sources=[("s", SampleSimilarity(CUT))], ranking="phi3", n_clusters=3).fit(X),
}


@pytest.mark.parametrize("name", SPEAKERS)
def test_warnings_speak_as_the_class_that_was_called(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SPEAKERS[name](np.random.default_rng(0).normal(size=(30, 4)))
    assert any("equal eigenvalues" in str(warning.message) for warning in caught)
    assert all(str(warning.message).startswith(f"{name}: ") for warning in caught)


def test_errors_and_shortfalls_of_the_path_speak_as_mrsf():
    X = np.random.default_rng(0).normal(size=(30, 4))
    with pytest.raises(ValueError, match="^MRSF: no feature"):
        es.MRSF(2).fit(X, similarity_matrix=np.ones((30, 30)))
    with pytest.warns(ConvergenceWarning, match="^MRSF: only 4"):
        es.MRSF(8, target="pca").fit(np.hstack([X, X]))


class TestSearches:
    """A search of scikit-learn fits many times; each kind of warning is heard once in it."""

    model = make_pipeline(es.FisherScore(2), KNeighborsClassifier())
    y = np.arange(30) % 2

    def heard_of(self, call, action="always"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(action)
            call()
        return [(warning.category.__name__, str(warning.message)) for warning in caught]

    def test_a_warning_is_heard_once_whatever_its_numbers(self):
        X = with_a_constant_feature()
        X[:, 3] = np.arange(30) < 4  # one more feature is constant where the first fold is held out
        (told,) = self.heard_of(lambda: cross_val_score(self.model, X, self.y, cv=KFold(5)))
        assert told[0] == "UndefinedScoreWarning"
        assert told[1].startswith("FisherScore: 2 of 4")
        assert told[1].endswith("search.)")

    def test_the_fit_of_the_best_speaks_for_itself(self):
        search = GridSearchCV(self.model, {"fisherscore__n_features_to_select": [1, 2]}, cv=3)
        first, last = self.heard_of(lambda: search.fit(with_a_constant_feature(), self.y))
        assert ("Said once" in first[1], "Said once" in last[1]) == (True, False)

    def test_the_next_search_is_heard_again(self):
        X = with_a_constant_feature()
        assert len(self.heard_of(lambda: [cross_val_score(self.model, X, self.y, cv=3) for _ in range(2)])) == 2

    def test_where_warnings_are_errors_every_fit_fails(self):
        with pytest.raises(ValueError, match="All the 3 fits failed"):
            self.heard_of(lambda: cross_val_score(self.model, with_a_constant_feature(), self.y, cv=3), "error")


class TestUnheard:
    def test_fits_say_nothing_and_score_the_same(self):
        X = np.random.default_rng(0).normal(size=(30, 4)) * [1, 1e9, 1, 1]
        with pytest.warns(UserWarning, match="squared distances"):
            heard = es.LaplacianScore(2).fit(X).scores_
        with unheard():  # a warning would be an error
            silent = es.LaplacianScore(2).fit(X).scores_
        np.testing.assert_array_equal(heard, silent)
        assert is_heard()

"""Warnings point at the user's line, whichever way the library was reached."""

import inspect
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect._warn import is_heard, unheard
from eigenselect.exceptions import UndefinedScoreWarning
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


class TestRepeats:
    """scikit-learn's searches fit many times and reset the filters before each fit: a kind is shown once per line."""

    model = make_pipeline(es.FisherScore(2), KNeighborsClassifier())
    y = np.arange(30) % 2

    def heard_of(self, call, action="default"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(action)
            call()
        return [warning for warning in caught if issubclass(warning.category, UndefinedScoreWarning)]

    def test_a_kind_is_shown_once_whatever_its_numbers(self):
        X = with_a_constant_feature()
        X[:, 3] = np.arange(30) < 4  # one more feature is constant if the first fold is held out
        (told,) = self.heard_of(lambda: cross_val_score(self.model, X, self.y, cv=KFold(5)))
        assert "2 of 4" in str(told.message)
        assert (told.message.n_undefined, told.message.n_features) == (2, 4)

    def test_filters_of_the_user_count(self):
        X = with_a_constant_feature()
        assert len(self.heard_of(lambda: cross_val_score(self.model, X, self.y, cv=3), "always")) == 3
        with pytest.raises(ValueError, match="3 fits failed"):
            self.heard_of(lambda: cross_val_score(self.model, X, self.y, cv=3), "error")

    def test_another_line_is_shown_again(self):
        X = with_a_constant_feature()
        assert len(self.heard_of(lambda: es.FisherScore(2).fit(X, self.y))) == 1
        assert len(self.heard_of(lambda: es.FisherScore(2).fit(X, self.y))) == 1

    def test_stability_selection_is_not_doubled(self):
        selector = es.StabilitySelector(es.FisherScore(2), n_pairs=3)
        (told,) = self.heard_of(lambda: selector.fit(with_a_constant_feature(), self.y))
        assert str(told.message).startswith("StabilitySelector")

    def test_a_grid_on_two_processes_shows_each_kind_once_per_process(self):
        program = """
import numpy as np, eigenselect as es
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
X = np.random.default_rng(0).normal(size=(60, 8))
X[:, 3], X[:, 5] = 7.0, np.arange(60) < 8
model = make_pipeline(es.FisherScore(2), KNeighborsClassifier())
GridSearchCV(model, {"fisherscore__n_features_to_select": [1, 2, 3]}, cv=5, n_jobs=2).fit(X, np.arange(60) % 2)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert 1 <= done.stderr.count("Warning:") <= 3  # two workers, and the fit of the best


class TestUnheard:
    def test_fits_say_nothing_and_score_the_same(self):
        X = np.random.default_rng(0).normal(size=(30, 4)) * [1, 1e9, 1, 1]
        with pytest.warns(UserWarning, match="squared distances"):
            heard = es.LaplacianScore(2).fit(X).scores_
        with unheard():  # a warning would be an error
            silent = es.LaplacianScore(2).fit(X).scores_
        np.testing.assert_array_equal(heard, silent)
        assert is_heard()

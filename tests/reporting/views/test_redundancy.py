"""Correlations of the best features and their mean, against numpy's."""

import numpy as np
import pytest

import eigenselect as es
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.views import redundancy
from eigenselect.reporting.views.drawing import Drawing


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def view_of(X, best, k=3):
    names = [f"x{j}" for j in range(X.shape[1])]
    y = np.arange(len(X)) % 2
    drawing = Drawing(Fitted(es.FisherScore(k).fit(X, y), X, y, names), np.array(best))
    return redundancy.redundancy_view(drawing.fitted, drawing.best, drawing.clustered, drawing.copies)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_correlations_are_numpys(rng, scale):
    X = scale * (rng.normal(size=(30, 5)) + 5)
    found = view_of(X, [2, 0, 4])
    columns = [int(name[1:]) for name in found["features"]]
    np.testing.assert_allclose(found["correlation"], np.corrcoef(X[:, columns].T), atol=1e-9)
    assert sorted(columns) == [0, 1, 2, 3, 4]
    among = np.corrcoef(X[:, [2, 0, 4]].T)[np.triu_indices(3, 1)]
    assert found["n_listed"] == 3
    assert (found["n_measured"], found["rate"]) == (3, pytest.approx(np.abs(among).mean()))


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
def test_constant_features_have_no_correlation(rng):
    X = rng.normal(size=(30, 5))
    X[:, 1] = 0.1
    found = view_of(X, np.arange(5))
    assert found["features"][-1] == "x1"
    matrix = np.array(found["correlation"])
    assert np.isnan(matrix[-1]).all()
    assert np.isnan(matrix[:, -1]).all()
    assert np.isfinite(matrix[:-1, :-1]).all()


def test_the_rate_is_of_the_whole_selection_and_the_picture_of_the_best(rng, monkeypatch):
    X = rng.normal(size=(50, 60))
    X[:, :30] = X[:, :1] + 0.01 * X[:, :30]  # the first thirty repeat each other, the others do not
    found = view_of(X, np.arange(60))
    assert sorted(int(name[1:]) for name in found["features"]) == list(range(50))
    assert found["rate"] == pytest.approx(np.abs(np.corrcoef(X.T)[np.triu_indices(60, 1)]).mean())
    assert [group["n_kept"] for group in found["groups"]] == [30]
    first, last = found["groups"][0]["shown"]
    assert {int(name[1:]) for name in found["features"][first:last]} == set(range(30))
    monkeypatch.setattr(redundancy, "BUDGET", 50 * 40)
    assert view_of(X, np.arange(60))["n_measured"] == 40


def test_the_order_is_that_of_the_heat_map(rng):
    X = rng.normal(size=(30, 40))
    y = np.arange(30) % 2
    views = es.report(es.FisherScore(5).fit(X, y), X, y).summary["views"]
    for key in ("features", "place"):
        assert views["redundancy"][key] == views["heat_map"][key]


@pytest.mark.parametrize("n", [3, 5, 48])
def test_the_redundancy_of_independent_features(rng, n):
    found = np.corrcoef(rng.normal(size=(400, n)))
    assert redundancy.chance_correlation(n) == pytest.approx(np.abs(found[np.triu_indices(400, 1)]).mean(), rel=0.02)

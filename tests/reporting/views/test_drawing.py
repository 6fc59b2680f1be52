"""The numbers behind the pictures, against naive ones."""

import base64
from types import SimpleNamespace

import numpy as np
import pytest

import eigenselect as es
from eigenselect.graph import graph_from_matrix
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.views import drawing as views
from eigenselect.reporting.views.drawn_graph import draw_graph
from eigenselect.reporting.views.embedding import embedding_view
from eigenselect.reporting.views.groups import Groups

ALL = np.arange(5)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def fitted_to(X, order=None, names=None):
    """A selector that ranks columns in this order, with its data."""
    ranking = np.arange(1, X.shape[1] + 1) if order is None else np.argsort(order) + 1
    return Fitted(SimpleNamespace(ranking_=ranking), X, None, names or [f"x{j}" for j in range(X.shape[1])])


class TestDistributions:
    def test_quartiles_counts_and_means_of_each_group(self, rng):
        X, codes = rng.normal(size=(50, 5)), np.arange(50) % 3
        groups = Groups("class", ["a", "b", "c", "nobody"], codes, 4)
        found = views.distributions_view(fitted_to(X, names=list("vwxyz")), np.array([4, 1]), groups)
        assert [shown["feature"] for shown in found] == ["z", "w"]
        assert [part["group"] for part in found[0]["groups"]] == [0, 1, 2]
        for code, part in enumerate(found[0]["groups"]):
            values = X[codes == code, 4]
            np.testing.assert_allclose(part["quartiles"], np.percentile(values, [0, 25, 50, 75, 100]))
            assert part["mean"] == pytest.approx(values.mean())
            assert sum(part["counts"]) == part["n"] == values.size

    def test_a_constant_feature_has_one_bar(self):
        groups = Groups("class", ["a"], np.zeros(4, dtype=int), 1)
        found = views.distributions_view(fitted_to(np.ones((4, 1))), np.array([0]), groups)
        assert sorted(found[0]["groups"][0]["counts"])[-2:] == [0, 4]

    @pytest.mark.parametrize("power", [-1000, -900, 900, 1021])
    def test_means_and_quartiles_of_values_of_any_size(self, rng, power):
        X = np.round(rng.uniform(-4, 4, size=(40, 1)) * 2**20) / 2**20
        groups = Groups("class", ["a", "b"], np.arange(40) % 2, 2)
        small, large = (
            views.distributions_view(fitted_to(table), np.array([0]), groups)[0]["groups"][0]
            for table in (X, np.ldexp(X, power))
        )
        np.testing.assert_allclose(np.ldexp(large["quartiles"], -power), small["quartiles"])
        assert np.ldexp(large["mean"], -power) == pytest.approx(small["mean"])

    @pytest.mark.parametrize(
        ("low", "high"), [(0.3, 0.1 + 0.2), (1.7e18, 1.7e18 + 256), (-1e308, 1e308), (0.0, 5e-324)]
    )
    def test_ends_that_are_a_rounding_error_apart_or_nearly_overflow(self, low, high):
        counts = views.histogram(np.array([low, low, high]), low, high)
        assert sum(counts) == 3
        assert counts[-1] == 1 or high == 5e-324  # halves of the smallest number are 0


class TestValues:
    @pytest.mark.parametrize("scale", [1e-300, 1.0, 1e308])
    def test_values_come_back_to_seven_digits(self, scale):
        X = np.random.default_rng(0).uniform(-1, 1, size=(30, 4)) * scale
        X[3, 1] *= 1e-6  # beside large ones
        order, samples = np.array([2, 0, 3, 1]), np.arange(0, 30, 3)
        found = views.values_view(fitted_to(X, order), samples)
        parts = np.frombuffer(base64.b64decode(found["parts"]), "<f4").reshape(4, 10)
        np.testing.assert_allclose(parts * np.array(found["scale"])[:, None], X[np.ix_(samples, order)].T, rtol=1e-6)

    def test_columns_of_zeros(self):
        found = views.values_view(fitted_to(np.zeros((3, 1)), np.array([0])), np.arange(3))
        assert found == {"count": 1, "scale": [1.0], "parts": "AAAAAAAAAAAAAAAA"}

    def test_the_budget_keeps_the_best(self, monkeypatch):
        monkeypatch.setattr("eigenselect.reporting.views.drawing.VALUE_BUDGET", 100)
        monkeypatch.setattr("eigenselect.reporting.views.drawing.LEAST_FEATURES", 2)
        X = np.random.default_rng(0).normal(size=(20, 9))
        found = views.values_view(fitted_to(X, np.arange(9)[::-1]), np.arange(20))
        np.testing.assert_array_equal(found["scale"], np.abs(X).max(axis=0)[::-1][:5])


def test_degrees_of_all_samples_are_counted(rng):
    S = rng.uniform(size=(30, 30))
    S = S + S.T
    found = views.degrees_view(graph_from_matrix(S, 30, name="S"))
    assert sum(found["counts"]) == 30
    assert (found["low"], found["high"]) == (S.sum(1).min(), S.sum(1).max())
    assert views.degrees_view(graph_from_matrix(np.ones((4, 4)), 4, name="S")) is None


def test_some_of_many_samples_are_shown(rng, monkeypatch):
    monkeypatch.setattr(views, "SHOWN_SAMPLES", 10)
    X = rng.normal(size=(50, 5))
    found = draw_graph(es.LaplacianScore(3).fit(X), X, 0)
    shown = views.shown_samples(found, 50, 7)
    np.testing.assert_array_equal(shown, views.shown_samples(found, 50, 7))
    assert shown.size == 10
    points = np.array(embedding_view(found, shown)["coordinates"])
    everywhere = np.array(embedding_view(found, np.arange(50))["coordinates"])
    np.testing.assert_array_equal(points, everywhere[:, shown])

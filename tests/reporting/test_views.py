"""The numbers behind the pictures, against naive ones."""

import base64
from types import SimpleNamespace

import numpy as np
import pytest

import eigenselect as es
from eigenselect.graph import graph_from_matrix
from eigenselect.reporting import views
from eigenselect.reporting.drawn_graph import draw_graph
from eigenselect.reporting.embedding import embedding_view
from eigenselect.reporting.groups import Groups
from eigenselect.reporting.inputs import Fitted

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


class TestRedundancy:
    @pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
    def test_correlations_are_numpys(self, rng, scale):
        X = scale * (rng.normal(size=(30, 5)) + 5)
        found = views.redundancy_view(X, np.array([2, 0, 4]), list("vwxyz"))
        assert found["n_measured"] == 3
        expected = np.corrcoef(X[:, [2, 0, 4]].T)
        np.testing.assert_allclose(found["correlation"], expected, atol=1e-9)
        assert found["features"] == ["x", "v", "z"]
        assert found["rate"] == pytest.approx(np.abs(expected[np.triu_indices(3, 1)]).mean())

    def test_constant_features_have_no_correlation(self, rng):
        X = rng.normal(size=(30, 5))
        X[:, 1] = 0.1
        found = np.array(views.redundancy_view(X, ALL, list("vwxyz"))["correlation"])
        assert np.isnan(found[1]).all()
        assert np.isnan(found[:, 1]).all()
        assert np.isfinite(np.delete(np.delete(found, 1, 0), 1, 1)).all()

    def test_the_rate_is_of_the_whole_selection_and_the_picture_of_the_best(self, rng, monkeypatch):
        X = rng.normal(size=(50, 60))
        X[:, :30] = X[:, :1] + 0.01 * X[:, :30]  # the first thirty repeat each other, the others do not
        found = views.redundancy_view(X, np.arange(60), [f"x{j}" for j in range(60)])
        assert len(found["features"]) == 30
        assert found["rate"] == pytest.approx(np.abs(np.corrcoef(X.T)[np.triu_indices(60, 1)]).mean())
        monkeypatch.setattr(views, "REDUNDANCY_BUDGET", 50 * 40)
        assert views.redundancy_view(X, np.arange(60), [f"x{j}" for j in range(60)])["n_measured"] == 40


class TestNearCopies:
    def test_near_copies_that_were_dropped_are_named(self, rng, monkeypatch):
        X = rng.normal(size=(60, 8))
        X[:, 5:] = X[:, [0, 0, 1]] * [1, -2, 3] + 0.01 * X[:, 5:]
        names = list("abcdefgh")
        found = views.near_copies_view(fitted_to(X, names=names), np.array([1, 0, 6]))
        assert [(row["feature"], row["copies"]) for row in found] == [("b", ["h"]), ("a", ["f"]), ("g", ["f"])]
        np.testing.assert_allclose(found[2]["correlations"], np.corrcoef(X[:, 6], X[:, 5])[0, 1])
        assert views.near_copies_view(fitted_to(X, names=names), np.array([2, 3])) == []
        monkeypatch.setattr(views, "COPY_SAMPLES", 30)
        assert [row["copies"] for row in views.near_copies_view(fitted_to(X, names=names), np.array([1]))] == [["h"]]

    def test_only_the_nearest_are_named_but_all_are_counted(self, rng, monkeypatch):
        monkeypatch.setattr(views, "SHOWN_COPIES", 2)
        base = rng.normal(size=(60, 1))
        X = base + np.array([0, 0.3, 0.1, 0.2]) * rng.normal(size=(60, 4))
        found = views.near_copies_view(fitted_to(X, names=list("abcd")), np.array([0]))
        assert (found[0]["copies"], found[0]["count"]) == (["c", "d"], 3)


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
        monkeypatch.setattr("eigenselect.reporting.views.VALUE_BUDGET", 100)
        monkeypatch.setattr("eigenselect.reporting.views.LEAST_FEATURES", 2)
        X = np.random.default_rng(0).normal(size=(20, 9))
        found = views.values_view(fitted_to(X, np.arange(9)[::-1]), np.arange(20))
        np.testing.assert_array_equal(found["scale"], np.abs(X).max(axis=0)[::-1][:5])


@pytest.mark.parametrize("n", [3, 5, 48])
def test_the_redundancy_of_independent_features(rng, n):
    found = np.corrcoef(rng.normal(size=(400, n)))
    assert views.chance_correlation(n) == pytest.approx(np.abs(found[np.triu_indices(400, 1)]).mean(), rel=0.02)


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

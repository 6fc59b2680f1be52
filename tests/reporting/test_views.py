"""The numbers behind the pictures, against naive ones."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import eigenselect as es
from eigenselect.graph import graph_from_matrix
from eigenselect.reporting import views
from eigenselect.reporting.drawn_graph import picture_of
from eigenselect.reporting.groups import UNLABELLED, Groups

ALL = np.arange(5)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


class TestDistributions:
    def test_quartiles_counts_and_means_of_each_group(self, rng):
        X, codes = rng.normal(size=(50, 5)), np.arange(50) % 3
        groups = Groups("class", ["a", "b", "c", "nobody"], codes, 4)
        found = views.distribution_views(X, np.array([4, 1]), list("vwxyz"), groups, np.arange(1, 6))
        assert [shown["feature"] for shown in found] == ["z", "w"]
        assert [part["group"] for part in found[0]["groups"]] == [0, 1, 2]
        for code, part in enumerate(found[0]["groups"]):
            values = X[codes == code, 4]
            np.testing.assert_allclose(part["quartiles"], np.percentile(values, [0, 25, 50, 75, 100]))
            assert part["mean"] == pytest.approx(values.mean())
            assert sum(part["counts"]) == part["n"] == values.size

    def test_a_constant_feature_has_one_bar(self):
        groups = Groups("class", ["a"], np.zeros(4, dtype=int), 1)
        found = views.distribution_views(np.ones((4, 1)), np.array([0]), ["x"], groups, np.array([1]))
        assert sorted(found[0]["groups"][0]["counts"])[-2:] == [0, 4]

    @pytest.mark.parametrize("power", [-1000, -900, 900, 1021])
    def test_means_and_quartiles_of_values_of_any_size(self, rng, power):
        X = np.round(rng.uniform(-4, 4, size=(40, 1)) * 2**20) / 2**20
        groups = Groups("class", ["a", "b"], np.arange(40) % 2, 2)
        given = (groups, np.array([1]))
        small, large = (
            views.distribution_views(table, np.array([0]), ["x"], *given)[0]["groups"][0]
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


class TestStanding:
    def test_near_copies_that_were_dropped_are_named(self, rng, monkeypatch):
        X = rng.normal(size=(60, 8))
        X[:, 5:] = X[:, [0, 0, 1]] * [1, -2, 3] + 0.01 * X[:, 5:]
        names = list("abcdefgh")
        found = views.standing_view(X, np.array([1, 0, 6]), names, 0)
        assert [(row["feature"], row["copies"]) for row in found] == [("b", ["h"]), ("a", ["f"]), ("g", ["f"])]
        np.testing.assert_allclose(found[2]["correlations"], np.corrcoef(X[:, 6], X[:, 5])[0, 1])
        assert views.standing_view(X, np.array([2, 3]), names, 0) == []
        monkeypatch.setattr(views, "STANDING_SAMPLES", 30)
        assert [row["copies"] for row in views.standing_view(X, np.array([1]), names, 0)] == [["h"]]

    def test_only_the_nearest_are_named_but_all_are_counted(self, rng, monkeypatch):
        monkeypatch.setattr(views, "SHOWN_COPIES", 2)
        base = rng.normal(size=(60, 1))
        X = base + np.array([0, 0.3, 0.1, 0.2]) * rng.normal(size=(60, 4))
        found = views.standing_view(X, np.array([0]), list("abcd"), 0)
        assert (found[0]["copies"], found[0]["count"]) == (["c", "d"], 3)


def separation_on(S, codes):
    X = np.random.default_rng(0).normal(size=(len(S), 3))
    found = picture_of(es.SPEC(1).fit(X, similarity_matrix=S), X, 0)
    everyone, groups = np.arange(len(S)), Groups("class", ["a", "b", UNLABELLED], codes, 2)
    return views.class_separation(found, views.embedding_view(found, everyone), groups, everyone, 0)


class TestSeparation:
    def test_a_plane_that_is_a_choice_among_equal_eigenvalues_is_not_judged(self):
        """All eigenvalues of a complete graph are equal; those of a ring come in pairs, and a pair is drawn."""
        codes = np.repeat([0, 1], 10)
        assert separation_on(np.ones((20, 20)) - np.eye(20), codes) is None
        ring = np.roll(np.eye(20), 1, axis=0)
        told = separation_on(ring + ring.T, codes)
        assert told["accuracy"] == pytest.approx(18 / 20)  # each end of both halves has a neighbour of either class
        assert told["eigenvectors"] == [2, 3]

    def test_unlabelled_samples_and_clusters_are_not_judged(self):
        ring = np.roll(np.eye(20), 1, axis=0)
        assert separation_on(ring + ring.T, np.repeat([0, 2], 10)) is None  # one class and no label
        X = scale(load_wine().data)
        found = es.report(es.LaplacianScore(3).fit(X), X).summary["views"]
        assert found["groups"]["names"] == ["cluster 1", "cluster 2", "cluster 3"]
        assert found["separation"] is None


@pytest.mark.parametrize("n", [3, 5, 48])
def test_the_redundancy_of_independent_features(rng, n):
    found = np.corrcoef(rng.normal(size=(400, n)))
    assert views.chance_correlation(n) == pytest.approx(np.abs(found[np.triu_indices(400, 1)]).mean(), rel=0.02)


def test_degrees_of_all_samples_are_counted(rng):
    S = rng.uniform(size=(30, 30))
    S = S + S.T
    found = views.degree_view(graph_from_matrix(S, 30, name="S"))
    assert sum(found["counts"]) == 30
    assert (found["low"], found["high"]) == (S.sum(1).min(), S.sum(1).max())
    assert views.degree_view(graph_from_matrix(np.ones((4, 4)), 4, name="S")) is None

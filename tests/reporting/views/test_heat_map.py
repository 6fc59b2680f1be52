"""The heat map's numbers against naive z-scores, and what it says of them."""

import base64

import numpy as np
import pytest
from scipy.stats import zscore
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

import eigenselect as es


def decoded(view):
    return np.frombuffer(base64.b64decode(view["steps"]), np.int8).reshape(len(view["features"]), len(view["number"]))


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 35)), np.repeat(["a", "b"], 20)


class TestNumbers:
    def test_they_are_z_scores_of_the_named_features_and_samples(self, noise):
        X, y = noise
        view = es.report(es.FisherScore(5).fit(X, y), X, y).summary["views"]["heat_map"]
        columns = [int(name[1:]) for name in view["features"]]
        expected = np.clip(zscore(X)[np.ix_(view["number"], columns)].T, -2.5, 2.5)
        np.testing.assert_allclose(decoded(view) * view["step"], expected, atol=0.0501)
        assert (len(columns), view["n_samples"], view["name"]) == (30, 40, None)
        assert view["group"] == [0] * 20 + [1] * 20
        assert {y[row] for row in view["number"][:20]} == {"a"}

    def test_groups_are_those_of_the_drawn_samples(self, noise):
        X, y = noise[0], np.random.default_rng(1).permutation(np.repeat(["a", "b", "c"], [9, 15, 16]))
        views = es.report(es.FisherScore(5).fit(X, y), X, y, evaluation=False).summary["views"]
        named = [views["groups"]["names"][code] for code in views["heat_map"]["group"]]
        assert named == y[views["heat_map"]["number"]].tolist()

    def test_of_many_samples_some_are_drawn(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(900, 3)), np.repeat(["rare", "usual"], [20, 880])
        view = es.report(es.FisherScore(2).fit(X, y), X, y).summary["views"]["heat_map"]
        assert np.bincount(view["group"]).tolist() == [20, 280]
        assert view["n_samples"] == 900
        columns = [int(name[1:]) for name in view["features"]]
        expected = np.clip(zscore(X)[np.ix_(view["number"], columns)].T, -2.5, 2.5)  # over all samples
        np.testing.assert_allclose(decoded(view) * 0.1, expected, atol=0.0501)

    def test_places_are_those_of_the_ranking(self, noise):
        X, y = noise
        made = es.report(es.FisherScore(5).fit(X, y), X, y).summary
        view = made["views"]["heat_map"]
        assert [made["all_features"]["feature"][place] for place in view["place"]] == view["features"]


class TestCaution:
    def said(self, selector, X, y=None):
        return es.report(selector.fit(X, y), X, y).summary["views"]["heat_map"]["caution"]

    def test_labels_that_chose_are_named(self, noise):
        X, y = noise
        before = make_pipeline(SelectKBest(k=20), es.LaplacianScore(5))
        for selector in (es.FisherScore(5), es.MRSF(5, target="lda"), es.ReliefF(5), before):
            assert "chosen with these labels: groups that differ here are expected" in self.said(selector, X, y)

    def test_labels_that_did_not_are_named_too(self, noise):
        assert self.said(es.LaplacianScore(5), *noise).startswith("The features were chosen without these labels.")

    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
    def test_clusters_differ_by_construction(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 4)) + 9 * np.repeat(np.eye(3, 4), 20, axis=0)
        assert "differ by construction" in self.said(es.LaplacianScore(2), X)

    def test_every_order_makes_blocks(self, noise):
        for selector, y in (
            (es.FisherScore(5), noise[1]),
            (es.LaplacianScore(5), None),
            (es.LaplacianScore(5), noise[1]),
        ):
            assert self.said(selector, noise[0], y).endswith("which makes blocks of noise, too.")

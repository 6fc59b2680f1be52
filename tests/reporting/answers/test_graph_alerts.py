"""Alerts on the sample graph: on graphs that earn them, and not on others."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from tests.reporting.ranked import alerts_of, fitted_to, only

import eigenselect as es
from eigenselect.multisource import SampleCategories, TargetData
from eigenselect.similarity import KNN, RBF


@pytest.fixture
def blob(rng):
    return rng.normal(size=(40, 6))


def ring(n, alone=0):
    """A ring of n samples, and samples without a neighbour."""
    S = np.zeros((n + alone, n + alone))
    for i in range(n):
        S[i, (i + 1) % n] = S[(i + 1) % n, i] = 1.0
    return S


def test_isolated_samples_are_named(blob):
    names = [f"s{i}" for i in range(40)]
    fitted = fitted_to(es.LaplacianScore(3), blob, samples=names, similarity_matrix=ring(38, alone=2))
    found = only(alerts_of(fitted, kind="isolated"))
    assert found["samples"] == ["s38", "s39"]
    assert found["sentence"] == (
        "2 of 40 samples are isolated and do not count ('s38', 's39'); more neighbours or a wider bandwidth would "
        "connect them."
    )


def test_components_are_counted_with_their_sizes(blob):
    S = np.zeros((40, 40))
    S[:28, :28], S[28:, 28:] = ring(28), ring(12)
    found = only(alerts_of(fitted_to(es.LaplacianScore(3), blob, similarity_matrix=S), kind="components"))
    assert found["sentence"].startswith("The sample graph falls apart into 2 components (28 and 12 samples); ")


def test_many_components_are_not_all_listed(blob):
    S = np.kron(np.eye(10), np.ones((4, 4)))
    found = only(alerts_of(fitted_to(es.LaplacianScore(3), blob, similarity_matrix=S), kind="components"))
    assert "(4, 4, 4, 4, … samples)" in found["sentence"]


def test_a_graph_of_classes_may_fall_apart(blob):
    y = np.repeat(["a", "b"], 20)
    assert alerts_of(fitted_to(es.FisherScore(3), blob, y)) == []


def test_a_sample_that_stands_alone_in_a_full_kernel(blob):
    blob[7] += 40
    found = only(alerts_of(fitted_to(es.SPEC(3, similarity="rbf"), blob), kind="outlier"))
    assert found["samples"] == ["sample 8"]
    assert found["sentence"].startswith("The leading eigenvector of the sample graph lives on sample 8: ")
    assert alerts_of(fitted_to(es.SPEC(3), blob), kind="outlier") == []


class TestWeights:
    @pytest.mark.parametrize("similarity", [RBF(bandwidth=1e5), KNN(39, bandwidth=1e5)])
    def test_a_huge_bandwidth_makes_all_pairs_alike_in_a_full_kernel(self, blob, similarity):
        found = alerts_of(fitted_to(es.LaplacianScore(3, similarity=similarity), blob), kind="weights")
        if isinstance(similarity, RBF):
            assert "At the bandwidth 1e+05 the similarities of all pairs are nearly equal" in only(found)["sentence"]
        else:
            assert found == []  # neighbours are told apart from others, whatever their weights

    @pytest.mark.parametrize("similarity", [RBF(bandwidth=0.1), KNN(5, bandwidth=0.05)])
    def test_a_tiny_bandwidth_makes_samples_like_no_other(self, blob, similarity):
        fitted = fitted_to(es.LaplacianScore(3, similarity=similarity), blob)
        found = only(alerts_of(fitted, kind="weights"))
        S = fitted.selector.graph_.affinity
        S = np.array(S if isinstance(S, np.ndarray) else S.toarray())
        np.fill_diagonal(S, 0)
        assert f"no two samples have a similarity above {S.max():.1g}" in found["sentence"]
        assert S.max() < 1e-3

    @pytest.mark.parametrize("similarity", ["rbf", "knn", "linear", "cosine"])
    def test_defaults_are_sound(self, blob, similarity):
        assert alerts_of(fitted_to(es.SPEC(3, similarity=similarity), abs(blob)), kind="weights") == []

    @pytest.mark.parametrize(("largest", "smallest"), [(9e-4, None), (1.1e-3, None), (None, 0.995), (None, 0.95)])
    def test_weights_are_nearly_zero_below_a_thousandth_and_nearly_equal_within_a_hundredth(
        self, blob, largest, smallest
    ):
        """The bandwidth is the one at which the nearest, or the farthest, pair has this weight."""
        squared = pdist(blob, "sqeuclidean")
        chosen = squared.min() / np.log(1 / largest) if largest else squared.max() / np.log(1 / smallest)
        weights = RBF(bandwidth=float(np.sqrt(chosen / 2))).build(blob).affinity[np.triu_indices(40, 1)]
        assert (weights.max() if largest else weights.min()) == pytest.approx(largest or smallest)
        fitted = fitted_to(es.LaplacianScore(3, similarity=RBF(bandwidth=float(np.sqrt(chosen / 2)))), blob)
        assert bool(alerts_of(fitted, kind="weights")) == ((largest or 1) < 1e-3 or (smallest or 0) > 0.99)

    def test_extremes_leave_the_diagonal_out(self, blob, monkeypatch):
        """In blocks of rows that do not divide the samples."""
        from eigenselect.reporting.answers import graph_alerts

        monkeypatch.setattr(graph_alerts, "ROWS", 7)
        graph = RBF().build(blob)
        between = graph.affinity[~np.eye(40, dtype=bool)]
        assert graph_alerts._extremes(graph) == (between.min(), between.max())


class TestSources:
    def fitted(self, blob, weights):
        sources = [("itself", TargetData()), ("labels", SampleCategories())]
        return fitted_to(es.MSFS(3, sources=sources, weights=weights), blob, np.repeat(["a", "b"], 20))

    def test_a_source_without_weight_is_named(self, blob):
        found = only(alerts_of(self.fitted(blob, [1.0, 0.0]), kind="weights"))
        assert found["sentence"].startswith("1 source has weight 0 ('labels') and took no part; ")

    def test_sources_with_weights_are_not(self, blob):
        assert alerts_of(self.fitted(blob, [1.0, 0.5]), kind="weights") == []

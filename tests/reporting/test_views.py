"""The numbers behind the pictures, against naive ones."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import eigenselect as es
from eigenselect.graph import graph_from_matrix
from eigenselect.reporting import views
from eigenselect.reporting.groups import Groups

ALL = np.arange(5)


def fitted(X, S, **parameters):
    return es.SPEC(3, **parameters).fit(X, similarity_matrix=S)


def two_blocks(sizes, rng):
    """Dense similarities inside each block, none between."""
    S = np.zeros((sum(sizes), sum(sizes)))
    start = 0
    for size in sizes:
        block = rng.uniform(0.5, 1, size=(size, size))
        S[start : start + size, start : start + size] = block + block.T
        start += size
    return S


@pytest.fixture
def rng():
    return np.random.default_rng(0)


class TestPictureGraph:
    def test_the_spectrum_is_that_of_the_normalised_laplacian(self, rng):
        X, S = rng.normal(size=(30, 5)), two_blocks([30], rng)
        picture = views.picture_graph(fitted(X, S), X, ALL, 0)
        degrees = S.sum(axis=1)
        N = np.eye(30) - S / np.sqrt(np.outer(degrees, degrees))
        found = views.spectrum_view(picture)
        np.testing.assert_allclose(found["eigenvalues"], np.linalg.eigvalsh(N)[:22], atol=1e-10)
        assert found["n_zero"] == 1

    @pytest.mark.parametrize("selector", [es.FisherScore(3), es.ReliefF(3), es.HSICScore(3), es.TraceRatio(3)])
    def test_methods_whose_graph_is_made_of_labels_are_drawn_by_neighbours(self, rng, selector):
        X, y = rng.normal(size=(40, 5)), np.repeat([0, 1], 20)
        picture = views.picture_graph(selector.fit(X, y), X, ALL[:3], 0)
        assert "3 best features" in picture.what
        assert picture.graph.n_samples == 40
        assert not picture.graph.signed

    def test_neighbours_do_not_depend_on_units(self, rng):
        X, y = rng.normal(size=(40, 5)), np.repeat([0, 1], 20)
        scaled = X * [1e-12, 1, 1e12, 1, 1]
        pictures = [views.picture_graph(es.FisherScore(5).fit(T, y), T, ALL, 0) for T in (X, scaled)]
        np.testing.assert_allclose(*(p.spectrum.eigenvalues for p in pictures), atol=1e-8)


class TestEmbedding:
    def test_coordinates_are_eigenvectors_of_the_random_walk(self, rng):
        X, S = rng.normal(size=(30, 5)), two_blocks([30], rng)
        picture = views.picture_graph(fitted(X, S), X, ALL, 0)
        found = views.embedding_view(picture, Groups("class", ["a"], np.zeros(30, dtype=int)), 0)
        walk = np.eye(30) - S / S.sum(axis=1)[:, None]
        assert found["axes"] == [0, 1]
        assert found["eigenvectors"] == [2, 3, 4, 5, 6, 7]
        for axis, value in zip(np.array(found["coordinates"]), found["eigenvalues"], strict=True):
            np.testing.assert_allclose(walk @ axis, value * axis, atol=1e-9)

    def test_an_eigenvector_that_lives_on_two_samples_is_passed_over(self, rng):
        """Two samples that hang on all others by a thread make the first non-trivial eigenvector."""
        X, S = rng.normal(size=(200, 5)), two_blocks([100, 98, 2], rng)
        S[:100, 100:198] = S[100:198, :100] = 0.05
        S[0, 198] = S[198, 0] = 1e-6
        picture = views.picture_graph(fitted(X, S), X, ALL, 0)
        found = views.embedding_view(picture, Groups("class", ["a"], np.zeros(200, dtype=int)), 0)
        assert found["lives_on"][0] == 2
        assert found["axes"] == [1, 2]
        x = np.array(found["coordinates"][1])
        assert np.sign(x[:100]).sum() * np.sign(x[100:198]).sum() == -9800

    def test_a_few_stray_samples_are_left_out(self, rng):
        X, S = rng.normal(size=(33, 5)), two_blocks([30, 2, 1], rng)
        S[32] = 0
        with pytest.warns(es.exceptions.GraphWarning):
            selector = fitted(X, S)
        picture = views.picture_graph(selector, X, ALL, 0)
        found = views.embedding_view(picture, Groups("class", ["a"], np.zeros(33, dtype=int)), 0)
        assert found["samples"] == list(range(30))
        assert np.ptp(found["coordinates"][0]) > 0

    def test_large_components_are_told_apart(self, rng):
        X, S = rng.normal(size=(30, 5)), two_blocks([18, 12], rng)
        with pytest.warns(es.exceptions.GraphWarning):
            selector = fitted(X, S)
        picture = views.picture_graph(selector, X, ALL, 0)
        found = views.embedding_view(picture, Groups("class", ["a"], np.zeros(30, dtype=int)), 0)
        assert found["samples"] == list(range(30))
        x = np.array(found["coordinates"][0])
        assert np.ptp(x[:18]) < 1e-12 < abs(x[0] - x[-1])

    def test_many_samples_are_drawn_at_random_and_the_same_each_time(self, rng, monkeypatch):
        monkeypatch.setattr(views, "SHOWN_SAMPLES", 10)
        X = rng.normal(size=(50, 5))
        picture = views.picture_graph(es.LaplacianScore(3).fit(X), X, ALL, 0)
        groups = Groups("class", ["a", "b"], np.arange(50) % 2)
        one, other = (views.embedding_view(picture, groups, 7) for _ in range(2))
        assert one == other
        assert len(one["samples"]) == 10
        assert one["group"] == [sample % 2 for sample in one["samples"]]

    def test_two_samples_have_no_picture(self):
        X = np.array([[0.0, 1.0, 5.0], [1.0, 3.0, 2.0]])
        picture = views.picture_graph(fitted(X, np.ones((2, 2))), X, ALL[:3], 0)
        assert views.embedding_view(picture, Groups("class", ["a"], np.zeros(2, dtype=int)), 0) is None


class TestDistributions:
    def test_quartiles_counts_and_means_of_each_group(self, rng):
        X, codes = rng.normal(size=(50, 5)), np.arange(50) % 3
        groups = Groups("class", ["a", "b", "c", "nobody"], codes)
        found = views.distribution_views(X, np.array([4, 1]), list("vwxyz"), groups, np.arange(1, 6))
        assert [shown["feature"] for shown in found] == ["z", "w"]
        assert [part["name"] for part in found[0]["groups"]] == ["a", "b", "c"]
        for code, part in enumerate(found[0]["groups"]):
            values = X[codes == code, 4]
            np.testing.assert_allclose(part["quartiles"], np.percentile(values, [0, 25, 50, 75, 100]))
            assert part["mean"] == pytest.approx(values.mean())
            assert sum(part["counts"]) == part["n"] == values.size

    def test_a_constant_feature_has_one_bar(self):
        groups = Groups("class", ["a"], np.zeros(4, dtype=int))
        found = views.distribution_views(np.ones((4, 1)), np.array([0]), ["x"], groups, np.array([1]))
        assert sorted(found[0]["groups"][0]["counts"])[-2:] == [0, 4]


class TestRedundancy:
    @pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
    def test_correlations_are_numpys(self, rng, scale):
        X = scale * (rng.normal(size=(30, 5)) + 5)
        found = views.redundancy_view(X, np.array([2, 0, 4]), list("vwxyz"))
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


def test_degrees_of_all_samples_are_counted(rng):
    S = two_blocks([30], rng)
    found = views.degree_view(graph_from_matrix(S, 30, name="S"))
    assert sum(found["counts"]) == 30
    np.testing.assert_allclose([found["edges"][0], found["edges"][-1]], [S.sum(1).min(), S.sum(1).max()])
    assert views.degree_view(graph_from_matrix(np.ones((4, 4)), 4, name="S")) is None


def test_columns_of_every_kind_of_table(rng):
    X = rng.normal(size=(6, 5))
    columns = np.array([3, 1])
    kinds = [X, X.astype(np.float32), pd.DataFrame(X), pl.DataFrame(X), sparse.csr_array(X), sparse.coo_matrix(X)]
    for table in kinds:
        np.testing.assert_allclose(views.columns_of(table, columns), X[:, columns], rtol=1e-6)

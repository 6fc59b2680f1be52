"""What all similarities share: the template that builds a graph, and names."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from eigenselect.exceptions import UnitsWarning
from eigenselect.graph import SampleGraph
from eigenselect.matrix import as_matrix
from eigenselect.similarity import (
    KNN,
    RBF,
    SIMILARITY_NAMES,
    BaseSimilarity,
    ClassLabels,
    Cosine,
    Diffusion,
    Geodesic,
    HitMiss,
    Linear,
    as_similarity,
    base,
)
from eigenselect.similarity.search import described_search


class TestNames:
    @pytest.mark.parametrize("name", SIMILARITY_NAMES)
    def test_every_name_builds(self, name, rng):
        X = np.abs(rng.normal(size=(36, 4)))
        graph = as_similarity(name, 36).build(X, np.arange(36) % 3)
        assert graph.n_samples == 36
        assert graph.description["similarity"] == type(as_similarity(name, 36)).__name__

    @pytest.mark.parametrize("similarity", [KNN(3), RBF(2.0), Diffusion(0.5), Geodesic(4), ClassLabels(), Linear()])
    def test_similarities_are_cloned_with_their_parameters(self, similarity):
        assert clone(similarity).get_params() == similarity.get_params()
        parameters = described_search(similarity.get_params())  # how a graph's description names them
        assert similarity.describe() == {"similarity": type(similarity).__name__, **parameters}

    def test_a_name_adapts_to_a_small_table_an_object_does_not(self, rng):
        X = rng.normal(size=(6, 2))
        assert as_similarity("knn", 6).n_neighbors == 5
        assert as_similarity("knn", 600).n_neighbors == 10
        assert as_similarity("diffusion", 6).build(X).n_samples == 6
        with pytest.raises(ValueError, match="n_neighbors"):
            as_similarity(KNN(), 6).build(X)

    def test_any_function_of_the_data(self, rng):
        X = rng.normal(size=(8, 2))
        graph = as_similarity(lambda X: np.exp(-np.abs(X[:, :1] - X[:, 0])), 8).build(X)
        assert graph.to_array()[0, 0] == 1
        with pytest.raises(ValueError, match="similarity=<lambda> returned must be 8 x 8"):
            as_similarity(lambda X: np.ones((3, 3)), 8).build(X)

    @pytest.mark.parametrize(
        ("bad", "error", "says"),
        [
            ("kmn", ValueError, "'kmn'; did you mean 'knn'"),
            (KNN, TypeError, r"write KNN\(\)"),
            (3, TypeError, "got int"),
            (np.eye(3), TypeError, "similarity_matrix"),
        ],
    )
    def test_bad_names(self, bad, error, says):
        with pytest.raises(error, match=says):
            as_similarity(bad, 20)


class TestTemplate:
    def test_a_new_similarity_is_a_hook_and_has_a_name(self, monkeypatch):
        monkeypatch.setattr(base, "_BY_NAME", dict(base._BY_NAME))

        class Parity(BaseSimilarity, name="parity"):
            """Samples with the same parity of the first feature are similar."""

            def _graph(self, X, y, owner, n_jobs):
                assert y is None
                parity = X.columns([0])[:, 0] % 2
                return SampleGraph(np.equal.outer(parity, parity).astype(float))

        X = np.arange(4.0)[:, None]
        for table in (X, sparse.csr_array(X), as_matrix(X)):
            graph = as_similarity("parity", 4).build(table, [0, 1, 0, 1])
            np.testing.assert_array_equal(graph.to_array(), (X + X.T + 1) % 2)
            assert graph.description == {"similarity": "Parity"}

    def test_labels_are_asked_for_in_the_name_of_the_caller(self, rng):
        X = rng.normal(size=(20, 2))
        for similarity in (ClassLabels(), HitMiss(3)):
            with pytest.raises(ValueError, match="^FisherScore requires y to be passed"):
                similarity.build(X, owner="FisherScore")
            with pytest.raises(ValueError, match=f"^{type(similarity).__name__} requires y"):
                similarity.build(X)

    def test_parameters_are_the_similaritys_own(self, rng):
        with pytest.raises(ValueError, match="^KNN: n_neighbors must be between"):
            KNN(50).build(rng.normal(size=(20, 2)), owner="SPEC")

    def test_names_are_refused_in_the_name_of_the_caller(self):
        with pytest.raises(ValueError, match="^SPEC: similarity must be one of 'knn', 'rbf', 'linear'"):
            as_similarity("kmn", 20, "SPEC")
        with pytest.raises(ValueError, match="^SPEC: the matrix that similarity=<lambda> returned"):
            as_similarity(lambda X: np.ones((3, 3)), 8, "SPEC").build(np.zeros((8, 1)), owner="SPEC")

    @pytest.mark.parametrize("similarity", [KNN(4), RBF(), Geodesic(4), Diffusion(n_neighbors=4)])
    def test_any_unit_gives_the_same_graph(self, rng, similarity):
        X = rng.normal(size=(20, 3))
        graph, ordinary = similarity.build(np.ldexp(X, 600)), similarity.build(X)
        np.testing.assert_allclose(graph.to_array(), ordinary.to_array(), rtol=1e-12)
        assert graph.description["unit_exponent"] >= 600
        used = ordinary.description["bandwidth_used"]
        assert graph.description["bandwidth_used"] == pytest.approx(np.ldexp(used, 600))

    def test_units_are_looked_at_where_distances_count(self, rng):
        X = as_matrix(rng.normal(size=(30, 8)) * [1, 1, 1, 1, 1, 1, 1, 100], feature_names=list("abcdefgh"))
        with pytest.warns(UnitsWarning, match="^SPEC: 'h' of 8 features makes up"):
            KNN().warn_about_units(X, "SPEC")
        for similarity in (KNN(metric="cosine"), Linear(), ClassLabels(), Diffusion(metric="cosine")):
            similarity.warn_about_units(X, "SPEC")  # warnings are errors


@pytest.mark.parametrize("similarity", [KNN(3), RBF(), Linear(), Cosine()], ids=str)
def test_known_pairs_are_used_for_their_own_table_alone(rng, similarity):
    X = np.abs(rng.normal(size=(12, 5)))
    other = np.abs(rng.normal(size=(12, 5)))
    wrong = similarity.knowing(similarity.pairs(as_matrix(other)), 5)
    np.testing.assert_allclose(wrong.build(X).to_array(), similarity.build(other).to_array(), rtol=1e-12)
    for table in (X[:, :4], X[:9]):
        np.testing.assert_array_equal(wrong.build(table).to_array(), similarity.build(table).to_array())
    np.testing.assert_array_equal(clone(wrong).build(X).to_array(), similarity.build(X).to_array())

"""What all similarities share: the template that builds a graph, names, texts, and tables of their own."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from backed import LAYOUTS, annotated, as_if_large, counts, in_file
from eigenselect import LaplacianScore
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
    FromTable,
    Geodesic,
    HitMiss,
    Linear,
    as_similarity,
    base,
    similarity_from_text,
)
from eigenselect.similarity.base import described_search


class TestNames:
    def test_every_name_builds(self, rng):
        X = np.abs(rng.normal(size=(36, 4)))
        for name in SIMILARITY_NAMES:
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
        with pytest.raises(ValueError, match="<lambda> .*8 x 8"):
            as_similarity(lambda X: np.ones((3, 3)), 8).build(X)

    @pytest.mark.parametrize(
        ("bad", "error", "says"),
        [
            ("kmn", ValueError, "'kmn'; .*'knn'"),
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
            with pytest.raises(ValueError, match="^FisherScore requires y"):
                similarity.build(X, owner="FisherScore")
            with pytest.raises(ValueError, match=f"^{type(similarity).__name__} requires y"):
                similarity.build(X)

    def test_parameters_are_the_similaritys_own(self, rng):
        with pytest.raises(ValueError, match="^KNN: n_neighbors must"):
            KNN(50).build(rng.normal(size=(20, 2)), owner="SPEC")

    def test_names_are_refused_in_the_name_of_the_caller(self):
        with pytest.raises(ValueError, match="^SPEC: similarity must .*'knn'"):
            as_similarity("kmn", 20, "SPEC")
        with pytest.raises(ValueError, match="^SPEC: .*similarity=<lambda>"):
            as_similarity(lambda X: np.ones((3, 3)), 8, "SPEC").build(np.zeros((8, 1)), owner="SPEC")

    @pytest.mark.parametrize("similarity", [KNN(4), RBF(), Geodesic(4), Diffusion(n_neighbors=4)])
    def test_any_unit_gives_the_same_graph(self, rng, similarity):
        X = rng.normal(size=(20, 3))
        expected = similarity.build(X)
        for unit in (1e-90, 1e90):
            graph = similarity.build(X * unit)
            np.testing.assert_allclose(graph.to_array(), expected.to_array(), rtol=1e-10)
            assert graph.description["bandwidth_used"] / unit == pytest.approx(expected.description["bandwidth_used"])

    def test_units_are_looked_at_where_distances_count(self, rng):
        X = as_matrix(rng.normal(size=(30, 8)) * [1, 1, 1, 1, 1, 1, 1, 100], feature_names=list("abcdefgh"))
        with pytest.warns(UnitsWarning, match="^SPEC: 'h' of 8"):
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


def test_tables_have_two_dimensions():
    for similarity, shape in product((KNN(1), RBF(), ClassLabels()), ((6,), (1, 3, 2))):
        with pytest.raises(ValueError, match=rf"{type(similarity).__name__}: .*shape \({shape[0]},"):
            similarity.build(np.arange(6.0).reshape(shape), [0, 1] * 3)


RNG = np.random.default_rng(1)
X, OTHER = RNG.normal(size=(25, 4)), RNG.normal(size=(25, 2))


def test_equals_the_similarity_of_that_table():
    expected = KNN(4).build(OTHER).to_array()
    np.testing.assert_array_equal(FromTable(OTHER, KNN(4)).build(X).to_array(), expected)
    np.testing.assert_array_equal(clone(FromTable(OTHER, KNN(4))).build(X).to_array(), expected)


def test_other_samples_are_refused():
    with pytest.raises(ValueError, match="LaplacianScore: .*FromTable.*25.*20"):
        LaplacianScore(similarity=FromTable(OTHER[:20])).fit(X)


def test_a_bad_table_is_refused_by_its_name():
    with pytest.raises(ValueError, match="^FromTable: table .*row 0, column 0"):
        LaplacianScore(similarity=FromTable(np.full((25, 2), np.nan))).fit(X)


def test_the_table_itself_is_no_other_table():
    for wrap in (np.asarray, sparse.csr_array, pd.DataFrame, np.copy):
        with pytest.raises(ValueError, match="'split' or 'shadows'"):
            LaplacianScore(similarity=FromTable(wrap(X)), significance=True).fit(X)
    LaplacianScore(similarity=FromTable(X + 1e-9), significance=True).fit(X)


CELLS, OTHER_CELLS = counts(40, 8)[0], counts(40, 6, seed=1)[0]


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("large", [False, True])
def test_the_graph_of_another_file(tmp_path, monkeypatch, layout, large):
    pytest.importorskip("anndata", reason="anndata is not installed")
    other = LAYOUTS[layout](OTHER_CELLS)
    expected = LaplacianScore(3, similarity=FromTable(other)).fit(CELLS).scores_
    if large:
        as_if_large(monkeypatch)
    for table in (annotated(other), in_file(tmp_path / "x.h5ad", other)):
        np.testing.assert_array_equal(
            LaplacianScore(3, similarity=FromTable(table)).fit(annotated(CELLS)).scores_, expected
        )


def test_cells_in_another_order_are_refused():
    pytest.importorskip("anndata", reason="anndata is not installed")
    with pytest.raises(ValueError, match="FromTable .*same"):
        LaplacianScore(3, similarity=FromTable(annotated(OTHER_CELLS)[::-1])).fit(annotated(CELLS))


def test_a_name_stays_one_and_options_make_an_object():
    assert similarity_from_text("knn") == "knn"
    found = similarity_from_text("knn:k=5, weight=binary")
    assert isinstance(found, KNN)
    assert (found.n_neighbors, found.weight) == (5, "binary")
    assert similarity_from_text("rbf:sigma=0.5").bandwidth == RBF(0.5).bandwidth


def test_what_is_none_is_refused():
    for text, says in (
        ("kmn", "'knn'"),
        ("knn:j=3", "'j=3'.* knn"),
        ("linear:k=3", "linear.* none"),
        ("rbf:0.5", "'0.5'.* rbf"),
    ):
        with pytest.raises(ValueError, match=says):
            similarity_from_text(text)

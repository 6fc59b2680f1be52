"""Neighbours are found again from other genes, as they were recorded; what cannot be is refused."""

import numpy as np
import pytest
from scipy import stats

import eigenselect as es
from eigenselect.graph import Origin
from eigenselect.inference import Shadows, Split
from eigenselect.similarity import KNN
from eigenselect.single_cell.provenance import Provenance
from eigenselect.single_cell.rebuilt_neighbors import (
    AsGiven,
    Rebuilt,
    components_recorded,
    neighbors_recipe,
    rebuilt_route,
)
from eigenselect.single_cell.sample_graphs import CellStructure

OF_GENES = Provenance(False, "made of genes")


def neighbours(**params):
    return CellStructure("obsp['c']", {}, OF_GENES, graph=np.eye(3), parameters={"n_neighbors": 6} | params)


def test_the_recipe_has_the_recorded_parameters():
    recipe = neighbors_recipe({"n_neighbors": 30, "metric": "cosine"}, "pp")
    assert (recipe.n_neighbors, recipe.metric) == (29, "cosine")
    assert neighbors_recipe({}, "pp").n_neighbors == 14
    with pytest.raises(ValueError, match="pp: the neighbours are recorded with metric='correlation', by which they"):
        neighbors_recipe({"metric": "correlation"}, "pp")


def test_exactly_the_neighbours_of_scanpy_but_the_cell_itself(rng):
    sc, anndata = pytest.importorskip("scanpy"), pytest.importorskip("anndata")
    adata = anndata.AnnData(rng.normal(size=(50, 4)).astype(np.float32))
    sc.pp.neighbors(adata, n_neighbors=7, use_rep="X", transformer="sklearn")
    ours = neighbors_recipe(adata.uns["neighbors"]["params"], "pp").build(adata.X).affinity
    theirs = adata.obsp["distances"]
    assert np.array_equal((ours != 0).toarray(), ((theirs + theirs.T) != 0).toarray())


@pytest.mark.parametrize(
    ("params", "n_genes", "expected"),
    [
        ({"n_pcs": 20}, 1000, 20),
        ({}, 1000, 40),
        ({"use_rep": "X_pca"}, 1000, 40),
        ({"use_rep": "X"}, 1000, "auto"),
        ({"n_pcs": 0}, 1000, "auto"),
        ({}, 50, "auto"),  # scanpy takes so few genes as they are
        ({"use_rep": "X_pca"}, 50, 40),
    ],
)
def test_components_are_those_that_scanpy_took(params, n_genes, expected):
    assert components_recorded(params, n_genes, 40, "pp") == expected
    route = rebuilt_route(Split(n_repeats=2), neighbours(**params), n_genes, 40, "pp")
    assert (route.route.n_components, route.route.n_repeats, route.spelling) == (expected, 2, "'split'")
    assert rebuilt_route(Split(n_components=3), neighbours(**params), n_genes, 40, "pp").route.n_components == 3


def test_where_there_is_no_embedding_scanpy_makes_fifty():
    assert components_recorded({}, 1000, None, "pp") == 50


@pytest.mark.parametrize(
    ("structure", "sentence"),
    [
        (CellStructure("obs['t']", {}, OF_GENES, labels=["a"]), "which labels are not; use significance='given'"),
        (CellStructure("obsp['c']", {}, OF_GENES, graph=np.eye(3)), r"how obsp\['c'\] was made, which uns does not"),
        (neighbours(use_rep="X_scvi"), r"those in obsm\['X_scvi'\], which cannot be made again from other genes"),
        (
            CellStructure("it", {}, Provenance(True, "it is spatial"), graph=np.eye(3), parameters={"n_neighbors": 6}),
            "pp: significance='split' makes neighbours again from other genes, and it is spatial; use .*'given'",
        ),
    ],
)
def test_what_cannot_be_made_again(structure, sentence):
    with pytest.raises(ValueError, match=sentence):
        rebuilt_route(Split(), structure, 1000, 40, "pp")


def test_it_is_split_on_a_graph_of_the_genes_though_a_matrix_is_given(rng):
    X = rng.normal(size=(60, 30))
    X[:, :10] += 2.0 * rng.normal(size=(60, 1))
    recipe, split = KNN(9, bandwidth="self-tuning"), Split(n_repeats=2, n_components=3)
    rebuilt = es.LaplacianScore(significance=Rebuilt(split, recipe)).fit(X, similarity_matrix=np.ones((60, 60)))
    own = es.LaplacianScore(similarity=recipe, significance=split).fit(X)
    assert np.array_equal(rebuilt.pvalues_, own.pvalues_)
    assert (own.pvalues_[:10] < 0.01).all()


def test_of_few_cells_all_are_neighbours(rng):
    X = rng.normal(size=(12, 20))
    wide = es.LaplacianScore(significance=Rebuilt(Split(n_repeats=1), KNN(40))).fit(
        X, similarity_matrix=np.ones((12, 12))
    )
    fitting = es.LaplacianScore(significance=Rebuilt(Split(n_repeats=1), KNN(11))).fit(
        X, similarity_matrix=np.ones((12, 12))
    )
    assert np.array_equal(wide.pvalues_, fitting.pvalues_)


def test_noise_is_uniform_on_neighbours_of_other_genes_and_not_on_its_own(rng):
    X = rng.normal(size=(100, 400))
    own = KNN(10).build(X).affinity
    route = Rebuilt(Split(n_repeats=1, n_components=5), KNN(10))
    honest = es.LaplacianScore(significance=route).fit(X, similarity_matrix=own).pvalues_
    naive = es.LaplacianScore(significance="given").fit(X, similarity_matrix=own).pvalues_
    assert stats.kstest(honest, "uniform").pvalue > 1e-3
    assert (naive < 0.05).mean() > 0.1


def test_shadows_have_q_values(rng):
    X = rng.normal(size=(50, 40))
    fitted = es.LaplacianScore(significance=Rebuilt(Shadows(), KNN(8))).fit(
        X, similarity_matrix=KNN(8).build(X).affinity
    )
    assert ((fitted.qvalues_ >= 0) & (fitted.qvalues_ <= 1)).all()


def test_as_given_judges_on_all_but_graphs_of_the_genes(rng):
    X, y = rng.normal(size=(30, 4)), np.repeat([0, 1], 15)
    by_label = es.LaplacianScore(similarity="class_labels", significance=AsGiven()).fit(X, y).pvalues_
    assert np.array_equal(by_label, es.LaplacianScore(similarity="class_labels", significance=True).fit(X, y).pvalues_)
    assert AsGiven.origins == {Origin.GIVEN, Origin.LABELS, Origin.ELSEWHERE}
    with pytest.raises(ValueError, match="significance='given' needs a sample graph that did not see these features"):
        es.LaplacianScore(significance=AsGiven()).fit(X)

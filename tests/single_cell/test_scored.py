"""One selector on one table: the graph or the labels reach it, and z is positive on its good side."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eigenselect as es
from eigenselect.criteria.table import METHODS
from eigenselect.matrix import Matrix
from eigenselect.similarity import KNN, FromTable
from eigenselect.single_cell.provenance import Provenance
from eigenselect.single_cell.rebuilt_neighbors import AsGiven
from eigenselect.single_cell.sample_graphs import CellStructure
from eigenselect.single_cell.scored import (
    Scored,
    check_structure,
    needs_labels,
    needs_structure,
    normal_scores,
    score,
)

Y = np.repeat(["B", "T", "NK"], [14, 13, 13])
HONEST = Provenance(True, "")


@pytest.fixture
def X(rng):
    X = rng.normal(size=(40, 6))
    X[:, 0] += 2.0 * (Y == "T")
    return X


def graph():
    return CellStructure("obsp['g']", {}, HONEST, graph=(Y[:, None] == Y) + 0.05)


def labels(missing=0):
    column = pd.Series(Y, dtype=object)
    column[:missing] = np.nan
    return CellStructure("obs['type']", {"label_key": "type"}, HONEST, labels=column)


def coordinates(values):
    return CellStructure(
        "obsm['X_pca']", {"use_rep": "X_pca"}, HONEST, coordinates=values, parameters={"n_neighbors": 6}
    )


GENES = CellStructure("the genes", {"use_rep": "X"}, HONEST, parameters={"n_neighbors": 6})


def scored(selector, X, structure, **settings):
    return score("it", selector, Matrix(X), structure, count=3, owner="pp", **settings)


@pytest.mark.parametrize(
    "selector", [es.LaplacianScore(), es.MoranI(), es.SPEC(ranking="phi3"), es.SPEC(ranking="phi1")]
)
def test_each_structure_reaches_the_selector(X, rng, selector):
    places = rng.random((40, 2))
    recipe = KNN(5, bandwidth="self-tuning")
    expected = {
        "graph": (graph(), {}, {"similarity_matrix": graph().graph}),
        "labels": (labels(), {"similarity": "class_labels"}, {"y": Y}),
        "coordinates": (coordinates(places), {"similarity": FromTable(places, recipe)}, {}),
        "genes": (GENES, {"similarity": recipe}, {}),
    }
    for structure, parameters, given in expected.values():
        found = scored(
            es.SPEC(**selector.get_params()) if isinstance(selector, es.SPEC) else type(selector)(), X, structure
        )
        fitted = type(selector)(**{**selector.get_params(), **parameters}).fit(X, **given)
        assert np.array_equal(found.scores, fitted.scores_)
        assert np.array_equal(found.ranks, fitted.ranking_)


def test_neighbours_are_at_most_the_other_cells(X):
    few = CellStructure("obsm['X_pca']", {}, HONEST, coordinates=X[:9, 1:3], parameters={"n_neighbors": 50})
    assert np.isfinite(scored(es.LaplacianScore(), X[:9], few).scores).all()


def test_labels_as_they_are_for_methods_that_need_them(X):
    assert np.array_equal(scored(es.FisherScore(), X, labels()).scores, es.FisherScore().fit(X, Y).scores_)
    some = CellStructure("obs['type']", {}, HONEST, graph=graph().graph, labels=labels(10).labels)
    mine = es.SSelect().fit(X, some.labels, similarity_matrix=some.graph)
    assert np.array_equal(scored(es.SSelect(), X, some).scores, mine.scores_)


def test_a_method_with_a_graph_of_its_own_keeps_it(X):
    assert np.array_equal(scored(es.EVSC(), X, GENES).scores, es.EVSC().fit(X).scores_)


def test_covariates_are_taken_out(X, rng):
    depth = rng.normal(size=40)
    found = scored(es.MoranI(), X + depth[:, None], graph(), covariates=depth)
    fitted = es.MoranI().fit(X, similarity_matrix=graph().graph, covariates=depth)
    np.testing.assert_allclose(found.scores, fitted.scores_)


TESTED = [row.name for row in METHODS if row.selector_class()(**row.parameters).has_p_values and row.name != "msfs"]


@pytest.mark.parametrize("name", TESTED)
def test_z_is_positive_where_p_is_small(name, rng):
    """For every method with p-values, whether small or large values are good in its own scale."""
    X = rng.normal(size=(40, 80))
    X[:, 0] += 3.0 * (Y == "T")
    row = METHODS[name]
    selector = row.selector_class()(**row.parameters)
    found = scored(selector, X, labels() if needs_labels(selector) else graph(), route=AsGiven())
    assert found.pvalues[0] < 1e-4
    assert found.zscores[0] > 3
    assert stats.spearmanr(found.zscores, found.pvalues).statistic < -0.98
    assert found.qvalues == pytest.approx(stats.false_discovery_control(found.pvalues))


def test_z_is_the_distance_from_the_mean_of_permuted_genes(X, rng):
    found = scored(es.LaplacianScore(), X, graph(), route=AsGiven())
    permuted = np.column_stack([rng.permutation(X[:, 0]) for _ in range(2000)])
    null = es.LaplacianScore().fit(permuted, similarity_matrix=graph().graph).scores_
    assert found.zscores[0] == pytest.approx((found.scores[0] - null.mean()) / null.std(), rel=0.1)


def test_normal_deviates():
    p = np.array([1e-200, 0.025, 0.5, 0.9, 1.0, 0.0])
    z = normal_scores(p)
    assert np.isfinite(z).all()
    np.testing.assert_allclose(stats.norm.sf(z[:4]), p[:4])


def test_nothing_tested_nothing_known(X):
    found = scored(es.LaplacianScore(significance="given"), X, graph())  # the verb decides, not the selector
    assert found.pvalues is found.qvalues is found.zscores is None


def test_ranks_that_mean_nothing_are_missing(X):
    found = scored(es.MRSF(), X, graph())
    assert np.isnan(found.ranks).sum() == 3
    assert sorted(found.ranks[~np.isnan(found.ranks)]) == [1, 2, 3]
    assert Scored(np.ones(2), np.array([2, 1]), 1).ranks.tolist() == [2, 1]


def test_who_looks_at_the_cells():
    assert not needs_structure(es.Variance())
    assert not needs_structure(es.MSFS())
    assert all(
        needs_structure(selector) for selector in (es.LaplacianScore(), es.FisherScore(), es.SSelect(), es.EVSC())
    )
    assert needs_labels(es.FisherScore())
    assert not needs_labels(es.LaplacianScore())


@pytest.mark.parametrize(
    ("selector", "structure", "sentence"),
    [
        (es.FisherScore(), graph(), "pp: method='it' needs labels; name a column of obs with label_key"),
        (es.SSelect(), graph(), "pp: method='it' needs labels"),
        (
            es.EVSC(),
            graph(),
            r"pp: method='it' cannot score on obsp\['g'\], it makes a graph of its own; use use_rep='X'",
        ),
        (es.EVSC(), labels(), r"cannot score on obs\['type'\]"),
        (es.LaplacianScore(), labels(3), r"3 cells of 40 have no label in obs\['type'\], and .* use method='sselect'"),
        (es.FisherScore(), labels(1), "1 cell of 40 has no label"),
        (es.SSelect(), labels(40), "has no label at all"),
    ],
)
def test_sentences(selector, structure, sentence):
    with pytest.raises(ValueError, match=sentence):
        check_structure("it", selector, structure, "pp")


def test_what_suits_is_not_refused():
    for selector, structure in [
        (es.LaplacianScore(), graph()), (es.LaplacianScore(), labels()), (es.FisherScore(), labels()),
        (es.EVSC(), GENES), (es.SSelect(), labels(5)), (es.MRSF(), graph()),
    ]:  # fmt: skip
        check_structure("it", selector, structure, "pp")

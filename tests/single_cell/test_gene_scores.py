"""Every method in every batch is a selector's own fit; the rule sees what they found together."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eigenselect as es
from eigenselect.matrix import Matrix
from eigenselect.selection import FDR, TopK
from eigenselect.single_cell.batches import Batch
from eigenselect.single_cell.gene_scores import GeneScores
from eigenselect.single_cell.provenance import Provenance
from eigenselect.single_cell.rebuilt_neighbors import AsGiven
from eigenselect.single_cell.sample_graphs import CellStructure


@pytest.fixture
def scoring(rng):
    """50 cells in two groups, of which gene 0 tells; two methods, tested."""
    groups = np.arange(50) % 2
    X = rng.normal(size=(50, 8))
    X[:, 0] += 3 * groups
    X[:, 7] = 1.0
    graph = (groups[:, None] == groups) + 0.1
    structure = CellStructure("it", {}, Provenance(True, ""), graph=graph)

    def make(methods=("moran",), rule=TopK(2), covariates=None):  # noqa: B008
        selectors = {name: {"moran": es.MoranI(), "laplacian": es.LaplacianScore()}[name] for name in methods}
        routes = dict.fromkeys(selectors, AsGiven())
        table = Matrix(X, feature_names=[f"g{j}" for j in range(8)])
        return GeneScores(table, selectors, structure, routes, covariates, rule, 2, "pp")

    return make, X, graph


FIRST, SECOND = Batch("a", np.arange(30)), Batch("b", np.arange(30, 50))


@pytest.mark.filterwarnings("ignore:.* no score")
class TestRun:
    def test_one_batch_is_the_selectors_fit(self, scoring):
        make, X, graph = scoring
        found, nbatches = make().run([Batch()])
        fitted = es.MoranI(significance="given").fit(X, similarity_matrix=graph)
        assert np.array_equal(found.scores, fitted.scores_, equal_nan=True)
        assert np.array_equal(found.pvalues, fitted.pvalues_, equal_nan=True)
        assert nbatches.tolist() == (fitted.ranking_ <= 2).astype(int).tolist()

    def test_batches_are_fits_on_their_own_cells_and_edges(self, scoring):
        make, X, graph = scoring
        covariates = pd.DataFrame({"depth": np.arange(50.0) ** 2})
        found, nbatches = make(covariates=covariates).run([FIRST, SECOND])
        fits = [
            es.MoranI(2, significance="given").fit(
                X[rows], similarity_matrix=graph[np.ix_(rows, rows)], covariates=covariates.iloc[rows]
            )
            for rows in (FIRST.rows, SECOND.rows)
        ]
        np.testing.assert_allclose(found.scores[:7], np.mean([fit.scores_ for fit in fits], axis=0)[:7])
        for gene in range(7):
            p = stats.combine_pvalues([fit.pvalues_[gene] for fit in fits]).pvalue
            assert found.pvalues[gene] == pytest.approx(p, rel=1e-10)
        assert nbatches.tolist() == np.sum([fit.get_support() for fit in fits], axis=0).tolist()
        assert nbatches[0] == 2

    def test_one_batch_that_is_left_is_scored_alone(self, scoring):
        make, X, graph = scoring
        found, nbatches = make().run([SECOND])
        rows = SECOND.rows
        alone = es.MoranI().fit(X[rows], similarity_matrix=graph[np.ix_(rows, rows)])
        assert np.array_equal(found.scores, alone.scores_, equal_nan=True)
        assert nbatches.sum() == 2

    def test_several_methods_in_each_batch(self, scoring):
        make = scoring[0]
        found, _ = make(("moran", "laplacian")).run([FIRST, SECOND])
        assert list(found.by_method) == ["moran", "laplacian"]
        moran, _ = make().run([FIRST, SECOND])
        assert np.array_equal(found.by_method["moran"], moran.scores, equal_nan=True)
        assert found.ranking[0] == 1

    def test_genes_without_a_score_fill_up_no_number(self, scoring):
        scoring = scoring[0]()
        found, _ = scoring.run([Batch()])
        assert scoring.choose(found, TopK(8)).tolist() == [True] * 7 + [False]
        assert scoring.choose(found, TopK(2, must_keep=["g7"])).tolist()[7]
        assert scoring.choose(found, FDR(0.05)).tolist() == (np.nan_to_num(found.qvalues, nan=1) <= 0.05).tolist()

    def test_selectors_stay_unfitted(self, scoring):
        scoring = scoring[0]()
        scoring.run([Batch()])
        assert not hasattr(scoring.selectors["moran"], "scores_")


def test_undefined_genes_of_all_batches_are_one_warning(scoring):
    with pytest.warns(es.exceptions.UndefinedScoreWarning) as told:
        scoring[0]().run([FIRST, SECOND])
    assert len(told) == 1
    assert "1 of 8 features has no score" in str(told[0].message)
    assert str(told[0].message).endswith("(in batch 'a' and 1 other).")

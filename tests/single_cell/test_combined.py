"""Several methods, several batches: ranks and p-values against pandas, scipy and scanpy's rule written plainly."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from eigenselect.single_cell.combined import fisher_combination, nan_mean, nan_median, of_batches, of_methods
from eigenselect.single_cell.scored import Scored


def scored(scores, name="laplacian", p=None, n_ordered=None):
    """What one method finds: ranks by score, genes without one last."""
    scores = np.asarray(scores, dtype=float)
    ranking = stats.rankdata(-np.nan_to_num(scores, nan=-np.inf), method="ordinal")
    known = int((~np.isnan(scores)).sum())
    p = None if p is None else np.asarray(p, dtype=float)
    return Scored(scores, ranking, known if n_ordered is None else n_ordered, pvalues=p, by_method={name: scores})


class TestMethods:
    def test_one_alone_is_itself(self):
        one = scored([1, 2])
        assert of_methods([one]) is one

    def test_the_score_is_minus_the_mean_rank(self, rng):
        table = rng.normal(size=(3, 20))
        joined = of_methods([scored(row, name) for row, name in zip(table, "abc", strict=True)])
        mean = pd.DataFrame(table).rank(axis=1, ascending=False).mean()
        np.testing.assert_allclose(joined.scores, -mean)
        assert np.array_equal(joined.ranking, mean.rank(method="first"))
        assert {name: scores.tolist() for name, scores in joined.by_method.items()} == dict(
            zip("abc", table.tolist(), strict=True)
        )

    def test_genes_that_one_method_does_not_order_share_its_last_ranks(self):
        joined = of_methods([scored([3, 2, np.nan, np.nan]), scored([1, 2, 3, np.nan], "other")])
        assert joined.scores.tolist()[:3] == [-2.0, -2.0, -2.25]  # (1 + 3) / 2, (2 + 2) / 2, (3.5 + 1) / 2
        assert np.isnan(joined.scores[3])
        assert joined.n_ordered == 3

    def test_p_values_by_the_cauchy_rule_of_those_that_have_one(self, rng):
        p = rng.random((2, 6))
        joined = of_methods([scored(np.arange(6.0), p=p[0]), scored(np.arange(6.0), "b", p=p[1]), scored([0] * 6, "c")])
        plain = stats.cauchy.sf(np.tan(np.pi * (0.5 - p)).mean(axis=0))
        np.testing.assert_allclose(joined.pvalues, np.minimum(1, 1.2 * plain))
        np.testing.assert_allclose(joined.qvalues, stats.false_discovery_control(joined.pvalues))
        np.testing.assert_allclose(stats.norm.sf(joined.zscores), joined.pvalues, atol=1e-12)

    def test_p_values_of_one_method_alone_stay_as_they_are(self):
        p = np.array([1e-9, 0.999])
        tested = replace(scored([1, 2], p=p), qvalues=2 * p, zscores=-p)
        joined = of_methods([tested, scored([1, 2], "b")])
        assert joined.pvalues is p
        assert joined.qvalues is tested.qvalues
        assert joined.zscores is tested.zscores

    def test_without_p_values_there_is_no_evidence(self):
        joined = of_methods([scored([1, 2]), scored([1, 2], "b")])
        assert joined.pvalues is joined.qvalues is joined.zscores is None


class TestBatches:
    def test_ranks_are_scanpys(self, rng):
        """The rule of ``flavor="seurat_v3_paper"``: how many batches choose a gene, then its median rank in these."""
        table, top = rng.normal(size=(5, 40)), 12
        batches = [scored(row) for row in table]
        joined, nbatches = of_batches(batches, [one.ranking <= top for one in batches])
        ranks = pd.DataFrame(table).rank(axis=1, ascending=False)
        frame = pd.DataFrame({"n": (ranks <= top).sum(), "rank": ranks.where(ranks <= top).median()})
        ordered = frame.sort_values(["n", "rank"], ascending=[False, True], na_position="last")
        assert frame["rank"].isna().any()  # scanpy has no rank for genes that no batch chooses
        ours = frame.iloc[np.argsort(joined.ranking)]
        np.testing.assert_array_equal(ours, ordered)
        in_all = ranks.median()[ours.index][ours["n"] == 0]
        assert in_all.is_monotonic_increasing
        assert np.array_equal(nbatches, frame["n"])

    def test_genes_that_none_chooses_go_by_their_median_rank(self):
        joined, nbatches = of_batches([scored([9, 2, 3, 4]), scored([9, 2, 4, 3])], [np.arange(4) == 0] * 2)
        assert nbatches.tolist() == [2, 0, 0, 0]
        assert joined.ranking.tolist() == [1, 4, 2, 3]

    def test_scores_are_means_of_what_is_known(self, rng):
        table = rng.normal(size=(3, 5))
        table[0, 1] = table[:, 2] = np.nan
        joined, _ = of_batches([scored(row) for row in table], [np.zeros(5, bool)] * 3)
        np.testing.assert_allclose(joined.scores, pd.DataFrame(table).mean())
        np.testing.assert_allclose(joined.by_method["laplacian"], pd.DataFrame(table).mean())
        assert joined.n_ordered == 4
        assert joined.ranking[2] == 5

    def test_p_values_by_fishers_rule(self, rng):
        p = rng.random((3, 8))
        p[1, 0] = p[:2, 1] = p[:, 2] = np.nan
        joined, _ = of_batches([scored(np.arange(8.0), p=row) for row in p], [np.zeros(8, bool)] * 3)
        for gene in (0, 1, *range(3, 8)):
            known = p[~np.isnan(p[:, gene]), gene]
            assert joined.pvalues[gene] == pytest.approx(stats.combine_pvalues(known).pvalue, rel=1e-12)
        assert np.isnan([joined.pvalues[2], joined.qvalues[2], joined.zscores[2]]).all()
        others = np.arange(8) != 2
        np.testing.assert_allclose(joined.qvalues[others], stats.false_discovery_control(joined.pvalues[others]))

    def test_a_method_that_orders_some_orders_some(self):
        one = Scored(np.array([3.0, 2, 1]), np.array([1, 2, 3]), 1, orders_all=False, by_method={"mrsf": np.ones(3)})
        joined, _ = of_batches([one, one], [np.array([True, False, False])] * 2)
        assert np.array_equal(joined.ranks, [1, np.nan, np.nan], equal_nan=True)


def test_fisher_of_uniform_values_is_uniform(rng):
    joined = fisher_combination(rng.random((4, 4000)))
    assert stats.kstest(joined, "uniform").pvalue > 1e-3
    assert fisher_combination(np.array([[0.0], [0.5]]))[0] >= 0  # p = 0 is a rounding of something small
    assert fisher_combination(np.zeros((2, 1))) < 1e-300


def test_means_and_medians_are_those_of_pandas(rng):
    table = rng.integers(1, 9, size=(5, 60)).astype(float)
    table[rng.random(table.shape) < 0.4] = np.nan
    table[:, 7] = np.nan
    frame = pd.DataFrame(table)
    np.testing.assert_allclose(nan_mean(list(table)), frame.mean())
    np.testing.assert_array_equal(nan_median(table), frame.median().fillna(np.inf))

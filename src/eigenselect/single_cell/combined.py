"""One result of several: of methods on the same cells, whose p-values depend on one another, and of batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import chi2

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.inference import benjamini_hochberg
from eigenselect.inference.split import cautious_cauchy
from eigenselect.multisource import aggregate_rankings
from eigenselect.single_cell.scored import Scored, normal_scores


def of_methods(found: Sequence[Scored]) -> Scored:
    """Combine several methods on the same cells.

    The score is minus the mean rank (Borda's rule; genes that a method does not order share its last ranks). P-values
    are combined by the Cauchy rule, which holds for values that depend on one another, times 1.2 as measured for
    `eigenselect.inference.Split`; those of the only method that has some stay as they are.

    Parameters
    ----------
    found : sequence of Scored
        One alone is returned as it is.
    """
    if len(found) == 1:
        return found[0]
    by_method = {name: scores for one in found for name, scores in one.by_method.items()}
    lists = [np.where(one.ranking <= one.n_ordered, one.ranking, np.nan) for one in found]
    joined = aggregate_rankings([ranks for ranks in lists if not np.isnan(ranks).all()])
    n_ordered = int((~np.isnan(joined.scores)).sum())
    tested = [one for one in found if one.pvalues is not None]
    evidence: dict[str, Any] = {}
    if len(tested) == 1:
        evidence = {name: getattr(tested[0], name) for name in ("pvalues", "qvalues", "zscores")}
    elif tested:
        evidence = _evidence(cautious_cauchy(np.array([one.pvalues for one in tested])))
    return Scored(joined.scores, joined.ranking, n_ordered, by_method=by_method, **evidence)


def of_batches(found: Sequence[Scored], chosen: Sequence[BoolArray]) -> tuple[Scored, IntArray]:
    r"""Combine the same methods in several batches; return it, and in how many batches each gene is chosen.

    Genes are ranked by the number of batches in which they are chosen, and among equals by their median rank in these,
    as in `scanpy.pp.highly_variable_genes` with ``flavor="seurat_v3_paper"``; then, and where none chooses them, by
    their median rank in all batches that order them. The score is the mean over batches. Cells of batches are different
    ones, so that p-values are independent, and Fisher's rule joins those of the K batches that have one:

    .. math:: p = P\Big(\chi^2_{2K} \ge -2 \sum_k \ln p_k\Big)

    Parameters
    ----------
    found : sequence of Scored
        One for each batch.
    chosen : sequence of boolean arrays
        Genes that each batch alone would choose.
    """
    nbatches = np.array(chosen).sum(axis=0, dtype=np.intp)
    scores = nan_mean([one.scores for one in found])
    ranks = np.array([np.where(one.ranking <= one.n_ordered, one.ranking, np.nan) for one in found])
    among_chosen = np.where(np.array(chosen), ranks, np.nan)
    order = np.lexsort((np.arange(scores.size), nan_median(ranks), nan_median(among_chosen), -nbatches))
    ranking = np.empty(scores.size, dtype=np.intp)
    ranking[order] = np.arange(1, scores.size + 1)
    tested = [one.pvalues for one in found if one.pvalues is not None]
    evidence: dict[str, Any] = {} if not tested else _evidence(fisher_combination(np.array(tested)))
    names = found[0].by_method
    by_method = {name: nan_mean([one.by_method[name] for one in found]) for name in names}
    n_ordered = int((~np.isnan(ranks)).any(axis=0).sum())
    orders_all = all(one.orders_all for one in found)
    return Scored(scores, ranking, n_ordered, orders_all, by_method=by_method, **evidence), nbatches


def fisher_combination(pvalues: FloatArray) -> FloatArray:
    """Combine independent p-values of each column; NaN are left out, a column without any is NaN.

    >>> fisher_combination(np.array([[0.1, 0.2], [0.1, np.nan]])).round(4)
    array([0.0561, 0.2   ])
    """
    known = ~np.isnan(pvalues)
    count = known.sum(axis=0)
    logarithms = np.log(np.where(known, np.maximum(pvalues, np.finfo(np.float64).tiny), 1.0))
    joined = chi2.sf(-2.0 * logarithms.sum(axis=0), 2 * np.maximum(count, 1))
    return np.where(count > 0, joined, np.nan)


def nan_mean(values: Sequence[FloatArray]) -> FloatArray:
    """Return the mean of what is known of each gene, NaN where nothing is."""
    table = np.array(values)
    known = ~np.isnan(table)
    total = np.where(known, table, 0.0).sum(axis=0)
    return np.divide(total, known.sum(axis=0), out=np.full(total.shape, np.nan), where=known.any(axis=0))


def nan_median(ranks: FloatArray) -> FloatArray:
    """Return the median rank of each gene over the rows that have one, infinity where none has.

    >>> nan_median(np.array([[1.0, 2, np.nan], [3, np.nan, np.nan]]))
    array([ 2.,  2., inf])
    """
    ordered = np.sort(ranks, axis=0)  # NaN last
    count = (~np.isnan(ordered)).sum(axis=0)
    places = [np.maximum(count - 1, 0) // 2, count // 2]
    ends = [np.take_along_axis(ordered, np.minimum(place, len(ordered) - 1)[None], axis=0)[0] for place in places]
    return np.where(count > 0, (ends[0] + ends[1]) / 2, np.inf)


def _evidence(pvalues: FloatArray) -> dict[str, Any]:
    return {"pvalues": pvalues, "qvalues": benjamini_hochberg(pvalues), "zscores": normal_scores(pvalues)}

"""Cross-fitting over features: honest p-values where the graph is made from the table that it judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from eigenselect._checks import choice, random_generator, whole
from eigenselect._progress import Progress, counted_as_whole, tracked
from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import Origin
from eigenselect.inference.components import check_n_components, components_without_each
from eigenselect.inference.discoveries import benjamini_hochberg, cauchy_combination
from eigenselect.inference.exchangeability import warn_if_not_exchangeable
from eigenselect.inference.feature_groups import FeatureGroup
from eigenselect.inference.honest_graphs import criterion_on
from eigenselect.inference.significance import Evidence, Request, Route, refuse_few_samples
from eigenselect.matrix import Matrix

#: from principal components of the samples, and features that took no part in these, to their p-values
Judge = Callable[[FloatArray, Matrix], FloatArray]


def median_combination(pvalues: FloatArray) -> FloatArray:
    r"""Combine the p-values of each column into one that is valid however they depend on one another.

    .. math:: p = \frac Kk\, p_{(k)}, \qquad k = \lfloor K/2 \rfloor + 1

    where :math:`p_{(k)}` is the k-th smallest of the K values of a column, their median. For :math:`p \le t` at least k
    of them are at most :math:`tk/K`; of valid ones tk are on average, so this happens in a share t at most.
    NaN are left out; a column without any is NaN.

    Examples
    --------
    >>> median_combination(np.array([[0.01, 0.9], [0.02, 0.8], [0.5, np.nan]]))
    array([0.03, 0.9 ])
    """
    ordered = np.sort(pvalues, axis=0)  # NaN last
    count = (~np.isnan(ordered)).sum(axis=0)
    k = count // 2 + 1
    middle = np.take_along_axis(ordered, np.minimum(k, len(ordered))[None] - 1, axis=0)[0]
    return np.where(count > 0, np.minimum(1.0, count / k * middle), np.nan)


#: p-values of one feature on graphs of overlapping features depend on one another, and the Cauchy rule then gives too
#: small ones: 1.21 times as many at 0.005 as there should be, and false discoveries of 0.115 instead of 0.1, on 50
#: planted tables (300 samples, 1000 features). Times this it is 0.10, and loses a fiftieth of the features found.
DEPENDENCE = 1.2


def cautious_cauchy(pvalues: FloatArray) -> FloatArray:
    r"""Combine the p-values of each column by the Cauchy rule, times `DEPENDENCE` where there are several.

    >>> cautious_cauchy(np.array([[0.01, 0.5], [0.01, np.nan]])).round(3)
    array([0.012, 0.5  ])
    """
    several = (~np.isnan(pvalues)).sum(axis=0) > 1
    return np.minimum(1.0, np.where(several, DEPENDENCE, 1.0) * cauchy_combination(pvalues))


#: how p-values of repeats become one
COMBINATIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "cauchy": cautious_cauchy,
    "median": median_combination,
}


class Split(Route):
    r"""P-values where the sample graph is made from the features: each is judged on a graph of others.

    The features are dealt into folds at random. The features of a fold are scored on the graph of all *other* folds,
    which they did not help to make, and get a permutation p-value there. This is repeated with other folds, and the
    p-values of a feature are combined. q-values are Benjamini and Hochberg's over all features.

    A graph is made from the first principal components of the other features, after every sample was scaled to unit
    length, by the method's own similarity. An object is used as given; a name stands for its defaults, but for
    neighbours: a fifth of the samples, from 10 to 60.

    Given the other features, a p-value of one feature in one repeat is that of a graph from elsewhere. It holds for
    features that are independent of all others, on samples that are exchangeable; where these differ in size or
    spread, an `ExchangeabilityWarning` says so. Their median, times up to 2, is valid whatever they have to do with
    one another. The Cauchy rule is not, and Benjamini-Hochberg over folds is measured, not proved. On 50 tables of 300
    samples with 60 informative of 1000 features (two components, level 0.1) the plain Cauchy rule made a little more
    false discoveries than asked for, and so its p-values are multiplied by 1.2 (0.095 ± 0.008 and 0.82 on 20 others):

    ==================== ========================== =====
    combination          false discovery proportion power
    ==================== ========================== =====
    Cauchy rule, plain   0.115 ± 0.006              0.82
    median               0.025 ± 0.003              0.77
    one repeat           0.094 to 0.103             0.78
    true classes         0.100 ± 0.005              0.86
    ==================== ========================== =====

    Parameters
    ----------
    n_folds : int, default=5
        Folds of features; as many as there are features at most.
    n_repeats : int, default=5
        Random partitions. There are n_folds · n_repeats graphs.
    n_components : int or "auto", default="auto"
        Principal components that make a graph. ``"auto"`` takes those whose variance is beyond that of unrelated
        features (the edge of Marchenko and Pastur), 2 to 12. Features count by their variance, as in distances: put
        features of different units on one scale before.
    combination : {"cauchy", "median"}, default="cauchy"
        How the p-values of repeats are combined: by the Cauchy rule times a measured 1.2, because they depend on one
        another, or by their median, see `median_combination`, which is valid under any dependence and finds less.
    random_state : int, RandomState or None, default=None
        Of the partitions; None takes the selector's.

    See Also
    --------
    Shadows : The other route, with q-values only.
    Permutation : For graphs that did not see the features.

    References
    ----------
    Chernozhukov and others, Double/debiased machine learning, Econometrics Journal 2018, doi:10.1111/ectj.12097
    (cross-fitting); Liu and Xie, Cauchy combination test, J. Am. Stat. Assoc. 2020,
    doi:10.1080/01621459.2018.1554485.

    Examples
    --------
    >>> import numpy as np
    >>> import eigenselect as es
    >>> from eigenselect.inference import Split
    >>> X = np.random.default_rng(0).normal(size=(80, 60))
    >>> X[:40, :15] += 1.5  # 15 features tell two groups of samples apart
    >>> selector = es.LaplacianScore(es.selection.FDR(0.1), significance=Split(random_state=0)).fit(X)
    >>> selected = selector.get_support()
    >>> int(selected.sum()), int(selected[:15].sum())
    (16, 15)
    """

    spelling = "'split'"
    origins = frozenset({Origin.FEATURES})

    def __init__(
        self,
        n_folds: int = 5,
        n_repeats: int = 5,
        n_components: int | str = "auto",
        *,
        combination: str = "cauchy",
        random_state: Any = None,
    ) -> None:
        self.n_folds = n_folds
        self.n_repeats = n_repeats
        self.n_components = n_components
        self.combination = combination
        self.random_state = random_state

    def check_parameters(self, owner: str) -> None:
        owner = f"{owner}: Split"
        whole(self.n_folds, "n_folds", owner, low=2)
        whole(self.n_repeats, "n_repeats", owner)
        check_n_components(self.n_components, owner)
        choice(self.combination, "combination", owner, tuple(COMBINATIONS))

    def test(self, request: Request) -> Evidence:
        table = request.table.out_of_file("significance='split' makes graphs of many of its parts")
        if table.n_features < 2:
            raise ValueError(
                f"{request.owner}: significance='split' needs at least 2 features, one to make a graph and one to "
                f"judge, got {table.n_features}."
            )
        refuse_few_samples(table.n_samples, request.owner)
        warn_if_not_exchangeable(table, request.owner)
        seed = request.random_state if self.random_state is None else self.random_state
        with counted_as_whole(f"[{request.owner}] graphs", request.verbose) as progress:
            pvalues = split_pvalues(
                table,
                _judge_of(request, int(random_generator(seed).randint(2**31 - 1)), 1 / (self.n_folds * self.n_repeats)),
                n_folds=self.n_folds,
                n_repeats=self.n_repeats,
                n_components=self.n_components,
                combination=self.combination,
                random_state=seed,
                progress=progress,
            )
        return Evidence(qvalues=benjamini_hochberg(pvalues), pvalues=pvalues)


def split_pvalues(
    table: Matrix,
    judge: Judge,
    *,
    n_folds: int = 5,
    n_repeats: int = 5,
    n_components: int | str = "auto",
    combination: str = "cauchy",
    random_state: Any = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Judge every feature on graphs that it did not help to make, and combine its p-values.

    Parameters
    ----------
    table : Matrix
    judge : callable
        ``judge(components, features)`` returns the p-values of some features on the graph of some components.
    n_folds, n_repeats, n_components, combination
        See `Split`.
    random_state : any
    progress : Progress, optional

    Returns
    -------
    ndarray of shape (n_features,)
        NaN where a feature has none in any repeat.
    """
    rng = random_generator(random_state)
    found = np.full((n_repeats, table.n_features), np.nan)
    steps = _graphs(table, min(n_folds, table.n_features), n_repeats, n_components, rng)
    for repeat, fold, components in tracked(steps, min(n_folds, table.n_features) * n_repeats, progress):
        if components is not None:
            found[repeat, fold] = judge(components, table.take_columns(fold))
    return COMBINATIONS[combination](found)


def _graphs(
    table: Matrix, n_folds: int, n_repeats: int, n_components: int | str, rng: np.random.RandomState
) -> Iterator[tuple[int, IntArray, FloatArray | None]]:
    """Yield (repeat, columns of a fold, components of all other features)."""
    for repeat in range(n_repeats):
        folds = [np.sort(fold) for fold in np.array_split(rng.permutation(table.n_features), n_folds)]
        groups = [FeatureGroup(table, fold) for fold in folds]
        for fold, components in zip(folds, components_without_each(groups, n_components), strict=True):
            yield repeat, fold, components


def _judge_of(request: Request, seed: int, share: float) -> Judge:
    """Make the judge that scores by the method's own criterion and permutes.

    Deep tails of rare features are drawn, as on any graph: their moments say 1e-30 of noise, and the rule that combines
    the repeats goes by the smallest. A graph has its ``share`` of the draws that one table has, so that all graphs
    together take no longer to refine than a given one.
    """
    from eigenselect.inference.monte_carlo import refine
    from eigenselect.inference.permutation import criterion_test
    from eigenselect.inference.shuffles import Orders

    drawn = partial(refine, orders=Orders(seed), share=share, n_jobs=request.n_jobs)

    def judge(components: FloatArray, features: Matrix) -> FloatArray:
        criterion = criterion_on(components, request)
        native = criterion.scores(features, n_jobs=request.n_jobs, owner=request.owner).native
        found = criterion_test(
            criterion, features, native, n_jobs=request.n_jobs, monte_carlo=drawn, owner=request.owner
        )
        return np.asarray(found.pvalues)

    return judge

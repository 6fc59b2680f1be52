"""Permuted copies of the features join the table that makes the graph: what they reach is chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from eigenselect._checks import random_generator, share, whole
from eigenselect._progress import Progress, counted_as_whole, tracked
from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import Origin
from eigenselect.inference.components import check_n_components, components_of
from eigenselect.inference.exchangeability import warn_if_not_exchangeable
from eigenselect.inference.feature_groups import FeatureGroup
from eigenselect.inference.honest_graphs import criterion_on
from eigenselect.inference.knockoffs import contest, ebh_qvalues, knockoff_evalues, knockoff_qvalues
from eigenselect.inference.significance import Evidence, Request, Route, refuse_few_samples
from eigenselect.matrix import Matrix, Residuals, SparseMatrix

#: from principal components of the samples and several tables to relevance and rounding of every feature of each
Scorer = Callable[[FloatArray, Sequence[Matrix]], tuple[FloatArray, FloatArray]]


class Shadows(Route):
    r"""Q-values where the sample graph is made from the features: each competes with a permuted copy of itself.

    A copy of every feature, its shadow, has its values in a random order. Features and shadows together make the graph
    (of principal components of samples of unit length, as in `Split`), and all are scored on it. A feature that is
    independent of all others and its shadow are alike, so that either wins as often, and

    .. math:: W = \mathrm{score}(f) - \mathrm{score}(\mathrm{shadow})

    has either sign as often. The knockoff+ rule counts shadows that win by as much:
    a q-value is the smallest level that keeps a feature,

    .. math:: q_j = \min_{t \le W_j} \frac{1 + \#\{W \le -t\}}{\#\{W \ge t\}}

    There are no p-values, and at a level q at least 1/q features are kept, or none.

    Parameters
    ----------
    n_copies : int, default=1
        Shadows of each feature. With c of them, a feature wins if it beats all, W is its lead over their median, and
        the count is divided by c: fewer features can be kept, at least 1/(cq), but the copies blur the graph.
    n_repeats : int, default=1
        Sets of shadows. More than one are joined by e-values, which makes the result depend less on chance; it is
        then valid at every level, but finds little below `level`.
    n_components : int or "auto", default="auto"
        Principal components that make a graph, as in `Split`.
    level : float, default=0.05
        Level of each repeat, where there are several: about half of the level that is asked for in the end.
    random_state : int, RandomState or None, default=None
        Of the shadows; None takes the selector's.

    See Also
    --------
    Split : The other route, with p-values, and with more power.
    Permutation : For graphs that did not see the features.

    References
    ----------
    Barber and Candès, Controlling the false discovery rate via knockoffs, Ann. Stat. 2015, doi:10.1214/15-AOS1337;
    Gimenez and Zou, Improving the stability of the knockoff procedure, AISTATS 2019 (several copies); Ren and Barber,
    Derandomised knockoffs: leveraging e-values for false discovery rate control, J. R. Stat. Soc. B 2024,
    doi:10.1093/jrsssb/qkad085.

    Examples
    --------
    >>> import numpy as np
    >>> import eigenselect as es
    >>> from eigenselect.inference import Shadows
    >>> X = np.random.default_rng(0).normal(size=(80, 60))
    >>> X[:40, :15] += 1.5  # 15 features tell two groups of samples apart
    >>> selector = es.LaplacianScore(es.selection.FDR(0.1), significance=Shadows(random_state=0)).fit(X)
    >>> selected = selector.get_support()
    >>> int(selected.sum()), int(selected[:15].sum())
    (13, 13)
    """

    spelling = "'shadows'"
    origins = frozenset({Origin.FEATURES})

    def __init__(
        self,
        n_copies: int = 1,
        n_repeats: int = 1,
        n_components: int | str = "auto",
        *,
        level: float = 0.05,
        random_state: Any = None,
    ) -> None:
        self.n_copies = n_copies
        self.n_repeats = n_repeats
        self.n_components = n_components
        self.level = level
        self.random_state = random_state

    def check_parameters(self, owner: str) -> None:
        owner = f"{owner}: Shadows"
        whole(self.n_copies, "n_copies", owner)
        whole(self.n_repeats, "n_repeats", owner)
        check_n_components(self.n_components, owner)
        share(self.level, "level", owner, zero=False, one=False)

    def test(self, request: Request) -> Evidence:
        table = request.table.out_of_file("significance='shadows' permutes copies of it")
        refuse_few_samples(table.n_samples, request.owner)
        warn_if_not_exchangeable(table, request.owner)
        if isinstance(table, Residuals):
            table.say_dense("significance='shadows' permutes copies of it")
        seed = request.random_state if self.random_state is None else self.random_state
        with counted_as_whole(f"[{request.owner}] graphs", request.verbose) as progress:
            qvalues = shadow_qvalues(
                table,
                _scorer_of(request),
                n_copies=self.n_copies,
                n_repeats=self.n_repeats,
                n_components=self.n_components,
                level=self.level,
                random_state=seed,
                progress=progress,
            )
        return Evidence(qvalues=qvalues)


def shadow_qvalues(
    table: Matrix,
    score: Scorer,
    *,
    n_copies: int = 1,
    n_repeats: int = 1,
    n_components: int | str = "auto",
    level: float = 0.05,
    random_state: Any = None,
    progress: Progress | None = None,
) -> FloatArray:
    """Let every feature compete with its shadows on graphs that all of them made.

    Parameters
    ----------
    table : Matrix
    score : callable
        ``score(components, tables)`` returns relevances, and their rounding, of shape (n_tables, n_features) on the
        graph of some components.
    n_copies, n_repeats, n_components, level
        See `Shadows`.
    random_state : any
    progress : Progress, optional

    Returns
    -------
    ndarray of shape (n_features,)
        NaN where a feature has no score.
    """
    rng = random_generator(random_state)
    contests = []
    for _ in tracked(range(n_repeats), n_repeats, progress):
        tables = [table, *(shadow_of(table, rng) for _ in range(n_copies))]
        components = components_of([FeatureGroup(each) for each in tables], n_components)
        if components is None:
            return np.full(table.n_features, np.nan)
        contests.append(contest(*score(components, tables)))
    if n_repeats == 1:
        return knockoff_qvalues(*contests[0], n_copies)
    evalues = np.mean([knockoff_evalues(wins, leads, n_copies, level) for wins, leads in contests], axis=0)
    return ebh_qvalues(evalues)


def shadow_of(table: Matrix, rng: np.random.RandomState) -> Matrix:
    """Permute the values of every feature over the samples; a sparse table stays sparse.

    >>> X = Matrix(np.array([[1.0, 10], [2, 20], [3, 30]]))
    >>> np.sort(shadow_of(X, np.random.RandomState(0)).raw, axis=0)
    array([[ 1., 10.],
           [ 2., 20.],
           [ 3., 30.]])
    """
    if isinstance(table, SparseMatrix):
        return _sparse_shadow(table, rng)
    permuted = np.empty(table.shape, dtype=table.dtype)
    for columns, places in _new_places(table, rng):
        np.put_along_axis(permuted[:, columns], places, table.block(slice(None), columns), axis=0)
    return Matrix(permuted)


def _new_places(table: Matrix, rng: np.random.RandomState) -> Iterator[tuple[slice, IntArray]]:
    """Yield tiles of columns and the row to which each of their values goes, the same for any storage."""
    for columns in table.tiles():
        yield columns, rng.random_sample((table.n_samples, columns.stop - columns.start)).argsort(axis=0)


def _sparse_shadow(table: SparseMatrix, rng: np.random.RandomState) -> SparseMatrix:
    X = table.by_column
    rows = np.empty_like(X.indices)
    for columns, places in _new_places(table, rng):
        entries = slice(X.indptr[columns.start], X.indptr[columns.stop])
        column = np.repeat(np.arange(places.shape[1]), np.diff(X.indptr[columns.start : columns.stop + 1]))
        rows[entries] = places[X.indices[entries], column]
    permuted = sparse.csc_array((X.data.copy(), rows, X.indptr.copy()), shape=X.shape)
    permuted.sort_indices()
    return SparseMatrix(permuted)


def _scorer_of(request: Request) -> Scorer:
    """Make the scorer by the method's own criterion."""

    def score(components: FloatArray, tables: Sequence[Matrix]) -> tuple[FloatArray, FloatArray]:
        criterion = criterion_on(components, request)
        found = [criterion.scores(each, n_jobs=request.n_jobs, owner=request.owner) for each in tables]
        return np.array([each.relevance for each in found]), np.array([each.rounding for each in found])

    return score

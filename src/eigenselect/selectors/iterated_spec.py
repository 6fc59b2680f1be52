"""Iterated SPEC: rank on the graph of the features that were selected, until these stay the same."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from eigenselect._checks import whole
from eigenselect._typing import IntArray
from eigenselect._warn import warn
from eigenselect.criteria.criterion import Criterion, Scores
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.selection import rank_features
from eigenselect.selection.ranking import Candidates
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Traits
from eigenselect.selectors.spec import check_phi, eigenvectors_beside, phi_of
from eigenselect.selectors.spectral import Built, SpectralSelector
from eigenselect.similarity import as_similarity, made_of_labels


class IteratedSPEC(SpectralSelector):
    r"""Spectral feature selection on the graph of its own selection.

    Where most features are noise, so are most of the distances between samples, and the graph that `SPEC` ranks on.
    Here features are ranked on the graph of all, the graph is made again of those that were selected, and so on until
    the selection stays:

    .. math:: F_0 = \text{all}, \qquad F_{t+1} = \operatorname{top}_k \varphi\bigl(\cdot \mid S(F_t)\bigr), \qquad
              F_{t+1} = F_t.

    The result is a fixed point: the graph of the selected features selects them. There may be others, and the graph is
    made of the very features that it favours: they look better on it than on any graph from elsewhere, so the scores
    are no evidence that a feature is real, and there are no p-values.

    A noise feature that was selected speaks in its own favour next time, and among few it stays. So select some times
    as many features as are expected to matter, and look at the first of the ranking: of 10 features among 500 that
    tell two clusters apart (60 samples, 1.2 standard deviations) one round has 2.6 among its first 10, iterated with
    10 selected features 2.6, with 20 4.8, with 40 6.5, with 100 5.9 (means of 8 draws).

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"auto"`` is ``Knee()``, which is no test
        and warns of it.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike in the selected features: a name ("knn", "rbf", "linear", "cosine", "diffusion",
        "geodesic"), an object of `eigenselect.similarity`, or a function of X that returns an n × n matrix. A
        ``similarity_matrix`` of `fit` is only the first graph.
    ranking : {"phi1", "phi2", "phi3"}, default="phi2"
        Which of the three ranking functions of `SPEC`.
    spectral_function : "identity", "heat", "car", number, callable or SpectralFunction, default="identity"
        :math:`\gamma`, see `SPEC`.
    n_clusters : int, optional
        The k of φ3, see `SPEC`.
    max_iter : int, default=10
        Graphs that are made after the first one, at most.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Start vector of the eigensolver (φ3); None is a fixed one.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        As of `SPEC`, on the last graph: larger is better. NaN where undefined.
    native_scores_ : ndarray of shape (n_features,)
        φ on the last graph: φ1 and φ2 are good when small, φ3 when large.
    n_iter_ : int
        Graphs that were made after the first one.
    converged_ : bool
        Whether the graph of the selected features selects them.
    history_ : list of ndarray of int
        Columns that were selected on each graph, the first one that of all features.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The similarity of the samples in the features that were selected last.
    criterion_ : Criterion
        The triple that scored: graph, normalisation, form and native value.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    SPEC : One round, on the graph of all features.
    MRSF : Chooses features together, without near-copies.

    References
    ----------
    Tarashansky, Xue, Li, Quake and Wang, Self-assembling manifolds in single-cell RNA sequencing data, eLife 2019,
    doi:10.7554/eLife.48994; Lindenbaum, Shaham, Svirsky, Peterfreund and Kluger, Differentiable unsupervised feature
    selection based on a gated Laplacian, NeurIPS 2021.

    Examples
    --------
    Two clusters that the first 10 of 500 features tell apart: how many of these are among the first 10?

    >>> import numpy as np
    >>> from eigenselect import SPEC, IteratedSPEC
    >>> X = np.random.default_rng(2).normal(size=(60, 500))
    >>> X[:30, :10] += 1.4
    >>> [int((method(40).fit(X).ranking_[:10] <= 10).sum()) for method in (SPEC, IteratedSPEC)]
    [8, 10]
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        similarity: Any = "knn",
        ranking: str = "phi2",
        spectral_function: str | float | Callable[[NDArray[np.float64]], NDArray[np.float64]] = "identity",
        n_clusters: int | None = None,
        max_iter: int = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.ranking = ranking
        self.spectral_function = spectral_function
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _traits(self) -> Traits:
        return Traits(
            needs_labels="one label per sample" if made_of_labels(self.similarity) else "",
            no_p_values="the graph is made of the features that it favours",
        )

    def _check_parameters(self) -> None:
        check_phi(self, "IteratedSPEC")
        whole(self.max_iter, "max_iter", "IteratedSPEC")

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        graph = self._sample_graph(table, y, similarity_matrix)
        history = [self._selected(table, graph)]
        seen = {history[0].tobytes(): 0}
        while history[-1].size and len(history) <= self.max_iter:
            graph = self._graph_of(table, history[-1], y)
            history.append(self._selected(table, graph))
            if seen.setdefault(history[-1].tobytes(), len(history) - 1) < len(history) - 1:
                break
        converged = len(history) > 1 and np.array_equal(history[-1], history[-2])
        if not converged:
            _warn_of_no_end(history, seen[history[-1].tobytes()])
        return Built(graph, attributes={"n_iter_": len(history) - 1, "converged_": converged, "history_": history})

    def _matrices_beside(self) -> float:
        return 1.0 + eigenvectors_beside(self)  # the graph before is there until the next one is

    def _criterion(self, built: Built) -> Criterion:
        return phi_of(self, built.graph, "IteratedSPEC")

    def _graph_of(self, table: Matrix, columns: IntArray, y: Any) -> SampleGraph:
        """Make the graph of some features."""
        recipe = as_similarity(self.similarity, table.n_samples, "IteratedSPEC")
        return recipe.build(table.take_columns(columns), y, owner="IteratedSPEC", n_jobs=self.n_jobs)

    def _selected(self, table: Matrix, graph: SampleGraph) -> IntArray:
        """Find the columns that the rule selects on a graph; what there is to say is said of the last one."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores: Scores = self._criterion(Built(graph)).scores(table, n_jobs=self.n_jobs, owner="IteratedSPEC")
        ranking = rank_features(scores.native, larger_is_better=scores.larger_is_better, tolerance=scores.rounding)
        candidates = Candidates("IteratedSPEC", scores.relevance, ranking, table.n_samples, table.feature_names)
        return np.flatnonzero(self.selection_rule.choose(candidates))


def _warn_of_no_end(history: list[IntArray], first: int) -> None:
    """Say that no selection stayed: a circle, none left, or too few rounds."""
    rounds = len(history) - 1
    if not history[-1].size:
        said = "nothing is selected any more, so no graph can be made of it; select more"
    elif first < rounds:
        said = (
            f"the selection goes round in a circle of {rounds - first}, and the last one was taken; another number of "
            "features or more neighbours may end it"
        )
    else:
        changed = np.setdiff1d(history[-1], history[-2]).size
        said = f"{changed} of {history[-1].size} selected features still changed in the last; raise max_iter"
    warn(f"IteratedSPEC: no selection stayed within {rounds} rounds: {said}.", ConvergenceWarning)

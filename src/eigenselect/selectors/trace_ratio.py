"""Trace ratio: the subset of features with the best ratio of between to within scatter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenselect._checks import choice
from eigenselect._labels import encode_classes, learning_labels
from eigenselect.graph import SampleGraph, graph_from_matrix
from eigenselect.matrix import Matrix
from eigenselect.selection.rules import HowMany
from eigenselect.selection.scatter_pairs import GraphPair, PairSum, ScatterRatio
from eigenselect.selectors.base import Traits
from eigenselect.selectors.spectral import Built, SpectralSelector
from eigenselect.similarity.labels import class_graph

if TYPE_CHECKING:
    from eigenselect.inference.explanation import Explanation

NAMED_PAIRS = ("fisher", "laplacian", "semi-supervised")


class TraceRatio(SpectralSelector):
    r"""Choose the subset that maximises a ratio of two scatters, as a whole and exactly.

    .. math:: \max_{|I| = k} \frac{\sum_{i\in I} f_i^\top L_b f_i}{\sum_{i\in I} f_i^\top L_w f_i}

    where :math:`L_b, L_w` are the Laplacians of a between and a within graph. Scoring features one by one
    (``level="feature"``) is not optimal for the subset; ``level="subset"`` finds the global optimum in a few rounds
    over the same two numbers per feature.

    On features as they are, a sum of scatters is ruled by the spread: near-constant features cost the denominator
    nothing, and the exact optimum fills up with them. The features are therefore divided by their standard deviation
    first (`scale`). With Fisher's pair b + e is then the same for all features, and the best subset is that of the k
    largest Fisher scores.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        The k: a number, a fraction, half of the features (None), or a rule of `eigenselect.selection`, with
        ``level="subset"`` one that gives a number (`TopK`, `Knee`). ``"fdr"`` is ``FDR()``; ``"auto"`` is that if
        there are q-values, which labels give at ``level="feature"`` unless ``significance=False``; else ``Knee()`` of
        the feature-level scores, which is no test, and warns.
    graphs : "fisher", "laplacian", "semi-supervised", or a pair of matrices (A_w, A_b), default="fisher"
        ``"fisher"``: within and between classes (needs y). ``"laplacian"``: neighbours against all (no y).
        ``"semi-supervised"``: the sum of both, classes among the labelled samples (None and NaN in y are
        unlabelled; so is -1 in a numeric y with at least two other classes), neighbours among all, a labelled sample
        weighing as much in one as in the other. A pair: symmetric, non-negative n × n similarities of your own.
    level : {"subset", "feature"}, default="subset"
        Whether the subset is chosen as a whole, or features by their own ratios.
    scale : {"auto", "unit", None}, default="auto"
        ``"unit"``: every feature at unit standard deviation before the scatters are computed, as on the table that
        scikit-learn's ``StandardScaler`` makes (the graphs are those of X as it is). None: features as they are, the
        paper's letter. ``"auto"`` is ``"unit"`` for named graphs and None for a pair of your own, whose weights may
        count on the scale of X. The order at ``level="feature"`` does not depend on it.
    similarity : str, similarity object or callable, default="knn"
        The neighbour graph of ``graphs="laplacian"`` and ``"semi-supervised"``.
    significance : None, True, "given", "split", "shadows" or object, default=None
        Labels found by clustering these features, and coordinates computed from them, make noise look significant, and
        no program can see it: True and ``"given"`` are for what comes from elsewhere. None: no p-values, but of
        labels for ``"auto"`` and ``"fdr"``; False: none. True: the graph is made of labels or of another table.
        ``"given"``: a precomputed ``similarity_matrix`` was not made of these features. ``"split"`` and ``"shadows"``:
        the graph is made of these features. Or an object of `eigenselect.inference`
        (`Permutation`, `Given`, `Split`, `Shadows`).
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        For what ``significance`` draws; None is a fixed start.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_, native_scores_ : ndarray of shape (n_features,)
        :math:`b_i - \lambda^* e_i` at subset level, :math:`b_i / e_i` at feature level; larger is better. A feature
        with e = 0 < b is perfect.
    trace_ratio_ : float
        λ*, the ratio of the chosen subset.
    n_iter_ : int
        Rounds of the iteration (1 at feature level).
    n_labelled_ : int
        With ``graphs="semi-supervised"``: samples with a label.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The within graph.
    criterion_ : ScatterRatio
        The pair of scatters that scored, with λ*.
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        With ``significance``: how often a feature without relation to the graph scores as well, and the smallest false
        discovery rate at which the feature is kept (Benjamini-Hochberg). Shadows give q-values only.
    null_mean_, null_sd_ : ndarray of shape (n_features,)
        With ``significance``: mean and standard deviation of the native score of such a feature.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    FisherScore : Scores features one by one with the same pair of graphs.
    LaplacianScore : Orders features as ``graphs="laplacian"`` at ``level="feature"`` does.

    References
    ----------
    Nie, Xiang, Jia, Zhang and Yan, Trace ratio criterion for feature selection, AAAI 2008.

    Examples
    --------
    >>> from eigenselect import TraceRatio
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = TraceRatio(3).fit(X, y)
    >>> selector.get_support(indices=True), round(selector.trace_ratio_, 3)
    (array([ 6, 11, 12]), 2.395)
    >>> TraceRatio(3, scale=None).fit(X, y).get_support(indices=True)  # the paper's letter: small spreads win
    array([ 6,  7, 10])
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        graphs: Any = "fisher",
        level: str = "subset",
        scale: str | None = "auto",
        similarity: Any = "knn",
        significance: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.graphs = graphs
        self.level = level
        self.scale = scale
        self.similarity = similarity
        self.significance = significance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _traits(self) -> Traits:
        name = self.graphs if isinstance(self.graphs, str) else "a pair"
        needed = {"fisher": "one label per sample", "semi-supervised": "labels"}
        shown = repr(name) if isinstance(self.graphs, str) else name
        together = "level='subset' chooses features together" if self.level == "subset" else ""
        has_neighbors = name in ("laplacian", "semi-supervised")
        return Traits(
            needs_labels=needed.get(name, ""),
            uses_unlabelled_samples=name == "semi-supervised",
            no_similarity_matrix=""
            if has_neighbors
            else f"TraceRatio: graphs={shown} has no graph of neighbours for a similarity_matrix to stand in for; use "
            "graphs='laplacian' or 'semi-supervised'.",
            needs_number=together,
            no_forced=together,
            no_p_values=together and f"{together}, level='feature' has p-values",
        )

    def _check_parameters(self) -> None:
        choice(self.level, "level", "TraceRatio", ("subset", "feature"))
        choice(self.scale, "scale", "TraceRatio", ("auto", "unit"), none=True)
        if isinstance(self.graphs, str):
            choice(self.graphs, "graphs", "TraceRatio", NAMED_PAIRS, other="a pair")
        elif not isinstance(self.graphs, (tuple, list)) or len(self.graphs) != 2:
            raise ValueError("TraceRatio: graphs must be 'fisher', 'laplacian' or a pair (A_w, A_b) of matrices.")

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        if not isinstance(self.graphs, str):
            pair = GraphPair(self._given(0, table.n_samples), self._given(1, table.n_samples))
            return Built(pair.within, parts=pair)
        if self.graphs == "fisher":
            codes, classes = encode_classes(y, "TraceRatio", table.n_samples)
            pair = GraphPair(class_graph(codes, classes), "rest")
            return Built(pair.within, parts=pair)
        neighbors = GraphPair(self._sample_graph(table, None, similarity_matrix), "total")
        if self.graphs == "laplacian":
            return Built(neighbors.within, parts=neighbors)
        return _with_labels(neighbors, y)

    def _given(self, place: int, n_samples: int) -> SampleGraph:
        """Check one matrix of a pair; on its graph every sample counts the same."""
        name = ("A_w", "A_b")[place]
        graph = graph_from_matrix(self.graphs[place], n_samples, name=f"TraceRatio: {name} of graphs")
        return SampleGraph(graph.affinity, mass=np.ones(n_samples), signed=True, origin=graph.origin)

    def _criterion(self, built: Built) -> ScatterRatio:
        scale = self.scale
        if scale == "auto":
            scale = "unit" if isinstance(self.graphs, str) else None
        return ScatterRatio(built.parts, self.level, self.selection_rule, scale)

    def _explain(self, table: Matrix, column: int) -> Explanation:
        from eigenselect.selection.scatter_sums import explain_scatters

        return explain_scatters(self.criterion_, self._feature(table, column), "TraceRatio")


def _with_labels(neighbors: GraphPair, y: Any) -> Built:
    """Put the classes of the labelled samples beside the neighbours of all, both with mean degree 1."""
    within = neighbors.within
    rows, codes, names = learning_labels(y, "TraceRatio", within.n_samples)
    classes = GraphPair(class_graph(codes, names), "rest", rows)
    scale = within.n_samples / (within.volume or 1.0)  # without edges it is refused later
    pair = PairSum((classes, GraphPair(within, "total", scale=scale)))
    return Built(within, parts=pair, attributes={"n_labelled_": rows.size})

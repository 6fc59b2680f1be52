"""Selectors that score features one by one on a sample graph."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.criteria.criterion import Scores
from eigenselect.exceptions import GraphWarning
from eigenselect.graph import Origin, SampleGraph, graph_from_matrix
from eigenselect.inference.significance import FEWEST_SAMPLES, Request, Route, as_route
from eigenselect.matrix import Matrix
from eigenselect.selection.rules import SelectionRule, as_rule
from eigenselect.selectors.base import Found, Selector, Traits
from eigenselect.similarity import as_similarity, made_of_labels

if TYPE_CHECKING:
    from eigenselect.inference.explanation import Explanation
    from eigenselect.inference.feature_sums import Feature

#: the ways to p-values on a graph that is not made of labels
_ROUTES = {
    Origin.FEATURES: "'split' or 'shadows'",
    Origin.GIVEN: "'given' if it was not made of these features",
    Origin.ELSEWHERE: "True if that table was not computed from these features",
}


class Scorer(Protocol):
    """What scores features: a `Criterion`, or what combines several forms."""

    def scores(self, X: Any, *, n_jobs: int | None = None, owner: str = "") -> Scores:
        """Score every feature of X."""


@dataclass(frozen=True)
class Built:
    """A sample graph, and what else was learned while it was made.

    Attributes
    ----------
    graph : SampleGraph
    parts : any
        What the criterion needs beside the graph.
    samples : ndarray of int or None
        Rows of the table that the graph is about; None for all.
    attributes : dict
        Fitted attributes.
    """

    graph: SampleGraph
    parts: Any = None
    samples: IntArray | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


class SpectralSelector(Selector):
    """A selector whose `fit` is: input → graph → inspect the graph → criterion → scores → finish.

    A subclass returns its criterion from `_criterion`, and its graph from `_build` where a similarity of the samples
    is not all there is to it.
    """

    #: what to do where units decide; None for the usual advice, to scale
    advice_on_units: str | None = None
    #: whether a similarity_matrix must be symmetric; if not, its symmetric part is taken
    symmetric: bool = True

    def _traits(self) -> Traits:
        by_label = made_of_labels(getattr(self, "similarity", None))
        return Traits(needs_labels="one label per sample" if by_label else "")

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        """Make the sample graph."""
        return Built(self._sample_graph(table, y, similarity_matrix))

    @abstractmethod
    def _criterion(self, built: Built) -> Scorer:
        """Return the method's triple on the graph."""

    def _find(self, table: Matrix, y: Any, similarity_matrix: Any) -> Found:
        owner = type(self).__name__
        with self._step("graph"):
            built = self._build(table, y, similarity_matrix)
            inspect_graph(built.graph, owner)
        route = self._route(built.graph)
        with self._step("scores"):
            criterion = self._criterion(built)
            judged = table if built.samples is None else table.take_rows(built.samples)
            if route is not None:
                route.announce(judged, built.graph)
            scores = criterion.scores(judged, n_jobs=self.n_jobs, owner=owner)
        attributes = {"graph_": built.graph, "criterion_": criterion, "_judged_rows": built.samples, **built.attributes}
        if route is not None:
            with self._step("significance"):
                request = Request(
                    table=judged,
                    criterion=scores.attributes.get("criterion_", criterion),
                    scores=scores,
                    rebuild=partial(self._rebuild, y),
                    similarity=getattr(self, "similarity", None),
                    owner=owner,
                    n_jobs=self.n_jobs,
                    random_state=self.random_state,
                    verbose=self.verbose,
                )
                attributes.update(route.test(request).attributes())
        return Found(scores, attributes, graph=built.graph, samples=built.samples)

    def _route(self, graph: SampleGraph) -> Route | None:
        """Return the way to p-values that the parameters ask for; refuse one that is not honest on such a graph."""
        owner, significance, origin = type(self).__name__, getattr(self, "significance", None), graph.origin
        if significance is None and self.n_features_to_select == "auto" and self.has_p_values:
            significance = origin is Origin.LABELS and graph.n_samples >= FEWEST_SAMPLES
        rule = self.n_features_to_select
        needed = isinstance(rule, str | SelectionRule) and as_rule(rule, owner).needs_significance
        if (significance or needed) and origin is Origin.FEATURES and (why := self._traits().no_rebuilt_graph):
            raise ValueError(f"{owner}: p-values need a graph that did not see the features, and {why}")
        if not significance and needed:
            significance = self._implied_significance(origin, owner)
        if significance is None or significance is False:
            return None
        route = as_route(significance, owner)
        if route is not None:
            route.check(origin, owner)
        return route

    def _implied_significance(self, origin: Origin, owner: str) -> bool:
        """Return what a rule that looks at q-values means where nothing more is said: True for labels."""
        if origin is Origin.LABELS:
            return True
        raise ValueError(
            f"{owner}: n_features_to_select={self.n_features_to_select!r} needs p-values, and the graph is {origin}; "
            f"set significance={_ROUTES[origin]}."
        )

    def _rebuild(self, y: Any, table: Matrix, similarity: Any = None) -> Scorer:
        """Return the method's criterion on the graph of another table of the same samples."""
        maker = self if similarity is None else clone(self).set_params(similarity=similarity)
        return maker._criterion(maker._build(table, y, None))

    def _sample_graph(self, table: Matrix, y: Any, similarity_matrix: Any) -> SampleGraph:
        """Make the graph of the similarity, or of the matrix in its place."""
        return build_graph(
            self.similarity,
            table,
            y,
            similarity_matrix,
            type(self).__name__,
            self.n_jobs,
            self.advice_on_units,
            symmetric=self.symmetric,
            beside=self._matrices_beside(),
        )

    def _matrices_beside(self) -> float:
        """Count the n × n matrices that this method needs beside a graph that is a dense one."""
        return 0.0

    def quadratic_form(self, X: Any = None) -> tuple[FloatArray, FloatArray]:
        r"""Return the matrices :math:`(\hat S, \hat F)` whose :math:`\hat f^\top \hat S \hat f` are the scores.

        Made dense (n × n and n × m) and not by the fast route: for checking and teaching.

        Parameters
        ----------
        X : array, data frame, sparse matrix or memory map of shape (n_samples, n_features)
            The data of `fit`, which the selector does not keep.

        Returns
        -------
        S_hat : ndarray of shape (n_samples, n_samples)
            The matrix :math:`\hat S`, of the samples that the scores are about.
        F_hat : ndarray of shape (n_samples, n_features)
            The features :math:`\hat f`, in columns.

        Raises
        ------
        ValueError
            Where X is not the data of `fit`, or the method has no such form (``has_quadratic_form`` is False).
        """
        check_is_fitted(self, "criterion_")
        if refusal := self._traits().no_quadratic_form:
            raise ValueError(refusal)
        table = self._judged(self._without_covariates(self._data_of_fit(X, "quadratic_form")))
        return self.criterion_.matrix(), self.criterion_.features(table.to_array())

    def _judged(self, table: Matrix) -> Matrix:
        """Return the samples of the table of `fit` that the scores are about."""
        return table if self._judged_rows is None else table.take_rows(self._judged_rows)

    def _explain(self, table: Matrix, column: int) -> Explanation:
        from eigenselect.inference.feature_sums import explain_criterion

        return explain_criterion(self.criterion_, self._feature(table, column), type(self).__name__, self._parts())

    def _feature(self, table: Matrix, column: int) -> Feature:
        """Take one column out of the table of `fit`, on the samples that the scores are about."""
        from eigenselect.inference.feature_sums import Feature

        rows = np.arange(table.n_samples) if self._judged_rows is None else self._judged_rows
        return Feature.of(self._judged(table), column, rows, type(self).__name__)

    def _parts(self) -> dict[str, tuple[float, SampleGraph]]:
        """Return factor and graph of every source that the graph is a sum of; none where it is of one piece."""
        return {}


def build_graph(
    similarity: Any,
    table: Matrix,
    y: Any,
    similarity_matrix: Any,
    owner: str,
    n_jobs: int | None,
    advice: str | None = None,
    *,
    symmetric: bool = True,
    beside: float = 0.0,
) -> SampleGraph:
    """Make the graph of a similarity, or of the matrix that is given in its place.

    ``beside`` counts the n × n matrices that whoever asks will need beside a dense one.
    """
    if similarity_matrix is not None:
        name = f"{owner}: similarity_matrix"
        return graph_from_matrix(similarity_matrix, table.n_samples, name=name, symmetric=symmetric)
    recipe = as_similarity(similarity, table.n_samples, owner)
    recipe.warn_about_units(table, owner, advice, n_jobs=n_jobs)
    with recipe.room_for_pairs(table.n_samples, owner, beside):
        return recipe.build(table, y, owner=owner, n_jobs=n_jobs)


def inspect_graph(graph: SampleGraph, owner: str) -> None:
    """Refuse a graph without edges; warn once of isolated samples and unexpected components, with counts."""
    if not graph.n_live:
        raise ValueError(f"{owner}: the sample graph has no edges (all {graph.n_samples} samples are isolated).")
    if found := graph.findings():
        warn(
            f"{owner}: {' and '.join(found)}; more neighbours or a wider bandwidth would connect them.",
            GraphWarning,
            n_isolated=graph.n_samples - graph.n_live,
            n_components=graph.n_components,
        )

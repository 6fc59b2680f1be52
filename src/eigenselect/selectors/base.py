"""What every univariate selector shares: input checks, the graph, scores, ranking, support."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from eigenselect._checks import any_finite_size, check_table, refuse_other_tables
from eigenselect._names import named_by, names_in_hand
from eigenselect._parallel import single_threaded_blas
from eigenselect._warn import warn
from eigenselect.criteria.base import BaseCriterion
from eigenselect.exceptions import GraphWarning, UndefinedScoreWarning
from eigenselect.graph import SampleGraph, UnweightedGraph, graph_from_matrix
from eigenselect.graph.findings import loose_parts
from eigenselect.matrix import as_matrix
from eigenselect.selection import number_to_select, rank_features
from eigenselect.selectors.domination import warn_if_dominated
from eigenselect.similarity import as_similarity, made_of_labels
from eigenselect.similarity.units import warn_about_units


class SpectralSelector(SelectorMixin, BaseEstimator, ABC):
    """A selector that scores features by one criterion on one sample graph.

    Subclasses name their parameters and return their row of the theorem's table from `_criterion`.
    """

    n_features_to_select: int | float | str | None
    similarity: Any
    #: what to do where units decide; None for the usual advice, to scale
    advice_on_units: str | None = None
    n_jobs: int | None
    verbose: int | bool

    @property
    def takes_similarity_matrix(self) -> bool:
        """Whether a sample graph can be given in place of the method's own."""
        return True

    @property
    def uses_unlabelled_samples(self) -> bool:
        """Whether samples without a label count, so that -1 in a numeric y may mark them."""
        return False

    @abstractmethod
    def _criterion(self, graph: SampleGraph) -> BaseCriterion:
        """The method's triple on this graph."""

    def _check_parameters(self) -> None:
        """Refuse bad parameters before anything is computed."""

    def fit(self, X: Any, y: Any = None, *, similarity_matrix: Any = None) -> Self:
        """Score and rank the features.

        Parameters
        ----------
        X : array, data frame, sparse matrix or memory map of shape (n_samples, n_features)
            Finite numbers.
        y : array of shape (n_samples,), optional
            Labels; used by similarities that are made of them, else ignored.
        similarity_matrix : array or sparse matrix of shape (n_samples, n_samples), optional
            A precomputed similarity, symmetric and non-negative, in place of `similarity`.

        Returns
        -------
        self
        """
        refuse_other_tables(X, type(self).__name__)
        with named_by(X):
            X = self._checked_input(X)
            with self._step("graph"):
                self.graph_ = self._build_graph(X, y, similarity_matrix)
                _inspect(self.graph_, type(self).__name__)
            with self._step("scores"):
                self.criterion_ = self._criterion(self.graph_)
                self.native_scores_ = self._native_scores(X)
            self._set_ranking(self.criterion_.relevance(self.native_scores_))
            self._warn_if_dominated(X)
        self._fit_X = X
        return self

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also nested ones such as ``similarity__n_neighbors`` where the similarity is a name."""
        nested = any(name.startswith("similarity__") for name in params)
        if nested and isinstance(params.get("similarity", getattr(self, "similarity", None)), str):
            name = params.pop("similarity", self.similarity)
            self.similarity = as_similarity(name, sys.maxsize)
        return super().set_params(**params)

    def quadratic_form(self, X: Any = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        r"""The matrices :math:`(\hat S, \hat F)` whose :math:`\hat f^\top \hat S \hat f` are the scores.

        Made dense (n × n and n × m), from the full eigensystem rather than by the fast route: for checking and
        teaching. A reference to the data of `fit` is kept for it, not a copy.

        Parameters
        ----------
        X : array, optional
            The data of `fit`; needed only after unpickling, which does not carry it.
        """
        check_is_fitted(self, "criterion_")
        data = getattr(self, "_fit_X", None) if X is None else X
        if data is None:
            raise ValueError(f"{type(self).__name__}: the training data are not pickled; call quadratic_form(X).")
        features = data.toarray() if sparse.issparse(data) else np.asarray(data)
        return self.criterion_.matrix(), self.criterion_.features(features.astype(np.float64))

    def _checked_input(self, X: Any) -> Any:
        """X as finite floats, after the parameters were found sane for it."""
        check_table(X, type(self).__name__)
        self._check_parameters()
        with any_finite_size():
            X = validate_data(
                self, X, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], ensure_min_samples=2, order=None
            )
        if sparse.issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()  # entries that add up to one value would be squared one by one
        number_to_select(self.n_features_to_select, np.zeros(X.shape[1]), type(self).__name__)
        return X

    def _build_graph(self, X: Any, y: Any, similarity_matrix: Any) -> SampleGraph:
        if similarity_matrix is not None:
            return graph_from_matrix(similarity_matrix, X.shape[0], name=f"{type(self).__name__}: similarity_matrix")
        owner, table = type(self).__name__, as_matrix(X, **names_in_hand())
        similarity = as_similarity(self.similarity, table.n_samples, owner)
        if similarity.by_distance:
            warn_about_units(table, owner, self.advice_on_units)
        return similarity.build(table, y, owner=owner, n_jobs=self.n_jobs)

    def _native_scores(self, X: Any) -> NDArray[np.float64]:
        return self.criterion_.native_scores(X, n_jobs=self.n_jobs)

    def _set_ranking(self, scores: NDArray[np.float64]) -> None:
        """Ranking and support from the scores."""
        name = type(self).__name__
        undefined = int(np.isnan(scores).sum())
        if undefined:
            warn(
                f"{name}: {undefined} of {scores.size} features have no score (constant on the samples of the graph, "
                "or beyond the range of floating point) and are ranked last.",
                UndefinedScoreWarning,
            )
        self.scores_ = scores
        self.n_ordered_ = scores.size - undefined
        self.ranking_ = ranked_by(self.criterion_, self.native_scores_)
        self.n_features_ = number_to_select(self.n_features_to_select, scores, name, self.graph_.n_samples)

    def _warn_if_dominated(self, X: Any) -> None:
        best = np.argsort(self.ranking_, kind="stable")
        warn_if_dominated(X, best, self.graph_, getattr(self, "samples_", None), type(self).__name__)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "ranking_")
        return np.asarray(self.ranking_ <= self.n_features_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = made_of_labels(getattr(self, "similarity", None))
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the training data, which would make a pickled selector as large as its table."""
        state = dict(super().__getstate__())
        state.pop("_fit_X", None)
        return state

    def _step(self, what: str) -> _Step:
        return _Step(type(self).__name__, what, bool(self.verbose))


def ranked_by(criterion: BaseCriterion, native: NDArray[np.float64]) -> NDArray[np.intp]:
    """Rank of every feature, 1 = best: see `rank_features`.

    The order is taken from the native scores: 1 - φ would round away differences of tiny φ.
    """
    return rank_features(native, larger_is_better=criterion.larger_is_better, tolerance=criterion.tolerance(native))


class _Step:
    """Times one step and, if asked, says so on stderr.

    BLAS has one thread within: the bits of its results depend on how many it has, and our own threads do better.
    """

    def __init__(self, owner: str, what: str, verbose: bool) -> None:
        self.label, self.verbose = f"[{owner}] {what}", verbose
        self.blas = single_threaded_blas()

    def __enter__(self) -> None:
        self.blas.__enter__()
        self.start = time.perf_counter()

    def __exit__(self, *exc_info: Any) -> None:
        self.blas.__exit__(*exc_info)
        if self.verbose:
            print(f"{self.label}: {time.perf_counter() - self.start:.3f} s", file=sys.stderr)


def _inspect(graph: SampleGraph, owner: str) -> None:
    """Refuse a graph without edges; one warning for isolated samples and unexpected components, with counts."""
    if isinstance(graph, UnweightedGraph):  # every sample counts the same, with neighbours or without
        return
    if graph.isolated.all():
        raise ValueError(f"{owner}: the sample graph has no edges (all {graph.n_samples} samples are isolated).")
    if found := loose_parts(graph):
        warn(
            f"{owner}: {' and '.join(found)}; more neighbours or a wider bandwidth would connect them.",
            GraphWarning,
        )

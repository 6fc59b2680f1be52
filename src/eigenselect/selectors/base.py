"""What every estimator shares: input checks, finishing, support, explanations, tags."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from eigenselect._parallel import single_threaded_blas
from eigenselect._progress import passes_told
from eigenselect._typing import BoolArray, IntArray
from eigenselect._warn import is_heard, warn
from eigenselect.criteria.criterion import Scores
from eigenselect.exceptions import KneeWarning, UndefinedScoreWarning, agreeing, counted
from eigenselect.graph import SampleGraph
from eigenselect.matrix import (
    DaskMatrix,
    Matrix,
    Residuals,
    as_matrix,
    check_order,
    column_number,
    covariate_basis,
    dask_residuals,
    feature_names_of,
    read_input,
    refuse_other_tables,
    sample_names_of,
)
from eigenselect.matrix.number_types import warn_if_rounded
from eigenselect.selection import rank_features
from eigenselect.selection.ranking import Candidates, in_order
from eigenselect.selection.rules import HowMany, Knee, SelectionRule, as_rule, who_has_p_values
from eigenselect.selectors.annotated import TakesAnnData
from eigenselect.selectors.domination import warn_if_dominated
from eigenselect.similarity import as_similarity

if TYPE_CHECKING:
    from eigenselect.inference.explanation import Explanation

#: fitted attributes that only a fit with ``significance`` has
EVIDENCE = ("pvalues_", "qvalues_", "null_mean_", "null_sd_")
#: relative difference of two scores of one feature from which they are of different tables
SAME_DATA = 1e-6


@dataclass(frozen=True)
class Traits:
    """What a method takes and gives, under its present parameters: declared once per class, checked in `Selector`.

    Attributes
    ----------
    needs_labels : str
        What y must hold, for the error of a fit without it; empty where none is needed.
    uses_unlabelled_samples : bool
        Whether samples without a label count, so that -1 in a numeric y may mark them.
    orders_all_features : bool
        Whether every feature with a score has a place of its own in the ranking.
    no_similarity_matrix : str
        Why no sample graph can be given in place of the method's own; empty where one can.
    no_quadratic_form : str
        Why no f̂ᵀŜf̂ orders the features as the method does; empty where one does.
    no_explanation : str
        Why a score is no sum that `explain` could show; empty where it is one.
    undefined : str
        What is said of features without a score, in words of `eigenselect.exceptions.agreeing`.
    selects_undefined : bool
        Whether features without a score may fill up a number of features.
    needs_number : str
        Why the method must know how many features before it starts; empty where it need not.
    no_forced : str
        Why no feature can be kept or left out whatever its score; empty where one can.
    no_p_values : str
        Why there are no p-values; empty where there are, if the method has a parameter ``significance``.
    no_rebuilt_graph : str
        Why no graph of a part of the features can be made, which p-values on a graph of the features need; empty where
        one can.
    """

    needs_labels: str = ""
    uses_unlabelled_samples: bool = False
    orders_all_features: bool = True
    no_similarity_matrix: str = ""
    no_quadratic_form: str = ""
    no_explanation: str = ""
    undefined: str = (
        "[has|have] no score (constant on the samples of the graph, or beyond the range of floating point) and "
        "[is|are] ranked last"
    )
    selects_undefined: bool = True
    needs_number: str = ""
    no_forced: str = ""
    no_p_values: str = ""
    no_rebuilt_graph: str = ""


@dataclass(frozen=True)
class Found:
    """What a method found on a table.

    Attributes
    ----------
    scores : Scores
    attributes : dict
        Fitted attributes of the method.
    n_ordered : int or None
        How many features the ranking orders; None for all that have a score.
    graph : SampleGraph or None
        The graph whose leading eigenvectors count; None where they do not.
    samples : ndarray of int or None
        Rows of the table that the scores are about; None for all.
    can_be_dominated : bool
        Whether one sample may have made the ranking, so that it is looked for.
    """

    scores: Scores
    attributes: dict[str, Any] = field(default_factory=dict)
    n_ordered: int | None = None
    graph: SampleGraph | None = None
    samples: IntArray | None = None
    can_be_dominated: bool = True


class Selector(TakesAnnData, SelectorMixin, BaseEstimator, ABC):
    """A scikit-learn selector whose `fit` is: check the input, find the scores, finish.

    A subclass names its parameters, declares its `Traits`, and returns what it found from `_find`. It overrides no
    check: a test holds that.
    """

    n_features_to_select: HowMany
    similarity: Any
    n_jobs: int | None
    verbose: int | bool

    @abstractmethod
    def _find(self, table: Matrix, y: Any, similarity_matrix: Any) -> Found:
        """Score the features of a checked table."""

    def _traits(self) -> Traits:
        """Declare what the method takes and gives."""
        return Traits()

    def _check_parameters(self) -> None:
        """Refuse bad parameters before anything is computed."""

    def fit(self, X: Any, y: Any = None, *, similarity_matrix: Any = None, covariates: Any = None) -> Self:
        """Score and rank the features.

        Parameters
        ----------
        X : array, data frame, sparse matrix, memory map, AnnData, array or group of h5py or zarr, or Dask array
            Of shape (n_samples, n_features); finite numbers. Of an AnnData its ``X`` and names, which stay sparse, or
            in their file. A table in a file is read in parts of an eighth of scikit-learn's ``working_memory``; one
            that lies by rows and has more than two such parts is copied once to a temporary file, which has no name, is
            read by this process alone and goes when it is no longer used. It is in ``/var/tmp``,
            or in ``TMPDIR`` if that is set.
        y : array of shape (n_samples,), optional
            Labels, for methods and similarities that are made of them; else ignored.
        similarity_matrix : array or sparse matrix of shape (n_samples, n_samples), optional
            A precomputed similarity, symmetric and non-negative, in place of the method's own.
        covariates : array or data frame of shape (n_samples,) or (n_samples, n_covariates), optional
            What is known of the samples and should not count (depth, batch): every feature is replaced by what a linear
            regression on the covariates leaves of it, before anything else, so that a graph that is made of X is made
            of these residuals, too. Numbers; columns of text or of categories stand for one indicator per category.
            Labels, a ``similarity_matrix`` and graphs of other tables stay as they are.

        Returns
        -------
        Selector
            The fitted selector itself.

        Raises
        ------
        ValueError
            Where a parameter, X or y is not what the method takes; the message says what to do.
        """
        return self._fit(X, y, similarity_matrix, covariates)

    def _fit(self, X: Any, y: Any, similarity_matrix: Any = None, covariates: Any = None, **names: Any) -> Self:
        """Check, find, finish; ``names`` are `read_input`'s, for methods that match samples and features by name."""
        self._check_parameters()
        traits = self._traits()
        planned = 3 if getattr(self, "significance", None) else 2  # to check, to score, to test
        with passes_told(f"[{type(self).__name__}]", planned) if self.verbose else nullcontext():
            given = table = self._checked_input(X, y, similarity_matrix, traits, names)
            rule = self._checked_rule(table, traits)
            with single_threaded_blas():
                if covariates is not None:
                    table = self._residuals(table, covariates)
                found = self._find(table, y, similarity_matrix)
            self._finish(table, found, traits, rule)
            if not given.in_memory:  # of which only now all values were looked at
                warn_if_rounded(given, type(self).__name__)
        return self

    def _checked_input(self, X: Any, y: Any, similarity_matrix: Any, traits: Traits, names: dict[str, Any]) -> Matrix:
        """Return X as finite floats; refuse what the method does not take or cannot do without."""
        owner = type(self).__name__
        table = read_input(X, owner, self, **names)
        if y is not None:
            check_order(sample_names_of(y), sample_names_of(table), owner, "y")
        if similarity_matrix is not None and traits.no_similarity_matrix:
            raise ValueError(traits.no_similarity_matrix)
        if y is None and similarity_matrix is None and traits.needs_labels:
            raise ValueError(
                f"{owner} requires y to be passed, but the target y is None; call fit(X, y) with {traits.needs_labels}."
            )
        if y is not None and similarity_matrix is not None and traits.needs_labels and len(y) != table.n_samples:
            raise ValueError(
                f"{owner}: y must hold {traits.needs_labels}, {table.n_samples} in all, got {len(y)}; give the labels "
                "of these samples, or leave y out."
            )
        return table

    def _residuals(self, table: Matrix, covariates: Any) -> Matrix:
        """Take the covariates out of every feature."""
        basis = covariate_basis(covariates, table.n_samples, type(self).__name__, table.sample_names)
        if not basis.shape[1]:
            return table
        return (
            dask_residuals(table, basis) if isinstance(table, DaskMatrix) else Residuals.of(table, basis, self.n_jobs)
        )

    def _checked_rule(self, table: Matrix, traits: Traits) -> SelectionRule:
        """Return the rule of selection; refuse one that is bad or that the method cannot follow."""
        owner, significance = type(self).__name__, getattr(self, "significance", None)
        reason = self._no_p_values(traits)
        rule = as_rule(self.n_features_to_select, owner, tested=bool(significance))
        rule.check(owner, table.n_features, table.feature_names)
        if reason and significance:
            raise ValueError(
                f"{owner}: significance asks for p-values, of which there are none ({reason}); {who_has_p_values()}."
            )
        rule.check_method(owner, no_p_values=reason, needs_number=traits.needs_number, no_forced=traits.no_forced)
        return rule

    def _finish(self, table: Matrix, found: Found, traits: Traits, rule: SelectionRule) -> None:
        """Set what was found, the ranking and the support; warn once of features without a score, and of domination."""
        scores, owner = found.scores, type(self).__name__
        attributes = {**found.attributes, **scores.attributes}
        if table.basis is not None:
            attributes["_covariate_basis"] = table.basis
        undefined = int(np.isnan(scores.relevance).sum())
        if undefined:
            explained = table.n_explained if isinstance(table, Residuals | DaskMatrix) else 0
            why = f"; the covariates explain {explained} of them" if explained else ""
            whole, said = counted(scores.relevance.size, "feature"), agreeing(undefined, traits.undefined)
            message = f"{owner}: {undefined} of {whole} {said}{why}."
            warn(message, UndefinedScoreWarning, n_undefined=undefined, n_features=scores.relevance.size)
        self._n_samples = table.n_samples
        self.scores_, self.native_scores_, self.rounding_ = scores.relevance, scores.native, scores.rounding
        self.n_ordered_ = scores.relevance.size - undefined if found.n_ordered is None else found.n_ordered
        self.ranking_ = rank_features(
            scores.native, larger_is_better=scores.larger_is_better, tolerance=scores.rounding
        )
        if isinstance(self.n_features_to_select, str):  # "auto" depends on what was tested
            rule = as_rule(self.n_features_to_select, owner, tested="qvalues_" in attributes)
        self._support = self._chosen(rule, table, found, traits, attributes)
        self.n_features_ = int(self._support.sum())
        if isinstance(rule, Knee):
            asked, testable = self.n_features_to_select, self.has_p_values
            warn(rule.caveat(owner, asked, self.n_features_, testable=testable), KneeWarning)
        if scores.of_selection is not None:
            attributes |= scores.of_selection(self._support)
        for name in vars(self).get("_set_by_fit", ()):  # an earlier one; what others set is theirs
            self.__dict__.pop(name, None)
        self.__dict__.update(attributes, _set_by_fit=tuple(attributes))
        best = in_order(self.ranking_)
        best = best if traits.orders_all_features else best[: self.n_ordered_]
        if found.can_be_dominated and is_heard():
            warn_if_dominated(table, best, found.graph, found.samples, owner)

    def _chosen(
        self, rule: SelectionRule, table: Matrix, found: Found, traits: Traits, attributes: dict[str, Any]
    ) -> BoolArray:
        """Apply the rule to the scores, unless they are about a subset of a size that it gave before."""
        if found.scores.n_selected is not None:
            return np.asarray(self.ranking_ <= found.scores.n_selected)
        return rule.choose(
            Candidates(
                owner=type(self).__name__,
                scores=self.scores_,
                ranking=self.ranking_,
                n_samples=table.n_samples if found.samples is None else found.samples.size,
                names=table.feature_names,
                n_selectable=None if traits.selects_undefined else self.n_ordered_,
                pvalues=attributes.get("pvalues_"),
                qvalues=attributes.get("qvalues_"),
            )
        )

    def explain(self, X: Any, feature: Any) -> Explanation:
        """Tell why a feature has its score: the score as sums over scales, samples, edges, classes and sources.

        Parameters
        ----------
        X : array, data frame, sparse matrix, memory map or AnnData of shape (n_samples, n_features)
            The data of `fit`; only one column is looked at.
        feature : str or int
            Name of a feature, or its column number.

        Returns
        -------
        eigenselect.inference.Explanation
            With the sums as arrays; printed, it names the largest terms.

        Raises
        ------
        ValueError
            Where X is not the data of `fit`, or the score is no sum.
        """
        check_is_fitted(self, "ranking_")
        if refusal := self._traits().no_explanation:
            raise ValueError(refusal)
        table, owner = self._data_of_fit(X, "explain"), f"{type(self).__name__}.explain"
        with single_threaded_blas():
            column = column_number(table, feature, owner)
        explained = self._explain(self._without_covariates(table, only=column), column)
        known, rounding = (float(values[explained.column]) for values in (self.native_scores_, self.rounding_))
        if explained.score != known and not abs(explained.score - known) <= SAME_DATA * abs(known) + 10 * rounding:
            raise ValueError(
                f"{owner}: X must be the data of fit, but {explained.label} scores {explained.score:.4g} on it and "
                f"scored {known:.4g}; give the table that fit saw."
            )
        return explained

    def _data_of_fit(self, X: Any, method: str) -> Matrix:
        """Wrap the table of `fit`, which nothing keeps; refuse what cannot be it."""
        owner = f"{type(self).__name__}.{method}"
        if X is None:
            raise ValueError(f"{owner}: X is missing, and the selector keeps no table; give the data of fit.")
        refuse_other_tables(X, owner)
        table, expected = as_matrix(X, owner), (self._n_samples, len(self.ranking_))
        if table.shape != expected:
            raise ValueError(
                f"{owner}: X must be the data of fit, {expected[0]} samples of {expected[1]} features, got shape "
                f"{table.shape}."
            )
        seen = getattr(self, "feature_names_in_", None)
        if seen is not None:
            names = feature_names_of(X)
            if names is not None and list(map(str, names)) != list(map(str, seen)):
                raise ValueError(f"{owner}: the columns of X must be those of fit, in the same order.")
            table = table if table.feature_names is not None else table.named(feature_names=seen)
        return table

    def _without_covariates(self, table: Matrix, only: int | None = None) -> Matrix:
        """Take the covariates of `fit` out of its table, or out of the only column that is looked at."""
        basis = getattr(self, "_covariate_basis", None)
        return table if basis is None else Residuals.of(table, basis, self.n_jobs, only)

    def _explain(self, table: Matrix, column: int) -> Explanation:
        """Split the score of one column of a table."""
        raise NotImplementedError(f"{type(self).__name__}._explain")

    # -- what the method declares ------------------------------------------------------------------

    @property
    def takes_similarity_matrix(self) -> bool:
        """Whether a sample graph can be given in place of the method's own."""
        return not self._traits().no_similarity_matrix

    @property
    def uses_unlabelled_samples(self) -> bool:
        """Whether samples without a label count, so that -1 in a numeric y may mark them."""
        return self._traits().uses_unlabelled_samples

    @property
    def orders_all_features(self) -> bool:
        """Whether every feature with a score has a place of its own in the ranking."""
        return self._traits().orders_all_features

    @property
    def has_quadratic_form(self) -> bool:
        """Whether some f̂ᵀŜf̂ orders the features as the method does."""
        return not self._traits().no_quadratic_form

    @property
    def has_p_values(self) -> bool:
        """Whether the features can be tested, under the present parameters."""
        return not self._no_p_values(self._traits())

    @property
    def selection_rule(self) -> SelectionRule:
        """The rule that ``n_features_to_select`` stands for, under the present parameters and with what a fit found."""
        tested = bool(getattr(self, "significance", None)) or (self.has_p_values and "qvalues_" in vars(self))
        return as_rule(self.n_features_to_select, type(self).__name__, tested=tested)

    # -- scikit-learn ------------------------------------------------------------------------------

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also nested ones such as ``similarity__n_neighbors`` where the similarity is a name.

        Likewise ``n_features_to_select__alpha`` where that is ``"fdr"``, and ``n_features_to_select__k`` of a number.

        Parameters
        ----------
        **params : dict
            Names and values of parameters.

        Returns
        -------
        Selector
            The selector itself.
        """
        nested = any(name.startswith("similarity__") for name in params)
        if nested and isinstance(params.get("similarity", getattr(self, "similarity", None)), str):
            name = params.pop("similarity", self.similarity)
            self.similarity = as_similarity(name, sys.maxsize)
        if any(name.startswith("n_features_to_select__") for name in params):
            if "significance" in params and hasattr(self, "significance"):  # it decides what "auto" stands for
                self.significance = params["significance"]
            self.n_features_to_select = params.pop("n_features_to_select", self.n_features_to_select)
            self.n_features_to_select = self.selection_rule
        return super().set_params(**params)

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self, "ranking_")
        return self._support.copy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = bool(self._traits().needs_labels)
        return tags

    def __getattr__(self, name: str) -> Any:
        """Say why a fit has no p-values; called for attributes that do not exist."""
        if name in EVIDENCE and "ranking_" in vars(self):
            raise AttributeError(f"{type(self).__name__} has no {name}: {self._why_no(name)}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _why_no(self, name: str) -> str:
        if "pvalues_" in vars(self):
            return "every feature was judged on several graphs, each with a null distribution of its own."
        if "qvalues_" in vars(self):
            return "shadows are compared with features, not with a null distribution; use significance='split' for it."
        if self.has_p_values:
            return "the fit did not ask for it; set significance."
        return f"{self._no_p_values(self._traits())}; {who_has_p_values()}."

    def _no_p_values(self, traits: Traits) -> str:
        """Say why there are no p-values; empty if there are."""
        if "significance" not in self.get_params(deep=False):
            return traits.no_p_values or "no null distribution of it is known"
        return traits.no_p_values

    def _step(self, what: str) -> AbstractContextManager[None]:
        """Time one step and say so on stderr, if asked."""
        return Timer(f"[{type(self).__name__}] {what}") if self.verbose else nullcontext()


class Timer(AbstractContextManager[None]):
    """A context that says on stderr how long one step took."""

    def __init__(self, label: str) -> None:
        self.label = label

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, *exc_info: Any) -> None:
        print(f"{self.label}: {time.perf_counter() - self.start:.3f} s", file=sys.stderr)

"""A selector fitted again, with all that its fit was given: on parts of the samples, and on data that say nothing.

A refit is a clone of what the user fitted, the whole pipeline where there is one, on the table as given: nothing of it
has seen a sample that is held out. It says nothing (what it would warn of was said by the fit), and tests nothing
unless its rule needs q-values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, get_tags

from eigenselect._checks import random_generator
from eigenselect._labels import read_labels
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect._warn import unheard
from eigenselect.criteria.methods import Labels
from eigenselect.graph import Origin
from eigenselect.matrix import Matrix, indexable, readable_by, rows_of
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.ranking import method_of
from eigenselect.reporting.refitting.permuted_data import SHUFFLED_BYTES, shuffled_columns, shuffled_within
from eigenselect.selection import feature_order
from eigenselect.selection.steps import last_step, original_columns
from eigenselect.sensitivity.halves import Samples, name_at_last_step, seeded

#: relative difference up to which two fits gave the same scores
SAME_SCORES = 1e-6
#: what can go wrong in a fit on fewer samples, or on other data, of a selector of anybody
FAILURES = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, MemoryError, RuntimeError)


class NotMeasuredError(Exception):
    """Why something cannot be measured, in one sentence."""


class Shuffled(StrEnum):
    """What is permuted so that data say nothing; the value is what people read."""

    LABELS = "the labels"
    FEATURES = "the values of every feature by itself"
    SAMPLES = "the samples against their graph"


@dataclass(frozen=True)
class Refit:
    """A fitted estimator, and what it kept: columns that its last step saw, and a mask of the table's columns."""

    estimator: Any
    columns: IntArray
    support: BoolArray


@dataclass(frozen=True)
class Refits:
    """Make a fit again on other data.

    Attributes
    ----------
    fitted : Fitted
        The fit.
    count : int or None
        How many of the best features count as kept; None for those that the selector's own rule keeps.
    samples : Samples
        What `fit` was given.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> refits = Refits.of(Fitted(es.FisherScore(2).fit(X, y), X, y.to_numpy(), list(X)))
    >>> refits.on(np.arange(0, 178, 2)).columns
    array([ 6, 12])
    """

    fitted: Fitted
    count: int | None
    samples: Samples

    @classmethod
    def of(cls, fitted: Fitted, count: int | None = None) -> Refits:
        """Collect what `fit` was given; raise `NotMeasuredError` where it is not known, or too large to copy."""
        target = _labels_of_fit(fitted)
        estimator, table = fitted.estimator, indexable(fitted.table, "report")
        table = table.out_of_small_file() if isinstance(table, Matrix) else table
        if _in_memory(table) and _bytes_of(table) > SHUFFLED_BYTES:
            size = _bytes_of(table) / 2**30
            raise NotMeasuredError(f"a refit would copy a table of {size:.1f} GB")
        params = dict(fitted.fit_parameters)
        known = [name for name in params if name.split("__")[-1] == "similarity_matrix"]
        similarity = (known[0], _square(params.pop(known[0]))) if known else _graph_of_fit(fitted)
        basis = getattr(fitted.selector, "_covariate_basis", None)
        if basis is not None and not any(name.split("__")[-1] == "covariates" for name in params):
            params[name_at_last_step(estimator, "covariates")] = basis  # it spans what the covariates span
        return cls(fitted, count, Samples(readable_by(estimator, table), target, params, similarity))

    @property
    def n_samples(self) -> int:
        """Samples of the table."""
        return int(self.samples.X.shape[0])

    @cached_property
    def seeds(self) -> IntArray:
        """Return a seed for everything that is drawn."""
        return np.asarray(random_generator(self.fitted.random_state).randint(2**31 - 1, size=16))

    def rng(self, number: int) -> np.random.RandomState:
        """Return a source of random numbers of its own for each number."""
        return np.random.RandomState(self.seeds[number])

    # -- fits --------------------------------------------------------------------------------------

    def on(self, rows: IntArray, samples: Samples | None = None) -> Refit:
        """Fit on some of the samples, and see what is kept."""
        estimator = self._fit(self._estimator, samples or self.samples, rows)
        last = last_step(estimator)
        kept = np.flatnonzero(last.get_support()) if self.count is None else feature_order(last).top(self.count)
        support = np.zeros(self.samples.X.shape[1], dtype=bool)
        support[original_columns(estimator)[kept] if isinstance(estimator, Pipeline) else kept] = True
        return Refit(estimator, np.sort(kept), support)

    def scores(self, samples: Samples) -> FloatArray:
        """Fit on all samples of other data, and return the scores of the last step."""
        return np.asarray(last_step(self._fit(self._scorer, samples, None)).scores_, dtype=np.float64)

    def _fit(self, estimator: Any, samples: Samples, rows: IntArray | None) -> Any:
        with unheard():  # the fit said it
            try:
                return samples.fitted(clone(estimator), rows)
            except FAILURES as error:
                text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
                raise NotMeasuredError(f"a refit was not possible ({text})") from error

    @cached_property
    def _estimator(self) -> Any:
        """Return what is fitted: as the user made it, without p-values that nobody looks at."""
        estimator = seeded(clone(self.fitted.estimator), int(self.seeds[0]))
        last = last_step(estimator)
        changed = {"verbose": False, "significance": None}
        if _needs_q_values(last):
            changed.pop("significance")
        known = last.get_params(deep=False)
        last.set_params(**{name: value for name, value in changed.items() if name in known})
        return estimator

    @cached_property
    def _scorer(self) -> Any:
        """Return what is fitted for its scores alone: how many are kept does not matter."""
        estimator = clone(self._estimator)
        last = last_step(estimator)
        if _needs_q_values(last):
            last.set_params(n_features_to_select=max(1, int(self.fitted.selector.n_features_)))
            if "significance" in last.get_params(deep=False):
                last.set_params(significance=None)
        return estimator

    # -- data that say nothing ---------------------------------------------------------------------

    @cached_property
    def shuffled(self) -> Shuffled:
        """Say what is permuted: what the fit took its order from."""
        if self._uses_labels:
            return Shuffled.LABELS
        graph = getattr(self.fitted.selector, "graph_", None)
        elsewhere = graph is not None and graph.origin in (Origin.GIVEN, Origin.ELSEWHERE)
        return Shuffled.SAMPLES if elsewhere else Shuffled.FEATURES

    @cached_property
    def labelled(self) -> IntArray:
        """Return 0 for samples with a label, and -1 for those without."""
        if self.samples.y is None:
            return np.full(self.n_samples, -1)
        minus_one = bool(getattr(self.fitted.selector, "uses_unlabelled_samples", False))
        unlabelled = read_labels(self.samples.y, "report").unlabelled(minus_one=minus_one)
        return np.where(unlabelled, -1, 0)

    def permuted(self, number: int) -> Samples:
        """Permute the data, in another way for each number."""
        if self.shuffled is Shuffled.LABELS:
            return self.with_labels_in_order(shuffled_within(self.labelled, self.rng(number)))
        return self._shuffled_tables(number)

    def with_labels_in_order(self, order: IntArray) -> Samples:
        """Give every sample the label of another."""
        return replace(self.samples, y=self.samples.y[order])

    def _shuffled_tables(self, number: int) -> Samples:
        """Shuffle columns, or samples with their covariates against the graph; the first table is made once."""
        if number == FIRST_PERMUTATION and "_first_table" in vars(self):
            return vars(self)["_first_table"]
        X, params = self.samples.X, dict(self.samples.params)
        if self.shuffled is Shuffled.FEATURES:
            if not _in_memory(X):
                raise NotMeasuredError("every column of a table that stays in its file would have to be permuted")
            X = shuffled_columns(X, self.rng(number))
        else:
            order = self.rng(number).permutation(self.n_samples)
            X = rows_of(X, order)
            moved = [name for name in params if name.split("__")[-1] == "covariates"]
            params |= {name: _safe_indexing(params[name], order) for name in moved}
        made = replace(self.samples, X=X, params=params)
        if number == FIRST_PERMUTATION:
            vars(self)["_first_table"] = made
        return made

    @property
    def _uses_labels(self) -> bool:
        """Whether other labels would give other scores: as the method says, else as one fit shows."""
        if self.samples.y is None:
            return False
        selector = self.fitted.selector
        if _made_of_labels(selector):
            return True
        if _ignores_labels(self.fitted.estimator):
            return False
        try:
            found, known = self.first_scores, np.asarray(selector.scores_, dtype=np.float64)
        except NotMeasuredError:
            return True  # the same will be said of the permuted labels
        return found.shape != known.shape or not np.allclose(found, known, rtol=SAME_SCORES, atol=0, equal_nan=True)

    @cached_property
    def first_scores(self) -> FloatArray:
        """Return the scores of the first permutation of the labels."""
        order = shuffled_within(self.labelled, self.rng(FIRST_PERMUTATION))
        return self.scores(self.with_labels_in_order(order))


#: number of the first permutation; those before are seeds for other things
FIRST_PERMUTATION = 2


def _labels_of_fit(fitted: Fitted) -> Any:
    """Return the labels that `fit` saw; raise where it saw some that are not these."""
    selector, labels = fitted.selector, fitted.target
    n_labelled = getattr(selector, "n_labelled_", None)
    if labels is None:
        if n_labelled or _made_of_labels(selector):
            raise NotMeasuredError("the fit used labels, which this report was not given")
        return None
    if n_labelled == 0:
        return None  # they colour the samples, and the fit had none
    graph = getattr(selector, "graph_", None)
    if graph is not None and graph.origin is Origin.LABELS and not _same_parts(graph.components, labels):
        raise NotMeasuredError("the fit used other labels than those that this report was given")
    return np.asarray(labels)


def _same_parts(components: IntArray, labels: Any) -> bool:
    """Whether the components of a graph are the classes; a graph in one piece, of numbers, does not tell."""
    if components.max(initial=0) == 0:
        return True
    codes = pd.factorize(np.asarray(labels))[0]
    if codes.size != components.size:
        return True
    pairs = len(set(zip(codes.tolist(), components.tolist(), strict=True)))
    return pairs == len(set(codes.tolist())) == len(set(components.tolist()))


def _made_of_labels(selector: Any) -> bool:
    """Whether a selector cannot do without labels, or its graph is made of them."""
    graph = getattr(selector, "graph_", None)
    return bool(get_tags(selector).target_tags.required or (graph is not None and graph.made_of_labels))


def _ignores_labels(estimator: Any) -> bool:
    """Whether a selector says that it does not look at labels, or repeats one that does; of a pipeline nobody knows.

    Who repeats another draws samples by class, so that its scores differ a little with the labels all the same.
    """
    repeated = getattr(estimator, "estimator", None)
    if repeated is not None:
        return _ignores_labels(repeated) and not _made_of_labels(repeated)
    return not isinstance(estimator, Pipeline) and method_of(estimator).labels is Labels.NONE


def _graph_of_fit(fitted: Fitted) -> tuple[str, Any] | None:
    """Return the matrix that was given in place of a similarity, which the selector keeps; None where none was."""
    selector = fitted.selector
    graph = getattr(selector, "graph_", None)
    if graph is None or graph.origin is not Origin.GIVEN or not getattr(selector, "takes_similarity_matrix", False):
        return None
    if graph.is_implicit:
        raise NotMeasuredError("the fit was given a graph whose edges are not stored")
    return name_at_last_step(fitted.estimator, "similarity_matrix"), graph.affinity


def _square(similarity: Any) -> Any:
    """Return a similarity as what rows and columns can be taken of."""
    return similarity.tocsr() if sparse.issparse(similarity) else np.asarray(similarity)


def _needs_q_values(selector: Any) -> bool:
    """Whether the rule of a selector looks at q-values."""
    return bool(getattr(getattr(selector, "selection_rule", None), "needs_significance", False))


def _in_memory(table: Any) -> bool:
    return not isinstance(table, Matrix) or table.in_memory


def _bytes_of(table: Any) -> int:
    """Return about how many bytes a table in memory, or a memory map, takes."""
    raw = table.raw if isinstance(table, Matrix) else table
    if sparse.issparse(raw):
        return int(raw.nnz) * 12
    return int(getattr(raw, "nbytes", 0)) or 8 * int(np.prod(raw.shape))

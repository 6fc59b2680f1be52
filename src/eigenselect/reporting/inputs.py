"""What reports and plots are given: a fitted selector or pipeline, and the data that it was fitted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from eigenselect._labels import label_array, read_labels
from eigenselect._typing import FloatArray
from eigenselect.matrix import (
    Matrix,
    as_matrix,
    check_order,
    feature_names_of,
    is_annotated,
    opened,
    planes,
    portable,
    refuse_other_tables,
    sample_names_of,
)
from eigenselect.selection.steps import before_last, last_step, original_columns


@dataclass(frozen=True)
class Fitted:
    """A fitted selector and its data.

    Attributes
    ----------
    selector : fitted selector
        The last step, where it was fitted in a pipeline.
    X : Matrix of shape (n_samples, n_features)
        What the selector saw; any table becomes one.
    y : array of shape (n_samples,), or None
        Labels that samples are coloured and grouped by.
    names : sequence of str
        One for each column.
    sample_names : sequence of str, or None
        Names of the samples, where the table has some.
    whole : Matrix or None
        What a selecting step before this one saw, where a pipeline has one: see `before_first_selection`.
    random_state : int
        For the eigensolver, clusters and samples drawn at random.
    estimator : fitted selector or pipeline, optional
        What a refit makes again: the whole pipeline, where the selector is the last step of one.
    table : array, data frame, sparse matrix or Matrix, optional
        What the estimator was fitted to; X by default.
    target : array of shape (n_samples,), optional
        The labels as `fit` takes them; y by default.
    fit_parameters : mapping
        What `fit` was given beside X and y.
    coordinates : mapping of str to ndarray of shape (n_samples, 2)
        Places of the samples that came with the table, see `eigenselect.matrix.planes`.
    graph_facts : mapping
        What is known of the sample graph beside what the selector's own graph tells: of a given matrix, for example,
        ``made_of`` coordinates by which similarity.
    labels_known : str
        What records the labels as a clustering of these features, for a sentence; empty where nothing does.

    See Also
    --------
    summarise : Makes plain values of it.
    eigenselect.report : Does all steps at once, with checks.

    Examples
    --------
    >>> import eigenselect as es
    >>> from eigenselect.reporting import Fitted
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> Fitted(es.FisherScore(2).fit(X, y), X, y, list(X)).X.shape
    (178, 13)
    """

    selector: Any
    X: Any
    y: Any
    names: Sequence[str]
    sample_names: Any = None
    whole: Any = None
    random_state: Any = 0
    estimator: Any = None
    table: Any = None
    target: Any = None
    fit_parameters: Mapping[str, Any] = field(default_factory=dict)
    coordinates: Mapping[str, FloatArray] = field(default_factory=dict)
    graph_facts: Mapping[str, Any] = field(default_factory=dict)
    labels_known: str = ""

    def __post_init__(self) -> None:
        for name, given in (("estimator", self.selector), ("table", self.X), ("target", self.y)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, given)
        for name, table in (("X", self.X), ("whole", self.whole)):
            if not (table is None or isinstance(table, Matrix)):
                object.__setattr__(self, name, as_matrix(table))


def check_fitted(
    owner: str,
    selector: Any,
    X: Any,
    y: Any = None,
    feature_names: Sequence[str] | None = None,
    random_state: Any = 0,
    fit_parameters: Mapping[str, Any] | None = None,
) -> Fitted:
    """Check a selector or pipeline and the data of its `fit`; errors speak as ``owner``.

    Of a pipeline, the last step counts, on what that saw of X and by the names of X's columns. The pipeline and X are
    kept as they are given, for who fits them again.
    """
    refuse_other_tables(X, owner)
    places = planes(X.obsm, X.n_obs) if is_annotated(X) else {}
    X = opened(X, owner)
    names, whole = sample_names_of(X), before_first_selection(selector, X)
    check_order(sample_names_of(y), names, owner, "y")
    sample_names = None if names is None else list(map(str, names))
    if feature_names is None and (known := feature_names_of(X)) is not None:
        feature_names = list(map(str, known))
    last, table, feature_names = open_pipeline(owner, selector, X, feature_names)
    table = checked_table(owner, last, table)
    target = None if y is None else label_array(y, owner)
    y = checked_labels(owner, y, table.shape[0])
    names = names_of(last, feature_names)
    if len(names) != table.shape[1]:
        raise ValueError(f"{owner}: feature_names must hold {table.shape[1]} names, got {len(names)}.")
    return Fitted(
        last,
        table,
        y,
        names,
        sample_names,
        whole,
        random_state,
        estimator=selector,
        table=X,
        target=target,
        fit_parameters=fit_parameters or {},
        coordinates=places,
    )


def checked_table(owner: str, selector: Any, X: Any) -> Any:
    """Return X as an array, frame, sparse matrix or `Matrix`; refuse what cannot be the data of `fit`."""
    check_reportable(owner, selector)
    given = sparse.issparse(X) or isinstance(X, Matrix) or feature_names_of(X) is not None
    table = X if given else np.asarray(X)
    graph = getattr(selector, "graph_", None)
    expected = (table.shape[0] if graph is None else graph.n_samples, len(selector.ranking_))
    if tuple(table.shape) != expected:
        raise ValueError(
            f"{owner}: X must be the data of fit, {expected[0]} samples of {expected[1]} features, got shape "
            f"{tuple(table.shape)}."
        )
    seen = getattr(selector, "feature_names_in_", None)
    names = feature_names_of(table)
    if seen is not None and names is not None and list(map(str, names)) != list(map(str, seen)):
        raise ValueError(f"{owner}: the columns of X must be those of fit, in the same order.")
    return table


def check_reportable(owner: str, selector: Any) -> None:
    """Refuse what is not fitted, and selectors that do not rank in our words, each with its own sentence."""
    check_is_fitted(selector)
    if missing := [name for name in ("ranking_", "scores_", "native_scores_") if not hasattr(selector, name)]:
        raise TypeError(
            f"{owner}: expected a selector of this library, or another with {', '.join(missing)}, got "
            f"{type(selector).__name__}; reporting.compare takes any selector of scikit-learn."
        )


def open_pipeline(
    owner: str, selector: Any, X: Any, names: Sequence[str] | None
) -> tuple[Any, Any, Sequence[str] | None]:
    """Return the last step of a fitted pipeline, what that saw of X, and the names of the columns that it saw.

    A selector alone is returned as it is.
    """
    last = last_step(selector)
    if last is selector:
        return selector, X, names
    check_reportable(owner, last)
    columns = original_columns(selector)
    if names is None:
        names = getattr(selector, "feature_names_in_", [f"x{j}" for j in range(int(selector.n_features_in_))])
    if len(names) != int(selector.n_features_in_):
        raise ValueError(f"{owner}: feature_names must hold {selector.n_features_in_} names, got {len(names)}.")
    return last, before_last(selector, X), [str(names[column]) for column in columns]


def before_first_selection(estimator: Any, X: Any) -> Any:
    """Return what the first selector among the steps before the last saw of X; None where there is none.

    Such a step may have chosen with the labels (`SelectKBest`), and a picture of what it left shows classes also where
    there are none. `VarianceThreshold` has not.
    """
    seen = X
    for step in _steps_of(estimator)[:-1]:
        if hasattr(step, "get_support") and not isinstance(step, VarianceThreshold):
            return seen
        seen = step.transform(portable(seen))
    return None


def _steps_of(estimator: Any) -> list[Any]:
    """List all steps of a pipeline, those of pipelines inside it among them."""
    if not isinstance(estimator, Pipeline):
        return [estimator]
    steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
    return [inner for step in steps for inner in _steps_of(step)]


def checked_labels(owner: str, y: Any, n_samples: int) -> Any:
    """Return one label for each sample, or None."""
    if y is None:
        return None
    labels = np.asarray(y, dtype=object)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.shape != (n_samples,):
        raise ValueError(
            f"{owner}: y must hold one label for each of {n_samples} samples, got shape {np.shape(labels)}."
        )
    return labels


def names_of(selector: Any, given: Sequence[str] | None = None) -> list[str]:
    """Return the feature names that were given, else those that the selector saw, else x0, x1 and so on."""
    names = given if given is not None else getattr(selector, "feature_names_in_", None)
    return [f"x{j}" for j in range(len(selector.ranking_))] if names is None else [str(name) for name in names]


def is_number(selector: Any, y: Any) -> bool:
    """Tell whether y is a number rather than a class: what the method took it for, else what it looks like."""
    kernel = getattr(selector, "target_kernel", None)
    if isinstance(kernel, str) and kernel in ("linear", "rbf"):
        return True
    if (kind := getattr(selector, "target_kind_", None)) in ("classes", "numbers"):
        return kind == "numbers"
    return bool(read_labels(y, "report").numbers_seen)


def columns_of(X: Any, columns: Any) -> NDArray[np.float64]:
    """Take some columns of any table as a dense array; refuse values that are not finite."""
    table = (X if isinstance(X, Matrix) else as_matrix(X)).columns(columns)
    if not np.isfinite(table).all():
        raise ValueError("X must be finite, got NaN or infinity; give the data that the selector was fitted to.")
    return table

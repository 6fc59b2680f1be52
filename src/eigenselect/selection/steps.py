"""Pipelines that end in a selector: which step selects, and which of the table's columns it saw."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_selection import RFE, RFECV
from sklearn.pipeline import Pipeline

from eigenselect.exceptions import KneeWarning
from eigenselect.matrix import portable, readable_by


def last_step(estimator: Any) -> Any:
    """Return the selector itself, or the last step of a pipeline."""
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    return estimator


def before_last(estimator: Any, X: Any) -> Any:
    """Return what the last step of a fitted pipeline sees of X; of a selector alone, X itself."""
    if not isinstance(estimator, Pipeline):
        return X
    seen = estimator[:-1].transform(portable(X)) if len(estimator) > 1 else X
    return before_last(estimator.steps[-1][1], seen)


def n_features_seen(estimator: Any) -> int:
    """Count the columns that a fitted selector or pipeline saw; steps that pass all through do not know."""
    while isinstance(estimator, Pipeline):
        estimator = next(step for _, step in estimator.steps if step is not None and step != "passthrough")
    return int(estimator.n_features_in_)


def original_columns(pipeline: Any) -> NDArray[np.intp]:
    """Find the columns of the table that the last step saw.

    Steps must pass features on as they are, scale them one by one, or drop some; those that mix features (`PCA`) or
    make new ones (`OneHotEncoder`) are refused by name.
    """
    columns = np.arange(n_features_seen(pipeline))
    while isinstance(pipeline, Pipeline):
        for name, step in pipeline.steps[:-1]:
            columns = columns[_passed_on(name, step, columns.size)]
        pipeline = pipeline.steps[-1][1]
    return columns


def _passed_on(name: str, step: Any, n_features: int) -> NDArray[np.intp]:
    """Find the places of the features that a step passes on, in its order."""
    if step is None or step == "passthrough":
        return np.arange(n_features)
    if hasattr(step, "get_support"):
        return np.flatnonzero(step.get_support())
    given = getattr(step, "feature_names_in_", None)
    names = [f"x{place}" for place in range(n_features)] if given is None else [str(label) for label in given]
    try:
        out = [str(label) for label in step.get_feature_names_out(None if given is not None else names)]
    except (AttributeError, ValueError):
        out = [""]
    if out == names:
        return np.arange(n_features)
    place = {label: number for number, label in enumerate(names)}
    if len(place) < n_features or not place.keys() >= set(out):
        raise ValueError(
            f"the step {name!r} ({type(step).__name__}) of the pipeline makes new features, so its last step does not "
            "order columns of X; only steps that scale, fill or drop columns and name what they give may come before; "
            "give the last step alone, pipeline[-1], and for X what it saw, pipeline[:-1].transform(X)."
        )
    return np.array([place[label] for label in out], dtype=np.intp)


def fitted_for(selector: Any, X: Any, y: Any, sizes: Sequence[int] | None = None) -> Any:
    """Fit a clone that orders its features as far as it can for these sizes.

    A selector that orders only what it selects is asked for as many features as the largest size, so that the smaller
    ones are the beginning of its list; `RFE`, which orders only what it drops, for the smallest one. The sizes decide,
    so nobody is warned of a knee.
    """
    with warnings.catch_warnings():
        if sizes is not None:
            warnings.simplefilter("ignore", KneeWarning)
        return _fitted_for(clone(selector), X, y, sizes)


def _fitted_for(estimator: Any, X: Any, y: Any, sizes: Sequence[int] | None) -> Any:
    """Fit as `fitted_for` does, without a clone."""
    if sizes is None or not isinstance(estimator, Pipeline):
        return _asked_for(estimator, sizes, X.shape[1]).fit(readable_by(estimator, X), y)
    *before, (name, last) = estimator.steps
    head = Pipeline(before) if before else None
    seen = X if head is None else head.fit_transform(portable(X), y)
    fitted = (name, _fitted_for(last, seen, y, sizes))
    return Pipeline([*(head.steps if head is not None else []), fitted])


def _asked_for(selector: Any, sizes: Sequence[int] | None, n_features: int) -> Any:
    if sizes is None:
        return selector
    if not getattr(selector, "orders_all_features", True):
        return selector.set_params(n_features_to_select=int(min(max(sizes), n_features)))
    if isinstance(selector, RFE) and not isinstance(selector, RFECV):
        return selector.set_params(n_features_to_select=int(min(min(sizes), n_features)))
    return selector

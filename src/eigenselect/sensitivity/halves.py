"""One fit of a selector on half of the samples, for stability selection."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.matrix import read_input, rows_of
from eigenselect.selection.steps import last_step
from eigenselect.sensitivity.resampling import selected_columns
from eigenselect.similarity import BaseSimilarity, as_similarity
from eigenselect.similarity.neighbors import TREE_FEATURES
from eigenselect.similarity.pairs import FULL_GRAM_BYTES


class Half(NamedTuple):
    """What was chosen on one half, and the first warning of its fit."""

    support: BoolArray
    warning: tuple[type[Warning], str] | None


@dataclass(frozen=True)
class Samples:
    """What every fit takes its part of.

    Attributes
    ----------
    X, y
        As given.
    params : dict
        For `fit`.
    similarity : (str, matrix), optional
        The name of the parameter of `fit`, and a similarity of all samples.
    pairs : (BaseSimilarity, ndarray), optional
        The selector's recipe, and what it is made of for all pairs of samples.
    """

    X: Any
    y: Any
    params: dict[str, Any] = field(default_factory=dict)
    similarity: tuple[str, Any] | None = None
    pairs: tuple[BaseSimilarity, FloatArray] | None = None

    def fitted(self, estimator: Any, rows: IntArray | None = None) -> Any:
        """Fit on some of the samples, or on all."""
        if rows is None and self.pairs is None:
            given = {} if self.similarity is None else {self.similarity[0]: self.similarity[1]}
            return estimator.fit(self.X, self.y, **self.params, **given)
        n_samples, n_features = self.X.shape
        rows = np.arange(n_samples) if rows is None else rows
        params = {name: _part(name, value, rows, n_samples) for name, value in self.params.items()}
        if self.similarity is not None:
            name, S = self.similarity
            params[name] = S[rows][:, rows] if sparse.issparse(S) else S[np.ix_(rows, rows)]
        if self.pairs is not None:
            recipe, values = self.pairs
            estimator.set_params(similarity=recipe.knowing(values[np.ix_(rows, rows)], n_features))
        y = None if self.y is None else _safe_indexing(self.y, rows)
        return estimator.fit(rows_of(self.X, rows), y, **params)


def fit_half(estimator: Any, data: Samples, owner: str, place: int, rows: IntArray, seed: int) -> Half:
    """Fit a clone on one half of the samples: those at places 0 and 1 are a pair, and so on."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fitted = data.fitted(seeded(clone(estimator), seed), rows)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError  # subclasses may need other arguments
            half, name = ("first", "second")[place % 2], type(last_step(estimator)).__name__
            raise kind(
                f"{owner}: {name} cannot be fitted on the {half} half of pair {place // 2 + 1} ({rows.size} of "
                f"{data.X.shape[0]} samples): {error}"
            ) from error
    first = (caught[0].category, str(caught[0].message)) if caught else None
    return Half(selected_columns(fitted), first)


def seeded(estimator: Any, seed: int) -> Any:
    """Give a number to every random state that is None: scikit-learn's would be another one in every run."""
    params = estimator.get_params()
    states = [name for name, value in params.items() if name.split("__")[-1] == "random_state" and value is None]
    return estimator.set_params(**dict.fromkeys(states, seed)) if states else estimator


def _part(name: str, value: Any, rows: IntArray, n_samples: int) -> Any:
    """Return the entries of these samples; what has not one entry per sample, or names features, stays as it is."""
    has_entries = hasattr(value, "__len__") or hasattr(value, "shape")
    if not has_entries or isinstance(value, (str, dict)) or name.split("__")[-1] == "feature_names":
        return value
    return _safe_indexing(value, rows) if np.ndim(value) and _num_samples(value) == n_samples else value


def name_at_last_step(estimator: Any, name: str) -> str:
    """Return what `fit` calls a parameter of the last step: pipelines put the name of the step before it."""
    if get_config()["enable_metadata_routing"]:
        return name
    steps = []
    while isinstance(estimator, Pipeline):
        step, estimator = estimator.steps[-1]
        steps.append(step)
    return "__".join([*steps, name])


def shared_pairs(estimator: Any, X: Any, n_pairs: int, owner: str) -> tuple[BaseSimilarity, FloatArray] | None:
    """Compute once what the graphs of all halves are made of; None where that is not exact, too large or no gain."""
    n_samples, n_features = X.shape
    if not getattr(estimator, "takes_similarity_matrix", False) or not hasattr(estimator, "similarity"):
        return None
    if 8 * n_samples**2 > FULL_GRAM_BYTES or n_features <= TREE_FEATURES or n_pairs <= 2:
        return None
    name = type(estimator).__name__
    recipe, table = as_similarity(estimator.similarity, n_samples // 2, name), read_input(X, owner)
    pairs = recipe.pairs(table, estimator.n_jobs)
    if pairs is None:
        return None
    recipe.warn_about_units(table, name, getattr(estimator, "advice_on_units", None))  # once, not in every half
    return recipe, pairs


def warn_of_warnings(fits: list[Half], name: str, owner: str) -> None:
    """Say once how many fits warned, and what the first of them said."""
    said = [fit.warning for fit in fits if fit.warning is not None]
    if said:
        category, message = said[0]
        warn(f"{owner}: {len(said)} of {len(fits)} fits of {name} warned, the first: {message}", category)

"""Several methods on one table, side by side: what they predict, repeat, share and agree on."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._labels import refuse_numbers
from eigenselect.evaluation import AccuracyCurves, accuracy_curves, redundancy_rate
from eigenselect.matrix import refuse_other_tables
from eigenselect.reporting.inputs import columns_of
from eigenselect.reporting.permuted import PERMUTATIONS, best_methods, permuted_accuracies, permuted_stability
from eigenselect.reporting.report import Report
from eigenselect.selection import FeatureOrder, feature_order
from eigenselect.selection.steps import fitted_for, last_step
from eigenselect.sensitivity import ranking_stability

#: seconds after which a fit is not made a second time to leave out what the first one loads or compiles
LONG = 10.0
#: subsamples that the stability is measured on
REPEATS = 10


def steps_of(n_methods: int, n_splits: int) -> int:
    """Sizes of all parts of the work that `compared` tells of."""
    return n_methods * (REPEATS + n_splits * (1 + PERMUTATIONS))


def compare(
    selectors: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    n_features: int = 10,
    sizes: Sequence[int] = (2, 5, 10, 20),
    n_splits: int = 5,
    feature_names: Sequence[str] | None = None,
    title: str = "",
    random_state: Any = 0,
) -> Report:
    """Compare selectors on labelled data.

    Parameters
    ----------
    selectors : mapping of names to selectors or pipelines that end in one
        Of this library or of scikit-learn; see `eigenselect.selection.feature_order` for what is read of them. One that
        orders only what it selects (`MRSF`) is asked for as many features as are looked at.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Classes.
    n_features : int, default=10
        Features that each selector's selection is looked at with.
    sizes : sequence of int
        Numbers of features to predict with.
    n_splits : int, default=5
        Folds of the cross-validation; the held-out samples are never seen by the selector.
    feature_names : sequence of str, optional
    title : str
        What the data are called.
    random_state : int, default=0

    Returns
    -------
    Report
        Its `summary` holds accuracy curves, redundancy, stability, shared features and rank correlations; beside
        accuracy and stability what they are for permuted labels; and under ``"best"`` for each size the method that is
        better than all others by more than the folds spread, if there is one (see `eigenselect.reporting.permuted`).

    Examples
    --------
    >>> import eigenselect as es
    >>> from eigenselect.reporting import compare
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> X = X.apply(scale)
    >>> made = compare({"fisher": es.FisherScore(), "laplacian": es.LaplacianScore()}, X, y, n_features=3, sizes=[3])
    >>> made.summary["methods"]["fisher"]["shared"]
    {'laplacian': 1.0}
    """
    refuse_other_tables(X, "compare")
    X = X if hasattr(X, "shape") else np.asarray(X)
    known = list(X.columns) if feature_names is None and hasattr(X, "columns") else feature_names
    names = [f"x{j}" for j in range(X.shape[1])] if known is None else [str(name) for name in known]
    return Report(
        compared(
            selectors,
            X,
            y,
            names,
            n_features=n_features,
            sizes=sizes,
            n_splits=n_splits,
            title=title,
            label="y",
            random_state=random_state,
        )
    )


def compared(
    selectors: Mapping[str, Any],
    X: Any,
    y: Any,
    feature_names: Sequence[str],
    *,
    n_features: int,
    sizes: Sequence[int],
    n_splits: int,
    random_state: Any,
    data: str = "",
    title: str = "",
    label: str | None = None,
    notes: Sequence[str] = (),
    progress_of: Callable[[int], Any] = lambda steps: None,
) -> dict[str, Any]:
    """Everything that was measured, as plain values; see `compare`.

    ``progress_of`` is asked for every part of the work, with its number of steps, what that part shall call with
    (steps done, steps in all).
    """
    count = min(n_features, X.shape[1])
    _check_request(selectors, X, feature_names, count)
    _check_classes(y, X.shape[0])
    orders, methods, found = dict[str, FeatureOrder](), {}, dict[str, list[str]]()
    for name, selector in selectors.items():
        progress = progress_of(REPEATS)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            orders[name], seconds = _timed(selector, X, y, count)
        owner = type(last_step(selector)).__name__
        for message in dict.fromkeys(str(warning.message).removeprefix(f"{owner}: ") for warning in caught):
            found.setdefault(message, []).append(name)
        methods[name] = _measured(selector, orders[name], X, y, feature_names, count, random_state, progress)
        methods[name]["seconds"] = seconds
    progress = progress_of(len(selectors) * n_splits)
    curves = accuracy_curves(selectors, X, y, sizes, n_splits=n_splits, random_state=random_state, progress=progress)
    _add_accuracies(methods, curves)
    best = _add_permuted(selectors, X, y, methods, orders, curves, count, n_splits, random_state, progress_of)
    _add_agreement(methods, orders)
    for name, facts in methods.items():
        for message in _what_is_not_ordered(facts, count):
            found.setdefault(message, []).append(name)
    by_mean = np.argsort(np.mean([order.ranks for order in orders.values()], axis=0), kind="stable")
    return {
        "kind": "comparison",
        "data": data,
        "title": title,
        "label": label,
        "n_samples": int(X.shape[0]),
        "n_features": len(feature_names),
        "n_selected": count,
        "chance": curves.chance,
        "n_folds": int(curves.accuracies.shape[2]),
        "n_permutations": PERMUTATIONS,
        "best": best,
        "best_sentence": best_sentence(best),
        "shared_by_chance": count / len(feature_names),
        "warnings": [*notes, *(f"{', '.join(names)}: {message}" for message, names in found.items())],
        "methods": methods,
        "all_features": {
            "feature": [feature_names[j] for j in by_mean],
            "ranks": {name: _plain(order.ranks[by_mean]) for name, order in orders.items()},
            "n_ordered": {name: order.n_ordered for name, order in orders.items()},
        },
    }


def _check_request(selectors: Mapping[str, Any], X: Any, feature_names: Sequence[str], count: int) -> None:
    if not selectors:
        raise ValueError("compare: expected at least one selector, got none.")
    if len(feature_names) != X.shape[1]:
        raise ValueError(f"compare: feature_names must hold {X.shape[1]} names, got {len(feature_names)}.")
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"compare: n_features must be a whole number of at least 1, got {count!r}.")


def _check_classes(y: Any, n_samples: int) -> None:
    """Say that a class is too small, or that there are none, before a method does so in its own words."""
    if y is None or np.shape(y)[:1] != (n_samples,):
        raise ValueError(f"compare: y must hold one class for each of {n_samples} samples, got {_size_of(y)}.")
    if missing := int(pd.isna(pd.Series(np.asarray(y, dtype=object))).sum()):
        raise ValueError(f"compare: y must not have missing labels, got {missing}; drop those samples or label them.")
    refuse_numbers(y, "compare")
    counts = pd.Series(np.asarray(y, dtype=object)).value_counts()
    if len(counts) < 2 or counts.min() < 2:
        small = "" if len(counts) < 2 else f", and {counts.index[-1]!r} has {counts.min()}"
        raise ValueError(f"compare: needs at least 2 classes of at least 2 samples each, got {len(counts)}{small}.")


def _size_of(y: Any) -> str:
    return "None" if y is None else f"shape {np.shape(y)}"


def _timed(selector: Any, X: Any, y: Any, count: int) -> tuple[FeatureOrder, float]:
    """Order by one method, and the seconds it takes once everything that it needs is loaded and compiled."""
    seconds = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        fitted = fitted_for(selector, X, y, [count])
        seconds = min(seconds, time.perf_counter() - start)
        if seconds > LONG:
            break
    return feature_order(fitted), seconds


def _measured(
    selector: Any,
    order: FeatureOrder,
    X: Any,
    y: Any,
    feature_names: Sequence[str],
    count: int,
    random_state: Any,
    progress: Any,
) -> dict[str, Any]:
    """Selection of one method, its redundancy and stability."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the same that the fit on all samples gave, or due to small subsamples
        stability = ranking_stability(
            selector, X, y, n_repeats=REPEATS, n_selected=count, random_state=random_state, progress=progress or False
        )
    chosen = order.top(count)
    return {
        "features": [feature_names[j] for j in chosen],
        "redundancy": redundancy_rate(columns_of(X, chosen)) if chosen.size else float("nan"),
        "stability": float(stability.corrected_overlap),
    }


def _add_accuracies(methods: dict[str, Any], curves: AccuracyCurves) -> None:
    """Mean accuracy over the folds for each size, and its deviation."""
    for facts, folds in zip(methods.values(), curves.accuracies, strict=True):
        for key, values in (("accuracy", folds.mean(axis=1)), ("accuracy_deviation", folds.std(axis=1))):
            facts[key] = {str(size): float(value) for size, value in zip(curves.sizes, values, strict=True)}


def _what_is_not_ordered(facts: dict[str, Any], count: int) -> list[str]:
    """Where a method says nothing, in words: there its curve has no point, and its selection ends."""
    said = []
    if len(facts["features"]) < count:
        said.append(f"orders {len(facts['features'])} features, not the {count} that were asked for.")
    if silent := [size for size, accuracy in facts["accuracy"].items() if accuracy != accuracy]:
        said.append(
            f"does not say in every fold which features are the best {', '.join(silent)}, so no accuracy there."
        )
    return said


def _add_permuted(
    selectors: Mapping[str, Any],
    X: Any,
    y: Any,
    methods: dict[str, Any],
    orders: dict[str, FeatureOrder],
    curves: AccuracyCurves,
    count: int,
    n_splits: int,
    random_state: Any,
    progress_of: Callable[[int], Any],
) -> dict[str, str | None]:
    """Accuracy and stability for permuted labels beside the others; which method is the best for each size."""
    permuted = permuted_accuracies(selectors, X, y, curves, n_splits, random_state, progress_of)
    for (name, facts), means in zip(methods.items(), permuted.mean(axis=0), strict=True):
        facts["accuracy_permuted"] = {str(size): float(v) for size, v in zip(curves.sizes, means, strict=True)}
        facts["stability_permuted"] = permuted_stability(
            selectors[name], X, y, orders[name], facts["stability"], count, random_state
        )
    return best_methods(curves, permuted)


def best_sentence(best: Mapping[str, str | None]) -> str:
    """Which accuracies are marked, in words."""
    if any(name is not None for name in best.values()):
        return "Marked: better than every other method by more than the folds spread, and than with permuted labels."
    return "No accuracy is marked: none is better than every other by more than the folds spread and than by chance."


def _add_agreement(methods: dict[str, Any], orders: dict[str, FeatureOrder]) -> None:
    """Share of its selection that a method has in common with each other one, and the correlation of all ranks."""
    for name, facts in methods.items():
        others, count = [other for other in methods if other != name], len(facts["features"])
        own = orders[name].top(count)
        facts["shared"] = {
            other: float(np.isin(own, orders[other].top(len(methods[other]["features"]))).mean()) if count else np.nan
            for other in others
        }
        facts["agreement"] = {other: _rank_correlation(orders[name].ranks, orders[other].ranks) for other in others}


def _rank_correlation(one: Any, other: Any) -> float:
    """Spearman's, of ranks in which those that tie share one; NaN where all do."""
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) and np.ptp(other) else float("nan")


def _plain(ranks: Any) -> list[int | float]:
    return [int(rank) if rank % 1 == 0 else float(rank) for rank in ranks]

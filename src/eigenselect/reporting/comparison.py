"""Several methods on one table, side by side: what they predict, repeat, share and agree on."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from eigenselect.evaluation import AccuracyCurves, accuracy_curves, redundancy_rate
from eigenselect.reporting.inputs import columns_of
from eigenselect.reporting.report import Report
from eigenselect.sensitivity import ranking_stability

#: seconds after which a fit is not made a second time to leave out what the first one loads or compiles
LONG = 10.0
#: subsamples that the stability is measured on
REPEATS = 10


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
    selectors : mapping of names to selectors
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
        Its `summary` holds accuracy curves, redundancy, stability, shared features and rank correlations.

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
    known = list(X.columns) if feature_names is None and hasattr(X, "columns") else feature_names
    names = [f"x{j}" for j in range(X.shape[1])] if known is None else [str(name) for name in known]
    table = columns_of(X, np.arange(X.shape[1])) if hasattr(X, "columns") else X
    return Report(
        compared(
            selectors,
            table,
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
    _check_classes(y)
    rankings, methods, found = {}, {}, dict[str, list[str]]()
    for name, selector in selectors.items():
        progress = progress_of(REPEATS)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rankings[name], seconds = _timed(selector, X, y)
        for message in dict.fromkeys(
            str(warning.message).removeprefix(f"{type(selector).__name__}: ") for warning in caught
        ):
            found.setdefault(message, []).append(name)
        methods[name] = _measured(selector, rankings[name], X, y, feature_names, count, random_state, progress)
        methods[name]["seconds"] = seconds
    progress = progress_of(len(selectors) * n_splits)
    curves = accuracy_curves(selectors, X, y, sizes, n_splits=n_splits, random_state=random_state, progress=progress)
    _add_accuracies(methods, curves)
    _add_agreement(methods, rankings)
    ranks = np.array(list(rankings.values()))
    order = np.argsort(ranks.mean(axis=0), kind="stable")
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
        "warnings": [*notes, *(f"{', '.join(names)}: {message}" for message, names in found.items())],
        "methods": methods,
        "all_features": {
            "feature": [feature_names[j] for j in order],
            "ranks": {name: ranking[order].tolist() for name, ranking in rankings.items()},
        },
    }


def _check_classes(y: Any) -> None:
    """Say that a class is too small before a method does so in its own words."""
    counts = pd.Series(np.asarray(y, dtype=object)).value_counts()
    if len(counts) < 2 or counts.min() < 2:
        small = "" if len(counts) < 2 else f", and {counts.index[-1]!r} has {counts.min()}"
        raise ValueError(f"compare: needs at least 2 classes of at least 2 samples each, got {len(counts)}{small}.")


def _timed(selector: Any, X: Any, y: Any) -> tuple[Any, float]:
    """Ranking of one method, and the seconds it takes once everything that it needs is loaded and compiled."""
    seconds = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        ranking = clone(selector).fit(X, y).ranking_
        seconds = min(seconds, time.perf_counter() - start)
        if seconds > LONG:
            break
    return ranking, seconds


def _measured(
    selector: Any,
    ranking: Any,
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
    chosen = ranking.argsort()[:count]
    return {
        "features": [feature_names[j] for j in chosen],
        "redundancy": redundancy_rate(columns_of(X, chosen)),
        "stability": float(stability.corrected_overlap),
    }


def _add_accuracies(methods: dict[str, Any], curves: AccuracyCurves) -> None:
    """Mean accuracy over the folds for each size, and its deviation."""
    for facts, folds in zip(methods.values(), curves.accuracies, strict=True):
        for key, values in (("accuracy", folds.mean(axis=1)), ("accuracy_deviation", folds.std(axis=1))):
            facts[key] = {str(size): float(value) for size, value in zip(curves.sizes, values, strict=True)}


def _add_agreement(methods: dict[str, Any], rankings: dict[str, Any]) -> None:
    """Share of its selection that a method has in common with each other one, and the correlation of all ranks."""
    for name, facts in methods.items():
        others, count = [other for other in methods if other != name], len(facts["features"])
        facts["shared"] = {other: float(np.mean(rankings[other][rankings[name] <= count] <= count)) for other in others}
        facts["agreement"] = {other: _rank_correlation(rankings[name], rankings[other]) for other in others}


def _rank_correlation(one: Any, other: Any) -> float:
    """Spearman's, of two permutations; NaN for a single feature."""
    return float(np.corrcoef(one, other)[0, 1]) if len(one) > 1 else float("nan")

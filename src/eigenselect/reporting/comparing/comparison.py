"""Compare several methods on one table: what they predict, repeat, share and agree on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from eigenselect._checks import whole
from eigenselect._labels import refuse_numbers
from eigenselect.evaluation import accuracy_curves
from eigenselect.matrix import check_order, feature_names_of, indexable, refuse_many_fits, sample_names_of
from eigenselect.reporting.comparing.answer import add_comparison_answer
from eigenselect.reporting.comparing.consensus import consensus_view, plain_rank
from eigenselect.reporting.comparing.measured import REPEATS, Measured, by_size, measure, method_summaries, near_best
from eigenselect.reporting.comparing.paper import add_comparison_paper
from eigenselect.reporting.comparing.permuted import (
    PERMUTATIONS,
    best_methods,
    permuted_accuracies,
    permuted_fits,
    permuted_labels,
    permuted_range,
)
from eigenselect.reporting.papers.provenance import Provenance
from eigenselect.reporting.plain import plain_values
from eigenselect.reporting.report import Report
from eigenselect.reporting.summary import ComparisonSummary, MethodSummary
from eigenselect.reporting.views.redundancy import chance_correlation


def steps_of(n_methods: int, n_splits: int) -> int:
    """Count the steps of all parts of the work that `summarise_comparison` tells of."""
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
    X : array, data frame, sparse matrix or AnnData of shape (n_samples, n_features)
        The table.
    y : array of shape (n_samples,)
        Classes.
    n_features : int, default=10
        Features that each selector's selection is looked at with.
    sizes : sequence of int, default=(2, 5, 10, 20)
        Numbers of features to predict with.
    n_splits : int, default=5
        Folds of the cross-validation; the held-out samples are never seen by the selector.
    feature_names : sequence of str, optional
        By default the columns of X, else ``x0``, ``x1`` and so on.
    title : str, default=""
        What the data are called.
    random_state : int, default=0
        For the folds, what is drawn and what is permuted.

    Returns
    -------
    Report
        Its `summary` holds accuracy curves, redundancy, stability, shared features and rank correlations; beside
        accuracy and stability what they are for permuted labels; and under ``"best"`` for each size the method that is
        better than all others by more than the folds spread, if there is one (see
        `eigenselect.reporting.comparing.permuted`).

    See Also
    --------
    eigenselect.report : Reports on one fitted selector.
    eigenselect.plot.consensus : Draws which features the methods keep.
    eigenselect.plot.accuracy_curves : Draws how well they predict.

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
    refuse_many_fits(X, "compare")
    X = indexable(X, "compare")
    check_order(sample_names_of(y), sample_names_of(X), "compare", "y")
    known = feature_names_of(X) if feature_names is None else feature_names
    names = [f"x{j}" for j in range(X.shape[1])] if known is None else [str(name) for name in known]
    return Report(
        summarise_comparison(
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


def summarise_comparison(
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
    provenance: Provenance | None = None,
    progress_of: Callable[[int], Any] = lambda steps: None,
) -> ComparisonSummary:
    """Summarise everything that `compare` measures as plain values.

    Parameters
    ----------
    selectors : mapping of names to selectors or pipelines that end in one
        As in `compare`.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The table.
    y : array of shape (n_samples,)
        Classes.
    feature_names : sequence of str
        One for each column.
    n_features : int
        Features that each selector's selection is looked at with.
    sizes : sequence of int
        Numbers of features to predict with.
    n_splits : int
        Folds of the cross-validation.
    random_state : int
        For the folds, what is drawn and what is permuted.
    data, title, label : str, optional
        Where the table came from, what it and its labels are called.
    notes : sequence of str, optional
        Warnings of reading.
    provenance : Provenance, optional
        What a command knows of its run; without one the part for papers has the call of `compare`.
    progress_of : callable, optional
        Is asked for every part of the work, with its number of steps, what that part shall call with (steps done, steps
        in all).

    Returns
    -------
    ComparisonSummary
        A new dict of plain values.

    See Also
    --------
    compare : The same as a `Report`, with defaults.

    Examples
    --------
    >>> import eigenselect as es
    >>> from eigenselect.reporting import Report, summarise_comparison
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> options = {"n_features": 1, "sizes": [1], "n_splits": 2, "random_state": 0}
    >>> found = summarise_comparison({"fisher": es.FisherScore()}, X, y, list(X), **options)
    >>> Report(found)
    Report(comparison, 150 samples, 4 features)
    """
    count = min(n_features, X.shape[1])
    _check_request(selectors, X, feature_names, count)
    _check_classes(y, X.shape[0])
    measured = {
        name: measure(selector, X, y, count, random_state, progress_of(REPEATS)) for name, selector in selectors.items()
    }
    progress = progress_of(len(selectors) * n_splits)
    curves = accuracy_curves(selectors, X, y, sizes, n_splits=n_splits, random_state=random_state, progress=progress)
    labels = permuted_labels(y, random_state)
    permuted = permuted_accuracies(selectors, X, labels, curves, n_splits, random_state, progress_of)
    refits = {
        name: permuted_fits(selectors[name], X, labels, facts.order, facts.stability, count, random_state)
        for name, facts in measured.items()
    }
    methods = method_summaries(measured, curves, permuted, refits, feature_names, X.shape[0])
    orders, best = {name: facts.order for name, facts in measured.items()}, best_methods(curves, permuted, X.shape[0])
    by_mean = np.argsort(np.mean([order.ranks for order in orders.values()], axis=0), kind="stable")
    summary: ComparisonSummary = {
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
        "near_best": near_best(curves),
        "permuted_range": by_size(curves, permuted_range(permuted)),
        "shared_by_chance": count / len(feature_names),
        "redundancy_by_chance": chance_correlation(X.shape[0]),
        "warnings": [*notes, *_warnings_by_method(measured, methods, count)],
        "methods": methods,
        "consensus": consensus_view(
            {name: facts.chosen for name, facts in measured.items()},
            {name: order.ranks for name, order in orders.items()},
            [fits.selections for fits in refits.values()],
            feature_names,
        ),
        "all_features": {
            "feature": [feature_names[j] for j in by_mean],
            "ranks": {name: [plain_rank(rank) for rank in order.ranks[by_mean]] for name, order in orders.items()},
            "n_ordered": {name: order.n_ordered for name, order in orders.items()},
        },
    }
    answered = add_comparison_answer(cast(ComparisonSummary, plain_values(summary)))
    return add_comparison_paper(answered, selectors, X, random_state=random_state, provenance=provenance)


def _check_request(selectors: Mapping[str, Any], X: Any, feature_names: Sequence[str], count: int) -> None:
    if not selectors:
        raise ValueError("compare: expected at least one selector, got none.")
    if len(feature_names) != X.shape[1]:
        raise ValueError(f"compare: feature_names must hold {X.shape[1]} names, got {len(feature_names)}.")
    whole(count, "n_features", "compare", expected="a whole number of at least 1")


def _check_classes(y: Any, n_samples: int) -> None:
    """Refuse classes that are too small or missing before a method does so in its own words."""
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


def _warnings_by_method(
    measured: Mapping[str, Measured], methods: Mapping[str, MethodSummary], count: int
) -> list[str]:
    """Say each warning once, with the methods that gave it; then where methods say nothing."""
    found = dict[str, list[str]]()
    said = [(name, message) for name, facts in measured.items() for message in facts.warnings]
    said += [(name, message) for name, facts in methods.items() for message in _what_is_not_ordered(facts, count)]
    for name, message in said:
        found.setdefault(message, []).append(name)
    return [f"{', '.join(names)}: {message}" for message, names in found.items()]


def _what_is_not_ordered(facts: MethodSummary, count: int) -> list[str]:
    """Say where a method says nothing: there its curve has no point, and its selection ends."""
    said = []
    if len(facts["features"]) < count:
        said.append(f"orders {len(facts['features'])} features, not the {count} that were asked for.")
    if silent := [size for size, accuracy in facts["accuracy"].items() if accuracy != accuracy]:
        said.append(
            f"does not say in every fold which features are the best {', '.join(silent)}, so no accuracy there."
        )
    return said


def best_sentence(best: Mapping[str, str | None]) -> str:
    """Say which accuracies are marked."""
    if any(name is not None for name in best.values()):
        return "Marked: better than every other method by more than the folds spread, and than with permuted labels."
    return "No accuracy is marked: none is better than every other by more than the folds spread and than by chance."

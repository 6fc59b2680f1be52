"""Compare several methods on one table: what they predict, repeat, share and agree on."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, cast

import numpy as np
import pandas as pd

from eigenselect._checks import whole
from eigenselect._labels import refuse_numbers
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.evaluation import AccuracyCurves, accuracy_curves, redundancy_rate
from eigenselect.matrix import check_order, feature_names_of, indexable, sample_names_of
from eigenselect.reporting.comparison_answer import add_comparison_answer
from eigenselect.reporting.comparison_paper import add_comparison_paper
from eigenselect.reporting.consensus import consensus_view, plain_rank
from eigenselect.reporting.inputs import columns_of
from eigenselect.reporting.permuted import (
    PERMUTATIONS,
    PermutedFits,
    best_methods,
    beyond_level,
    permuted_accuracies,
    permuted_fits,
    permuted_labels,
    permuted_range,
    within_deviation,
)
from eigenselect.reporting.redundancy import chance_correlation
from eigenselect.reporting.report import Report
from eigenselect.reporting.summary import ComparisonSummary, MethodSummary, plain_values
from eigenselect.selection import FeatureOrder, feature_order
from eigenselect.selection.steps import fitted_for, last_step
from eigenselect.sensitivity import ranking_stability

#: seconds after which a fit is not made a second time to leave out what the first one loads or compiles
LONG = 10.0
#: subsamples that the stability is measured on
REPEATS = 10


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


@dataclass(frozen=True)
class Measured:
    """What one method gave on all samples and on subsamples."""

    order: FeatureOrder
    chosen: IntArray
    redundancy: float
    stability: float
    seconds: float
    warnings: list[str]

    @property
    def kept(self) -> BoolArray:
        """Which of all features were chosen."""
        return np.isin(np.arange(self.order.n_features), self.chosen)


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
    command: str = "",
    progress_of: Callable[[int], Any] = lambda steps: None,
) -> ComparisonSummary:
    """Summarise everything that was measured as plain values; see `compare`.

    ``command`` is what made it, as typed; without one the paper's part writes the call of `compare`. ``progress_of`` is asked for every part of the work, with its number of steps, what that part shall call with
    (steps done, steps in all).
    """
    count = min(n_features, X.shape[1])
    _check_request(selectors, X, feature_names, count)
    _check_classes(y, X.shape[0])
    measured = {
        name: _measure(selector, X, y, count, random_state, progress_of(REPEATS))
        for name, selector in selectors.items()
    }
    progress = progress_of(len(selectors) * n_splits)
    curves = accuracy_curves(selectors, X, y, sizes, n_splits=n_splits, random_state=random_state, progress=progress)
    labels = permuted_labels(y, random_state)
    permuted = permuted_accuracies(selectors, X, labels, curves, n_splits, random_state, progress_of)
    refits = {
        name: permuted_fits(selectors[name], X, labels, facts.order, facts.stability, count, random_state)
        for name, facts in measured.items()
    }
    methods = _method_summaries(measured, curves, permuted, refits, feature_names, X.shape[0])
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
        "near_best": _near_best(curves),
        "permuted_range": _by_size(curves, permuted_range(permuted)),
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
    return add_comparison_paper(answered, selectors, random_state=random_state, command=command)


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


def _measure(selector: Any, X: Any, y: Any, count: int, random_state: Any, progress: Any) -> Measured:
    """Fit one method on all samples and on subsamples; measure its redundancy and stability."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        order, seconds = _timed_order(selector, X, y, count)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the same that the fit on all samples gave, or due to small subsamples
        stability = ranking_stability(
            selector, X, y, n_repeats=REPEATS, n_selected=count, random_state=random_state, progress=progress or False
        )
    chosen, owner = order.top(count), type(last_step(selector)).__name__
    redundancy = redundancy_rate(columns_of(X, chosen)) if chosen.size else float("nan")
    said = [str(warning.message).removeprefix(f"{owner}: ") for warning in caught]
    return Measured(order, chosen, redundancy, float(stability.corrected_overlap), seconds, list(dict.fromkeys(said)))


def _timed_order(selector: Any, X: Any, y: Any, count: int) -> tuple[FeatureOrder, float]:
    """Order by one method; time it once everything that it needs is loaded and compiled."""
    seconds = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        fitted = fitted_for(selector, X, y, [count])
        seconds = min(seconds, time.perf_counter() - start)
        if seconds > LONG:
            break
    return feature_order(fitted), seconds


def _by_size(curves: AccuracyCurves, values: Any) -> dict[str, Any]:
    """Name values of each size by it."""
    return {str(size): plain_values(value) for size, value in zip(curves.sizes, values, strict=True)}


def _near_best(curves: AccuracyCurves) -> dict[str, list[str]]:
    """Name the methods within the deviation of the highest accuracy at each size."""
    near = [within_deviation(curves.accuracies[:, place]) for place in range(curves.sizes.size)]
    return _by_size(curves, [[curves.names[method] for method in methods] for methods in near])


def _method_summaries(
    measured: Mapping[str, Measured],
    curves: AccuracyCurves,
    permuted: FloatArray,
    refits: Mapping[str, PermutedFits],
    feature_names: Sequence[str],
    n_samples: int,
) -> dict[str, MethodSummary]:
    """Put together what was measured of each method, beside the same for permuted labels."""
    high = permuted_range(permuted)[:, 1]
    return {
        name: {
            "features": [feature_names[j] for j in facts.chosen],
            "redundancy": facts.redundancy,
            "stability": facts.stability,
            "seconds": facts.seconds,
            "accuracy": _by_size(curves, curves.accuracies[place].mean(axis=1)),
            "accuracy_deviation": _by_size(curves, curves.accuracies[place].std(axis=1)),
            "accuracy_permuted": _by_size(curves, permuted[:, place].mean(axis=0)),
            "stability_permuted": refits[name].stability,
            "beyond_permuted": _by_size(
                curves, [beyond_level(*at, n_samples) for at in zip(curves.accuracies[place], high, strict=True)]
            ),
            "uses_labels": refits[name].uses_labels,
            **_beside_others(name, measured, refits),
        }
        for place, (name, facts) in enumerate(measured.items())
    }


class BesideOthers(TypedDict):
    """What a method has in common with each other one, and for permuted labels."""

    shared: dict[str, float]
    shared_permuted: dict[str, float]
    agreement: dict[str, float]
    agreement_permuted: dict[str, float]


def _beside_others(name: str, measured: Mapping[str, Measured], refits: Mapping[str, PermutedFits]) -> BesideOthers:
    """Compare the selection and the ranks of one method with those of each other one."""
    others, facts, fits = [other for other in measured if other != name], measured[name], refits[name]

    def mean_over(compare_two: Callable[[Any, Any], float], own: list[Any], its: list[Any]) -> float:
        return float(np.mean([compare_two(one, other) for one, other in zip(own, its, strict=True)]))

    return {
        "shared": {other: _shared(facts.kept, measured[other].kept) for other in others},
        "shared_permuted": {other: mean_over(_shared, fits.selections, refits[other].selections) for other in others},
        "agreement": {other: _rank_correlation(facts.order.ranks, measured[other].order.ranks) for other in others},
        "agreement_permuted": {
            other: mean_over(_rank_correlation, fits.ranks, refits[other].ranks) for other in others
        },
    }


def _shared(one: BoolArray, other: BoolArray) -> float:
    """Return the share of one selection that is in the other."""
    return float(other[one].mean()) if one.any() else float("nan")


def _rank_correlation(one: Any, other: Any) -> float:
    """Return Spearman's correlation of ranks in which those that tie share one; NaN where all do."""
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) and np.ptp(other) else float("nan")


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

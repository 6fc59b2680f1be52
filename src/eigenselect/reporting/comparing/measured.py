"""What was measured of each method of a comparison, beside the same for permuted labels and beside other methods."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.evaluation import AccuracyCurves, redundancy_rate
from eigenselect.reporting.comparing.permuted import PermutedFits, beyond_level, permuted_range, within_deviation
from eigenselect.reporting.inputs import columns_of
from eigenselect.reporting.plain import plain_values
from eigenselect.reporting.summary import MethodSummary
from eigenselect.selection import FeatureOrder, feature_order
from eigenselect.selection.steps import fitted_for, last_step
from eigenselect.sensitivity import ranking_stability

#: seconds after which a fit is not made a second time to leave out what the first one loads or compiles
LONG = 10.0
#: subsamples that the stability is measured on
REPEATS = 10


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


def measure(selector: Any, X: Any, y: Any, count: int, random_state: Any, progress: Any) -> Measured:
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


def by_size(curves: AccuracyCurves, values: Any) -> dict[str, Any]:
    """Name values of each size by it."""
    return {str(size): plain_values(value) for size, value in zip(curves.sizes, values, strict=True)}


def near_best(curves: AccuracyCurves) -> dict[str, list[str]]:
    """Name the methods within the deviation of the highest accuracy at each size."""
    near = [within_deviation(curves.accuracies[:, place]) for place in range(curves.sizes.size)]
    return by_size(curves, [[curves.names[method] for method in methods] for methods in near])


def method_summaries(
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
            "accuracy": by_size(curves, curves.accuracies[place].mean(axis=1)),
            "accuracy_deviation": by_size(curves, curves.accuracies[place].std(axis=1)),
            "accuracy_permuted": by_size(curves, permuted[:, place].mean(axis=0)),
            "stability_permuted": refits[name].stability,
            "beyond_permuted": by_size(
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

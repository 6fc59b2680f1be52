"""What the page's script works on: columns of plain values, rounded to what can be seen."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.reporting.views import columns_of

#: bytes of feature values in a page: with 20 000 features and their names it stays under 2 MB
VALUE_BUDGET = 400_000
#: features that are given even if that goes beyond the budget
LEAST_FEATURES = 30
#: features that are made dense at once
BLOCK = 64
#: digits of numbers in a page
DIGITS = 6


@dataclass(frozen=True)
class FeatureValues:
    """Values of the best features on the samples drawn, in 256 steps between each feature's ends.

    Attributes
    ----------
    steps : ndarray of uint8, shape (n_best, n_shown)
    low, high : ndarray of shape (n_best,)
    """

    steps: NDArray[np.uint8]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def as_dict(self) -> dict[str, Any]:
        """For the page: the steps in base64."""
        return {
            "count": len(self.steps),
            "low": [rounded(value) for value in self.low],
            "high": [rounded(value) for value in self.high],
            "steps": base64.b64encode(self.steps.tobytes()).decode("ascii"),
        }


def feature_values(X: Any, order: NDArray[np.intp], samples: NDArray[np.intp]) -> FeatureValues:
    """Values of as many of the best features as the budget allows."""
    count = min(len(order), max(LEAST_FEATURES, VALUE_BUDGET // max(1, len(samples))))
    steps, low, high = np.empty((count, len(samples)), dtype=np.uint8), np.empty(count), np.empty(count)
    for start in range(0, count, BLOCK):
        block = slice(start, min(start + BLOCK, count))
        values = columns_of(X, order[block])
        low[block], high[block] = values.min(axis=0), values.max(axis=0)
        half_range = high[block] / 2 - low[block] / 2  # halves, because the range of huge values overflows
        share = (values[samples] / 2 - low[block] / 2) / np.where(half_range > 0, half_range, 1.0)
        steps[block] = np.round(255 * share.T)
    return FeatureValues(steps, low, high)


def rounded(value: Any) -> Any:
    """Floats to `DIGITS` digits, NaN and infinity to None, inside any dict or list."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return value

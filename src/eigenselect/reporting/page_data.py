"""What the page's script works on: columns of plain values, rounded to what can be seen."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect.reporting.inputs import columns_of

#: feature values in a page, 4 bytes each: with 20 000 features and their names it stays under 2 MB
VALUE_BUDGET = 100_000
#: features that are given even if that goes beyond the budget
LEAST_FEATURES = 30
#: features that are made dense at once
BLOCK = 64
#: digits of numbers in a page
DIGITS = 6


@dataclass(frozen=True)
class FeatureValues:
    """Values of the best features on the samples drawn, in single precision of what is natural to each feature.

    Attributes
    ----------
    parts : ndarray of float32, shape (n_best, n_shown)
        Between -1 and 1.
    scale : ndarray of shape (n_best,)
        What they are parts of: the largest magnitude of the feature.
    """

    parts: NDArray[np.float32]
    scale: NDArray[np.float64]

    def as_dict(self) -> dict[str, Any]:
        """For the page: little-endian floats in base64."""
        return {
            "count": len(self.parts),
            "scale": self.scale.tolist(),
            "parts": base64.b64encode(self.parts.astype("<f4").tobytes()).decode("ascii"),
        }


def feature_values(X: Any, order: NDArray[np.intp], samples: NDArray[np.intp]) -> FeatureValues:
    """Values of as many of the best features as the budget allows."""
    count = min(len(order), max(LEAST_FEATURES, VALUE_BUDGET // max(1, len(samples))))
    parts, scale = np.empty((count, len(samples)), dtype=np.float32), np.empty(count)
    for start in range(0, count, BLOCK):
        block = slice(start, min(start + BLOCK, count))
        values = columns_of(X, order[block])[samples]
        largest = np.abs(values).max(axis=0)
        scale[block] = np.where(largest > 0, largest, 1.0)
        parts[block] = (values / scale[block]).T
    return FeatureValues(parts, scale)


def rounded(value: Any) -> Any:
    """Floats to `DIGITS` digits, inside any dict or list."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return value

"""The iteration of the trace ratio paper written out from its Table 2, and all subsets of few features.

Independent of the library, which is held against both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

#: two ratios that differ by less, relative to the larger, are equal
ROUNDING = 1e-9
MOST_ROUNDS = 100
#: features of which all subsets are looked at
MOST_FEATURES = 20


@dataclass(frozen=True)
class Rounds:
    """The ratio of the first subset and of that after every round, the last of which changed nothing."""

    ratios: list[float]

    @property
    def number(self) -> int:
        """Rounds until nothing changes, that one counted."""
        return len(self.ratios) - 1

    @property
    def falls(self) -> int:
        """Rounds in which the ratio fell, against Theorem 1."""
        return sum(below(new, old) for old, new in zip(self.ratios, self.ratios[1:], strict=False))


def below(one: float, other: float) -> bool:
    """Whether a ratio is less than another, by more than rounding."""
    if math.isinf(other):
        return not math.isinf(one)
    return one < other - ROUNDING * abs(other)


def rounds_from(start: IndexArray, b: FloatArray, e: FloatArray) -> Rounds:
    """Steps 2 to 4 of Table 2, from any subset, until the ratio stays."""
    ratios = [subset_ratio(start, b, e)]
    for _ in range(MOST_ROUNDS):
        if np.isinf(ratios[-1]):
            break
        leading = np.argsort(-(b - ratios[-1] * e), kind="stable")[: start.size]
        ratios.append(subset_ratio(leading, b, e))
        if not below(ratios[-2], ratios[-1]):
            return Rounds(ratios)
    return Rounds(ratios)


def subset_ratio(subset: IndexArray, b: FloatArray, e: FloatArray) -> float:
    """The score of a subset, Eq. 8: infinite where only the denominator is 0, and 0 where both are."""
    gain, cost = float(b[subset].sum()), float(e[subset].sum())
    if cost > 0:
        return gain / cost
    return np.inf if gain > 0 else 0.0


def best_ratios(b: FloatArray, e: FloatArray) -> FloatArray:
    """The largest score of all subsets with 1, 2, …, d features, by looking at each."""
    gain, cost, size = _sums(b), _sums(e), _sums(np.ones_like(b)).astype(np.intp)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.nan_to_num(gain / cost, nan=0.0, posinf=np.inf)
    best = np.zeros(b.size + 1)
    np.maximum.at(best, size, ratio)
    return best[1:]


def _sums(values: FloatArray) -> FloatArray:
    """The sum over every subset; with each value the sums double: without it, and with it."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums

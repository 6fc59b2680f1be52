"""All trials of papers/trace_ratio.py: curves over the number of features, cases won and lost, counts added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from trace_ratio_trials import FISHER, FIVE, LAPLACIAN, MIN_MAX, RAW, UNIT
from trials import Key, fresh_seeds

FloatArray = NDArray[np.float64]

SCALINGS = (RAW, MIN_MAX, UNIT)
PAIRS = (FISHER, LAPLACIAN)
METHODS = tuple(f"{level}-{pair}" for pair in PAIRS for level in ("F", "S"))
#: means closer than this are equal
EQUAL = 1e-12


@dataclass(frozen=True)
class Cases:
    """Over numbers of features: how often the subset-level score has the better mean accuracy, the same, the worse."""

    better: int
    equal: int
    worse: int

    @classmethod
    def of(cls, gaps: FloatArray) -> Cases:
        return cls(int(np.sum(gaps > EQUAL)), int(np.sum(np.abs(gaps) <= EQUAL)), int(np.sum(gaps < -EQUAL)))

    def __add__(self, other: Cases) -> Cases:
        return Cases(self.better + other.better, self.equal + other.equal, self.worse + other.worse)

    def __str__(self) -> str:
        return f"{self.better} / {self.equal} / {self.worse}"

    @property
    def mostly_better(self) -> bool:
        """Whether more than half of all cases are better."""
        return self.better > self.equal + self.worse


@dataclass(frozen=True)
class Run:
    """What the trials returned, by data set, scaling, pair of graphs and seed."""

    values: dict[Key, Any]
    seconds: float
    datasets: tuple[str, ...]
    n_trials: int

    @staticmethod
    def keys(datasets: Iterable[str], n_trials: int) -> list[Key]:
        """Every trial: the second neighbour graph is looked at with the scalings of the figures only."""
        wanted = [(scaling, pair) for scaling in SCALINGS for pair in (*PAIRS, FIVE) if (scaling, pair) != (UNIT, FIVE)]
        return [(name, *one, seed) for name in datasets for one in wanted for seed in fresh_seeds(n_trials)]

    def trials(self, name: str, scaling: str, pair: str) -> list[dict[str, Any]]:
        """All splits of a data set."""
        return [self.values[name, scaling, pair, seed] for seed in fresh_seeds(self.n_trials)]

    def some(self, *, name: str | None = None, scaling: str | None = None, pair: str | None = None) -> list[Any]:
        """All trials of a data set, of a scaling, of a pair."""
        wanted = (name, scaling, pair)
        parts = ((key[:3], value) for key, value in self.values.items())
        return [value for key, value in parts if all(w in (None, k) for w, k in zip(wanted, key, strict=True))]

    def sizes(self, name: str) -> NDArray[np.intp]:
        """Numbers of features of the curves."""
        return np.array(self.trials(name, RAW, FISHER)[0]["sizes"])

    def curves(self, name: str, scaling: str, method: str, what: str = "accuracy") -> FloatArray:
        """A row for each split, a column for each number of features; ``method`` is "S-FS" or the like."""
        level, pair = method.split("-", 1)
        return np.array([one[what][level] for one in self.trials(name, scaling, pair)])

    def gaps(self, name: str, scaling: str, pair: str) -> FloatArray:
        """Accuracy by subset less accuracy by feature, for every split and all numbers but all features."""
        return (self.curves(name, scaling, f"S-{pair}") - self.curves(name, scaling, f"F-{pair}"))[:, :-1]

    def cases(self, names: Iterable[str], scaling: str, pair: str) -> Cases:
        """The cases of the mean curves of some data sets."""
        found = [Cases.of(self.gaps(name, scaling, pair).mean(axis=0)) for name in names]
        return sum(found, Cases(0, 0, 0))

    def p_value(self, name: str, scaling: str, pair: str) -> float:
        """Paired t-test over the splits of the mean accuracy over all numbers of features; 1 where it says nothing."""
        gaps = self.gaps(name, scaling, pair).mean(axis=1)
        if gaps.size < 2 or (np.abs(gaps) < EQUAL).all():
            return 1.0
        return float(stats.ttest_1samp(gaps, 0.0).pvalue)

    def counted(self, **which: str) -> Counter[str]:
        """The counts of some trials, added up."""
        total: Counter[str] = Counter()
        for one in self.some(**which):
            total.update({name: number for name, number in one["counts"].items() if name != "by rounds"})
        return total

    def rounds(self, start: str, **which: str) -> Counter[int]:
        """How many runs took how many rounds."""
        total: Counter[int] = Counter()
        for one in self.some(**which):
            total.update({int(number): times for number, times in one["counts"]["by rounds"][start].items()})
        return total

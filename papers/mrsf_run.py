"""What the trials of mrsf.py found, by table, data set and method, and tests of one method against another."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import published
from mrsf_trials import SUPERVISED, TRAINING, UNSUPERVISED, FloatArray
from scipy import stats
from trials import Trials

SIGNIFICANT = 0.05
TABLES = ("4.2", "4.3", "4.4, 1 neighbour", "4.4, 5 neighbours", "4.5")
LOWER = ("4.3", "4.5")  # is better
COLUMNS = {name: number for number, name in enumerate(published.MRSF_SIZES)}  # of the published tables


@dataclass(frozen=True)
class Run:
    """The splits of each data set, by seed; and the runs of both solvers of Figure 4.1, by data set."""

    trials: dict[str, list[dict[str, Any]]]
    times: dict[str, list[dict[str, float]]]

    @classmethod
    def of(cls, splits: Trials, times: Trials) -> Run:
        return cls(by_dataset(splits), by_dataset(times))

    @property
    def datasets(self) -> list[str]:
        return list(self.trials)

    @property
    def shared(self) -> list[str]:
        """Those that are in the chapter."""
        return [dataset for dataset in self.trials if dataset in COLUMNS]

    def splits(self, table: str, dataset: str, method: str, half: str = TRAINING) -> FloatArray:
        """The value of every split."""
        return np.array([one["tables"][table][method][half] for one in self.trials[dataset]])

    def curve(self, dataset: str, method: str) -> FloatArray:
        """Figure 4.2: splits × numbers of features."""
        return np.array([one["curves"][method] for one in self.trials[dataset]])

    def entered(self, dataset: str, target: str) -> list[int]:
        """How many features the path of MRSF got."""
        return [one["entered"][target] for one in self.trials[dataset]]

    def same(self, other: str) -> list[bool]:
        """Whether a method chose the features of Fisher score, in every split of every set."""
        return [one["same"][other] for trials in self.trials.values() for one in trials]

    def seconds(self, dataset: str, solver: str) -> FloatArray:
        """CPU seconds of every repeat."""
        return np.array([one[solver] for one in self.times[dataset]])


def by_dataset(found: Trials) -> dict[str, list[dict[str, Any]]]:
    """What the trials returned, in lists by the first part of their keys."""
    lists: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for (dataset, *_), value in found.values.items():
        lists[str(dataset)].append(value)
    return dict(lists)


def methods_of(table: str) -> list[str]:
    """The chapter's methods."""
    return list(SUPERVISED if table in ("4.2", "4.3") else UNSUPERVISED)


def p_value(run: Run, table: str, dataset: str, one: str, two: str, half: str = TRAINING) -> float:
    """Paired t-test over the splits; 1 if nothing differs."""
    gap = run.splits(table, dataset, one, half) - run.splits(table, dataset, two, half)
    if gap.size < 2 or np.ptp(gap) == 0:
        return float(gap.mean() == 0)
    return float(stats.ttest_1samp(gap, 0.0).pvalue)


def best_of(run: Run, table: str, dataset: str, half: str = TRAINING) -> str:
    """The method with the best mean, random features apart."""
    sign = -1 if table in LOWER else 1
    return max(methods_of(table), key=lambda name: sign * run.splits(table, dataset, name, half).mean())


def among_best(run: Run, table: str, dataset: str, half: str = TRAINING) -> list[str]:
    """The best method and those that do not differ from it."""
    best = best_of(run, table, dataset, half)
    names = methods_of(table)
    return [n for n in names if n == best or p_value(run, table, dataset, n, best, half) >= SIGNIFICANT]


def verdict(run: Run, table: str, dataset: str, other: str, half: str = TRAINING) -> str:
    """MRSF against another method on one set."""
    if p_value(run, table, dataset, "MRSF", other, half) >= SIGNIFICANT:
        return "no different"
    gap = (run.splits(table, dataset, "MRSF", half) - run.splits(table, dataset, other, half)).mean()
    return "better" if (gap < 0) == (table in LOWER) else "worse"


def printed_in(table: str, dataset: str, method: str) -> float | None:
    """The published cell, if there is one."""
    row = published.MRSF_TABLES[table].get(method)
    return row[COLUMNS[dataset]] if row is not None and dataset in COLUMNS else None

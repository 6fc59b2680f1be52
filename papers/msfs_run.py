"""What the trials of msfs.py found, by study and row, and which row of it stands next to a published one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from msfs_data import ALL, LISTED, OUTLIER, TWO
from msfs_trials import EQUAL, LABELLED, LEARNED
from numpy.typing import NDArray
from scipy import stats
from trials import Trials

FloatArray = NDArray[np.float64]
Record = dict[str, Any]

SIGNIFICANT = 0.05
#: sets with the five sources of the chapter; with knowledge of genes; all that statements are counted on
FIVE = ("NCI60", "breast TCGA")
GENES = (*FIVE, f"leukemia without {OUTLIER}", "TOX")
COUNTED = (*GENES, "nutrimouse", "digits")


@dataclass(frozen=True)
class Run:
    """The trials of each study, by seed."""

    trials: dict[str, list[Record]]

    @classmethod
    def of(cls, found: Trials) -> Run:
        trials: dict[str, list[Record]] = defaultdict(list)
        for (study, _), value in found.values.items():
            trials[str(study)].append(value)
        return cls(dict(trials))

    @cached_property
    def records(self) -> dict[tuple[str, str, str], list[Record]]:
        """By study, row and the labels that were learned from, one for each trial."""
        records: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
        for study, trials in self.trials.items():
            for record in (record for one in trials for record in one["records"]):
                records[study, record["row"], record["learned"]].append(record)
        return dict(records)

    def rows(self, study: str) -> list[str]:
        """The rows of a study without the points of Figure 5.5c, each once; those that learn from labels last."""
        rows = dict.fromkeys(row for name, row, _ in self.records if name == study and "miRNA +" not in row)
        return sorted(rows, key=LABELLED.__contains__)

    def sources(self, study: str) -> list[str]:
        """The sources, in the order of their weights."""
        starts = f"neighbours, {TWO}, "
        keys = (key.removeprefix(starts) for key in self.trials[study][0]["folds"] if key.startswith(starts))
        return [name for name in keys if name != EQUAL]

    def has(self, study: str, row: str) -> bool:
        return study in self.trials and row in self.rows(study)

    def definitions(self, study: str) -> list[str]:
        """The class definitions that a study is tested with."""
        return list(self.trials[study][0]["records"][0]["accuracy"])

    def _found(self, study: str, row: str, learned: str) -> list[Record]:
        return self.records[study, row, learned if row in LABELLED else ""]

    def accuracy(self, study: str, row: str, tested: str, learned: str | None = None) -> FloatArray:
        """Trials × sizes; rows with labels learn from those that they are tested with unless it is said."""
        found = self._found(study, row, tested if learned is None else learned)
        return np.array([record["accuracy"][tested] for record in found])

    def ave(self, study: str, row: str, tested: str, learned: str | None = None) -> FloatArray:
        """Every trial's mean over the sizes."""
        return np.asarray(self.accuracy(study, row, tested, learned).mean(axis=1))

    def hits(self, study: str, row: str, learned: str, of: str = LISTED) -> FloatArray:
        """Known cancer genes among the chosen: trials × sizes."""
        return np.array([record["hits"][of] for record in self._found(study, row, learned)])

    def hit_ratio(self, study: str, row: str, learned: str, of: str = LISTED) -> float:
        """Mean over trials and sizes, as the chapter's "Ave"."""
        return float(self.hits(study, row, learned, of).mean())

    def one_sample(self, study: str, row: str, learned: str) -> float:
        return float(np.mean([record["one_sample"] for record in self._found(study, row, learned)]))

    def folds(self, study: str, *key: str) -> FloatArray:
        """Values of every fold of every trial."""
        return np.array([value for one in self.trials[study] for value in one["folds"][", ".join(key)]])

    def everything(self, study: str, tested: str) -> FloatArray:
        """1NN with all features, every trial."""
        return np.array([sum(one["folds"][f"everything, {tested}"]) for one in self.trials[study]])


def better(one: FloatArray, two: FloatArray) -> bool:
    """Whether the first is significantly larger: paired t-test over trials."""
    gap = one - two
    if gap.size < 2 or np.ptp(gap) == 0:
        return bool(gap.mean() > 0)
    return bool(gap.mean() > 0 and stats.ttest_1samp(gap, 0.0).pvalue < SIGNIFICANT)


def higher(one: FloatArray, two: FloatArray) -> bool:
    """Whether the first has the larger mean."""
    return bool(one.mean() > two.mean())


def counterpart(published_row: str, definition: str) -> str:
    """The row here of a published one; the experts had weights for two classes and for four."""
    if published_row.startswith("COMB"):
        return f"{published_row}, weights of {'2C' if definition == TWO else '4C'}"
    return LEARNED["discriminant"] if published_row.startswith("learned") else published_row


def more_than_two(run: Run, studies: tuple[str, ...]) -> list[str]:
    """The studies that were run and have more than two classes."""
    return [study for study in studies if study in run.trials and ALL in run.definitions(study)]

"""The trials of papers/sselect.py, put together: arrays with one row per trial."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import published
import sselect_fisher
from numpy.typing import NDArray
from sselect_trials import FILES, PRINTED_LABELS, SSELECT, full_graph, many_cuts, table_facts, trial
from summary import standard_error
from trials import fresh_seeds, run_trials

FloatArray = NDArray[np.float64]
Row = tuple[str, int]  # data set, number of labels
FULL_GRAPH_TRIALS = 3  # the first seeds
MANY_TRIALS = 5


@dataclass(frozen=True)
class Run:
    """What the trials of some data sets returned."""

    found: dict[str, list[dict[str, Any]]]  # by data set, one per trial; then by number of labels
    tables: dict[str, dict[str, Any]]  # size and 1NN accuracy with all features
    many_cuts: dict[Row, FloatArray]  # cut values of 200 features, by λ
    full_cuts: dict[str, FloatArray]  # cut values if the graph on the chosen words is an RBF of all pairs
    fisher: dict[str, list[dict[str, dict[str, float]]]] = field(default_factory=dict)  # of papers/sselect_fisher.py
    seconds: float = 0.0

    @property
    def datasets(self) -> list[str]:
        """The sets that were run."""
        return list(self.found)

    @property
    def rows(self) -> list[Row]:
        """The rows of Table 2 whose sets were run."""
        return [(dataset, count) for dataset in self.found for count in PRINTED_LABELS]

    def each(self, dataset: str, labels: int, *path: str) -> list[Any]:
        """What every trial has there."""
        values: list[Any] = [one[str(labels)] for one in self.found[dataset]]
        for key in path:
            values = [value[key] for value in values]
        return values

    def curves(self, dataset: str, labels: int, method: str) -> FloatArray:
        """Accuracy of every trial (rows) and number of features (columns)."""
        return np.array(self.each(dataset, labels, "curves", method))

    def accuracy(self, dataset: str, labels: int, method: str, kind: str = "curves") -> FloatArray:
        """Accuracy of every trial, averaged over the numbers of features."""
        return np.mean(self.each(dataset, labels, kind, method), axis=1)

    def gain(self, dataset: str, labels: int, over: str, of: str = SSELECT, kind: str = "curves") -> FloatArray:
        """How much better a method is than another, trial by trial."""
        return self.accuracy(dataset, labels, of, kind) - self.accuracy(dataset, labels, over, kind)

    def sweep(self, dataset: str, labels: int, name: str) -> FloatArray:
        """Accuracies or cut values of every trial (rows) and λ (columns)."""
        return np.array(self.each(dataset, labels, "sweep", name))

    def more_labels(self, dataset: str, method: str) -> FloatArray:
        """What 10 labels add to 2, trial by trial."""
        return self.accuracy(dataset, PRINTED_LABELS[-1], method) - self.accuracy(dataset, PRINTED_LABELS[0], method)


def measure(quick: bool, n_trials: int) -> Run:
    """All trials of all data sets; of the first only if quick."""
    datasets = list(FILES)[: 1 if quick else None]
    made = run_trials(trial, [(dataset, seed) for dataset in datasets for seed in fresh_seeds(n_trials)])
    tables = run_trials(table_facts, [("all", dataset) for dataset in datasets])
    many = run_trials(many_cuts, _keys("many", datasets, min(n_trials, MANY_TRIALS)))
    full = run_trials(full_graph, _keys("full", datasets, min(n_trials, FULL_GRAPH_TRIALS)))
    other = range(sselect_fisher.FIRST_SEED, sselect_fisher.FIRST_SEED + n_trials)
    fisher = run_trials(sselect_fisher.trial, [(dataset, seed) for dataset in datasets for seed in other])
    return Run(
        {dataset: [made.values[dataset, seed] for seed in fresh_seeds(n_trials)] for dataset in datasets},
        {dataset: tables.values["all", dataset] for dataset in datasets},
        {
            (dataset, count): np.array([cuts[str(count)] for key, cuts in many.values.items() if key[1] == dataset])
            for dataset in datasets
            for count in PRINTED_LABELS
        },
        {dataset: np.array([cuts for key, cuts in full.values.items() if key[1] == dataset]) for dataset in datasets},
        {dataset: [fisher.values[dataset, seed] for seed in other] for dataset in datasets},
        sum(part.seconds for part in (made, tables, many, full, fisher)),
    )


def _keys(name: str, datasets: list[str], n_trials: int) -> list[tuple[str, str, int]]:
    return [(name, dataset, seed) for dataset in datasets for seed in fresh_seeds(n_trials)]


def published_over_laplacian(dataset: str, method: str) -> list[float]:
    """Accuracy above the Laplacian score that Table 2 implies, by number of labels."""
    gains = [published.SSELECT_TABLE_2[dataset, count] for count in PRINTED_LABELS]
    return [
        over_laplacian if method == SSELECT else over_laplacian - over_fisher for over_fisher, over_laplacian in gains
    ]


def clearly_positive(values: FloatArray) -> bool:
    """Whether the mean is above 0 by more than two standard errors."""
    return bool(np.mean(values) > 2 * standard_error(values))


def with_error(values: FloatArray, sign: str = "") -> str:
    """Mean ± standard error."""
    return f"{np.mean(values):{sign}.3f}" + (f" ± {standard_error(values):.3f}" if len(values) > 1 else "")

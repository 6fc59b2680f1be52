"""The trials of papers/evsc.py, put together: arrays with one row per trial and one column per number of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import evsc_neighbours
import evsc_search
import numpy as np
import published
from evsc_search import Tried, tried
from evsc_trials import ACCURACY, BEST, FILES, INNER, METHODS, RANDOM, RAW, STANDARDISED, WORST, facts, iris, trial
from numpy.typing import NDArray
from trials import FIRST_SEED, fresh_seeds, run_trials

FloatArray = NDArray[np.float64]
JACCARD, ONE_NEIGHBOUR = f"{INNER}, 5", f"{INNER}, 1"
#: what a published table holds: title, measure, which features
TITLES = {
    2: ("Table 2: clustering accuracy, best features", ACCURACY, BEST),
    3: ("Table 3: Jaccard score, best features", JACCARD, BEST),
    4: ("Table 4: clustering accuracy, worst features", ACCURACY, WORST),
    5: ("Table 5: Jaccard score, worst features", JACCARD, WORST),
}


@dataclass(frozen=True)
class Run:
    """What the trials of some data sets returned."""

    found: dict[str, list[dict[str, Any]]]  # by data set, one per trial
    scaled: dict[str, dict[str, Any]]  # one trial with standardised features
    facts: dict[tuple[str, str], dict[str, Any]]  # by data set and scaling: what has no randomness
    iris: dict[str, Any]
    searched: dict[str, list[Tried]]  # by data set of the paper
    neighbours: dict[str, evsc_neighbours.Scores]  # by data set of the paper
    seconds: float = 0.0

    @property
    def datasets(self) -> list[str]:
        """The sets that were run."""
        return list(self.found)

    @property
    def printed(self) -> list[str]:
        """Those that have published numbers."""
        return [dataset for dataset in self.found if dataset in published.EVSC_SIZES]

    def curves(self, measure: str, end: str, dataset: str, method: str) -> FloatArray:
        """A row per trial (one for Jaccard scores), a column per number of features."""
        if "," in measure and method == RANDOM:
            return np.array([one["random jaccard"][measure] for one in self.found[dataset]])
        if "," in measure:
            return np.array([self.facts[dataset, RAW]["jaccard"][f"{method}, {end}"][measure]])
        return np.array([one[f"{method}, {end}"][measure] for one in self.found[dataset]])

    def values(self, measure: str, end: str, dataset: str, method: str) -> FloatArray:
        """Averaged over the numbers of features, one per trial."""
        return self.curves(measure, end, dataset, method).mean(axis=1)

    def mean(self, measure: str, end: str, dataset: str, method: str) -> float:
        """One cell."""
        return float(self.values(measure, end, dataset, method).mean())

    def cells(self, number: int, measure: str | None = None) -> tuple[list[list[float]], list[list[float]]]:
        """A table, published and measured, of the sets that are in both; by another measure if wanted."""
        _, usual, end = TITLES[number]
        old = [published.EVSC_TABLES[number][dataset] for dataset in self.printed]
        new = [[self.mean(measure or usual, end, dataset, method) for method in METHODS] for dataset in self.printed]
        return old, new


def measure(quick: bool, n_trials: int) -> Run:
    """All trials of all data sets; of one if quick, without the search."""
    datasets = ["GLIOMA"] if quick else list(FILES)
    seeds = [(dataset, RAW, seed) for dataset in datasets for seed in fresh_seeds(n_trials)]
    made = run_trials(trial, [*seeds, *((dataset, STANDARDISED, FIRST_SEED) for dataset in datasets)])
    known = run_trials(facts, [("facts", dataset, scaling) for dataset in datasets for scaling in (RAW, STANDARDISED)])
    flowers = run_trials(iris, [("iris",)])
    wanted = [dataset for dataset in datasets if dataset in published.EVSC_SIZES]
    search = run_trials(evsc_search.trial, evsc_search.keys(wanted))
    counts = run_trials(evsc_neighbours.trial, [(dataset,) for dataset in wanted])
    return Run(
        {dataset: [made.values[dataset, RAW, seed] for seed in fresh_seeds(n_trials)] for dataset in datasets},
        {dataset: made.values[dataset, STANDARDISED, FIRST_SEED] for dataset in datasets},
        {(dataset, scaling): value for (_, dataset, scaling), value in known.values.items()},
        flowers.values["iris",],
        {dataset: tried(search.values, dataset) for dataset in wanted},
        {dataset: counts.values[dataset,] for dataset in wanted},
        sum(part.seconds for part in (made, known, flowers, search, counts)),
    )


def difference(run: Run, measure_name: str, dataset: str, method: str) -> float:
    """Best less worst features."""
    return run.mean(measure_name, BEST, dataset, method) - run.mean(measure_name, WORST, dataset, method)

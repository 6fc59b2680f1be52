"""Tables 5.4 and 5.5 of the dissertation (MSFS, several sources), in their shape, for three sets that can be had.

    python papers/msfs.py [--quick] [--trials N] [--notes-only]

Reads ../shared/data, seen from the project root (skips if it is not there) and rewrites its section of
papers/RESULTS.md. ``--quick`` is a smoke test: one trial of NCI60, printed and not written.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import published
from common import markdown, one_nn, ran_with, run_script
from msfs_data import FUNCTION, OUTLIER, PATHWAY, STUDIES, TARGET, Study
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from eigenselect import KOGS, MSFS, SPEC, FisherScore, LaplacianScore, ReliefF
from eigenselect.multisource import aggregate_rankings

FloatArray = NDArray[np.float64]
Order = NDArray[np.intp]

TRIALS = 20
SIZES = (2, 5, 10, 20, 30)
DRAWS = 5  # of random features, in every fold
EQUAL = "combined, equal weights"
LEARNED = {name: f"combined, {name} (labels)" for name in ("discriminant", "alignment")}
BORDA, RRA = "KOGS, Borda", "KOGS, RRA"
LAPLACIAN, FISHER, RELIEFF = "Laplacian score", "Fisher score (labels)", "ReliefF (labels)"
RANDOM = f"random genes, mean of {DRAWS} draws"

CHOICES = """
The dissertation's data (Lu et al. 2005, 88 tissues) cannot be had, so no number of it can be checked; what can be
checked is whether its statements hold elsewhere. Choices, the same for all sets and made before looking at any number:

- A trial of seed 0, 1, …, {last} is a stratified cross-validation (3 folds for the 21 cell lines of NCI60, 5 else).
  Everything is ranked on the training samples only, with all sources cut down to them and matched by name; 1NN
  (Euclidean) learns on the training samples and is tested on the held-out ones. Same folds for all rows. Rows marked
  (labels) see the training samples' labels, the others none.
- Every table (target and auxiliary) is z-scored with mean and deviation of the training samples, before similarities
  and for 1NN. A column without deviation there stays 0 and is never chosen.
- Every source: RBF of all pairs, σ the median distance. MSFS and KOGS rank with φ2 of the
  normalised Laplacian, γ = identity. KOGS: SPEC φ2 on each source, the rankings then aggregated. Laplacian score:
  defaults (10-NN graph). ReliefF: 10 neighbours per class, all of a class where it has fewer.
- The row mRNA is SPEC (φ2, RBF) on the target alone.
- Leukemia: values are log2(max(x, 20)), as is usual for this chip. GO: `FeatureSimilarity` of the 65
  biological-process terms of the GO slim, d(x, y) = ‖L(x - y)‖, genes without terms left out. function: probes of the
  hallmark sets {function} united.
  pathway: KEGG {pathway} united; to choose these two is to know
  that the samples are leukemias, though not which is which.
- No hit ratio: no list of known cancer genes is at hand.

Added after the first run had been looked at: the column "in one sample", the differences at the end, and leukemia
without {outlier}, an array so unlike all others that its row of the RBF graph of all samples sums to 3.0 (median:
29.3). It was looked for because genes ranked by MSFS were worse than random ones.
"""


@dataclass
class Run:
    """What was measured, by study and row."""

    studies: dict[str, Study] = field(default_factory=dict)
    accuracy: dict[tuple[str, str], list[FloatArray]] = field(default_factory=lambda: defaultdict(list))  # trial x size
    everything: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # 1NN with all genes
    weights: dict[tuple[str, str], list[FloatArray]] = field(default_factory=lambda: defaultdict(list))  # of each fold
    neighbours: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    one_sample: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    usable: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # notes of the sources

    def rows(self, study: str) -> list[str]:
        """The rows of a study, as they were measured."""
        return [row for name, row in self.accuracy if name == study]

    def trials(self, study: str, row: str) -> FloatArray:
        """Every trial's mean over the sizes."""
        return np.mean(self.accuracy[study, row], axis=1)


def nearest_agree(graph: Any, y: NDArray[Any]) -> float:
    """Share of samples whose most similar other sample is of their class."""
    S = graph.to_array().copy()
    np.fill_diagonal(S, -np.inf)
    return float(np.mean(y[S.argmax(axis=1)] == y))


def one_sample_share(X: FloatArray) -> float:
    """How much of a gene's variance the most deviating of the z-scored samples makes; median of the genes."""
    return float(np.median((X**2).max(axis=0) / len(X)))


def rankings(run: Run, study: Study, tables: dict[str, pd.DataFrame], y: NDArray[Any]) -> dict[str, Any]:
    """Ranks of the target's features (1 is best) by every row of the table, from training samples."""
    X, sources = tables[TARGET].to_numpy(), study.sources(tables)  # probes of one gene: no data frame takes them twice
    names = {"sample_names": tables[TARGET].index, "feature_names": tables[TARGET].columns}
    equal = MSFS(sources=sources).fit(X, **names)
    found = dict(equal.source_rankings_)
    found[EQUAL] = equal.ranking_
    for kind, row in LEARNED.items():
        learned = MSFS(sources=sources, weights=kind).fit(X, y, **names)
        found[row] = learned.ranking_
        run.weights[study.name, row].append(learned.weights_)
    kogs = KOGS(rankers=[(name, source, SPEC(similarity="rbf")) for name, source in sources]).fit(X, **names)
    found |= {BORDA: kogs.ranking_, RRA: aggregate_rankings(kogs.rankings_, "rra").ranking}
    for row, selector in {LAPLACIAN: LaplacianScore(), FISHER: FisherScore(), RELIEFF: ReliefF()}.items():
        found[row] = selector.fit(X, y if row != LAPLACIAN else None).ranking_
    for row, graph in {**equal.similarities_, EQUAL: equal.graph_}.items():
        run.neighbours[study.name, row].append(nearest_agree(graph, y))
    run.usable[study.name] |= {note for notes in equal.notes_.values() for note in notes}
    return found


def curve(X: FloatArray, y: NDArray[Any], order: Order, train: Order, test: Order) -> FloatArray:
    """Number of held-out samples that 1NN has right, for every number of features."""
    return np.array([one_nn(X[:, order[:size]], y, train, test) * test.size for size in SIZES])


def one_trial(run: Run, study: Study, seed: int) -> None:
    """One cross-validation of all rows."""
    y, right, whole = study.y, defaultdict(lambda: np.zeros(len(SIZES))), 0.0
    rng = np.random.default_rng(seed)
    for train, test in StratifiedKFold(study.n_folds, shuffle=True, random_state=seed).split(y, y):
        tables = study.standardised(train)
        X = tables[TARGET].to_numpy()
        found = rankings(run, study, {name: table.iloc[train] for name, table in tables.items()}, y[train])
        for row, ranking in found.items():
            order = np.argsort(ranking, kind="stable")
            right[row] += curve(X, y, order, train, test)
            run.one_sample[study.name, row].append(one_sample_share(X[np.ix_(train, order[: SIZES[-1]])]))
        draws = [rng.permutation(X.shape[1])[: SIZES[-1]] for _ in range(DRAWS)]
        right[RANDOM] += np.mean([curve(X, y, draw, train, test) for draw in draws], axis=0)
        run.one_sample[study.name, RANDOM] += [one_sample_share(X[np.ix_(train, draw)]) for draw in draws]
        whole += one_nn(X, y, train, test) * test.size
    for row, count in right.items():
        run.accuracy[study.name, row].append(count / y.size)
    run.everything[study.name].append(whole / y.size)


def measure(quick: bool, n_trials: int) -> Run:
    """All trials of all studies; of the first only if quick."""
    run = Run()
    for make in STUDIES[: 1 if quick else None]:
        study, start = make(), time.perf_counter()
        run.studies[study.name] = study
        for seed in range(n_trials):
            one_trial(run, study, seed)
        print(f"{study.name}: {n_trials} trials, {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return run


def with_error(values: FloatArray, sign: str = "") -> str:
    """Mean ± standard error over trials."""
    error = f" ± {np.std(values, ddof=1) / np.sqrt(values.size):.3f}" if values.size > 1 else ""
    return f"{values.mean():{sign}.3f}{error}"


def table_text(run: Run, study: Study) -> str:
    """One study in the shape of Table 5.4."""
    body, base = [], run.trials(study.name, TARGET)
    rows = run.rows(study.name)
    unsupervised = [row for row in rows if "(labels)" not in row]
    best = max(unsupervised, key=lambda row: run.trials(study.name, row).mean())
    for row in rows:
        means, trials = np.mean(run.accuracy[study.name, row], axis=0), run.trials(study.name, row)
        gain = "-" if row == TARGET else with_error(trials - base, "+")
        share = f"{np.mean(run.one_sample[study.name, row]):.2f}"
        name = f"**{row}**" if row == best else row
        body.append([name, *(f"{mean:.3f}" for mean in means), with_error(trials), gain, share])
    whole = with_error(np.array(run.everything[study.name]))
    body.append(["all genes", *["-"] * len(SIZES), whole, "-", "-"])
    sizes = ", ".join(f"{name} {table.shape[1]}" for name, table in study.tables.items())
    counts = ", ".join(map(str, np.bincount(study.y)))
    notes = "".join(f"; {note}" for note in sorted(run.usable[study.name]))
    title = f"### {study.name}: {study.y.size} samples (classes of {counts}), columns: {sizes}{notes}"
    return f"{title}\n\n{markdown(['', *map(str, SIZES), 'Ave', 'Ave minus mRNA', 'in one sample'], body)}"


def weights_text(run: Run) -> str:
    """What was learned, and how good each source's similarity is by itself."""
    body = []
    for study in run.studies.values():
        for place, source in enumerate(study.source_names):
            cells = []
            for row in LEARNED.values():
                values = np.array(run.weights[study.name, row])[:, place]
                cells.append(f"{values.mean():.2f} ({values.min():.2f} to {values.max():.2f})")
            agree = f"{np.mean(run.neighbours[study.name, source]):.3f}"
            body.append([study.name, source, agree, *cells])
        body.append([study.name, EQUAL, f"{np.mean(run.neighbours[study.name, EQUAL]):.3f}", "-", "-"])
    header = ["", "source", "nearest sample is of the same class", "weight, discriminant", "weight, alignment"]
    title = "### The sources themselves: nearest neighbours among the training samples, and learned weights"
    return f"{title}\n\nWeights: mean over all folds of all trials (smallest to largest).\n\n{markdown(header, body)}"


def counted_text(run: Run) -> str:
    """The dissertation's statements as differences of Ave, trial by trial."""
    pairs = [(EQUAL, row) for row in (*LEARNED.values(), LAPLACIAN, RANDOM)] + [(BORDA, EQUAL), (RRA, EQUAL)]
    body = []
    for study in run.studies.values():
        best = max(study.source_names, key=lambda source: run.trials(study.name, source).mean())
        gains = [run.trials(study.name, of) - run.trials(study.name, over) for of, over in [(EQUAL, best), *pairs]]
        body.append([study.name, best, *(with_error(gain, "+") for gain in gains)])
    header = ["", "best single source", "equal minus it", *(f"equal minus {over}" for _, over in pairs[:-2])]
    header += [f"{of} minus equal" for of, _ in pairs[-2:]]
    return f"### The statements, counted: differences of Ave\n\n{markdown(header, body)}"


def published_text() -> str:
    """The dissertation's rows, as orientation."""
    body = [[row, *(f"{value:.2f}" for value in values)] for row, values in published.MSFS_2C_DATA.items()]
    title = "### OTHER DATA, for orientation only: Tables 5.4 and 5.5 as printed, 2C-DATA (88 tissues, 16063 genes)"
    return f"{title}\n\n{markdown(['', *map(str, SIZES), 'Ave'], body)}"


def section(run: Run, n_trials: int) -> str:
    """The whole section of RESULTS.md."""
    intro = (
        f"{ran_with()}: {n_trials} trials of every row. Cells are 1NN accuracy on held-out samples"
        " with the top 2, 5, … genes; Ave is their mean; ± is the standard error over trials, which are new folds of"
        " the same samples: it says nothing of other samples. Bold: the best row without labels. In one"
        " sample: the share of a gene's training variance that its most deviating sample makes, median of the top 30,"
        " mean over folds. Remake with"
        " `python papers/msfs.py`.\n"
    )
    names = {"function": ", ".join(FUNCTION), "pathway": " and ".join(PATHWAY), "outlier": OUTLIER}
    parts = ["## MSFS and KOGS (dissertation chapter 5)\n", intro, CHOICES.format(last=n_trials - 1, **names).lstrip()]
    parts += [table_text(run, study) for study in run.studies.values()]
    return "\n".join([*parts, weights_text(run), counted_text(run), published_text()])


def main() -> None:
    """Run the trials and write, or with ``--quick`` print, the section of RESULTS.md."""
    run_script("msfs", __doc__, TRIALS, measure, section)


if __name__ == "__main__":
    main()

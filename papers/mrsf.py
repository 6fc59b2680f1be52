"""Tables 4.2 to 4.5 of the dissertation (2010), MRSF against its baselines, published next to measured.

    python papers/mrsf.py [--quick] [--trials N] [--notes-only]

Reads ../shared/data, seen from the project root (skips if it is not there) and rewrites its section of
papers/RESULTS.md. ``--quick`` is a smoke test: one split of the smallest set, printed and not written.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import published
from common import load, markdown, ran_with, run_script
from joblib import Parallel, delayed
from mrsf_trials import ALL, HELD_OUT, MOST, RANDOM, SUPERVISED, TRAINING, UNSUPERVISED, Run, one_split
from scipy import stats

TRIALS = 20
SIGNIFICANT = 0.05
FILES = {
    "ORL": "orlraws10P.mat",
    "PIX": "pixraw10P.mat",
    "AR": "warpAR10P.mat",
    "PIE": "warpPIE10P.mat",
    "TOX": "TOX-171.mat",
    "GLIOMA": "GLIOMA.mat",
}
COLUMNS = {name: number for number, name in enumerate(published.MRSF_SIZES)}  # of the published tables
TITLES = {
    "4.2": "accuracy with labels, mean over 10, 20, …, 200 features; higher is better",
    "4.3": "redundancy rate with labels, as many features as training samples; lower is better",
    "4.4, 1 neighbour": "Jaccard score without labels, mean over 10, 20, …, 200 features; higher is better",
    "4.4, 5 neighbours": "Jaccard score without labels, mean over 10, 20, …, 200 features; higher is better",
    "4.5": "redundancy rate without labels, as many features as training samples; lower is better",
}
LOWER = ("4.3", "4.5")

CHOICES = """
The chapter tunes parameters by cross-validation "if necessary" and names none. One choice for all data sets, made
before any number was seen (but for one row that was added); nothing is tuned:

- CLL-SUB could not be had. GLIOMA stands in for it and has no published numbers.
- A trial is a random stratified split in halves, of seed 0, 1, …, {last}. All methods select on the training half.
- Features have mean 0 and variance 1 in the training half, for every method. (The chapter prints the same redundancy
  for Fisher, trace ratio and HSIC on all sets; with variance 1 they order features alike, or nearly so.)
- Accuracy: linear SVM, C = 1, on the other half. Several classes: one against one, scikit-learn's SVC.
- MRSF: its defaults. With labels the target is that of LDA, which is the chapter's choice (S of Eq. 3.13) times a
  number once features and targets are centred (Eq. 4.17); without labels RBF. For each size the features with
  non-zero coefficients where the path has so many; these sets are not nested, because features also leave. If fewer
  than {most} can enter, all that did.
- RBF between all pairs of training samples, `exp(-d²/2σ²)`, σ the median distance, for all methods without labels.
- SPEC: φ3 with γ(λ) = λ, k = number of classes (φ2 is the Laplacian score, and φ1 of centred features nearly so).
- Trace ratio: the best subset of {most}, and its order for fewer. HSIC: kernel of class labels; of RBF without labels.
- ReliefF: 10 neighbours per class, all of a class where it has fewer.
- mRMR: difference form (MID), features in three levels cut at mean ± standard deviation of the training half. The row
  of the quotient form (MIQ) was added after the first run, when it was seen to be the stronger one.
- AROM-SVM: l2-AROM of Weston et al. (2003), nearly hard margin, one machine for each class against the rest, one
  vector of scales for all classes; features rank by the round in which they go.
- Redundancy: mean |correlation| over pairs (the printed formula cannot reach the printed values). The number of
  features is the number of training samples. Jaccard: neighbours by inner product of the chosen features against
  neighbours by RBF of all; the number of features is not printed, so it is taken as for accuracy.
- Redundancy and Jaccard are measured on the training half, where S is given; tables at the end have the other half.
- **Bold**: the best of the methods, or not different from it (paired t-test over splits, p ≥ {level}). Splits
  overlap, so p-values are too small.
- "{random}": another draw in each split. "{all}": no selection. Neither is in the chapter.
"""


def measure(quick: bool, n_trials: int) -> Run:
    """All splits of all data sets, one on each core; of the smallest set if quick."""
    run = Run()
    for dataset in ["GLIOMA"] if quick else FILES:
        X, labels = load(FILES[dataset])
        y = np.unique(labels, return_inverse=True)[1]
        run.shape[dataset] = X.shape
        start = time.perf_counter()
        for part in Parallel(-1)(delayed(one_split)(dataset, X, y, seed) for seed in range(n_trials)):
            run.add(part)
        print(f"{dataset}: {n_trials} splits, {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return run


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


def printed_in(table: str, dataset: str, method: str) -> float | None:
    """The published cell, if there is one."""
    row = published.MRSF_TABLES[table].get(method)
    return row[COLUMNS[dataset]] if row is not None and dataset in COLUMNS else None


def both(old: float | None, new: str) -> str:
    """Published / measured."""
    return f"{'-' if old is None else format(old, '.2f')} / {new}"


def row_text(run: Run, table: str, method: str, half: str) -> list[str]:
    """One method: every data set, and the mean over those that are in the chapter."""
    cells, pairs = [], []
    for dataset in run.shape:
        value, old = run.splits(table, dataset, method, half).mean(), printed_in(table, dataset, method)
        text = f"{value:.2f}" if method not in among_best(run, table, dataset, half) else f"**{value:.2f}**"
        cells.append(both(old, text) if half == TRAINING else text)
        pairs += [(np.nan if old is None else old, value)] * (dataset in COLUMNS)
    if not pairs:
        return [method, *cells]
    old, value = np.mean(pairs, axis=0)
    mean = both(None if np.isnan(old) else old, f"{value:.2f}") if half == TRAINING else f"{value:.2f}"
    return [method, *cells, mean]


def table_text(run: Run, table: str, half: str = TRAINING) -> str:
    """A table of the chapter; of the held-out half measured values only."""
    names = [*methods_of(table), RANDOM] + ([] if table in LOWER else [ALL])
    shared = [dataset for dataset in run.shape if dataset in COLUMNS]
    header = ["", *run.shape] + ([f"mean of {shared[0]} to {shared[-1]}"] if shared else [])
    body = markdown(header, (row_text(run, table, name, half) for name in names))
    if half == HELD_OUT:
        return f"### Table {table} on the held-out half (measured)\n\n{body}"
    return f"### Table {table}: {TITLES[table]}\n\n{body}{difference_text(run, table, shared)}"


def difference_text(run: Run, table: str, shared: list[str]) -> str:
    """How far the measured cells are from the published ones."""
    cells = [
        (printed_in(table, dataset, method), run.splits(table, dataset, method).mean())
        for dataset in shared
        for method in published.MRSF_TABLES[table]
    ]
    if not cells:
        return ""
    old, new = np.array(cells, dtype=float).T
    order = stats.spearmanr(old, new).statistic
    return (
        f"\nMean absolute difference {np.abs(new - old).mean():.3f} over {old.size} cells, mean signed difference "
        f"{(new - old).mean():+.3f}, rank correlation {order:.2f}.\n"
    )


def against_text(run: Run, table: str, half: str = TRAINING) -> str:
    """On which sets MRSF is better, no different, worse than each other method."""
    parts = []
    for other in [*methods_of(table)[:-1], RANDOM]:
        sets: dict[str, list[str]] = {"better": [], "no different": [], "worse": []}
        for dataset in run.shape:
            sets[verdict(run, table, dataset, other, half)].append(dataset)
        names = "; ".join(f"{word}: {', '.join(found)}" for word, found in list(sets.items())[1:] if found)
        parts.append(
            f"{other} {'/'.join(str(len(found)) for found in sets.values())}" + (f" ({names})" if names else "")
        )
    place = "" if half == TRAINING else ", held-out half"
    return f"- Table {table}{place}, sets on which MRSF is better / no different / worse than: {', '.join(parts)}"


def verdict(run: Run, table: str, dataset: str, other: str, half: str) -> str:
    """MRSF against another method on one set."""
    if p_value(run, table, dataset, "MRSF", other, half) >= SIGNIFICANT:
        return "no different"
    gap = (run.splits(table, dataset, "MRSF", half) - run.splits(table, dataset, other, half)).mean()
    return "better" if (gap < 0) == (table in LOWER) else "worse"


def counted_text(run: Run) -> str:
    """The chapter's statements, counted."""
    lines = []
    for table in TITLES:
        top = [dataset for dataset in run.shape if "MRSF" in among_best(run, table, dataset)]
        lines.append(f"- Table {table}: MRSF is the best or not different from it on {', '.join(top) or 'no set'}")
        lines.append(against_text(run, table))
        lines += [] if table == "4.2" else [against_text(run, table, HELD_OUT)]
    for other, same in run.same.items():
        lines.append(
            f"- {other} and Fisher choose the same features at every size in {sum(same)} of {len(same)} splits"
        )
    for kind in ("labels", "RBF"):
        counts = ", ".join(f"{d} {min(run.entered[d, kind])} to {max(run.entered[d, kind])}" for d in run.shape)
        lines.append(f"- Features that entered MRSF's path of {MOST}, target from {kind}: {counts}")
    return "### The chapter's statements, counted\n\n" + "\n".join(lines) + "\n"


def data_text(run: Run) -> str:
    """Sizes here and in the chapter."""
    body = []
    for name, shape in run.shape.items():
        size = published.MRSF_SIZES.get(name)
        chapter = f"{size[0]} × {size[1]}" if size else "-"
        body.append([name, f"`{FILES[name]}`", f"{shape[0]} × {shape[1]}", chapter])
    return markdown(["data set", "file", "here", "dissertation"], body)


def section(run: Run, n_trials: int) -> str:
    """The whole section of RESULTS.md."""
    errors = [np.std(v, ddof=1) / np.sqrt(len(v)) for v in run.values.values() if len(v) > 1] or [0.0]
    spread = f"standard error of a mean {np.median(errors):.3f} (median), {max(errors):.3f} (largest)"
    intro = (
        f"{ran_with()}: {n_trials} splits; {spread}. Cells are `published / measured`. Remake with "
        "`python papers/mrsf.py`.\n"
    )
    choices = CHOICES.format(last=n_trials - 1, most=MOST, level=SIGNIFICANT, random=RANDOM, all=ALL).lstrip()
    tables = [table_text(run, table) for table in TITLES]
    held_out = [table_text(run, table, HELD_OUT) for table in TITLES if table != "4.2"]
    parts = [
        "## MRSF (dissertation chapter 4)\n",
        intro,
        choices,
        data_text(run),
        *tables,
        counted_text(run),
        *held_out,
    ]
    return "\n".join(parts)


def main() -> None:
    """Run the splits and write, or with ``--quick`` print, the section of RESULTS.md."""
    run_script("mrsf", __doc__, TRIALS, measure, section)


if __name__ == "__main__":
    main()

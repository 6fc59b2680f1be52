"""Dissertation chapter 4 (MRSF): Tables 4.2 to 4.5 and Figures 4.1 and 4.2, published next to measured.

    python papers/mrsf.py [--quick] [--trials N] [--notes-only]

Reads ../shared/data, seen from the project root (skips if it is not there) and rewrites its section of
papers/RESULTS.md. ``--quick`` is a smoke test: one split of the smallest set, printed and not written.
"""

from __future__ import annotations

import mrsf_time_trials
import numpy as np
import published
from common import ran_with, run_script
from mrsf_claims import claims
from mrsf_figures import CAPTION, CURVES, CURVES_CAPTION, PICTURE, draw
from mrsf_run import SIGNIFICANT, TABLES, Run
from mrsf_tables import cells_of, counted_text, curves_text, data_text, table_text, times_text
from mrsf_trials import ALL, FILES, HELD_OUT, MOST, RANDOM, table_of, trial
from summary import Comparison, Summary, claims_text
from trials import fresh_seeds, run_trials, span

TRIALS = 20
QUICK = ("GLIOMA",)

CHOICES = """
The chapter tunes parameters by cross-validation "if necessary" and names none. One choice for all data sets, made
before any number was seen (but for one row that was added); nothing is tuned:

- CLL-SUB could not be had. GLIOMA stands in for it and has no published numbers.
- A trial is a random stratified split in halves, {seeds}. All methods select on the training half.
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
- Figure 4.1: all samples, standardised; the target is that of the labels (the chapter does not say which). The path
  goes to {n_timed} features; then a general solver (accelerated proximal gradient with restarts, Nesterov's method,
  from `benchmarks/l21_peers.py`) starts from zero at the λ of the path's end, where both have the same radius, and
  stops at a relative duality gap of 1e-6. CPU time on one thread, one after the other in the same process,
  once for each set; the machine is shared, so the ratio tells more than the seconds. This general solver is plain
  numpy, and the path is the library's, which is not the chapter's Algorithm 2 line by line.
- **Bold**: the best of the methods, or not different from it (paired t-test over splits, p ≥ {level}). Splits
  overlap, so p-values are too small.
- "{random}": another draw in each split. "{all}": no selection. Neither is in the chapter.
"""


def measure(quick: bool, n_trials: int) -> Run:
    """All splits of all data sets, then the times; of the smallest set if quick."""
    datasets = QUICK if quick else tuple(FILES)
    splits = run_trials(trial, [(dataset, seed) for seed in fresh_seeds(n_trials) for dataset in datasets])
    races = [(dataset, "labels", 0) for dataset in datasets]
    return Run.of(splits, run_trials(mrsf_time_trials.trial, races))


def standard_errors(run: Run) -> str:
    """Median and largest over all cells."""
    cells = (
        [one["tables"][table][method][half] for one in trials]
        for trials in run.trials.values()
        for table, methods in trials[0]["tables"].items()
        for method, halves in methods.items()
        for half in halves
    )
    errors = [np.std(cell, ddof=1) / np.sqrt(len(cell)) for cell in cells if len(cell) > 1] or [0.0]
    return f"standard error of a mean {np.median(errors):.3f} (median), {max(errors):.3f} (largest)"


def section(run: Run, n_trials: int) -> str:
    """The whole section of RESULTS.md."""
    intro = (
        f"{ran_with()}: {n_trials} splits; {standard_errors(run)}. Cells are `published / measured`. Remake with "
        "`python papers/mrsf.py`.\n"
    )
    words = {"random": RANDOM, "all": ALL, "n_timed": mrsf_time_trials.N_FEATURES}
    choices = CHOICES.format(seeds=span(fresh_seeds(n_trials)), most=MOST, level=SIGNIFICANT, **words).lstrip()
    parts = ["## MRSF (dissertation chapter 4)\n", intro, choices, data_text(run)]
    if run.shared:
        draw(run)
        parts += [f"![{CAPTION}](../docs/images/{PICTURE})\n", f"![{CURVES_CAPTION}](../docs/images/{CURVES})\n"]
        parts += ["### The chapter's statements, counted\n", claims_text(claims(run))]
    parts += [table_text(run, table) for table in TABLES]
    parts += [times_text(run), curves_text(run), counted_text(run)]
    return "\n".join([*parts, *(table_text(run, table, HELD_OUT) for table in TABLES if table != "4.2")])


def comparisons(run: Run) -> list[Comparison]:
    """The chapter's tables; a cell is of same-sized data if samples and features are as many as printed."""
    found = []
    for table in TABLES:
        datasets, old, new = cells_of(run, table)
        same = [table_of(dataset)[0].shape == published.MRSF_SIZES[dataset] for dataset in datasets]
        found.append(Comparison.of(f"Dissertation Table {table}", old, new, same))
    return found


def summarise(run: Run, n_trials: int) -> Summary:
    """The chapter in numbers."""
    protocol = f"{n_trials} stratified splits in halves ({span(fresh_seeds(n_trials))}), linear SVM; five of six sets"
    return Summary("MRSF (dissertation chapter 4)", comparisons(run), claims(run), PICTURE, CAPTION, protocol)


def main() -> None:
    """Run the splits and write, or with ``--quick`` print, the section of RESULTS.md."""
    run_script("mrsf", __doc__, TRIALS, measure, section, summarise)


if __name__ == "__main__":
    main()

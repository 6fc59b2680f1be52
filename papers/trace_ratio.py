"""Figures 2 to 4 and Table 3 of the trace ratio paper (AAAI 2008), its two theorems and its rounds, counted.

    python papers/trace_ratio.py [--quick] [--trials N] [--notes-only]

Reads ../shared/data, seen from the project root (skips if it is not there) and rewrites its section of
papers/RESULTS.md. ``--quick`` is a smoke test: one split of three small sets, printed and not written.
"""

from __future__ import annotations

from common import ran_with, run_script
from summary import Summary, claims_text
from trace_ratio_claims import claims
from trace_ratio_data import DATASETS
from trace_ratio_figures import draw_accuracies, draw_scores
from trace_ratio_run import SCALINGS, Run
from trace_ratio_tables import (
    SIGNIFICANT,
    accuracy_text,
    cases_text,
    counts_text,
    data_text,
    random_text,
    rounds_text,
    scores_text,
    spread_text,
)
from trace_ratio_trials import MIN_MAX, RANDOM_SUBSETS, RAW, trial
from trials import fresh_seeds, run_trials, span

TRIALS = 20
QUICK = ("heart", "ionosphere", "australian")
PICTURES = {RAW: "papers_trace_ratio.png", MIN_MAX: "papers_trace_ratio_min_max.png"}
SCORES_PICTURE = "papers_trace_ratio_scores.png"
CAPTION = (
    "Trace ratio, Figures 2 and 3 measured (the paper prints no numbers): 1NN accuracy against the number of features,"
    " raw, mean of 20 splits. F: features by own ratio, S: the best subset; FS: Fisher's pair, LS: the Laplacian pair."
)

CHOICES = """
F-FS and F-LS take the features with the largest own ratio b/e (the Fisher score, one over the Laplacian score); S-FS
and S-LS take the subset with the largest ratio of sums. The paper prints curves without numbers, so statements are
compared, not cells. What it leaves open was chosen once, for all data sets, before any of these splits was seen:

- A trial draws 30 samples of each class (faces: 5), {seeds}. Features are selected on them, and 1NN
  (Euclidean, on the chosen features) learns from them and is tested on the rest. Of equally near training samples one
  counts that was drawn at random.
- The paper names no scaling. *Raw*: features as they are. *Min-max*: each to [0, 1] by its range in the training
  samples. *Unit deviation*: each by its mean and standard deviation there; not in the paper. `TraceRatio` does so by
  default, but for the neighbour graph.
- LS: 10-NN graph (i near j or j near i) of the training samples, `exp(-d²/2σ²)`, σ the median length of its edges. The
  paper names neither k nor t. k = 5 is shown as well.
- UCI: a category becomes its place among the sorted categories, a missing number (crx) the mean of its column, a
  missing category the most frequent one. So all sets have the printed size.
- The files of australian and heart have lost decimal points (22.08 is 2208, 24.5 is 245). Those of australian are read
  in crx, which has the same 690 people. heart's oldpeak is divided by 10; whether 71 of its 270 values are 0.1 to 0.6
  or 1.0 to 6.0 cannot be told.
- Faces: 10, 20, …, 640 and all 644 pixels. UCI: every number of features. The theorems and the rounds: every m.
- A round is one pass of steps 2 to 4 of the paper's Table 2; the last one changes nothing. Ratios that differ by less
  than 1e-9 of their value are equal. Features that are constant in the training samples are left out of these counts,
  which was decided on a first split (of seed 1000): by the letter of Eq. 8 they are free, see the statements.
"""


def measure(quick: bool, n_trials: int) -> Run:
    """All trials; of three small sets if quick."""
    datasets = QUICK if quick else DATASETS
    found = run_trials(trial, Run.keys(datasets, n_trials))
    return Run(found.values, found.seconds, datasets, n_trials)


def section(run: Run, n_trials: int) -> str:
    """The section of RESULTS.md."""
    choices = CHOICES.format(seeds=span(fresh_seeds(n_trials)))
    parts = [
        "## Trace ratio (AAAI 2008)\n",
        f"{ran_with()}: {n_trials} splits of every set, {run.seconds:.0f} s of processor time. All numbers are"
        " measured: the paper prints curves only. Remake with `python papers/trace_ratio.py`.",
        choices,
        data_text(run),
        "### Statements\n",
        claims_text(claims(run)),
        "### Figures 2 and 3: accuracy\n",
        "Mean accuracy over all numbers of features but all. **Bold**: the better of F and S where they differ over the"
        f" splits (paired t-test of these means, p < {SIGNIFICANT}; splits overlap, so p is too small). Cases: numbers"
        " of features where the mean of S is better / equal / worse.\n",
    ]
    for scaling in SCALINGS:
        parts += [f"{scaling.capitalize()}:\n", accuracy_text(run, scaling)]
        if scaling in PICTURES and set(run.datasets) == set(DATASETS):
            parts.append(_picture(f"1NN accuracy against the number of features, {scaling}", PICTURES[scaling]))
    parts += ["All cases, and in brackets the mean difference:\n", cases_text(run)]
    parts += [f"### Random subsets ({RANDOM_SUBSETS} in each split)\n", _RANDOM, random_text(run)]
    if "UMIST" in run.datasets:
        parts += ["### Figure 4: score of the chosen subset, UMIST, raw\n", scores_text(run)]
        parts.append(_picture("Score of the chosen subset against its size, UMIST", SCORES_PICTURE))
    parts += ["### Theorems and rounds\n", _COUNTS, counts_text(run), rounds_text(run)]
    parts += ["### What a raw score rewards\n", _SPREAD, spread_text(run)]
    return "\n".join(parts)


_RANDOM = (
    "Accuracy of random subsets next to the chosen ones of the same size (not in the paper), and the rank correlation"
    " of score and accuracy over the random ones.\n"
)
_COUNTS = (
    "All numbers m below all features, every split. All subsets were looked at where there are at most 20 features."
    " *Another end*: the iteration written out from the paper's Table 2 ends at another ratio than the library.\n"
)
_SPREAD = (
    "Mean place of the chosen features among all by standard deviation, raw (1: the largest, near 0: the smallest, 0.5:"
    " no preference), with a quarter of the features.\n"
)


def _picture(caption: str, file: str) -> str:
    return f"![{caption}](../docs/images/{file})\n"


def summarise(run: Run, n_trials: int) -> Summary:
    """For the first page; draws the pictures."""
    for scaling, file in PICTURES.items():
        draw_accuracies(run, scaling, file)
    draw_scores(run, SCORES_PICTURE)
    protocol = (
        f"{n_trials} splits ({span(fresh_seeds(n_trials))}), 30 (faces: 5) training samples per class, 1NN on the rest"
    )
    return Summary("Trace ratio (AAAI 2008)", [], claims(run), PICTURES[RAW], CAPTION, protocol)


if __name__ == "__main__":
    run_script("trace_ratio", __doc__, TRIALS, measure, section, summarise)

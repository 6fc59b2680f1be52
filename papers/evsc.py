"""Tables 2 to 5 and Figures 1 to 5 of EVSC (ICML 2011), and its statements, published next to measured.

    python papers/evsc.py [--quick] [--trials N] [--notes-only]

Reads ../shared/data, seen from the project root (skips if it is not there) and rewrites its section of
papers/RESULTS.md and its pictures. ``--quick`` is a smoke test: one trial of the smallest set, printed and not written.
Trials are kept under build/papers; a run that was stopped goes on where it was.
"""

from __future__ import annotations

import evsc_tables as tables
import numpy as np
import published
from common import ran_with, run_script
from evsc_claims import claims
from evsc_figures import PICTURE, draw
from evsc_run import TITLES, Run, measure
from evsc_trials import METHODS, RAW, RUNS
from summary import Comparison, Summary, claims_text
from trials import FIRST_SEED, span

TRIALS = 5
CAPTION = (
    "EVSC, Tables 2 to 5 on the three sets that are at hand: published, measured by the protocol, and the Jaccard "
    "scores with one neighbour"
)

CHOICES = """
The same for all data sets:

- GLA-BRA and CLL-SUB could not be had. GLIOMA and Prostate-GE stand in for them and have no published numbers.
- Values as in the files: no scaling, no centring (one table at the end standardises).
- RBF between all pairs of samples, `exp(-d²/2σ²)`, σ the median distance, for all three methods. The paper chose its
  parameter by cross-validation and does not say which value it took.
- SPEC: φ1 with γ(λ) = λ. The paper does not say which ranking function it took. EVSC: all eigenvalues.
- k-means: as many clusters as classes, random samples as first centres, the best of {runs} runs by *accuracy*, as in
  the paper. This looks at the labels; a table below takes the run of lowest inertia, as k-means itself would. Accuracy
  is after the best one-to-one map of clusters to classes.
- A trial is {runs} such runs with seeds of its own; ± is the standard error over {trials} trials. Rankings, and with
  them the Jaccard scores, have no randomness.
- Jaccard score: 5 nearest neighbours by largest inner product, the sample itself left out, in the chosen and in all
  features (the paper's number of neighbours is not given). The numbers with 1 neighbour were added after the tables
  were seen.
- All numbers are means over the 100, 200, …, 1900 best (or worst) features. "Random" takes features at random, another
  draw in each trial: what a ranking must beat.
- Turning point: `eigenselect.selection.knee`, where the falling curve of scores is furthest from the line between its
  ends; of all scores, and of the leading 2000, which are what Figure 4 shows. The paper does not say how it found its.
"""


def variance_text(run: Run) -> str:
    """How far a ranking is one by variance."""
    lines = []
    for name in METHODS:
        shares = ", ".join(f"{d} {run.facts[d, RAW]['variance'][name]:+.3f}" for d in run.datasets)
        lines.append(f"- Rank correlation of {name} with a ranking by variance, largest first: {shares}")
    return "\n".join(lines) + "\n"


def section(run: Run, n_trials: int) -> str:
    """The whole section of RESULTS.md."""
    intro = (
        f"{ran_with()}: {n_trials} trials, {run.seconds:.0f} s in all trials on cores shared with others. Cells are "
        "`published / measured`. Remake with `python papers/evsc.py`.\n"
    )
    choices = CHOICES.format(runs=RUNS, trials=n_trials).lstrip()
    counted = f"### The paper's statements, counted\n\n{claims_text(claims(run))}\n{variance_text(run)}"
    picture = f"![{CAPTION}](../docs/images/{PICTURE})\n"
    parts = ["## EVSC (ICML 2011)\n", intro, choices, tables.data_text(run), counted, picture]
    parts += [tables.table_text(number, run) for number in TITLES]
    others = (tables.search_text, tables.neighbours_text, tables.figures_text, tables.turning_text)
    others += (tables.good_and_bad_text, tables.inertia_text, tables.overlap_text, tables.standardised_text)
    return "\n".join([*parts, *(text(run) for text in others)])


def summarise(run: Run, n_trials: int) -> Summary:
    """The numbers for the first page; draws the pictures."""
    draw(run)
    same = [[published.EVSC_SIZES[d] == tuple(run.facts[d, RAW]["shape"])] * len(METHODS) for d in run.printed]
    compared = []
    for number, (title, _, _) in TITLES.items():
        old, new = run.cells(number)
        compared.append(Comparison.of(f"EVSC {title}", old, np.array(new), same))
    kmeans_seeds = range(FIRST_SEED * RUNS, (FIRST_SEED + n_trials) * RUNS)
    return Summary(
        "EVSC (ICML 2011)",
        compared,
        claims(run),
        PICTURE,
        CAPTION,
        f"{n_trials} trials of ten k-means runs ({span(kmeans_seeds)}), means over 100 to 1900 features, 5 neighbours "
        "by inner product",
    )


if __name__ == "__main__":
    run_script("evsc", __doc__, TRIALS, measure, section, summarise)

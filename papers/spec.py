"""The tables and figures of SPEC (ICML 2007) and of chapter 2 of the dissertation (2010), published next to measured.

    python papers/spec.py [--quick] [--trials N] [--notes-only]

Reads ../shared/data, seen from the project root (skips if it is not there) and rewrites its section of
papers/RESULTS.md, its summary and its pictures. ``--quick`` is a smoke test: one trial of the small sets, printed and
not written.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import spec_search
from common import ran_with, run_script
from spec_claims import table_claims
from spec_figures import draw_all
from spec_settings import settings_text
from spec_study_claims import study_claims
from spec_synthetic import DRAWS, Clusters, Perturbation, perturbed, three_clusters
from spec_tables import CHOSEN, TABLES, Run, blank_text, comparisons, data_text, protocols_text, table_text
from spec_trials import FILES, SHARES, TEXT, trial
from summary import Claim, Summary, claims_text
from threadpoolctl import threadpool_limits
from trials import Key, fresh_seeds, run_trials, span

TRIALS = 10
TITLE = "SPEC (ICML 2007) and dissertation chapter 2"

CHOICES = """
The papers leave much open. What was taken before any number was seen (the first look, of seeds 0 to 9):

- A trial is a random stratified split; features are selected on the training samples, 1NN learns on them and is tested
  on the others. Features are used as given: no scaling, no tf-idf, no centring. (ReliefF divides by ranges.)
- RBF: 10-NN graph (i near j or j near i), `exp(-d²/2σ²)`, σ the median length of the graph's edges. φ3: k = number of
  classes. ReliefF and Eq. 12 (R): 10 neighbours per class, all of a class where it has fewer.
- 1NN: Euclidean; of equally near training samples the first in the order of the split, of columns with equal scores the
  first. COLON is `colon_alon_raw.npz`, the intensities. RELATHE labels as published by ASU.

What was chosen after seeing results, on seeds 0 to 9 (of the text sets 0 to 3), and is therefore reported on fresh
ones, {seeds}:

- Two thirds of the samples are for training, in place of half.
- The rows DIJ and DIF are both an RBF of the number of hops in the 10-NN graph (`Geodesic(weight="hops")`), in place of
  path lengths (DIJ) and `exp(-L)` of the RBF-weighted graph (DIF). `exp(-L)` of the graph with binary weights is the
  third reading, "binary".
- φ3 with class labels takes the classes' indicators as eigenvectors, the last of them in the place of the trivial one.
  The library's rule, contrasts between classes, stays what it is, and is the first protocol's column.
- ReliefF takes features as they are, Euclidean neighbours and squared differences, the form that the papers' Eq. 12
  stands for (`ReliefF(difference="squared")`), in place of absolute differences by range.

Protocol and rules of statements were committed before these seeds were run, and nothing of them was changed after.
(Seeds 1000 to 1009 had been run with the first three choices; then rules of statements were changed, and ReliefF was
looked into, on seeds 0 to 9.) Both protocols, **half, lengths** and **two thirds, hops**, ran on the same seeds; cells
are `published / half, lengths / two thirds, hops`.
"""


class Measured(NamedTuple):
    """The trials of the tables, the settings that were tried, and the draws of the made-up studies."""

    run: Run
    searched: dict[Key, Any]
    clusters: list[Clusters]
    draws: list[Perturbation]

    def claims(self) -> list[Claim]:
        """Every statement of both papers."""
        return [*table_claims(self.run, CHOSEN), *study_claims(self.clusters, self.draws)]


def measure(quick: bool, n_trials: int) -> Measured:
    """All trials of all data sets, those of the chosen protocol first; of the small ones if quick."""
    seeds = tuple(fresh_seeds(n_trials))
    names = [name for name in FILES if not (quick and name in TEXT)]
    keys = [(name, share, seed) for share in reversed(SHARES) for seed in seeds for name in names]
    found = run_trials(trial, keys)
    searched = run_trials(spec_search.trial, [] if quick else spec_search.keys(names))
    studies = fresh_seeds(3 if quick else DRAWS)
    with threadpool_limits(1):
        clusters, draws = [three_clusters(seed) for seed in studies], [perturbed(seed) for seed in studies]
    return Measured(Run(found.values, seeds), searched.values, clusters, draws)


def section(found: Measured, n_trials: int) -> str:
    """The whole section of RESULTS.md."""
    run = found.run
    intro = (
        f"{ran_with()}: {n_trials} trials of every cell{_spread(run)}. Numbers are 1NN accuracies. Remake with "
        "`python papers/spec.py`.\n"
    )
    parts = [f"## {TITLE}\n", intro, CHOICES.format(seeds=span(run.seeds)).lstrip(), data_text(run)]
    parts += ["### All readings, compared\n", protocols_text(run), _picture("papers_spec", CAPTIONS)]
    parts += [*(table_text(table, run) for table in TABLES), settings_text(found.searched), blank_text(run)]
    parts += ["### Figures\n", *(_picture(name, CAPTIONS) for name in CAPTIONS if name != "papers_spec")]
    parts += ["### The papers' statements, counted\n", claims_text(found.claims())]
    return "\n".join(parts)


CAPTIONS = {
    "papers_spec": "Every cell of the four tables but SEPER's, published against measured, under both protocols",
    "papers_spec_icml": "ICML Figure 2 made again (two thirds, DIF read as hops): accuracy by number of features",
    "papers_spec_eigenvectors": "Dissertation Figure 2.2 made again: contours of eigenvectors over three clusters; "
    "the published figure has no numbers",
    "papers_spec_perturbation": "Dissertation Figure 2.3 made again, the first draw: noise in the graph",
    "papers_spec_unsupervised": "Dissertation Figure 2.4 made again (two thirds, hops): accuracy by number of "
    "features; SEPER is a stand-in",
    "papers_spec_supervised": "Dissertation Figure 2.5 made again (two thirds): the same with labels",
}


def _picture(name: str, captions: dict[str, str]) -> str:
    return f"![{captions[name]}](../docs/images/{name}.png)\n\n*{captions[name]}.*\n"


def _spread(run: Run) -> str:
    """The standard error of a cell, over the trials."""
    if len(run.seeds) < 2:
        return ""
    errors = []
    for name in run.datasets:
        curves = [list(one.values()) for one in run.found(name, CHOSEN.share, "accuracy")]
        errors.append(np.std(curves, axis=0, ddof=1).ravel() / np.sqrt(len(run.seeds)))
    every = np.concatenate(errors)
    return f"; standard error of a mean: {np.median(every):.3f} (median), {every.max():.3f} (largest)"


def summarise(found: Measured, n_trials: int) -> Summary:
    """What the first page says; draws the pictures."""
    draw_all(found.run, found.clusters[0], found.draws[0])
    return Summary(
        TITLE,
        comparisons(found.run, CHOSEN),
        found.claims(),
        "papers_spec.png",
        CAPTIONS["papers_spec"],
        f"{n_trials} stratified splits, two thirds for training, {span(found.run.seeds)}",
    )


def main() -> None:
    """Run the trials and write, or with ``--quick`` print, the section of RESULTS.md."""
    run_script("spec", __doc__, TRIALS, measure, section, summarise)


if __name__ == "__main__":
    main()

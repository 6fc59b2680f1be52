"""Which method? Held-out accuracy of every method on every labelled set at hand, into the tables of docs/choosing.md.

    python papers/choosing.py [--quick] [--trials N]

A trial is one draw of three folds of one set (papers/choosing_trials.py says what is done in it). Reads ../shared/data,
seen from the project root (skips if it is not there). ``--quick``: two small sets, printed and not written.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from choosing_trials import CLASSIFIERS, METHODS, RANDOM, SETS, SIZES, trial
from common import DATA, ROOT, markdown
from numpy.typing import NDArray
from trials import run_trials

PAGE = ROOT / "docs" / "choosing.md"
BEGIN, END = "<!-- papers/choosing.py begins -->", "<!-- papers/choosing.py ends -->"
TRIALS = 3
QUICK = ("GLIOMA.mat", "ms_breast_tcga.npz")
FIFTY = SIZES.index(50)  # the column of the nearest neighbour in 50 features

#: means of all measurements of a method: set × draw of folds × (classifier, size)
Found = NDArray[np.float64]


def measure(files: list[str], n_trials: int) -> dict[str, list[dict[str, Any]]]:
    """What the trials of each set returned."""
    made = run_trials(trial, [(file, seed) for file in files for seed in range(n_trials)])
    return {file: [made.values[file, seed] for seed in range(n_trials)] for file in files}


def found_by(results: dict[str, list[dict[str, Any]]], kind: str, name: str) -> Found:
    """All accuracies of a method."""
    return np.array([[one["means"][kind][name] for one in draws] for draws in results.values()])


def chance(results: dict[str, list[dict[str, Any]]]) -> Found:
    """All accuracies of random features."""
    return found_by(results, RANDOM, RANDOM)


def table_of(kind: str, results: dict[str, list[dict[str, Any]]]) -> str:
    """Mean accuracies over sets and draws, and on how many sets a method beats random features (1NN, 50 features)."""
    header = ["method", *(f"{model}, {size}" for model in CLASSIFIERS for size in SIZES), "better than random"]
    anyhow, rows = chance(results), []
    for name in METHODS[kind]:
        found = found_by(results, kind, name)
        beats = int((found.mean(axis=1)[:, FIFTY] > anyhow.mean(axis=1)[:, FIFTY]).sum())
        rows.append([name, *_numbers(found), f"{beats} of {len(found)}"])
    return markdown(header, [*rows, [RANDOM, *_numbers(anyhow), ""]])


def _numbers(found: Found) -> list[str]:
    return [f"{value:.3f}" for value in found.mean(axis=(0, 1))]


def by_data_text(results: dict[str, list[dict[str, Any]]]) -> str:
    """Mean gain over random features, by what the sets are: the nearest neighbour in 50 features."""
    parts = {what: [list(results).index(file) for file in files if file in results] for what, files in SETS.items()}
    parts = {what: rows for what, rows in parts.items() if rows}
    anyhow, body = chance(results)[:, :, FIFTY].mean(axis=1), []
    for kind, methods in METHODS.items():
        for name in methods:
            gain = found_by(results, kind, name)[:, :, FIFTY].mean(axis=1) - anyhow
            body.append([f"{name} ({kind})", *(f"{gain[rows].mean():+.3f}" for rows in parts.values())])
    sets = (f"{what} ({len(rows)} {'set' if len(rows) == 1 else 'sets'})" for what, rows in parts.items())
    return markdown(["method", *sets], body)


def spread_text(results: dict[str, list[dict[str, Any]]]) -> str:
    """How much another draw of the folds changes the mean of a column: its deviation over the draws."""
    all_found = [found_by(results, kind, name) for kind, methods in METHODS.items() for name in methods]
    if all_found[0].shape[1] < 2:
        return ""
    spreads = [found.mean(axis=0).std(axis=0, ddof=1) for found in all_found]
    return (
        f"A mean over the sets has a standard deviation of {np.median(spreads):.3f} (median; largest "
        f"{np.max(spreads):.3f}) from one draw of the folds to another."
    )


def section(results: dict[str, list[dict[str, Any]]]) -> str:
    """The tables of all kinds, and what they were measured on."""
    sets = ", ".join(
        f"{Path(file).stem} ({draws[0]['shape'][0]} × {draws[0]['shape'][1]}, {draws[0]['classes']} classes)"
        for file, draws in results.items()
    )
    parts = [f"### {kind.capitalize()}\n\n{table_of(kind, results)}" for kind in METHODS]
    parts += [f"### By what the table holds: gain over random features, 1NN, 50 features\n\n{by_data_text(results)}"]
    n_draws = len(next(iter(results.values())))
    return "\n".join(parts) + (
        f"\n{len(results)} sets, {n_draws} draws of three folds each: {sets}. {spread_text(results)} Measured by "
        "`papers/choosing.py`; not recomputed by the tests."
    )


def write(text: str) -> None:
    """Put the tables between the two markers of the page."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")
    print(f"wrote {PAGE}")


def main() -> None:
    """Measure what is not kept yet, and write or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two small sets, printed and not written")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"draws of folds (default {TRIALS})")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        print(f"skipped: the data sets are not in {DATA}")
        return
    files = list(QUICK) if arguments.quick else [file for files in SETS.values() for file in files]
    text = section(measure(files, 1 if arguments.quick else arguments.trials))
    print(text) if arguments.quick else write(text)


if __name__ == "__main__":
    main()

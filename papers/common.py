"""What the scripts of this folder share: reading data sets, 1NN, markdown, and their sections of RESULTS.md."""

from __future__ import annotations

import argparse
import importlib
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.io import loadmat
from sklearn.neighbors import KNeighborsClassifier

from eigenselect import __version__

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
RESULTS = ROOT / "papers" / "RESULTS.md"
NOTES_TITLE = "### What holds and what does not"


def load(file: str, *, text: bool = False) -> tuple[Any, NDArray[Any]]:
    """The samples (CSR for text, else dense) and the labels of a file of DATA."""
    path = DATA / file
    if path.suffix == ".mat":
        content = loadmat(path)
        X, y = content["X"].astype(np.float64), content["Y"].ravel()
    else:
        with np.load(path) as content:
            y = content["y"]
            if "indptr" in content:
                parts = content["data"].astype(np.float64), content["indices"], content["indptr"]
                X = sparse.csr_matrix(parts, shape=tuple(content["shape"]))
            else:
                X = content["X"].astype(np.float64)
    return (sparse.csr_matrix(X) if text else X), y


def one_nn(X: Any, y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp]) -> float:
    """Accuracy of the nearest neighbour."""
    model = KNeighborsClassifier(1, algorithm="brute").fit(X[train], y[train])
    return float(model.score(X[test], y[test]))


def markdown(header: list[str], rows: Iterable[list[str]]) -> str:
    """A markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def ran_with() -> str:
    """Day and version, for the first line of a section."""
    return f"Run on {datetime.now(UTC):%Y-%m-%d} with eigenselect {__version__}"


@dataclass(frozen=True)
class Report:
    """The section of one script in RESULTS.md, between its two markers, with the notes that are written by hand."""

    script: str  # "spec" for spec.py and spec_notes.md

    @property
    def begin(self) -> str:
        """The line before the section."""
        return f"<!-- {self.script}.py begins -->"

    @property
    def end(self) -> str:
        """The line after the section."""
        return f"<!-- {self.script}.py ends -->"

    def with_notes(self, text: str) -> str:
        """The section with what was written about it by hand, in place of earlier notes."""
        path = RESULTS.with_name(f"{self.script}_notes.md")
        notes = path.read_text(encoding="utf-8") if path.exists() else ""
        return f"{text.split(NOTES_TITLE)[0].rstrip()}\n\n{NOTES_TITLE}\n\n{notes}"

    def written(self) -> str:
        """The section as it stands in RESULTS.md."""
        return RESULTS.read_text(encoding="utf-8").split(self.begin, 1)[1].split(self.end, 1)[0].strip()

    def write(self, text: str) -> None:
        """Put the section into RESULTS.md, in place of an earlier one."""
        block = f"{self.begin}\n{text.rstrip()}\n{self.end}\n"
        old = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else "# Published and measured\n\n"
        if self.begin in old and self.end in old:
            before, rest = old.split(self.begin, 1)
            RESULTS.write_text(before + block.rstrip("\n") + rest.split(self.end, 1)[1], encoding="utf-8")
        else:
            RESULTS.write_text(old.rstrip() + "\n\n" + block, encoding="utf-8")


def run_script(
    script: str,
    doc: str | None,
    trials: int,
    measure: Callable[[bool, int], Any],
    section: Callable[[Any, int], str],
    summarise: Callable[[Any, int], Any] | None = None,
) -> None:
    """The command line of a script: run the trials and write, or with ``--quick`` print, its section.

    ``measure`` takes whether it is the quick run and the number of trials; ``section`` and ``summarise`` take what it
    returns and the number of trials; they return the text and the `summary.Summary`.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one trial of the small sets, printed and not written")
    parser.add_argument("--trials", type=int, default=trials, help=f"trials per data set (default {trials})")
    parser.add_argument("--notes-only", action="store_true", help=f"run nothing; take in {script}_notes.md again")
    arguments = parser.parse_args()
    report = Report(script)
    if arguments.notes_only:
        report.write(report.with_notes(report.written()))
        return
    if not DATA.is_dir():
        print(f"skipped: the data sets are not in {DATA}")
        return
    warnings.filterwarnings("ignore", category=UserWarning)  # small classes, constant columns: see the choices
    n_trials = 1 if arguments.quick else arguments.trials
    run = measure(arguments.quick, n_trials)
    text = report.with_notes(section(run, n_trials))
    if arguments.quick:
        print(text)
        return
    report.write(text)
    if summarise is not None:
        # by name: an import would make the first page a part of every trial (trials.fingerprint), and this file is
        # imported by it
        importlib.import_module("summary").write_summary(script, summarise(run, n_trials))
    print(f"wrote {RESULTS}")

"""The tables of msfs.py: published next to measured, every set by itself, the sources, and Figure 5.5c in numbers."""

from __future__ import annotations

import numpy as np
import published_msfs as published
from common import markdown
from msfs_data import ALL, LISTED, TWO, UNTOLD, Study, study_of
from msfs_run import FIVE, FloatArray, Run, counterpart, more_than_two
from msfs_trials import EQUAL, LABELLED, LEARNED, SHARES, SIZES, mixture


def with_error(values: FloatArray, sign: str = "") -> str:
    """Mean ± standard error over trials."""
    error = f" ± {np.std(values, ddof=1) / np.sqrt(values.size):.3f}" if values.size > 1 else ""
    return f"{values.mean():{sign}.3f}{error}"


def measured_rows(run: Run, rows: dict[str, list[float]], tested: str, learned: str) -> dict[str, FloatArray]:
    """Of each published row, sets × sizes: means over trials on the sets with the chapter's five sources."""
    studies = [study for study in FIVE if study in run.trials]
    found = {}
    for row in rows:
        here = counterpart(row, learned)
        found[row] = np.array([run.accuracy(study, here, tested, learned).mean(axis=0) for study in studies])
    return found


def next_to_published(run: Run, title: str, rows: dict[str, list[float]], tested: str, learned: str) -> str:
    """A published table of accuracies, next to the sets with five sources."""
    body = []
    for row, here in measured_rows(run, rows, tested, learned).items():
        cells = [[f"{old:.2f}", *(f"{value:.2f}" for value in new)] for old, new in zip(rows[row], here.T, strict=True)]
        ave = [f"{np.mean(rows[row]):.2f}", *(f"{value:.3f}" for value in here.mean(axis=1))]
        body.append([row, *(" / ".join(cell) for cell in [*cells, ave])])
    return f"### {title}\n\n{markdown(['', *map(str, SIZES), 'Ave'], body)}"


def published_text(run: Run) -> str:
    """The chapter's three tables of accuracies."""
    if not any(study in run.trials for study in FIVE):
        return ""
    tables = [
        ("Tables 5.4 and 5.5, 2C-DATA / NCI60 / breast TCGA (two classes)", published.ACCURACY_2C, TWO, TWO),
        ("Table 5.4, 4C-DATA / NCI60 / breast TCGA (three classes)", published.ACCURACY_4C, ALL, ALL),
        ("Table 5.5, lower half: genes chosen for two classes, tested on more", published.TRANSFER, ALL, TWO),
    ]
    note = "\nOTHER DATA: cells are `published / NCI60 / breast TCGA`.\n"
    return note + "\n" + "\n".join(next_to_published(run, *table) for table in tables)


def hits_text(run: Run) -> str:
    """Known cancer genes among the chosen ones, mean over 2, 5, 10, 20, 30."""
    studies = [study for study in run.trials if study_of(study).cancer]
    if not studies:
        return ""
    rows = dict.fromkeys(row for study in studies for row in run.rows(study))
    body = []
    for row in rows:
        cells = [printed_hits(row)]
        for study in studies:
            pair = (run.hit_ratio(study, row, TWO, of) for of in (LISTED, UNTOLD)) if run.has(study, row) else ()
            cells.append(" / ".join(f"{value:.2f}" for value in pair) or "-")
        body.append([row, *cells])
    chance = [
        " / ".join(f"{np.mean(SIZES) * mask.mean():.2f}" for mask in study_of(s).cancer.values()) for s in studies
    ]
    body.append(["expected of random genes", "-", *chance])
    counts = (" / ".join(str(int(mask.sum())) for mask in study_of(s).cancer.values()) for s in studies)
    body.append(["genes (probes) of the target on the list", "-", *counts])
    title = "### Hit ratios: known cancer genes among the chosen, mean over 2, 5, 10, 20, 30 genes"
    note = "Cells are `on the list / on it and named by neither function nor pathway`. Rows with labels: two classes.\n"
    return f"{title}\n\n{note}\n{markdown(['', 'printed, 2C-DATA (IPA)', *studies], body)}"


def printed_hits(row: str) -> str:
    """The chapter's average of a row here, if it has one."""
    for name, values in published.HITS_2C.items():
        if counterpart(name, TWO) == row:
            return f"{np.mean(values):.1f}"
    return "-"


def study_text(run: Run, study: Study) -> str:
    """One set: all rows, tested with every class definition."""
    definitions, body = run.definitions(study.name), []
    rows = run.rows(study.name)
    best = {
        d: max((r for r in rows if r not in LABELLED), key=lambda row, d=d: run.ave(study.name, row, d).mean())
        for d in definitions
    }
    for row in rows:
        cells = []
        for tested in definitions:
            text = with_error(run.ave(study.name, row, tested))
            cells.append(f"**{text}**" if row == best[tested] else text)
            base = run.ave(study.name, study.target, tested)
            cells.append("-" if row == study.target else with_error(run.ave(study.name, row, tested) - base, "+"))
        if ALL in definitions:
            cells.append(with_error(run.ave(study.name, row, ALL, TWO)) if row in LABELLED else "as all classes")
        body.append([row, *cells, f"{run.one_sample(study.name, row, definitions[0]):.2f}"])
    whole = [part for tested in definitions for part in (with_error(run.everything(study.name, tested)), "-")]
    body.append(["all features", *whole, *["-"] * (1 + (ALL in definitions))])
    header = [part for tested in definitions for part in (tested, f"minus {study.target}")]
    header += ["learned from two, tested on all"] * (ALL in definitions)
    return f"### {title_of(run, study)}\n\n{markdown(['', *header, 'in one sample'], body)}"


def title_of(run: Run, study: Study) -> str:
    """The name of a study, its sizes, and what of its knowledge could be used."""
    sizes = ", ".join(f"{name} {table.shape[1]}" for name, table in study.tables.items())
    counts = ", ".join(map(str, np.bincount(study.y)))
    notes = "".join(f"; {note}" for note in run.trials[study.name][0]["notes"])
    return f"{study.name}: {study.y.size} samples (classes of {counts}), columns: {sizes}{notes}"


def sources_text(run: Run) -> str:
    """What was learned, and how good each source's similarity is by itself; two classes."""
    body = []
    for study in run.trials:
        names = study_of(study).source_names
        for place, source in enumerate([*names, EQUAL]):
            cells = ["-", "-"]
            if source != EQUAL:
                weights = [run.folds(study, "weights", TWO, row)[:, place] for row in LEARNED.values()]
                cells = [f"{w.mean():.2f} ({w.min():.2f} to {w.max():.2f})" for w in weights]
            agree = [f"{run.folds(study, 'neighbours', d, source).mean():.3f}" for d in run.definitions(study)]
            body.append([study, source, agree[-1], agree[0] if len(agree) > 1 else "-", *cells])
    header = ["", "source", "nearest sample is of the same class, two classes", "all classes"]
    header += ["weight, discriminant", "weight, alignment"]
    title = "### The sources themselves: nearest neighbours among the training samples, and learned weights"
    note = "Weights, learned from two classes: mean over all folds of all trials (smallest to largest)."
    return f"{title}\n\n{note}\n\n{markdown(header, body)}"


def mixture_text(run: Run) -> str:
    """Figure 5.5c in numbers."""
    studies = more_than_two(run, FIVE)
    body = []
    for share in SHARES:
        cells = (with_error(run.ave(study, mixture(share), tested)) for study in studies for tested in (TWO, ALL))
        body.append([f"{share:.1f}", *cells])
    header = ["share of miRNA", *(f"{study}, {tested}" for study in studies for tested in (TWO, ALL))]
    title = "### Figure 5.5c: miRNA and function in all proportions (the chapter prints no numbers)"
    return f"{title}\n\n{markdown(header, body)}" if studies else ""

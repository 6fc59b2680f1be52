"""The tables of the section on EVSC in RESULTS.md, published next to measured."""

from __future__ import annotations

import numpy as np
import published
from common import markdown
from evsc_neighbours import NEIGHBOURS, gaps
from evsc_run import JACCARD, ONE_NEIGHBOUR, TITLES, Run
from evsc_search import EIGENVALUES, GRAPHS, PROTOCOL, SCALINGS, Tried
from evsc_search import NEIGHBORS as SEARCHED_NEIGHBOURS
from evsc_trials import (
    ACCURACY,
    BEST,
    COSINE,
    EUCLIDEAN,
    EVSC_NAME,
    FILES,
    INERTIA,
    KINDS,
    METHODS,
    RANDOM,
    RAW,
    SIZES,
    STANDARDISED,
    WORST,
)
from summary import standard_error

ALL_OPTIONS = (SCALINGS, GRAPHS, EIGENVALUES, KINDS, SEARCHED_NEIGHBOURS)  # of the search, by part of a setting
NEAR = 0.05  # a setting reaches a set if both its Jaccard scores are this near to the published ones


def data_text(run: Run) -> str:
    """Sizes here and in the paper."""
    body = []
    for name in run.datasets:
        here, there = run.facts[name, RAW]["shape"], published.EVSC_SIZES.get(name)
        body.append([name, f"`{FILES[name]}`", f"{here[0]} × {here[1]}", "{} × {}".format(*there) if there else "-"])
    return markdown(["data set", "file", "here", "paper"], body)


def table_text(number: int, run: Run) -> str:
    """One table, published / measured, with the mean over the sets that are in both."""
    title, measure, end = TITLES[number]
    printed, body = published.EVSC_TABLES[number], []
    for dataset in run.datasets:
        cells = []
        for column, method in enumerate(METHODS):
            values = run.values(measure, end, dataset, method)
            old = f"{printed[dataset][column]:.3f}" if dataset in printed else "-"
            new = f"{values.mean():.3f}" + (f" ± {standard_error(values):.3f}" if measure == ACCURACY else "")
            one = f" / {run.mean(ONE_NEIGHBOUR, end, dataset, method):.3f}" if measure == JACCARD else ""
            cells.append(f"{old} / {new}{one}")
        body.append([dataset, *cells, *_others(run, dataset, measure)])
    if run.printed:
        body.append(_mean_row(run, number))
    header = ["", *METHODS, "random features"] + (["all features"] if measure == ACCURACY else [])
    cells_are = "\nCells: published / 5 neighbours (the protocol) / 1 neighbour.\n" if measure == JACCARD else ""
    return f"### {title}\n{cells_are}\n{markdown(header, body)}{_gap_text(run, number)}"


def _others(run: Run, dataset: str, measure: str) -> list[str]:
    """What random features give, and what k-means does without selection; the Jaccard score is then 1."""
    if measure != ACCURACY:
        both = (run.mean(name, BEST, dataset, RANDOM) for name in (JACCARD, ONE_NEIGHBOUR))
        return [" / ".join(f"{value:.3f}" for value in both)]
    everything = np.mean([one["everything"] for one in run.found[dataset]])
    return [f"{run.mean(measure, BEST, dataset, RANDOM):.3f}", f"{everything:.3f}"]


def _mean_row(run: Run, number: int) -> list[str]:
    measures = (None, ONE_NEIGHBOUR) if TITLES[number][1] == JACCARD else (None,)
    tables = [np.mean(run.cells(number)[0], axis=0), *(np.mean(run.cells(number, one)[1], axis=0) for one in measures)]
    cells = [" / ".join(f"{value:.3f}" for value in column) for column in zip(*tables, strict=True)]
    return [f"**mean of {', '.join(run.printed)}**", *cells, *([""] * (3 - len(measures)))]


def _gap_text(run: Run, number: int) -> str:
    if not run.printed:
        return ""
    old, new = map(np.array, run.cells(number))
    text = f"\nMean absolute difference: {np.abs(old - new).mean():.3f} over the {old.size} cells of same-sized data"
    if TITLES[number][1] == JACCARD:
        one = np.array(run.cells(number, ONE_NEIGHBOUR)[1])
        text += f"; with one neighbour {np.abs(old - one).mean():.3f}"
    return text + ".\n"


def figures_text(run: Run) -> str:
    """Figures 2 and 3 as numbers: EVSC and the better of the others at some numbers of features."""
    shown = [SIZES.index(size) for size in (100, 500, 900, 1300, 1900)]
    body = []
    for measure, name in ((ACCURACY, "accuracy"), (JACCARD, "Jaccard score")):
        for dataset in run.datasets:
            curves = [run.curves(measure, BEST, dataset, method).mean(axis=0) for method in METHODS]
            cells = (" / ".join(f"{curve[at]:.2f}" for curve in curves) for at in shown)
            body.append([f"{dataset}, {name}", *cells])
    picture = "![Figures 2 and 3 measured](../docs/images/papers_evsc_curves.png)\n"
    title = "### Figures 2 and 3: by number of features (measured; the paper prints no numbers)"
    header = [" / ".join(METHODS), *(f"{SIZES[at]} features" for at in shown)]
    return f"{title}\n\n{picture}\n{markdown(header, body)}"


def turning_text(run: Run) -> str:
    """Figure 4: where the score curve turns, and what is reached there."""
    body = []
    for dataset in run.datasets:
        known = run.facts[dataset, RAW]
        for name, text in (("all", "all scores"), ("leading", "leading 2000")):
            there = np.mean([one["turning point"][name] for one in run.found[dataset]])
            best = [run.curves(measure, BEST, dataset, EVSC_NAME).mean(axis=0).max() for measure in (ACCURACY, JACCARD)]
            jaccard = known["jaccard there"][name]
            cells = [f"{there:.3f} of {best[0]:.3f}", f"{jaccard:.3f} of {best[1]:.3f}"]
            body.append([f"{dataset}, {text}", str(known["turning point"][name]), *cells])
    header = ["knee of", "features", "accuracy there, of the best on the curve", "Jaccard score there, of the best"]
    picture = "![Figure 4 measured](../docs/images/papers_evsc_turning.png)\n"
    title = "### Figure 4: the turning point of the EVSC scores (`eigenselect.selection.knee`, measured)"
    return f"{title}\n\n{picture}\n{markdown(header, body)}"


def good_and_bad_text(run: Run) -> str:
    """Figure 5: the picture; its numbers are the differences of the tables."""
    body = []
    for measure, (good, bad) in ((ACCURACY, (2, 4)), (JACCARD, (3, 5))):
        cells = []
        for column, method in enumerate(METHODS):
            old = published.EVSC_TABLES[good]["Ave"][column] - published.EVSC_TABLES[bad]["Ave"][column]
            new = [run.mean(measure, BEST, d, method) - run.mean(measure, WORST, d, method) for d in run.datasets]
            cells.append(f"{old:+.3f} / {np.mean(new):+.3f}")
        body.append([f"Table {good} less Table {bad}", *cells])
    picture = "![Figure 5 measured](../docs/images/papers_evsc_good_bad.png)\n"
    title = "### Figure 5: best less worst features, mean of the paper's five sets / of the five here"
    return f"{title}\n\n{picture}\n{markdown(['', *METHODS], body)}"


def inertia_text(run: Run) -> str:
    """The accuracy of the run that k-means takes by itself."""
    body = [
        [dataset, *(f"{run.mean(INERTIA, BEST, dataset, name):.3f}" for name in [*METHODS, RANDOM])]
        for dataset in run.datasets
    ]
    title = "### Clustering accuracy of the run with the lowest inertia, best features (measured)"
    return f"{title}\n\n{markdown(['', *METHODS, 'random features'], body)}"


def overlap_text(run: Run) -> str:
    """The Jaccard score if neighbours are taken by cosine or by distance."""
    body = []
    for dataset in run.datasets:
        kinds = [f"{kind}, 5" for kind in (COSINE, EUCLIDEAN)]
        means = ([run.mean(kind, BEST, dataset, name) for kind in kinds] for name in [*METHODS, RANDOM])
        body.append([dataset, *("{:.3f}, {:.3f}".format(*pair) for pair in means)])
    title = "### Jaccard score by other neighbours: cosine, Euclidean distance, best features (measured)"
    note = "Added after Table 3 was seen, to learn how much hangs on the inner product.\n"
    return f"{title}\n\n{note}\n{markdown(['', *METHODS, 'random features'], body)}"


def standardised_text(run: Run) -> str:
    """Accuracy and Jaccard score if every feature has mean 0 and variance 1, one trial."""
    body = []
    for dataset in run.datasets:
        jaccard = run.facts[dataset, STANDARDISED]["jaccard"]
        cells = []
        for name in [*METHODS, RANDOM]:
            key = f"{name}, {BEST}"
            cells.append(f"{np.mean(run.scaled[dataset][key][ACCURACY]):.3f}, {np.mean(jaccard[key][JACCARD]):.3f}")
        body.append([dataset, *cells])
    title = "### Standardised features: clustering accuracy, Jaccard score, best features (measured, one trial)"
    return f"{title}\n\n{markdown(['', *METHODS, 'random features'], body)}"


def published_pair(dataset: str) -> tuple[float, float]:
    """EVSC's cells of Tables 3 and 5."""
    column = list(METHODS).index(EVSC_NAME)
    return published.EVSC_TABLES[3][dataset][column], published.EVSC_TABLES[5][dataset][column]


def reaching(found: list[Tried], printed: tuple[float, float]) -> list[Tried]:
    """The settings whose two Jaccard scores are both near to the published ones."""
    return [one for one in found if abs(one.best - printed[0]) <= NEAR and abs(one.worst - printed[1]) <= NEAR]


def search_text(run: Run) -> str:
    """Which settings come near to the published Jaccard scores of EVSC."""
    if not run.searched:
        return ""
    body = []
    for dataset, found in run.searched.items():
        printed = published_pair(dataset)
        nearest = min(found, key=lambda one: one.distance(printed))
        usual = next(one for one in found if one.setting == PROTOCOL)
        cells = [f"{pair[0]:.3f}, {pair[1]:.3f}" for pair in (printed, (usual.best, usual.worst))]
        near = f"{nearest.best:.3f}, {nearest.worst:.3f}: {', '.join(map(str, nearest.setting))}"
        body.append([dataset, str(len(found)), *cells, f"{len(reaching(found, printed))}", near])
    header = ["", "settings", "published", "protocol", f"settings within {NEAR} of both", "nearest setting"]
    shared = _shared_row(run)
    for dataset, found in run.searched.items():
        if near := reaching(found, published_pair(dataset)):
            shared += f"\nThe {len(near)} settings that reach {dataset} have in common: {common_parts(near)}.\n"
    note = (
        "A search after the tables were seen, one trial (there is no randomness): as given, standardised, 0 to 1, rows "
        "of unit length; RBF of all pairs with σ = 1/4, 1/2, 1, 2, 4 medians, 5-NN and 10-NN with RBF weights, inner "
        "products; all or 10 eigenvalues; 1, 5 or 10 neighbours by inner product, cosine or Euclidean distance. Cells "
        "are EVSC's mean Jaccard scores of best and of worst features (Tables 3 and 5). The protocol stays.\n"
    )
    title = "### Which open setting would give the published Jaccard scores of EVSC?"
    return f"{title}\n\n{note}\n{markdown(header, body)}\n{shared}"


def neighbours_text(run: Run) -> str:
    """How far Tables 3 and 5 are from the published ones, for every number of neighbours."""
    if not run.neighbours:
        return ""
    sets = {"all nine cells": list(run.neighbours)} | {name: [name] for name in run.neighbours}
    body = [
        [str(k), *("{:.3f}, {:.3f}".format(*gaps(run.neighbours, names, k)) for names in sets.values())]
        for k in NEIGHBOURS
    ]
    title = "### Which number of neighbours? Mean absolute difference of Tables 3 and 5, all three methods (measured)"
    return f"{title}\n\n{markdown(['neighbours', *sets], body)}"


def common_parts(found: list[Tried]) -> str:
    """What some settings have in common: the values of each part, where it does not take all of them."""
    parts = []
    for values, options in zip(zip(*(one.setting for one in found), strict=True), ALL_OPTIONS, strict=True):
        if set(values) != set(options):
            parts.append(" or ".join(str(option) for option in options if option in values))
    return ", ".join(parts)


def _shared_row(run: Run) -> str:
    """The one setting that is nearest on all sets together."""
    gaps: dict[tuple[str, str, str, str, int], list[float]] = {}
    for dataset, found in run.searched.items():
        for one in found:
            gaps.setdefault(one.setting, []).append(one.distance(published_pair(dataset)))
    whole = {setting: np.mean(each) for setting, each in gaps.items() if len(each) == len(run.searched)}
    best = min(whole, key=lambda setting: whole[setting])
    return (
        f"Of the {len(whole)} settings that all sets have, the nearest on average is {', '.join(map(str, best))}: mean "
        f"absolute difference {whole[best]:.3f} (the protocol's: {whole[PROTOCOL]:.3f}).\n"
    )

"""The tables of papers/trace_ratio.py, as markdown."""

from __future__ import annotations

import numpy as np
import published_trace_ratio as published
from common import markdown
from trace_ratio_claims import BEST_SINGLE, RANDOM_START, here
from trace_ratio_data import FACES, UCI
from trace_ratio_run import METHODS, PAIRS, SCALINGS, Run
from trace_ratio_trials import FIVE, MIN_MAX, RAW

SIGNIFICANT = 0.05
#: features of the table of Figure 4
SHOWN = (10, 50, 100, 200, 400, 600)


def data_text(run: Run) -> str:
    """Sizes here and in the paper's Table 3, the largest class, and the accuracy with all features."""
    rows = []
    for name in run.datasets:
        classes, total, train, features = here(name)
        same = "the same" if here(name) == published.SIZES[name] else str(published.SIZES[name])
        accuracies = (f"{run.curves(name, scaling, METHODS[0])[:, -1].mean():.3f}" for scaling in SCALINGS)
        rows.append([name, str(classes), str(total), str(train), str(features), same, *accuracies])
    header = ["data set", "classes", "samples", "for training", "features", "published", *_all_features()]
    return markdown(header, rows)


def _all_features() -> list[str]:
    return [f"1NN, all features, {scaling}" for scaling in SCALINGS]


def accuracy_text(run: Run, scaling: str) -> str:
    """Mean accuracy over all numbers of features but all; bold where it is the better of two that differ."""
    rows = [[name, *(_cell(run, name, scaling, method) for method in METHODS)] for name in run.datasets]
    for row, name in zip(rows, run.datasets, strict=True):
        row += [str(run.cases([name], scaling, pair)) for pair in PAIRS]
    return markdown(["", *METHODS, *(f"cases {pair}" for pair in PAIRS)], rows)


def _cell(run: Run, name: str, scaling: str, method: str) -> str:
    level, pair = method.split("-", 1)
    gap = run.gaps(name, scaling, pair).mean() * (1 if level == "S" else -1)
    text = f"{run.curves(name, scaling, method)[:, :-1].mean():.3f}"
    return f"**{text}**" if gap > 0 and run.p_value(name, scaling, pair) < SIGNIFICANT else text


def cases_text(run: Run) -> str:
    """Cases better / equal / worse by figure, scaling and pair; also with five neighbours."""
    rows = []
    for title, names in (("Figure 2, UCI", UCI), ("Figure 3, faces", tuple(FACES))):
        present = [name for name in names if name in run.datasets]
        for scaling in SCALINGS if present else ():
            pairs = (*PAIRS, FIVE) if run.some(name=present[0], scaling=scaling, pair=FIVE) else PAIRS
            cells = [
                f"{run.cases(present, scaling, pair)} ({_mean_gap(run, present, scaling, pair)})" for pair in pairs
            ]
            rows.append([title, scaling, *cells, *["-"] * (3 - len(cells))])
    return markdown(["", "scaling", *(f"S against F, {pair}" for pair in (*PAIRS, FIVE))], rows)


def _mean_gap(run: Run, names: list[str], scaling: str, pair: str) -> str:
    return f"{np.mean([run.gaps(name, scaling, pair).mean() for name in names]):+.4f}"


def random_text(run: Run) -> str:
    """Random subsets of one size next to the chosen ones, and whether their score tells their accuracy."""
    rows = []
    for name in run.datasets:
        for scaling in (RAW, MIN_MAX):
            found = {pair: [one["random"] for one in run.trials(name, scaling, pair)] for pair in PAIRS}
            size = found[PAIRS[0]][0]["size"]
            place = list(run.sizes(name)).index(size)
            accuracy = np.mean([one["accuracy"] for one in found[PAIRS[0]]])
            cells = [f"{run.curves(name, scaling, method)[:, place].mean():.3f}" for method in METHODS]
            correlations = [f"{np.mean([one['correlation'] for one in found[pair]]):+.2f}" for pair in PAIRS]
            rows.append([name, scaling, str(size), f"{accuracy:.3f}", *cells, *correlations])
    return markdown(["", "scaling", "features", "random", *METHODS, *(f"correlation {pair}" for pair in PAIRS)], rows)


def rounds_text(run: Run) -> str:
    """How many runs took how many rounds."""
    most = max(number for start in (RANDOM_START, BEST_SINGLE) for number in run.rounds(start))
    rows = []
    for start in (RANDOM_START, BEST_SINGLE):
        for scaling in SCALINGS:
            for pair in PAIRS:
                found = run.rounds(start, scaling=scaling, pair=pair)
                total = sum(found.values())
                shares = [f"{found[number] / total:.1%}" if found[number] else "-" for number in range(1, most + 1)]
                rows.append([start, scaling, pair, str(total), *shares])
    return markdown(["start", "scaling", "pair", "runs", *map(str, range(1, most + 1))], rows)


def counts_text(run: Run) -> str:
    """The theorems, by scaling and pair."""
    rows = []
    for scaling in SCALINGS:
        for pair in PAIRS:
            count = run.counted(scaling=scaling, pair=pair)
            row = [
                scaling,
                pair,
                f"{count['falls']} of {count['rounds']}",
                f"{count['rises with m']} of {count['runs']}",
            ]
            row += [
                f"{count['not the best']} of {count['brute force']}",
                f"{count['other end']} of {2 * count['runs']}",
            ]
            rows.append([*row, f"{count['F lower'] / count['runs']:.1%}"])
    header = ["scaling", "pair", "λ fell in a round", "λ* rose from m to m + 1", "not the best of all subsets"]
    return markdown([*header, "another end", "F's subset is not the best"], rows)


def scores_text(run: Run) -> str:
    """Figure 4 in numbers."""
    sizes = list(run.sizes("UMIST"))
    rows = []
    for method in METHODS:
        mean = run.curves("UMIST", RAW, method, "score").mean(axis=0)
        rows.append([method, *(f"{mean[sizes.index(m)]:.3f}" for m in SHOWN)])
    return markdown(["score, features", *map(str, SHOWN)], rows)


def spread_text(run: Run) -> str:
    """Where the chosen features stand among all by their standard deviation."""
    rows = []
    for name in run.datasets:
        place = len(run.sizes(name)) // 4
        cells = [f"{run.curves(name, RAW, method, 'spread')[:, place].mean():.2f}" for method in METHODS]
        rows.append([name, str(run.sizes(name)[place]), *cells])
    return markdown(["", "features", *METHODS], rows)

"""The tables of mrsf.py: Tables 4.2 to 4.5 published / measured, the held-out half, Figures 4.1 and 4.2 in numbers."""

from __future__ import annotations

import numpy as np
import published
from common import markdown
from mrsf_run import LOWER, TABLES, Run, among_best, methods_of, printed_in, verdict
from mrsf_time_trials import N_FEATURES
from mrsf_trials import ALL, FILES, HELD_OUT, MOST, RANDOM, SIZES, SUPERVISED, TRAINING, table_of
from scipy import stats

TITLES = {
    "4.2": "accuracy with labels, mean over 10, 20, …, 200 features; higher is better",
    "4.3": "redundancy rate with labels, as many features as training samples; lower is better",
    "4.4, 1 neighbour": "Jaccard score without labels, mean over 10, 20, …, 200 features; higher is better",
    "4.4, 5 neighbours": "Jaccard score without labels, mean over 10, 20, …, 200 features; higher is better",
    "4.5": "redundancy rate without labels, as many features as training samples; lower is better",
}
SHOWN_SIZES = (10, 20, 50, 100, 200)  # of Figure 4.2, in numbers


def both(old: float | None, new: str) -> str:
    """Published / measured."""
    return f"{'-' if old is None else format(old, '.2f')} / {new}"


def row_text(run: Run, table: str, method: str, half: str) -> list[str]:
    """One method: every data set, and the mean over those that are in the chapter."""
    cells, pairs = [], []
    for dataset in run.datasets:
        value, old = run.splits(table, dataset, method, half).mean(), printed_in(table, dataset, method)
        text = f"{value:.2f}" if method not in among_best(run, table, dataset, half) else f"**{value:.2f}**"
        cells.append(both(old, text) if half == TRAINING else text)
        pairs += [(np.nan if old is None else old, value)] * (dataset in run.shared)
    if not pairs:
        return [method, *cells]
    old, value = np.mean(pairs, axis=0)
    mean = both(None if np.isnan(old) else old, f"{value:.2f}") if half == TRAINING else f"{value:.2f}"
    return [method, *cells, mean]


def table_text(run: Run, table: str, half: str = TRAINING) -> str:
    """A table of the chapter; of the held-out half measured values only."""
    names = [*methods_of(table), RANDOM] + ([] if table in LOWER else [ALL])
    shared = run.shared
    header = ["", *run.datasets] + ([f"mean of {shared[0]} to {shared[-1]}"] if shared else [])
    body = markdown(header, (row_text(run, table, name, half) for name in names))
    if half == HELD_OUT:
        return f"### Table {table} on the held-out half (measured)\n\n{body}"
    return f"### Table {table}: {TITLES[table]}\n\n{body}{difference_text(run, table)}"


def cells_of(run: Run, table: str) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The data set of each published cell, its value, and the measured one."""
    keys = [(dataset, method) for dataset in run.shared for method in published.MRSF_TABLES[table]]
    old = np.array([printed_in(table, *key) for key in keys], dtype=float)
    new = np.array([run.splits(table, *key).mean() for key in keys])
    return [dataset for dataset, _ in keys], old, new


def difference_text(run: Run, table: str) -> str:
    """How far the measured cells are from the published ones."""
    _, old, new = cells_of(run, table)
    if not old.size:
        return ""
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
        for dataset in run.datasets:
            sets[verdict(run, table, dataset, other, half)].append(dataset)
        names = "; ".join(f"{word}: {', '.join(found)}" for word, found in list(sets.items())[1:] if found)
        counts = "/".join(str(len(found)) for found in sets.values())
        parts.append(f"{other} {counts}" + (f" ({names})" if names else ""))
    place = "" if half == TRAINING else ", held-out half"
    return f"- Table {table}{place}, sets on which MRSF is better / no different / worse than: {', '.join(parts)}"


def counted_text(run: Run) -> str:
    """MRSF against every method on every set, and how many features it got."""
    lines = []
    for table in TABLES:
        lines.append(against_text(run, table))
        lines += [] if table == "4.2" else [against_text(run, table, HELD_OUT)]
    for target in ("labels", "RBF"):
        found = {dataset: run.entered(dataset, target) for dataset in run.datasets}
        counts = ", ".join(f"{dataset} {min(numbers)} to {max(numbers)}" for dataset, numbers in found.items())
        lines.append(f"- Features that entered MRSF's path of {MOST}, target from {target}: {counts}")
    return "### MRSF against each method\n\n" + "\n".join(lines) + "\n"


def curves_text(run: Run) -> str:
    """Figure 4.2 at a few sizes."""
    places = [SIZES.index(size) for size in SHOWN_SIZES]
    body = []
    for dataset in run.datasets:
        for method in [*SUPERVISED, RANDOM]:
            means = run.curve(dataset, method).mean(axis=0)
            body.append([dataset, method, *(f"{means[place]:.3f}" for place in places)])
    title = "### Figure 4.2 in numbers: accuracy with labels by the number of features (the chapter prints a plot only)"
    return f"{title}\n\n{markdown(['', 'method', *map(str, SHOWN_SIZES)], body)}"


def times_text(run: Run) -> str:
    """Figure 4.1: ratios of CPU times."""
    body = []
    for dataset, found in run.times.items():
        ratios = run.seconds(dataset, "general") / run.seconds(dataset, "path")
        gaps = [max(one[key] for one in found) for key in ("path_gap", "general_gap")]
        one = found[0]
        body.append(
            [
                dataset,
                f"{one['features']:.0f} ({one['knots']:.0f})",
                f"{np.median(run.seconds(dataset, 'path')):.2f}",
                f"{np.median(run.seconds(dataset, 'general')):.2f}",
                f"**{np.median(ratios):.1f}**",
                *(f"{gap:.0e}" for gap in gaps),
                f"{one['path_norm']:.4f} / {one['general_norm']:.4f}",
            ]
        )
    header = ["", "features (knots)", "path, CPU s", "general solver, CPU s", "ratio", "gap of the path"]
    header += ["gap of the general solver", "radius, path / general"]
    title = f"### Figure 4.1: time to {N_FEATURES} features, the path against one run of a general solver at its end"
    return f"{title}\n\n{markdown(header, body)}"


def data_text(run: Run) -> str:
    """Sizes here and in the chapter."""
    body = []
    for name in run.datasets:
        size, shape = published.MRSF_SIZES.get(name), table_of(name)[0].shape
        chapter = f"{size[0]} × {size[1]}" if size else "-"
        body.append([name, f"`{FILES[name]}`", f"{shape[0]} × {shape[1]}", chapter])
    return markdown(["data set", "file", "here", "dissertation"], body)

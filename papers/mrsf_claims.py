"""The statements of dissertation chapter 4, each counted on the chapter's sets that are at hand (at least one)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import published
from mrsf_run import LOWER, Run, printed_in, verdict
from mrsf_trials import SIZES
from summary import Claim

Found = tuple[bool, str]  # whether a statement holds, and the numbers

SPECTRAL = ("ReliefF", "Fisher", "Trace ratio", "HSIC")
SUPERVISED = tuple(name for name in published.MRSF_TABLES["4.2"] if name != "MRSF")
UNSUPERVISED = tuple(name for name in published.MRSF_TABLES["4.5"] if name != "MRSF")
SAME = 0.01  # two numbers that are printed as equal with two digits differ by less


def against(run: Run, table: str, others: Sequence[str]) -> Found:
    """MRSF is significantly better than each of the others on each set."""
    cells = [(dataset, other) for dataset in run.shared for other in others]
    failed = [
        f"{d} {other} ({verdict(run, table, d, other)})" for d, other in cells if not_better(run, table, d, other)
    ]
    means = ", ".join(f"{name} {mean_of(run, table, name):.3f}" for name in ("MRSF", *others))
    text = f"better in {len(cells) - len(failed)} of {len(cells)} pairs of set and method; means {means}"
    return not failed, text + (f"; not: {', '.join(failed)}" if failed else "")


def not_better(run: Run, table: str, dataset: str, other: str) -> bool:
    return verdict(run, table, dataset, other) != "better"


def mean_of(run: Run, table: str, method: str) -> float:
    """Over the chapter's sets."""
    return float(np.mean([run.splits(table, dataset, method).mean() for dataset in run.shared]))


def best_mean(run: Run, table: str, others: Sequence[str]) -> Found:
    """The mean of MRSF over the sets is better than that of each of the others."""
    sign = -1 if table in LOWER else 1
    means = {name: mean_of(run, table, name) for name in ("MRSF", *others)}
    best = max(means, key=lambda name: sign * means[name])
    return best == "MRSF", ", ".join(f"{name} {value:.3f}" for name, value in means.items())


def none_lower(run: Run) -> Found:
    """No method of the chapter is significantly less redundant than MRSF, on any set."""
    lower = [
        f"{dataset} {other} {run.splits('4.3', dataset, other).mean():.2f} for"
        f" {run.splits('4.3', dataset, 'MRSF').mean():.2f}"
        for dataset in run.shared
        for other in SUPERVISED
        if verdict(run, "4.3", dataset, other) == "worse"
    ]
    return not lower, "significantly lower: " + (", ".join(lower) or "none")


def loss_of_baselines(run: Run) -> Found:
    """The mean of the six baselines is below MRSF by at least half of what the printed cells of the same sets say."""

    def loss(means: dict[str, float]) -> float:
        return 1 - np.mean([means[name] for name in SUPERVISED]) / means["MRSF"]

    names = (*SUPERVISED, "MRSF")
    here = loss({name: mean_of(run, "4.2", name) for name in names})
    old = loss({name: float(np.mean([printed_in("4.2", d, name) or 0 for d in run.shared])) for name in names})
    numbers = f"{here:.1%} below here; {old:.1%} by the printed cells of the same sets (text: 11 %)"
    return bool(here >= old / 2), f"{numbers}; at least half of that is asked for"


def printed_alike(run: Run, table: str, names: Sequence[str]) -> Found:
    """Methods that are printed with the same value have the same value here."""
    means = {d: [run.splits(table, d, name).mean() for name in names] for d in run.shared}
    widest = max(np.ptp(values) for values in means.values())
    alike = {other: run.same(other) for other in names[1:]}
    chosen = ", ".join(f"{other} in {sum(same)} of {len(same)} splits" for other, same in alike.items())
    return bool(widest < SAME), f"widest gap {widest:.3f}; the features of Fisher: {chosen}"


def highest_curve(run: Run) -> Found:
    """At more than half of all points (set, size) no method of the chapter has a higher mean accuracy than MRSF."""
    counts = {}
    for dataset in run.shared:
        others = np.max([run.curve(dataset, name).mean(axis=0) for name in SUPERVISED], axis=0)
        counts[dataset] = int((run.curve(dataset, "MRSF").mean(axis=0) >= others).sum())
    text = ", ".join(f"{dataset} {count} of {len(SIZES)}" for dataset, count in counts.items())
    points = len(SIZES) * len(counts)
    return sum(counts.values()) > points / 2, f"at {sum(counts.values())} of {points} points: {text}"


def half_as_redundant(run: Run) -> Found:
    """The mean of MRSF over the sets is at most half of every other mean."""
    ours, others = mean_of(run, "4.5", "MRSF"), [mean_of(run, "4.5", name) for name in UNSUPERVISED]
    return ours <= min(others) / 2, f"{ours:.2f}, the others {min(others):.2f} to {max(others):.2f}"


def faster(run: Run) -> Found:
    """The mean CPU time of the path over the sets is below that of the general solver."""
    path, general = (np.mean([np.median(run.seconds(d, s)) for d in run.times]) for s in ("path", "general"))
    slower = [d for d in run.times if np.median(run.seconds(d, "path")) >= np.median(run.seconds(d, "general"))]
    sets = f"on {len(run.times) - len(slower)} of {len(run.times)} sets"
    return bool(path < general), f"{path:.2f} s and {general:.2f} s of CPU, ratio {general / path:.0f}; faster {sets}"


def pairs(table: str, others: Sequence[str]) -> Callable[[Run], Found]:
    """The rule that MRSF is better than each of the others on each set."""
    return lambda run: against(run, table, others)


def on_average(table: str, others: Sequence[str]) -> Callable[[Run], Found]:
    """The rule that MRSF has the best mean over the sets."""
    return lambda run: best_mean(run, table, others)


def alike(table: str, names: Sequence[str]) -> Callable[[Run], Found]:
    """The rule that methods have the same values."""
    return lambda run: printed_alike(run, table, names)


#: "significantly" is a paired t-test over splits, as in the chapter
STATEMENTS: list[tuple[str, str, Callable[[Run], Found]]] = [
    ("§4.3.1", "MRSF is more accurate than each baseline, on average over the sets", on_average("4.2", SUPERVISED)),
    ("Table 4.2", "MRSF is significantly more accurate than all six baselines on every set", pairs("4.2", SUPERVISED)),
    ("Table 4.2", "MRSF is significantly more accurate than the four spectral methods", pairs("4.2", SPECTRAL)),
    ("§4.3.1", "The baselines' mean accuracy is far below that of MRSF (printed: 11 %)", loss_of_baselines),
    ("Fig. 4.2", "MRSF's curve is the highest at most numbers of features", highest_curve),
    ("Table 4.3", "MRSF is the least redundant with labels, on average over the sets", on_average("4.3", SUPERVISED)),
    ("Table 4.3", "No method with labels is significantly less redundant than MRSF on any set", none_lower),
    ("Table 4.3", "MRSF is less redundant than the four spectral methods with labels", pairs("4.3", SPECTRAL)),
    ("Table 4.2", "Fisher score and trace ratio have the same accuracy", alike("4.2", SPECTRAL[1:3])),
    ("Table 4.3", "Fisher score, trace ratio and HSIC have the same redundancy", alike("4.3", SPECTRAL[1:])),
    ("§4.3.2", "MRSF keeps one neighbour significantly better than all", pairs("4.4, 1 neighbour", UNSUPERVISED)),
    ("§4.3.2", "MRSF keeps five neighbours significantly better than all", pairs("4.4, 5 neighbours", UNSUPERVISED)),
    ("§4.3.2", "Without labels MRSF is less redundant than all baselines on every set", pairs("4.5", UNSUPERVISED)),
    ("§4.3.2", "Without labels MRSF has much less redundancy (here: at most half)", half_as_redundant),
    ("§4.3.3, Fig. 4.1", "The path to 100 features takes less time than one run of a general solver", faster),
]


def claims(run: Run) -> list[Claim]:
    """All statements."""
    found = [Claim(where, statement, *rule(run)) for where, statement, rule in STATEMENTS]
    return [*found, Claim("Tables 4.2 to 4.5", "The same on CLL-SUB", None, "the set could not be had")]

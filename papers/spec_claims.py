"""The statements of the two papers about their tables and curves, counted on the measured ones.

Every rule stands in the evidence. A gain that is printed as a number holds if at least half of it is measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import published_spec as published
from scipy import stats
from spec_identity_claims import gamma_claim, same_claim, sums_claim
from spec_methods import Method
from spec_tables import TABLE_3, TABLE_4, TABLE_23, TABLE_24, FloatArray, Protocol, Run
from spec_trials import SIZES, TEXT
from spec_view import PHI, View
from summary import Claim

SIGNIFICANT = 0.1  # of the dissertation's t-test
BIG = 0.05  # "a big margin"
FACES, GENES = ("PIE10P", "PIX10P"), ("COLON", "DATABASEC")


def table_claims(run: Run, protocol: Protocol) -> list[Claim]:
    """Both papers' statements about their tables."""
    icml, labels = View(run, protocol, TABLE_3), View(run, protocol, TABLE_4)
    thesis, thesis_labels = View(run, protocol, TABLE_23), View(run, protocol, TABLE_24)
    parts: list[list[Claim]] = [
        [same_claim(run, "ICML §4.2, Thm 4", "Laplacian score = φ2, r on RBF")],
        [most_claim("ICML Fig. 2", icml, ("Laplacian",)), diffusion_claim(icml)],
        growth_claims("ICML §4.2", icml),
        [gain_claim("ICML Table 3", icml, "Laplacian", published.ICML_GAINS)],
        ranking_claims("ICML Table 3", icml, FACES, "on text and on faces", 0),
        [*power_claims("ICML Table 3", icml, "⁴"), print_claim(icml)],
        [average_claim("ICML §4.2", icml, published.ICML_AVERAGES)],
        [labels_claim("ICML §4.2", labels, icml), *[robust_claim("ICML Table 4", labels, on) for on in ("R, ", "C, ")]],
        [average_claim("ICML §4.2", labels, published.ICML_LABEL_AVERAGES), relieff_claim(labels)],
        [gamma_claim(run)],
        [most_claim("Diss. Fig. 2.4", thesis, ("Laplacian",)), seper_claim(thesis)],
        [much_claim(thesis), kernel_claim("Diss. §2.6.1", thesis, "RBF", ["PIE10P"])],
        [hockbase_claim(thesis), *growth_claims("Diss. §2.6.1", thesis)],
        [gain_claim("Diss. Table 2.3", thesis, "Laplacian", published.GAINS)],
        ranking_claims("Diss. Table 2.3", thesis, (*GENES, "PIX10P"), "on most data sets", 2),
        power_claims("Diss. Table 2.3", thesis, "³"),
        [pix_claim(thesis), highest_claim(thesis), truncation_claim(thesis), tuned_claim(thesis), sums_claim(run)],
        [same_claim(run, "Diss. §2.6.2", "Fisher score = φ2 on class labels")],
        [labels_claim("Diss. §2.6.2", thesis_labels, thesis), order_claim(thesis_labels)],
        [average_claim("Diss. §2.6.2", thesis_labels, published.LABEL_AVERAGES)],
    ]
    return [claim for part in parts for claim in part]


def _listed(values: dict[str, float], signed: bool = True) -> str:
    return ", ".join(f"{name} {value:{'+' if signed else ''}.3f}" for name, value in values.items())


def most_claim(where: str, view: View, baselines: tuple[str, ...]) -> Claim:
    """In most panels most algorithms beat all baselines, by their mean over 10, 20, …, 100 features."""
    wins = []
    for row in view.rows:
        floor = max(view.curve(row, view.table.columns[name]).mean() for name in baselines)
        methods = [method for name, method in view.table.columns.items() if name.startswith("φ")]
        others = [method for method in methods if not (row[1] == "RBF" and method[1:] == ("phi2", 1))]
        wins.append(sum(view.curve(row, method).mean() > floor for method in others) > len(others) / 2)
    names = " and ".join(baselines)
    evidence = (
        f"more than half of them beat {names} (mean over 10 to 100 features) in {sum(wins)} of {len(wins)} panels"
    )
    return Claim(where, f"In most cases most algorithms beat {names}", sum(wins) > len(wins) / 2, evidence)


def kernel_claim(where: str, view: View, kernel: str, names: Iterable[str]) -> Claim:
    """One graph is better than the other, on average over some data sets; each is listed."""
    other = {"RBF": "DIJ"}.get(kernel, "RBF")
    gaps = {
        name: view.mean("φ", [name], kernel) - view.mean("φ", [name], other) for name in names if name in view.names
    }
    holds = float(np.mean(list(gaps.values()))) > 0 if gaps else None
    where_text = ", ".join(gaps) or "data that were not run"
    return Claim(where, f"{kernel} is better than {other} on {where_text}", holds, f"mean gap > 0: {_listed(gaps)}")


def much_claim(view: View) -> Claim:
    """DIJ is ahead of RBF by a big margin on each text set."""
    gaps = {name: view.mean("φ", [name], "DIJ") - view.mean("φ", [name], "RBF") for name in TEXT if name in view.names}
    evidence = f"gap of at least {BIG} on each: {_listed(gaps)}"
    holds = min(gaps.values()) >= BIG if gaps else None
    return Claim("Diss. §2.6.1", f"DIJ is much better than RBF on {', '.join(TEXT)}", holds, evidence)


def diffusion_claim(view: View) -> Claim:
    """The verdict is that of the chosen reading; diffusion itself is listed beside it."""
    claim = kernel_claim("ICML §4.2", view, "DIF", view.names)
    others = {}
    for reading in ("lengths", "binary"):
        other = replace(view, protocol=Protocol(view.protocol.share, reading))
        others[reading] = other.mean("φ", kernel="DIF") - other.mean("φ", kernel="RBF")
    beside = f"; mean with exp(-L) of RBF weights {others['lengths']:+.3f}, of binary ones {others['binary']:+.3f}"
    return replace(claim, evidence=f"DIF read as hops, {claim.evidence}{beside}")


def growth_claims(where: str, view: View) -> list[Claim]:
    """More features are better; less so beyond 40."""
    curves = np.array(view.curves())
    up = curves[:, -1] > curves[:, 0]
    early, late = (curves[:, 3] - curves[:, 0]) / 3, (curves[:, -1] - curves[:, 3]) / 6
    slower = late < early
    rise = f"higher with {SIZES[-1]} than with {SIZES[0]} features in {up.sum()} of {up.size} curves"
    slow = f"less gain per 10 features from 40 to 100 than from 10 to 40 in {slower.sum()} of {slower.size} curves"
    return [
        Claim(where, "Generally more features give better accuracy", bool(up.mean() > 0.5), rise),
        Claim(where, "In many cases less so beyond 40 features", bool(slower.mean() > 0.5), slow),
    ]


def gain_claim(where: str, view: View, baseline: str, printed: dict[str, float]) -> Claim:
    """The best algorithm beats a baseline on each data set, by at least half of what is printed."""
    gains = {name: view.gain(name, baseline) for name in printed if name in view.names}
    short = [name for name, gain in gains.items() if gain < printed[name] / 2]
    listed = ", ".join(f"{name} {printed[name]:.2f} / {gain:+.3f}" for name, gain in gains.items())
    evidence = f"published / measured: {listed}; below half: {', '.join(short) or 'none'}"
    return Claim(where, f"The best algorithm beats {baseline} clearly on every set", not short, evidence)


def seper_claim(view: View) -> Claim:
    """No verdict: what is measured is another method."""
    gains = {name: view.gain(name, "SEPER") for name in published.SEPER_GAINS if name in view.names}
    listed = ", ".join(f"{name} {published.SEPER_GAINS[name]:.2f} / {gain:+.3f}" for name, gain in gains.items())
    evidence = f"SEPER is not defined in the dissertation; over a stand-in, the entropy of pairs: {listed}"
    return Claim("Diss. Table 2.3", "The best algorithm beats SEPER clearly on every set", None, evidence)


def ranking_claims(where: str, view: View, for_third: tuple[str, ...], scope: str, may_lose: int) -> list[Claim]:
    """φ1 on text, φ3 on some other sets, φ2 everywhere: by the means over kernels and powers."""
    means = {name: {ranking: view.mean(ranking, [name]) for ranking in PHI} for name in view.names}
    floors = {name: view.mean("Laplacian", [name]) for name in view.names}

    def does_well(ranking: str, names: tuple[str, ...]) -> Claim:
        """On each of the sets its mean is above the Laplacian score."""
        there = [name for name in names if name in means]
        held = [means[name][ranking] > floors[name] for name in there]
        listed = "; ".join(f"{name} {floors[name]:.3f}: {_listed(means[name], signed=False)}" for name in there)
        evidence = (
            f"mean above the Laplacian score on {sum(held)} of {len(held)} sets. Laplacian score and means: {listed}"
        )
        return Claim(where, f"{ranking} does well on {', '.join(names)}", all(held) if held else None, evidence)

    last = [name for name, one in means.items() if one["φ2"] < min(one["φ1"], one["φ3"])]
    robust = f"worst of the three on {', '.join(last) or 'no set'}, of {len(means)} sets; at most {may_lose} may be"
    return [
        does_well("φ1", TEXT),
        does_well("φ3", for_third),
        Claim(where, f"φ2 is robust {scope}", len(last) <= may_lose, robust),
    ]


def _is_significant(plain: FloatArray, power: FloatArray) -> bool:
    gap = power - plain
    return bool(len(gap) > 1 and np.ptp(gap) > 0 and stats.ttest_rel(power, plain).pvalue < SIGNIFICANT)


def power_claims(where: str, view: View, high: str) -> list[Claim]:
    """A higher power never hurts significantly, and sometimes helps much."""
    gaps = {name: float((power - plain).mean()) for name, plain, power in view.pairs()}
    sure = [name for name, plain, power in view.pairs() if _is_significant(plain, power)]
    worse = {name: gaps[name] for name in sure if gaps[name] < 0}
    much = {name: gaps[name] for name in sure if gaps[name] >= BIG}
    never = (
        f"worse with p < {SIGNIFICANT} (paired t-test) in {len(worse)} of {len(gaps)} pairs: {_listed(worse) or 'none'}"
    )
    names = list(view.table.columns)
    pairs = [(names.index(f"{ranking}, r"), names.index(f"{ranking}, r{high}")) for ranking in PHI]
    drop = max(cells[plain] - cells[power] for cells in view.table.published.values() for plain, power in pairs)
    never += f"; largest loss {-min(gaps.values()):.3f}, of the printed cells {drop:.3f}"
    some = f"better by {BIG} or more with p < {SIGNIFICANT} in {len(much)} pairs: {_listed(much) or 'none'}"
    return [
        Claim(where, f"r{high} never hurts significantly", not worse, never),
        Claim(where, f"r{high} helps by a big margin in certain cases", bool(much), some),
    ]


def print_claim(view: View) -> Claim:
    """Table 3 prints one column twice: not so here, and not by the formula."""
    names = list(view.table.columns)
    one, two = names.index("φ1, r"), names.index("φ1, r⁴")
    printed = sum(cells[one] == cells[two] for cells in view.table.published.values())
    cells = view.run.cells(view.protocol, view.table).round(2)
    same = int((cells[:, one] == cells[:, two]).sum())
    total = len(view.table.published)
    evidence = f"printed equal in {printed} of {total} rows, a suspect print; here in {same} of {len(cells)}"
    return Claim("ICML Table 3", "φ1 has the same accuracy with r and with r⁴ everywhere", same == len(cells), evidence)


def average_claim(where: str, view: View, printed: dict[str, float]) -> Claim:
    """The averages over numbers of features and data sets have the printed order."""
    wide = view.table in (TABLE_3, TABLE_4)
    found = view.averages() if wide else {name: view.mean(name) for name in view.table.columns}
    order, listed = (
        list(printed),
        ", ".join(f"{name} {value:.2f} / {found[name]:.3f}" for name, value in printed.items()),
    )
    falls = all(found[a] >= found[b] for a, b in pairwise(order))
    first = max(found, key=found.__getitem__)
    holds = falls and found[order[0]] >= found[first]
    evidence = f"the same order, and no column above the first; published / measured: {listed}; best here {first}"
    return Claim(where, f"On average {' ≥ '.join(order)}, and {order[0]} is the best", holds, evidence)


def labels_claim(where: str, labels: View, without: View) -> Claim:
    """The mean of all columns is higher with labels, on more than half of the sets."""
    gaps = {name: labels.mean("", [name]) - without.mean("", [name]) for name in labels.names}
    won = sum(gap > 0 for gap in gaps.values())
    evidence = f"mean of all columns with labels minus without, > 0 on {won} of {len(gaps)} sets: {_listed(gaps)}"
    return Claim(where, "Generally methods do better with labels than without", won > len(gaps) / 2, evidence)


def robust_claim(where: str, view: View, on: str) -> Claim:
    """On no set is φ2 the last of the three."""
    means = {name: {ranking: view.mean(on + ranking, [name]) for ranking in PHI} for name in view.names}
    last = [name for name, one in means.items() if one["φ2"] < min(one["φ1"], one["φ3"])]
    evidence = f"worst of the three on {', '.join(last) or 'no set'} of {len(means)}"
    return Claim(where, f"φ2 works robustly on {on.rstrip(', ')}", not last, evidence)


def relieff_claim(view: View) -> Claim:
    """Two columns of Table 4 are printed equal: equal to two digits on every set."""
    gaps = {name: view.mean("ReliefF", [name]) - view.mean("R, φ1", [name]) for name in view.names}
    holds = max(abs(gap) for gap in gaps.values()) < 0.005
    statement = "ReliefF and φ1 on Eq. 12 have equal columns"
    return Claim("ICML Table 4", statement, holds, f"equal to two digits on every set; gaps {_listed(gaps)}")


def hockbase_claim(view: View) -> Claim:
    """The mean of φ1 to φ3 gains at least half of the printed 23 %."""
    if "HOCKBASE" not in view.names:
        return Claim("Diss. §2.7", "DIJ gains 23 % over RBF on HOCKBASE", None, "not run")
    gain = view.mean("φ", ["HOCKBASE"], "DIJ") / view.mean("φ", ["HOCKBASE"], "RBF") - 1
    evidence = f"mean of φ1 to φ3 {gain:+.1%}, at least half of 23 %"
    return Claim("Diss. §2.7", "DIJ gains 23 % over RBF on HOCKBASE", gain >= 0.115, evidence)


def pix_claim(view: View) -> Claim:
    """At least half of the printed gain."""
    row = ("PIX10P", "RBF")
    plain, power = (view.run.trials(view.protocol, view.table, row, f"φ2, r{p}").mean() for p in ("", "³"))
    evidence = f"{plain:.3f} and {power:.3f}, {power - plain:+.3f}; at least half of 0.16 is asked for"
    return Claim("Diss. §2.6.1", "r³ improves φ2 by 0.16 on PIX10P with RBF", bool(power - plain >= 0.08), evidence)


def highest_claim(view: View) -> Claim:
    """The best cell of most data sets has r³; a tie counts for both."""
    cells = view.run.cells(view.protocol, view.table)
    cubes = [place for place, name in enumerate(view.table.columns) if name.endswith("³")]
    others = [place for place, name in enumerate(view.table.columns) if name.startswith("φ") and place not in cubes]
    won = []
    for name in view.names:
        rows = [place for place, row in enumerate(view.rows) if row[0] == name]
        won += [name] if cells[np.ix_(rows, cubes)].max() >= cells[np.ix_(rows, others)].max() else []
    evidence = f"the best of φ1 to φ3 has r³ on {len(won)} of {len(view.names)} sets ({', '.join(won) or 'none'})"
    return Claim("Diss. §2.6.1", "Most of the highest accuracies have r³", len(won) > len(view.names) / 2, evidence)


def truncation_claim(view: View) -> Claim:
    """The mean of φ2 with r³ is above that of φ3."""
    cube, cut = view.mean("φ2, r³"), view.mean("φ3, r")
    old = {name: np.mean([row[place] for row in view.table.published.values()])
           for place, name in enumerate(view.table.columns)}  # fmt: skip
    printed = f"the published columns say {old['φ2, r³']:.3f} and {np.mean([old['φ3, r'], old['φ3, r³']]):.3f}"
    evidence = f"mean of φ2, r³ above that of φ3: {cube:.3f} and {cut:.3f}; {printed}"
    return Claim("Diss. §2.6.1", "r³ is better than cutting the spectrum (φ3)", cube > cut, evidence)


def tuned_claim(view: View) -> Claim:
    """φ3 gains by another k than the number of classes: chosen on half of the trials, judged on the others."""
    gains = {}
    for name in view.names:
        base, *others = (
            view.run.curves(name, view.protocol.share, Method("RBF", ranking))[:, :5].mean(axis=1)
            for ranking in ("phi3", "phi3 2k", "phi3 4k")
        )
        half = len(base) // 2
        chosen = max(others, key=lambda one: one[:half].sum())
        gains[name] = float((chosen - base)[half:].mean())
    won = [name for name, gain in gains.items() if gain > 0]
    evidence = (
        "2k or 4k, whichever is better in the first half of the trials, minus k in the other half (RBF, r): "
        f"{_listed(gains)}; above 0 on {len(won)} of {len(gains)}"
    )
    return Claim("Diss. §2.6.1", "φ3 does better with a tuned k", len(won) > len(gains) / 2, evidence)


def order_claim(view: View) -> Claim:
    """Means over the data sets, and the cells of PIX10P."""
    means = {ranking: view.mean(ranking) for ranking in PHI}
    pix = {ranking: view.mean(ranking, ["PIX10P"]) for ranking in PHI}
    holds = means["φ2"] >= means["φ3"] >= means["φ1"] and pix["φ3"] >= max(pix.values())
    evidence = f"means {_listed(means, False)}; PIX10P {_listed(pix, False)}"
    statement = "With class labels φ2 is the best, then φ3, then φ1; on PIX10P φ3 is the best"
    return Claim("Diss. §2.6.2", statement, holds, evidence)

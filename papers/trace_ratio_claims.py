"""The statements of the trace ratio paper's experimental part, each with the rule by which the trials decide it."""

from __future__ import annotations

import numpy as np
import published_trace_ratio as published
from summary import Claim
from trace_ratio_data import FACES, UCI, dataset, training_size
from trace_ratio_run import PAIRS, Cases, Run
from trace_ratio_trials import FISHER, LAPLACIAN, MIN_MAX, RAW, UNIT

NAMES = {FISHER: "Fisher's pair", LAPLACIAN: "the Laplacian pair"}
FIGURES = {"Figure 2": UCI, "Figure 3": tuple(FACES)}
RANDOM_START, BEST_SINGLE = "random start", "best single features"


def claims(run: Run) -> list[Claim]:
    """All of them, in the order of the paper."""
    better = [
        better_claim(run, figure, scaling, pair) for figure in FIGURES for scaling in (RAW, MIN_MAX) for pair in PAIRS
    ]
    return [
        optimum_claim(run),
        rising_claim(run),
        falling_claim(run),
        not_optimal_claim(run),
        reciprocal_claim(run),
        zero_cost_claim(run),
        sizes_claim(),
        rounds_claim(run),
        time_claim(run),
        *better,
        few_claim(run),
        consistency_claim(run),
        *(lower_claim(run, pair) for pair in PAIRS),
        umist_falls_claim(run),
    ]


def better_claim(run: Run, figure: str, scaling: str, pair: str) -> Claim:
    """In most cases the subset-level score is the more accurate."""
    statement = f"with {NAMES[pair]}, S is more accurate than F in most cases ({scaling})"
    names = [name for name in FIGURES[figure] if name in run.datasets]
    if not names:
        return Claim(f"{figure}, {pair}", statement, None, "these sets were not run")
    cases = run.cases(names, scaling, pair)
    gap = np.mean([run.gaps(name, scaling, pair).mean() for name in names])
    evidence = (
        f"{cases} cases better / equal / worse (data set × number of features below all; means of {run.n_trials}"
        f" splits), mean difference {gap:+.4f}; holds if more than half of all are better"
    )
    return Claim(f"{figure}, {pair}", statement, cases.mostly_better, evidence)


def few_claim(run: Run) -> Claim:
    """There are cases where it is not, and they are few."""
    names = [name for name in UCI if name in run.datasets]
    cases = sum((run.cases(names, RAW, pair) for pair in PAIRS), Cases(0, 0, 0))
    differ = cases.better + cases.worse
    holds = 0 < cases.worse <= differ / 3
    evidence = f"{cases.worse} of {differ} cases that differ (raw, both pairs); holds if some, but at most a third"
    return Claim("§UCI", "in a few cases S is not the more accurate", holds, evidence)


def consistency_claim(run: Run) -> Claim:
    """A larger score of a subset goes with a larger accuracy."""
    found = {}
    for scaling in (RAW, MIN_MAX):
        for name in run.datasets:
            for pair in PAIRS:
                trials = run.trials(name, scaling, pair)
                found[scaling, name, pair] = np.mean([one["random"]["correlation"] for one in trials])
    raw, ranged = ([value for key, value in found.items() if key[0] == scaling] for scaling in (RAW, MIN_MAX))
    positive = int(np.sum(np.array(raw) > 0))
    evidence = (
        f"rank correlation of score and accuracy over random subsets of one size: above 0 on average in {positive} of"
        f" {len(raw)} (data set, pair), mean {np.mean(raw):+.2f} raw; {np.mean(ranged):+.2f} min-max; holds if it is so"
        " in more than three quarters, raw"
    )
    return Claim("§UCI", "subset score and accuracy generally agree", positive > 0.75 * len(raw), evidence)


def optimum_claim(run: Run) -> Claim:
    """The end of the iteration is the global optimum."""
    count = run.counted()
    ends = sum(run.rounds(RANDOM_START).values()) + sum(run.rounds(BEST_SINGLE).values())
    holds = count["not the best"] == 0 and count["other end"] == 0 if count["brute force"] else None
    evidence = (
        f"all subsets looked at (up to 20 features): {count['not the best']} of {count['brute force']} optima missed;"
        f" Table 2 written out, from random and from the best single features: {count['other end']} of {ends} runs end"
        " elsewhere than the library"
    )
    return Claim("§Global optimum", "the iteration finds the subset with the largest score", holds, evidence)


def rising_claim(run: Run) -> Claim:
    """Theorem 1."""
    count = run.counted()
    evidence = f"{count['falls']} of {count['rounds']} rounds fell"
    return Claim("Theorem 1", "λ never falls from round to round", count["falls"] == 0, evidence)


def falling_claim(run: Run) -> Claim:
    """Theorem 2."""
    count = run.counted()
    evidence = f"it rose in {count['rises with m']} of {count['runs']} steps from m to m + 1, all trials"
    return Claim("Theorem 2", "the best score never rises with m", count["rises with m"] == 0, evidence)


def not_optimal_claim(run: Run) -> Claim:
    """Ranking features one by one does not give the best subset."""
    raw, unit = run.counted(scaling=RAW), run.counted(scaling=UNIT, pair=FISHER)
    evidence = (
        f"F's subset is not the best in {raw['F lower']} of {raw['runs']} runs raw; at unit deviation, Fisher's pair:"
        f" in {unit['F lower']} of {unit['runs']}; holds if it is so in any raw run"
    )
    return Claim("§Feature level", "F cannot guarantee the best subset", raw["F lower"] > 0, evidence)


def reciprocal_claim(run: Run) -> Claim:
    """Footnote 1 and the two instances of the framework."""
    same = [one["same order"] for one in run.some()]
    evidence = f"equal to FisherScore, and to one over LaplacianScore, in {sum(same)} of {len(same)} trials (1e-6)"
    statement = "b/e of one feature is the Fisher score, or one over the Laplacian score"
    return Claim("Eq. 14, footnote 1", statement, all(same), evidence)


def zero_cost_claim(run: Run) -> Claim:
    """With r features of no cost the iteration works for m > r."""
    statement = "with r features of e = 0 the iteration works for m > r"
    trials = [one["counts"] for one in run.some() if one["counts"]["zero costs"]]
    free = [one["constant is free"] for one in run.some() if one["constant"]]
    beaten, runs = (sum(found[place] for found in free) for place in (0, 1))
    aside = (
        f"{len(free)} trials have constant features (b = e = 0), which by the letter of Eq. 8 improve the best subset"
        f" in {beaten} of {runs} runs; the library takes them last, and they are left out of all counts"
    )
    if not trials:
        return Claim("§Theorem 1", statement, None, f"no training set has a feature with e = 0 < b; {aside}")
    infinite = sum(one["infinite"] for one in trials)
    r = sum(one["zero costs"] for one in trials)
    evidence = f"{len(trials)} trials with e = 0 < b: λ is infinite for {infinite} numbers m, r adds up to {r}; {aside}"
    return Claim("§Theorem 1", statement, infinite == r, evidence)


def sizes_claim() -> Claim:
    """Table 3."""
    same = sum(here(name) == sizes for name, sizes in published.SIZES.items())
    evidence = f"{same} of {len(published.SIZES)} sets have the printed numbers (crx and german: categories as codes)"
    return Claim("Table 3", "classes, samples, training samples, features", same == len(published.SIZES), evidence)


def here(name: str) -> tuple[int, int, int, int]:
    """Classes, samples, training samples and features of a data set at hand."""
    X, y = dataset(name)
    classes = int(y.max()) + 1
    return classes, y.size, classes * training_size(name), X.shape[1]


def rounds_claim(run: Run) -> Claim:
    """In most cases three to five steps."""
    low, high = published.ROUNDS
    shares, texts = {}, []
    for scaling in (RAW, MIN_MAX):
        for start in (RANDOM_START, BEST_SINGLE):
            found = run.rounds(start, scaling=scaling)
            within = sum(times for number, times in found.items() if low <= number <= high)
            shares[scaling, start] = within / sum(found.values())
            texts.append(f"{shares[scaling, start]:.0%} {scaling} from {start}")
    most = max(number for start in (RANDOM_START, BEST_SINGLE) for number in run.rounds(start))
    evidence = (
        f"{low} to {high} rounds, the last of which changes nothing: {', '.join(texts)}; at most {most} in any run;"
        " holds if more than half of the raw runs from a random subset"
    )
    holds = shares[RAW, RANDOM_START] > 0.5
    return Claim("§Experiments", "three to five rounds in most cases", holds, evidence)


def time_claim(run: Run) -> Claim:
    """Nearly all time goes into the diagonals of B and E."""
    found = {pair: [_share(one["seconds"]) for one in run.some(scaling=RAW, pair=pair)] for pair in PAIRS}
    shares = {pair: float(np.median(values)) for pair, values in found.items()}
    texts = ", ".join(f"{NAMES[pair]} {share:.0%}" for pair, share in shares.items())
    evidence = (
        f"median share of graphs and scatters in the CPU time, m half of the features, raw: {texts}; holds if above"
        f" {published.SHARE_OF_SCATTERS:.0%} with both"
    )
    holds = min(shares.values()) > published.SHARE_OF_SCATTERS
    return Claim("§Experiments", "over 95 % of the time goes into the diagonals of B and E", holds, evidence)


def _share(seconds: dict[str, float]) -> float:
    return seconds["scatters"] / (seconds["scatters"] + seconds["iteration"])


def lower_claim(run: Run, pair: str) -> Claim:
    """Figure 4: the score of F's subset is lower throughout."""
    statement = f"on UMIST, with {NAMES[pair]}, the score of F's subset is lower than that of S throughout"
    if "UMIST" not in run.datasets:
        return Claim(f"Figure 4, {pair}", statement, None, "UMIST was not run")
    ratio = (run.curves("UMIST", RAW, f"F-{pair}", "score") / run.curves("UMIST", RAW, f"S-{pair}", "score"))[:, :-1]
    count = run.counted(name="UMIST", scaling=RAW, pair=pair)
    mean = ratio.mean(axis=0)
    evidence = (
        f"every m of every split: lower in {count['F lower']} of {count['runs']}, higher in {count['F higher']}; mean"
        f" ratio F / S over m {mean.mean():.3f}, at worst {mean.min():.3f}; holds if never higher and lower on average"
        " at 10, 20, …, 640"
    )
    return Claim(f"Figure 4, {pair}", statement, bool(count["F higher"] == 0 and (mean < 1).all()), evidence)


def umist_falls_claim(run: Run) -> Claim:
    """Figure 4: the best score falls with m."""
    statement = "on UMIST the score of S falls with m"
    if "UMIST" not in run.datasets:
        return Claim("Figure 4", statement, None, "UMIST was not run")
    scores = {pair: run.curves("UMIST", RAW, f"S-{pair}", "score").mean(axis=0) for pair in PAIRS}
    rises = sum(run.counted(name="UMIST", scaling=RAW, pair=pair)["rises with m"] for pair in PAIRS)
    texts = ", ".join(f"{pair} {found[0]:.2f} at 10 to {found[-1]:.2f} at all" for pair, found in scores.items())
    falls = all((np.diff(found) < 0).all() for found in scores.values())
    evidence = f"{texts} features; {rises} rises from m to m + 1 in any split; holds if the means fall and none rises"
    return Claim("Figure 4", statement, bool(falls and rises == 0), evidence)

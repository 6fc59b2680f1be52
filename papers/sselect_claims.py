"""The statements of the sSelect paper, each with the rule by which the trials say yes or no."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import published
from scipy.stats import spearmanr
from sselect_run import Run, clearly_positive, published_over_laplacian, with_error
from sselect_trials import FEW, FISHER, LABELS, LAMBDAS, LAPLACIAN, MANY, PRINTED_LABELS, SIZES, SSELECT
from summary import Claim

from eigenselect.semisupervised import RegularizationPath

MOST_LABELS = LABELS[-1]
METHODS = (SSELECT, FISHER, LAPLACIAN)
GOOD_REGION = (0.1, 0.3)
BIG = 0.05  # what counts as a big decrease of accuracy
COINCIDE = -0.5  # rank correlation of cut and accuracy, at most


def claims(run: Run) -> list[Claim]:
    """All of them, in the order of the paper."""
    return [*comparison_claims(run), *label_claims(run), *lambda_claims(run), *interaction_claims(run)]


def comparison_claims(run: Run) -> list[Claim]:
    """§4.3: the three methods against each other (Figure 3, Table 2)."""
    rows = run.rows
    better = {over: [clearly_positive(run.gain(*row, over)) for row in rows] for over in (FISHER, LAPLACIAN)}
    means = {row: [run.accuracy(*row, method).mean() for method in METHODS] for row in rows}
    in_order = sum(first > second > third for first, second, third in means.values())
    last = sum(min(found) == found[-1] for found in means.values())
    points = {row: np.array([run.curves(*row, method).mean(axis=0) for method in METHODS]) for row in rows}
    ahead = sum(int((curves[0] > curves[1:].max(axis=0)).sum()) for curves in points.values())
    rises = [[curve[-1] > curve[0] for curve in curves] for curves in points.values()]
    middle = SIZES.index(25)
    slowing = sum(curves[0][middle] - curves[0][0] > curves[0][-1] - curves[0][middle] for curves in points.values())
    n_rows, n_points = len(rows), len(rows) * len(SIZES)
    average = {over: np.mean([run.gain(*row, over) for row in rows], axis=0) for over in (FISHER, LAPLACIAN)}
    return [
        Claim(
            "Table 2",
            "sSelect is more accurate than the Fisher score in every row",
            all(better[FISHER]),
            f"by more than two standard errors in {sum(better[FISHER])} of {n_rows} rows; average "
            f"{with_error(average[FISHER], '+')}, published {published.SSELECT_TABLE_2_AVERAGE[0]:+.3f}",
        ),
        Claim(
            "Table 2",
            "sSelect is more accurate than the Laplacian score in every row",
            all(better[LAPLACIAN]),
            f"by more than two standard errors in {sum(better[LAPLACIAN])} of {n_rows} rows; average "
            f"{with_error(average[LAPLACIAN], '+')}, published {published.SSELECT_TABLE_2_AVERAGE[1]:+.3f}",
        ),
        Claim(
            "§4.3, Figure 3",
            "sSelect is consistently better than both, at every number of features",
            ahead == n_points,
            f"its mean is the highest of the three at {ahead} of {n_points} points of the nine curves (needed: all)",
        ),
        Claim(
            "§4.3",
            "generally sSelect is first, the Fisher score second, the Laplacian score third",
            in_order > n_rows / 2,
            f"in {in_order} of {n_rows} rows by mean accuracy (needed: more than half)",
        ),
        Claim(
            "§4.3",
            "the Laplacian score does not do well",
            last > n_rows / 2,
            f"it is the last of the three in {last} of {n_rows} rows (needed: more than half)",
        ),
        Claim(
            "§4.3, Figure 3",
            "generally, the more features the better the accuracy",
            np.mean(rises) > 0.5,
            f"higher with 50 than with 5 features in {np.sum(rises)} of {np.size(rises)} curves (needed: more than "
            f"half; sSelect {sum(rise[0] for rise in rises)} of {n_rows})",
        ),
        Claim(
            "§4.3",
            "generally, the accuracy of sSelect rises fast at first and slowly in the end",
            slowing > n_rows / 2,
            f"it rises more from 5 to 25 than from 25 to 50 features in {slowing} of {n_rows} rows (needed: more than "
            "half)",
        ),
    ]


def label_claims(run: Run) -> list[Claim]:
    """What labels do: the trends of Table 2, Figures 5 and 6."""
    grows = {over: [grows_with_labels(run, dataset, over) for dataset in run.datasets] for over in (FISHER, LAPLACIAN)}
    shown = {
        over: "; ".join(
            f"{dataset} " + " ".join(f"{run.gain(dataset, count, over).mean():.3f}" for count in PRINTED_LABELS)
            for dataset in run.datasets
        )
        for over in (FISHER, LAPLACIAN)
    }
    more = [clearly_positive(run.more_labels(dataset, SSELECT)) for dataset in run.datasets]
    surface = [np.array([run.curves(d, count, SSELECT).mean(axis=0) for count in LABELS]) for d in run.datasets]
    steps = np.concatenate([np.r_[np.diff(one, axis=0).ravel(), np.diff(one, axis=1).ravel()] for one in surface])
    fisher = "; ".join(
        f"{d} {np.subtract(*published_over_laplacian(d, FISHER)[::-2]):+.3f}, here "
        f"{run.more_labels(d, FISHER).mean():+.3f}"
        for d in run.datasets
    )
    return [
        Claim(
            "§4.3, Table 2",
            "the gain over the Laplacian score grows with the labels, on every set",
            all(grows[LAPLACIAN]),
            f"gains with 2, 6, 10 labels: {shown[LAPLACIAN]} (needed: rising)",
        ),
        Claim(
            "Table 2 (its numbers)",
            "the gain over the Fisher score is larger with 10 labels than with 2, on every set",
            all(run.gain(d, 10, FISHER).mean() > run.gain(d, 2, FISHER).mean() for d in run.datasets),
            f"gains with 2, 6, 10 labels: {shown[FISHER]}. The Fisher score itself gains from 2 to 10 labels: "
            f"published {fisher}",
        ),
        Claim(
            "§4.4.2, Figure 5",
            "the more labels, the better the accuracy of sSelect",
            all(more),
            "10 labels less 2: "
            + ", ".join(f"{d} {with_error(run.more_labels(d, SSELECT), '+')}" for d in run.datasets)
            + " (needed: two standard errors on every set)",
        ),
        Claim(
            "§4.4.2, Figure 6",
            "the more features and labels, the better the accuracy of sSelect",
            np.mean(steps > 0) > 0.5,
            f"{np.mean(steps > 0):.0%} of the {steps.size} steps to 5 more features or 2 more labels go up (needed: "
            "more than half)",
        ),
        both_terms_claim(run),
    ]


def grows_with_labels(run: Run, dataset: str, over: str) -> bool:
    """Whether the mean gain rises from each number of labels to the next."""
    means = [run.gain(dataset, count, over).mean() for count in PRINTED_LABELS]
    return all(earlier < later for earlier, later in pairwise(means))


def both_terms_claim(run: Run) -> Claim:
    """§6: labelled and unlabelled samples together, inside sSelect: λ = 0.1 against 0 and 1."""
    against = {0.0: 0, 1.0: 0}
    for row in run.rows:
        few = run.sweep(*row, "few")
        for value in against:
            against[value] += clearly_positive(few[:, at(0.1)] - few[:, at(value)])
    n_rows = len(run.rows)
    return Claim(
        "§4.3, §6",
        "labelled and unlabelled samples together are better than either alone",
        all(count == n_rows for count in against.values()),
        f"{FEW} features, λ = 0.1 better by two standard errors than labels alone (λ = 0) in {against[0.0]} and than "
        f"the graph alone (λ = 1) in {against[1.0]} of {n_rows} rows (needed: all)",
    )


def lambda_claims(run: Run) -> list[Claim]:
    """§4.4.1, Figure 4: λ, and the cut value that is to find it."""
    few = {dataset: run.sweep(dataset, MOST_LABELS, "few") for dataset in run.datasets}
    drops = {dataset: found[:, at(0.1)] - found[:, at(0.9)] for dataset, found in few.items()}
    best = {dataset: float(LAMBDAS[found.mean(axis=0).argmax()]) for dataset, found in few.items()}
    cuts = {dataset: run.sweep(dataset, MOST_LABELS, "cut") for dataset in run.datasets}
    agree = {dataset: rank_correlation(cuts[dataset].mean(axis=0), few[dataset].mean(axis=0)) for dataset in few}
    lowest = {dataset: lowest_cut(found) for dataset, found in cuts.items()}
    auto = {d: np.array(run.each(d, MOST_LABELS, "sweep", "auto")) for d in run.datasets}
    inside = sum(int(in_region(found).sum()) for found in auto.values())
    total = sum(found.size for found in auto.values())
    return [
        Claim(
            "§4.4.1, Figure 4",
            "λ = 0.9 is much worse than λ = 0.1",
            all(clearly_positive(drop - BIG) for drop in drops.values()),
            f"{FEW} features, {MOST_LABELS} labels: "
            + ", ".join(f"{d} {with_error(-drop, '+')}" for d, drop in drops.items())
            + f" (needed: lower by {BIG} and two standard errors)",
        ),
        Claim(
            "§4.4.1, Figure 4",
            "a good λ lies between 0.1 and 0.3",
            all(in_region(value) for value in best.values()),
            "λ of the highest mean accuracy: " + ", ".join(f"{d} {value:.1f}" for d, value in best.items()),
        ),
        Claim(
            "§4.4.1, Figure 4",
            "the cut value points to that region",
            all(in_region(value) for value in lowest.values()),
            "λ of the smallest mean cut: "
            + ", ".join(f"{d} {value:.1f}" for d, value in lowest.items())
            + f"; the library's rule takes one in the region in {inside} of {total} trials, but where cuts tie at 0 it "
            "does so by the rule for ties",
        ),
        Claim(
            "§4.4.1, Figure 4",
            "the lower the cut value, the higher the accuracy",
            all(value <= COINCIDE for value in agree.values()),
            "rank correlation of mean cut and mean accuracy over the 11 λ's: "
            + ", ".join(f"{d} {value:+.2f}" for d, value in agree.items())
            + f" (needed: at most {COINCIDE})",
        ),
    ]


def interaction_claims(run: Run) -> list[Claim]:
    """§4.4.3, Figure 7 and footnote 4."""
    few = {row: best_lambda(run.sweep(*row, "few")) for row in run.rows}
    many = {row: best_lambda(run.sweep(*row, "many")) for row in run.rows}
    first = PRINTED_LABELS[0]
    shifted = [many[d, first] > few[d, first] for d in run.datasets]
    falling = [never_rises([many[d, count] for count in PRINTED_LABELS]) for d in run.datasets]
    by_cut = {row: lowest_cut(cuts) for row, cuts in run.many_cuts.items()}
    cut_falling = [never_rises([by_cut[d, count] for count in PRINTED_LABELS]) for d in run.datasets]
    printed = ", ".join(f"{value}" for value in published.SSELECT_BEST_LAMBDA.values())
    two = [set(tally) for d in run.datasets for tally in run.each(d, first, "terms", "labels")]
    ten = [len(tally) for d in run.datasets for tally in run.each(d, MOST_LABELS, "terms", "labels")]
    graph = [n for d in run.datasets for n in run.each(d, first, "terms", "graph values")]

    def listed(best: dict[tuple[str, int], float]) -> str:
        return "; ".join(f"{d} " + " ".join(f"{best[d, c]:.1f}" for c in PRINTED_LABELS) for d in run.datasets)

    return [
        Claim(
            "§4.4.3, Figure 7 a",
            f"with {MANY} features the best λ is larger than with {FEW} (2 labels)",
            all(shifted),
            f"best λ with 2 labels, {FEW} and {MANY} features: "
            + ", ".join(f"{d} {few[d, first]:.1f} and {many[d, first]:.1f}" for d in run.datasets),
        ),
        Claim(
            "§4.4.3, Figure 7 a",
            f"that shift is the smaller the more labels there are (best λ with {MANY} features falls)",
            all(falling),
            f"best λ with 2, 6, 10 labels: {listed(many)}; published {printed}",
        ),
        Claim(
            "§4.4.3, Figure 7 b",
            f"the cut value of {MANY} features shows the same trend",
            all(cut_falling),
            f"λ of the smallest mean cut with 2, 6, 10 labels: {listed(by_cut)} "
            f"({min(map(len, run.many_cuts.values()))} trials; cuts within 1e-6 tie and go to the λ nearest to 0.1)",
        ),
        Claim(
            "§4.4.3, Figure 7 c",
            "with 2 labels the label term takes two values, 0 and 1",
            all(values == {"0.0000", "1.0000"} for values in two),
            f"values among all words: {', '.join(sorted(set.union(*two)))} (needed: these two in every draw); "
            f"with 10 labels {min(ten)} to {max(ten)} different ones (footnote 4: 6)",
        ),
        Claim(
            "§4.4.3, Figure 7 d",
            "the graph term is smoother than the label term",
            min(graph) > 10 * max(ten),
            f"different values among all words: at least {min(graph)} (needed: ten times those of the label term)",
        ),
    ]


def at(value: float) -> int:
    """The number of a λ in the grid."""
    return int(np.argmin(np.abs(LAMBDAS - value)))


def in_region(value: np.ndarray | float) -> np.ndarray:
    """Whether λ lies between 0.1 and 0.3."""
    low, high = GOOD_REGION
    return (np.asarray(value) > low - 1e-9) & (np.asarray(value) < high + 1e-9)


def best_lambda(accuracy: np.ndarray) -> float:
    """The λ of the highest mean accuracy over trials; the smallest of equal ones."""
    return float(LAMBDAS[accuracy.mean(axis=0).argmax()])


def lowest_cut(cuts: np.ndarray) -> float:
    """The λ of the smallest mean cut, by the library's rule for ties."""
    return RegularizationPath(LAMBDAS, np.nanmean(cuts, axis=0)).best


def never_rises(values: list[float]) -> bool:
    """Whether values fall or stay, and fall once."""
    return all(a >= b for a, b in pairwise(values)) and values[0] > values[-1]


def rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's; 0 where a side is constant, as then nothing is told."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(spearmanr(first, second).statistic)

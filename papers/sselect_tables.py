"""The tables of the section on sSelect in RESULTS.md, published next to measured where there are published numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import published
from common import markdown
from sselect_fisher import CLASS_BY_CLASS
from sselect_run import Run, published_over_laplacian, with_error
from sselect_trials import (
    AUTO,
    BASIC,
    FEW,
    FILES,
    FISHER,
    HIGH,
    LABELS,
    LAMBDAS,
    LAPLACIAN,
    MANY,
    PRINTED_LABELS,
    RANDOM_FISHER,
    SIZES,
    SSELECT,
)

OVERS = (FISHER, RANDOM_FISHER, LAPLACIAN)
MOST_LABELS = LABELS[-1]
ZERO_CUT = 1e-6  # the library's: cuts closer than this are equal


def data_text(run: Run) -> str:
    """Sizes here and in the paper."""
    body = []
    for dataset, facts in run.tables.items():
        sizes = [f"{size[0]} × {size[1]}" for size in (facts["shape"], published.SSELECT_SIZES[dataset])]
        body.append([dataset, f"`{FILES[dataset]}`", *sizes, f"{facts['accuracy']:.3f}"])
    return markdown(["data set", "file", "here", "paper", "1NN, all features (5 folds, once)"], body)


def gain_text(run: Run) -> str:
    """Table 2, published / measured, and its average."""
    body = []
    for row in [*run.rows, None]:
        printed = published.SSELECT_TABLE_2[row] if row else published.SSELECT_TABLE_2_AVERAGE
        name = f"{row[0]}, {row[1]} labels" if row else "**average**"
        cells = []
        for over in OVERS:
            gains = run.gain(*row, over) if row else np.mean([run.gain(*each, over) for each in run.rows], axis=0)
            cells.append(f"{printed[over == LAPLACIAN]:+.3f} / {with_error(gains, '+')}")
        body.append([name, *cells])
    text = markdown(["", *(f"over {over}" for over in OVERS)], body)
    return f"### Table 2: accuracy gained by sSelect, mean over 5, 10, …, 50 features\n\n{text}"


def more_labels_text(run: Run) -> str:
    """Why the gain over the Fisher score does not grow: what labels add to either method."""
    body = []
    for dataset in run.datasets:
        cells = []
        for method in (SSELECT, FISHER, RANDOM_FISHER):
            printed = published_over_laplacian(dataset, method)
            cells.append(f"{printed[-1] - printed[0]:+.3f} / {with_error(run.more_labels(dataset, method), '+')}")
        body.append([dataset, *cells, with_error(run.more_labels(dataset, LAPLACIAN), "+")])
    printed_means = [
        np.mean([np.subtract(*published_over_laplacian(dataset, method)[::-2]) for dataset in run.datasets])
        for method in (SSELECT, FISHER, RANDOM_FISHER)
    ]
    means = [
        f"{old:+.3f} / {np.mean([run.more_labels(dataset, method).mean() for dataset in run.datasets]):+.3f}"
        for old, method in zip(printed_means, (SSELECT, FISHER, RANDOM_FISHER), strict=True)
    ]
    body.append(["**average**", *means, ""])
    note = (
        "The Laplacian score sees no labels, so the difference of the two columns of Table 2 is the published accuracy "
        "of the Fisher score above a line that does not move. What labels add to it is where paper and measurement "
        "part.\n"
    )
    text = markdown(
        ["accuracy with 10 labels less with 2", SSELECT, FISHER, RANDOM_FISHER, "Laplacian (measured)"], body
    )
    return f"### What 8 more labels add, derived from Table 2 / measured\n\n{note}\n{text}"


def class_by_class_text(run: Run) -> str:
    """The Fisher score that more labels do not help, next to the usual one, on draws of its own."""
    body = []
    for dataset, draws in run.fisher.items():
        printed = published_over_laplacian(dataset, FISHER)
        cells = [f"{printed[-1] - printed[0]:+.3f}"]
        for name in (FISHER, CLASS_BY_CLASS):
            found = np.array([[draw[str(count)][name] for count in PRINTED_LABELS] for draw in draws])
            levels = " ".join(f"{value:.3f}" for value in found.mean(axis=0))
            cells += [levels, with_error(found[:, -1] - found[:, 0], "+")]
        body.append([dataset, *cells])
    note = (
        "A Fisher score that divides class by class, Σ (μ_c - μ)² / σ_c², is infinite for every word that the labelled "
        "posts of one group lack, so hundreds of rare words tie at the top (here by column). It was looked for after "
        f"Table 2 was seen (seeds 0 to 7); these are {len(next(iter(run.fisher.values()), []))} other draws. That the "
        "paper used such a score is a guess.\n"
    )
    header = ["", "paper, 10 less 2 labels", f"{FISHER}: 2, 6, 10 labels", "10 less 2"]
    header += [f"{CLASS_BY_CLASS[8:]}: 2, 6, 10 labels", "10 less 2"]
    return f"### A Fisher score that labels do not help (measured on fresh draws)\n\n{note}\n{markdown(header, body)}"


def accuracy_text(run: Run) -> str:
    """The accuracies behind the gains, which the paper shows as curves only."""
    body = [
        [f"{dataset}, {count} labels", *(with_error(run.accuracy(dataset, count, method)) for method in BASIC)]
        for dataset, count in run.rows
    ]
    means = (np.mean([run.accuracy(*row, method) for row in run.rows], axis=0) for method in BASIC)
    body.append(["**average**", *map(with_error, means)])
    return f"### The accuracies themselves (measured)\n\n{markdown(['', *BASIC], body)}"


def curves_text(run: Run) -> str:
    """Figure 3 as numbers: accuracy at some numbers of features."""
    shown = [SIZES.index(size) for size in (5, 10, 20, 30, 50)]
    body = []
    for row in run.rows:
        means = {method: run.curves(*row, method).mean(axis=0) for method in (SSELECT, FISHER, LAPLACIAN)}
        cells = (" / ".join(f"{means[method][at]:.2f}" for method in means) for at in shown)
        body.append([f"{row[0]}, {row[1]} labels", *cells])
    header = ["sSelect / Fisher / Laplacian", *(f"{SIZES[at]} features" for at in shown)]
    picture = "![Figure 3 measured](../docs/images/papers_sselect_curves.png)\n"
    return (
        f"### Figure 3: accuracy by number of features (measured; the paper prints no numbers)\n\n{picture}\n"
        f"{markdown(header, body)}"
    )


def labels_text(run: Run) -> str:
    """Figures 5 and 6 as numbers: accuracy of sSelect by number of labels."""
    body = []
    for dataset in run.datasets:
        for method in (SSELECT, FISHER):
            cells = (with_error(run.accuracy(dataset, count, method)) for count in LABELS)
            body.append([f"{dataset}, {method}", *cells])
    picture = "![Figures 5, 6 and 7 c, d measured](../docs/images/papers_sselect_labels.png)\n"
    return (
        "### Figures 5 and 6: accuracy by number of labels, mean over 5, 10, …, 50 features (measured)\n\n"
        f"{picture}\n{markdown(['', *(f'{count} labels' for count in LABELS)], body)}"
    )


def lambda_text(run: Run) -> str:
    """Figures 4 and 7 (a, b) as numbers: accuracy and cut value for every λ."""
    body = []
    for dataset in run.datasets:
        few = run.sweep(dataset, MOST_LABELS, "few").mean(axis=0)
        body.append([f"{dataset}, {FEW} features, accuracy", *(f"{value:.3f}" for value in few)])
        cuts = np.nanmedian(run.sweep(dataset, MOST_LABELS, "cut"), axis=0)
        body.append(
            [
                f"{dataset}, {FEW} features, cut (median)",
                *("0" if value <= ZERO_CUT else f"{value:.0e}" for value in cuts),
            ]
        )
        for count in PRINTED_LABELS:
            many = run.sweep(dataset, count, "many").mean(axis=0)
            name = f"{dataset}, {MANY} features, {count} labels, accuracy"
            body.append([name, *(f"**{value:.3f}**" if value == many.max() else f"{value:.3f}" for value in many)])
    picture = "![Figures 4 and 7 a, b measured](../docs/images/papers_sselect_lambda.png)\n"
    return (
        f"### Figures 4 and 7: λ, accuracy and cut value (measured; {MOST_LABELS} labels where none are named)\n\n"
        f"{picture}\n{markdown(['λ', *(f'{value:.1f}' for value in LAMBDAS)], body)}"
    )


def choice_text(run: Run) -> str:
    """λ = 0.1 against 0.9 and against Algorithm 3."""
    at, body = SIZES.index(FEW), []
    for dataset in run.datasets:
        top = [run.curves(dataset, MOST_LABELS, name)[:, at] for name in (SSELECT, HIGH, AUTO)]
        chosen = Counter(run.each(dataset, MOST_LABELS, "sweep", "auto"))
        tally = ", ".join(f"{value:.1f} ({times}×)" for value, times in sorted(chosen.items()))
        zeros = np.mean((run.sweep(dataset, MOST_LABELS, "cut") <= ZERO_CUT).sum(axis=1))
        gains = [with_error(run.gain(dataset, MOST_LABELS, over, AUTO), "+") for over in (SSELECT, FISHER)]
        full = (run.full_cuts[dataset] <= ZERO_CUT).mean()
        body.append([dataset, *map(with_error, top), *gains, tally, f"{zeros:.1f}", f"{full:.0%}"])
    header = ["", f"{FEW} features, λ = 0.1", "λ = 0.9", "λ auto", "auto minus λ = 0.1, 5 to 50 features"]
    header += [
        "auto minus Fisher",
        "λ that auto chose",
        "λ's of 11 with a cut of 0, mean",
        "cuts of 0, RBF of all pairs",
    ]
    return f"### Algorithm 3: the λ of the smallest cut, {MOST_LABELS} labels (measured)\n\n{markdown(header, body)}"


def terms_text(run: Run) -> str:
    """Footnote 4 and the text on Figure 7 (c): how many words have which score of the label term."""
    words = published.SSELECT_SIZES["PCMAC"][1]
    body = []
    for count, printed in published.SSELECT_LABEL_SCORES.items():
        for value, number in printed.items():
            cells = []
            for dataset in run.datasets:
                tallies = run.each(dataset, count, "terms", "labels")
                shares = [tally.get(value, 0) / sum(tally.values()) for tally in tallies]
                cells.append(f"{np.mean(shares):.2%}")
            body.append([f"{count} labels, score {value}", f"{number} words, {number / words:.2%}", *cells])
        others = []
        for dataset in run.datasets:
            tallies = run.each(dataset, count, "terms", "labels")
            rest = [sum(n for v, n in tally.items() if v not in printed) / sum(tally.values()) for tally in tallies]
            others.append(f"{np.mean(rest):.2%}")
        body.append([f"{count} labels, other values", "0", *others])
    title = "### Footnote 4: words by their score of the label term, published (one draw) and measured (mean share)"
    return f"{title}\n\n{markdown(['', 'paper', *run.datasets], body)}"


def blank_text(run: Run) -> str:
    """How many posts hold none of the 50 best words, and how many words the Fisher score can tell apart."""
    body = [
        [f"{row[0]}, {row[1]} labels", *(f"{np.mean(run.each(*row, 'blank', method)):.2f}" for method in BASIC)]
        + [f"{np.median(run.each(*row, 'fisher', fact)):.0f}" for fact in ("words", "values")]
        for row in run.rows
    ]
    header = ["", *BASIC, "words with a Fisher score (median)", "different scores (median)"]
    return f"### Share of posts with none of the 50 chosen words (measured)\n\n{markdown(header, body)}"


def ties_text(run: Run) -> str:
    """What 1NN's rule for ties does to the average gain."""
    lines = []
    for over in OVERS:
        by_place = np.mean([run.gain(*row, over, kind="by place").mean() for row in run.rows])
        wins = np.mean([run.gain(*row, over) > 0 for row in run.rows])
        lines.append(
            f"- sSelect over {over}: it wins {wins:.0%} of the single trials; with 1NN's ties decided by place in the "
            f"file the average gain is {by_place:+.3f}"
        )
    return "\n".join(lines) + "\n"

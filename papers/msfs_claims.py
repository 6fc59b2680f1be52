"""The statements of dissertation chapter 5, each counted on the sets that can test it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msfs_data import ALL, TWO, UNTOLD
from msfs_run import COUNTED, FIVE, GENES, FloatArray, Run, better, higher, more_than_two
from msfs_trials import FISHER, LAPLACIAN, LEARNED, RELIEFF, SHARES, SPCA, mixture
from scipy import stats
from summary import Claim

Rule = Callable[[str], tuple[bool, str]]  # of a study: whether it holds there, and the numbers
Statement = tuple[str, str, Sequence[str], Rule]  # where it stands, its text, the studies that can test it, its rule

BASELINES = (LAPLACIAN, SPCA)
SINGLE = ("mRNA", "miRNA", "function", "pathway", "GO")
COMB_2C = ("COMB-1, weights of 2C", "COMB-2, weights of 2C")
COMB_4C = ("COMB-1, weights of 4C", "COMB-2, weights of 4C")
WEIGHED = LEARNED["discriminant"]
SUPERVISED = (FISHER, RELIEFF, WEIGHED)


def on_most(run: Run, studies: Sequence[str], rule: Rule) -> tuple[bool | None, str]:
    """The chapter has one set of data: a statement holds if it holds on more than half of the sets that were run."""
    found = {study: rule(study) for study in studies if study in run.trials}
    text = "; ".join(f"{study}: {'yes' if holds else 'no'}, {numbers}" for study, (holds, numbers) in found.items())
    count = sum(holds for holds, _ in found.values())
    verdict = bool(count > len(found) / 2) if found else None
    return verdict, f"on {count} of {len(found)} sets. {text}" if found else "no set was run"


def present(run: Run, study: str, rows: Sequence[str]) -> list[str]:
    """Those of the rows that a study has."""
    return [row for row in rows if run.has(study, row)]


def accuracies(run: Run, study: str, rows: Sequence[str], tested: str, learned: str | None = None) -> str:
    """Short names with their means."""
    return ", ".join(f"{short(row)} {run.ave(study, row, tested, learned).mean():.3f}" for row in rows)


def hit_ratios(run: Run, study: str, rows: Sequence[str]) -> str:
    """Short names with their shares of known cancer genes."""
    return ", ".join(f"{short(row)} {run.hit_ratio(study, row, TWO):.2f}" for row in rows)


def short(row: str) -> str:
    """A row's name without what every row of its kind has."""
    name = row.removesuffix(" (labels)").split(", weights")[0]
    return name.replace("combined, discriminant", "learned weights").removesuffix(" score")


def ahead(
    run: Run,
    ours: Sequence[str],
    theirs: Sequence[str],
    tested: str,
    learned: str | None = None,
    beats: Callable[[FloatArray, FloatArray], bool] = higher,
) -> Rule:
    """Every one of ours is more accurate than every one of theirs."""

    def rule(study: str) -> tuple[bool, str]:
        mine, others = present(run, study, ours), present(run, study, theirs)
        values = {row: run.ave(study, row, tested, learned) for row in [*mine, *others]}
        holds = all(beats(values[one], values[two]) for one in mine for two in others)
        numbers = accuracies(run, study, mine, tested, learned)
        return holds, f"{numbers} against {accuracies(run, study, others, tested, learned)}"

    return rule


def the_best(run: Run, ours: Sequence[str], rows: Sequence[str], tested: str) -> Rule:
    """The most accurate of the rows is one of ours."""

    def rule(study: str) -> tuple[bool, str]:
        best = max(present(run, study, rows), key=lambda row: run.ave(study, row, tested).mean())
        return best in ours, f"best {accuracies(run, study, [best], tested)}"

    return rule


def most_hits(run: Run, ours: str, theirs: Sequence[str]) -> Rule:
    """One row has more known cancer genes than every other, mean over the sizes."""

    def rule(study: str) -> tuple[bool, str]:
        others = present(run, study, theirs)
        most = max(others, key=lambda row: run.hit_ratio(study, row, TWO))
        holds = run.hit_ratio(study, ours, TWO) > run.hit_ratio(study, most, TWO)
        return holds, f"{hit_ratios(run, study, [ours])}, most of the others {hit_ratios(run, study, [most])}"

    return rule


def first_two(run: Run) -> str:
    """How many of the first two genes of these rows are on the list: no verdict, the chapter's list is much longer."""
    rows = ("miRNA", "function", *COMB_2C)
    found = {study: [run.hits(study, row, TWO)[:, 0].mean() for row in rows] for study in FIVE if study in run.trials}
    numbers = "; ".join(
        f"{study}: " + ", ".join(f"{short(row)} {value:.2f}" for row, value in zip(rows, values, strict=True))
        for study, values in found.items()
    )
    return f"counts of hits need the chapter's list, which is much longer than the one here. Mean of 2: {numbers}"


def graph_of(run: Run, study: str, source: str) -> float:
    """The share of nearest samples, by one source, that have the same class."""
    return float(run.folds(study, "neighbours", TWO, source).mean())


def finer_graph(run: Run) -> Rule:
    """Nearest samples by miRNA agree in class more often than by mRNA."""

    def rule(study: str) -> tuple[bool, str]:
        one, two = graph_of(run, study, "miRNA"), graph_of(run, study, "mRNA")
        return one > two, f"{one:.3f} against {two:.3f}"

    return rule


def better_graph_better_genes(run: Run) -> Rule:
    """Over the sources, the share of nearest samples of the same class goes with the accuracy of the chosen genes."""

    def rule(study: str) -> tuple[bool, str]:
        sources = run.sources(study)
        graphs = [graph_of(run, study, source) for source in sources]
        genes = [run.ave(study, source, TWO).mean() for source in sources]
        order = float(stats.kendalltau(graphs, genes).statistic)
        return order > 0, f"rank correlation {order:+.2f} of {len(sources)} sources"

    return rule


def beats_every_source(run: Run) -> Rule:
    """The better of COMB-1 and COMB-2 is more accurate than every single source of the chapter."""

    def rule(study: str) -> tuple[bool, str]:
        ours = max(present(run, study, COMB_2C), key=lambda row: run.ave(study, row, TWO).mean())
        best = max(present(run, study, SINGLE), key=lambda row: run.ave(study, row, TWO).mean())
        holds = higher(run.ave(study, ours, TWO), run.ave(study, best, TWO))
        return holds, accuracies(run, study, [ours, best], TWO)

    return rule


def inner_optimum(run: Run) -> Rule:
    """The best share of the first half of the trials lies inside and beats both ends in the second half."""

    def rule(study: str) -> tuple[bool, str]:
        values = np.array([run.ave(study, mixture(share), TWO) for share in SHARES])
        half = max(1, values.shape[1] // 2)
        chosen = int(values[:, :half].mean(axis=1).argmax())
        fresh = values[:, half:] if values.shape[1] > 1 else values
        ends = fresh[[0, -1]].mean(axis=1)
        holds = 0 < chosen < len(SHARES) - 1 and fresh[chosen].mean() > ends.max()
        numbers = f"share {SHARES[chosen]:.1f} chosen, in the other trials {fresh[chosen].mean():.3f}"
        return bool(holds), f"{numbers}, function alone {ends[0]:.3f}, miRNA alone {ends[1]:.3f}"

    return rule


def harder(run: Run) -> Rule:
    """Both baselines are less accurate on all classes than on two."""

    def rule(study: str) -> tuple[bool, str]:
        pairs = [(run.ave(study, row, ALL).mean(), run.ave(study, row, TWO).mean()) for row in BASELINES]
        return all(one < two for one, two in pairs), ", ".join(f"{one:.3f} after {two:.3f}" for one, two in pairs)

    return rule


def loses_with_other_classes(run: Run) -> Rule:
    """On all classes, genes learned from two classes are less accurate than genes learned from all."""

    def rule(study: str) -> tuple[bool, str]:
        rows = (FISHER, RELIEFF)
        holds = all(higher(run.ave(study, row, ALL), run.ave(study, row, ALL, TWO)) for row in rows)
        numbers = accuracies(run, study, rows, ALL, TWO)
        return holds, f"{numbers} instead of {accuracies(run, study, rows, ALL)}"

    return rule


def learned_like_printed(run: Run) -> Rule:
    """Function has the largest learned weight, mRNA none."""

    def rule(study: str) -> tuple[bool, str]:
        weights = run.folds(study, "weights", TWO, WEIGHED).mean(axis=0)
        found = dict(zip(run.sources(study), weights, strict=True))
        holds = max(found, key=lambda name: found[name]) == "function" and found["mRNA"] < 0.005
        return holds, ", ".join(f"{name} {weight:.2f}" for name, weight in found.items())

    return rule


def accurate_is_not_relevant(run: Run) -> tuple[bool | None, str]:
    """On some set the more accurate of Fisher and Laplacian score has fewer known cancer genes."""
    found, numbers = [], []
    for study in (study for study in GENES if study in run.trials):
        by_accuracy = sorted((LAPLACIAN, FISHER), key=lambda row: run.ave(study, row, TWO).mean())
        found.append(run.hit_ratio(study, by_accuracy[1], TWO) < run.hit_ratio(study, by_accuracy[0], TWO))
        pairs = (
            f"{short(r)} {run.ave(study, r, TWO).mean():.3f}, {run.hit_ratio(study, r, TWO):.2f}" for r in by_accuracy
        )
        numbers.append(f"{study}: {' and '.join(pairs)}")
    return (any(found) if found else None), "accuracy, hits: " + "; ".join(numbers)


def untold(run: Run) -> str:
    """How many hits of the pathway rows are left without the genes that the sources name."""
    studies = [study for study in GENES if study in run.trials]
    return "; without genes that a source names: " + ", ".join(
        f"{s} {run.hit_ratio(s, 'pathway', TWO, UNTOLD):.2f} and {run.hit_ratio(s, 'mRNA', TWO, UNTOLD):.2f}"
        for s in studies
    )


def claims(run: Run) -> list[Claim]:
    """All statements; where a set lacks a source, the rows that it has are counted."""
    statements = [*two_classes(run), *more_classes(run), *with_labels(run)]
    found = [Claim(where, text, *on_most(run, studies, rule)) for where, text, studies, rule in statements]
    holds, numbers = on_most(run, GENES, most_hits(run, "pathway", ("mRNA",)))
    found.append(Claim("§5.4.1", "Pathways find more known cancer genes than mRNA alone", holds, numbers + untold(run)))
    found.append(
        Claim("§5, Table 5.1", "More accurate genes need not be more relevant", *accurate_is_not_relevant(run))
    )
    two = "The first two genes by miRNA, function, COMB-1 and COMB-2 are all known cancer genes"
    found.append(Claim("§5.4.1", two, None, first_two(run)))
    no_list = "needs the literature on each gene, and the chapter's samples"
    found.append(Claim("§5.4.4", "17 of the top 20 genes of COMB-2 are confirmed cancer genes", None, no_list))
    return found


def two_classes(run: Run) -> list[Statement]:
    """§5.4.1: without labels, two classes."""
    chapter = (*SINGLE, *COMB_2C, *BASELINES)
    return [
        (
            "§5.4.1",
            "Two classes: miRNA, COMB-1 and COMB-2 choose significantly better genes than the Laplacian score and SPCA",
            FIVE,
            ahead(run, ("miRNA", *COMB_2C), BASELINES, TWO, beats=better),
        ),
        (
            "§5.4.1",
            "Two classes: the best accuracy without labels is that of miRNA, COMB-1 or COMB-2",
            FIVE,
            the_best(run, ("miRNA", *COMB_2C), chapter, TWO),
        ),
        (
            "§5.4.1",
            "COMB-2 finds the most known cancer genes of all rows without labels",
            FIVE,
            most_hits(run, COMB_2C[1], (*SINGLE, COMB_2C[0], *BASELINES)),
        ),
        ("§5.4.1", "The miRNA similarity tells the classes apart better than that of mRNA", FIVE, finer_graph(run)),
        ("§5.4.1", "A better sample similarity gives better genes", COUNTED, better_graph_better_genes(run)),
        ("§5.4.1", "A combination of sources beats every single source", GENES, beats_every_source(run)),
        ("Fig. 5.5c", "The best proportion of miRNA and function uses both", FIVE, inner_optimum(run)),
    ]


def more_classes(run: Run) -> list[Statement]:
    """§5.4.2: without labels, more classes."""
    fine = more_than_two(run, COUNTED)
    return [
        ("§5.4.2", "The baselines without labels are worse with more classes", fine, harder(run)),
        (
            "§5.4.2",
            "More classes: miRNA, function, pathway, COMB-1 and COMB-2 are better than the Laplacian score and SPCA",
            more_than_two(run, GENES),
            ahead(run, ("miRNA", "function", "pathway", *COMB_4C), BASELINES, ALL),
        ),
    ]


def with_labels(run: Run) -> list[Statement]:
    """§5.4.3: against methods with labels, and tested on other classes than chosen for."""
    fine, five = more_than_two(run, COUNTED), more_than_two(run, FIVE)
    return [
        (
            "§5.4.3",
            "Fisher score is the most accurate of the methods with labels",
            COUNTED,
            the_best(run, (FISHER,), SUPERVISED, TWO),
        ),
        (
            "§5.4.3",
            "Learned weights find the most known cancer genes of the methods with labels",
            GENES,
            most_hits(run, WEIGHED, (FISHER, RELIEFF)),
        ),
        (
            "§5.4.3",
            "COMB-2 finds more known cancer genes than every method with labels",
            GENES,
            most_hits(run, COMB_2C[1], SUPERVISED),
        ),
        (
            "Table 5.5",
            "The experts' COMB-2 is more accurate than learned weights",
            GENES,
            ahead(run, COMB_2C[1:], (WEIGHED,), TWO),
        ),
        ("Footnote 5", "Learned weights prefer function and give nothing to mRNA", FIVE, learned_like_printed(run)),
        (
            "§5.4.3",
            "Chosen for two classes and tested on more: miRNA, COMB-1 and COMB-2 are better than the methods"
            " with labels",
            five,
            ahead(run, ("miRNA", *COMB_2C), SUPERVISED, ALL, TWO),
        ),
        (
            "§5.4.3",
            "Supervised genes hinge on the class definition (here: those of Fisher score and ReliefF for two classes"
            " are worse on more classes than those chosen for these)",
            fine,
            loses_with_other_classes(run),
        ),
    ]

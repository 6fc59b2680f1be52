"""Write a summary as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from eigenselect.exceptions import agreeing, counted
from eigenselect.reporting.facts import AccuracyFacts, Alert
from eigenselect.reporting.significance import TRAP, evidence_columns, probability_text
from eigenselect.reporting.summary import ComparisonSummary, MethodSummary, RankingSummary, Summary
from eigenselect.reporting.view_types import Views

#: features listed where all were kept
LISTED = 20


def as_markdown(summary: Summary) -> str:
    """Write the summary of a ranking or a comparison as Markdown; names are text, whatever they hold."""
    parts = _comparison(summary) if summary["kind"] == "comparison" else _ranking(summary)
    return "\n\n".join(parts) + "\n"


def _ranking(summary: RankingSummary) -> list[str]:
    rows = summary["features"] if summary["cut"] else summary["features"][:LISTED]
    evidence = evidence_columns(summary["significance"])
    listed = [
        [
            "" if row["rank"] is None else row["rank"],
            row["feature"],
            _number(row["score"]),
            _number(row["native_score"]),
            *(probability_text(row[key], undefined="") for key in evidence.values()),
        ]
        for row in rows
    ]
    native = f"native score ({summary['native_direction']} is good)"
    parts = [
        f"# {plain(summary['title'] or 'Features')}: {summary['method']}",
        *_method(summary),
        *_answer(summary),
        table(["", ""], _facts(summary)),
        *(_alerts(summary["alerts"]) if "alerts" in summary else _warnings(summary)),
        *_significance(summary),
        *_evaluation(summary),
        "## Features",
        table(["rank", "feature", "score", native, *evidence], listed) if listed else "No feature is kept.",
    ]
    hidden = summary["n_features"] - len(listed) if listed else 0
    more = [f"… and {hidden} more."] if hidden else []
    return [*parts, *more, *_near_copies(summary), *_sources(summary), *_paper(summary)]


def _sources(summary: RankingSummary) -> list[str]:
    """List the sources: weight, kind, and what each shares with the table."""
    if not summary["sources"]:
        return []
    rows = []
    for name, source in summary["sources"].items():
        told = [match["sentence"] for match in source["matches"]]
        told += [source["enrichment"]["sentence"]] if "enrichment" in source else []
        similarity = source["graph"] or source["similarity"]
        rows.append([name, _number(source["weight"]), source["kind"], similarity, "; ".join(told)])
    listed = table(["source", "weight", "kind", "similarity", "shared with the table"], rows)
    return ["## Sources", f"Weights: {plain(summary['weights'])}.", listed]


def _paper(summary: RankingSummary) -> list[str]:
    """Write what a paper needs: methods, references, and what makes the run again."""
    if "paper" not in summary:
        return []
    facts = summary["paper"]
    again = {
        "SHA-256": facts["data_hash"],
        "label": facts["label"],
        "scaling": facts["scaling"],
        "seed": facts["seed"],
        "versions": ", ".join(f"{name} {version}" for name, version in facts["versions"].items()),
        "date": facts["date"],
    }
    return [
        "## For the paper",
        plain(facts["methods"]),
        "\n".join(f"- {plain(reference['text'])}" for reference in facts["references"]),
        _fenced("\n\n".join(reference["bibtex"] for reference in facts["references"]), "bibtex"),
        "Made again by",
        _fenced(facts["command"]),
        "\n".join(f"- {name}: {plain(value)}" for name, value in again.items()),
    ]


def _fenced(text: str, language: str = "") -> str:
    """Put text into a block in which nothing means anything, whatever marks it holds.

    >>> print(_fenced("a ``` b"))
    ````
    a ``` b
    ````
    """
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _method(summary: RankingSummary) -> list[str]:
    """Say what the method is, and what it looks for where its row says that in other words."""
    words = summary["method_words"]
    looks = f" It looks for this: {plain(words)}." if words and words not in summary["method_summary"] else ""
    return [f"Method: {plain(summary['method_summary'])}.{looks}"]


def _answer(summary: Summary) -> list[str]:
    """Write the headline, and each sentence after its question."""
    if "answer" not in summary:
        return []
    said = [f"- **{plain(each['question'])}** {plain(each['sentence'])}" for each in summary["answer"]["sentences"]]
    return ["## Answer", f"{plain(summary['answer']['headline'])}.", "\n".join(said)]


def _alerts(alerts: list[Alert]) -> list[str]:
    """List the alerts under their number."""
    listed = ["\n".join(f"- {plain(alert['sentence'])}" for alert in alerts)] * bool(alerts)
    return [f"## {counted(len(alerts), 'alert') if alerts else 'No alerts'}", *listed]


def _significance(summary: RankingSummary) -> list[str]:
    """Say how many features are discoveries, and what that rests on; or why none is tested, unless the answer does."""
    facts = summary["significance"]
    if facts is None:
        return [] if "answer" in summary else ["## Significance", summary["untested"]]
    return ["## Significance", f"{TRAP} {facts['rests_on']}", facts["sentence"]]


def _evaluation(summary: RankingSummary) -> list[str]:
    """Say what refits say, each number beside that of permuted data, or why there is none."""
    facts = summary.get("evaluation")
    if facts is None:
        return []
    rows = [["held-out accuracy", _accuracy_text(facts["accuracy"])]] if facts["accuracy"] else []
    if stability := facts["stability"]:
        kept = f"overlap of {stability['n_refits']} refits beyond chance"
        null = f"with {stability['of']} permuted, and nothing else, {stability['permuted']:.2f}"
        rows.append(["stability", f"{stability['overlap']:.2f} {kept}; {null}"])
    if band := facts["band"]:
        best = f"the best feature of {band['n_permutations']} fits to permuted data ({band['of']})"
        above = band["n_above"]
        chance = f"noise has one or more in 1 of {band['n_permutations'] + 1} tables"
        rows.append(
            [
                "scores",
                f"{above} of {summary['n_ordered']} features {agreeing(above, 'score[s|]')} more than {best}; {chance}",
            ]
        )
    rows += [[name, f"not measured: {reason}"] for name, reason in facts["missing"].items()]
    return ["## Evaluation", table(["", ""], rows)]


def _accuracy_text(facts: AccuracyFacts) -> str:
    """Write the accuracy beside its null."""
    told = "beyond chance" if facts["beyond_chance"] else "chance alone may give as much"
    return (
        f"{facts['mean']:.3f} ± {facts['deviation']:.3f} over {facts['n_folds']} folds (nearest neighbour in the kept "
        f"features); largest class {facts['largest_class']:.3f}, permuted labels {facts['permuted']:.3f}: {told}"
    )


def _near_copies(summary: RankingSummary) -> list[str]:
    """List near-copies of the selection, where that view was asked for."""
    rows = summary["views"].get("near_copies") if "views" in summary else None
    if not rows:
        return []
    listed = [
        [row["feature"], row["count"], ", ".join(row["copies"]) + (", …" if row["count"] > len(row["copies"]) else "")]
        for row in rows
    ]
    return ["## Near-copies of the selection", table(["feature", "near-copies", "the nearest"], listed)]


def _facts(summary: RankingSummary) -> list[list[Any]]:
    graph, scores = summary["graph"], summary["scores"]
    facts: list[list[Any]] = [["samples", summary["n_samples"]], ["features", summary["n_features"]]]
    if summary["cut"]:
        facts.append(["kept", f"{summary['n_selected']} ({summary['rule']})"])
    if summary["significance"] is None:  # noise has a knee, too, and q-values say more
        facts.append(["knee of the scores", scores["knee"]])
    if scores["n_undefined"]:
        facts.append(["features without a score", scores["n_undefined"]])
    if graph:
        made_of = f" of {graph['made_of']}" if "made_of" in graph else ""
        facts += [["graph", f"{graph.get('similarity', 'given')}{made_of}"], ["components", graph["n_components"]]]
        facts.append(["isolated samples", graph["n_isolated"]])
    return facts + _view_facts(summary)


def _view_facts(summary: RankingSummary) -> list[list[Any]]:
    """List what the views say that were asked for."""
    views = summary["views"] if "views" in summary else Views()
    redundancy, spectrum, separation = views.get("redundancy"), views.get("spectrum"), views.get("separation")
    facts = []
    if redundancy and redundancy["rate"] == redundancy["rate"]:
        whose = "the selection" if summary["cut"] and summary["n_selected"] else f"the {redundancy['n_measured']} best"
        chance = f"independent features give {_number(redundancy['chance'])}"
        facts.append(["redundancy", f"{_number(redundancy['rate'])} mean absolute correlation of {whose}; {chance}"])
    if spectrum:
        facts.append(["spectrum", f"of {spectrum['of']}: {spectrum['sentence']}"])
    if separation:
        facts.append(["picture of the samples", separation["sentence"]])
    return facts


def _comparison(summary: ComparisonSummary) -> list[str]:
    methods, best, near = summary["methods"], summary["best"], summary["near_best"]
    sizes = list(next(iter(methods.values()))["accuracy"])
    accuracies = [f"accuracy, {size} (permuted)" for size in sizes]
    rows = [
        [
            plain(name),
            *(_accuracy(row, size, marked=best[size] == name, near=name in near[size]) for size in sizes),
            _number(row["redundancy"]),
            _beside(_number(row["stability"]), row["stability_permuted"]),
            _number(row["seconds"]),
        ]
        for name, row in methods.items()
    ]
    names = list(methods)
    shared = [[name, *(_share(methods[name]["shared"].get(other)) for other in names)] for name in names]
    agreement = [[name, *(_number(methods[name]["agreement"].get(other)) for other in names)] for name in names]
    chosen = [[plain(name), ", ".join(plain(feature) for feature in methods[name]["features"])] for name in names]
    return [
        f"# {plain(summary['title'] or 'Features')}: {len(names)} methods",
        f"{summary['n_samples']} samples, {summary['n_features']} features, {summary['n_selected']} kept by each "
        f"method; always the largest class: {_number(summary['chance'])}.",
        *_answer(summary),
        *_alerts(summary.get("alerts", [])),
        "## Methods",
        table(["method", *accuracies, "redundancy", "stability (permuted)", "seconds"], rows, escaped=False),
        f"Accuracy: mean and deviation over {summary['n_folds']} folds, in brackets for permuted labels (mean of "
        f"{summary['n_permutations']} permutations), as for the stability. In italics: within the deviation of the "
        f"highest. {summary['best_sentence']}",
        *_consensus(summary),
        "## Shared features",
        table(["", *names], shared),
        f"Two selections at random share {_share(summary['shared_by_chance'])}, methods that use the same labels more, "
        "also on noise.",
        "## Rank correlation",
        table(["", *names], agreement),
        "## Selections",
        table(["method", "features"], chosen, escaped=False),
    ]


def _consensus(summary: ComparisonSummary) -> list[str]:
    """List features by how many methods keep them, with their ranks, and how many as many methods keep by chance."""
    view, names = summary["consensus"], list(summary["methods"])
    rows = [
        [feature, count, *("" if view["ranks"][name][place] is None else view["ranks"][name][place] for name in names)]
        for place, (feature, count) in enumerate(zip(view["feature"], view["count"], strict=True))
    ]
    counts = [
        [row["n_methods"], row["n_features"], f"{row['random']:.1f}", f"{row['permuted']:.1f}"]
        for row in view["at_least"]
        if row["n_methods"] > 1
    ]
    hidden = view["n_kept"] - len(rows)
    return [
        "## Consensus",
        table(["feature", "kept by", *names], rows),
        *([f"… and {hidden} more."] if hidden else []),
        *([table(["kept by at least", "features", "at random", "permuted labels"], counts)] if counts else []),
    ]


def _warnings(summary: Summary) -> list[str]:
    return ["\n".join(f"> **Warning:** {plain(note)}" for note in summary["warnings"])] if summary["warnings"] else []


def table(header: Sequence[Any], rows: Sequence[Sequence[Any]], *, escaped: bool = True) -> str:
    """Write a Markdown table."""
    clean = plain if escaped else str
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(clean(cell) if i != 1 else str(cell) for cell in line) + " |"
                     for i, line in enumerate(lines))  # fmt: skip


def plain(value: Any) -> str:
    """Write text in one line, so that neither Markdown nor HTML in it means anything.

    >>> plain("a|b <i>")
    'a&#124;b &#60;i&#62;'
    """
    text = " ".join(str(value).split()).replace("&", "&amp;")
    for mark in "\\`*_[]<>|~$":
        text = text.replace(mark, f"&#{ord(mark)};" if mark in "<>|$" else f"\\{mark}")
    return text


def _number(value: float | None) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.4g}".replace("inf", "∞")


def _accuracy(row: MethodSummary, size: str, *, marked: bool, near: bool) -> str:
    """Write mean and deviation over the folds, bold if marked, else italic if near, and what permuted labels give."""
    if row["accuracy"][size] != row["accuracy"][size]:  # beyond what the method orders
        return ""
    text = f"{row['accuracy'][size]:.3f} ± {row['accuracy_deviation'][size]:.3f}"
    mark = "**" if marked else "_" if near else ""
    return _beside(f"{mark}{text}{mark}", row["accuracy_permuted"][size])


def _beside(text: str, permuted: float) -> str:
    return f"{text} ({permuted:.3f})" if permuted == permuted else text


def _share(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.0%}"

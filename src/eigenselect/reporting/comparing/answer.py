"""What a comparison answers, in sentences that are also true of noise, and what its readers should know first.

Every number stands beside what it is worth without structure: the largest class alone, permuted labels, selections at
random. A best method is named only where `eigenselect.reporting.comparing.permuted.best_methods` names one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from eigenselect.exceptions import counted
from eigenselect.reporting.facts import Alert, AnswerFacts, AnswerSentence
from eigenselect.reporting.summary import ComparisonSummary

#: methods or features that a sentence names, and letters that it keeps of a name
NAMED, LETTERS = 5, 60


def add_comparison_answer(summary: ComparisonSummary) -> ComparisonSummary:
    """Add the answer and the alerts to a summary of plain values."""
    return {**summary, "answer": answer_of(summary), "alerts": alerts_of(summary)}


def answer_of(summary: ComparisonSummary) -> AnswerFacts:
    """Answer which method predicts best, whether any does, which choose alike, what all keep, how stable that is."""
    parts = [
        ("Which predicts best?", _prediction(summary)),
        ("More than chance?", _beyond_chance(summary)),
        ("Which choose alike?", _alike(summary)),
        ("What do all keep?", _consensus(summary)),
        ("How stable?", _stability(summary)),
    ]
    sentences: list[AnswerSentence] = [{"question": question, "sentence": told} for question, told in parts if told]
    return {"headline": _headline(summary), "sentences": sentences}


def _headline(summary: ComparisonSummary) -> str:
    """Say the most that the accuracies allow."""
    winners = _winners(summary)
    if not any(_beyond(summary, size) for size in summary["best"]):
        return "No method is shown to predict more than permuted labels do"
    if winners:
        parts = [f"{short(name)} with {with_features(sizes)}" for name, sizes in winners.items()]
        return f"Best at prediction: {'; '.join(parts)}"
    if len(summary["methods"]) == 1:
        return f"{short(next(iter(summary['methods'])))} predicts more than permuted labels do"
    return "No method stands out: none is better than all others by more than the folds spread"


def _winners(summary: ComparisonSummary) -> dict[str, list[str]]:
    """Numbers of features by the method that is best with them."""
    found = dict[str, list[str]]()
    for size, name in summary["best"].items():
        if name is not None:
            found.setdefault(name, []).append(size)
    return found


def _prediction(summary: ComparisonSummary) -> str:
    """Quote accuracies: of the best and the next where one is best, else with about as many features as are kept."""
    winners = {size: name for size, name in summary["best"].items() if name is not None}
    if not winners:
        return _without_a_best(summary, quoted_size(summary))
    said = []
    for size, name in winners.items():
        following = _by_accuracy(summary, size)[1]
        said.append(
            f"With {with_features([size])} {_accuracy(summary, name, size)}, next "
            f"{_accuracy(summary, following, size)}: beyond the spread of the folds and beyond permuted labels "
            f"({_range(summary, size)})."
        )
    others = [size for size in summary["best"] if size not in winners]
    said += [f"With {with_features(others)} none stands out."] if others else []
    return " ".join([*said, f"The largest class alone gives {summary['chance']:.2f}."])


def _without_a_best(summary: ComparisonSummary, size: str | None) -> str:
    """Quote accuracies that all lie within the spread, or among those of permuted labels."""
    if size is None:
        return "No method orders enough features to predict with."
    names, near = _by_accuracy(summary, size), summary["near_best"][size]
    chance = f"permuted labels give {_range(summary, size)}, the largest class alone {summary['chance']:.2f}."
    quoted = in_words(_accuracy(summary, name, size) for name in names)
    told = f"With {with_features([size])}: {quoted}"
    if len(names) < 2 or not _beyond(summary, size):
        return f"{told}; {chance}"
    if len(near) == len(names):
        return f"{told}, all within the deviation of the highest; {chance}"
    if len(near) > 1:
        return f"{told}; {len(near)} of {len(names)} lie within the deviation of the highest; {chance}"
    if names[0] not in _beyond(summary, size):
        return f"{told}; {chance}"
    return f"{told}, but the first is not ahead of every other by more than the folds spread; {chance}"


def _beyond_chance(summary: ComparisonSummary) -> str:
    """Count the methods that are above permuted labels by more than the folds spread, and name those that are not."""
    size = quoted_size(summary)
    if size is None:
        return ""
    names, beyond = _by_accuracy(summary, size), _beyond(summary, size)
    told = (
        f"With {with_features([size])} {len(beyond)} of {counted(len(names), 'method')} "
        f"{'is' if len(beyond) == 1 else 'are'} above all permuted labels by more than the folds spread"
    )
    missing = [name for name in names if name not in beyond]
    told += (
        f"; {in_words(map(short, missing))} {'is' if len(missing) == 1 else 'are'} not."
        if (missing and beyond)
        else "."
    )
    low = [name for name in beyond if summary["methods"][name]["accuracy"][size] <= summary["chance"]]
    if low:
        told += f" {in_words(map(short, low))}: not above the largest class alone ({summary['chance']:.2f})."
    return told


def _alike(summary: ComparisonSummary) -> str:
    """Name the two methods that share most of their features, and the two that share fewest."""
    if summary["n_selected"] == summary["n_features"]:
        return "Every method keeps all features, so their selections are the same."
    methods = summary["methods"]
    pairs = [pair for pair in combinations(methods, 2) if methods[pair[0]]["shared"][pair[1]] >= 0.0]  # not NaN
    if not pairs:
        return ""
    pairs.sort(key=lambda pair: -methods[pair[0]]["shared"][pair[1]])
    told = _pair(summary, *pairs[0], most="the most" if len(pairs) > 1 else "")
    if len(pairs) > 1:
        told += f"; {_pair(summary, *pairs[-1], most='the least')}"
    return f"{told}. Two selections at random share {summary['shared_by_chance']:.0%}."


def _pair(summary: ComparisonSummary, one: str, other: str, most: str) -> str:
    """Say how much two methods share, and how much of that without the meaning of the labels."""
    facts = summary["methods"][one]
    labels = [name for name in (one, other) if summary["methods"][name]["uses_labels"]]
    beside = f"with permuted labels {facts['shared_permuted'][other]:.0%}" if labels else "neither uses labels"
    share = f"{most}, {facts['shared'][other]:.0%}" if most else f"{facts['shared'][other]:.0%} of their features"
    return f"{short(one)} and {short(other)} share {share} ({beside})"


def _consensus(summary: ComparisonSummary) -> str:
    """Count the features that all methods keep, beside chance; their names follow the count."""
    counts, count = summary["consensus"]["at_least"][0], len(summary["methods"])
    if count < 2:
        return ""
    kept = kept_by_all(summary)
    who = f"both methods ({summary['n_selected']} each)" if count == 2 else f"all {count} methods"
    found = counted(counts["n_features"], "feature") if counts["n_features"] else "No feature"
    told = f"{found} {'are' if counts['n_features'] > 1 else 'is'} kept by {who}"
    names = f": {in_words(map(short, kept), total=counts['n_features'])}" if kept else ""
    return (
        f"{told}{names}. Selections at random have {counts['random']:.1f} in common, these methods with permuted "
        f"labels {counts['permuted']:.1f}."
    )


def kept_by_all(summary: ComparisonSummary) -> list[str]:
    """Names of the shown features that every method keeps."""
    view, count = summary["consensus"], len(summary["methods"])
    return [name for name, kept in zip(view["feature"], view["count"], strict=True) if kept == count]


def _stability(summary: ComparisonSummary) -> str:
    """Quote stabilities from the highest to the lowest, each beside the one for permuted labels."""
    methods = summary["methods"]
    known = [name for name, facts in methods.items() if facts["stability"] == facts["stability"]]
    known.sort(key=lambda name: -methods[name]["stability"])
    if not known:
        return ""
    quoted = [
        f"{short(name)} {methods[name]['stability']:.2f} "
        + (
            f"(permuted {methods[name]['stability_permuted']:.2f})"
            if methods[name]["uses_labels"]
            else "(no labels used)"
        )
        for name in known
    ]
    return f"Overlap of selections from subsamples, 0 by chance, 1 if equal: {in_words(quoted)}."


def alerts_of(summary: ComparisonSummary) -> list[Alert]:
    """Collect what a reader should know before trusting the comparison."""
    alerts = [_alert("warning", text) for text in summary["warnings"]]
    methods = summary["methods"]
    if not any(_beyond(summary, size) for size in summary["best"]):
        told = "No accuracy is above those of permuted labels by more than the folds spread."
        alerts.append(_alert("no-signal", told))
    if unused := [name for name, facts in methods.items() if not facts["uses_labels"]]:
        told = f"Labels are not used by {in_words(map(short, unused))}: permuted ones give the same order."
        alerts.append(_alert("labels-not-used", told))
    for names in _same_orders(summary):
        told = f"{in_words(map(short, names))} give the same order of all features: take them for one."
        alerts.append(_alert("same-order", told))
    if summary["n_selected"] == summary["n_features"]:
        told = "All features are kept: overlap and stability say nothing; keep fewer."
        alerts.append(_alert("all-kept", told))
    if summary["n_folds"] < 3:
        told = f"{summary['n_folds']} folds say next to nothing of how accuracies spread."
        alerts.append(_alert("few-folds", told))
    return alerts


def _alert(kind: str, sentence: str) -> Alert:
    return {"kind": kind, "sentence": sentence, "features": [], "samples": []}


def _same_orders(summary: ComparisonSummary) -> list[list[str]]:
    """Group methods whose ranks are the same for every feature."""
    groups = dict[tuple[float, ...], list[str]]()
    for name, ranks in summary["all_features"]["ranks"].items():
        groups.setdefault(tuple(ranks), []).append(name)
    return [names for names in groups.values() if len(names) > 1]


def quoted_size(summary: ComparisonSummary) -> str | None:
    """Choose the number of features that sentences quote: nearest to what is kept, of those that predict anything."""
    known = [size for size in summary["best"] if summary["near_best"][size]]
    return min(known, key=lambda size: (abs(int(size) - summary["n_selected"]), int(size)), default=None)


def _by_accuracy(summary: ComparisonSummary, size: str) -> list[str]:
    """Methods that predict with so many features, the highest mean first."""
    accuracy = {name: facts["accuracy"][size] for name, facts in summary["methods"].items()}
    return sorted((name for name in accuracy if accuracy[name] == accuracy[name]), key=lambda name: -accuracy[name])


def _beyond(summary: ComparisonSummary, size: str) -> list[str]:
    """Methods above all permuted labels by more than the folds spread, the highest mean first."""
    return [name for name in _by_accuracy(summary, size) if summary["methods"][name]["beyond_permuted"][size]]


def _accuracy(summary: ComparisonSummary, name: str, size: str) -> str:
    facts = summary["methods"][name]
    return f"{short(name)} {facts['accuracy'][size]:.2f} ± {facts['accuracy_deviation'][size]:.2f}"


def _range(summary: ComparisonSummary, size: str) -> str:
    low, high = summary["permuted_range"][size]
    return f"{low:.2f} to {high:.2f}"


def short(name: str) -> str:
    """Cut a name that would fill a page.

    >>> short("x" * 100) == "x" * 59 + "…"
    True
    """
    return name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"


def in_words(words: Iterable[str], most: int = NAMED, total: int | None = None) -> str:
    """Join words; those beyond the first few are counted, of so many in all if not all are given.

    >>> in_words("abc"), in_words("abcdefgh")
    ('a, b and c', 'a, b, c, d, e and 3 more')
    """
    words = list(words)
    hidden = (len(words) if total is None else total) - most
    parts = [*words[:most], f"{hidden} more"] if hidden > 0 else words
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def with_features(sizes: Sequence[int | str]) -> str:
    """Write numbers of features.

    >>> with_features(["1"]), with_features([2, 5, 10])
    ('1 feature', '2, 5 and 10 features')
    """
    told = in_words(map(str, sizes), len(sizes))
    return f"{told} feature{'' if told == '1' else 's'}"

"""Alerts: what a reader should know before trusting a ranking, each once, and what to do about it.

Every alert states a fact that can be computed again, so it is true of noise, too; that fits warned of the same is not
said twice. Where a table is large, only the kept features are looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from eigenselect._labels import read_labels
from eigenselect._typing import IntArray
from eigenselect.criteria.methods import METHODS, Default, Labels, Method
from eigenselect.exceptions import shown
from eigenselect.reporting.answers.alert_parts import Looked
from eigenselect.reporting.answers.graph_alerts import graph_alerts
from eigenselect.reporting.answers.table_alerts import table_alerts
from eigenselect.reporting.facts import AccuracyFacts, Alert
from eigenselect.reporting.inputs import Fitted, is_number
from eigenselect.reporting.summary import RankingSummary
from eigenselect.reporting.views.drawn_graph import label_weights, uses_labels

#: classes of fewer samples are named: three folds hold one or two of each
FEW_SAMPLES = 5
#: words by which a warning of a fit is known, and the kinds of alerts that say the same
SAID_BY = {
    "isolated and do": ("isolated",),
    "falls apart into": ("components",),
    "of the squared distances between samples": ("spreads",),
    "alone makes most of the spread of": ("dominated", "one sample"),
    "of the sample graph live": ("outlier",),
    "no score": ("no score",),
    "as a clustering of this table": ("clusters",),
}
#: what labels are called that were given without a name
UNNAMED = (None, "y")
#: methods that rank without labels, unless a similarity or a target is made of them
LABELS_LEFT_ASIDE = (Labels.NONE, Labels.BY_SIMILARITY, Labels.BY_TARGET)


def find_alerts(summary: RankingSummary, fitted: Fitted) -> list[Alert]:
    """List what a reader should know before trusting a ranking, the gravest first.

    Parameters
    ----------
    summary : RankingSummary
        Of the same selector; its evaluation, where there is one, and its warnings are part of the list.
    fitted : Fitted

    Returns
    -------
    list of Alert
        Each with its kind, a sentence that says what to do, and the whole names of the features and samples in it.

    Examples
    --------
    >>> import numpy as np, eigenselect as es
    >>> from eigenselect.reporting import summarise
    >>> X = np.random.default_rng(0).normal(size=(30, 4))
    >>> X[:, 1] = X[:, 0]
    >>> fitted = Fitted(es.Variance(4).fit(X), X, None, list("abcd"))
    >>> [alert["sentence"] for alert in find_alerts(summarise(fitted, kept=4), fitted)]
    ["2 of the 4 kept features are exact copies of each other ('a', 'b'); one of each says as much as all."]
    """
    looked = Looked(summary, fitted)
    found = [*_no_signal(looked), *_clusters(looked), *table_alerts(looked), *graph_alerts(looked)]
    found += [*_small_classes(looked), *_labels_not_used(looked)]
    return [*found, *(looked.alert("warning", note) for note in _unsaid(summary["warnings"], found))]


def _unsaid(notes: list[str], found: list[Alert]) -> list[str]:
    """Return the warnings that no alert says, each once."""
    return [note for note in dict.fromkeys(notes) if not _is_said(note, found)]


def _is_said(note: str, found: list[Alert]) -> bool:
    """Tell whether alerts say all that a warning does."""
    parts = [kinds for words, kinds in SAID_BY.items() if words in note]
    said = {alert["kind"] for alert in found if alert["kind"] != "spreads" or _names_first(note, alert)}
    return bool(parts) and all(said.intersection(kinds) for kinds in parts)


def _names_first(note: str, alert: Alert) -> bool:
    """Tell whether a warning names the first feature of an alert: sources have tables of their own."""
    return shown(alert["features"][0]) in note


def _no_signal(looked: Looked) -> list[Alert]:
    """Say where held-out samples are predicted no better than chance would."""
    advice = "these features may have nothing to do with the label, or the samples are too few to show it"
    if (tested := _nothing_found(looked)) is not None:
        return [looked.alert("no signal", f"{tested}; {advice}.")]
    evaluation = looked.summary.get("evaluation")
    facts = None if evaluation is None else evaluation["accuracy"]
    if facts is None or facts["beyond_chance"]:
        return []
    label = looked.summary["label"]
    what = "class" if label in UNNAMED else shown(label)
    said = f"No signal beyond permuted labels is shown: held-out samples get the right {what} in {accuracy_text(facts)}"
    return [looked.alert("no signal", f"{said}; chance alone may give as much: {advice}.")]


def _clusters(looked: Looked) -> list[Alert]:
    """Say that the labels were made of the features that they judge, where a file records it."""
    known = looked.fitted.labels_known
    said = "noise, too, tells clusters apart that it made, so scores and accuracy are no evidence for these features"
    return [looked.alert("clusters", f"The labels are clusters: {known}; {said}.")] if known else []


def _nothing_found(looked: Looked) -> str | None:
    """Say that nothing is kept because no feature follows the labels; None where that is not so."""
    summary, y = looked.summary, looked.fitted.y
    facts = summary["significance"]
    nothing_kept = summary["cut"] and not summary["n_selected"]
    if not nothing_kept or facts is None or y is None or ignores_labels(looked.fitted.selector, summary["method"]):
        return None
    return f"No signal: no feature is kept, as none of {facts['n_tested']} tested has q ≤ {facts['alpha']:g}"


def accuracy_text(facts: AccuracyFacts) -> str:
    """Write a held-out accuracy beside what says nothing gives.

    >>> accuracy_text({"mean": 0.96, "deviation": 0.021, "largest_class": 0.4, "permuted": 0.37})
    '96 % ± 2 of cases; always answering the largest class gives 40 %, permuted labels 37 %'
    """
    chance = f"always answering the largest class gives {_percent(facts['largest_class'])} %"
    mean, deviation = _percent(facts["mean"]), _percent(facts["deviation"])
    return f"{mean} % ± {deviation} of cases; {chance}, permuted labels {_percent(facts['permuted'])} %"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"


def _small_classes(looked: Looked) -> list[Alert]:
    """Name classes of very few samples."""
    y = looked.fitted.y
    if y is None or is_number(looked.fitted.selector, y):
        return []
    labelled, codes, classes = _classes(looked.fitted)
    counts = np.bincount(codes, minlength=len(classes))
    small = np.flatnonzero(counts < FEW_SAMPLES)
    if not small.size:
        return []
    named = ", ".join(f"{shown(classes[place])}: {counts[place]}" for place in small[:4])
    more = f" and {small.size - 4} more" if small.size > 4 else ""
    rows = labelled[np.isin(codes, small)]
    is_one = small.size == 1
    said = f"{small.size} of {len(classes)} classes {'has' if is_one else 'have'} fewer than {FEW_SAMPLES} samples"
    advice = f"held-out samples say little of {'it' if is_one else 'them'}; join classes, or leave such samples out"
    return [looked.alert("small classes", f"{said} ({named}{more}); {advice}.", rows=rows)]


def _classes(fitted: Fitted) -> tuple[IntArray, IntArray, Any]:
    """Return the samples that have a label, the number of the class of each, and the classes."""
    labels = read_labels(fitted.y, "report")
    minus_one = bool(getattr(fitted.selector, "uses_unlabelled_samples", False))
    labelled = np.flatnonzero(~labels.unlabelled(minus_one=minus_one))
    return labelled, *pd.factorize(labels.values[labelled])


def _labels_not_used(looked: Looked) -> list[Alert]:
    """Say that labels took no part in the ranking."""
    fitted, summary = looked.fitted, looked.summary
    chosen_before = fitted.whole is not None  # maybe with the labels
    if fitted.y is None or chosen_before or not ignores_labels(fitted.selector, summary["method"]):
        return []
    name = "The labels" if summary["label"] in UNNAMED else f"The label {shown(summary['label'])}"
    is_one = name.startswith("The label ")
    said = f"{name} {'was' if is_one else 'were'} not used: {summary['method']} ranks without"
    row, advice = _for_labels(fitted), ""
    if row is not None:
        advice = f"; to rank by {'it' if is_one else 'them'}, use {row.selector} (--method {row.name})"
    return [
        looked.alert("labels", f"{said}, and {'it is' if is_one else 'they are'} only shown and judged by{advice}.")
    ]


def _for_labels(fitted: Fitted) -> Method | None:
    """Return the method that ranks by such labels; None where there are not two classes of two samples or more."""
    if is_number(fitted.selector, fitted.y):
        return METHODS[METHODS.default(Default.NUMBERS)]
    counts = np.bincount(_classes(fitted)[1])
    return METHODS[METHODS.default(Default.CLASSES)] if (counts > 1).sum() > 1 else None


def ignores_labels(selector: Any, method: str) -> bool:
    """Tell whether a method surely ranks without labels; what a selector of your own does nobody knows."""
    if uses_labels(selector) or label_weights(selector) or getattr(selector, "target", None) in ("lda", "svm"):
        return False
    row = next((row for row in METHODS if row.name == method), None)
    return row is not None and row.labels in LABELS_LEFT_ASIDE

"""The answer: how many features are kept, and how sure, how useful, how redundant and how stable they are.

Each number stands beside what says nothing gives: permuted labels, independent features, permuted data.
"""

from __future__ import annotations

from typing import cast

from eigenselect.exceptions import counted
from eigenselect.reporting.answers.alerts import accuracy_text, find_alerts
from eigenselect.reporting.facts import AnswerFacts, AnswerSentence, EvaluationFacts
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.summary import RankingSummary
from eigenselect.reporting.view_types import BestCopies, RedundancyView
from eigenselect.reporting.views.near_copies import NEAR_COPY, chance_of_copy

#: names that are listed where nothing was cut
FIRST = 10
#: near-copies by chance that are worth a word
WORTH_A_WORD = 0.01
TURNED_OFF = "evaluation was turned off (--no-evaluation, evaluation=False)"


def add_answer(summary: RankingSummary, fitted: Fitted) -> RankingSummary:
    """Return a new summary with the answer and the alerts; the given one stays as it is.

    Parameters
    ----------
    summary : RankingSummary
        With its views, and with its evaluation where there is one: what they measured is said here.
    fitted : Fitted
        The same selector and its data.

    Returns
    -------
    RankingSummary
        A new dict, with ``"answer"`` and ``"alerts"``.

    See Also
    --------
    add_views : Is called before.
    add_evaluation : Is called before, where refits are wanted.

    Examples
    --------
    >>> import textwrap
    >>> import eigenselect as es
    >>> from eigenselect.reporting import Fitted, add_answer, summarise
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fitted = Fitted(es.FisherScore(2).fit(X, y), X, y, list(X))
    >>> found = add_answer(summarise(fitted, kept=2, views=["redundancy", "near_copies"]), fitted)
    >>> found["answer"]["headline"]
    '2 of 13 features kept (the 2 best)'
    >>> print(textwrap.fill(found["answer"]["sentences"][2]["sentence"], 80))
    Mean correlation of the kept features 0.49 in magnitude; independent features
    give 0.06. None of the kept features has a near-copy (correlation of 0.9 or
    more).
    """
    return cast(RankingSummary, {**summary, "answer": answer(summary, fitted), "alerts": find_alerts(summary, fitted)})


def answer(summary: RankingSummary, fitted: Fitted) -> AnswerFacts:
    """Write the headline and the four sentences, each under its question."""
    evaluation = summary.get("evaluation")
    said = {
        "How sure?": how_sure(summary),
        "Does it predict?": does_it_predict(evaluation),
        "How redundant?": how_redundant(summary),
        "How stable?": how_stable(evaluation),
    }
    sentences: list[AnswerSentence] = [{"question": question, "sentence": said[question]} for question in said]
    return {"headline": headline(summary), "sentences": sentences}


def headline(summary: RankingSummary) -> str:
    """Say how many features are kept, and by which rule."""
    total = counted(summary["n_features"], "feature")
    if not summary["cut"]:
        return f"{total} ranked, none cut off"
    if not summary["n_selected"]:
        return f"None of {total} is kept ({summary['rule']})"
    return f"{summary['n_selected']} of {total} kept ({summary['rule']})"


def how_sure(summary: RankingSummary) -> str:
    """Say how many kept features have a small q-value and what that rests on, or why nothing was tested."""
    facts = summary["significance"]
    if facts is None:
        return summary["untested"]
    kept = [row["qvalue"] for row in summary["features"]] if summary["cut"] else []
    sure = sum(q <= facts["alpha"] for q in kept)
    if not kept or not facts["n_discoveries"]:
        return f"{facts['sentence']} {facts['rests_on']}"
    level, have = f"q ≤ {facts['alpha']:g}", "have" if sure > 1 else "has"
    count = f"{sure or 'None'} of {len(kept)} kept features {have} {level}"
    if len(kept) == 1:
        count = f"The kept feature {'has' if sure else 'does not have'} {level}"
    found = facts["n_discoveries"]
    others = f"of all {facts['n_tested']} tested {found} {'has' if found == 1 else 'have'}"
    chance = f"at most about {100 * facts['alpha']:.3g} % of such are expected to be chance"
    return f"{count}; {others}, and {chance}. {facts['rests_on']}"


def does_it_predict(evaluation: EvaluationFacts | None) -> str:
    """Say how well held-out samples are told apart, beside what says nothing gives."""
    facts = None if evaluation is None else evaluation["accuracy"]
    if facts is None:
        return _not_measured(evaluation, "accuracy")
    least, most = facts["least_features"], facts["most_features"]
    features = counted(most, "feature") if least == most else f"{least} to {most} features"
    end = "more than chance" if facts["beyond_chance"] else "chance alone may give as much"
    return (
        f"The nearest neighbour in {features}, chosen without the held-out samples ({facts['n_predicted']}), names "
        f"their class right in {accuracy_text(facts)}: {end}."
    )


def how_stable(evaluation: EvaluationFacts | None) -> str:
    """Say how much of a selection comes again on parts of the samples, beside what permuted data give."""
    facts = None if evaluation is None else evaluation["stability"]
    if facts is None:
        return _not_measured(evaluation, "stability")
    overlap, permuted = f"{facts['overlap']:.2f}", f"{facts['permuted']:.2f}"
    end = ": no more stable than that" if float(overlap) <= float(permuted) else ""
    return (
        f"{counted(facts['n_refits'], 'refit')} on parts of the samples keep features that overlap by {overlap} "
        f"(1: always the same, 0: as by chance); with {facts['of']} permuted, and nothing else, by {permuted}{end}."
    )


def _not_measured(evaluation: EvaluationFacts | None, part: str) -> str:
    """Say why something was not measured."""
    reason = TURNED_OFF if evaluation is None else evaluation["missing"].get(part, "")
    return f"Not measured: {reason.rstrip('.')}." if reason else "Not measured."


def how_redundant(summary: RankingSummary) -> str:
    """Say how far the kept features repeat each other, and others, beside what independent features do."""
    view = summary["views"].get("redundancy") if "views" in summary else None
    if view is None:
        return "Not measured."
    if summary["cut"] and not summary["n_selected"]:
        return "Nothing is kept."
    count = view["best_copies"]["n_best"]
    parts = [_mean_correlation(summary, view), _copies(summary, view["best_copies"]), _copies_by_chance(summary, count)]
    return " ".join(filter(None, parts))


def _mean_correlation(summary: RankingSummary, view: RedundancyView) -> str:
    """Say the mean magnitude of the correlations; nothing where there are no two features to compare."""
    if view["rate"] != view["rate"]:
        return ""
    whose = _whose(summary, view["n_measured"])
    return (
        f"Mean correlation of {whose} {view['rate']:.2f} in magnitude; independent features give {view['chance']:.2f}."
    )


def _whose(summary: RankingSummary, count: int) -> str:
    """Name the features that were looked at: the kept ones, or the best."""
    if summary["cut"] and count == summary["n_selected"]:
        return "the kept feature" if count == 1 else "the kept features"
    return "the best feature" if count == 1 else f"the {count} best"


def _copies(summary: RankingSummary, copies: BestCopies) -> str:
    """Count near-copies among the features that were looked at, and those left out that are near-copies of them."""
    count, sizes, others = copies["n_best"], copies["sizes"], copies["n_others"]
    whose, near = _whose(summary, count), f"(correlation of {NEAR_COPY:g} or more)"
    if count == 1:
        return f"{whose[0].upper()}{whose[1:]} has {others or 'no'} near-cop{'y' if others == 1 else 'ies'} {near}."
    if not sizes and not others:
        return f"None of {whose} has a near-copy {near}."
    inside = f"{sum(sizes) or 'none'} are near-copies of each other"
    groups = f", in {counted(len(sizes), 'group')}" if sizes else ""
    outside = f"; {others} of those left out {'repeats' if others == 1 else 'repeat'} them" if others else ""
    return f"Of {whose} {inside}{groups} {near}{outside}."


def _copies_by_chance(summary: RankingSummary, count: int) -> str:
    """Say how many pairs of near-copies independent features would make, where few samples make that likely."""
    pairs = count * (count - 1) / 2 + count * (summary["n_features"] - count)
    expected = pairs * chance_of_copy(summary["n_samples"])
    if expected < WORTH_A_WORD:
        return ""
    return f"Independent features of so few samples would make about {expected:.2g} such pairs."

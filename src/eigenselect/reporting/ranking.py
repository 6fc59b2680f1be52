"""Summarise one ranking: a fitted selector and its data become plain values, from which every output is made."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.methods import METHODS, Direction, Labels, Method
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.plain import described, plain_values
from eigenselect.reporting.significance import pvalues_of, qvalues_of, significance_facts, why_untested
from eigenselect.reporting.sources import memberships, source_facts, weights_words
from eigenselect.reporting.summary import AllFeatures, FeatureRow, RankingSummary, ScoreFacts
from eigenselect.reporting.views.drawing import ALL_VIEWS, Drawing, make_views
from eigenselect.reporting.views.drawn_graph import label_remarks
from eigenselect.selection import feature_order, knee
from eigenselect.selection.order import selected_best_first


def summarise(
    fitted: Fitted,
    *,
    data: str = "",
    title: str = "",
    label: str | None = None,
    kept: int | None = None,
    alpha: float | None = None,
    notes: Sequence[str] = (),
    views: Iterable[str] = (),
) -> RankingSummary:
    """Summarise a fitted selector as plain values; neither it nor its data are changed.

    Parameters
    ----------
    fitted : Fitted
        The selector and its data; `eigenselect.reporting.inputs.check_fitted` makes it of what users give.
    data, title, label : str
        Where the table came from, what it and its labels are called.
    kept : int, optional
        Features that were chosen, listed under ``"features"``; all of them if no number was asked for.
    alpha : float, optional
        False discovery rate at which discoveries are counted, where there are q-values; the selector's own by default,
        else 0.05.
    notes : sequence of str, optional
        Warnings of reading and fitting.
    views : iterable of str, optional
        Names of views to add, see `add_views`.

    Returns
    -------
    RankingSummary
        A new dict of plain values.

    See Also
    --------
    add_views : Adds what is drawn.
    add_evaluation : Adds what refits say.
    add_answer : Adds the answer and the alerts.
    add_paper : Adds what a paper needs.
    eigenselect.report : Does all of it.

    Examples
    --------
    >>> import eigenselect as es
    >>> from eigenselect.reporting import Fitted, summarise
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = summarise(Fitted(es.FisherScore(2).fit(X, y), X, y, list(X)), kept=2, views=["redundancy"])
    >>> [row["feature"] for row in found["features"]]
    ['flavanoids', 'proline']
    >>> round(found["views"]["redundancy"]["rate"], 2)
    0.49
    """
    order = fitted.selector.ranking_.argsort()
    facts = _facts(fitted, order, data=data, title=title, label=label, kept=kept, alpha=alpha, notes=notes)
    summary: RankingSummary = plain_values(facts)
    return add_views(summary, fitted, wanted) if (wanted := tuple(views)) else summary


def add_views(summary: RankingSummary, fitted: Fitted, views: Iterable[str] = ALL_VIEWS) -> RankingSummary:
    """Return a new summary with views; the given one stays as it is.

    Parameters
    ----------
    summary : RankingSummary
        Of the same selector.
    fitted : Fitted
        The selector and its data.
    views : iterable of str, optional
        Names of `eigenselect.reporting.views.drawing.VIEWS` to put under ``"views"``, beside the scores of all features
        under ``"all_features"``. A page needs all of them, which is the default.

    Returns
    -------
    RankingSummary
        A new dict.

    See Also
    --------
    summarise : Makes the summary.
    eigenselect.plot.embedding : Draws one of the views with matplotlib.

    Examples
    --------
    >>> import eigenselect as es
    >>> from eigenselect.reporting import Fitted, add_views, summarise
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fitted = Fitted(es.FisherScore(2).fit(X, y), X, y, list(X))
    >>> found = add_views(summarise(fitted, kept=2), fitted, ["redundancy"])
    >>> list(found["views"]), found["all_features"]["feature"][0]
    (['redundancy'], 'flavanoids')
    """
    order = fitted.selector.ranking_.argsort()
    kept = _kept(fitted.selector, order, summary["n_selected"]) if summary["cut"] else order[:0]
    best = kept if kept.size else order[: max(summary["scores"]["knee"], 1)]
    drawing, listed = Drawing(fitted, best), _all_features(fitted, order, kept)
    made = make_views(drawing, views)
    if "redundancy" in made:
        listed["group"] = drawing.copies.codes[order].tolist()
    added = {"views": made, "all_features": listed}
    return cast(RankingSummary, {**summary, **plain_values(added)})


def _facts(
    fitted: Fitted,
    order: IntArray,
    *,
    data: str,
    title: str,
    label: str | None,
    kept: int | None,
    alpha: float | None,
    notes: Sequence[str],
) -> RankingSummary:
    """Collect everything but the views."""
    selector, method, n_ordered = fitted.selector, method_of(fitted.selector), feature_order(fitted.selector).n_ordered
    graph = getattr(selector, "graph_", None)
    sources = source_facts(fitted, order[:0] if kept is None else _kept(selector, order, kept))
    return {
        "kind": "ranking",
        "data": data,
        "title": title,
        "method": method.name,
        "method_summary": method.summary,
        "method_words": method.in_words,
        "reference": method.reference,
        "supervision": method.supervision,
        "native_direction": _direction(selector, method),
        "parameters": _parameters(selector),
        "n_samples": int(fitted.X.shape[0]),
        "n_features": len(order),
        "n_ordered": n_ordered,
        "n_selected": len(order) if kept is None else int(kept),
        "cut": kept is not None,
        "rule": _rule(selector, kept),
        "label": label,
        "n_labelled": getattr(selector, "n_labelled_", None),
        "graph": {} if graph is None else {**graph.describe(), **fitted.graph_facts},
        "sources": sources,
        "weights": weights_words(selector) if sources else "",
        "scores": _score_facts(selector.scores_, order[:n_ordered]),
        "significance": significance_facts(selector, alpha, fitted.graph_facts.get("made_of")),
        "untested": why_untested(selector, method, int(fitted.X.shape[0]), fitted.labels_known),
        "warnings": [*notes, *label_remarks(selector)],
        "features": _feature_rows(fitted, order, _kept(selector, order, kept), n_ordered),
    }


def _rule(selector: Any, kept: int | None) -> str:
    """Say which features were chosen, in words."""
    if kept is None:
        return "all"
    rule = getattr(selector, "selection_rule", None)
    return f"the {kept} best" if rule is None else str(rule.describe())


def _kept(selector: Any, order: IntArray, kept: int | None) -> IntArray:
    """Return the features that were chosen, best first: the selector's own if it chose as many, else the first."""
    if kept is not None and kept == getattr(selector, "n_features_", None):
        return selected_best_first(selector)
    return order[:kept]


def _feature_rows(fitted: Fitted, order: IntArray, columns: IntArray, n_ordered: int) -> list[FeatureRow]:
    """List features best first; those that the method does not order have no rank of their own."""
    scores, native = fitted.selector.scores_, fitted.selector.native_scores_
    places = _places(order)
    rows: list[FeatureRow] = [
        {
            "rank": int(places[column]) + 1 if places[column] < n_ordered else None,
            "feature": fitted.names[column],
            "column": int(column),
            "score": float(scores[column]),
            "native_score": float(native[column]),
        }
        for column in columns
    ]
    for key, values in _evidence(fitted.selector).items():
        for row, column in zip(rows, columns, strict=True):
            row[key] = float(values[column])
    return rows


def _evidence(selector: Any) -> dict[Literal["pvalue", "qvalue"], FloatArray]:
    """Return p-values and q-values where there are any, by their keys in a row."""
    known: dict[Literal["pvalue", "qvalue"], FloatArray | None]
    known = {"pvalue": pvalues_of(selector), "qvalue": qvalues_of(selector)}
    return {key: values for key, values in known.items() if values is not None}


def _places(order: IntArray) -> IntArray:
    """Return the place of every feature in an order, from 0."""
    places = np.empty_like(order)
    places[order] = np.arange(order.size)
    return places


def _all_features(fitted: Fitted, order: IntArray, kept: IntArray) -> AllFeatures:
    listed: AllFeatures = {
        "feature": [fitted.names[column] for column in order],
        "column": order.tolist(),
        "score": fitted.selector.scores_[order].tolist(),
        "native_score": fitted.selector.native_scores_[order].tolist(),
        "selected": _places(order)[kept].tolist(),
    }
    for key, values in _evidence(fitted.selector).items():
        listed[key] = values[order].tolist()
    if sets := memberships(fitted):
        places = _places(order)
        listed["sets"] = {name: np.sort(places[columns]).tolist() for name, columns in sets.items()}
    return listed


def method_of(selector: Any) -> Method:
    """Find the table's row of a selector; make one from its class for a selector of your own."""
    given = selector.get_params(deep=False)
    for row in METHODS:
        if row.selector == type(selector).__name__ and row.parameters.items() <= given.items():
            return row
    about = (type(selector).__doc__ or "").strip().split("\n")[0].rstrip(".")
    own = type(selector).__name__
    return Method(
        name=own,
        selector=own,
        module=type(selector).__module__,
        similarity="its own",
        normalization="its own",
        matrix="its own",
        direction=Direction.LARGE,
        labels=Labels.EITHER,
        reference="",
        summary=about,
        in_words=about,
    )


def _direction(selector: Any, method: Method) -> str:
    """Tell which native scores are good: the criterion knows, where there is one (MSFS has three rankings)."""
    criterion = getattr(selector, "criterion_", None)
    if criterion is None:
        return str(method.direction)
    return "large" if criterion.larger_is_better else "small"


def _parameters(selector: Any) -> dict[str, str]:
    """Write parameters that differ from their defaults as text; sources and rankers are told elsewhere."""
    known = inspect.signature(type(selector)).parameters
    return {
        name: text
        for name, text in ((name, described(value)) for name, value in selector.get_params(deep=False).items())
        if name in known and text != described(known[name].default) and name not in ("sources", "rankers", "n_jobs")
    }


def _score_facts(scores: Any, ordered: IntArray) -> ScoreFacts:
    """Summarise the scores of the features that are ordered: those of others, where they have one, say nothing."""
    defined = scores[ordered][~np.isnan(scores[ordered])]
    if not defined.size:
        return {"knee": 0, "n_undefined": len(scores), "best": None, "median": None, "lowest": None}
    return {
        "knee": knee(defined),
        "n_undefined": int(np.isnan(scores).sum()),
        "best": float(defined.max()),
        "median": float(np.median(defined)),
        "lowest": float(defined.min()),
    }

"""The summary of one ranking: plain values, from which every output is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eigenselect.criteria.table import METHODS, Direction, Labels, Method
from eigenselect.reporting.label_graphs import label_remarks
from eigenselect.reporting.plain import described
from eigenselect.selection import feature_order, knee


def ranking_summary(
    selector: Any,
    n_samples: int,
    feature_names: Sequence[str],
    *,
    data: str = "",
    title: str = "",
    label: str | None = None,
    kept: int | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """All that is known of a fitted selector, as plain values.

    Parameters
    ----------
    selector : fitted selector
    n_samples : int
    feature_names : sequence of str
        In the order of the table's columns.
    data, title, label : str
        Where the table came from, what it and its labels are called.
    kept : int, optional
        Features that were chosen, listed under ``"features"``; all of them if no number was asked for.
    notes : sequence of str
        Warnings of reading and fitting.
    """
    order, n_ordered = selector.ranking_.argsort(), feature_order(selector).n_ordered
    method = method_of(selector)
    graph = getattr(selector, "graph_", None)
    return {
        "kind": "ranking",
        "data": data,
        "title": title,
        "method": method.name,
        "method_summary": method.summary,
        "reference": method.reference,
        "supervision": method.supervision,
        "native_direction": _direction(selector, method),
        "parameters": _parameters(selector),
        "n_samples": int(n_samples),
        "n_features": len(order),
        "n_ordered": n_ordered,
        "n_selected": len(order) if kept is None else int(kept),
        "cut": kept is not None,
        "label": label,
        "n_labelled": getattr(selector, "n_labelled_", None),
        "graph": {} if graph is None else graph.describe(),
        "sources": _sources(selector),
        "scores": _score_facts(selector.scores_, order[:n_ordered]),
        "warnings": [*notes, *label_remarks(selector)],
        "features": [
            {
                "rank": place if place <= n_ordered else None,  # the others have no rank of their own
                "feature": feature_names[j],
                "column": int(j),
                "score": float(selector.scores_[j]),
                "native_score": float(selector.native_scores_[j]),
            }
            for place, j in enumerate(order[:kept], 1)
        ],
    }


def method_of(selector: Any) -> Method:
    """The table's row of a selector; a selector of your own gets one from its class."""
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
    )


def _direction(selector: Any, method: Method) -> str:
    """Which native scores are good: the criterion knows, where there is one (MSFS has three rankings)."""
    criterion = getattr(selector, "criterion_", None)
    if criterion is None:
        return str(method.direction)
    return "large" if criterion.larger_is_better else "small"


def _parameters(selector: Any) -> dict[str, str]:
    """Parameters that differ from their defaults, as text; sources and rankers are told elsewhere."""
    import inspect

    known = inspect.signature(type(selector)).parameters
    return {
        name: text
        for name, text in ((name, described(value)) for name, value in selector.get_params(deep=False).items())
        if name in known and text != described(known[name].default) and name not in ("sources", "rankers", "n_jobs")
    }


def _sources(selector: Any) -> dict[str, Any]:
    """Weight and kind of every source of a multi-source selector."""
    graphs = getattr(selector, "similarities_", None)
    if graphs is None:
        return {}
    return {
        name: {"weight": float(weight), "similarity": graph.description.get("similarity", "")}
        for (name, graph), weight in zip(graphs.items(), selector.weights_, strict=True)
    }


def _score_facts(scores: Any, ordered: Any) -> dict[str, Any]:
    """Of the features that are ordered: the scores of others, where they have one, say nothing."""
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

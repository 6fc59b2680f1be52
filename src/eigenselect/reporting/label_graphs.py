"""Which sample graphs are made of labels: their eigenvectors draw the labels, not the samples."""

from __future__ import annotations

from typing import Any

from eigenselect.graph import SampleGraph
from eigenselect.multisource import SampleCategories
from eigenselect.multisource.weights import LEARNED

#: what built a graph that knows classes
MADE_OF_LABELS = ("ClassLabels", "HitMiss", "SampleCategories", "hits and misses")
#: the end of what kernels of a numeric target are called
OF_TARGET = "kernel of y"
#: part of the learned weight from which a source made of the labels is remarked on
MOST = 0.5


def is_made_of_labels(graph: SampleGraph) -> bool:
    """Whether classes or a target went into the graph itself, so that it falls apart by design."""
    kind = str(graph.description.get("similarity", ""))
    return kind in MADE_OF_LABELS or kind.endswith(OF_TARGET)


def uses_labels(selector: Any) -> bool:
    """Whether the selector's graph is made of labels, alone or together with other sources, or chosen with them.

    Learned weights choose: of twenty sources of noise the one that follows the labels best is most of the graph, and a
    picture of it told classes by more than chance in 4 or 5 of 30 draws.
    """
    graph = getattr(selector, "graph_", None)
    return (graph is not None and is_made_of_labels(graph)) or bool(label_weights(selector)) or _chosen(selector)


def _chosen(selector: Any) -> bool:
    """Whether the weights of several sources were learned from the labels."""
    return _learns(selector) and len(getattr(selector, "similarities_", None) or {}) > 1


def _learns(selector: Any) -> bool:
    rule = getattr(selector, "weights", None)
    return isinstance(rule, str) and rule in LEARNED


def label_weights(selector: Any) -> dict[str, float]:
    """Weights of the sources of a multi-source selector that are made of labels, if above 0."""
    graphs = getattr(selector, "similarities_", None) or {}
    weights = getattr(selector, "weights_", ())
    return {
        name: float(weight)
        for (name, graph), weight in zip(graphs.items(), weights, strict=False)
        if weight > 0 and is_made_of_labels(graph)
    }


def label_remarks(selector: Any) -> list[str]:
    """A sentence where weights were learned from the same labels that a source is made of, and went to it."""
    if not _learns(selector):
        return []
    own = {
        str(name) for name, source in selector.sources if isinstance(source, SampleCategories) and source.labels is None
    }
    weights = {name: weight for name, weight in label_weights(selector).items() if name in own}
    share = sum(weights.values())
    if share < MOST:
        return []
    return [
        f"The weights were learned from the labels, of which the source {', '.join(map(repr, weights))} is made "
        f"itself: it got {share:.0%} of the weight, whatever the data are."
    ]

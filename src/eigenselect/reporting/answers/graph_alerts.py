"""Alerts on the sample graph: samples that count nowhere, parts, samples that stand alone, weights that say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._parallel import slices
from eigenselect.exceptions import listed
from eigenselect.graph import SampleGraph
from eigenselect.reporting.answers.alert_parts import Looked, have
from eigenselect.reporting.facts import Alert
from eigenselect.selectors.domination import outlying_samples

#: weights of all pairs that differ by a smaller part of the largest are equal for every purpose
EQUAL = 0.01
#: weights are at most 1 where a bandwidth makes them; where none reaches this, samples are like no other
NEARLY_ZERO = 1e-3
#: samples up to which the weights of all pairs are looked at, and rows of them that are looked at together
ALL_PAIRS, ROWS = 5000, 256
CONNECT = "more neighbours or a wider bandwidth would connect them"


def graph_alerts(looked: Looked) -> list[Alert]:
    """Say what is the matter with the sample graph, where the selector has one of these samples."""
    graph = getattr(looked.fitted.selector, "graph_", None)
    found = _zero_sources(looked)
    if not isinstance(graph, SampleGraph) or graph.n_samples != looked.fitted.X.n_samples:
        return found
    return [*_apart(looked, graph), *_alone(looked, graph), *_weights(looked, graph), *found]


def _apart(looked: Looked, graph: SampleGraph) -> list[Alert]:
    """Name isolated samples, and count the components that the graph falls apart into."""
    found = []
    for sentence in graph.findings():
        said = f"{sentence[0].upper()}{sentence[1:]}"
        if "isolated" in sentence:
            rows = np.flatnonzero(graph.isolated)
            found.append(looked.alert("isolated", f"{said} ({looked.samples(rows)}); {CONNECT}.", rows=rows))
        else:
            found.append(looked.alert("components", f"{said} ({_sizes(graph)} samples); {CONNECT}."))
    return found


def _sizes(graph: SampleGraph) -> str:
    """Write the sizes of the components, largest first, without isolated samples."""
    sizes = np.sort(np.unique(graph.components[~graph.isolated], return_counts=True)[1])[::-1]
    first, last = (sizes[:-1], f" and {sizes[-1]}") if sizes.size <= 5 else (sizes[:4], ", …")
    return ", ".join(map(str, first)) + last


def _alone(looked: Looked, graph: SampleGraph) -> list[Alert]:
    """Name the samples on which the leading eigenvectors of the graph live."""
    rows = outlying_samples(graph)
    if not rows.size:
        return []
    vectors = "eigenvector of the sample graph lives" if rows.size == 1 else "eigenvectors of the sample graph live"
    count = "" if rows.size == 1 else f"{rows.size} "
    who = looked.sample(int(rows[0])) if rows.size == 1 else f"samples {looked.samples(rows)}"
    advice = "take a neighbour graph (similarity='knn') or logarithms to give such samples less weight"
    said = f"The {count}leading {vectors} on {who}: look there first, and {advice}."
    return [looked.alert("outlier", said, rows=rows)]


def _weights(looked: Looked, graph: SampleGraph) -> list[Alert]:
    """Say where a bandwidth makes all pairs equally alike, or none."""
    bandwidth = graph.description.get("bandwidth_used")
    if bandwidth is None or graph.is_implicit or graph.spectral_map is not None:
        return []
    low, high = _extremes(graph)
    if high < NEARLY_ZERO:
        size, remedy = f"no two samples have a similarity above {high:.1g}", "a wider one"
    elif low is not None and high - low <= EQUAL * high:
        size, remedy = f"the similarities of all pairs are nearly equal ({low:.4g} to {high:.4g})", "a narrower one"
    else:
        return []
    said = f"At the bandwidth {float(bandwidth):.4g} {size}, so that the graph hardly tells samples apart"
    return [
        looked.alert("weights", f"{said}; take {remedy}, the median of the distances (the default), or neighbours.")
    ]


def _extremes(graph: SampleGraph) -> tuple[float | None, float]:
    """Return the smallest and the largest weight between two samples; no smallest where not all pairs have one."""
    weights: Any = graph.affinity
    if graph.is_sparse:
        other = weights.tocoo()
        between = other.data[other.row != other.col]
        return None, float(between.max(initial=0.0))
    if graph.n_samples > ALL_PAIRS:
        return None, 1.0
    low, high = np.inf, 0.0
    for part in slices(graph.n_samples, ROWS):
        rows = np.array(weights[part])
        own = (np.arange(len(rows)), np.arange(part.start, part.stop))
        rows[own] = 0.0
        high = max(high, float(rows.max()))
        rows[own] = np.inf
        low = min(low, float(rows.min()))
    return low, high


def _zero_sources(looked: Looked) -> list[Alert]:
    """Name sources of knowledge that got no weight."""
    sources = looked.summary["sources"]
    idle = [name for name, source in sources.items() if not source["weight"] > 0]
    if not idle:
        return []
    said = f"{have(len(idle), 'source', 'has', 'have')} weight 0 ({listed(idle)}) and took no part"
    return [
        looked.alert("weights", f"{said}; leave {'it' if len(idle) == 1 else 'them'} out, or give weights yourself.")
    ]

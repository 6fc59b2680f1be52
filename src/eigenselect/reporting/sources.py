"""What a report says of sources of knowledge: weights, what they share with the table, and which features they know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenselect._typing import AnyArray, BoolArray, IntArray
from eigenselect.exceptions import agreeing
from eigenselect.multisource.sources import KnowledgeSource, TargetData
from eigenselect.multisource.target import Target
from eigenselect.reporting.facts import EnrichmentFacts, MatchFacts, SourceFacts
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.papers.graph_words import graph_words
from eigenselect.reporting.plain import described

#: names of what is missing that are listed
NAMED = 5


@dataclass(frozen=True)
class _Source:
    """A source of a selector, or what one of its rankers ranks with; ``knowledge`` is None for the table alone."""

    name: str
    weight: float
    similarity: str
    knowledge: KnowledgeSource | None
    #: how its samples are joined, with the numbers that were found
    graph: str = ""


def source_facts(fitted: Fitted, kept: IntArray) -> dict[str, SourceFacts]:
    """Return what is known of every source of a multi-source selector, or ranker of several; none for others.

    Parameters
    ----------
    fitted : Fitted
    kept : ndarray of int
        The features that were chosen; empty where none were.
    """
    facts: dict[str, SourceFacts] = {}
    for source, target in _with_target(fitted):
        facts[source.name] = {
            "weight": source.weight,
            "similarity": source.similarity,
            "graph": source.graph,
            "kind": TargetData.kind if source.knowledge is None else source.knowledge.kind,
            "matches": _matches(source.knowledge, target),
        }
        known = _known_features(source.knowledge, target)
        if known is not None and kept.size:
            facts[source.name]["enrichment"] = _enrichment(source, known, kept)
    return facts


def memberships(fitted: Fitted) -> dict[str, IntArray]:
    """Return, by source, the columns that it speaks of; not of sources that speak of all or of none."""
    masks = {source.name: _known_features(source.knowledge, target) for source, target in _with_target(fitted)}
    return {
        name: np.flatnonzero(known)
        for name, known in masks.items()
        if known is not None and known.any() and not known.all()
    }


def weights_rule(selector: Any) -> str:
    """Return the rule by which a selector weighs its sources; empty where numbers were given."""
    weights = getattr(selector, "weights", None)
    return weights if isinstance(weights, str) else "equal" * (weights is None)


def weights_words(selector: Any) -> str:
    """Say where the weights of sources or rankers come from."""
    alike = 0 in getattr(selector, "weights_", ())
    words = {
        "equal": "all were given the same weight"
        + ", but for sources in which all samples are alike, which have none" * alike,
        "discriminant": "the weights were learned from the labels, so that the joint graph tells the classes apart",
        "alignment": "the weights were learned from the labels, so that the joint similarity is aligned with theirs",
        "learn": "the weights are the held-out accuracies of each beyond the share of the largest class",
        "": "the weights were given, and scaled to sum to 1",
    }
    rule = weights_rule(selector)
    return words.get(rule, f"the weights were made by the rule {rule}")


def _sources_of(selector: Any) -> Iterator[_Source]:
    """Go over the sources, or the rankers, of a fitted selector."""
    graphs, known = getattr(selector, "similarities_", None), dict(getattr(selector, "sources", None) or [])
    if graphs is not None:
        for (name, graph), weight in zip(graphs.items(), selector.weights_, strict=True):
            similarity, words = str(graph.description.get("similarity", "")), graph_words(graph.description)
            yield _Source(name, float(weight), similarity, known.get(name), words)
        return
    rankers = getattr(selector, "rankers", None) or ()
    for number, (ranker, weight) in enumerate(zip(rankers, getattr(selector, "weights_", ()), strict=False)):
        *_, knowledge, criterion = ranker
        name = str(selector.names_[number])
        unique = name if list(map(str, selector.names_)).count(name) == 1 else f"{number + 1}: {name}"
        yield _Source(unique, float(weight), described(criterion), knowledge)


def _with_target(fitted: Fitted) -> list[tuple[_Source, Target]]:
    """List the sources, each with the table as sources match it: by names where there are some."""
    sources = list(_sources_of(fitted.selector))
    if not sources:
        return []
    table = fitted.X.named(sample_names=fitted.sample_names, feature_names=list(fitted.names))
    target = Target.of(table, fitted.y, "report")
    return [(source, target) for source in sources]


def _known_features(knowledge: KnowledgeSource | None, target: Target) -> BoolArray | None:
    """Tell which features a source speaks of; None where it does not, or where names of the fit are not at hand."""
    try:
        return None if knowledge is None else knowledge.known_features(target)
    except (ValueError, TypeError):
        return None


def _matches(knowledge: KnowledgeSource | None, target: Target) -> list[MatchFacts]:
    """Count what source and table share: samples, features of the table, features of the source."""
    if knowledge is None or isinstance(knowledge, TargetData):  # the table itself
        return []
    try:
        covered, known = knowledge.covered(target), knowledge.known_features(target)
        foreign = knowledge.unknown_features(target)
    except (ValueError, TypeError):  # the names that were given to fit are not those of the report
        return []
    found = []
    if known is None or not covered.all():
        found.append(_match("samples of the table are known", covered, target.samples.values))
    if known is not None and not knowledge.has_members:
        found.append(_match("features of the table are known", known, target.features.values))
    if known is not None and (foreign or knowledge.has_members):
        shared = len(set(target.features.values[known]))  # a name may stand twice in the table
        found.append(_counted("features are in the table", shared, shared + len(foreign), foreign, whose="its "))
    return found


def _match(what: str, known: BoolArray, names: AnyArray) -> MatchFacts:
    return _counted(what, int(known.sum()), known.size, list(names[~known][:NAMED]))


def _counted(what: str, known: int, total: int, missing: list[Any], whose: str = "") -> MatchFacts:
    """Say how many are shared, and name the first that are not."""
    named = [str(name) for name in missing[:NAMED]]
    rest = total - known - len(named)
    without = f"; not {', '.join(named)}{f' and {rest} more' if rest else ''}" if named else ""
    count = "all" if known == total else f"{known} of"
    sentence = f"{count} {whose}{total} {what}{without}"
    return {"what": what, "known": known, "total": total, "missing": named, "sentence": sentence}


def _enrichment(source: _Source, known: BoolArray, kept: IntArray) -> EnrichmentFacts:
    """Count the kept features that are in the set, beside what as many random features would have."""
    inside, members = int(known[kept].sum()), int(known.sum())
    expected = kept.size * members / known.size
    where = "in it" if source.knowledge is not None and source.knowledge.has_members else "known to it"
    part = "took part in the ranking, so more are expected" if source.weight > 0 else "had no weight in the ranking"
    sentence = (
        f"{inside} of the {kept.size} kept features {agreeing(inside, '[is|are]')} {where}, {expected:.2g} expected "
        f"by chance ({members} of all {known.size} {agreeing(members, '[is|are]')}); it {part}"
    )
    return {
        "kept_members": inside,
        "n_kept": int(kept.size),
        "members": members,
        "n_features": int(known.size),
        "expected": float(expected),
        "sentence": sentence,
    }

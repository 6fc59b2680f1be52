"""Alerts on the values of a table: features that one sample makes, spreads, copies, and features without a score."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.methods import METHODS
from eigenselect.graph import Origin
from eigenselect.matrix import Matrix
from eigenselect.multisource import TargetData
from eigenselect.reporting.answers.alert_parts import Looked
from eigenselect.reporting.facts import Alert
from eigenselect.reporting.inputs import columns_of
from eigenselect.selection import feature_order
from eigenselect.selectors.domination import BEST, dominating_sample, largest_deviations
from eigenselect.similarity import as_similarity
from eigenselect.similarity.base import ADVICE, NEARLY_ALL, dominating_features

#: a sample that holds more than this share of a feature's squared deviations makes it vary nearly alone
ONE_SAMPLE = 0.9
#: fewer samples are not judged: of eleven, one that differs from ten equal ones holds 91 %
LEAST_SAMPLES = 11
#: features without a score that are looked at, to tell whether they vary
SEEN_UNDEFINED = 200
#: what a fit says of features without a score that their values do not tell
EXPLAINED = re.compile(r"; the covariates explain \d+ of them")
#: in the table of methods: a feature counts as it is, so that its spread is part of the score
AS_IT_IS = ("f", "f, centred")


def table_alerts(looked: Looked) -> list[Alert]:
    """Say what is the matter with the values of the kept features, and of the table where it is not too large."""
    alone = _one_sample(looked)
    judged = [*alone, *_dominated(looked, alone), *_spreads(looked)]
    return [*judged, *_equal_features(looked), *_equal_samples(looked), *_without_score(looked)]


def _one_sample(looked: Looked) -> list[Alert]:
    """Name kept features that vary in one sample only, or nearly so, and that sample."""
    if looked.fitted.X.n_samples < LEAST_SAMPLES or not looked.columns.size:
        return []
    found = largest_deviations(looked.values)
    places = np.flatnonzero(found.shares > ONE_SAMPLE)
    if not places.size:
        return []
    rows, columns = found.samples[places], looked.columns[places]
    only = "one sample only"
    if not _one_differs(looked.values[:, places]).all():
        only += f", or nearly so (it holds over {ONE_SAMPLE:.0%} of the squared deviations)"
    first = list(dict.fromkeys(rows.tolist()))
    where = "; ".join(f"{looked.features(columns[rows == row])} in {looked.sample(row)}" for row in first[:3])
    others = f"; others in {len(first) - 3} more samples" if len(first) > 3 else ""
    said = f"{_part(places.size, looked)} {only}: {where}{others}.{_in_all(looked)}"
    advice = "Look there first: leave the sample out, or take logarithms, and see which features stay."
    return [looked.alert("one sample", f"{said} {advice}", columns=columns, rows=first)]


def _part(count: int, looked: Looked) -> str:
    """Write the subject: "The kept feature varies in", "3 of the 10 kept features vary in"."""
    if looked.columns.size == 1:
        return f"{looked.whose[0].upper()}{looked.whose[1:]} varies in"
    return f"{count} of {looked.whose} {'varies' if count == 1 else 'vary'} in"


def _one_differs(values: FloatArray) -> BoolArray:
    """Tell the columns in which all samples but one have the same value."""
    middle = np.sort(values, axis=0)[len(values) // 2]
    return np.asarray((values != middle).sum(axis=0) == 1)


def _in_all(looked: Looked) -> str:
    """Count the features of the whole table that one sample makes, where the table is small enough to look."""
    if not looked.can_be_scanned:
        return ""
    X = looked.fitted.X
    count = sum(int((largest_deviations(X.tile(part)).shares > ONE_SAMPLE).sum()) for part in X.tiles())
    return f" Of all {X.n_features} features {count} {'does' if count == 1 else 'do'}."


def _dominated(looked: Looked, alone: list[Alert]) -> list[Alert]:
    """Name a sample that makes most of the spread of several of the best features, unless it is named already."""
    fitted = looked.fitted
    best = fitted.selector.ranking_.argsort()[: min(BEST, feature_order(fitted.selector).n_ordered)]
    rows = _counting(looked)
    found = dominating_sample(columns_of(fitted.X, best)[rows]) if best.size else None
    if found is None:
        return []
    row, columns = int(rows[found[0]]), best[found[1]]
    if any(looked.sample_name(row) in alert["samples"] for alert in alone):
        return []
    who = looked.sample(row)
    said = (
        f"{who[0].upper()}{who[1:]} alone makes most of the spread of {columns.size} of the {best.size} best features"
    )
    advice = "look there first, and take logarithms to give such samples less weight"
    sentence = f"{said} ({looked.features(columns)}); {advice}."
    return [looked.alert("dominated", sentence, columns=columns, rows=[row])]


def _counting(looked: Looked) -> IntArray:
    """Return the samples that count: those that are not isolated."""
    graph, n_samples = getattr(looked.fitted.selector, "graph_", None), looked.fitted.X.n_samples
    if graph is None or graph.n_samples != n_samples:
        return np.arange(n_samples)
    return np.flatnonzero(~graph.isolated)


def _spreads(looked: Looked) -> list[Alert]:
    """Name features whose spread outweighs that of all others, where it counts."""
    decided = decided_by_spread(looked.fitted.selector, looked.summary["method"])
    if not decided or not looked.can_be_scanned:
        return []
    columns = dominating_features(looked.fitted.X)
    if not columns.size:
        return []
    holds, decides = ("holds", "decides") if columns.size == 1 else ("hold", "decide")
    part = f"over {NEARLY_ALL:.0%} of all squared deviations"
    said = (
        f"{looked.features(columns)} of {looked.fitted.X.n_features} features {holds} {part} and so {decides} {decided}"
    )
    advice = getattr(looked.fitted.selector, "advice_on_units", None) or ADVICE
    return [looked.alert("spreads", f"{said}; {advice}.", columns=columns)]


def decided_by_spread(selector: Any, method: str) -> str:
    """Say what the spreads of the features decide; empty where the method does not depend on them.

    Distances between samples are sums over features. Of the scores, those depend on the spread that take a feature as
    it is (see `eigenselect.criteria.methods.Method.normalization`), or are told to by ``scale=None``; `ReliefF` divides
    by the range unless it takes squared differences.

    >>> from eigenselect import FisherScore, Variance
    >>> decided_by_spread(FisherScore(), "fisher"), decided_by_spread(Variance(), "variance")
    ('', 'the scores')
    """
    row = next((row for row in METHODS if row.name == method), None)
    if row is None:
        return ""
    as_it_is = row.normalization in AS_IT_IS and getattr(selector, "difference", "") != "absolute"
    unscaled = getattr(selector, "scale", "unit") is None and getattr(selector, "level", "subset") == "subset"
    near = any(_by_distance(recipe) for recipe in _recipes(selector))
    return " and ".join(["which samples are near each other"] * near + ["the scores"] * (as_it_is or unscaled))


def _recipes(selector: Any) -> Iterator[Any]:
    """Yield the recipes by which this table itself became a sample graph."""
    if getattr(getattr(selector, "graph_", None), "origin", None) is not Origin.FEATURES:
        return
    if hasattr(selector, "similarity"):
        yield selector.similarity
    yield from (
        source.similarity for _, source in getattr(selector, "sources", None) or () if isinstance(source, TargetData)
    )


def _by_distance(recipe: Any) -> bool:
    return bool(as_similarity(recipe, sys.maxsize).by_distance)


def _equal_features(looked: Looked) -> list[Alert]:
    """Name kept features that have the same values as another kept one."""
    groups = _equal(np.ascontiguousarray(looked.values.T)) if looked.columns.size > 1 else []
    if not groups:
        return []
    columns = [looked.columns[place] for group in groups for place in group]
    pairs = "; ".join(looked.features(looked.columns[group]) for group in groups[:3]) + (
        "; …" if len(groups) > 3 else ""
    )
    said = f"{len(columns)} of {looked.whose} are exact copies of each other ({pairs})"
    return [looked.alert("copies", f"{said}; one of each says as much as all.", columns=columns)]


def _equal_samples(looked: Looked) -> list[Alert]:
    """Name samples that have the same values in all features as an earlier one."""
    if not looked.can_be_scanned:
        return []
    groups = _equal(row for block in looked.fitted.X.row_blocks() for row in block)
    if not groups:
        return []
    rows = [row for group in groups for row in group]
    said = f"{len(rows)} samples have the same values as another in all features ({_pairs(looked, groups)})"
    advice = "where one was entered twice, keep one: copies are each other's neighbours and predict each other"
    return [looked.alert("equal samples", f"{said}; {advice}.", rows=rows)]


def _pairs(looked: Looked, groups: Sequence[IntArray]) -> str:
    """Write the first groups of equal samples."""
    return "; ".join(looked.samples(group) for group in groups[:3]) + ("; …" if len(groups) > 3 else "")


def _equal(lines: Iterable[FloatArray]) -> list[IntArray]:
    """Return the places of equal lines of numbers, each group of more than one; constant lines do not count.

    >>> _equal(np.array([[0.0, 1.0], [2.0, 3.0], [-0.0, 1.0], [4.0, 4.0], [4.0, 4.0]]))
    [array([0, 2])]
    """
    places: dict[bytes, list[int]] = {}
    for place, line in enumerate(lines):
        if line.size and (line != line[0]).any():
            places.setdefault(blake2b((line + 0.0).tobytes(), digest_size=16).digest(), []).append(place)  # -0 is 0
    return [np.array(group) for group in places.values() if len(group) > 1]


def _without_score(looked: Looked) -> list[Alert]:
    """Count features without a score, and say how many of them do not vary."""
    scores = np.asarray(looked.fitted.selector.scores_, dtype=np.float64)
    columns = np.flatnonzero(np.isnan(scores))
    if not columns.size:
        return []
    said = f"{columns.size} of {scores.size} features {'has' if columns.size == 1 else 'have'} no score and"
    said += f" {'is' if columns.size == 1 else 'are'} ranked last ({looked.features(columns)})"
    kept = int(np.isin(columns, [row["column"] for row in looked.summary["features"]]).sum())
    among = (
        f"; {kept} of them {'is' if kept == 1 else 'are'} kept all the same" if kept and looked.summary["cut"] else ""
    )
    explained = "".join(EXPLAINED.findall(" ".join(looked.summary["warnings"]))[:1])
    sentence = f"{said}{_why_undefined(looked.fitted.X, columns)}{explained}{among}; leave such features out."
    return [looked.alert("no score", sentence, columns=columns)]


def _why_undefined(X: Matrix, columns: IntArray) -> str:
    """Say that features do not vary, where that is so of all that are looked at."""
    values = columns_of(X, columns[:SEEN_UNDEFINED])
    return ", as constant features are" if not (values != values[:1]).any() else ""

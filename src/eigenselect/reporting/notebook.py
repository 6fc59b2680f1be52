"""What a notebook shows of a report: the answer, the alerts, the first rows and a small heat map, without a script.

The view is part of the notebook's own document, so that its height follows its content and its colours those of the
notebook. It therefore has no script, no ids, and styles that reach nothing outside it.
"""

from __future__ import annotations

import base64
import re
from itertools import groupby
from typing import Any, TypedDict

import numpy as np

from eigenselect.reporting.picture import heat_png
from eigenselect.reporting.significance import probability_text
from eigenselect.reporting.summary import RankingSummary, Summary

#: rows, alerts and names of kept features that are shown
ROWS, ALERTS, NAMES = 10, 3, 40
#: methods of a comparison that are shown; rows of its small consensus, and the most methods that have a column there
METHODS, FEATURES, COLUMNS = 12, 6, 6
#: the small heat map: its width, the height of a row, the letters of a name, and about how wide a letter is
WIDTH, ROW, LETTERS, LETTER = 520, 11, 24, 6.2


class NotebookRow(TypedDict):
    """One feature as text: its rank, its name, and the cells of `columns_of`."""

    rank: str
    feature: str
    cells: list[str]


class GroupMark(TypedDict):
    """The line over the samples of one group; ``word`` is its name as far as there is room."""

    name: str
    word: str
    left: float
    right: float


class HeatPicture(TypedDict):
    """Everything that the template draws of the small heat map, in units of its width."""

    width: int
    height: int
    left: int
    top: int
    row: int
    names: list[str]
    picture: str
    groups: list[GroupMark]
    label: str
    caption: str


def notebook_view(summary: Summary, page: str) -> str:
    """Render the view of a summary; ``page`` is the whole page, which a link of the view saves.

    Parameters
    ----------
    summary : Summary
        Of a ranking with all views, or of a comparison.
    page : str
        The whole page as HTML.
    """
    from eigenselect.reporting.page import render_template

    parts = _ranking_parts(summary) if summary["kind"] == "ranking" else _comparison_parts()
    return render_template(
        f"notebook_{summary['kind']}.html",
        styles=("notebook.css",),
        summary=summary,
        alerts=sentences_of_alerts(summary),
        n_alerts=ALERTS,
        file=file_name(summary["title"]),
        address="data:text/html;charset=utf-8;base64," + base64.b64encode(page.encode()).decode("ascii"),
        **parts,
    )


def _comparison_parts() -> dict[str, Any]:
    return {"n_methods": METHODS, "n_columns": COLUMNS, "n_features": FEATURES, "nan": float("nan")}


def _ranking_parts(summary: RankingSummary) -> dict[str, Any]:
    known = summary["all_features"]
    names = [known["feature"][place] for place in known["selected"]] if summary["cut"] else []
    return {
        "columns": columns_of(summary),
        "rows": rows_of(summary),
        "names": names[:NAMES],
        "n_more": len(names[NAMES:]),
        "heat": small_heat_map(summary),
    }


def sentences_of_alerts(summary: Summary) -> list[str]:
    """Return what a reader is warned of, as sentences."""
    return [alert["sentence"] for alert in summary.get("alerts", [])]


def columns_of(summary: RankingSummary) -> list[str]:
    """Name the columns beside rank and name: the score, and what else is known of the features that are shown."""
    return ["score", *(EVIDENCE[key] for key in _evidence_of(summary))]


def _evidence_of(summary: RankingSummary) -> list[str]:
    """Choose the columns beside the score: groups only where some feature that is shown is in one."""
    known: Any = summary["all_features"]
    shown = [key for key in EVIDENCE if key in known]
    return [key for key in shown if key != "group" or any(known[key][place] for place in _places(summary))]


def _places(summary: RankingSummary) -> list[int]:
    """Places of the features that are shown: the first kept ones, or the first of the ranking where none was cut."""
    if summary["cut"]:
        return summary["all_features"]["selected"][:ROWS]
    return list(range(min(ROWS, summary["n_features"])))


#: columns beside the score, by their keys in ``all_features``
EVIDENCE = {"qvalue": "q", "stability": "stability", "group": "group"}


def rows_of(summary: RankingSummary) -> list[NotebookRow]:
    """Write the features that are shown as text."""
    known: Any = summary["all_features"]
    evidence = _evidence_of(summary)
    return [
        {
            "rank": str(place + 1) if place < summary["n_ordered"] else "",
            "feature": known["feature"][place],
            "cells": [
                _number(known["score"][place]),
                *(_evidence(key, known[key][place]) for key in evidence),
            ],
        }
        for place in _places(summary)
    ]


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.4g}"


def _evidence(key: str, value: Any) -> str:
    """Write a q-value, a share of refits, or the number of a group (none: 0)."""
    if key == "qvalue":
        return probability_text(value, undefined="–")
    if key == "stability":
        return f"{100 * value:.0f} %"
    return str(value or "")


def file_name(title: str) -> str:
    """Make a file's name of a title: letters, digits, dots and dashes.

    >>> file_name("wine.csv"), file_name("../a b"), file_name("")
    ('wine.csv.html', 'a-b.html', 'report.html')
    """
    safe = re.sub(r"[^\w.-]+", "-", title[:80]).strip("-.")
    return f"{safe or 'report'}.html"


def small_heat_map(summary: RankingSummary) -> HeatPicture | None:
    """Draw z-scores of the first features of the table on the samples, in the order of the page's heat map."""
    view = summary["views"]["heat_map"]
    if not view["features"] or (summary["cut"] and not summary["n_selected"]):
        return None  # a picture of what was not kept would look like an answer
    steps = np.frombuffer(base64.b64decode(view["steps"]), dtype=np.int8).reshape(len(view["features"]), -1)
    shown = set(_places(summary))
    rows = [row for row, place in enumerate(view["place"]) if place in shown]
    if not rows:
        return None
    names = [shortened(view["features"][row], LETTERS) for row in rows]
    left = round(LETTER * max(map(len, names))) + 12
    groups = _groups_above(view["group"], summary["views"]["groups"]["names"], left)
    top = 20 if groups else 2
    return {
        "width": WIDTH,
        "height": top + ROW * len(rows) + 2,
        "left": left,
        "top": top,
        "row": ROW,
        "names": names,
        "picture": heat_png(steps[rows].astype(int), round(view["limit"] / view["step"]), missing=-128),
        "groups": groups,
        "label": f"z-scores of {len(rows)} features on {steps.shape[1]} samples.",
        "caption": f"z-scores of {len(rows)} features on {steps.shape[1]} samples, from -{view['limit']:g} or less "
        f"(blue) to {view['limit']:g} or more (orange). {view['caution']}".strip(),
    }


def _groups_above(codes: list[int], names: list[str], left: int) -> list[GroupMark]:
    """Place a line over each run of samples of one group, with its name where there is room; none for one group."""
    if len(set(codes)) < 2:
        return []
    cell, marks, start = (WIDTH - left) / len(codes), list[GroupMark](), 0
    for code, run in groupby(codes):
        end = start + len(list(run))
        name = "in no group" if code < 0 else names[code]
        room = int((end - start) * cell / LETTER)
        marks.append(
            {
                "name": name,
                "word": shortened(name, room) if room >= 4 else "",
                "left": round(left + start * cell + 1, 1),
                "right": round(left + end * cell - 1, 1),
            }
        )
        start = end
    return marks


def shortened(name: str, letters: int) -> str:
    """Cut a name to at most so many letters.

    >>> shortened("proanthocyanins", 8)
    'proanth…'
    """
    return name if len(name) <= letters else f"{name[: letters - 1]}…"

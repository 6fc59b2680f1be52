"""The page: one HTML file with its styles, scripts and data inside."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from eigenselect import __version__
from eigenselect.io.writers import json_values
from eigenselect.reporting.plotting import palette
from eigenselect.reporting.significance import TRAP
from eigenselect.reporting.summary import Summary, without_values

if TYPE_CHECKING:
    from jinja2 import Environment

#: the script in the head, which runs before anything is painted
EARLY = ("theme.js",)
#: scripts of every page, then those of each kind, in the order in which they are joined
SCRIPTS = (
    "dom.js",
    "frame.js",
    "colours.js",
    "text_fit.js",
    "axes.js",
    "scatter.js",
    "heat_colours.js",
    "heat_map.js",
    "table.js",
    "export.js",
)
SCRIPTS_OF: dict[str, tuple[str, ...]] = {
    "ranking": (
        "ranking.js",
        "score_scale.js",
        "distribution.js",
        "cards/samples.js",
        "cards/significance.js",
        "cards/features.js",
        "cards/how_many.js",
        "cards/heat_map.js",
        "cards/dots.js",
        "cards/redundancy.js",
        "cards/explained.js",
        "cards/neighbours.js",
        "cards/chosen.js",
        "cards/graph.js",
        "cards/paper.js",
        "permalinks.js",
    ),
    "comparison": (
        "accuracy_chart.js",
        "comparison.js",
        "cards/paper.js",
    ),
}
#: styles of every page: colours and layout, then each card's own
STYLES = (
    "page.css",
    "table.css",
    "export.css",
    "cards/answer.css",
    "cards/alerts.css",
    "cards/chosen.css",
    "cards/how_many.css",
    "cards/heat.css",
    "cards/samples.css",
    "cards/sources.css",
    "cards/paper.css",
    "print.css",
    "no_script.css",
)
#: styles of one kind of page only
STYLES_OF: dict[str, tuple[str, ...]] = {"ranking": (), "comparison": ("comparison.css",)}
#: parts of the summary that the scripts of each kind read; words and facts are in the page already, as text
READ_BY_SCRIPTS: dict[str, frozenset[str]] = {
    "ranking": frozenset(
        {"title", "method", "native_direction", "cut", "n_ordered", "scores", "significance", "evaluation"}
        | {"all_features", "views"}
    ),
    "comparison": frozenset(
        {"title", "methods", "best", "permuted_range", "chance", "n_selected", "consensus", "all_features"}
    ),
}
#: digits of numbers in a page
DIGITS = 6
#: columns of all features that are zero for most, the last among them: the page's script knows that
MOSTLY_ZERO = {"stability", "group"}


def render(summary: Summary) -> str:
    """Render the page of a summary; that of a ranking needs all views.

    Data travel as JSON in which no character can end the script element that holds it; the page's own script puts names
    into the document as text nodes only, and a content security policy allows its two scripts and no request.
    """
    script = "\n".join(_asset(name) for name in (*SCRIPTS, *SCRIPTS_OF[summary["kind"]]))
    early = "\n".join(map(_asset, EARLY))
    page = _environment().get_template(f"{summary['kind']}.html")
    text = page.render(
        summary=summary,
        version=__version__,
        style="\n".join((palette.style(), *(_asset(name) for name in (*STYLES, *STYLES_OF[summary["kind"]])))),
        script=script,
        early=early,
        policy=" ".join(map(_allowed, (early, script))),
        trap=TRAP,
        data=_safe_json(_page_data(summary)),
    )
    return text.encode("utf-8", "replace").decode("utf-8")  # names of files may hold bytes that are no text


def _allowed(script: str) -> str:
    """Name a script to the content security policy by the hash of its text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def render_template(name: str, styles: tuple[str, ...], **values: Any) -> str:
    """Render a template of this folder that needs no script, with these styles."""
    text = _environment().get_template(name).render(style="\n".join(map(_asset, styles)), **values)
    return text.encode("utf-8", "replace").decode("utf-8")


def _page_data(summary: Summary) -> dict[str, Any]:
    """Collect what the page's script reads, rounded to what can be seen.

    Feature values stay as they are: their scale must not be rounded.
    """
    read = READ_BY_SCRIPTS[summary["kind"]]
    data: dict[str, Any] = rounded({key: value for key, value in without_values(summary).items() if key in read})
    if summary["kind"] == "ranking":
        data["values"] = summary["views"]["values"]
        data["all_features"] |= {
            key: without_last_zeros(data["all_features"][key]) for key in MOSTLY_ZERO & data["all_features"].keys()
        }
    return data


def without_last_zeros(values: list[Any]) -> list[Any]:
    """Cut the zeros off that a list ends with.

    >>> without_last_zeros([0.5, 0, 1, 0, 0.0])
    [0.5, 0, 1]
    """
    end = next((place + 1 for place in range(len(values) - 1, -1, -1) if values[place] != 0), 0)
    return values[:end]


def rounded(value: Any) -> Any:
    """Round floats to `DIGITS` digits, inside any dict or list.

    >>> rounded({"a": [1 / 3, 2], "b": "text"})
    {'a': [0.333333, 2], 'b': 'text'}
    """
    if isinstance(value, float):
        return 0 if value == 0 else 1 if value == 1 else float(f"{value:.{DIGITS}g}")  # two bytes less than 0.0 and 1.0
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return value


def _safe_json(data: dict[str, Any]) -> str:
    """Write JSON in which no character can end the script element that holds it."""
    text = json.dumps(json_values(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@cache
def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8").strip()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_asset), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["permalink"] = permalink
    return made


def permalink(name: str) -> str:
    """Return the address of a feature within its page.

    >>> permalink("a b/ü")
    '#feature=a%20b%2F%C3%BC'
    """
    return f"#feature={quote(name.encode('utf-8', 'replace'), safe='')}"

"""The page: one HTML file with its styles, scripts and data inside."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from eigenselect._version import __version__
from eigenselect.io.writers import json_values
from eigenselect.reporting.page_data import FeatureValues, rounded

if TYPE_CHECKING:
    from jinja2 import Environment

#: scripts of each kind of page, in the order in which they are joined
SCRIPTS = {
    "ranking": ("dom.js", "charts.js", "table.js", "ranking.js"),
    "comparison": ("dom.js", "charts.js", "table.js", "comparison.js"),
}


def render(summary: dict[str, Any], values: FeatureValues | None) -> str:
    """The page of a summary.

    Data travel as JSON in which no character can end the script element that holds it; the page's own script puts names
    into the document as text nodes only, and a content security policy allows that one script and no request.
    """
    script = "\n".join(_asset(name) for name in SCRIPTS[summary["kind"]])
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = _environment().get_template(f"{summary['kind']}.html")
    text = page.render(
        summary=summary,
        version=__version__,
        style=_asset("page.css"),
        script=script,
        script_digest=digest,
        data=_safe_json(_page_data(summary, values)),
    )
    return text.encode("utf-8", "replace").decode("utf-8")  # names of files may hold bytes that are no text


def _page_data(summary: dict[str, Any], values: FeatureValues | None) -> dict[str, Any]:
    """Everything but the list of features as dicts, which `all_features` holds more briefly."""
    data = rounded({key: value for key, value in summary.items() if key != "features"})
    data["values"] = None if values is None else values.as_dict()
    return data


def _safe_json(data: dict[str, Any]) -> str:
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

    return Environment(
        loader=FunctionLoader(_asset), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )

"""What files of the release say of themselves: name, version, date, dependencies."""

from __future__ import annotations

import datetime
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FORGE = "https://github.com/eigenselect/eigenselect"
DOCUMENTATION = "https://eigenselect.readthedocs.io"


def text_of(name: str) -> str:
    """Return a file of the checkout."""
    return (ROOT / name).read_text(encoding="utf-8")


def project() -> dict[str, Any]:
    """Return the table ``[project]`` of pyproject.toml."""
    return tomllib.loads(text_of("pyproject.toml"))["project"]


def version() -> str:
    """Return the version, without importing the package."""
    return re.findall('^__version__ = "(.+)"$', text_of("src/eigenselect/__init__.py"), re.M)[0]


def released() -> datetime.date:
    """Return the day of this version, as CHANGELOG.md has it."""
    found = re.search(rf"^## \[{re.escape(version())}\] - (\d{{4}}-\d\d-\d\d)$", text_of("CHANGELOG.md"), re.M)
    if found is None:
        raise SystemExit(
            f"CHANGELOG.md: expected a heading '## [{version()}] - YYYY-MM-DD', as __init__.py says, found none; "
            "write one."
        )
    return datetime.date.fromisoformat(found[1])


def source_date_epoch() -> int:
    """Return the time that stands in archives: midnight (UTC) of the day of release, in a checkout and in an sdist."""
    midnight = datetime.datetime.combine(released(), datetime.time(), tzinfo=datetime.UTC)
    return int(midnight.timestamp())


def name_and_bounds(requirement: str) -> tuple[str, str]:
    """Split a requirement: ``dask[array] >= 2024.8.1`` is ``dask`` and ``>=2024.8.1``."""
    found = re.fullmatch(r"([\w.-]+)(?:\[[\w,-]+\])?\s*(.*)", requirement)
    if found is None:
        raise ValueError(f"a requirement: expected a name and bounds, got {requirement!r}.")
    return found[1].lower(), found[2].replace(" ", "")

"""What is in the archives: the wheel has the package and nothing else, the sdist all of the repository."""

from __future__ import annotations

import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

from release.facts import ROOT, version

#: what the package cannot do without
NEEDED = (
    "py.typed",
    "cli/main.py",
    "criteria/methods.toml",
    "criteria/references.toml",
    "reporting/page/ranking.html",
    "reporting/page/page.css",
    "reporting/page/dom.js",
)


def files_of(archive: Path) -> set[str]:
    """Return the names of the files in a wheel or, without its top folder, in an sdist."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return set(wheel.namelist())
    with tarfile.open(archive) as sdist:
        return {member.name.split("/", 1)[1] for member in sdist if member.isfile()}


def relative_links(description: str) -> list[str]:
    """Return the targets of Markdown links and pictures that lead nowhere outside the repository.

    >>> relative_links("![x](docs/x.png), [y](https://a.b/c), [z](#there)")
    ['docs/x.png']
    """
    return re.findall(r"\]\((?!https?://|mailto:|#)([^)]*)\)", description)


def description_of(archive: Path) -> str:
    """Return the description in the metadata of a wheel or sdist, which PyPI shows."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            text = wheel.read(f"eigenselect-{version()}.dist-info/METADATA").decode()
    else:
        with tarfile.open(archive) as sdist:
            found = sdist.extractfile(f"eigenselect-{version()}/PKG-INFO")
            text = "" if found is None else found.read().decode()
    return text.partition("\n\n")[2]


def tracked() -> set[str] | None:
    """Return the files of the checkout, or None where there is no repository, as in an unpacked sdist."""
    if not (ROOT / ".git").exists():
        return None
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).exists()}


def wrong_in_wheel(files: set[str], source: set[str]) -> list[str]:
    """Return sentences about the wheel; none is good.

    Parameters
    ----------
    files : set of str
        What is in the wheel.
    source : set of str
        The files of the checkout.
    """
    notes = f"eigenselect-{version()}.dist-info/"
    about = {notes + name for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    package = {name.removeprefix("src/") for name in source if name.startswith("src/eigenselect/")}
    needed = {f"eigenselect/{name}" for name in NEEDED}
    return [
        *(f"the wheel has no {name}" for name in sorted((about | package | needed) - files)),
        *(f"the wheel has {name}, which is no part of the package" for name in sorted(files - about - package)),
    ]


def wrong_in_sdist(files: set[str], source: set[str]) -> list[str]:
    """Return sentences about the sdist; none is good."""
    return [
        *(f"the sdist has no {name}" for name in sorted(source - files)),
        *(f"the sdist has {name}, which is not in the repository" for name in sorted(files - source - {"PKG-INFO"})),
    ]

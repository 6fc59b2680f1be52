"""Links of Markdown files that hold in the repository hold on the site, too.

A page may include a file of the repository (``docs/changelog.md`` is ``CHANGELOG.md``), whose links start at that
file's folder. They are written anew: to a page where the target is one, else to the file, which readers download.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
#: files of the repository that are pages of the site
PAGES = {
    "README.md": "docs/index.md",
    "CHANGELOG.md": "docs/changelog.md",
    "CONTRIBUTING.md": "docs/contributing.md",
    "benchmarks/README.md": "docs/benchmarks.md",
    "papers/RESULTS.md": "docs/papers.md",
    "docs": "docs/guide/index.md",
}
#: [text](target) and ![text](target), but no address of the web and no place on the same page
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\()(?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"(^```.*?^```\s*$)", re.MULTILINE | re.DOTALL)


def rewritten(text: str, source: Path, page: Path) -> str:
    """Return Markdown of one file, its links as they are on a page of the site."""

    def link(found: re.Match[str]) -> str:
        before, target, anchor, after = found.groups()
        return before + on_page(target, source, page) + (anchor or "") + after

    parts = FENCE.split(text)  # every second one is code
    return "".join(part if code % 2 else LINK.sub(link, part) for code, part in enumerate(parts))


def on_page(target: str, source: Path, page: Path) -> str:
    """Return a link's target as seen from a page."""
    path = Path(os.path.normpath(source.parent / target))
    if not path.is_relative_to(ROOT):
        return target
    name = path.relative_to(ROOT).as_posix()
    there = ROOT / PAGES.get(name, name)
    seen = Path(os.path.relpath(there, page.parent)).as_posix()
    return f"path:{seen}" if there.suffix == ".md" and not there.is_relative_to(DOCS) else seen


def rewrite_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Rewrite the links of a page of ours."""
    page = Path(app.env.doc2path(docname))
    if page.suffix == ".md":
        source[0] = rewritten(source[0], page, page)


def rewrite_included(app: Sphinx, path: Path, docname: str, source: list[str]) -> None:
    """Rewrite the links of a file that a page includes."""
    if path.suffix == ".md":
        source[0] = rewritten(source[0], (Path(app.srcdir) / path).resolve(), Path(app.env.doc2path(docname)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to what is read."""
    app.connect("source-read", rewrite_page)
    app.connect("include-read", rewrite_included)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

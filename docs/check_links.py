"""Check the links of a built site: every file and every anchor that a page names exists, every address is well formed.

``python docs/check_links.py docs/_build/html``; ``make docs`` runs it. Other hosts are not asked: ``make docs-links``.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: attributes that hold an address
ADDRESSES = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}
#: elements whose address is fetched with the page: none of another host
FETCHED = {"link", "img", "script", "source"}


class Page(HTMLParser):
    """The addresses and the anchors of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str]] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element names and what it is called."""
        found = dict(attrs)
        self.anchors.update(value for key in ("id", "name") if (value := found.get(key)))
        address = found.get(ADDRESSES.get(tag, ""))
        canonical = tag == "link" and found.get("rel") in {"canonical", "search", "next", "prev"}
        if address and not canonical:
            self.addresses.append((tag, address))


def problems(site: Path) -> list[str]:
    """Return one sentence for every address that leads nowhere."""
    pages = {
        path.resolve(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }
    return [
        f"{path.relative_to(site.resolve())}: {address}: {problem}"
        for path, page in pages.items()
        for tag, address in page.addresses
        if (problem := problem_of(tag, address, path, pages))
    ]


def problem_of(tag: str, address: str, page: Path, pages: dict[Path, Page]) -> str:
    """Return what is wrong with an address, or nothing."""
    parts = urlsplit(address)
    if parts.scheme == "data":
        return ""
    if parts.scheme or parts.netloc:
        return external_problem(tag, address)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return "no such file"
    anchor = unquote(parts.fragment)
    return "no such anchor" if anchor and target in pages and anchor not in pages[target].anchors else ""


def external_problem(tag: str, address: str) -> str:
    """Return what is wrong with an address of another host, as far as its letters tell."""
    parts = urlsplit(address)
    if tag in FETCHED:
        return "fetched from another host"
    if parts.scheme == "mailto":
        return "" if "@" in parts.path else "no address of a person"
    if parts.scheme not in {"http", "https"} or "." not in parts.netloc or any(mark in address for mark in ' "<>\\'):
        return "not well formed"
    if parts.netloc == "doi.org" and not parts.path.startswith("/10."):
        return "no doi"
    return ""


if __name__ == "__main__":
    found = problems(Path(sys.argv[1]))
    print(*found, sep="\n")
    print(f"{sys.argv[1]}: {len(found)} links lead nowhere" if found else f"{sys.argv[1]}: all links lead somewhere")
    sys.exit(1 if found else 0)

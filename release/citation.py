"""Write CITATION.cff: this version, and the papers behind its methods, from its list of references.

Texts are written as JSON has them, which is YAML, too; so no writer of YAML is needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from eigenselect.reporting.papers.citing import Reference, references
from release.facts import DOCUMENTATION, FORGE, ROOT, project, released, version

TYPES = {"article": "article", "inproceedings": "conference-paper", "book": "book", "phdthesis": "thesis"}
#: the key of the format for what a reference calls its venue
VENUES = {"article": "journal", "inproceedings": "collection-title", "book": "publisher", "phdthesis": "institution"}


def citation() -> str:
    """Return the whole file."""
    ours = references()["eigenselect"]
    lines = [
        "# Written by `make citation` from src/eigenselect/criteria/references.toml and CHANGELOG.md; a test compares.",
        "cff-version: 1.2.0",
        "message: If you use this software, please cite it, and the papers whose methods you use.",
        "type: software",
        f"title: {quoted(ours.title)}",
        f"abstract: {quoted(project()['description'])}",
        "authors:",
        *(f"  - name: {quoted(author)}" for author in ours.authors),
        f"version: {quoted(version())}",
        f"date-released: {quoted(released().isoformat())}",
        f"license: {project()['license']}",
        f"repository-code: {quoted(FORGE)}",
        f"url: {quoted(DOCUMENTATION)}",
        "keywords:",
        *(f"  - {quoted(word)}" for word in project()["keywords"]),
        "references:",
        *(line for reference in references().values() if reference is not ours for line in entry(reference)),
    ]
    return "\n".join(lines) + "\n"


def entry(reference: Reference) -> Iterator[str]:
    """Yield the lines of one paper."""
    yield f"  - type: {TYPES[reference.kind]}"
    yield f"    title: {quoted(reference.title)}"
    yield "    authors:"
    for author in reference.authors:
        family, given = author.split(", ")
        yield f"      - family-names: {quoted(family)}"
        yield f"        given-names: {quoted(given)}"
    yield f"    year: {reference.year}"
    venue = VENUES[reference.kind]
    nested = venue in ("publisher", "institution")
    yield f"    {venue}: {{name: {quoted(reference.venue)}}}" if nested else f"    {venue}: {quoted(reference.venue)}"
    if reference.kind == "phdthesis":
        yield "    thesis-type: PhD"
    for key, value in (("volume", reference.volume), ("issue", reference.number), ("doi", reference.doi)):
        if value:
            yield f"    {key}: {quoted(value)}"
    yield from pages(reference.pages)


def pages(text: str) -> Iterator[str]:
    """Yield the first and the last page, or the number of an article that has no pages."""
    ends = re.split("[–-]", text) if text else []
    for key, page in zip(("start", "end"), ends, strict=False):
        yield f"    {key}: {quoted(page)}"


def quoted(text: str) -> str:
    """Return a text as JSON, in its own letters."""
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    (ROOT / "CITATION.cff").write_text(citation(), encoding="utf-8")

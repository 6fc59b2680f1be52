"""Every publication is whole, occurs once, and is cited by the rows of the table of methods."""

import re

from eigenselect import __version__
from eigenselect.criteria.methods import METHODS
from eigenselect.reporting.papers.citing import Reference, references

EVERY = list(references().values())


def reference(**facts):
    plain = {"key": "a2000", "kind": "article", "authors": ["Ash, Ann B."], "title": "On Š & more", "year": 2000}
    return Reference(**plain | {"venue": "Journal"} | facts)


def test_one_publication_has_one_key():
    assert len({one.title.lower() for one in EVERY}) == len(EVERY)
    known = [one.doi.lower() for one in EVERY if one.doi]
    assert len(set(known)) == len(known)
    assert (references()["eigenselect"].version, references()["eigenselect"].doi) == (__version__, "")


def test_text_of_articles_theses_software_and_several_authors():
    article = reference(volume="3", number="1–2", pages="4–9", doi="10.1/x").text
    assert article == "Ash, A. B. (2000). On Š & more. Journal, 3(1–2), 4–9. doi:10.1/x"
    assert reference(kind="phdthesis", venue="ASU").text.endswith("PhD thesis, ASU.")
    assert "(version 1.2)" in reference(kind="misc", authors=["The developers"], version="1.2").text
    three = ["A, X.", "B, Y-Z.", "C, W."]
    assert reference(authors=three).text.startswith("A, X., B, Y.-Z., & C")
    cited = [reference(authors=three[:count]).cited for count in (1, 2, 3)]
    assert cited == ["A 2000", "A & B 2000", "A et al. 2000"]


def test_bibtex_is_whole_and_ascii():
    venues = {"article": "journal", "inproceedings": "booktitle", "book": "publisher", "phdthesis": "school"}
    for one in [*EVERY, reference(pages="4–9")]:
        head, *lines, end = one.bibtex.splitlines()
        entry = dict(re.fullmatch(r"  (\w+) = {(.+)},?", line).groups() for line in lines)
        assert (head, end) == (f"@{one.kind}{{{one.key},", "}")
        assert {"author", "title", "year", venues.get(one.kind, "howpublished")} <= entry.keys()
        assert entry["author"].count(" and ") == len(one.authors) - 1
        assert one.bibtex.isascii(), one.key  # else add the letter to citing.TEX
        assert one.bibtex.count("{") == one.bibtex.count("}")
    assert r"{{On {\v{S}} \& more}}" in reference().bibtex
    assert "{{A and B}}" in reference(authors=["A and B"]).bibtex


def test_facts_are_plausible():
    for one in EVERY:
        assert one.version or (1800 < one.year < 2030 and str(one.year) in one.key), one.key
        assert re.fullmatch(r"(10\.\d{4,9}/\S+)?", one.doi), one.key
        assert re.fullmatch(r"(\w+(–\w+)?)?", one.pages), one.key
        if "–" in one.pages:
            first, last = (int(page.lstrip("C")) for page in one.pages.split("–"))
            assert first < last, one.key


def is_named(one, text):
    """Whether a printed reference names a publication: first author, year, and the doi if it prints one."""
    doi = re.search(r"doi:([^\s,;]+)", text)
    return one.authors[0].split(", ")[0] in text and str(one.year) in text and (doi is None or doi[1] == one.doi)


def test_rows_cite_what_they_print():
    for row in METHODS:
        printed = row.reference.split("; ")
        assert row.cites, row.name
        assert all(any(is_named(references()[key], part) for part in printed) for key in row.cites), row.name
        assert all(any(is_named(one, part) for one in EVERY) for part in printed), row.name

"""Every publication is whole, said once, and what rows of the table of methods cite; BibTeX is read back."""

import re
import unicodedata

import pytest

from eigenselect._version import __version__
from eigenselect.criteria.citation import ACCENTS, SPECIAL, Reference, escaped, initials
from eigenselect.criteria.references import REFERENCES
from eigenselect.criteria.table import METHODS

#: fields without which BibTeX warns, by kind of entry
REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "phdthesis": {"author", "title", "school", "year"},
    "misc": {"author", "title", "year"},
}
MARKS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "r": "\u030a", "v": "\u030c"}
NAMED = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^"}


def group(text, start):
    """What the brace at a place holds, and the place after it; escaped braces count as letters."""
    assert text[start] == "{"
    depth, place = 0, start
    while True:
        if text[place] == "\\":
            place += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        place += 1
        if depth == 0:
            return text[start + 1 : place - 1], place


def parsed(text):
    """Entries by key: their fields, and their kind as ``type``; an IndexError where braces are not balanced."""
    entries, place = {}, 0
    while found := re.compile(r"\s*@(\w+)(?={)").match(text, place):
        body, place = group(text, found.end())
        key, _, rest = body.partition(",")
        assert key not in entries
        entries[key] = fields(rest) | {"type": found[1]}
    assert not text[place:].strip()
    return entries


def fields(text):
    found, place = {}, 0
    while name := re.compile(r"\s*,?\s*(\w+) = (?={)").match(text, place):
        value, place = group(text, name.end())
        assert name[1] not in found
        found[name[1]] = value
    assert not text[place:].strip(" ,\n")
    return found


def read_tex(value):
    """What TeX prints, for the commands that we write."""
    for command, character in NAMED.items():
        value = value.replace(command, f"\0{ord(character)}\0")
    value = re.sub(
        r"{\\(.){(\w)}}",
        lambda found: unicodedata.normalize("NFC", found[2] + (MARKS | {"c": "\u0327"})[found[1]]),
        value,
    )
    value = re.sub(r"\\([{}&%$#_])", r"\1", value.replace("--", "–"))
    return re.sub("\0(\\d+)\0", lambda found: chr(int(found[1])), value)


def title_of(entry):
    """The title that is printed; a second pair of braces keeps its capitals."""
    title, end = group(entry["title"], 0)
    assert end == len(entry["title"])
    return read_tex(title)


def reference(**facts):
    plain = {"key": "a2000", "kind": "article", "authors": (("Ash", "Ann B."),), "title": "On 5 % & more", "year": 2000}
    return Reference(**plain | {"venue": "Journal"} | facts)


def test_accents_and_marks():
    assert escaped("Robnik-Šikonja & Candès: 5 %") == r"Robnik-{\v{S}}ikonja \& Cand{\`{e}}s: 5 \%"
    assert escaped("S\u030c") == escaped("Š")  # however Unicode composes it
    for mark in ACCENTS:
        letter = unicodedata.normalize("NFC", f"c{mark}" if mark == "\u0327" else f"a{mark}")
        assert read_tex(escaped(letter)) == letter
    assert all(escaped(character).isascii() for character in SPECIAL)


def test_a_letter_that_nobody_thought_of_is_refused():
    with pytest.raises(ValueError, match="д"):
        escaped("д")


EVERY = list(REFERENCES.values())


def test_one_publication_has_one_key():
    assert [reference.key for reference in EVERY] == list(REFERENCES)
    assert len({reference.title.lower() for reference in EVERY}) == len(EVERY)
    known = [reference.doi.lower() for reference in EVERY if reference.doi]
    assert len(set(known)) == len(known)


def test_this_library_names_its_version_and_no_doi():
    own = REFERENCES["eigenselect"]
    assert (own.version, own.doi) == (__version__, "")


def names_in(text, reference):
    """Whether a printed reference speaks of a publication: first author, year, and its doi where it has one."""
    family = reference.authors[0][0]
    doi = re.search(r"doi:([^\s,;]+)", text)
    return family in text and str(reference.year) in text and (doi is None or doi[1] == reference.doi)


def test_text_of_articles_theses_software_and_several_authors():
    found = reference(volume="3", number="1–2", pages="4–9", doi="10.1/x").text
    for part in ("Ash, A. B. (2000). ", "On 5 % & more. Journal", ", 3(1–2), 4–9. doi:10.1/x"):
        assert part in found
    assert reference(kind="phdthesis", venue="ASU").text.endswith("PhD thesis, ASU.")
    made = reference(kind="misc", authors=(("The developers", ""),), version="1.2").text
    assert made.startswith("The developers (2000).")
    assert "(version 1.2)" in made
    three = (("A", "X."), ("B", "Y-Z."), ("C", "W."))
    assert reference(authors=three).text.startswith("A, X., B, Y.-Z., & C")
    cited = [reference(authors=three[:count]).cited for count in (1, 2, 3)]
    assert cited == ["A 2000", "A & B 2000", "A et al. 2000"]
    assert (initials("P. A. P."), initials("Rina Foygel"), initials("Jean-Luc")) == ("P. A. P.", "R. F.", "J.-L.")


def test_what_is_read_back_is_what_was_put_in():
    for title in ("{braces} \\ $x_1$ #1 ~ ^", "5 % & more", "Ünder ç ñ à ž å ê é"):
        entry = parsed(reference(title=title, volume="3", pages="4–9", doi="10.1000/a_b(1)").bibtex)["a2000"]
        assert title_of(entry) == title
        assert (entry["pages"], entry["year"], entry["type"]) == ("4--9", "2000", "article")
        assert entry["doi"] == "10.1000/a_b(1)"
    organisation = parsed(reference(authors=(("A and B", ""),)).bibtex)["a2000"]
    assert organisation["author"] == "{A and B}"


def test_bibtex_is_whole():
    entries = parsed("\n\n".join(one.bibtex for one in EVERY))
    assert list(entries) == list(REFERENCES)
    for one in EVERY:
        entry = entries[one.key]
        assert REQUIRED[entry["type"]] <= entry.keys(), one.key
        assert all(entry.values()), one.key
        assert one.bibtex.isascii(), one.key
        assert title_of(entry) == one.title
        assert entry["author"].count(" and ") == len(one.authors) - 1, one.key


def test_facts_look_like_what_they_are():
    for one in EVERY:
        assert 1800 < one.year < 2030, one.key
        assert one.version or str(one.year) in one.key
        assert re.fullmatch(r"(10\.\d{4,9}/\S+)?", one.doi), one.key
        assert re.fullmatch(r"(\w+(–\w+)?)?", one.pages), one.key
        if "–" in one.pages:
            first, last = (int(page.lstrip("C")) for page in one.pages.split("–"))
            assert first < last, one.key
        assert one.title.strip(". ") == one.title


def test_rows_cite_what_they_print():
    for row in METHODS:
        printed = row.reference.split("; ")
        assert row.cites, row.name
        for key in row.cites:
            assert any(names_in(part, REFERENCES[key]) for part in printed), key
        for part in printed:
            assert any(names_in(part, one) for one in EVERY), part

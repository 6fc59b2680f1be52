"""Every publication is whole, said once, and what rows of the table of methods cite."""

import re

import pytest
from tests.criteria.bibtex import REQUIRED, parsed, title_of

from eigenselect._version import __version__
from eigenselect.criteria.references import REFERENCES
from eigenselect.criteria.table import METHODS

EVERY = list(REFERENCES.values())


@pytest.mark.parametrize("reference", EVERY, ids=lambda reference: reference.key)
def test_bibtex_is_whole(reference):
    (key, entry), *others = parsed(reference.bibtex).items()
    assert not others
    assert key == reference.key
    assert REQUIRED[entry["type"]] <= entry.keys()
    assert all(entry.values())
    assert reference.bibtex.isascii()
    assert title_of(entry) == reference.title
    assert entry["author"].count(" and ") == len(reference.authors) - 1


@pytest.mark.parametrize("reference", EVERY, ids=lambda reference: reference.key)
def test_facts_look_like_what_they_are(reference):
    assert 1800 < reference.year < 2030
    assert reference.version or str(reference.year) in reference.key
    assert re.fullmatch(r"(10\.\d{4,9}/\S+)?", reference.doi)
    assert re.fullmatch(r"(\w+(–\w+)?)?", reference.pages)
    if "–" in reference.pages:
        first, last = (int(page.lstrip("C")) for page in reference.pages.split("–"))
        assert first < last
    assert reference.title.strip(". ") == reference.title


def test_one_publication_has_one_key():
    assert [reference.key for reference in EVERY] == list(REFERENCES)
    assert len({reference.title.lower() for reference in EVERY}) == len(EVERY)
    known = [reference.doi.lower() for reference in EVERY if reference.doi]
    assert len(set(known)) == len(known)


def test_all_entries_make_one_file():
    assert list(parsed("\n\n".join(reference.bibtex for reference in EVERY))) == list(REFERENCES)


def test_this_library_names_its_version_and_no_doi():
    own = REFERENCES["eigenselect"]
    assert (own.version, own.doi) == (__version__, "")


def names_in(text, reference):
    """Whether a printed reference speaks of a publication: first author, year, and its doi where it has one."""
    family = reference.authors[0][0]
    doi = re.search(r"doi:([^\s,;]+)", text)
    return family in text and str(reference.year) in text and (doi is None or doi[1] == reference.doi)


@pytest.mark.parametrize("row", list(METHODS), ids=lambda row: row.name)
def test_rows_cite_what_they_print(row):
    printed = row.reference.split("; ")
    assert row.cites
    for key in row.cites:
        assert any(names_in(part, REFERENCES[key]) for part in printed), key
    for part in printed:
        assert any(names_in(part, reference) for reference in EVERY), part

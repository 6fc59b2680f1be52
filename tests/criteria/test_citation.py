"""A publication as text and BibTeX: an independent little parser reads back what was put in."""

import unicodedata

import pytest
from tests.criteria.bibtex import parsed, read_tex, title_of

from eigenselect.criteria.citation import ACCENTS, SPECIAL, Reference, escaped, initials


def reference(**facts):
    plain = {"key": "a2000", "kind": "article", "authors": (("Ash", "Ann B."),), "title": "On 5 % & more", "year": 2000}
    return Reference(**plain | {"venue": "Journal"} | facts)


class TestCited:
    @pytest.mark.parametrize(
        ("families", "words"), [(("A",), "A 2000"), (("A", "B"), "A & B 2000"), (("A", "B", "C"), "A et al. 2000")]
    )
    def test_names(self, families, words):
        assert reference(authors=tuple((family, "X.") for family in families)).cited == words


class TestText:
    def test_an_article(self):
        found = reference(volume="3", number="1–2", pages="4–9", doi="10.1/x").text
        assert found == "Ash, A. B. (2000). On 5 % & more. Journal, 3(1–2), 4–9. doi:10.1/x"

    def test_a_thesis_and_software(self):
        assert reference(kind="phdthesis", venue="ASU").text.endswith(". PhD thesis, ASU.")
        made = reference(kind="misc", authors=(("The developers", ""),), version="1.2").text
        assert made == "The developers (2000). On 5 % & more (version 1.2). Journal."

    def test_three_authors(self):
        three = (("A", "X."), ("B", "Y-Z."), ("C", "W."))
        assert reference(authors=three).text.startswith("A, X., B, Y.-Z., & C, W. (2000). ")


class TestBibtex:
    @pytest.mark.parametrize("title", ["{braces} \\ $x_1$ #1 ~ ^", "5 % & more", "Ünder ç ñ à ž å ê é"])
    def test_what_is_read_back_is_what_was_put_in(self, title):
        entry = parsed(reference(title=title, volume="3", pages="4–9").bibtex)["a2000"]
        assert title_of(entry) == title
        assert (entry["pages"], entry["year"], entry["type"]) == ("4--9", "2000", "article")

    def test_an_organisation_is_one_name(self):
        entry = parsed(reference(authors=(("The A and B developers", ""),)).bibtex)["a2000"]
        assert entry["author"] == "{The A and B developers}"

    def test_a_doi_is_left_as_it_is(self):
        assert parsed(reference(doi="10.1000/a_b(1)").bibtex)["a2000"]["doi"] == "10.1000/a_b(1)"


def test_accents_and_marks():
    assert escaped("Robnik-Šikonja & Candès: 5 %") == r"Robnik-{\v{S}}ikonja \& Cand{\`{e}}s: 5 \%"
    assert escaped("S\u030c") == escaped("Š")  # however Unicode composes it
    for mark in ACCENTS:
        letter = unicodedata.normalize("NFC", f"c{mark}" if mark == "\u0327" else f"a{mark}")
        assert read_tex(escaped(letter)) == letter
    assert all(escaped(character).isascii() for character in SPECIAL)


def test_a_letter_that_nobody_thought_of_is_refused():
    with pytest.raises(ValueError, match="no TeX is known for 'д'"):
        escaped("д")


def test_initials():
    assert (initials("P. A. P."), initials("Rina Foygel"), initials("Jean-Luc")) == ("P. A. P.", "R. F.", "J.-L.")

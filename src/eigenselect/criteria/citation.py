r"""A publication as structured facts, and as the text and the BibTeX that a paper needs of it.

Pure data, as the table of methods: importing it imports neither numpy nor scikit-learn.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

#: kinds of publication, as BibTeX calls them
Kind = Literal["article", "inproceedings", "book", "phdthesis", "misc"]
#: the field in which BibTeX has the venue of each kind
VENUE_FIELD: dict[Kind, str] = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "publisher",
    "phdthesis": "school",
    "misc": "howpublished",
}
#: accents of letters by their Unicode marks
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0308": '"',
    "\u030a": "r",
    "\u030c": "v",
    "\u0327": "c",
}
#: characters that mean something to TeX, and letters without an accent that it has a name for
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "ø": r"{\o}",
    "ß": r"{\ss}",
    "ł": r"{\l}",
}


@dataclass(frozen=True, kw_only=True)
class Reference:
    """One publication.

    Attributes
    ----------
    key : str
        By which rows of the table of methods name it, and its key in BibTeX.
    kind : {"article", "inproceedings", "book", "phdthesis", "misc"}
    authors : tuple of (family name, given names)
        An author without given names is an organisation or a group.
    title, year, venue : str, int, str
        The venue is the journal, the proceedings, the publisher, the university, or how it was published.
    volume, number, pages, doi, version : str
        Empty where there is none, or where it could not be confirmed.

    Examples
    --------
    >>> he = Reference(key="he2005", kind="inproceedings", authors=(("He", "Xiaofei"), ("Cai", "Deng")),
    ...                title="Laplacian score", year=2005, venue="NIPS", pages="507–514")
    >>> he.cited
    'He & Cai 2005'
    >>> he.text
    'He, X., & Cai, D. (2005). Laplacian score. In NIPS, pp. 507–514.'
    >>> print(he.bibtex)
    @inproceedings{he2005,
      author = {He, Xiaofei and Cai, Deng},
      title = {{Laplacian score}},
      booktitle = {NIPS},
      year = {2005},
      pages = {507--514}
    }
    """

    key: str
    kind: Kind
    authors: tuple[tuple[str, str], ...]
    title: str
    year: int
    venue: str
    volume: str = ""
    number: str = ""
    pages: str = ""
    doi: str = ""
    version: str = ""

    @property
    def cited(self) -> str:
        """How a sentence cites it: one or two names, or the first of more, and the year."""
        families = [family for family, _ in self.authors]
        names = " & ".join(families) if len(families) < 3 else f"{families[0]} et al."
        return f"{names} {self.year}"

    @property
    def text(self) -> str:
        """How a list of references has it."""
        parts = [f"{self._names()} ({self.year}). {self.title}{f' (version {self.version})' * bool(self.version)}."]
        where = f"In {self.venue}" if self.kind == "inproceedings" else self.venue
        where = f"PhD thesis, {where}" if self.kind == "phdthesis" else where
        issue = f"({self.number})" if self.number else ""
        pages = f"pp. {self.pages}" if self.kind == "inproceedings" and self.pages else self.pages
        parts.append(", ".join(part for part in (where, f"{self.volume}{issue}", pages) if part) + ".")
        return " ".join([*parts, *([f"doi:{self.doi}"] if self.doi else [])])

    @property
    def bibtex(self) -> str:
        """The entry for BibTeX: plain ASCII, as old styles need it; the title keeps its capitals."""
        authors = " and ".join(
            f"{escaped(family)}, {escaped(given)}" if given else f"{{{escaped(family)}}}"
            for family, given in self.authors
        )
        fields = {
            "author": authors,
            "title": f"{{{escaped(self.title)}}}",
            VENUE_FIELD[self.kind]: escaped(self.venue),
            "year": str(self.year),
            "volume": escaped(self.volume),
            "number": escaped(self.number),
            "pages": escaped(self.pages),
            "doi": self.doi,
            "note": f"version {escaped(self.version)}" if self.version else "",
        }
        lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        return f"@{self.kind}{{{self.key},\n{lines}\n}}"

    def _names(self) -> str:
        """All authors, family names first, with initials."""
        names = [f"{family}, {initials(given)}" if given else family for family, given in self.authors]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}, & {names[-1]}"


def initials(given: str) -> str:
    """Shorten given names.

    >>> initials("Karsten M."), initials("Jean-Dominique")
    ('K. M.', 'J.-D.')
    """
    return " ".join("-".join(f"{part[0]}." for part in name.split("-")) for name in given.split())


def escaped(text: str) -> str:
    r"""Write text so that TeX prints it: marks that mean something escaped, accents as commands.

    >>> print(escaped("Robnik-Šikonja & 5 % of Candès"))
    Robnik-{\v{S}}ikonja \& 5 \% of Cand{\`{e}}s
    """
    return "".join(_letter(character) for character in unicodedata.normalize("NFC", text))


def _letter(character: str) -> str:
    if character in SPECIAL or character.isascii():
        return SPECIAL.get(character, character)
    base, *marks = list(unicodedata.normalize("NFD", character))
    if len(marks) == 1 and marks[0] in ACCENTS:
        return f"{{\\{ACCENTS[marks[0]]}{{{base}}}}}"
    raise ValueError(f"escaped: no TeX is known for {character!r}; add it to SPECIAL or ACCENTS.")

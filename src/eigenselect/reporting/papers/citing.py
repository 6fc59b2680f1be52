"""Citations in a text: publications of ``criteria/references.toml``, as text and as BibTeX."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from eigenselect import __version__
from eigenselect.reporting.facts import PaperReference

#: the field of BibTeX for the venue of each kind of publication
VENUE_FIELD = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "publisher",
    "phdthesis": "school",
    "misc": "howpublished",
}
#: letters that BibTeX needs as ASCII commands
TEX = str.maketrans({"&": r"\&", "–": "--", "Š": r"{\v{S}}", "è": r"{\`{e}}", "ü": r"{\"{u}}"})


@dataclass(frozen=True, kw_only=True)
class Reference:
    """One publication.

    Attributes
    ----------
    key : str
        Its key in the table of methods and in BibTeX.
    kind : {"article", "inproceedings", "book", "phdthesis", "misc"}
    authors : list of str
        "Family, Given"; without a comma an organisation.
    title, year, venue : str, int, str
        The venue is the journal, the proceedings, the publisher, the university, or the medium.
    volume, number, pages, doi, version : str
        Empty if there is none, or if it could not be confirmed.

    Examples
    --------
    >>> he = Reference(key="he2005", kind="inproceedings", authors=["He, Xiaofei", "Cai, Deng"],
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
    kind: str
    authors: list[str]
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
        """Short form for a sentence: one or two names, or the first of more, and the year."""
        families = [author.split(", ")[0] for author in self.authors]
        return f"{' & '.join(families) if len(families) < 3 else f'{families[0]} et al.'} {self.year}"

    @property
    def text(self) -> str:
        """Full form for a list of references."""
        *most, last = map(_with_initials, self.authors)
        names = f"{', '.join(most)}, & {last}" if most else last
        version = f" (version {self.version})" if self.version else ""
        venue = {"inproceedings": "In ", "phdthesis": "PhD thesis, "}.get(self.kind, "") + self.venue
        issue = f"{self.volume}({self.number})" if self.number else self.volume
        pages = f"pp. {self.pages}" if self.kind == "inproceedings" and self.pages else self.pages
        place = ", ".join(filter(None, (venue, issue, pages)))
        return f"{names} ({self.year}). {self.title}{version}. {place}." + (f" doi:{self.doi}" if self.doi else "")

    @property
    def bibtex(self) -> str:
        """The entry for BibTeX in ASCII, which old styles need; the title keeps its capitals."""
        fields = {
            "author": " and ".join(author if ", " in author else f"{{{author}}}" for author in self.authors),
            "title": f"{{{self.title}}}",
            VENUE_FIELD[self.kind]: self.venue,
            "year": str(self.year),
            "volume": self.volume,
            "number": self.number,
            "pages": self.pages,
            "doi": self.doi,
            "note": f"version {self.version}" if self.version else "",
        }
        lines = ",\n".join(f"  {name} = {{{value.translate(TEX)}}}" for name, value in fields.items() if value)
        return f"@{self.kind}{{{self.key},\n{lines}\n}}"


def _with_initials(author: str) -> str:
    """Shorten given names.

    >>> _with_initials("Borgwardt, Karsten M."), _with_initials("Lebreton, Jean-Dominique")
    ('Borgwardt, K. M.', 'Lebreton, J.-D.')
    """
    family, _, given = author.partition(", ")
    initials = " ".join("-".join(f"{part[0]}." for part in name.split("-")) for name in given.split())
    return f"{family}, {initials}" if given else family


@cache
def references() -> dict[str, Reference]:
    """Read every publication that methods and reports cite, and this version of the library, by key."""
    text = resources.files("eigenselect.criteria").joinpath("references.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)
    entries["eigenselect"]["version"] = __version__
    return {key: Reference(key=key, **facts) for key, facts in entries.items()}


class Citations:
    """Publications that a text cites.

    Examples
    --------
    >>> cited = Citations()
    >>> f"by the score {cited.of('he2005laplacian')}, {cited.of('zhao2007spectral', 'he2005laplacian')}"
    'by the score (He et al. 2005), (Zhao & Liu 2007; He et al. 2005)'
    >>> [reference["text"][:10] for reference in cited.listed()]
    ['He, X., Ca', 'Zhao, Z., ']
    """

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}

    def of(self, *keys: str) -> str:
        """Cite publications by their keys, in brackets; nothing for none."""
        self._keys.update(dict.fromkeys(keys))
        return f"({'; '.join(references()[key].cited for key in keys)})" if keys else ""

    def listed(self) -> list[PaperReference]:
        """Return the cited publications in their order, as text and as BibTeX."""
        cited = (references()[key] for key in self._keys)
        return [{"text": reference.text, "bibtex": reference.bibtex} for reference in cited]

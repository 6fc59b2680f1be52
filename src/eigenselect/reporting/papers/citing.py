"""Citations of a text: who was cited, in the order in which it was."""

from __future__ import annotations

from eigenselect.criteria.references import REFERENCES
from eigenselect.reporting.facts import PaperReference


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
        return f"({'; '.join(REFERENCES[key].cited for key in keys)})" if keys else ""

    def listed(self) -> list[PaperReference]:
        """Return what was cited, as text and as BibTeX."""
        return [{"text": REFERENCES[key].text, "bibtex": REFERENCES[key].bibtex} for key in self._keys]

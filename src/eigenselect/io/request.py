"""What is asked of a reader beside the roles of the columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from eigenselect.io import DUPLICATES as DUPLICATES
from eigenselect.io.column_roles import ColumnRoles


@dataclass(frozen=True)
class TextFormat:
    """How a csv or tsv file is written; None for what its first lines show.

    Attributes
    ----------
    separator : str, optional
        One character between cells.
    decimal : str, optional
        ``.`` or ``,`` before the fraction of a number.
    encoding : str, optional
        As Python names it, such as utf-8, utf-16 or cp1252.
    guess : bool
        Whether the text shows what is None; else it is UTF-8 with the mark of its format and decimal points, and
        anything else is refused: where nobody could be told how it was read.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    guess: bool = True


@dataclass(frozen=True)
class AnnotatedParts:
    """Which parts of an annotated table (h5ad, loom) are read.

    Attributes
    ----------
    layer : str, optional
        A layer in place of X.
    raw : bool
        ``raw.X`` and its variables in place of X.
    obsp : str, optional
        A graph of the samples, read into `Table.graph`.
    obsm : str, optional
        Coordinates of the samples, read into `Table.places`.
    """

    layer: str | None = None
    raw: bool = False
    obsp: str | None = None
    obsm: str | None = None


@dataclass(frozen=True)
class Request:
    """All that is asked of a reader.

    Attributes
    ----------
    roles : ColumnRoles
    text : TextFormat
    parts : AnnotatedParts
    transpose : bool
        Features stand in rows and samples in columns.
    inner : str, optional
        Which table of a file that holds several: a sheet, a modality, a genome.
    """

    roles: ColumnRoles = field(default_factory=ColumnRoles)
    text: TextFormat = field(default_factory=TextFormat)
    parts: AnnotatedParts = field(default_factory=AnnotatedParts)
    transpose: bool = False
    inner: str | None = None

    @property
    def says_nothing_of_rows(self) -> bool:
        """Whether nothing tells that rows are samples or features: no column of each sample is named."""
        return not self.transpose and self.roles.label is None and self.roles.samples is None


#: text as its first lines show it
ANY_FORMAT = TextFormat()
#: text as its format says
AS_FORMAT_SAYS = TextFormat(guess=False)
#: X of an annotated table, and no graph
X_ALONE = AnnotatedParts()

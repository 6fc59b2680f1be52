"""What an xlsx file must be before it is read: an archive of honest size, of plain XML, with a value in every cell.

An xlsx file is a zip archive of XML files [1]_, one for each sheet. Small archives may hold terabytes, and XML may
define entities that grow without bound or name other files: spreadsheet programs write neither, so a document type is
refused. Of merged cells only the first has a value, and a formula that no program has computed has none: both would be
read as missing.

References
----------
.. [1] Ecma International, "Office Open XML File Formats", ECMA-376, part 1, chapter 18 (SpreadsheetML).
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass

from eigenselect.exceptions import InputError
from eigenselect.io.errors import damaged
from eigenselect.io.memory import check_memory

#: bytes at the beginning of an XML file in which its root element must begin
PROLOG = 1 << 16
#: all that may stand before the root element: a declaration, remarks, instructions
ROOT = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s+|<\?.*?\?>|<!--.*?-->)*<[A-Za-z_]", re.DOTALL)
CHUNK = 1 << 20
#: bytes that two chunks share, so that no tag is missed between them
OVERLAP = 1 << 10
MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?\bref\s*=\s*[\"']([^\"']{1,40})[\"']")
FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")


@dataclass(frozen=True)
class SheetTags:
    """Hold what the XML of a sheet says beside its values.

    Attributes
    ----------
    merged : tuple of str
        Ranges of merged cells, such as A1:C1.
    formulas : bool
        Whether some cells hold formulas.
    """

    merged: tuple[str, ...]
    formulas: bool


def check_archive(path: str, source: str) -> None:
    """Refuse what is no archive, decompresses to more than there is memory for, or defines entities.

    Python's zipfile never gives more bytes of a member than the archive says, so that the sum of these is a bound.
    """
    if not zipfile.is_zipfile(path):
        raise InputError(
            f"{source}: is not an xlsx workbook; save it as xlsx, without a password, or the sheet as csv (in UTF-8)."
        )
    with zipfile.ZipFile(path) as archive:
        check_memory(sum(member.file_size for member in archive.infolist()), source, "decompressing it")
        for member in archive.infolist():
            if member.filename.lower().endswith((".xml", ".rels")):
                with archive.open(member) as file:
                    if not ROOT.match(file.read(PROLOG)):
                        raise damaged(source, "xlsx")


def sheet_tags(path: str, member: str) -> SheetTags:
    """Look through the XML of a sheet for merged cells and formulas, which openpyxl does not tell when it streams."""
    merged: dict[str, None] = {}
    formulas, rest = False, b""
    with zipfile.ZipFile(path) as archive, archive.open(member.removeprefix("/")) as file:
        while chunk := file.read(CHUNK):
            text = rest + chunk
            merged.update(dict.fromkeys(ref.decode("ascii", "replace") for ref in MERGED.findall(text)))
            formulas = formulas or FORMULA.search(text) is not None
            rest = text[-OVERLAP:]
    several = [ref for ref in merged if len(set(ref.split(":"))) > 1]
    return SheetTags(tuple(several), formulas)


def refuse_merged(tags: SheetTags, source: str) -> None:
    """Refuse a sheet with merged cells, of which nobody knows where their value belongs."""
    if not tags.merged:
        return
    first = ", ".join(tags.merged[:3]) + (", …" if len(tags.merged) > 3 else "")
    ranges = "a range" if len(tags.merged) == 1 else f"{len(tags.merged)} ranges"
    raise InputError(
        f"{source}: has {ranges} of merged cells ({first}), of which only the first holds a value; unmerge them, and "
        "write into every cell what belongs there."
    )

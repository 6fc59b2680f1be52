"""Name one of several tables in a file: a sheet, a modality, a genome, or an array by its path, as FILE:NAME."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from eigenselect.exceptions import listed
from eigenselect.io.errors import find_name

#: where a path that ends as a file that may hold several tables is followed by the name of one of them
SEVERAL = re.compile(
    r"(?<=.\.xlsx|.\.xlsm|.\.h5mu):(?=.)|(?<=.\.h5):(?=.)|(?<=.\.hdf5|.\.zarr):(?=.)", re.IGNORECASE | re.DOTALL
)


def split_inner(path: str) -> tuple[str, str | None]:
    """Split FILE:NAME, where the format of the file has several tables; a file of the whole name comes first.

    >>> split_inner("x.xlsx:day 2"), split_inner("x.h5mu"), split_inner("x.csv:2")
    (('x.xlsx', 'day 2'), ('x.h5mu', None), ('x.csv:2', None))
    """
    places = [found.start() for found in SEVERAL.finditer(path)]
    if not places or os.path.lexists(path):
        return path, None
    there = [place for place in places if os.path.lexists(path[:place])]  # a name of a file may hold a colon, too
    place = there[-1] if there else places[0]
    return path[:place], path[place + 1 :]


def chosen(wanted: str | None, names: Sequence[str], source: str, what: str) -> tuple[str, list[str]]:
    """Give the table that is wanted, or the first one, with a note if there are others.

    >>> chosen(None, ["rna", "atac"], "x.h5mu", "modality")
    ('rna', ["of 2 tables ('rna', 'atac') the first is read; name another as x.h5mu:NAME"])
    >>> chosen("rna", ["rna", "atac"], "x.h5mu:rna", "modality")
    ('rna', [])
    """
    if wanted is not None:
        return find_name(wanted, names, source, what), []
    if len(names) == 1:
        return names[0], []
    note = f"of {len(names)} tables ({listed(names)}) the first is read; name another as {source}:NAME"
    return names[0], [note]

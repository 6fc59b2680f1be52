"""Names that would be the same but for a habit of some program: only said, never changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from eigenselect.exceptions import shown

#: names that are compared; one hint needs no more
MOST = 100_000


def r_name(name: str) -> str:
    """Write a name as R does in a data frame: an X before digits, points for other marks.

    >>> r_name("1st-day"), r_name("TP53")
    ('X1st.day', 'TP53')
    """
    points = re.sub(r"[^\w.]", ".", name)
    return f"X{points}" if re.match(r"\d|\.\d|_", points) else points


def _unquoted(name: str) -> str:
    return name.strip().strip("\"'`")


def _without_version(name: str) -> str:
    """Cut off a number after the last point or hyphen: a version of Ensembl, or the lane of a barcode."""
    return re.sub(r"[.\-]\d+$", "", name)


def _without_zeros(name: str) -> str:
    return name.lstrip("0") if name.isdigit() else name


#: what names may differ in, and what makes them equal then
HABITS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("blanks at the ends", str.strip),
    ("quotation marks", _unquoted),
    ("upper and lower case", str.casefold),
    ("zeros at the beginning", _without_zeros),
    ("what R makes of names", r_name),
    ("a number at the end", _without_version),
)


def near_miss(names: Sequence[str], others: Sequence[str]) -> str:
    """Say how many names would be among the others but for a habit; empty if none would.

    >>> near_miss(["S1", "S2", "S4"], ["s1", "s2", "s3"])
    ", of which 2 differ by upper and lower case only ('S1' and 's1')"
    >>> near_miss(["a"], ["b"])
    ''
    """
    for what, same in HABITS:
        known = {same(other): other for other in others[:MOST]}
        pairs = [(name, known[same(name)]) for name in names[:MOST] if same(name) in known]
        if pairs:
            differ = "differs" if len(pairs) == 1 else "differ"
            name, other = pairs[0]
            return f", of which {len(pairs)} {differ} by {what} only ({shown(name)} and {shown(other)})"
    return ""

"""Features of equal names: refused, or the first, all with another name, or their mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def unique_names(names: Sequence[str]) -> list[str]:
    """Add -1, -2, … to names that stood before, as AnnData does; never a name that is there already.

    >>> unique_names(["a", "b", "a", "a-1"])
    ['a', 'b', 'a-2', 'a-1']
    """
    taken, times, unique = set(names), Counter[str](), []
    for name in names:
        new = name
        while times[name] and new in taken:
            new = f"{name}-{times[name]}"
            times[name] += new in taken
        times[name] += not times[name]
        taken.add(new)
        unique.append(new)
    return unique

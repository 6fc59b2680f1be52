"""Colours and shapes of groups: the one place from which pages and plots take them.

The colours were found by a search that made the smallest distance (CIEDE2000 [1]_) of two of the first eight as large
as possible, as seen with normal vision, with protanopia and with deuteranopia [2]_, then that of colours that share a
shape, then that of all others; each colour near a hue that its group has on both grounds, and with a contrast of at
least 3.1 to the card. The smallest distances found, of the three kinds of vision:

======  ===========  =================  ============
ground  first eight  of the same shape  of all pairs
======  ===========  =================  ============
light   15.4         14.0               6.7
dark    16.2         14.9               7.2
======  ===========  =================  ============

tests/reporting/test_plots.py computes them.

References
----------
.. [1] G. Sharma, W. Wu and E. N. Dalal (2005), "The CIEDE2000 color-difference formula", Color Research and Application
   30(1), doi:10.1002/col.20070.
.. [2] G. M. Machado, M. M. Oliveira and L. A. F. Fernandes (2009), "A physiologically-based model for simulation of
   color vision deficiency", IEEE Transactions on Visualization and Computer Graphics 15(6), doi:10.1109/TVCG.2009.113.
"""

from __future__ import annotations

#: colours on a light ground and on a dark one
LIGHT = (
    "#335dad", "#c97a23", "#007b57", "#872961", "#545803", "#797bff", "#ee3979", "#319ba8", "#4c8b4e", "#5e80c7",
    "#926a08", "#cf6890", "#24776e", "#872a83", "#6b462b", "#01759e", "#7f3b46", "#726737", "#2f938a", "#7e48ea",
)  # fmt: skip
DARK = (
    "#78baff", "#dca58c", "#568160", "#ca4f91", "#e7de5a", "#9461fd", "#f0200e", "#8ceae5", "#d6e395", "#8271b3",
    "#db9238", "#bb7d7d", "#5eedbe", "#d179a7", "#c7c16f", "#349bdb", "#be8d6d", "#5b8b3f", "#0ea3a9", "#ce9fc9",
)  # fmt: skip
#: shapes in the order of the groups, by the names that the page's colours.js draws, and matplotlib's marker of each
SHAPES = {
    "circle": "o", "square": "s", "triangle": "^", "diamond": "D", "plus": "P", "down": "v", "cross": "X", "star": "*",
}  # fmt: skip


def group_colour(place: int) -> str:
    """Return the colour of a group on a light ground; those beyond the last colour begin again with the first.

    >>> group_colour(0) == group_colour(20)
    True
    """
    return LIGHT[place % len(LIGHT)]


def group_shape(place: int) -> str:
    """Return the shape of a group; where colours begin again, shapes are others.

    >>> group_shape(0), group_shape(20)
    ('circle', 'plus')
    """
    names = list(SHAPES)
    return names[(place + place // (2 * len(LIGHT))) % len(names)]


def style() -> str:
    """Write the colours as variables of a page, each for light and for dark."""
    lines = (
        f"  --group-{i}: light-dark({light}, {dark});" for i, (light, dark) in enumerate(zip(LIGHT, DARK, strict=True))
    )
    return "\n".join((":root {", *lines, "}"))

"""Colours and shapes of groups: the one place from which pages and plots take them."""

from __future__ import annotations

#: placeholder
LIGHT = (
    "#335dad", "#c97a23", "#007b57", "#872961", "#545803", "#797bff", "#ee3979", "#319ba8", "#4c8b4e", "#5e80c7",
    "#926a08", "#cf6890", "#24776e", "#872a83", "#6b462b", "#01759e", "#7f3b46", "#726737", "#2f938a", "#7e48ea",
)  # fmt: skip
DARK = (
    "#26bafa", "#ed2a17", "#90bc95", "#c878a0", "#f2d532", "#6c69e1", "#ab6462", "#5cf2ed", "#678103", "#7683ff",
    "#a8724a", "#e706bd", "#63a58c", "#fe7dcc", "#c4884f", "#3b7eaf", "#c17f6d", "#efc984", "#68ddfb", "#ffa6c8",
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

"""Colours and shapes of groups: the one place from which pages and plots take them."""

from __future__ import annotations

#: placeholder
LIGHT = (
    "#068eef", "#aa240d", "#3d9579", "#310533", "#c48319", "#0c26aa", "#62061e", "#006f77", "#5f8346", "#212c70",
    "#a9650a", "#842441", "#128071", "#5f4ce7", "#7d513a", "#3190b0", "#730e07", "#659f57", "#106556", "#e80c9a",
)  # fmt: skip
DARK = LIGHT
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
    lines = (f"  --group-{i}: light-dark({light}, {dark});" for i, (light, dark) in enumerate(zip(LIGHT, DARK, strict=True)))
    return "\n".join((":root {", *lines, "}"))

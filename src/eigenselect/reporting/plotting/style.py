"""What all plots share: one style, axes as large as their names need, keys drawn as vectors.

Text is measured before a figure is made, so that names are whole wherever it is saved; `constrained` layout then gives
every name its place.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from eigenselect.reporting.plotting.palette import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colorbar import Colorbar

#: colours of groups, which the colour-blind tell apart
COLOURS = LIGHT
#: of a cut, of what stands back, of outlines, and of what has no value
CUT, SOFT, INK, NO_COLOUR = "#b4450b", "#59636d", "#1c2126", "#b0b6bc"
#: points of names and numbers, of titles, and of what is written small
TEXT, TITLE, SMALL = 9.0, 10.0, 8.0
#: the settings of matplotlib that all plots are made with; the family of letters stays the user's
STYLE: dict[str, Any] = {
    "font.size": TEXT, "axes.titlesize": TITLE, "axes.labelsize": TEXT, "xtick.labelsize": TEXT,
    "ytick.labelsize": TEXT, "legend.fontsize": TEXT, "legend.title_fontsize": TEXT, "figure.titlesize": TITLE,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.8,
    "axes.edgecolor": SOFT, "axes.grid": False, "legend.frameon": False, "lines.linewidth": 1.5,
}  # fmt: skip
#: inches of a figure by default
SIZE = (6.4, 4.4)
#: letters of a name before it is shortened
LONGEST_NAME = 120
#: inches of a letter of a title, about, and of what stands beside one
LETTER, ROOM_BESIDE = 0.083, 0.9
#: inches that a key of colours is high at most
KEY_HEIGHT = 2.0

Given = ParamSpec("Given")
Drawn = TypeVar("Drawn")


def styled(draw: Callable[Given, Drawn]) -> Callable[Given, Drawn]:
    """Let a function draw in the style of all plots, and leave the user's settings as they are."""

    @wraps(draw)
    def in_style(*args: Given.args, **settings: Given.kwargs) -> Drawn:
        with pyplot().rc_context(STYLE):
            return draw(*args, **settings)

    return in_style


def pyplot() -> Any:
    """Import matplotlib, or say what to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('Plots need matplotlib: pip install "eigenselect[plot]".') from error
    return plt


def axes_or_new(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the Axes that were given, else new ones in a figure so many inches wide and high."""
    if ax is not None:
        return ax
    with pyplot().rc_context(STYLE):
        made: Axes = pyplot().subplots(figsize=size or SIZE, layout="constrained")[1]
    return made


def grid_of_axes(count: int, across: int, *, width: float) -> list[Axes]:
    """Make a figure with a number of square places, so many in a row, each so many inches wide."""
    down = -(-count // across)
    size = (width * across, width * down)
    figure, grid = pyplot().subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    for spare in grid.ravel()[count:]:
        figure.delaxes(spare)
    return list(grid.ravel()[:count])


def plain_name(name: str, longest: int = LONGEST_NAME) -> str:
    r"""Write a name on one line, whole up to 120 letters, without a dollar that would start mathematics.

    >>> print(plain_name("price in $" + chr(10) + "per unit"))
    price in \$ per unit
    """
    line = " ".join(name.split())
    return (line if len(line) <= longest else line[: longest - 1] + "…").replace("$", r"\$")


def short_name(name: str) -> str:
    """Shorten a name to 24 characters, where many pictures stand side by side."""
    return plain_name(name, 24)


def width_of(names: Iterable[str], points: float = TEXT) -> float:
    """Return the inches that the widest of some names takes, in letters of so many points.

    >>> width_of(["iiii", "WWWWWWWWWWWW"]) > 3 * width_of(["iiii"])
    True
    """
    pyplot()
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font, widest = FontProperties(size=points), 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font lacks is told when it is drawn
        for name in filter(None, names):
            widest = max(widest, TextPath((0, 0), name, prop=font).get_extents().x1 / 72)
    return float(widest)


def colour_key(ax: Axes, drawn: Any, label: str, tall: float = SIZE[1], **settings: Any) -> Colorbar:
    """Add a key of colours beside axes so many inches tall: as high as a reader needs, and no picture of points."""
    figure: Any = ax.figure
    shrink = min(0.9, KEY_HEIGHT / tall)
    key: Colorbar = figure.colorbar(drawn, ax=ax, label=label, shrink=shrink, aspect=12, **settings)
    if key.solids is not None:
        key.solids.set(rasterized=False, edgecolor="face", linewidth=0.05)  # edges hide the seams between colours
    key.outline.set_visible(False)
    return key


def key_beside(ax: Axes, *args: Any, title: str = "", **settings: Any) -> None:
    """Add a key of marks outside the axes, at the right, where it hides nothing."""
    legend = ax.legend(*args, title=title, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, **settings)
    legend.set_alignment("left")


def write_title(ax: Axes, *lines: str, wide: float | None = None) -> None:
    """Write lines above the axes, from their left, broken where they would not fit into so many inches.

    By default into the figure, beside what an axis usually takes.
    """
    if wide is None:
        wide = float(ax.figure.get_figure(root=True).get_size_inches()[0]) - ROOM_BESIDE
    letters = max(16, int(wide / LETTER))
    words = "\n".join(part for line in lines if line for part in wrap(line, letters))
    ax.set_title(words, loc="center", x=0.0, horizontalalignment="left")  # where `get_title` looks for it

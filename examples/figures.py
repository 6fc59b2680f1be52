"""What the example figures share: a look, and where they go."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

#: told apart also by colour-blind readers
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"

plt.rcParams.update(
    {"axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 10, "legend.frameon": False}
)


def bare(axes: Axes) -> None:
    """No ticks: positions mean nothing by themselves."""
    axes.set(xticks=[], yticks=[])


def save(figure: Figure, name: str) -> None:
    """Write docs/images/NAME.png and say so."""
    target = IMAGES / f"{name}.png"
    figure.savefig(target, dpi=110)
    print(f"wrote {target}")

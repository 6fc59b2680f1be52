"""What the pictures of this folder share: colours that all eyes can tell apart, and small files."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib
from common import ROOT
from PIL import Image

matplotlib.use("Agg")
from matplotlib import pyplot

IMAGES = ROOT / "docs" / "images"
#: Okabe and Ito's
BLUE, ORANGE, GREEN, PURPLE, YELLOW = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"
GREY = "#7F7F7F"
STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
N_COLOURS = 200  # of a file: a third of the bytes of full colour, and no difference to see


def save(figure: Any, name: str) -> None:
    """Write a figure to docs/images."""
    whole = BytesIO()
    figure.savefig(whole, dpi=100, metadata={"Software": None})
    pyplot.close(figure)
    whole.seek(0)
    Image.open(whole).convert("RGB").quantize(N_COLOURS).save(IMAGES / name, optimize=True)

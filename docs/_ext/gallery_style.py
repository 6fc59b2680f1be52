"""What every script of the gallery starts with: matplotlib's own settings, and figures saved whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl


def whole_figures(gallery_conf: dict[str, Any], script: str | Path) -> None:
    """Save figures with all their labels, however near to the edge these are."""
    mpl.rcParams["savefig.bbox"] = "tight"

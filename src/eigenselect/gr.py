"""Graph verbs for AnnData: statistics of genes on a sample graph.

What squidpy's ``gr`` has beside them, such as ``spatial_neighbors``, is handed on to it where it is installed: a script
that says ``import squidpy as sq`` can say ``import eigenselect as sq`` and stay as it is.
"""

from typing import Any

from eigenselect.single_cell.spatial_autocorr import spatial_autocorr

__all__ = ["spatial_autocorr"]


def __getattr__(name: str) -> Any:
    """Return squidpy's function of this name."""
    if name.startswith("_"):
        raise AttributeError(f"module 'eigenselect.gr' has no attribute {name!r}")
    try:
        from squidpy import gr
    except ImportError as error:
        raise AttributeError(
            f"eigenselect.gr has no {name!r}; squidpy's functions of graphs are found here if it is installed: "
            "pip install squidpy."
        ) from error
    return getattr(gr, name)

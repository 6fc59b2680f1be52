"""Graph verbs for AnnData: statistics of genes on a sample graph."""

from eigenselect.single_cell.spatial_autocorr import spatial_autocorr

__all__ = ["spatial_autocorr"]

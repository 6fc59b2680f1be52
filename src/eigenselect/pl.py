"""Plotting verbs for AnnData: draw what the others found. Each returns its Axes with ``show=False``."""

from eigenselect.single_cell.cell_plots import embedding, spatial
from eigenselect.single_cell.gene_plots import qq, ranking, score_mean

__all__ = ["embedding", "qq", "ranking", "score_mean", "spatial"]

"""Draw a selection with matplotlib: the public path of the plots of `eigenselect.reporting`."""

from eigenselect.reporting.plotting.comparison_plots import accuracy_curves, consensus
from eigenselect.reporting.plotting.heat_plots import dot_plot, heat_map, redundancy
from eigenselect.reporting.plotting.plots import embedding, spectrum
from eigenselect.reporting.plotting.score_curves import score_curve
from eigenselect.reporting.plotting.significance_plots import mean_score, qq, volcano

__all__ = [
    "accuracy_curves", "consensus", "dot_plot", "embedding", "heat_map", "mean_score", "qq", "redundancy",
    "score_curve", "spectrum", "volcano",
]  # fmt: skip

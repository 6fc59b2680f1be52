"""The public path of the plots."""

import eigenselect as es
from eigenselect.reporting.plotting import comparison_plots, heat_plots, plots, score_curves, significance_plots

ROOMS = {
    plots: ["embedding", "spectrum"],
    score_curves: ["score_curve"],
    heat_plots: ["dot_plot", "heat_map", "redundancy"],
    comparison_plots: ["accuracy_curves", "consensus"],
    significance_plots: ["mean_score", "qq", "volcano"],
}


def test_every_plot_is_that_of_the_reporting_room():
    assert es.plot.__all__ == sorted(name for names in ROOMS.values() for name in names)
    assert all(getattr(es.plot, name) is getattr(room, name) for room, names in ROOMS.items() for name in names)

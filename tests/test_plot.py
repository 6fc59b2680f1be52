"""The public path of the plots."""

import eigenselect as es
from eigenselect.reporting.plotting import heat_plots, plots, significance_plots


def test_every_plot_is_that_of_the_reporting_room():
    of_scores = ["accuracy_curves", "embedding", "score_curve", "spectrum"]
    of_tables = ["dot_plot", "heat_map", "redundancy"]
    of_evidence = ["mean_score", "qq", "volcano"]
    assert es.plot.__all__ == sorted(of_scores + of_tables + of_evidence)
    assert all(getattr(es.plot, name) is getattr(plots, name) for name in of_scores)
    assert all(getattr(es.plot, name) is getattr(heat_plots, name) for name in of_tables)
    assert all(getattr(es.plot, name) is getattr(significance_plots, name) for name in of_evidence)

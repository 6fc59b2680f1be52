"""The public path of the plots."""

import eigenselect as es
from eigenselect.reporting import plots


def test_every_plot_is_that_of_the_reporting_room():
    assert es.plot.__all__ == ["accuracy_curves", "embedding", "redundancy", "score_curve", "spectrum"]
    assert all(getattr(es.plot, name) is getattr(plots, name) for name in es.plot.__all__)

"""Draw a selection with matplotlib: the public path of `eigenselect.reporting.plots`."""

from eigenselect.reporting.plots import accuracy_curves, embedding, redundancy, score_curve, spectrum

__all__ = ["accuracy_curves", "embedding", "redundancy", "score_curve", "spectrum"]

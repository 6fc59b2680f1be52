"""How good a selection is: what it predicts, how much it repeats itself."""

from eigenselect.evaluation.accuracy import AccuracyCurves, accuracy_curves
from eigenselect.evaluation.redundancy import redundancy_rate

__all__ = ["AccuracyCurves", "accuracy_curves", "redundancy_rate"]

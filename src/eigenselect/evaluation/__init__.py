"""How good a selection is: what it predicts, how much it repeats itself, which neighbourhoods it keeps."""

from eigenselect.evaluation.accuracy import AccuracyCurves, accuracy_curves, subset_accuracies
from eigenselect.evaluation.neighbourhoods import neighbourhood_jaccard
from eigenselect.evaluation.redundancy import redundancy_rate

__all__ = ["AccuracyCurves", "accuracy_curves", "neighbourhood_jaccard", "redundancy_rate", "subset_accuracies"]

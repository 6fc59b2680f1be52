"""How good a selection is: what it predicts, how much it repeats itself, which neighbourhoods it keeps."""

from eigenselect.evaluation.accuracy import AccuracyCurves, accuracy_curves, subset_accuracies
from eigenselect.evaluation.clustering import clustering_accuracy
from eigenselect.evaluation.neighborhood import jaccard_score
from eigenselect.evaluation.redundancy import redundancy_rate
from eigenselect.evaluation.standing import Standing, stands_for

__all__ = [
    "AccuracyCurves",
    "Standing",
    "accuracy_curves",
    "clustering_accuracy",
    "jaccard_score",
    "redundancy_rate",
    "stands_for",
    "subset_accuracies",
]

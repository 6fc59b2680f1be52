"""How good a selection is: what it predicts, how much it repeats itself, which neighbourhoods it keeps."""

from eigenselect.evaluation.accuracy import AccuracyCurves, accuracy_curves, subset_accuracies
from eigenselect.evaluation.clustering import clustering_accuracy
from eigenselect.evaluation.copies import NearCopies, near_copies
from eigenselect.evaluation.correlations import redundancy_rate
from eigenselect.evaluation.neighborhood import jaccard_score

__all__ = [
    "AccuracyCurves",
    "NearCopies",
    "accuracy_curves",
    "clustering_accuracy",
    "jaccard_score",
    "near_copies",
    "redundancy_rate",
    "subset_accuracies",
]

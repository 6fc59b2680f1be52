"""From scores to a subset of features."""

from eigenselect.selection.knee import knee
from eigenselect.selection.order import FeatureOrder, feature_order
from eigenselect.selection.ranking import rank_features
from eigenselect.selection.rules import FDR, Knee, Threshold, TopK, number_to_select

__all__ = [
    "FDR", "FeatureOrder", "Knee", "Threshold", "TopK", "feature_order", "knee", "number_to_select", "rank_features",
]  # fmt: skip

"""From scores to a subset of features."""

from eigenselect.selection.knee import knee
from eigenselect.selection.order import FeatureOrder, feature_order
from eigenselect.selection.rules import FDR, Knee, Threshold, TopK, number_to_select
from eigenselect.selection.top_k import rank_features

__all__ = [
    "FDR", "FeatureOrder", "Knee", "Threshold", "TopK", "feature_order", "knee", "number_to_select", "rank_features",
]  # fmt: skip

"""From scores to a subset of features."""

from eigenselect.selection.knee import knee
from eigenselect.selection.order import FeatureOrder, feature_order
from eigenselect.selection.top_k import number_to_select, rank_features

__all__ = ["FeatureOrder", "feature_order", "knee", "number_to_select", "rank_features"]

"""From scores to a subset of features."""

from eigenselect.selection.knee import knee
from eigenselect.selection.top_k import number_to_select, rank_features

__all__ = ["knee", "number_to_select", "rank_features"]

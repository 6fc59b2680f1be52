"""Feature selection from many samples of which a few are labelled."""

from eigenselect.semisupervised.sselect import SSelect, sselect_score

__all__ = ["SSelect", "sselect_score"]

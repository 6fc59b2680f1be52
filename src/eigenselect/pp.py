"""Preprocessing verbs for AnnData: choose genes."""

from eigenselect.single_cell.spectral_features import spectral_features

__all__ = ["spectral_features"]

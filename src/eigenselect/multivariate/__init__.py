"""The path of L2,1-regularised regression, along which features are chosen together."""

from eigenselect.multivariate.path import L21Path, l21_path

__all__ = ["L21Path", "l21_path"]

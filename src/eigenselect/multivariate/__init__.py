"""Features chosen together: the path of L2,1-regularised regression, and MRSF, which picks no copies."""

from eigenselect.multivariate.l21_path import L21Path, l21_path

__all__ = ["L21Path", "l21_path"]

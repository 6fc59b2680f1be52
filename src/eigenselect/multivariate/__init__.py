"""Features chosen together: the path of L2,1-regularised regression, and MRSF, which picks no copies."""

from eigenselect.multivariate.mrsf import MRSF
from eigenselect.multivariate.path import L21Path, l21_path

__all__ = ["MRSF", "L21Path", "l21_path"]

"""scikit-learn estimators, one file per named method."""

from eigenselect.selectors.laplacian_score import LaplacianScore, laplacian_score
from eigenselect.selectors.spec import SPEC, spec_score

__all__ = ["SPEC", "LaplacianScore", "laplacian_score", "spec_score"]

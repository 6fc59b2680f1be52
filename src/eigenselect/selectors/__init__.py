"""scikit-learn estimators, one file per named method."""

from eigenselect.selectors.fisher_score import FisherScore, fisher_score
from eigenselect.selectors.hsic_score import HSICScore, hsic_score
from eigenselect.selectors.laplacian_score import LaplacianScore, laplacian_score
from eigenselect.selectors.relieff import ReliefF, relieff_score
from eigenselect.selectors.spec import SPEC, spec_score
from eigenselect.selectors.trace_ratio import TraceRatio

__all__ = [
    "SPEC",
    "FisherScore",
    "HSICScore",
    "LaplacianScore",
    "ReliefF",
    "TraceRatio",
    "fisher_score",
    "hsic_score",
    "laplacian_score",
    "relieff_score",
    "spec_score",
]

"""How far results can be trusted: slopes of eigenvalues, perturbation bounds, stability of rankings."""

from eigenselect.sensitivity.perturbation import PerturbationBound, perturbation_bound
from eigenselect.sensitivity.stability import RankingStability, ranking_stability

__all__ = [
    "PerturbationBound",
    "RankingStability",
    "perturbation_bound",
    "ranking_stability",
]

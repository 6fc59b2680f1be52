"""How far results can be trusted: eigenvalue sensitivity, perturbation bounds, stability of rankings."""

from eigenselect.sensitivity.evsc import EVSC, evsc_score
from eigenselect.sensitivity.perturbation import PerturbationBound, perturbation_bound
from eigenselect.sensitivity.stability import RankingStability, ranking_stability

__all__ = [
    "EVSC",
    "PerturbationBound",
    "RankingStability",
    "evsc_score",
    "perturbation_bound",
    "ranking_stability",
]

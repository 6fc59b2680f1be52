"""The statements of the two papers that are about features and eigenvalues, not about accuracies."""

from __future__ import annotations

from spec_tables import Run
from summary import Claim


def same_claim(run: Run, where: str, name: str) -> Claim:
    """Two methods that are one by a theorem choose the same features in every split."""
    found = [same[name] for (dataset, share, seed), one in run.values.items() if (same := one["same"])]
    evidence = f"the same features (10, 20, …, 100) in {sum(found)} of {len(found)} splits"
    return Claim(where, f"{name}: the same method", all(found), evidence)


def gamma_claim(run: Run) -> Claim:
    """All non-zero eigenvalues of the label graph are equal, so that no power changes an order."""
    names = [name for name in next(iter(run.values.values()))["same"] if "r³" in name]
    found = [one["same"][name] for one in run.values.values() for name in names]
    evidence = f"φ1, φ2, φ3 choose the same features with r, r³ and r⁴ in {sum(found)} of {len(found)} cases"
    return Claim("ICML note 9, Diss. §2.6.2", "With class labels γ changes nothing", all(found), evidence)


def sums_claim(run: Run) -> Claim:
    """Of every graph without labels, in every split."""
    ratios = [ratio for one in run.values.values() for ratio in one["power sums"].values()]
    evidence = (
        f"Σλ³ / Σλ of all graphs without labels: {min(ratios):.2f} to {max(ratios):.2f}, at most 1.25 is asked for"
    )
    return Claim("Diss. §2.4 c", "Σλ³ exceeds Σλ by no more than 25 %", max(ratios) <= 1.25, evidence)

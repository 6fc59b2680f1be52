"""The statements of sections 2.1, 2.4 and 2.5 of the dissertation about made-up data, counted over many draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from spec_synthetic import CURVES, DRAWS, SIGNAL, Clusters, Perturbation, share_between
from summary import Claim

TAIL = 45  # of 90 eigenvalues the upper half
ENOUGH = 0.75  # of the draws: by a coin 15 of 20 or more happen in 2 of 100 cases


def study_claims(clusters: list[Clusters], draws: list[Perturbation]) -> list[Claim]:
    """Each statement is put to every draw, and holds if it is true in three quarters of them."""
    return [*_cluster_claims(clusters), *_eigen_claims(draws), *_score_claims(draws), *_mixing_claims(draws)]


def _counted(where: str, statement: str, found: list[bool], rule: str) -> Claim:
    return Claim(where, statement, sum(found) >= ENOUGH * len(found), f"{rule}: {sum(found)} of {len(found)} draws")


def _cluster_claims(clusters: list[Clusters]) -> list[Claim]:
    gap = [bool(one.values[3] >= 2 * one.values[2]) for one in clusters]
    density = [bool(np.corrcoef(one.vectors[:, 0] ** 2, one.degrees)[0, 1] > 0.999) for one in clusters]
    inside = [min(one.share_between(number) for number in (2, 3)) > 0.5 for one in clusters]
    beyond = [max(one.share_between(number) for number in (4, 5, 20)) < 0.5 for one in clusters]
    where = "Diss. Fig. 2.2"
    return [
        _counted(where, "λ1 to λ3 of three clusters are far below the others", gap, "λ4 ≥ 2 λ3"),
        _counted(where, "ξ1 holds the density", density, "ξ1² is proportional to the degrees"),
        _counted(where, "ξ2 and ξ3 hold the clusters", inside, "more than half of their variance between clusters"),
        _counted(where, "ξ4, ξ5, ξ20 hold what is finer", beyond, "less than half of their variance between clusters"),
    ]


def _eigen_claims(draws: list[Perturbation]) -> list[Claim]:
    def leading_gap(one: Perturbation) -> float:
        gaps = np.diff(one.values[0])
        return float(gaps[1:3].min() - np.median(gaps[TAIL:]))

    grow = [bool((one.values[-1, 1:3] > one.values[0, 1:3]).all()) for one in draws]
    nearer = [bool(np.ptp(one.values[-1, [2, 29]]) < np.ptp(one.values[0, [2, 29]])) for one in draws]
    turn = [bool(one.turns[1:, 1:3].mean() < one.turns[1:, 9:30].mean()) for one in draws]
    packed = [leading_gap(one) > 0 for one in draws]
    shares = [[share_between(points, one.groups) for points in one.embeddings] for one in draws]
    clear, blurred = [start > 0.5 for start, _ in shares], [end < start for start, end in shares]
    return [
        _counted(
            "Diss. chart 1-1", "ξ2 and ξ3 show three clusters", clear, "over half of their variance between groups"
        ),
        _counted("Diss. chart 1-2", "At a = 0.5 the clusters are blurred", blurred, "that share is smaller"),
        _counted(
            "Diss. chart 1-3",
            "The tail eigenvalues are packed",
            packed,
            "gaps after λ2 and λ3 above the median gap there",
        ),
        _counted("Diss. chart 2-1", "Noise makes the leading eigenvalues larger", grow, "λ2 and λ3 grow up to a = 0.5"),
        _counted("Diss. chart 2-1", "Noise brings leading and tail nearer", nearer, "λ30 - λ3 falls up to a = 0.5"),
        _counted("Diss. chart 2-2", "Leading eigenvectors turn least", turn, "mean sin θ of ξ2, ξ3 below ξ10 to ξ30"),
    ]


def _score_claims(draws: list[Perturbation]) -> list[Claim]:
    def change(one: Perturbation, name: str, power: int) -> float:
        return float(one.relative_change(name, power).mean())

    where = "Diss. chart 2-3"
    third = [change(one, "φ3", 1) < min(change(one, "φ1", 1), change(one, "φ2", 1)) for one in draws]
    alike = [abs(change(one, "φ1", 1) - change(one, "φ2", 1)) < 0.1 * change(one, "φ1", 1) for one in draws]
    falls = [all(change(one, name, 3) > change(one, name, 1) for name in ("φ1", "φ2")) for one in draws]
    rises = [change(one, "φ3", 3) < change(one, "φ3", 1) for one in draws]
    rule = "mean relative change of F3"
    return [
        _counted(where, "φ3 is more robust than φ1 and φ2", third, f"{rule} is smaller"),
        _counted(where, "φ1 and φ2 are of similar robustness", alike, f"{rule} within 10 %"),
        _counted(where, "r³ makes φ1 and φ2 less robust", falls, f"{rule} is larger with r³"),
        _counted(where, "r³ makes φ3 more robust", rises, f"{rule} is smaller with r³"),
    ]


def _mixing_claims(draws: list[Perturbation]) -> list[Claim]:
    def every(rule: Callable[[Perturbation], bool]) -> list[bool]:
        return [bool(rule(one)) for one in draws]

    points = {key: float(np.median([one.mixed_from(*key) for one in draws])) for key in CURVES}
    found = f"median over {DRAWS} draws {points['φ1', 1]:.2f} and {points['φ1', 3]:.2f}, published 0.13 and 0.3"
    both = every(lambda one: max(one.gap("φ1", 1)[-1], one.gap("φ2", 1)[-1]) <= 0)
    apart = every(lambda one: one.gap("φ3", 1)[-1] > 0)
    wider = every(lambda one: one.relative_gap("φ2", 1)[0] > one.relative_gap("φ1", 1)[0])
    far = every(lambda one: one.trivial[:SIGNAL].max() < one.trivial[SIGNAL:].min())
    later = every(lambda one: one.mixed_from("φ1", 3) > one.mixed_from("φ1", 1))
    cubes = every(lambda one: all(one.relative_gap(n, 3)[0] > one.relative_gap(n, 1)[0] for n in ("φ2", "φ3")))
    where = "Diss. charts 3, 4"
    return [
        _counted(where, "At a = 0.5 φ1 and φ2 mix up signal and noise", both, "both mix them there"),
        _counted(where, "At a = 0.5 φ3 still tells them apart", apart, "not mixed there"),
        _counted(where, "φ2 has a wider gap between signal and noise than φ1", wider, "relative gap at a = 0"),
        _counted(where, "Noise features are nearer to ξ1 than signal", far, "every cos² larger"),
        _counted(where, "r³ delays the mixing of φ1", later, f"mixed later, or never; {found}"),
        _counted(where, "r³ widens the gap of φ2 and φ3, too", cubes, "relative gap at a = 0, both"),
    ]

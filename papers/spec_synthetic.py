"""The two made-up studies of chapter 2 of the dissertation: three clusters (Figure 2.2), noise in the graph (2.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenselect.similarity import RBF

FloatArray = NDArray[np.float64]

DRAWS = 20
PER_GROUP = 30
WIDTH = 1.0  # of the kernel, which the dissertation leaves open: the deviation of a group
AMOUNTS = np.linspace(0.0, 0.5, 26)
CLUSTERS = 3
SIGNAL = 3  # of the six features the first three
FOLLOWED = (2, 3, 10, 15, 25, 30)  # eigenpairs of chart 2-1
CURVES = [(f"φ{number}", power) for number in (1, 2, 3) for power in (1, 3)]


@dataclass(frozen=True)
class Clusters:
    """Three Gaussians in the plane and the eigensystem of their normalised Laplacian."""

    points: FloatArray
    groups: NDArray[np.intp]
    degrees: FloatArray
    values: FloatArray
    vectors: FloatArray

    def share_between(self, number: int) -> float:
        """How much of the variance of eigenvector ``number`` (from 1) lies between the three groups."""
        return share_between(self.vectors[:, [number - 1]], self.groups)


def share_between(points: FloatArray, groups: NDArray[np.intp]) -> float:
    """The share of the variance of points that lies between groups."""
    centred = points - points.mean(axis=0)
    means = np.array([centred[groups == group].mean(axis=0) for group in range(CLUSTERS)])
    return float((means[groups] ** 2).sum() / (centred**2).sum())


def three_clusters(seed: int) -> Clusters:
    """Unit Gaussians at the corners of a triangle of side 5, RBF with the width of a group."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(CLUSTERS), PER_GROUP)
    corners = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 2.5 * np.sqrt(3)]])
    points = corners[groups] + rng.normal(size=(groups.size, 2))
    graph = RBF(bandwidth=WIDTH).build(points)
    values, vectors = np.linalg.eigh(graph.normalized_laplacian())
    return Clusters(points, groups, graph.degrees, values, vectors)


@dataclass(frozen=True)
class Perturbation:
    """One draw of the study: what happens to eigenpairs and scores along (1 - a) N + a E."""

    groups: NDArray[np.intp]
    embeddings: tuple[FloatArray, FloatArray]  # second and third eigenvector at a = 0 and at a = 0.5
    values: FloatArray  # amounts × eigenvalues
    turns: FloatArray  # amounts × eigenvectors: sine of the angle to the one without noise
    scores: dict[tuple[str, int], FloatArray]  # by (φ, power): amounts × six features
    trivial: FloatArray  # cos² of the angle between each feature and the trivial eigenvector

    def mixed_from(self, name: str, power: int) -> float:
        """The smallest a at which some noise feature scores as well as some signal feature; infinite if none does."""
        mixed = np.flatnonzero(self.gap(name, power) <= 0)
        return float(AMOUNTS[mixed[0]]) if mixed.size else np.inf

    def gap(self, name: str, power: int) -> FloatArray:
        """From the worst signal feature to the best noise feature; negative where they are mixed up."""
        good = self.scores[name, power] * (1 if name == "φ3" else -1)
        return np.asarray(good[:, :SIGNAL].min(axis=1) - good[:, SIGNAL:].max(axis=1))

    def relative_gap(self, name: str, power: int) -> FloatArray:
        """The gap in units of the mean score of signal features without noise."""
        return self.gap(name, power) / np.abs(self.scores[name, power][0, :SIGNAL].mean())

    def relative_change(self, name: str, power: int) -> FloatArray:
        """|c - c̃| / c of feature F3, as chart 2-3 has it."""
        curve = self.scores[name, power][:, SIGNAL - 1]
        return np.asarray(np.abs(curve[0] - curve) / curve[0])


def perturbed(seed: int) -> Perturbation:
    """Three Gaussians at distance 2 from the origin, three features of noise in [0, 1], RBF as wide as a Gaussian."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(CLUSTERS), PER_GROUP)
    signal = rng.normal(size=(groups.size, 3)) + 2 * np.eye(3)[groups]
    noise = rng.uniform(0, 1, size=signal.shape)
    similarity = RBF(bandwidth=WIDTH)
    graph = similarity.build(signal)
    N, E = graph.normalized_laplacian(), similarity.build(noise).normalized_laplacian()
    features = np.sqrt(graph.degrees)[:, None] * np.hstack([signal, noise])
    features /= np.linalg.norm(features, axis=0)
    trivial = (np.sqrt(graph.degrees / graph.degrees.sum()) @ features) ** 2
    systems = [np.linalg.eigh((1 - amount) * N + amount * E) for amount in AMOUNTS]
    start = systems[0][1]
    cosines = np.array([np.einsum("ij,ij->j", start, vectors) for _, vectors in systems])
    return Perturbation(
        groups,
        (start[:, 1:3], systems[-1][1][:, 1:3]),
        np.array([values for values, _ in systems]),
        np.sqrt(np.maximum(0.0, 1.0 - cosines**2)),
        {key: np.array([phi_scores(*system, features, trivial, *key) for system in systems]) for key in CURVES},
        trivial,
    )


def phi_scores(
    values: FloatArray, vectors: FloatArray, features: FloatArray, trivial: FloatArray, name: str, power: int
) -> FloatArray:
    """φ1, φ2 or φ3 with γ = r^power, of unit features on a given eigensystem."""
    values, shares = np.maximum(values, 0.0), (vectors.T @ features) ** 2
    if name == "φ3":
        return np.asarray((2.0**power - values[1:CLUSTERS] ** power) @ shares[1:CLUSTERS])
    total = values**power @ shares
    return np.asarray(total / (1.0 - trivial) if name == "φ2" else total)

"""How noise in the graph reaches the scores: three Gaussians and three features of noise.

Three features hold one Gaussian each, at distance 2 from the origin; three more are uniform noise. The graph of the
first three is N, that of the noise E, and the perturbed graph is (1 - a) N + a E with a up to one half. After Zhao
(2010), section 2.5 and Figure 2.3.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from eigenselect.sensitivity import perturbation_bound
from eigenselect.similarity import RBF
from figures import COLOURS, bare, plt, save

SAMPLES_PER_GROUP = 30
AMOUNTS = np.linspace(0.0, 0.5, 26)
CLUSTERS = 3

Array = NDArray[np.float64]


def main() -> None:
    """Print how far each ranking function keeps signal and noise apart, and draw the study."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(3), SAMPLES_PER_GROUP)
    signal = rng.normal(size=(groups.size, 3)) + 2 * np.eye(3)[groups]
    noise = rng.uniform(0, 1, size=signal.shape)
    graph, perturbation = RBF().build(signal), RBF().build(noise)
    N, E = graph.normalized_laplacian(), perturbation.normalized_laplacian()
    features = np.sqrt(graph.degrees)[:, None] * np.hstack([signal, noise])
    path = [(1 - amount) * N + amount * E for amount in AMOUNTS]

    curves = {
        (name, power): np.array([scores(laplacian, features, graph.degrees, name, power) for laplacian in path])
        for name in ("φ1", "φ2", "φ3")
        for power in (1, 3)
    }
    for (name, power), curve in curves.items():
        mixed = mixing_point(curve, larger_is_better=name == "φ3")
        print(f"{name}, r^{power}: signal and noise are mixed up {f'from a = {mixed:.2f}' if mixed < 1 else 'nowhere'}")

    figure, axes = plt.subplots(3, 3, figsize=(11, 9.5), layout="constrained")
    embedding(axes[0, 0], N, groups, "the graph, a = 0: 2nd and 3rd eigenvector")
    embedding(axes[0, 1], path[-1], groups, "perturbed, a = 0.5")
    spectra(axes[0, 2], N, path[-1])
    bounds(axes[1, 0], N, path, features)
    turns(axes[1, 1], path)
    relative_changes(axes[1, 2], curves)
    for axis, name in zip(axes[2], ("φ1", "φ2", "φ3"), strict=True):
        score_curves(axis, curves[name, 1], name)
    save(figure, "three_gaussians")


def scores(laplacian: Array, features: Array, degrees: Array, name: str, power: int) -> Array:
    """φ of features D½f on a given N: the trivial vector, D½1, is that of the graph without noise."""
    values, vectors = np.linalg.eigh(laplacian)
    values = np.maximum(values, 0.0)
    unit = features / np.linalg.norm(features, axis=0)
    if name == "φ3":
        return (2.0**power - values[1:CLUSTERS] ** power) @ (vectors[:, 1:CLUSTERS].T @ unit) ** 2
    total = values**power @ (vectors.T @ unit) ** 2
    trivial = np.sqrt(degrees / degrees.sum()) @ unit
    return total / (1 - trivial**2) if name == "φ2" else total


def mixing_point(curve: Array, *, larger_is_better: bool) -> float:
    """The smallest a at which some noise feature scores as well as some signal feature; 1 if none does."""
    signal, noise = (curve[:, :3], curve[:, 3:]) if larger_is_better else (-curve[:, :3], -curve[:, 3:])
    mixed = np.flatnonzero(noise.max(axis=1) >= signal.min(axis=1))
    return float(AMOUNTS[mixed[0]]) if mixed.size else 1.0


def embedding(axes: Axes, laplacian: Array, groups: NDArray[np.intp], title: str) -> None:
    """The samples in the second and third eigenvector."""
    _, vectors = np.linalg.eigh(laplacian)
    axes.scatter(vectors[:, 1], vectors[:, 2], c=np.array(COLOURS)[groups], s=18)
    axes.set_title(title)
    bare(axes)


def spectra(axes: Axes, before: Array, after: Array) -> None:
    """All eigenvalues without and with noise."""
    for laplacian, label, colour in ((before, "a = 0", COLOURS[0]), (after, "a = 0.5", COLOURS[1])):
        axes.plot(np.linalg.eigvalsh(laplacian), ".", color=colour, label=label, ms=4)
    axes.set(title="eigenvalues: the tail is packed", xlabel="number", ylabel="λ")
    axes.legend()


def bounds(axes: Axes, N: Array, path: list[Array], features: Array) -> None:
    """Theorem 5's bound, and the change of the worst feature, for all eigenpairs and for the leading three."""
    for count, label, colour in ((None, "all pairs", COLOURS[0]), (CLUSTERS, "first three", COLOURS[1])):
        results = [perturbation_bound(N, laplacian, features, n_eigenvalues=count) for laplacian in path[1:]]
        axes.semilogy(AMOUNTS[1:], [r.bound.max() for r in results], color=colour, label=f"bound, {label}")
        axes.semilogy(AMOUNTS[1:], [r.change.max() for r in results], "--", color=colour, label=f"change, {label}")
    axes.set(title="change of Σ α²λ and its bound", xlabel="noise a", xlim=(0, 0.5), ylim=(1e-3, 3e3))
    axes.legend(fontsize=7.5, ncols=2, loc="upper center")


def turns(axes: Axes, path: list[Array]) -> None:
    """Sine of the angle between some eigenvectors and where they were without noise."""
    _, start = np.linalg.eigh(path[0])
    vectors = np.array([np.linalg.eigh(laplacian)[1] for laplacian in path])
    for number, colour in zip((2, 3, 10, 25), COLOURS, strict=False):
        cosine = np.einsum("i,ai->a", start[:, number - 1], vectors[:, :, number - 1])
        axes.plot(AMOUNTS, np.sqrt(np.maximum(0, 1 - cosine**2)), color=colour, label=f"ξ{number}")
    axes.set(title="leading eigenvectors turn least", xlabel="noise a", ylabel="sin θ", ylim=(0, 1.05))
    axes.legend()


def relative_changes(axes: Axes, curves: dict[tuple[str, int], Array]) -> None:
    """|score - score without noise| / score without noise, of the third signal feature."""
    for (name, power), curve in curves.items():
        style, colour = ("-" if power == 1 else "--"), COLOURS[int(name[1]) - 1]
        change = np.abs(curve[:, 2] - curve[0, 2]) / curve[0, 2]
        axes.plot(AMOUNTS, change, style, color=colour, label=f"{name}, r{'' if power == 1 else '³'}")
    axes.set(title="relative change of one score", xlabel="noise a", ylim=(0, 1))
    axes.legend(fontsize=8, ncols=3, loc="upper center")


def score_curves(axes: Axes, curve: Array, name: str) -> None:
    """Scores of signal and noise features with growing noise."""
    for column in range(6):
        label = {0: "signal", 3: "noise"}.get(column)
        axes.plot(AMOUNTS, curve[:, column], color=COLOURS[0] if column < 3 else "#999999", label=label)
    good = "large" if name == "φ3" else "small"
    axes.set(title=f"{name} with r ({good} is good)", xlabel="noise a", ylabel="score")
    if name == "φ1":  # the colours mean the same in all three, and only here is room
        axes.legend(loc="center")


if __name__ == "__main__":
    main()

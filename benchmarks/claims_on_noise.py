"""How often a report claims structure in tables that have none: clusters, classes that are told, scores above a band.

``python benchmarks/claims_on_noise.py [DRAWS]``; the counts stand in `eigenselect.reporting.views.spectrum`,
`eigenselect.reporting.views.embedding`, `eigenselect.reporting.refitting.held_out` and docs/noise.md.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import eigenselect as es
from eigenselect.reporting.views.drawn_graph import draw_graph

CLOUDS: dict[str, Callable[[Any, tuple[int, int]], Any]] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t with 3 degrees of freedom": lambda rng, shape: rng.standard_t(3, size=shape),
    "log-normal": lambda rng, shape: rng.lognormal(size=shape),
    "uniform": lambda rng, shape: rng.uniform(size=shape),
    "Poisson": lambda rng, shape: rng.poisson(2.0, size=shape).astype(float),
}
SHAPES = [(6, 3), (12, 2), (12, 20), (30, 2), (30, 50), (100, 2), (100, 30), (300, 2), (300, 10)]
#: samples, features, classes (0: a number), cloud
LABELLED = [
    (48, 2000, 2, "normal"),
    (48, 200, 2, "normal"),
    (100, 20, 3, "normal"),
    (300, 2, 2, "normal"),
    (60, 500, 2, "Poisson"),
    (30, 50, 5, "t with 3 degrees of freedom"),
    (200, 10, 0, "normal"),
]


def clusters_of_clouds(similarity: str, draws: int) -> None:
    """Clouds whose spectrum is said to show clusters, for every kind and size."""
    total, most = 0, 0
    for kind, draw in CLOUDS.items():
        counts = [sum(_shows_clusters(similarity, draw, shape, seed) for seed in range(draws)) for shape in SHAPES]
        print(f"{similarity}, {kind}: {counts} of {draws} each, for {SHAPES}", flush=True)
        total, most = total + sum(counts), max(most, *counts)
    print(f"{similarity}: {total} of {draws * len(CLOUDS) * len(SHAPES)} clouds, at most {most} of {draws} of a kind")


def _shows_clusters(similarity: str, draw: Callable[..., Any], shape: tuple[int, int], seed: int) -> bool:
    X = draw(np.random.default_rng([seed, *shape]), shape)
    drawn = draw_graph(es.SPEC(1, similarity=similarity).fit(X), X, 0)
    return drawn is not None and drawn.gap.clusters is not None


def classes_of_noise(draws: int) -> None:
    """Tables of which a picture, or held-out samples, are said to tell labels at random by more than chance.

    Beside these, tables with a score above the band (one in four is promised), and those that say "no signal".
    """
    total: Counter[str] = Counter()
    for n_samples, n_features, n_classes, kind in LABELLED:
        found: Counter[str] = Counter()
        for seed in range(draws):
            rng = np.random.default_rng([777, seed, n_samples, n_features])
            X = CLOUDS[kind](rng, (n_samples, n_features))
            y = rng.integers(0, n_classes, n_samples) if n_classes else rng.normal(size=n_samples)
            first = es.ReliefF if not n_classes else es.FisherScore if seed % 2 else es.LaplacianScore
            found.update(_claims(es.report(first(1).fit(X, y), X, y).summary))
        total += found
        print(f"{n_samples} x {n_features}, {n_classes or 'numbers'}, {kind}: {dict(found)} of {draws}", flush=True)
    print(f"{dict(total)} of {draws * len(LABELLED)} tables")


def _claims(summary: Any) -> list[str]:
    """Name what a report claims, and whether it says that there is nothing."""
    picture, measured = summary["views"]["separation"], summary["evaluation"]
    claims = {
        "picture": picture and picture["beyond_chance"],
        "held out": measured["accuracy"] and measured["accuracy"]["beyond_chance"],
        "above the band": measured["band"] and measured["band"]["n_above"] > 0,
        "says no signal": any(alert["kind"] == "no signal" for alert in summary["alerts"]),
    }
    return [name for name, is_claimed in claims.items() if is_claimed]


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # heavy tails and small graphs are warned about, which is not what is counted
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    classes_of_noise(3 * asked)
    for name in ("knn", "rbf"):
        clusters_of_clouds(name, asked)

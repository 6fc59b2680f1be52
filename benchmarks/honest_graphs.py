"""What p-values and q-values are worth where the sample graph is made from the table whose features it judges.

``python benchmarks/honest_graphs.py [TABLES]``; the counts stand in docs/significance.md. 20 tables of each kind take
about six minutes on one core. The seeds are not those on which defaults were chosen.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import eigenselect as es
from eigenselect.exceptions import ExchangeabilityWarning
from eigenselect.inference import benjamini_hochberg
from eigenselect.inference.permutation import permutation_test
from eigenselect.inference.shadows import Shadows
from eigenselect.inference.split import Split
from eigenselect.matrix import as_matrix

SAMPLES, FEATURES, INFORMATIVE = 300, 1000, 60
LEVEL = 0.1
FIRST_SEED = 100
#: noise, spread and depth: tables of each, and how wide samples differ (sigma of a log-normal)
BROKEN, SIGMA = 5, 0.5

Table = NDArray[np.float64]


def planted(seed: int, n: int = SAMPLES, m: int = FEATURES, informative: int = INFORMATIVE) -> tuple[Table, Any]:
    """Draw counts of three classes, of which the first features tell the classes; columns of unit spread."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    mu = np.ones((3, m))
    mu[:, :informative] = np.exp(rng.normal(0, 0.9, (3, informative)))
    X = np.log1p(rng.negative_binomial(1, 1 / (1 + mu[y])))
    return X / X.std(axis=0), y


def same_table(X: Table, y: Any) -> Table:
    """Return the q-values of the trap: permutations on the graph of the same features."""
    fitted = es.LaplacianScore().fit(X)
    ratio = fitted.criterion_.null_ratio()
    return benjamini_hochberg(permutation_test(ratio, as_matrix(X), fitted.native_scores_).pvalues)


def by_labels(X: Table, y: Any) -> Table:
    """Return the q-values of the oracle: the graph that joins all samples of a class."""
    return np.asarray(es.LaplacianScore(similarity="class_labels", significance=True).fit(X, y).qvalues_)


def by_route(route: Any) -> Callable[[Table, Any], Table]:
    """Return the function that makes the q-values of a route with otherwise default settings."""
    return lambda X, y: np.asarray(es.LaplacianScore(significance=route).fit(X).qvalues_)


ROUTES: dict[str, Callable[[Table, Any], Table]] = {
    "true classes (oracle)": by_labels,
    "graph of the same table, no route": same_table,
    '`"split"`': by_route("split"),
    '`Split(combination="median")`': by_route(Split(combination="median")),
    '`"shadows"`': by_route("shadows"),
    "`Shadows(n_repeats=5)`": by_route(Shadows(n_repeats=5)),
}


def discoveries(tables: int) -> None:
    """Print one line per route: noise tables with a discovery, false discoveries (± standard error) and power."""
    print("| route | noise tables with a discovery | false discovery proportion | power | of the oracle's |")
    print(f"|{' --- |' * 5}")
    oracle = None
    for name, q_of in ROUTES.items():
        seeds = range(FIRST_SEED, FIRST_SEED + tables)
        noise = [(q_of(*planted(seed + 10_000, informative=0)) <= LEVEL).any() for seed in seeds]
        kept = [q_of(*planted(seed)) <= LEVEL for seed in seeds]
        false = np.array([each[INFORMATIVE:].sum() / max(1, each.sum()) for each in kept])
        power = float(np.mean([each[:INFORMATIVE].mean() for each in kept]))
        oracle = power if oracle is None else oracle
        error = false.std(ddof=1) / np.sqrt(tables)
        print(
            f"| {name} | {sum(noise)} of {tables} | {false.mean():.3f} ± {error:.3f} | {power:.3f} | "
            f"{power / oracle:.2f} |",
            flush=True,
        )


def unequal_spread(rng: np.random.Generator) -> dict[str, Table]:
    """Draw noise of samples that differ in spread; the remedy is unit length."""
    X = rng.normal(size=(SAMPLES, 600)) * rng.lognormal(sigma=SIGMA, size=SAMPLES)[:, None]
    return {
        "unequal spread": X,
        "unequal spread, samples of unit length": X / np.linalg.norm(X, axis=1, keepdims=True),
    }


def unequal_depth(rng: np.random.Generator) -> dict[str, Table]:
    """Draw independent counts of samples that differ in depth; the remedy is to normalise and to project depth out."""
    counts = rng.poisson(rng.lognormal(sigma=SIGMA, size=SAMPLES)[:, None] * rng.lognormal(size=600)).astype(float)
    counts = counts[:, counts.sum(axis=0) > 5]
    depth = counts.sum(axis=1)
    normalised = np.log1p(counts / depth[:, None] * np.median(depth))
    basis = np.linalg.qr(np.column_stack([np.ones(SAMPLES), np.log(depth)]))[0]
    return {
        "unequal depth, log counts": np.log1p(counts),
        "unequal depth, size-normalised": normalised,
        "unequal depth, size-normalised, depth projected out": normalised - basis @ (basis.T @ normalised),
    }


def broken_nulls() -> None:
    """Print one line per kind of noise: how often p is small under ``"split"``, and how often the library warned."""
    found: dict[str, list[tuple[float, float, bool]]] = {}
    for seed in range(FIRST_SEED, FIRST_SEED + BROKEN):
        rng = np.random.default_rng(seed)
        exchangeable = {"exchangeable": rng.normal(size=(SAMPLES, 600))}
        for name, X in (exchangeable | unequal_spread(rng) | unequal_depth(rng)).items():
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                p = es.LaplacianScore(significance="split").fit(X).pvalues_
            warned = any(issubclass(each.category, ExchangeabilityWarning) for each in said)
            found.setdefault(name, []).append((np.mean(p <= 0.05), np.mean(p <= 0.01), warned))
    print(f"\n| noise | p ≤ 0.05 | p ≤ 0.01 | warned |\n|{' --- |' * 4}")
    for name, rows in found.items():
        at5, at1, warned = zip(*rows, strict=True)
        print(f"| {name} | {np.mean(at5):.3f} | {np.mean(at1):.3f} | {sum(warned)} of {BROKEN} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    discoveries(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    broken_nulls()

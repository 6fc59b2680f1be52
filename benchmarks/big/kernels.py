"""Big tables: Gram matrices, kernels and ReliefF on wide tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cases import Case, Goal
from data import Store
from measure import Job, Work

#: samples and features of the wide tables; growth is measured between the ends
WIDE_SAMPLES, WIDE_FEATURES = 500, (20_000, 100_000)
#: features of the memory maps: one that is timed, one whose memory is limited
MAPPED_FEATURES = {"timed": 500_000, "limited": 1_000_000}
#: n² doubles that a fit with a full kernel may take
KERNEL_PARTS = 1.7
KERNEL_SAMPLES, KERNEL_FEATURES = 8000, 50
#: megabytes of anonymous memory that a fit of the largest memory map may take
MAPPED_MEMORY = 1000
#: features of a warm-up: enough for the compiled loops to be chosen
FEW = 16_000


def cases(store: Store) -> Iterator[Case]:
    """Yield the rows."""
    yield from _mapped_cases(store)
    yield from _kernel_cases(store)
    yield from _growth_cases(store)


def _mapped_cases(store: Store) -> Iterator[Case]:
    """Graph and scores of wide float32 files, against the least that has to be done: the Gram matrix and two reads."""
    n_features = MAPPED_FEATURES["timed"] // (10 if store.quick else 1)
    path = _mapped_file(store, n_features)
    title = f"graph and scores of a memory map, 500 x {n_features} float32"
    mine, peer = Job(mapped_fit, (path, n_features)), Job(single_gram_and_reads, (path, n_features))
    yield Case(title, "float32 Gram, two reads", mine, peer, Goal("cost", None if store.quick else 1.5))
    n_features = MAPPED_FEATURES["limited"] // (10 if store.quick else 1)
    limited = Job(partial(mapped_fit, sampled=True), (_mapped_file(store, n_features), n_features))
    title = f"graph and scores of a memory map, 500 x {n_features} float32"
    yield Case(title, "(anonymous memory)", limited, None, Goal("memory", MAPPED_MEMORY))


def _kernel_cases(store: Store) -> Iterator[Case]:
    """Megabytes of a whole fit with the similarities of all pairs."""
    n_samples = KERNEL_SAMPLES // (4 if store.quick else 1)
    megabytes = 8 * n_samples**2 / 2**20
    store.sources["full kernels"] = f"synthetic: {n_samples} x {KERNEL_FEATURES} uniform numbers, seed 11"
    for name in ("rbf", "linear", "cosine"):
        title = f"Laplacian score, {name} of all pairs, {n_samples} x {KERNEL_FEATURES}"
        limit = None if store.quick else KERNEL_PARTS * megabytes
        yield Case(title, f"(n² doubles: {megabytes:.0f} MB)", Job(kernel_fit, (n_samples, name)), None,
                   Goal("memory", limit))  # fmt: skip


def _growth_cases(store: Store) -> Iterator[Case]:
    """Five times as many features may take 5^1.1 times the time."""
    few, many = (m // (4 if store.quick else 1) for m in WIDE_FEATURES)
    store.sources["wide"] = f"synthetic: {WIDE_SAMPLES} samples of 5 clusters with normal noise, seed 12"
    limit = None if store.quick else (many / few) ** 1.1
    for name in ("ReliefF", "knn", "rbf", "cosine", "linear", "HSICScore"):
        large, small = (Job(wide_fit, (name, m)) for m in (many, few))
        title = f"{name}, {WIDE_SAMPLES} x {many}"
        yield Case(title, f"ours on {many // few} times fewer features", large, small, Goal("cost", limit))


def _mapped_file(store: Store, n_features: int) -> Path:
    """A raw C-ordered float32 file, written in blocks of rows."""
    path = store.folder / f"wide_{n_features}.f32"
    store.sources[f"map of {n_features} features"] = "synthetic: 10 clusters with normal noise, float32, seed 13"
    if not path.exists():
        rng = np.random.default_rng(13)
        centres = rng.standard_normal((10, n_features), dtype=np.float32)
        with path.open("wb") as file:
            for _ in range(WIDE_SAMPLES // 10):
                file.write((rng.standard_normal((10, n_features), dtype=np.float32) + centres).tobytes())
    return path


# -- ours -------------------------------------------------------------------------------------


def mapped_fit(path: Path, n_features: int, sampled: bool = False) -> Work:
    """Graph and scores of a memory map."""
    from eigenselect import LaplacianScore

    X = np.memmap(path, dtype=np.float32, mode="r", shape=(WIDE_SAMPLES, n_features))
    few = np.random.default_rng(4).standard_normal((WIDE_SAMPLES, FEW), dtype=np.float32)

    def fit(X: Any) -> Any:
        return LaplacianScore(10).fit(X).native_scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(few), sampled=sampled)


def kernel_fit(n_samples: int, similarity: str) -> Work:
    """A whole fit with a full kernel."""
    from eigenselect import LaplacianScore

    X = np.random.default_rng(11).random((n_samples, KERNEL_FEATURES))

    def fit(X: Any) -> Any:
        return LaplacianScore(10, similarity=similarity).fit(X).native_scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:400]))


def wide_fit(name: str, n_features: int) -> Work:
    """A whole fit of a wide table: a method with labels, or the Laplacian score on a similarity."""
    import eigenselect

    rng = np.random.default_rng(12)
    y = np.arange(WIDE_SAMPLES) % 5
    X = np.abs(rng.standard_normal((WIDE_SAMPLES, n_features)) + rng.standard_normal((5, n_features))[y])
    target = y + rng.random(WIDE_SAMPLES) if name == "HSICScore" else y
    labelled = name in ("ReliefF", "HSICScore")

    def fit(X: Any) -> Any:
        if labelled:
            return getattr(eigenselect, name)(10).fit(X, target).native_scores_
        return eigenselect.LaplacianScore(10, similarity=name).fit(X).native_scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, :FEW]))


# -- the other side ---------------------------------------------------------------------------


def single_gram_and_reads(path: Path, n_features: int) -> Work:
    """X Xᵀ in single precision by numpy's own threads, and two sums over the file."""
    X = np.memmap(path, dtype=np.float32, mode="r", shape=(WIDE_SAMPLES, n_features))

    def call() -> None:
        X @ X.T
        X.sum()
        X.sum()

    return Work(call)

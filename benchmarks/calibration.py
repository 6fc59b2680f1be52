"""How often noise is called significant: the share of p-values at or below a level, ours and others', deep in the tail.

    python benchmarks/calibration.py [--features N] [--peer-features N] [--output FILE.md]

Six families of features without any relation to the samples, 400 samples, on neighbours of random points in a plane
(and, for Fisher and HSIC, on random classes). A right p-value gives the level itself; features with atoms may give
less. Peers are asked where they are installed (squidpy, esda, FlashS), with their analytic p-values; the table says
which were not. Written to docs/calibration.md by ``make calibration``.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import noise  # noqa: E402  the families of the tests
from eigenselect import SPEC, FisherScore, GearyC, HSICScore, LaplacianScore, MoranI  # noqa: E402

N_SAMPLES = 400
LEVELS = (0.05, 0.01, 1e-3, 1e-4, 1e-5)
CHUNK = 50_000
#: rules that are measured with all features, the others with a tenth
DEEP = ("LaplacianScore", "FisherScore")

PValues = Callable[[np.ndarray], np.ndarray]


def main() -> None:
    """Measure every rule on every family, and write the table."""
    options = _options()
    points = np.random.default_rng(11).random((N_SAMPLES, 2))
    S = _graph(points)
    y = np.random.default_rng(12).integers(3, size=N_SAMPLES)
    rows = []
    for name, test in _ours(S, y).items():
        rows += _rows(name, test, options.features if name in DEEP else options.features // 10)
    missing = []
    for name, make in _PEERS.items():
        try:
            test = make(S, points)
        except ImportError:
            missing.append(name)
            continue
        rows += _rows(name, test, options.peer_features)
    text = _document(rows, missing, options)
    options.output.write_text(text, encoding="utf-8")
    print(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--features",
        type=int,
        default=1_000_000,
        help="per family; a tenth for most rules (%(default)s)",
    )
    parser.add_argument("--peer-features", type=int, default=20_000, help="the same for peers (%(default)s)")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "calibration.md")
    return parser.parse_args()


def _graph(points: np.ndarray) -> Any:
    from eigenselect.similarity import KNN

    return KNN(6, weight="binary").build(points).affinity


def _ours(S: Any, y: np.ndarray) -> dict[str, PValues]:
    on_graph = {
        "MoranI": MoranI(significance="given"),
        "GearyC": GearyC(significance="given"),
        "LaplacianScore": LaplacianScore(significance="given"),
        "SPEC φ1": SPEC(ranking="phi1", significance="given"),
        "SPEC φ3": SPEC(ranking="phi3", n_clusters=5, significance="given"),
    }
    tests: dict[str, PValues] = {
        name: lambda X, selector=selector: selector.fit(X, similarity_matrix=S).pvalues_
        for name, selector in on_graph.items()
    }
    for name, selector in {"FisherScore": FisherScore(), "HSICScore": HSICScore()}.items():
        selector.set_params(significance=True)
        tests[name] = lambda X, selector=selector: selector.fit(X, y).pvalues_
    return tests


def _squidpy(S: Any, points: np.ndarray) -> PValues:
    import anndata
    import squidpy
    from scipy import sparse

    def test(X: np.ndarray) -> np.ndarray:
        table = anndata.AnnData(sparse.csr_matrix(X))
        table.obsp["spatial_connectivities"] = sparse.csr_matrix(S)
        found = squidpy.gr.spatial_autocorr(
            table, mode="moran", n_perms=None, transformation=False, copy=True, show_progress_bar=False
        )
        return found.loc[table.var_names, "pval_norm"].to_numpy()

    return test


def _esda(S: Any, points: np.ndarray) -> PValues:
    import esda
    from libpysal.weights import WSP

    weights = WSP(S).to_W(silence_warnings=True)

    def test(X: np.ndarray) -> np.ndarray:
        moran = [esda.Moran(f, weights, transformation="O", permutations=0, two_tailed=False) for f in X.T]
        return np.array([found.p_rand for found in moran])

    return test


def _flashs(S: Any, points: np.ndarray) -> PValues:
    from flashs import FlashS
    from scipy import sparse

    def test(X: np.ndarray) -> np.ndarray:
        found = FlashS().fit_test(points, sparse.csc_matrix(X))
        return np.where(found.tested_mask, found.pvalues, np.nan)

    return test


_PEERS = {"squidpy, Moran": _squidpy, "esda, Moran (randomisation)": _esda, "FlashS": _flashs}


def _rows(name: str, test: PValues, n_features: int) -> Iterator[list[str]]:
    for place, family in enumerate(noise.FAMILIES):
        print(f"{name}: {family} ...", file=sys.stderr, flush=True)
        yield [name, family, *_shares(test, family, n_features, place)]


def _shares(test: PValues, family: str, n_features: int, place: int) -> list[str]:
    """Measure in chunks of features; a level that less than ten noise features would reach is not printed."""
    counts, total = np.zeros(len(LEVELS)), 0
    for start in range(0, n_features, CHUNK):
        rng = np.random.default_rng([place, start])
        X = noise.features(family, N_SAMPLES, min(CHUNK, n_features - start), rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = test(X)
        p = p[~np.isnan(p)]
        counts += [(p <= level).sum() for level in LEVELS]
        total += p.size
    shown = [f"{count / total:.3g}" if total * level >= 10 else "" for count, level in zip(counts, LEVELS, strict=True)]
    return [*shown, f"{total}"] if total else [*("" for _ in LEVELS), "refused all"]


def _document(rows: list[list[str]], missing: list[str], options: argparse.Namespace) -> str:
    header = ["p-value of", "noise", *(f"≤ {level:g}" for level in LEVELS), "features tested"]
    lines = [
        "# Calibration: how often noise is called significant",
        "",
        "Made by `make calibration` (benchmarks/calibration.py): features without any relation to the samples, 400 "
        "samples, a graph of 6 neighbours of random points in a plane; Fisher and HSIC on three random classes. A "
        "right p-value gives the level at the head of the column; a feature with atoms (rare counts, few non-zeros, "
        "binary) may give less. Ours are one-sided and analytic, refined by random permutations where features are "
        f"rare ({CHUNK:,} features are tested at a time and share the draws, fewer than a table of usual size gives "
        "each); peers are asked for their analytic one-sided p-values.",
        "",
        "| " + " | ".join(header) + " |",
        "|" + "---|" * len(header),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    if missing:
        lines += ["", f"Not installed when this was made: {', '.join(missing)}."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

"""Which method should rank a table without labels? The 50 best features of each, judged by labels nobody saw.

    python benchmarks/unsupervised.py            all sets, into the table of docs/unsupervised.md
    python benchmarks/unsupervised.py --quick    the three smallest sets, printed

For each labelled set of ../shared/data (never committed) and each of five stratified folds, every method ranks the
features of the training samples without labels; the accuracy is that of the nearest neighbour in its 50 best features,
scaled to unit deviation on the training samples. Redundancy is the mean absolute correlation of these 50. Random
features are the mean of five draws. "Scaled" features have unit deviation before the method sees them. Sets of more
than 600 samples are cut to 600 (stratified, seed 0).
"""

from __future__ import annotations

import argparse
import re
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale

from eigenselect import MRSF, SPEC, LaplacianScore
from eigenselect.evaluation import redundancy_rate

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "unsupervised.md"

FloatArray = NDArray[np.float64]
SIZE, FOLDS, DRAWS, MOST_SAMPLES = 50, 5, 5, 600
SETS = (
    "GLIOMA.mat", "colon.mat", "leukemia_hgu95_symbols.npz", "CNS_Pomeroy.npz", "Prostate-GE.mat", "TOX-171.mat",
    "warpAR10P.mat", "warpPIE10P.mat", "pixraw10P.mat", "orlraws10P.mat", "umist.npz", "att_faces_28x23.npz",
    "COIL20.mat", "ms_mfeat_digits.npz", "BASEHOCK.mat", "PCMAC.mat", "RELATHE.mat",
)  # fmt: skip


def top(ranking: NDArray[np.intp]) -> NDArray[np.intp]:
    """The features with the best ranks, as many as are compared."""
    return np.flatnonzero(ranking <= SIZE)


METHODS: dict[str, Callable[[FloatArray], NDArray[np.intp]]] = {
    "laplacian": lambda X: top(LaplacianScore(SIZE).fit(X).ranking_),
    "laplacian, scaled": lambda X: top(LaplacianScore(SIZE).fit(scale(X)).ranking_),
    "spec-phi3": lambda X: top(SPEC(SIZE, ranking="phi3").fit(X).ranking_),
    "mrsf": lambda X: MRSF(SIZE, scale=None).fit(X).path_,
    "mrsf, knn": lambda X: MRSF(SIZE, similarity="knn", scale=None).fit(X).path_,
    "mrsf, knn, scaled": lambda X: MRSF(SIZE, similarity="knn").fit(scale(X)).path_,
    "variance": lambda X: np.argsort(-X.var(axis=0), kind="stable")[:SIZE],
}
RANDOM = "random"


def load(file: str) -> tuple[FloatArray, NDArray[Any]]:
    """Samples and labels, cut to `MOST_SAMPLES`, constant features left out."""
    if file.endswith(".mat"):
        content: Any = loadmat(DATA / file)
        X, y = content["X"], content["Y"].ravel()
    else:
        content = np.load(DATA / file)
        X, y = content["X_pix" if file.startswith("ms_mfeat") else "X"], content["y"]
    X = X.astype(np.float64)
    if len(X) > MOST_SAMPLES:
        X, _, y, _ = train_test_split(X, y, train_size=MOST_SAMPLES, stratify=y, random_state=0)
    return X[:, X.max(axis=0) > X.min(axis=0)], y


def accuracy(X: FloatArray, y: NDArray[Any], train: NDArray[np.intp], test: NDArray[np.intp]) -> float:
    """Of the nearest neighbour, in features of unit deviation on the training samples."""
    deviation = X[train].std(axis=0)
    Z = X / np.where(deviation > 0, deviation, 1.0)
    return float(KNeighborsClassifier(1).fit(Z[train], y[train]).score(Z[test], y[test]))


def measured(file: str) -> dict[str, tuple[float, float, float]]:
    """Accuracy, redundancy and seconds of each method on one set, means over the folds."""
    X, y = load(file)
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in (*METHODS, RANDOM)}
    rng = np.random.default_rng(0)
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        for name, choose in METHODS.items():
            start = time.perf_counter()
            chosen = choose(X[train])
            seconds = time.perf_counter() - start
            found[name].append((accuracy(X[:, chosen], y, train, test), redundancy_rate(X[:, chosen]), seconds))
        for _ in range(DRAWS):
            chosen = rng.choice(X.shape[1], SIZE, replace=False)
            found[RANDOM].append((accuracy(X[:, chosen], y, train, test), redundancy_rate(X[:, chosen]), 0.0))
    return {name: tuple(np.mean(values, axis=0)) for name, values in found.items()}  # type: ignore[misc]


def section(results: dict[str, dict[str, tuple[float, float, float]]], minutes: float) -> str:
    """The Markdown table: accuracy (redundancy) of each set, then how often each method beats random features."""
    names = list(next(iter(results.values())))
    lines = [["set", *names], ["---"] * (len(names) + 1)]
    for file, row in results.items():
        lines.append([re.sub(r"\..*", "", file), *(f"{row[n][0]:.3f} ({row[n][1]:.2f})" for n in names)])
    table = {name: np.array([row[name] for row in results.values()]) for name in names}
    lines.append(["**mean**", *(f"{v[:, 0].mean():.3f} ({v[:, 1].mean():.2f})" for v in table.values())])
    beats = [int((v[:, 0] > table[RANDOM][:, 0]).sum()) for v in table.values()]
    lines.append(
        [
            "better than random",
            *(f"{b} of {len(results)}" if n != RANDOM else "" for n, b in zip(names, beats, strict=True)),
        ]
    )
    lines.append(["seconds, largest", *(f"{v[:, 2].max():.2f}" if n != RANDOM else "" for n, v in table.items())])
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"{text}\n\nMeasured by `benchmarks/unsupervised.py` in {minutes:.0f} minutes; not recomputed by the tests."


def replace_section(page: Path, script: str, text: str) -> None:
    """Put what a script measured between its two markers on a page."""
    begin, end = (f"<!-- benchmarks/{script}.py {what} -->" for what in ("begins", "ends"))
    before, rest = page.read_text(encoding="utf-8").split(begin, 1)
    page.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}", encoding="utf-8")
    print(f"wrote {page}")


def main() -> None:
    """Measure all sets and write the table into docs/unsupervised.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the three smallest sets, printed and not written")
    quick = parser.parse_args().quick
    if not DATA.is_dir():
        print(f"skipped: the data sets are not in {DATA}")
        return
    warnings.filterwarnings("ignore", category=UserWarning)  # outlying samples, unlike spreads: what this is about
    start, results = time.perf_counter(), {}
    for file in SETS[:3] if quick else SETS:
        results[file] = measured(file)
        print(file, {n: tuple(round(float(x), 3) for x in v) for n, v in results[file].items()}, flush=True)
    text = section(results, (time.perf_counter() - start) / 60)
    if quick:
        print(text)
        return
    replace_section(PAGE, "unsupervised", text)


if __name__ == "__main__":
    main()

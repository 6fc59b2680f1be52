"""Which method? Held-out accuracy of every method on every labelled set at hand, into the tables of docs/choosing.md.

    python benchmarks/choosing.py            all sets; build/choosing keeps each one that is done: a second call goes on
    python benchmarks/choosing.py --quick    the two smallest sets, printed
    python benchmarks/choosing.py --write    write the page from what is in build/choosing, measure nothing

One protocol for all sets (../shared/data, never committed) and all methods. Sets of more than 600 samples are cut to
600, constant features are left out (`unsupervised.load`). Three stratified folds; in each, features are scaled to unit
deviation on the training samples, the method orders features there, and the best 10, 50 and 100 go to the nearest
neighbour and to a linear support vector machine (C = 1). MRSF orders at most as many features as there are training
samples: where these are fewer, all that it orders are used. Random features are the mean of five draws.
With few labels, one training sample in ten (at least two of a class) keeps its label.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import f_classif
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from eigenselect import EVSC, MRSF, SPEC, FisherScore, HSICScore, LaplacianScore, ReliefF, SSelect, TraceRatio
from eigenselect.evaluation import subset_accuracies
from eigenselect.selection import feature_order
from unsupervised import DATA, SETS, load, replace_section

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "papers"))
from baselines import mrmr  # noqa: E402

PAGE, KEPT = ROOT / "docs" / "choosing.md", ROOT / "build" / "choosing"
SIZES, FOLDS, DRAWS = (10, 50, 100), 3, 5
FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Choose = Callable[[FloatArray, Any], IndexArray]
CLASSIFIERS: dict[str, Any] = {"1NN": None, "SVM": SVC(kernel="linear")}


def ours(selector: Any) -> Choose:
    """The order of a selector of this library; as many features as it orders."""
    return lambda X, y: feature_order(selector.fit(X, y)).top(max(SIZES))


def by_score(score: Callable[[FloatArray, Any], FloatArray]) -> Choose:
    """The order of a score function, largest first."""
    return lambda X, y: np.argsort(-np.nan_to_num(score(X, y), nan=-np.inf), kind="stable")[: max(SIZES)]


#: what each method is asked for; the kind of supervision decides what it gets to see
METHODS: dict[str, dict[str, Choose]] = {
    "with labels": {
        "`FisherScore`": ours(FisherScore()),
        "`HSICScore`": ours(HSICScore()),
        "`TraceRatio`": ours(TraceRatio()),
        "`ReliefF`": ours(ReliefF()),
        "`SPEC` φ3, class labels": ours(SPEC(ranking="phi3", similarity="class_labels")),
        '`MRSF(target="lda")`': ours(MRSF(max(SIZES), target="lda")),
        "f_classif": by_score(lambda X, y: f_classif(X, y)[0]),
        "mRMR": lambda X, y: mrmr(X, y, max(SIZES)),
    },
    "without labels": {
        "`LaplacianScore`": ours(LaplacianScore()),
        "`SPEC` φ1": ours(SPEC(ranking="phi1")),
        "`SPEC` φ2, r³": ours(SPEC(ranking="phi2", spectral_function=3)),
        "`SPEC` φ3": ours(SPEC(ranking="phi3")),
        "`EVSC`, 10 eigenvalues": ours(EVSC(n_eigenvalues=10)),
        '`MRSF(similarity="knn")`': ours(MRSF(max(SIZES), similarity="knn")),
    },
    "few labels": {
        "`SSelect`": ours(SSelect()),
        "`FisherScore`, labelled samples": lambda X, y: _labelled_only(ours(FisherScore()), X, y),
        "`LaplacianScore`, all samples": ours(LaplacianScore()),
    },
}
RANDOM = "random features"


def _labelled_only(choose: Choose, X: FloatArray, y: NDArray[Any]) -> IndexArray:
    known = y >= 0
    return choose(X[known], y[known])


def shown_labels(kind: str, y: NDArray[Any], rng: np.random.Generator) -> NDArray[Any] | None:
    """What a method gets to see of the training labels: all, none, or one in ten and at least two of each class."""
    if kind != "few labels":
        return y if kind == "with labels" else None
    shown = np.full(y.size, -1)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        kept = rng.choice(members, max(2, round(members.size / 10)), replace=False)
        shown[kept] = label
    return shown


def accuracies(order: IndexArray, X: FloatArray, y: NDArray[Any], train: IndexArray, test: IndexArray) -> list[float]:
    """Of each classifier with each number of features, or with all that a method orders where these are fewer."""
    subsets = [order[:size] for size in SIZES]
    found = [subset_accuracies(subsets, X, y, train, test, classifier=model) for model in CLASSIFIERS.values()]
    return np.ravel(found).tolist()


def measured(file: str) -> dict[str, Any]:
    """Mean accuracies and the seconds of choosing, for every method of every kind, on one set."""
    X, y = load(file)
    y = np.unique(y, return_inverse=True)[1]
    rng = np.random.default_rng(0)
    found: dict[str, dict[str, list[list[float]]]] = {kind: {} for kind in METHODS}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        deviation = X[train].std(axis=0)
        seen = X[train] / np.where(deviation > 0, deviation, 1.0)
        for kind, methods in METHODS.items():
            labels = shown_labels(kind, y[train], rng)
            for name, choose in methods.items():
                start = time.perf_counter()
                order = choose(seen, labels)
                seconds = time.perf_counter() - start
                found[kind].setdefault(name, []).append([*accuracies(order, X, y, train, test), seconds])
        draws = [rng.choice(X.shape[1], max(SIZES), replace=False) for _ in range(DRAWS)]
        chance = np.mean([accuracies(order, X, y, train, test) for order in draws], axis=0).tolist()
        found["with labels"].setdefault(RANDOM, []).append([*chance, 0.0])
    means = {
        kind: {name: np.mean(rows, axis=0).tolist() for name, rows in methods.items()}
        for kind, methods in found.items()
    }
    return {"shape": X.shape, "classes": int(y.max()) + 1, "means": means}


def table_of(kind: str, results: dict[str, Any]) -> str:
    """Mean accuracy over the sets, and on how many sets each method is better than random features (50 features)."""
    header = ["method", *(f"{model}, {size}" for model in CLASSIFIERS for size in SIZES), "better than random"]
    lines = [header, ["---"] * len(header)]
    chance = np.array([found["means"]["with labels"][RANDOM] for found in results.values()])
    for name in (*METHODS[kind], RANDOM):
        rows = chance if name == RANDOM else np.array([found["means"][kind][name] for found in results.values()])
        beats = "" if name == RANDOM else f"{(rows[:, 1] > chance[:, 1]).sum()} of {len(rows)}"
        lines.append([name, *(f"{value:.3f}" for value in rows[:, :-1].mean(axis=0)), beats])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def section(results: dict[str, Any]) -> str:
    """The tables of all kinds, and what they were measured on."""
    sets = ", ".join(
        f"{Path(file).stem} ({found['shape'][0]} × {found['shape'][1]}, {found['classes']} classes)"
        for file, found in results.items()
    )
    parts = [f"### {kind.capitalize()}\n\n{table_of(kind, results)}" for kind in METHODS]
    return (
        "\n\n".join(parts)
        + f"\n\n{len(results)} sets: {sets}. Measured by `benchmarks/choosing.py`; not recomputed by the tests."
    )


def kept_results(files: tuple[str, ...]) -> dict[str, Any]:
    """What earlier calls measured."""
    paths = {file: KEPT / f"{Path(file).stem}.json" for file in files}
    return {file: json.loads(path.read_text(encoding="utf-8")) for file, path in paths.items() if path.exists()}


def main() -> None:
    """Measure what is not there yet and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the two smallest sets, printed and not written")
    parser.add_argument("--write", action="store_true", help="write the page from what was measured before")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        print(f"skipped: the data sets are not in {DATA}")
        return
    warnings.filterwarnings("ignore", category=UserWarning)  # outlying samples, unlike spreads, small classes
    warnings.filterwarnings("ignore", category=RuntimeWarning)  # f_classif of features that are constant in a fold
    if arguments.quick:
        print(section({file: measured(file) for file in SETS[:2]}))
        return
    KEPT.mkdir(parents=True, exist_ok=True)
    for file in () if arguments.write else SETS:
        if file in kept_results((file,)):
            continue
        start = time.perf_counter()
        found = measured(file)
        (KEPT / f"{Path(file).stem}.json").write_text(json.dumps(found), encoding="utf-8")
        print(f"{file}: {time.perf_counter() - start:.0f} s", flush=True)
    replace_section(PAGE, "choosing", section(kept_results(SETS)))


if __name__ == "__main__":
    main()

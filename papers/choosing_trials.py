"""One trial of papers/choosing.py: every method on one draw of folds of one labelled set.

Sets of more than 600 samples are cut to 600 (stratified), constant features are left out. In each of three stratified
folds, features are scaled to unit deviation on the training samples, the method orders features there, and the best
10, 50 and 100 go to the nearest neighbour and to a linear support vector machine (C = 1). On small sets of few
classes MRSF with labels orders fewer than are asked for: then all of these are used. Random features are the mean of
five draws. With few labels, one training sample in ten (at least two of a class) keeps its label.
Mutual information is that of features in three levels, cut at mean ± deviation, as in mRMR: scikit-learn's estimate by
neighbours takes some 20 ms a feature, hours for all sets.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from baselines import Information, mrmr, three_levels
from common import DATA, load
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_selection import f_classif
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.svm import SVC

import eigenselect as es
from eigenselect.evaluation import subset_accuracies
from eigenselect.selection import feature_order

SIZES, FOLDS, DRAWS, MOST_SAMPLES = (10, 50, 100), 3, 5, 600
FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
Choose = Callable[[FloatArray, Any], IndexArray]
CLASSIFIERS: dict[str, Any] = {"1NN": None, "SVM": SVC(kernel="linear")}
#: labelled sets with more than 100 features, by what they are
SETS: dict[str, tuple[str, ...]] = {
    "genes": (
        "GLIOMA.mat", "colon.mat", "leukemia_hgu95_symbols.npz", "CNS_Pomeroy.npz", "Prostate-GE.mat", "TOX-171.mat",
        "ms_breast_tcga.npz", "sc_pbmc68k_reduced.h5ad",
    ),
    "pictures": (
        "warpAR10P.mat", "warpPIE10P.mat", "pixraw10P.mat", "orlraws10P.mat", "umist.npz", "att_faces_28x23.npz",
        "COIL20.mat", "ms_mfeat_digits.npz",
    ),
    "text": ("BASEHOCK.mat", "PCMAC.mat", "RELATHE.mat", "MACBASE.npz"),
    "made up": ("madelon.mat",),
}  # fmt: skip


def ours(make: Callable[[], Any]) -> Choose:
    """The order of a selector of this library; as many features as it orders."""
    return lambda X, y: feature_order(make().fit(X, y)).top(max(SIZES))


def by_score(score: Callable[[FloatArray, Any], FloatArray]) -> Choose:
    """The order of a score function, largest first; ties by column, undefined scores last."""
    return lambda X, y: np.argsort(-np.nan_to_num(score(X, y), nan=-np.inf), kind="stable")[: max(SIZES)]


#: what each method is asked for; the kind of supervision decides what it gets to see
METHODS: dict[str, dict[str, Choose]] = {
    "with labels": {
        "`FisherScore`": ours(es.FisherScore),
        "`HSICScore`": ours(es.HSICScore),
        "`TraceRatio`": ours(es.TraceRatio),
        "`ReliefF`": ours(es.ReliefF),
        "`SPEC` φ1, class labels": ours(lambda: es.SPEC(ranking="phi1", similarity="class_labels")),
        "`SPEC` φ3, class labels": ours(lambda: es.SPEC(ranking="phi3", similarity="class_labels")),
        '`MRSF(target="lda")`': ours(lambda: es.MRSF(max(SIZES), target="lda")),
        "f_classif": by_score(lambda X, y: f_classif(X, y)[0]),
        "mutual information": by_score(lambda X, y: Information(three_levels(X)).with_all(y)),
        "mRMR": lambda X, y: mrmr(X, y, max(SIZES)),
    },
    "without labels": {
        "`LaplacianScore`": ours(es.LaplacianScore),
        "`SPEC` φ1": ours(lambda: es.SPEC(ranking="phi1")),
        "`SPEC` φ2, r³": ours(lambda: es.SPEC(ranking="phi2", spectral_function=3)),
        "`SPEC` φ2, heat": ours(lambda: es.SPEC(ranking="phi2", spectral_function="heat")),
        "`SPEC` φ3": ours(lambda: es.SPEC(ranking="phi3")),
        "`MultiscaleSPEC`": ours(es.MultiscaleSPEC),
        "`MoranI`": ours(es.MoranI),
        "`IteratedSPEC`": ours(lambda: es.IteratedSPEC(max(SIZES))),
        "`EVSC`, 10 eigenvalues": ours(lambda: es.EVSC(n_eigenvalues=10)),
        '`MRSF(similarity="knn")`': ours(lambda: es.MRSF(max(SIZES), similarity="knn")),
    },
    "few labels": {
        "`SSelect`": ours(es.SSelect),
        "`FisherScore`, labelled samples": lambda X, y: labelled_only(ours(es.FisherScore), X, y),
        "`LaplacianScore`, all samples": ours(es.LaplacianScore),
    },
}
RANDOM = "random features"


def labelled_only(choose: Choose, X: FloatArray, y: NDArray[Any]) -> IndexArray:
    """The order of a method that sees the labelled samples only."""
    known = y >= 0
    return choose(X[known], y[known])


@cache
def table(file: str) -> tuple[FloatArray, IndexArray]:
    """Samples and class numbers, cut to `MOST_SAMPLES`, constant features left out."""
    X, y = _cells(file) if file.endswith(".h5ad") else _source(file) if file.startswith("ms_") else load(file)
    X, y = (X.toarray() if sparse.issparse(X) else X), np.unique(y, return_inverse=True)[1]
    if len(X) > MOST_SAMPLES:
        X, _, y, _ = train_test_split(X, y, train_size=MOST_SAMPLES, stratify=y, random_state=0)
    return X[:, X.max(axis=0) > X.min(axis=0)], y


def _source(file: str) -> tuple[FloatArray, NDArray[Any]]:
    """The first kind of measurement of a set that has several."""
    with np.load(DATA / file) as content:
        key = "X_pix" if "mfeat" in file else "X_mrna"
        return content[key].astype(np.float64), content["y"]


def _cells(file: str) -> tuple[Any, NDArray[Any]]:
    """Log-normalised counts and the kinds of cells."""
    import anndata

    cells = anndata.read_h5ad(DATA / file)
    return cells.raw.X.astype(np.float64), np.asarray(cells.obs["bulk_labels"].astype(str))


def shown_labels(kind: str, y: IndexArray, rng: np.random.Generator) -> IndexArray | None:
    """What a method gets to see of the training labels: all, none, or one in ten and at least two of each class."""
    if kind != "few labels":
        return y if kind == "with labels" else None
    shown = np.full(y.size, -1)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        shown[rng.choice(members, min(members.size, max(2, round(members.size / 10))), replace=False)] = label
    return shown


def accuracies(order: IndexArray, X: FloatArray, y: IndexArray, train: IndexArray, test: IndexArray) -> FloatArray:
    """Of each classifier with each number of features, or with all that a method orders where these are fewer."""
    subsets = [order[:size] for size in SIZES]
    return np.ravel([subset_accuracies(subsets, X, y, train, test, classifier=model) for model in CLASSIFIERS.values()])


def trial(file: str, seed: int) -> dict[str, Any]:
    """Mean accuracies over the folds, for every method of every kind and for random features."""
    X, y = table(file)
    return {"shape": X.shape, "classes": int(y.max()) + 1, "means": means_over_folds(X, y, seed)}


def means_over_folds(X: FloatArray, y: IndexArray, seed: int) -> dict[str, dict[str, list[float]]]:
    """Mean accuracy of each classifier and size, by kind of supervision and method."""
    rng = np.random.default_rng(seed)
    totals: dict[str, dict[str, FloatArray]] = {kind: {} for kind in (*METHODS, RANDOM)}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y):
        deviation = X[train].std(axis=0)
        seen = X[train] / np.where(deviation > 0, deviation, 1.0)
        for kind, methods in METHODS.items():
            labels = shown_labels(kind, y[train], rng)
            for name, choose in methods.items():
                found = accuracies(_quietly(choose, seen, labels), X, y, train, test)
                totals[kind][name] = totals[kind].get(name, 0.0) + found / FOLDS
        draws = [rng.choice(X.shape[1], min(max(SIZES), X.shape[1]), replace=False) for _ in range(DRAWS)]
        chance = np.mean([accuracies(order, X, y, train, test) for order in draws], axis=0)
        totals[RANDOM][RANDOM] = totals[RANDOM].get(RANDOM, 0.0) + chance / FOLDS
    return {kind: {name: found.tolist() for name, found in methods.items()} for kind, methods in totals.items()}


def _quietly(choose: Choose, X: FloatArray, y: Any) -> IndexArray:
    """Without warnings of outlying samples, small classes, and features that are constant in a fold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return choose(X, y)

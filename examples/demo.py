"""Rank the features of a real data set without its labels, then see whether the labels agree, and how surely.

The breast cancer data of scikit-learn: 569 tumours, 30 measurements of their cell nuclei. No network is needed. The
last line names a page with tables and pictures.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.cli.text import aligned, bar
from eigenselect.reporting.significance import probability_text

KEEP = 8
PAGE = Path("build/demo.html")


def main() -> None:
    """Print the ranking and a check of it."""
    data = load_breast_cancer()
    X = StandardScaler().fit_transform(data.data)
    selector = es.LaplacianScore(KEEP).fit(X)
    order = np.argsort(selector.ranking_)

    print(f"\n{data.data.shape[0]} tumours, {data.data.shape[1]} measurements of their cell nuclei; no labels used.")
    print(f"The {KEEP} measurements that follow the structure of the samples best, and the last {KEEP // 4}:\n")
    rows = [_row(selector, data.feature_names, j) for j in order[:KEEP]]
    rows += [["…", "", "", ""]] + [_row(selector, data.feature_names, j) for j in order[-(KEEP // 4) :]]
    print(aligned(["rank", "feature", "score", ""], rows, right=(0, 2)))

    print("\nDo they tell benign from malignant? 1-nearest-neighbour accuracy, 5-fold cross-validation:\n")
    chosen = [("all 30 features", order), (f"the best {KEEP}", order[:KEEP]), (f"the last {KEEP}", order[-KEEP:])]
    checked = [[name, f"{_accuracy(X[:, columns], data.target):.3f}"] for name, columns in chosen]
    print(aligned(["1-NN on", "accuracy"], checked, right=(1,)))

    tested = es.FisherScore("fdr", significance=True).fit(data.data, data.target)
    by_label = np.argsort(tested.ranking_)
    print("\nWhich differ between benign and malignant by more than chance? Pathologists made the diagnosis, not a")
    print("clustering of these measurements, so p-values mean something; q is the false discovery rate:\n")
    rows = [_evidence(tested, data.feature_names, j) for j in by_label[:2]]
    rows += [["…", "", "", ""]] + [_evidence(tested, data.feature_names, j) for j in by_label[-6:]]
    print(aligned(["rank", "feature", "p", "q"], rows, right=(0, 2, 3)))
    print(f"\n{tested.n_features_} of {len(by_label)} measurements have q ≤ 0.05.")

    PAGE.parent.mkdir(exist_ok=True)
    title = "Breast cancer, 30 measurements"
    page = es.report(selector, X, data.target_names[data.target], feature_names=data.feature_names, title=title)
    page.save(PAGE)
    print("\nYour own table: eigenselect rank YOUR.csv --label COLUMN -k 10 --report page.html")
    print(f"The first ranking as a page, open it in a browser: {PAGE.resolve()}")


def _row(selector: es.LaplacianScore, names: np.ndarray, j: int) -> list[str]:
    score = float(selector.scores_[j])
    return [str(selector.ranking_[j]), str(names[j]), f"{score:.3f}", bar(score, 1.0, width=30)]


def _evidence(selector: es.FisherScore, names: np.ndarray, j: int) -> list[str]:
    values = (probability_text(float(values[j])) for values in (selector.pvalues_, selector.qvalues_))
    return [str(selector.ranking_[j]), str(names[j]), *values]


def _accuracy(X: np.ndarray, y: np.ndarray) -> float:
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return float(cross_val_score(KNeighborsClassifier(1), X, y, cv=folds).mean())


if __name__ == "__main__":
    main()

"""One cross-validation of one set of msfs.py: all rows of Tables 5.4 and 5.5 and the points of Figure 5.5c."""

from __future__ import annotations

import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from msfs_data import Study, study_of
from numpy.typing import NDArray
from path_spca import path_spca
from published_msfs import EXPERT, SIZES
from scipy.spatial.distance import cdist
from sklearn.model_selection import StratifiedKFold

from eigenselect import KOGS, MSFS, SPEC, FisherScore, LaplacianScore, ReliefF
from eigenselect.multisource import SampleSimilarity, aggregate_rankings

FloatArray = NDArray[np.float64]
Order = NDArray[np.intp]
Orders = dict[str, Order]

MOST = max(SIZES)
DRAWS = 5  # of random features, in every fold
EQUAL = "combined, equal weights"
LEARNED = {name: f"combined, {name} (labels)" for name in ("discriminant", "alignment")}
BORDA, RRA = "KOGS, Borda", "KOGS, RRA"
LAPLACIAN, SPCA = "Laplacian score", "SPCA"
FISHER, RELIEFF = "Fisher score (labels)", "ReliefF (labels)"
LABELLED = (*LEARNED.values(), FISHER, RELIEFF)
RANDOM = f"random, mean of {DRAWS} draws"
ROLES = ("mRNA", "miRNA", "function", "pathway", "GO")  # of the experts' weights
MIXED = ("miRNA", "function")  # of Figure 5.5c
SHARES = tuple(round(0.1 * tenth, 1) for tenth in range(11))


def mixture(share: float) -> str:
    """The row of a point of Figure 5.5c."""
    return f"{share:.1f} miRNA + {1 - share:.1f} function"


def expert_weights(names: list[str]) -> dict[str, FloatArray]:
    """The experts' weights of the sources that are there, scaled to sum 1; none where fewer than two are left."""
    found = {}
    for row, shares in EXPERT.items():
        by_role = dict(zip(ROLES, shares, strict=True))
        weights = np.array([by_role.get(name, 0.0) for name in names])
        if (weights > 0).sum() > 1:
            found[row] = weights / weights.sum()
    return found


def mixed_weights(names: list[str]) -> dict[str, FloatArray]:
    """The weights of Figure 5.5c, where both sources are there."""
    if not set(MIXED) <= set(names):
        return {}
    parts = [np.array([float(name == source) for name in names]) for source in MIXED]
    return {mixture(share): share * parts[0] + (1 - share) * parts[1] for share in SHARES}


def nearest_agree(S: FloatArray, y: NDArray[Any]) -> float:
    """Share of samples whose most similar other sample is of their class."""
    S = S.copy()
    np.fill_diagonal(S, -np.inf)
    return float(np.mean(y[S.argmax(axis=1)] == y))


def one_sample_share(X: FloatArray) -> float:
    """How much of a gene's variance the most deviating of the z-scored samples makes; median of the genes."""
    return float(np.median((X**2).max(axis=0) / len(X)))


def top(ranking: NDArray[Any]) -> Order:
    """The best features of a ranking (1 is best)."""
    return np.argsort(ranking, kind="stable")[:MOST]


@dataclass
class Sources:
    """What the sources say of the training samples, and rankings of the target's features on mixtures of them."""

    study: Study
    tables: dict[str, pd.DataFrame]  # of the training samples

    def __post_init__(self) -> None:
        table, sources = self.tables[self.study.target], self.study.sources(self.tables)
        self.X = table.to_numpy()  # probes of one gene: no data frame takes them twice
        names = {"sample_names": table.index, "feature_names": table.columns}
        self.equal = MSFS(sources=sources).fit(self.X, **names)
        rankers = [(name, source, SPEC(similarity="rbf")) for name, source in sources]
        self.kogs = KOGS(rankers=rankers).fit(self.X, **names)
        self.similarities = {name: graph.to_array() for name, graph in self.equal.similarities_.items()}
        self.known = [(name, SampleSimilarity(S)) for name, S in self.similarities.items()]

    def weighted(self, weights: Any, y: NDArray[Any] | None = None) -> MSFS:
        """MSFS with other weights, given or learned, on the similarities that are there."""
        return MSFS(sources=self.known, weights=weights).fit(self.X, y)

    def unsupervised(self, raw: FloatArray) -> Orders:
        """The rows that see no labels; ``raw`` is the target before z-scores."""
        found = {name: top(ranking) for name, ranking in self.equal.source_rankings(self.X).items()}
        found[EQUAL] = top(self.equal.ranking_)
        for row, weights in (expert_weights(self.study.source_names) | mixed_weights(self.study.source_names)).items():
            found[row] = top(self.weighted(weights).ranking_)
        found[BORDA] = top(self.kogs.ranking_)
        found[RRA] = top(aggregate_rankings(self.kogs.rankings_, "rra").ranking)
        found[LAPLACIAN] = top(LaplacianScore().fit(self.X).ranking_)
        found[SPCA] = path_spca(raw, MOST)
        return found

    def supervised(self, y: NDArray[Any]) -> tuple[Orders, dict[str, list[float]]]:
        """The rows that see labels, and the weights that were learned."""
        learned = {row: self.weighted(kind, y) for kind, row in LEARNED.items()}
        found = {row: top(selector.ranking_) for row, selector in learned.items()}
        found |= {row: top(one.fit(self.X, y).ranking_) for row, one in ((FISHER, FisherScore()), (RELIEFF, ReliefF()))}
        return found, {row: selector.weights_.tolist() for row, selector in learned.items()}


@dataclass
class Tally:
    """What is added up over the folds of one trial."""

    labels: dict[str, NDArray[Any]]
    ties: np.random.Generator
    right: dict[tuple[str, str, str], FloatArray] = field(
        default_factory=lambda: defaultdict(lambda: np.zeros(len(SIZES)))
    )
    hits: dict[tuple[str, str, str], list[list[int]]] = field(default_factory=lambda: defaultdict(list))
    one_sample: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, row: str, learned: str, X: FloatArray, order: Order, fold: tuple[Order, Order], study: Study) -> None:
        """Test the features of one row, for every number of them and every class definition.

        Of equally near training samples any may be taken: files are sorted by class, so the first would favour one.
        """
        train, test = self.ties.permutation(fold[0]), fold[1]
        for place, size in enumerate(SIZES):
            part = X[:, order[:size]]
            nearest = train[cdist(part[test], part[train]).argmin(axis=1)]
            for tested, y in self.labels.items():
                self.right[row, learned, tested][place] += float((y[nearest] == y[test]).sum())
        self.one_sample[row, learned].append(one_sample_share(X[np.ix_(train, order)]))
        for name, listed in study.cancer.items():
            self.hits[row, learned, name].append([int(listed[order[:size]].sum()) for size in SIZES])

    def records(self, study: Study) -> list[dict[str, Any]]:
        """By row and by the labels that it learned from: accuracies, hits, share in one sample."""
        found = []
        for (row, learned), shares in self.one_sample.items():
            tests = study.y.size * (DRAWS if row == RANDOM else 1)
            right = {tested: (self.right[row, learned, tested] / tests).tolist() for tested in self.labels}
            hits = {name: np.mean(self.hits[row, learned, name], axis=0).tolist() for name in study.cancer}
            record = {"row": row, "learned": learned, "accuracy": right, "hits": hits}
            found.append(record | {"one_sample": float(np.mean(shares))})
        return found


def trial(study: str, seed: int) -> dict[str, Any]:
    """One cross-validation of a study."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # small classes, constant columns: see the choices
        return one_trial(study_of(study), seed)


def one_trial(study: Study, seed: int) -> dict[str, Any]:
    """All rows of a study; what it returns is the mean over the folds, or one value for each fold."""
    labels, rng = study.labels(seed), np.random.default_rng(seed)
    tally, others = Tally(labels, np.random.default_rng([seed, 1])), defaultdict(list)
    for fold in StratifiedKFold(study.n_folds, shuffle=True, random_state=seed).split(study.y, study.y):
        train, test = fold
        tables = study.standardised(train)
        X = tables[study.target].to_numpy()
        sources = Sources(study, {name: table.iloc[train] for name, table in tables.items()})
        for row, order in sources.unsupervised(study.tables[study.target].to_numpy()[train]).items():
            tally.add(row, "", X, order, fold, study)
        for definition, y in labels.items():
            orders, weights = sources.supervised(y[train])
            for row, order in orders.items():
                tally.add(row, definition, X, order, fold, study)
            for row, found in weights.items():
                others[f"weights, {definition}, {row}"].append(found)
            for name, S in {**sources.similarities, EQUAL: sources.equal.graph_.to_array()}.items():
                others[f"neighbours, {definition}, {name}"].append(nearest_agree(S, y[train]))
            nearest = train[cdist(X[test], X[train]).argmin(axis=1)]
            others[f"everything, {definition}"].append(float((y[nearest] == y[test]).sum()) / y.size)
        for _ in range(DRAWS):
            tally.add(RANDOM, "", X, rng.permutation(X.shape[1])[:MOST], fold, study)
    notes = sorted({note for notes in sources.equal.notes_.values() for note in notes})
    return {"records": tally.records(study), "folds": dict(others), "notes": notes}

"""What this library does in each case; every function runs in a child process and returns its `Work`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from data import NEIGHBORS, Spatial, Table, annotated_genes
from measure import Work, python_process

#: columns of a warm-up: few, but enough work for the compiled loops to be chosen
WARM_UP_COLUMNS = 2000
#: columns of the table of stability selection
STABILITY_COLUMNS = 10_000


def _in_format(X: Any, layout: str) -> Any:
    """X as it is for ``"dense"``, else as a sparse matrix of that layout."""
    return X if layout == "dense" else sparse.csc_array(X).asformat(layout)


def spec_fit(table: Table, ranking: str, exponent: int = 1, n_clusters: int | None = None) -> Work:
    """A whole `SPEC.fit` with the graph given: checks of X and S, eigenpairs of φ3, scores, ranking."""
    from eigenselect import SPEC

    X, S = table.X(), table.S()

    def fit(X: Any) -> Any:
        selector = SPEC(ranking=ranking, spectral_function=exponent, n_clusters=n_clusters)
        return selector.fit(X, similarity_matrix=S).native_scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, :WARM_UP_COLUMNS]))


def spec_scoring(table: Table, ranking: str, exponent: int = 1, layout: str = "dense") -> Work:
    """Only the scores, on a graph that is ready."""
    from eigenselect.criteria.criterion import phi
    from eigenselect.graph import SampleGraph
    from eigenselect.spectral import Power

    X, graph = _in_format(table.X(), layout), SampleGraph(table.S())

    def score(X: Any) -> Any:
        return phi(ranking, graph, Power(exponent)).scores(X).native

    return Work(lambda: score(X), warm_up=lambda: score(X[:, :WARM_UP_COLUMNS]))


def spec_class_labels(table: Table) -> Work:
    """φ1 on the class-label graph, which is built within the call, as the peer does."""
    from eigenselect import SPEC

    X, y = table.X(), table.y()

    def fit() -> Any:
        return SPEC(ranking="phi1", similarity="class_labels").fit(X, y).native_scores_

    return Work(fit, warm_up=fit)


def laplacian_score_fit(table: Table) -> Work:
    """Laplacian score on a given graph."""
    from eigenselect import LaplacianScore

    X, S = table.X(), table.S()

    def fit(X: Any) -> Any:
        return LaplacianScore().fit(X, similarity_matrix=S).native_scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, :WARM_UP_COLUMNS]))


def stability_fit(table: Table, *, shared: bool) -> Work:
    """Stability selection with 20 pairs; distances computed once for all halves, or, as it was, in each."""
    from unittest.mock import patch

    from eigenselect import LaplacianScore, StabilitySelector

    X = table.X()[:, :STABILITY_COLUMNS]
    place = "eigenselect.selectors.stability_selector.shared_pairs"

    def fit(n_pairs: int = 20) -> Any:
        with contextlib.nullcontext() if shared else patch(place, lambda *_: None):
            return StabilitySelector(LaplacianScore(50), n_pairs=n_pairs).fit(X).frequencies_

    return Work(fit, warm_up=lambda: fit(3))


def knn_graph(table: Table) -> Work:
    """The neighbour graph alone."""
    from eigenselect.similarity import KNN

    X = table.X()
    return Work(lambda: KNN(NEIGHBORS).build(X), warm_up=lambda: KNN(NEIGHBORS).build(X[:, :WARM_UP_COLUMNS]))


def mapped_fit(path: Path, shape: tuple[int, int]) -> Work:
    """Graph and scores of a memory map: anonymous memory beyond the graph's own arrays."""
    from eigenselect import LaplacianScore

    X = np.memmap(path, dtype=np.float32, mode="r", shape=shape)

    def fit(X: Any) -> Any:
        return LaplacianScore(10).fit(X)

    def graph_bytes(selector: Any) -> int:
        S = selector.graph_.affinity
        return int(S.data.nbytes + S.indices.nbytes + S.indptr.nbytes)

    few = np.random.default_rng(4).standard_normal((shape[0], WARM_UP_COLUMNS), dtype=np.float32)
    return Work(lambda: fit(X), warm_up=lambda: fit(few), sampled=True, discount=graph_bytes)


def sparse_fit(table: Table, layout: str) -> Work:
    """Graph and scores of a sparse table: anonymous memory beyond the table itself."""
    from eigenselect import LaplacianScore

    X = _in_format(table.X(), layout)

    def fit(X: Any) -> Any:
        return LaplacianScore(10).fit(X).native_scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, :WARM_UP_COLUMNS]), sampled=True)


def relieff_fit(table: Table, difference: str, layout: str = "dense") -> Work:
    """A whole `ReliefF.fit`, neighbours included."""
    from eigenselect import ReliefF

    X, y = _in_format(table.X(), layout), table.y()
    return _supervised(lambda: ReliefF(n_neighbors=NEIGHBORS, difference=difference), X, y)


def fisher_fit(table: Table, layout: str = "dense") -> Work:
    """A whole `FisherScore.fit`."""
    from eigenselect import FisherScore

    return _supervised(FisherScore, _in_format(table.X(), layout), table.y())


def trace_ratio_fit(table: Table, level: str, n_features: int = 100) -> Work:
    """A whole `TraceRatio.fit` with the Fisher pair."""
    from eigenselect import TraceRatio

    X, y = table.X(), table.y()
    return Work(
        lambda: TraceRatio(n_features, level=level, scale=None).fit(X, y),
        warm_up=lambda: TraceRatio(5, scale=None).fit(X, y),
    )


def _supervised(make: Any, X: Any, y: Any) -> Work:
    def fit() -> Any:
        return make().fit(X, y).native_scores_

    return Work(fit, warm_up=fit)


def evsc_fit(table: Table) -> Work:
    """A whole `EVSC.fit` with all eigenvalues: graph, eigensystem, slopes."""
    from eigenselect import EVSC

    X = table.X()

    def fit(X: Any) -> Any:
        return EVSC(10).fit(X).native_scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, :WARM_UP_COLUMNS]))


def _two_classes(name: str, shape: tuple[int, int]) -> tuple[Any, Any, Any]:
    """Return a selector, a table of two clusters, and the clusters as labels."""
    import eigenselect as es
    from data import clusters

    X, y = clusters(np.random.default_rng(0), *shape)
    return getattr(es, name)(20), X, y % 2


def evaluated_fit(name: str, shape: tuple[int, int]) -> Work:
    """A whole fit of a selector, which an evaluation makes again several times."""
    selector, X, y = _two_classes(name, shape)
    return Work(lambda: selector.fit(X, y).scores_, warm_up=lambda: selector.fit(X, y))


def evaluation(name: str, shape: tuple[int, int]) -> Work:
    """Held-out accuracy, stability and band of a report."""
    from eigenselect.reporting import Fitted, add_evaluation, summarise

    selector, X, y = _two_classes(name, shape)
    fitted = Fitted(selector.fit(X, y), X, y, [f"x{j}" for j in range(X.shape[1])])
    summary = summarise(fitted, kept=20)
    return Work(lambda: add_evaluation(summary, fitted), warm_up=lambda: add_evaluation(summary, fitted))


def command(*words: str) -> Work:
    """The command in a process of its own, imports and all."""
    return python_process("-m", "eigenselect", *words)


def warm_command(*words: str) -> Work:
    """The command in this process, where its libraries are loaded; what it prints goes nowhere."""
    from eigenselect.cli.main import run

    def call() -> None:
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            if run(list(words)):
                raise RuntimeError(f"eigenselect {' '.join(words)} failed")

    return Work(call, warm_up=call)


def read_csv(path: Path, *, arrow: bool = True) -> Work:
    """A whole csv as a table that is checked; as if Arrow were not installed, if so asked."""
    import sys

    from eigenselect.io.readers import read_table

    if not arrow:
        sys.modules["pyarrow"] = None  # type: ignore[assignment]

    def call() -> Any:
        return read_table(str(path)).X[-1]

    return Work(call, warm_up=call)


def partly_labelled_fit(table: Table, selector: str, *, given_graph: bool, n_labels: int = 10) -> Work:
    """`SSelect` with a few labels, or `LaplacianScore` with none, on the same table; the graph given or built."""
    import eigenselect

    X, truth = table.X(), table.y()
    labels = np.full(truth.size, -1)
    known = np.concatenate([np.flatnonzero(truth == c)[: n_labels // 2] for c in np.unique(truth)])
    labels[known] = truth[known]
    S = table.S() if given_graph else None

    def fit(X: Any) -> Any:
        return getattr(eigenselect, selector)(10).fit(X, labels, similarity_matrix=S).native_scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, :WARM_UP_COLUMNS]))


def feature_similarity() -> Work:
    """Distances between samples under the covariance that shared annotations imply, by products alone."""
    from eigenselect.matrix import as_matrix
    from eigenselect.multisource import FeatureSimilarity
    from eigenselect.multisource.target import Target

    X, terms = annotated_genes()

    def distances(columns: int | None = None) -> Any:
        source = FeatureSimilarity(terms[:columns], annotation=True)
        part = X[:, :columns]
        return source.squared_distances(Target.of(as_matrix(part), None, "benchmark"))[0].ravel()

    return Work(distances, warm_up=lambda: distances(100))


def msfs_fit(*, together: bool) -> Work:
    """MSFS on five sources at once, or on each of them alone, one after the other."""
    from eigenselect import MSFS
    from eigenselect.multisource import AuxiliaryData, FeatureSet, FeatureSimilarity, SampleCategories, TargetData

    X, terms = annotated_genes()
    rng = np.random.default_rng(6)
    sources = [
        ("target", TargetData("rbf")),
        ("auxiliary", AuxiliaryData(rng.normal(size=(len(X), 2000)), "rbf")),
        ("terms", FeatureSimilarity(terms, similarity="rbf", annotation=True)),
        ("set", FeatureSet(range(200), "rbf")),
        ("categories", SampleCategories(np.arange(len(X)) % 10)),
    ]

    def fit() -> None:
        for part in [sources] if together else [[source] for source in sources]:
            MSFS(10, sources=part).fit(X)

    return Work(fit, warm_up=fit)


def l21_path_to(table: Table, target: str, n_features: int = 100) -> Work:
    """The path to exactly so many features, on centred features and given outputs."""
    from eigenselect.multivariate import l21_path

    X, Y = regression_problem(table, target)

    def follow(count: int = n_features) -> Any:
        return l21_path(X, Y, count, keep="last")

    return Work(follow, warm_up=lambda: follow(5))


def l21_path_growing(n_features: int) -> Work:
    """The path to 50 features of a table of 100 samples, for its growth with the number of features."""
    from data import clusters
    from eigenselect.multivariate import l21_path
    from eigenselect.multivariate.targets import discriminant_outputs

    X, y = clusters(np.random.default_rng(7), 100, n_features)
    Y = discriminant_outputs(y)
    return Work(lambda: l21_path(X, Y, 50, center=True, keep="last"), warm_up=lambda: l21_path(X[:, :500], Y, 5))


def regression_problem(table: Table, target: str) -> tuple[Any, Any]:
    """Centred features, and the outputs of LDA or of the RBF similarity."""
    from eigenselect.multivariate.targets import discriminant_outputs, root_of
    from eigenselect.similarity import RBF

    X, y = table.X(), table.y()
    Y = discriminant_outputs(y) if target == "lda" else root_of(RBF().build(X).to_array(), None, None)
    return X - X.mean(axis=0), Y - Y.mean(axis=0)


def significance(data: Spatial, name: str) -> Work:
    """What analytic p-values add to the scores: scalars of the graph, power sums of the features, tails.

    The columns of X are at hand, as they are in a fit, which made them for the scores.
    """
    import eigenselect
    from eigenselect.inference.permutation import permutation_test
    from eigenselect.matrix import as_matrix

    X, S = data.X(), data.S()
    selector = getattr(eigenselect, name)().fit(X, similarity_matrix=S)
    criterion, table, native = selector.criterion_, as_matrix(sparse.csc_array(X)), selector.native_scores_

    def test(n_features: int) -> Any:
        part = table if n_features == table.n_features else table.take_columns(np.arange(n_features))
        return permutation_test(criterion.null_ratio(), part, native[:n_features]).pvalues

    return Work(lambda: test(table.n_features), warm_up=lambda: test(table.n_features // 5))


def graph_fit(data: Spatial, name: str) -> Work:
    """The scores alone, on the same graph."""
    import eigenselect

    X, S = data.X(), data.S()

    def fit(X: Any) -> Any:
        return getattr(eigenselect, name)().fit(X, similarity_matrix=S).native_scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, : X.shape[1] // 5]))


def tested_fit(data: Spatial, name: str) -> Work:
    """A whole fit with p-values, on a given graph: what a verb is measured against."""
    import eigenselect

    X, S = data.X(), data.S()

    def fit(X: Any) -> Any:
        return getattr(eigenselect, name)(significance="given").fit(X, similarity_matrix=S).scores_

    return Work(lambda: fit(X), warm_up=lambda: fit(X[:, : X.shape[1] // 5]))


def spectral_features(data: Spatial) -> Work:
    """The verb that chooses genes, from the AnnData to the columns that it writes."""
    import eigenselect

    def score(adata: Any) -> Any:
        eigenselect.pp.spectral_features(adata, obsp="spatial_connectivities")
        return adata.var["spectral_score"].to_numpy()

    return _on_annotated(data, score)


def spatial_autocorr(data: Spatial) -> Work:
    """Moran's I of squidpy's arguments with its p-values, from the AnnData to the table that it writes."""
    import eigenselect

    def score(adata: Any) -> Any:
        eigenselect.gr.spatial_autocorr(adata, transformation=False)  # on the graph that the selector has, too
        return adata.uns["moranI"].loc[adata.var_names, "I"].to_numpy()

    return _on_annotated(data, score)


def _on_annotated(data: Spatial, score: Callable[[Any], Any]) -> Work:
    """Call a verb on an AnnData of the counts and their graph, after one on a fifth of the genes."""
    import anndata

    def table(X: Any) -> Any:
        adata = anndata.AnnData(X, obsp={"spatial_connectivities": data.S()})
        adata.obs_names = [f"cell{i}" for i in range(adata.n_obs)]
        return adata

    X = data.X()
    whole, part = table(X), table(X[:, : X.shape[1] // 5])
    return Work(lambda: score(whole), warm_up=lambda: score(part))

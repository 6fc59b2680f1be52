"""Every public number has the same bits on any number of BLAS threads and of ours.

Run as a program, this file prints a digest of each result. The tests run it in fresh processes, because BLAS reads its
number of threads when it is loaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse

#: samples, more than are needed for BLAS to use its threads, and for γ to be a Chebyshev series
N = 420
CLASSES = np.arange(N) % 5
SOME_CLASSES = np.where(np.arange(N) % 3 == 0, CLASSES, -1)


class Tables:
    """Tables made without BLAS, whose products would depend on its threads before we begin."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.wide = rng.normal(size=(N, 900)) + (rng.random((5, 900)) < 0.1)[CLASSES]
        self.few = self.wide[:250]
        self.tall = self.few[:, :60].copy()
        self.counts = sparse.csr_array(rng.poisson(0.2, size=(250, 700)) * rng.gamma(2.0, size=(250, 700)))
        self.many = sparse.csr_array(rng.poisson(0.1, size=(N, 6000)) * rng.gamma(2.0, size=(N, 6000)))
        self.numbers = self.wide[:, 0] + 0.1 * self.wide[:, 1]
        self.links = self.symmetric(rng, 900)
        self.graphs = self.symmetric(rng, N), self.symmetric(rng, N)
        self.lists = [rng.permutation(1200) + 1.0 for _ in range(3)]
        noise = rng.normal(size=(2, N, 200))
        self.sources = (CLASSES % 2)[:, None] + noise[0], (CLASSES // 2)[:, None] + noise[1]

    @staticmethod
    def symmetric(rng, size):
        S = rng.random((size, size))
        return S + S.T


def fitted(selector, X, y=None, names=("scores_",)):
    """A function that fits and returns these attributes."""

    def arrays():
        selector.fit(X, y)
        return [getattr(selector, name) for name in names]

    return arrays


def of_mrsf(tables, n_jobs):
    import eigenselect as es

    names, labels = ("scores_", "coef_", "alphas_", "path_"), CLASSES[:250]
    for target in ("similarity", "lda", "svm", "pca"):
        for kind in ("few", "tall", "counts"):
            selector = es.MRSF(6, target=target, n_jobs=n_jobs)
            yield f"MRSF {target} {kind}", fitted(selector, getattr(tables, kind), labels, names)
    uncentred = es.MRSF(6, target="pca", center=False, n_jobs=n_jobs)
    yield "MRSF uncentred pca", fitted(uncentred, tables.few, None, names)
    yield "MRSF diffusion", fitted(es.MRSF(6, similarity="diffusion", n_jobs=n_jobs), tables.few, None, names)


def of_spectral(tables, n_jobs):
    import eigenselect as es

    for similarity in ("rbf", "knn", "diffusion", "geodesic"):
        for ranking in ("phi1", "phi2", "phi3"):
            selector = es.SPEC(ranking=ranking, similarity=similarity, n_jobs=n_jobs)
            yield f"SPEC {similarity} {ranking}", fitted(selector, tables.wide)
        smooth = es.SPEC(similarity=similarity, spectral_function=np.exp, n_jobs=n_jobs)
        yield f"SPEC {similarity} exp", fitted(smooth, tables.wide)
    yield "SPEC sparse phi3", fitted(es.SPEC(ranking="phi3", n_clusters=90, n_jobs=n_jobs), tables.many)
    yield "SPEC exact", fitted(es.SPEC(spectral_function=np.exp, similarity="rbf", n_jobs=n_jobs), tables.few)
    yield "EVSC all", fitted(es.EVSC(n_jobs=n_jobs), tables.tall)
    yield "EVSC leading", fitted(es.EVSC(n_eigenvalues=6, n_jobs=n_jobs), tables.wide)


def of_supervised(tables, n_jobs):
    import eigenselect as es

    X = tables.wide
    for kernel in ("linear", "rbf"):
        yield f"HSICScore {kernel}", fitted(es.HSICScore(target_kernel=kernel, n_jobs=n_jobs), X, tables.numbers)
    yield "HSICScore labels", fitted(es.HSICScore(n_jobs=n_jobs), X, CLASSES)
    yield "FisherScore", fitted(es.FisherScore(n_jobs=n_jobs), X, CLASSES)
    yield "FisherScore sparse", fitted(es.FisherScore(n_jobs=n_jobs), tables.many, CLASSES)
    yield "ReliefF", fitted(es.ReliefF(n_jobs=n_jobs), X, CLASSES)
    yield "RReliefF", fitted(es.ReliefF(n_jobs=n_jobs), X, tables.numbers)
    for graphs, y in (("fisher", CLASSES), ("laplacian", None), ("semi-supervised", SOME_CLASSES)):
        yield f"TraceRatio {graphs}", fitted(es.TraceRatio(5, graphs=graphs, n_jobs=n_jobs), X, y)
    yield "SSelect", fitted(es.SSelect(regularization="auto", n_jobs=n_jobs), X, SOME_CLASSES)


def of_sources(tables, n_jobs):
    import eigenselect as es
    from eigenselect import multisource as ms

    sources = [
        ("neighbours", ms.AuxiliaryData(tables.sources[0], similarity="knn")),
        ("distances", ms.AuxiliaryData(tables.sources[1], similarity="rbf")),
        ("links", ms.FeatureSimilarity(tables.links, precision="laplacian")),
    ]
    names = ("scores_", "weights_")
    for rule in ("discriminant", "alignment"):
        selector = es.MSFS(sources=sources, weights=rule, n_jobs=n_jobs)
        yield f"MSFS {rule}", fitted(selector, tables.wide, CLASSES, names)
    rankers = [(source, es.LaplacianScore(n_jobs=n_jobs)) for _, source in sources] + [(None, es.FisherScore())]
    yield "KOGS", fitted(es.KOGS(5, rankers=rankers, weights="learn"), tables.wide, CLASSES, (*names, "rankings_"))
    yield "mc4", lambda: [ms.aggregate_rankings(tables.lists, "mc4").scores]
    yield "borda", lambda: [ms.aggregate_rankings(tables.lists, "borda", [0.3, 0.45, 0.25]).scores]


def of_evaluation(tables, n_jobs):
    import eigenselect as es
    from eigenselect import evaluation
    from eigenselect.sensitivity import perturbation_bound

    X = tables.wide

    def text(selector):
        made = es.report(selector.fit(X, CLASSES), X, CLASSES)
        made.summary["paper"]["command"] = ""  # names n_jobs
        return np.frombuffer(made.to_json().encode(), dtype=np.uint8)

    yield "report of labels", lambda: [text(es.FisherScore(60, n_jobs=n_jobs))]
    yield "report of a graph", lambda: [text(es.SPEC(60, ranking="phi3", similarity="rbf", n_jobs=n_jobs))]
    yield "redundancy_rate", lambda: [evaluation.redundancy_rate(X[:, :333])]
    yield "near_copies", lambda: [s.correlations for s in evaluation.near_copies(X, range(50), threshold=0.05)]
    yield "jaccard_score", lambda: [evaluation.jaccard_score(X, tables.graphs[0])]
    graphs = [es.graph.SampleGraph(S) for S in tables.graphs]
    yield "perturbation_bound", lambda: list(vars(perturbation_bound(*graphs, X)).values())


GROUPS = {
    "MRSF": of_mrsf,
    "spectral": of_spectral,
    "supervised": of_supervised,
    "sources": of_sources,
    "evaluation": of_evaluation,
}


def digest(arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def digests(group, threads):
    """Of every result of a group, computed in a process with so many threads of BLAS and of ours."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(threads)}
    call = [sys.executable, __file__, group, str(threads)]
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=True, timeout=600)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_numbers_have_the_same_bits_on_any_number_of_threads(group):
    one, several = digests(group, 1), digests(group, 2)
    assert [name for name in one if one[name] != several[name]] == []
    assert len(one) > 4


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    computed = GROUPS[sys.argv[1]](Tables(), int(sys.argv[2]))
    print(json.dumps({name: digest(compute()) for name, compute in computed}))

"""Rankings are the same, and scores agree to 1e-10, on any number of threads of BLAS and of ours.

Run as a program, this file writes the results of every method. The test runs it in fresh processes, because BLAS reads
its number of threads when it is loaded.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse

#: samples, more than are needed for BLAS to use its threads, and for γ to be a Chebyshev series
N = 420


def results(n_jobs):
    """Yield names with scores and rankings of every method, on a dense and on a sparse table."""
    import eigenselect as es
    from eigenselect import multisource as ms
    from eigenselect.criteria import METHODS

    rng = np.random.default_rng(0)
    classes = np.arange(N) % 5
    dense = rng.normal(size=(N, 900)) + (rng.random((5, 900)) < 0.1)[classes]  # without BLAS
    counts = sparse.csr_array(rng.poisson(0.2, size=(N, 1500)) * rng.gamma(2.0, size=(N, 1500)))
    noise = rng.normal(size=(2, N, 200))
    sources = [
        ("neighbours", ms.AuxiliaryData((classes % 2)[:, None] + noise[0], similarity="knn")),
        ("distances", ms.AuxiliaryData((classes // 2)[:, None] + noise[1], similarity="rbf")),
    ]
    rankers = [(source, es.LaplacianScore()) for _, source in sources] + [(None, es.FisherScore())]
    fused = {"msfs": {"sources": sources, "weights": "alignment"}, "kogs": {"rankers": rankers, "weights": "learn"}}
    extra = [
        es.SPEC(ranking="phi3", similarity="diffusion"), es.SPEC(similarity="geodesic", spectral_function=np.exp),
        es.MRSF(6, target="lda"), es.MRSF(6, target="svm"), es.MRSF(6, target="pca", center=False),
        es.TraceRatio(5, graphs="semi-supervised"), es.HSICScore(target_kernel="rbf", target="numbers"),
    ]  # fmt: skip
    selectors = [row.selector_class()(6, **row.parameters, **fused.get(row.name, {})) for row in METHODS] + extra
    for number, selector in enumerate(selectors):
        if "n_jobs" in selector.get_params():
            selector.set_params(n_jobs=n_jobs)
        X = dense if number % 2 or isinstance(selector, (es.EVSC, es.KOGS, es.MSFS)) else counts
        X = X[:, :60] if isinstance(selector, es.EVSC) else X
        selector.fit(X, classes)
        yield f"{number} {type(selector).__name__}", selector.scores_, selector.ranking_


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_threads(tmp_path):
    for threads in ("1", "2"):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads}
        call = [sys.executable, __file__, threads, tmp_path / f"{threads}.npz"]
        subprocess.run(call, env=environment, check=True, timeout=600)
    one, two = (np.load(tmp_path / f"{threads}.npz") for threads in "12")
    assert len(one) > 40
    for name in one:
        np.testing.assert_allclose(one[name], two[name], rtol=1e-10, atol=1e-12, err_msg=name)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    arrays = {}
    for name, scores, ranking in results(int(sys.argv[1])):
        arrays |= {f"{name} scores": scores, f"{name} ranking": ranking}
    np.savez(sys.argv[2], **arrays)

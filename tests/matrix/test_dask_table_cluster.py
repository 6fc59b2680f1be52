"""Tables on a real cluster of two processes: the same numbers, whatever dies, and no table on the client."""

import os
import pickle
import signal
import sys
from pathlib import Path
from weakref import WeakKeyDictionary

import dask
import dask.array as da
import numpy as np
import pytest
from scipy import sparse

from eigenselect import FisherScore, LaplacianScore
from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.inference.power_sums import power_sums
from eigenselect.matrix import DaskMatrix, dask_cluster
from eigenselect.similarity import KNN

N, M = 240, 12


@pytest.fixture
def cluster(dask_cluster):
    """The workers, as the scheduler of whatever is computed within the test."""
    with dask_cluster.as_current():
        yield dask_cluster


@pytest.fixture(scope="module")
def graph():
    rng = np.random.default_rng(3)
    i, j = np.triu_indices(N, 1)
    joined = j - i <= 3
    S = sparse.csr_array((rng.random(joined.sum()), (i[joined], j[joined])), shape=(N, N))
    return SampleGraph(S + S.T)


def made(rows, n_features, log=None):
    """Rows of a table; with a log, one process dies when it makes its second chunk."""
    if log is not None:
        note_or_die(Path(log))
    noise = np.random.default_rng(int(rows[0, 0])).normal(size=(len(rows), n_features))
    return noise + np.sin(rows / 20.0) * np.arange(n_features)


def note_or_die(log):
    """Add this process to the log of a table of six chunks; of three that are made, one process makes two."""
    me = str(os.getpid())
    has_made_one = me in log.read_text().split()
    with log.open("a") as file:
        print(me, file=file)
    if has_made_one and not died(log).exists():
        died(log).touch()
        os.kill(os.getpid(), signal.SIGKILL)


def died(log):
    """The file that is there once a process has died."""
    return log.with_suffix(".died")


def table_on_workers(step=40, **options):
    """A table that only workers make, chunk of rows by chunk of rows."""
    rows = da.arange(N, chunks=step)[:, None]
    return da.map_blocks(made, rows, M, dtype=float, chunks=(rows.chunks[0], (M,)), meta=np.empty((0, 0)), **options)


@pytest.fixture(scope="module")
def values():
    return table_on_workers().compute(scheduler="sync")


def assert_same_terms(got, expected):
    for name in ("quadratic", "spread", "mean"):
        assert np.array_equal(getattr(got, name), getattr(expected, name)), name


@pytest.mark.parametrize("exponent", [1, 3])
def test_chunks_of_rows_and_of_columns(cluster, graph, values, exponent):
    X = table_on_workers()
    expected = feature_terms(values, graph, PowerForm(exponent))
    for array in (X, X.rechunk((N, 5)), X.map_blocks(sparse.csr_array, meta=sparse.csr_array((0, 0)))):
        got = feature_terms(DaskMatrix(array), graph, PowerForm(exponent))
        for name in ("quadratic", "spread", "mean"):
            np.testing.assert_allclose(getattr(got, name), getattr(expected, name), rtol=1e-10, err_msg=name)


@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")  # Dask of 2025 said so; it is meant here
def test_bits_are_those_of_threads(cluster, graph):
    got = feature_terms(DaskMatrix(table_on_workers()), graph, PowerForm(1))
    with dask.config.set(scheduler="threads"):
        assert_same_terms(got, feature_terms(DaskMatrix(table_on_workers()), graph, PowerForm(1)))


def counted(rows, log):
    """Rows of a table of forty columns, and a line in a file for each time that some are made."""
    with open(log, "a") as file:
        print(rows[0, 0], file=file)
    return made(rows, 40)


def test_nothing_is_made_before_it_is_needed_and_no_table_comes_to_the_client(cluster, graph, tmp_path, monkeypatch):
    """One pass over six chunks to check and to score; a reduced table makes none by itself."""
    log, came = tmp_path / "log", []
    log.touch()

    def passes():
        return len(log.read_text().split()) / 6

    def weighed(*parts, **options):
        results = compute(*parts, **options)
        came.append(len(pickle.dumps(results)))
        return results

    compute = dask.base.compute
    monkeypatch.setattr(dask.base, "compute", weighed)
    rows = da.arange(N, chunks=40)[:, None]
    X = da.map_blocks(counted, rows, str(log), dtype=float, chunks=(rows.chunks[0], (40,)), meta=np.empty((0, 0)))
    selector = LaplacianScore(1)
    assert passes() == 0
    selector.fit(X, similarity_matrix=graph.affinity)
    assert passes() == 1
    power_sums(DaskMatrix(X))
    assert passes() == 2
    assert sum(came) < 0.1 * X.nbytes
    reduced = selector.transform(X)
    assert passes() == 2
    assert reduced[:40].compute().shape == (40, 1)
    assert passes() == 2 + 1 / 6


def test_labels_and_class_means(cluster, values):
    y = np.arange(N) // 60
    mine, other = (FisherScore(3, significance=True).fit(X, y) for X in (table_on_workers(), values))
    for name in ("native_scores_", "pvalues_"):
        np.testing.assert_allclose(getattr(mine, name), getattr(other, name), rtol=1e-10, err_msg=name)
    assert np.array_equal(mine.ranking_, other.ranking_)


def test_neighbours_on_components_that_are_accumulated_over_chunks(cluster, values):
    mine, other = (LaplacianScore(3, similarity=KNN(5, n_components=4)).fit(X) for X in (table_on_workers(), values))
    assert ((mine.graph_.affinity != 0) != (other.graph_.affinity != 0)).nnz == 0
    np.testing.assert_allclose(mine.native_scores_, other.native_scores_, rtol=1e-10)


def _hide_package():
    """Make the package one that cannot be imported."""
    sys.hidden = sys.modules.pop("eigenselect")
    sys.modules["eigenselect"] = None


def _show_package():
    sys.modules["eigenselect"] = sys.hidden


def test_a_cluster_without_the_package_gets_one_sentence(cluster, graph, monkeypatch):
    """Tasks are not sent: a worker that cannot read one leaves the cluster without a word."""
    monkeypatch.setattr(dask_cluster, "ASKED", WeakKeyDictionary())
    cluster.run(_hide_package)
    try:
        with pytest.raises(ImportError, match="^The Dask cluster cannot import eigenselect.*2 of 2 workers"):
            feature_terms(DaskMatrix(table_on_workers()), graph, PowerForm(1))
    finally:
        cluster.run(_show_package)


def test_a_worker_that_is_killed_in_the_middle_changes_no_bit(cluster, graph, tmp_path):
    """The process dies with a chunk made: that, the halo in it, and pieces of the graph are made again."""
    expected = feature_terms(DaskMatrix(table_on_workers()), graph, PowerForm(3))
    log = tmp_path / "log"
    log.touch()
    got = feature_terms(DaskMatrix(table_on_workers(log=str(log))), graph, PowerForm(3))
    assert died(log).exists()
    assert len(log.read_text().split()) > 6
    assert_same_terms(got, expected)

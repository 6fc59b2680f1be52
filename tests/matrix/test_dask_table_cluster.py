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

from eigenselect import SPEC, FisherScore, LaplacianScore, __version__
from eigenselect.matrix import dask_passes
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
    return S + S.T


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


def fitted(X, graph, selector=None):
    """Numbers of a fit with p-values on the graph."""
    selector = LaplacianScore(3, significance="given") if selector is None else selector
    found = selector.fit(X, similarity_matrix=graph)
    return {name: getattr(found, name) for name in ("native_scores_", "ranking_", "pvalues_") if hasattr(found, name)}


def assert_same(found, expected, rtol=1e-10):
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=rtol, err_msg=name)


def test_chunks_of_rows_and_of_columns(cluster, graph, values):
    X = table_on_workers()
    for selector in (LaplacianScore(3, significance="given"), SPEC(3, ranking="phi2", spectral_function=3)):
        expected = fitted(values, graph, selector)
        for array in (X, X.rechunk((N, 5)), X.map_blocks(sparse.csr_array, meta=sparse.csr_array((0, 0)))):
            assert_same(fitted(array, graph, selector), expected)


@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler")  # Dask of 2025 said so; it is meant here
def test_bits_are_those_of_threads(cluster, graph):
    found = fitted(table_on_workers(), graph)
    with dask.config.set(scheduler="threads"):
        assert_same(found, fitted(table_on_workers(), graph), rtol=0)


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
    selector.fit(X, similarity_matrix=graph)
    assert passes() == 1
    assert sum(came) < 0.1 * X.nbytes
    reduced = selector.transform(X)
    assert passes() == 1
    assert reduced[:40].compute().shape == (40, 1)
    assert passes() == 1 + 1 / 6


def test_labels_and_neighbours_on_components(cluster, values):
    y = np.arange(N) // 60
    for selector in (FisherScore(3, significance=True), LaplacianScore(3, similarity=KNN(5, n_components=4))):
        mine, other = (selector.fit(X, y) for X in (table_on_workers(), values))
        for name in ("native_scores_", "ranking_", "pvalues_"):
            if hasattr(other, name):
                np.testing.assert_allclose(getattr(mine, name), getattr(other, name), rtol=1e-10, err_msg=name)


def _hide_package():
    """Make the package one that cannot be imported."""
    sys.hidden = sys.modules.pop("eigenselect")
    sys.modules["eigenselect"] = None


def _show_package():
    sys.modules["eigenselect"] = sys.hidden


def test_a_cluster_without_the_package_is_refused(cluster, graph, monkeypatch):
    """Tasks are not sent: a worker that cannot read one leaves the cluster without a word."""
    monkeypatch.setattr(dask_passes, "CHECKED", WeakKeyDictionary())
    cluster.run(_hide_package)
    try:
        with pytest.raises(ImportError, match="2 of 2 workers"):
            fitted(table_on_workers(), graph)
    finally:
        cluster.run(_show_package)


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(cluster, graph, tmp_path):
    """The process dies with a chunk made: that, pieces of blocks, and the graph are made again."""
    expected = fitted(table_on_workers(), graph)
    log = tmp_path / "log"
    log.touch()
    found = fitted(table_on_workers(log=str(log)), graph)
    assert died(log).exists()
    assert len(log.read_text().split()) > 6
    assert_same(found, expected, rtol=0)


class ClientOfAnswers:
    """A client whose workers answer what they are told to; it counts how often they are asked."""

    status = "running"

    def __init__(self, **answers):
        self.answers, self.asked = answers, []

    def get(self, *args, **options):
        raise RuntimeError("this would be computed")

    def scheduler_info(self, n_workers):
        return {"workers": dict.fromkeys(self.answers)}

    def run(self, function, question, workers, on_error):
        assert function(question) == __version__  # what a worker that has this package answers
        self.asked.append(workers)
        return {worker: self.answers[worker] for worker in workers}

    def fit(self):
        with dask.config.set(scheduler=self.get):
            FisherScore(3).fit(table_on_workers(), np.arange(N) // 60)


def test_workers_are_asked_for_the_package_once():
    client = ClientOfAnswers(a=__version__, gone=OSError("has left"))
    for answers in ({}, {}, {"b": __version__}):  # the cluster grows
        client.answers |= answers
        with pytest.raises(RuntimeError, match="computed"):
            client.fit()
    assert [asked for asked in client.asked if "gone" not in asked or len(asked) > 1] == [["a", "gone"], ["b", "gone"]]
    for answer, said in ((ModuleNotFoundError("no module"), "no module"), ("0.0.1", "version 0.0.1")):
        other = ClientOfAnswers(a=__version__, b=answer)
        with pytest.raises(ImportError, match=rf"1 of 2 workers; b: {said}"):
            other.fit()
        other.answers["b"] = __version__  # installed since: the next call asks again
        with pytest.raises(RuntimeError, match="computed"):
            other.fit()


def test_a_client_that_is_closed_is_refused():
    client = ClientOfAnswers(a=__version__)
    client.status = "closed"
    with pytest.raises(ValueError, match="client .* closed"):
        client.fit()
    assert not client.asked

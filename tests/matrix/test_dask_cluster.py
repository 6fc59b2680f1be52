"""Workers are asked whether they have the package, once each; a real cluster is in test_dask_table_cluster.py."""

from weakref import WeakKeyDictionary

import dask
import pytest

from eigenselect import __version__
from eigenselect.matrix import dask_cluster


class ClientOfAnswers:
    """A client whose workers answer what they are told to; it counts how often they are asked."""

    def __init__(self, **answers):
        self.answers, self.asked = answers, []

    def get(self, *args, **options):
        raise AssertionError("nothing is to be computed")

    def scheduler_info(self, n_workers):
        return {"workers": dict.fromkeys(self.answers)}

    def run(self, function, question, workers, on_error):
        assert function(question) == __version__  # what a worker that has this package answers
        self.asked.append(workers)
        return {worker: self.answers[worker] for worker in workers}


@pytest.fixture(autouse=True)
def _nobody_was_asked(monkeypatch):
    monkeypatch.setattr(dask_cluster, "ASKED", WeakKeyDictionary())


def check(client):
    with dask.config.set(scheduler=client.get):
        dask_cluster.check_workers()


def test_each_worker_is_asked_once():
    client = ClientOfAnswers(a=__version__)
    check(client)
    check(client)
    client.answers["b"] = __version__  # the cluster grows
    check(client)
    assert client.asked == [["a"], ["b"]]


@pytest.mark.parametrize(
    ("answer", "words"),
    [(ModuleNotFoundError("No module named 'eigenselect'"), "b: No module named"), ("0.0.1", "b: version 0.0.1")],
)
def test_a_worker_without_this_package_is_named(answer, words):
    client = ClientOfAnswers(a=__version__, b=answer)
    with pytest.raises(ImportError, match=rf"1 of 2 workers; {words}.*; install eigenselect\[dask\]=={__version__}"):
        check(client)
    client.answers["b"] = __version__  # installed since: the next call asks again
    check(client)


def test_a_worker_that_has_left_is_no_complaint():
    check(ClientOfAnswers(a=__version__, b=OSError("gone")))


def test_a_client_that_is_closed_gets_one_sentence():
    client = ClientOfAnswers(a=__version__)
    client.status = "closed"
    with pytest.raises(ValueError, match="^The Dask client that is to compute is closed; open another"):
        check(client)
    assert not client.asked


def test_threads_are_not_asked():
    with dask.config.set(scheduler="threads"):
        assert dask_cluster._current_client() is None
        dask_cluster.check_workers()

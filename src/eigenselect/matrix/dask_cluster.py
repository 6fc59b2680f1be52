"""What the workers of a Dask cluster must have before tasks are sent to them.

A worker that cannot read a task because a package is missing does not say so: it leaves the cluster, its successor
does the same, and the client waits. So new workers are asked first, with a call that needs nothing but Python.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from eigenselect import __version__

#: what a worker is asked
QUESTION = "__import__('eigenselect').__version__"
#: addresses of the workers that have answered well, by client
ASKED: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


def check_workers() -> None:
    """Refuse a client that is closed, and a cluster with a worker that has not this package in this version.

    Do nothing where there is no cluster.
    """
    client = _current_client()
    if client is None:
        return
    if getattr(client, "status", "running") == "closed":
        raise ValueError("The Dask client that is to compute is closed; open another, or leave its `as_current()`.")
    asked = ASKED.setdefault(client, set())
    fresh = sorted(set(client.scheduler_info(n_workers=-1)["workers"]) - asked)
    if not fresh:
        return
    answers = client.run(eval, QUESTION, workers=fresh, on_error="return")
    lacking = [f"{worker}: {_complaint(answers[worker])}" for worker in fresh if _complaint(answers.get(worker))]
    if lacking:
        raise ImportError(
            f"The Dask cluster cannot import eigenselect as it is here ({len(lacking)} of {len(fresh)} workers; "
            f"{lacking[0]}); install eigenselect[dask]=={__version__} where the scheduler and the workers run."
        )
    asked.update(worker for worker in fresh if answers.get(worker) == __version__)


def _current_client() -> Any:
    """Return the client that would compute now; None where threads or processes of this machine would."""
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "scheduler_info") else None


def _complaint(answer: Any) -> str:
    """Say what is wrong with an answer; nothing about a worker that has left."""
    if isinstance(answer, ImportError):
        return str(answer)
    return f"version {answer}" if isinstance(answer, str) and answer != __version__ else ""

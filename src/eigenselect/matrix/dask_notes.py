"""What passes over a table have told of it, and what the next one is asked besides its own work."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from eigenselect.matrix.dask_jobs import ChunkJob, Spoilt


@dataclass
class Notes:
    """Jobs that wait for a pass, and results of those that were done, by what they are called.

    Attributes
    ----------
    waiting : dict
        Jobs that the next pass does, too.
    found : dict
        A result for every chunk of columns.
    spoilt : Spoilt or None
        Where the first value is that is no number, once one was found.
    check : callable or None
        Refuses the table where it is spoilt, in the words of who was given it.

    Examples
    --------
    >>> notes = Notes()
    >>> notes.ask("sum", ChunkJob(sum, sum))
    >>> jobs = notes.due()
    >>> notes.keep(jobs, [(3.0,), (4.0,)])
    >>> notes.found, notes.due()
    ({'sum': [3.0, 4.0]}, {})
    """

    waiting: dict[Hashable, ChunkJob] = field(default_factory=dict)
    found: dict[Hashable, list[Any]] = field(default_factory=dict)
    spoilt: Spoilt | None = None
    check: Callable[[], None] | None = None

    def ask(self, key: Hashable, job: ChunkJob) -> None:
        """Let the next pass do a job, unless its result is known."""
        if key not in self.found:
            self.waiting[key] = job

    def due(self) -> dict[Hashable, ChunkJob]:
        """Return the jobs that wait, for a pass that does them now."""
        jobs, self.waiting = self.waiting, {}
        return jobs

    def keep(self, jobs: dict[Hashable, ChunkJob], parts: list[tuple[Any, ...] | Spoilt]) -> None:
        """Keep what a pass found, for every chunk of columns; of a spoilt table only where it is so."""
        spoilt = [part for part in parts if isinstance(part, Spoilt)]
        if spoilt:
            self.spoilt = min(spoilt)
            return
        for place, key in enumerate(jobs):
            self.found[key] = [part[place] for part in parts]

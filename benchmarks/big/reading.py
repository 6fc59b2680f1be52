"""Big tables: reading large text tables, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import ours
import peers
from cases import Case, Goal
from data import Store
from measure import Job, Work

#: of the time of the fastest reader that is exact
READING_COST = 1.3


def cases(store: Store) -> Iterator[Case]:
    """A csv of 20 million numbers, short and long, with Arrow and without, against every exact reader; and `rank`."""
    rows, columns = (100, 2000) if store.quick else (1000, 20_000)
    for digits in (5, 17):
        path = store.csv(columns, digits=digits, rows=rows)
        rivals = (
            ("numpy.loadtxt", Job(peers.numpy_csv, (path,))),
            ("polars", Job(polars_csv, (path,))),
            ("pandas, round_trip", Job(peers.pandas_exact_csv, (path,))),
        )
        for arrow in (True, False):
            mine = Job(partial(ours.read_csv, arrow=arrow), (path,))
            title = f"reading csv, {rows} x {columns}, {digits} digits, {'with' if arrow else 'without'} Arrow"
            for rival, peer in rivals if arrow else rivals[:1]:
                yield Case(title, rival, mine, peer, Goal("cost", None if store.quick else READING_COST), True)
        rank = Job(ours.warm_command, ("rank", str(path), "-q"))
        yield Case(f"rank, csv {rows} x {columns}, {digits} digits, libraries loaded", *rivals[0][:1], rank,
                   rivals[0][1], Goal("cost"))  # fmt: skip


def polars_csv(path: Path) -> Work:
    """The numbers of a csv by polars."""
    import polars

    def call() -> Any:
        return polars.read_csv(path).to_numpy()[-1]

    return Work(call, warm_up=call)

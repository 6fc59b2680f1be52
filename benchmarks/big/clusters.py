"""Big tables: Dask arrays on two workers, against two threads of one process on the same chunks.

No table is stored: every chunk of rows is made by a seeded generator where it is needed, on both sides alike. Samples
lie on a grid, row by row, and are joined with their eight neighbours.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from cases import Case, Goal
from data import Store
from measure import Job, Work

#: a cluster of two processes may be so many times as slow as two threads of one
CLUSTER_COST = 1.5
THREADS = 2
#: rows of a chunk: a hundred megabytes of 5000 columns in float32
CHUNK_ROWS = 5000
FEATURES = 5000
#: columns of the table that warms both sides up
WARM_FEATURES = 500


@dataclass(frozen=True)
class Grid:
    """A table of samples on a grid.

    Attributes
    ----------
    width, height : int
    n_features : int
    density : float
        Part of values that is not zero; 1 for dense chunks.
    """

    width: int
    height: int
    n_features: int = FEATURES
    density: float = 1.0

    @property
    def n_samples(self) -> int:
        return self.width * self.height

    @property
    def size(self) -> str:
        gigabytes = 4 * self.n_samples * self.n_features * self.density / 1e9
        return f"{self.n_samples:,} × {self.n_features:,} float32, {gigabytes:.2g} GB in chunks of {CHUNK_ROWS:,} rows"

    def array(self) -> Any:
        """The table as a Dask array, of which nothing is made yet."""
        import dask.array as da

        rows = da.arange(self.n_samples, chunks=CHUNK_ROWS)[:, None]
        form = (rows.chunks[0], (self.n_features,))
        meta = np.empty((0, 0), dtype=np.float32)
        meta = meta if self.density == 1.0 else sparse.csr_array(meta)
        make = partial(made, n_features=self.n_features, width=self.width, density=self.density)
        return da.map_blocks(make, rows, dtype=np.float32, chunks=form, meta=meta)

    def graph(self) -> sparse.csr_array:
        """Neighbours on the grid, diagonal ones included."""
        line, column = (sparse.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(size, size))
                        for size in (self.height, self.width))  # fmt: skip
        neighbours = sparse.csr_array(sparse.kron(line, column))
        neighbours.setdiag(0.0)
        neighbours.eliminate_zeros()
        return neighbours

    def labels(self) -> Any:
        """Four stripes."""
        return np.arange(self.n_samples) * 4 // self.n_samples


def made(rows: Any, n_features: int, width: int, density: float) -> Any:
    """Make a chunk: noise with waves along the grid of a height of their own in each column."""
    rng = np.random.default_rng(int(rows[0, 0]))
    if density < 1.0:
        return sparse.csr_array(
            sparse.random_array((len(rows), n_features), density=density, rng=rng, dtype=np.float32, format="csr")
        )
    chunk = rng.standard_normal((len(rows), n_features), dtype=np.float32)
    chunk += np.sin(rows // width / 20.0).astype(np.float32) * np.linspace(0.0, 1.0, n_features, dtype=np.float32)
    return chunk


def laplacian(grid: Grid) -> Callable[[], Any]:
    """The Laplacian score with the graph of the grid."""
    from eigenselect import LaplacianScore

    array, graph = grid.array(), grid.graph()
    return lambda: LaplacianScore(10).fit(array, similarity_matrix=graph).native_scores_


def squared(grid: Grid) -> Callable[[], Any]:
    """φ2 with γ = r²."""
    from eigenselect import SPEC

    array, graph = grid.array(), grid.graph()
    return lambda: SPEC(10, ranking="phi2", spectral_function=2).fit(array, similarity_matrix=graph).native_scores_


def fisher(grid: Grid) -> Callable[[], Any]:
    """The Fisher score of the stripes."""
    from eigenselect import FisherScore

    array, labels = grid.array(), grid.labels()
    return lambda: FisherScore(10).fit(array, labels).native_scores_


def on_threads(score: Callable[[Grid], Callable[[], Any]], grid: Grid) -> Work:
    """Two threads of this process."""
    import dask

    dask.config.set(scheduler="threads", num_workers=THREADS)
    return Work(score(grid), warm_up=score(_small(grid)), sampled=True)


def on_workers(score: Callable[[Grid], Callable[[], Any]], grid: Grid) -> Work:
    """Two processes of one thread each; the peak is theirs and this one's together."""
    from distributed import Client, LocalCluster

    scheduler = LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50)
    workers = [_start_worker(scheduler.scheduler_address) for _ in range(THREADS)]
    client = Client(scheduler)
    client.wait_for_workers(THREADS)

    def stop() -> None:
        for worker in workers:
            worker.terminate()
            worker.wait()
        client.close()
        scheduler.close()

    atexit.register(stop)
    warm_up, before = score(_small(grid)), {}

    def warm() -> None:
        client.run(_warmed, score, _small(grid))  # each of them: of few tasks one worker may get all
        warm_up()
        before.update(client.run(_resident_bytes))

    def held_by_workers(scores: Any) -> int:
        """What does not count, so less than nothing: the memory that workers took."""
        return -sum(peak - before[worker] for worker, peak in client.run(_peak_bytes).items())

    return Work(score(grid), warm_up=warm, sampled=True, discount=held_by_workers)


def _warmed(score: Callable[[Grid], Callable[[], Any]], grid: Grid) -> None:
    """Score a small table within a worker, so that it has imported, and loaded compiled loops."""
    import dask

    with dask.config.set(scheduler="sync"):
        score(grid)()


def _small(grid: Grid) -> Grid:
    """Three chunks of few columns, which are enough for compiled loops: both sides load these before the clock runs."""
    return Grid(grid.width, -(-3 * CHUNK_ROWS // grid.width), min(WARM_FEATURES, grid.n_features), grid.density)


def _start_worker(address: str) -> subprocess.Popen[bytes]:
    """Start a worker that can import what this process can."""
    words = ["-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, *words, "--memory-limit", "0"], env=environment, **quiet)


def _resident_bytes() -> int:
    return _status_bytes("VmRSS")


def _peak_bytes() -> int:
    return _status_bytes("VmHWM")


def _status_bytes(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def cases(store: Store) -> Iterator[Case]:
    """Yield the rows."""
    big, part = (Grid(250, 80, 500), Grid(250, 80, 500)) if store.quick else (Grid(500, 500), Grid(500, 100))
    counts = Grid(part.width, part.height, part.n_features, density=0.05)
    limit = None if store.quick else CLUSTER_COST
    scores = ((laplacian, "Laplacian score", big), (laplacian, "Laplacian score, 5 % non-zero", counts),
              (squared, "γ = r²", part), (fisher, "Fisher score", part))  # fmt: skip
    for score, title, grid in scores:
        jobs = (Job(side, (score, grid)) for side in (on_workers, on_threads))
        yield Case(f"{title} on two Dask workers, {grid.size}", "two threads", *jobs, Goal("cost", limit), True)

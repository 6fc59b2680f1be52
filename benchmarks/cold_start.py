"""The command line from a cold start: how long it takes, and that it does without numba."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from report import empty_row

TITLE = "cold `eigenselect rank`, csv 100 x 1000"


def cold_start_row(table: Path, repeats: int) -> dict[str, Any]:
    """One row; the imports are looked at in a run of their own, because tracing them takes time."""
    row = empty_row("cli", TITLE, "(imports)") | {"target": "no numba"}
    traced = _rank(table, "-X", "importtime")
    if traced.returncode:
        last = (traced.stderr.strip().splitlines() or ["no message"])[-1]
        return row | {"note": f"not available: {last}"}
    row["ours_ms"] = 1000 * min(_seconds(table) for _ in range(repeats))
    row["ours_runs"] = repeats
    heavy = "numba" in imported_packages(traced.stderr)
    return row | {"met": not heavy, "ratio": "numba imported" if heavy else "no numba"}


def imported_packages(trace: str) -> set[str]:
    """Top-level packages in the output of ``-X importtime``."""
    lines = (line for line in trace.splitlines() if line.startswith("import time:"))
    return {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in lines}


def _seconds(table: Path) -> float:
    start = time.perf_counter()
    _rank(table)
    return time.perf_counter() - start


def _rank(table: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-m", "eigenselect", "rank", str(table), "-k", "5"]
    return subprocess.run(command, capture_output=True, text=True, check=False)

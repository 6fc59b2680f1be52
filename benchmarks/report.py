"""Rows as text: an aligned table for the terminal, Markdown for the README, and the machine they were measured on."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from cases import Case, Goal
from measure import Measurement

HEADER = ("case", "against", "ours (ms)", "peer (ms)", "ratio", "target", "met", "peak MB ours / peer", "note")
RIGHT_ALIGNED = {2, 3, 4, 5, 7}
PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "pynndescent", "scanpy", "squidpy", "dask", "polars",
    "skfeature-chappers", "ITMO-FS")  # fmt: skip


def empty_row(group: str, title: str, rival: str) -> dict[str, Any]:
    """A row without results; the keys of the JSON file."""
    numbers = ("ours_ms", "ours_runs", "peer_ms", "peer_runs", "value", "met", "ours_mb", "peer_mb", "max_difference")
    row: dict[str, Any] = {"group": group, "case": title, "against": rival, "kind": ""}
    return row | {"ratio": "", "target": "", "note": ""} | dict.fromkeys(numbers)


def result_row(group: str, case: Case, mine: Measurement, other: Measurement | None) -> dict[str, Any]:
    """One row as plain values, for JSON and for printing."""
    value = case.goal.value(mine, other)
    row = empty_row(group, case.title, case.rival) | {
        "kind": case.goal.kind,
        "ours_ms": _milliseconds(mine),
        "ours_runs": mine.runs,
        "ours_mb": mine.peak_mb,
        "value": value,
        "ratio": _amount(case.goal, value),
        "target": _target(case.goal),
        "met": case.goal.met(value),
    }
    if other is not None:
        row |= {"peer_ms": _milliseconds(other), "peer_runs": other.runs, "peer_mb": other.peak_mb}
        row["max_difference"] = _largest_difference(mine, other) if case.comparable else None
    return row | {"note": _note(mine, other, row["max_difference"])}


def _milliseconds(measurement: Measurement) -> float | None:
    return None if measurement.seconds is None else 1000 * measurement.seconds


def _amount(goal: Goal, value: float | None) -> str:
    if value is None:
        return ""
    amounts = {"speedup": f"{value:,.4g}x faster", "memory": f"{value:.0f} MB", "growth": f"{value:.3f} of its MB"}
    return amounts.get(goal.kind, f"{value:.3f}" + (" found" if goal.kind == "recall" else ""))


def _target(goal: Goal) -> str:
    if goal.limit is None:
        return "-"
    limit = f"{goal.limit:g}"
    targets = {"speedup": f">= {limit}x faster", "memory": f"< {limit} MB", "recall": f">= {limit}"}
    return targets.get(goal.kind, f"<= {limit}")


def _largest_difference(mine: Measurement, other: Measurement) -> float | None:
    """Of the scores that both sides define: a ratio of times means something only if both did the same."""
    if mine.scores is None or other.scores is None or mine.scores.shape != other.scores.shape:
        return None
    difference = np.abs(mine.scores - other.scores)[np.isfinite(mine.scores) & np.isfinite(other.scores)]
    return float(difference.max()) if difference.size else None


def _note(mine: Measurement, other: Measurement | None, difference: float | None) -> str:
    findings = []
    if mine.error:
        findings.append(f"ours failed: {mine.error}")
    if other is not None and other.error:
        findings.append(f"peer failed: {other.error}")
    if other is not None and other.runs == 1:
        findings.append("peer: 1 run")
    if other is not None and other.scale != 1.0:
        findings.append(f"peer: a part of the work, times {other.scale:g}")
    if difference is not None:
        findings.append(f"scores differ by {difference:.1g}")
    return "; ".join(findings)


# -- tables ---------------------------------------------------------------------------------


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """One row as text."""
    met = {None: "-", True: "yes", False: "NO"}[row["met"]]
    peaks = f"{_number(row['ours_mb'], 0)} / {_number(row['peer_mb'], 0)}"
    times = _number(row["ours_ms"], 1), _number(row["peer_ms"], 1)
    return row["case"], row["against"], *times, row["ratio"], row["target"], met, peaks, row["note"]


def aligned_table(rows: list[dict[str, Any]]) -> str:
    """For a terminal."""
    lines = [HEADER, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index in RIGHT_ALIGNED else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def markdown_table(rows: list[dict[str, Any]]) -> str:
    """For benchmarks/README.md."""
    rule = ["---:" if index in RIGHT_ALIGNED else "---" for index in range(len(HEADER))]
    return "\n".join(f"| {' | '.join(line)} |" for line in (HEADER, rule, *map(cells, rows)))


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


# -- machine --------------------------------------------------------------------------------


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": f"{_proc_value('cpuinfo', 'model name') or platform.processor()}, {len(os.sched_getaffinity(0))} cores",
        "ram": f"{int(_proc_value('meminfo', 'MemTotal').split()[0]) / 2**20:.0f} GB",
        "load at start": f"{os.getloadavg()[0]:.2f}",
        "python": f"{platform.python_version()}, {platform.system()} {platform.machine()}",
        "packages": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        "blas": _blas(),
    }


def _proc_value(file: str, key: str) -> str:
    lines = Path("/proc", file).read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), "0")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def _blas() -> str:
    import scipy.linalg.blas  # noqa: F401  (scipy brings a BLAS of its own)
    from threadpoolctl import threadpool_info

    found = (pool for pool in threadpool_info() if pool["user_api"] == "blas")
    names = {f"{pool['internal_api']} {pool['version']} ({pool['num_threads']} threads)" for pool in found}
    return ", ".join(sorted(names))

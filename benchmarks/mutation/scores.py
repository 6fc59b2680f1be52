"""The score of each room, survivors with their lines, and equivalent mutants, as Markdown."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

from places import ROOMS

HERE = Path(__file__).parent
#: the share of mutants that tests must notice
GOAL = 0.85
DEAD = ("killed", "timeout", "crashed")
HEADER = (
    "| room | drawn | equivalent | killed | survived | score | 95 % interval |\n|---|---:|---:|---:|---:|---:|---:|"
)


def score(rows: list[dict[str, Any]]) -> float:
    """Killed mutants among those that are not equivalent."""
    judged = [row for row in rows if row["verdict"] in {*DEAD, "survived"}]
    return sum(row["verdict"] in DEAD for row in judged) / len(judged) if judged else math.nan


def interval(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Wilson's interval for the share, at 95 %: a sample of mutants says only so much about all of them."""
    n, share, z = sum(row["verdict"] in {*DEAD, "survived"} for row in rows), score(rows), 1.96
    if n == 0:
        return 0.0, 1.0
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return middle - half, middle + half


def table(rows: list[dict[str, Any]]) -> str:
    """One line for each room, and one for all."""
    lines = [_line(room, [row for row in rows if row["file"].startswith(room + "/")]) for room in ROOMS]
    return "\n".join([HEADER, *lines, _line("**all**", rows)])


def _line(name: str, rows: list[dict[str, Any]]) -> str:
    counts = Counter(row["verdict"] for row in rows)
    low, high = interval(rows)
    dead = sum(counts[verdict] for verdict in DEAD)
    numbers = [len(rows), counts["equivalent"], dead, counts["survived"]]
    return f"| {name} | " + " | ".join(map(str, numbers)) + f" | {score(rows):.1%} | {low:.0%} to {high:.0%} |"


def section(result: dict[str, Any]) -> str:
    """What one seed found."""
    rows = result["mutants"]
    parts = [f"## Seed {result['seed']}", _how(result), table(rows)]
    for title, verdict in (("Survivors", "survived"), ("Equivalent", "equivalent")):
        chosen = [row for row in rows if row["verdict"] == verdict]
        if chosen:
            parts += [f"### {title}", "\n".join(map(_item, chosen))]
    return "\n\n".join(parts)


def _how(result: dict[str, Any]) -> str:
    counts = Counter(row["verdict"] for row in result["mutants"])
    return (
        f"{result['date']}, {result['minutes']:.0f} minutes. Of the killed, {counts['timeout']} took too long "
        f"and {counts['crashed']} ended the process."
    )


def _item(row: dict[str, Any]) -> str:
    why = f"\n  {row['by']}" if row["by"] else ""
    place = f"`{row['file']}:{row['line']}` in `{row['within'] or 'the module'}`"
    return f"- {place}\n  `{row['before']}`\n  `{row['after']}`{why}"


def write(folder: Path = HERE / "results") -> Path:
    """All results of the folder as one page."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("seed-*.json"))]
    page = HERE / "RESULTS.md"
    head = "# Mutation score\n\nWritten by `make mutation`; CONTRIBUTING.md says how it is measured."
    page.write_text("\n\n".join([head, *map(section, results)]) + "\n", encoding="utf-8")
    return page

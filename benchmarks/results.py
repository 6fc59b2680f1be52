"""The file of results: whole after every row, and kept from run to run, group by group.

A stopped run loses nothing that it measured, and a run of some groups leaves the rows of the others as they are. Every
group says when, on what machine and in how many seconds it was measured, every row when.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from report import aligned_table, cells, machine, markdown_table

Row = dict[str, Any]


class Results:
    """Rows and groups of a JSON file.

    Attributes
    ----------
    groups : dict
        Of each group: ``machine`` (with the date), ``quick``, ``seconds`` (None until it is finished) and ``data``.
    rows : list of dict
        As `report.result_row` makes them, with the date as ``measured``.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        content = json.loads(path.read_text()) if path.exists() else {}
        known = "groups" in content  # else of before groups had dates
        self.groups: dict[str, Any] = content["groups"] if known else {}
        self.rows: list[Row] = content["rows"] if known else []
        self._fresh: list[Row] = []
        self._begun = 0.0

    def begin(self, group: str, *, quick: bool) -> None:
        """Note where and when the group is measured; rows of an earlier run stay until they are measured again."""
        self._fresh, self._begun = [], time.perf_counter()
        self.groups[group] = {"machine": machine(), "quick": quick, "seconds": None, "data": {}}

    def add(self, row: Row, sources: dict[str, str]) -> None:
        """Put a row in the place of the same row of an earlier run, or behind all, and write the file."""
        entry = self.groups[row["group"]]
        row = row | {"measured": entry["machine"]["date"]}
        self._fresh.append(row)
        entry["data"] = dict(sources)
        self.rows = [kept for kept in self.rows if _key(kept) != _key(row)] + [row]
        self._write()

    def finish(self, group: str) -> None:
        """Forget rows of an earlier run that the group has no more."""
        self.groups[group]["seconds"] = round(time.perf_counter() - self._begun, 1)
        self.rows = [row for row in self.rows if row["group"] != group] + self._fresh
        self._write()

    def _write(self) -> None:
        text = json.dumps({"groups": self.groups, "rows": self.rows}, indent=1, ensure_ascii=False) + "\n"
        part = self._path.with_name(f"{self._path.name}.part")
        part.write_text(text)
        os.replace(part, self._path)

    def document(self, groups: list[str], *, markdown: bool) -> str:
        """Return the rows of some groups as a table, with what they were measured on."""
        rows = [row for group in groups for row in self.rows if row["group"] == group]
        entries = {group: self.groups[group] for group in groups if group in self.groups}
        missed = [row["case"] for row in rows if row["met"] is False]
        facts = [f"{group}: {_where(entry)}" for group, entry in entries.items()]
        facts += list(dict.fromkeys(_software(entry) for entry in entries.values()))
        facts += list(
            dict.fromkeys(f"data {name}: {text}" for e in entries.values() for name, text in e["data"].items())
        )
        facts.append(f"targets missed: {'; '.join(missed) or 'none'}")
        table = markdown_table(rows) if markdown else aligned_table(rows)
        return "\n".join([*(f"- {fact}" if markdown else fact for fact in facts), "", table])


def line(row: Row) -> str:
    """Return a row as one line, for those who wait."""
    return " | ".join(cells(row))


def _key(row: Row) -> tuple[str, str, str, str]:
    return row["group"], row["case"], row["against"], row["kind"]


def _where(entry: dict[str, Any]) -> str:
    facts = entry["machine"]
    words = [facts["date"], facts["cpu"], facts["ram"], f"load {facts['load at start']} at the start"]
    words.append("NOT FINISHED" if entry["seconds"] is None else f"{entry['seconds']:.0f} s in all")
    if entry["quick"]:
        words.append("QUICK RUN: one call each on smaller tables; the numbers only show that the benchmarks run")
    return ", ".join(words)


def _software(entry: dict[str, Any]) -> str:
    return "; ".join(entry["machine"][key] for key in ("python", "packages", "blas"))

"""Write what is made of the rows of `eigenselect.criteria.table`: the README's table, the names for type checkers.

``make tables`` runs it after a row was added or changed; a test compares.
"""

from __future__ import annotations

from pathlib import Path

import eigenselect
from eigenselect.criteria.table import METHODS, Command, Method

ROOT = Path(__file__).parents[1]
HEADER = "| method | Ŝ | f̂ | labels | p-values | command |\n|---|---|---|---|---|---|\n"
#: where the names begin and end in ``__init__.py``
BEGIN, END = "    from typing import Any\n\n", "\n#: public names"


def readme_table() -> str:
    """Return the table of methods as Markdown."""
    return HEADER + "".join(f"| {' | '.join(_cells(row))} |\n" for row in METHODS)


def _cells(row: Method) -> list[str]:
    call = row.call().replace("'", '"').removesuffix("()")
    runs = {Command.RANK: f"`rank --method {row.name}`", Command.FUSE: f"`{row.command}`"}
    facts = [row.matrix, row.normalization, row.supervision, row.p_value_rule or "none"]
    cells = [f"`{call}`", *facts, runs.get(row.command, str(row.command))]
    return [cell.replace("|", "\\|") for cell in cells]


def typed_names() -> str:
    """Return the imports that type checkers see."""
    rooms = dict.fromkeys(("similarity", *eigenselect._VERBS), "eigenselect")
    homes = sorted((METHODS.homes() | eigenselect._OTHERS | rooms).items(), key=lambda item: (item[1], item[0]))
    return "".join(f"    from {module} import {name} as {name}\n" for name, module in homes)


def with_table(text: str) -> str:
    """Put the table into the README."""
    start = text.index(HEADER)
    return text[:start] + readme_table() + text[text.index("\n\n", start) + 1 :]


def with_names(text: str) -> str:
    """Put the names into ``__init__.py``."""
    start = text.index(BEGIN) + len(BEGIN)
    return text[:start] + typed_names() + text[text.index(END, start) :]


#: every file, and what puts the rows into it
MADE = {ROOT / "README.md": with_table, ROOT / "src" / "eigenselect" / "__init__.py": with_names}

if __name__ == "__main__":
    for path, made in MADE.items():
        text = path.read_text(encoding="utf-8")
        path.write_text(made(text), encoding="utf-8")
        print("wrote" if made(text) != text else "unchanged", path.relative_to(ROOT))

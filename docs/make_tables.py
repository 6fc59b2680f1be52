"""Write what is made of the code: the README's table of methods, the names for type checkers, the walk in CONTRIBUTING.

``make tables`` runs it after a row of `eigenselect.criteria.table`, a file's first line or the way of data was changed;
a test compares.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import eigenselect
from eigenselect.criteria.table import METHODS, Command, Method

ROOT = Path(__file__).parents[1]
HEADER = "| method | Ŝ | f̂ | labels | p-values | command |\n|---|---|---|---|---|---|\n"
#: where the names begin and end in ``__init__.py``
BEGIN, END = "    from typing import Any\n\n", "\n#: public names"
WALK_HEADER = "| file | what it is for |\n|---|---|\n"


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


def entered_files(call: Callable[[], Any]) -> list[str]:
    """Return the package's files in the order in which a call first enters their functions."""
    source = str(Path(eigenselect.__file__).parent)
    files: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(source) and frame.f_code.co_name != "<module>":
            files[Path(path).relative_to(source).as_posix()] = None

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return list(files)


def walk_table() -> str:
    """Return the files that a small Laplacian score walks through, each with the first line of its docstring."""
    X = np.random.default_rng(0).normal(size=(60, 20))

    def fit() -> Any:
        return eigenselect.LaplacianScore(10, n_jobs=1).fit(X)

    fit()  # what is kept from a first call is not walked through again
    return WALK_HEADER + "".join(f"| `{name}` | {_first_line(name)} |\n" for name in entered_files(fit))


def _first_line(name: str) -> str:
    text = (Path(eigenselect.__file__).parent / name).read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").split("\n")[0].replace("|", "\\|")


def with_walk(text: str) -> str:
    """Put the walk into CONTRIBUTING."""
    start = text.index(WALK_HEADER)
    return text[:start] + walk_table() + text[text.index("\n\n", start) + 1 :]


#: every file, and what puts its part into it
MADE = {
    ROOT / "README.md": with_table,
    ROOT / "CONTRIBUTING.md": with_walk,
    ROOT / "src" / "eigenselect" / "__init__.py": with_names,
}

if __name__ == "__main__":
    for path, made in MADE.items():
        text = path.read_text(encoding="utf-8")
        path.write_text(made(text), encoding="utf-8")
        print("wrote" if made(text) != text else "unchanged", path.relative_to(ROOT))

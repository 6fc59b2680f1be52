"""Write what is made of the code: tables of docs pages, references, names for type checkers, the walk in CONTRIBUTING.

``make tables`` runs it after a row of `eigenselect.criteria.methods`, an option of the command, a reference, a file's
first line or the way of data was changed; tests compare. docs/array_support.md takes a minute and is written only if
asked for (``make tables`` does), with the argument ``all``.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import eigenselect
from eigenselect.criteria.methods import METHODS, Command, Method
from eigenselect.reporting.papers.citing import references

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.append(str(DOCS))

import make_command_reference  # noqa: E402

#: first lines of tables, by which they are found
LOOKS_FOR = "| method | a good feature | paper |"
MADE_OF = "| method | similarity | Ŝ | f̂ | labels | p-values | command |"
CITES = "| method | papers |"
SUPPORT = "| method |"
WALK = "| file | what it is for |"
#: where the names begin and end in ``__init__.py``
BEGIN, END = "    from typing import Any\n\n", "\n#: public names"


def table(header: str, rows: list[list[str]]) -> str:
    """Return a table as Markdown."""
    lines = [header, "|---" * (header.count("|") - 1) + "|"]
    return "".join(f"{line}\n" for line in lines + [f"| {' | '.join(map(_escaped, cells))} |" for cells in rows])


def put(text: str, header: str, made: str) -> str:
    """Replace the table that begins with a header, up to the next empty line."""
    start = text.index(f"\n{header}") + 1
    return text[:start] + made + text[text.index("\n\n", start) + 1 :]


def _escaped(cell: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", cell)


def _call(row: Method) -> str:
    call = row.call().replace("'", '"').removesuffix("()")
    return f"`{call}`"


def _doi_linked(text: str) -> str:
    return re.sub(r"doi:(10\.[^\s;,]+)", r"[doi](https://doi.org/\1)", text)


def with_methods(text: str) -> str:
    """Put both tables of methods into docs/methods.md."""
    runs = {Command.RANK: "`rank --method {name}`", Command.FUSE: "`fuse`"}
    looks = [[_call(row), row.in_words, _doi_linked(row.reference)] for row in METHODS]
    made = [
        [
            *(_call(row), row.similarity, row.matrix, row.normalization, row.supervision, row.p_value_rule or "none"),
            runs.get(row.command, str(row.command)).format(name=row.name),
        ]
        for row in METHODS
    ]
    return put(put(text, LOOKS_FOR, table(LOOKS_FOR, looks)), MADE_OF, table(MADE_OF, made))


def with_command(_: str) -> str:
    """Return docs/command_reference.md."""
    return make_command_reference.page()


def with_references(_: str) -> str:
    """Return docs/references.bib."""
    return "\n\n".join(reference.bibtex for reference in references().values()) + "\n"


def with_citations(text: str) -> str:
    """Put the software's entry and the papers of each method into docs/citing.md."""
    entry = f"```bibtex\n{references()['eigenselect'].bibtex}\n```"
    rows = [[_call(row), ", ".join(f"{{cite:t}}`{key}`" for key in row.cites)] for row in METHODS if row.cites]
    text = re.sub(r"```bibtex\n.*?```", lambda _: entry, text, count=1, flags=re.DOTALL)
    return put(text, CITES, table(CITES, rows))


def with_support(text: str) -> str:
    """Put what every method does with every storage into docs/array_support.md."""
    import make_array_support

    return put(text, SUPPORT, make_array_support.table())


def typed_names() -> str:
    """Return the imports that type checkers see."""
    rooms = dict.fromkeys(("similarity", *eigenselect._VERBS), "eigenselect")
    homes = sorted((METHODS.homes() | eigenselect._OTHERS | rooms).items(), key=lambda item: (item[1], item[0]))
    return "".join(f"    from {module} import {name} as {name}\n" for name, module in homes)


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
    return table(WALK, [[f"`{name}`", _first_line(name)] for name in entered_files(fit)])


def _first_line(name: str) -> str:
    text = (Path(eigenselect.__file__).parent / name).read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").split("\n")[0]


def with_walk(text: str) -> str:
    """Put the walk into CONTRIBUTING."""
    return put(text, WALK, walk_table())


#: every file, and what puts its part into it
MADE = {
    DOCS / "methods.md": with_methods,
    DOCS / "command_reference.md": with_command,
    DOCS / "references.bib": with_references,
    DOCS / "citing.md": with_citations,
    ROOT / "CONTRIBUTING.md": with_walk,
    ROOT / "src" / "eigenselect" / "__init__.py": with_names,
}
#: by running many fits
MEASURED = {DOCS / "array_support.md": with_support}


def main(*what: str) -> None:
    """Write the files that changed."""
    for path, made in (MADE | MEASURED if "all" in what else MADE).items():
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        after = made(before)
        path.write_text(after, encoding="utf-8")
        print("wrote" if after != before else "unchanged", path.relative_to(ROOT))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Count the sentences that tests compare messages with: ``python tests/count_sentences.py [--list]``.

A sentence is a string constant of five or more words. It counts if it stands in an ``assert``, in ``match=`` or in a
``parametrize`` table, or if it is assigned to a name that one of them uses. Input data (tabs, line breaks) and scripts
do not count. Tests check the class of an exception and one keyword; whole texts live in ``tests/snapshots``.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
#: sentences that may be left
MOST = 150
WORD = re.compile(r"[^\W\d_]{2,}")
NOT_PROSE = re.compile(r"[\n\t]|=>|import |\)\.|--\w+ \S+ -")


def is_sentence(node: ast.AST) -> bool:
    """Whether the node is a string constant of five or more words."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or NOT_PROSE.search(node.value):
        return False
    return sum(bool(WORD.search(word)) for word in node.value.split()) >= 5


def compared(tree: ast.AST) -> Iterator[ast.AST]:
    """Return the parts of a test file whose strings are compared with what the library says."""
    for node in ast.walk(tree):
        is_table = isinstance(node, ast.Call) and getattr(node.func, "attr", "") in {"parametrize", "param"}
        if is_table or isinstance(node, ast.Assert) or (isinstance(node, ast.keyword) and node.arg == "match"):
            yield node


def sentences(text: str) -> list[tuple[int, str]]:
    """Return line and text of each sentence in one test file."""
    tree = ast.parse(text)
    parts = [part for root in compared(tree) for part in ast.walk(root)]
    used = {part.id for part in parts if isinstance(part, ast.Name)}
    for node in ast.walk(tree):
        names = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(name, ast.Name) and name.id in used for name in names) and getattr(node, "value", None):
            parts.extend(ast.walk(node.value))
    unique = {id(part): part for part in parts if is_sentence(part)}
    return sorted((part.lineno, part.value) for part in unique.values())


def main() -> int:
    found = [
        (path.relative_to(TESTS.parent), *sentence)
        for path in sorted(TESTS.rglob("*.py"))
        for sentence in sentences(path.read_text(encoding="utf-8"))
    ]
    if "--list" in sys.argv:
        print("\n".join(f"{path}:{line}: {text}" for path, line, text in found))
    print(f"{len(found)} sentences of five or more words in assertions (at most {MOST})")
    return int(len(found) > MOST)


if __name__ == "__main__":
    sys.exit(main())

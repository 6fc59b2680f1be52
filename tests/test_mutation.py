"""What `make mutation` knows: equivalent mutants are of code that is there, and the scores shown are those measured."""

import importlib
import json
import re
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "benchmarks" / "mutation"


@pytest.fixture
def tool(monkeypatch):
    """A module of the folder; those that make mutants need cosmic-ray, which tests do not ask for."""
    monkeypatch.syspath_prepend(str(TOOLS))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == TOOLS:
            del sys.modules[name]


def results():
    paths = sorted((TOOLS / "results").glob("seed-*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def test_equivalent_mutants_are_of_code_that_is_there_and_say_why(tool):
    for row in tool("equivalents").listed():
        text = re.sub(r"\s+", " ", (ROOT / "src" / "eigenselect" / row.file).read_text(encoding="utf-8"))
        assert row.code in text, row
        assert row.code not in row.mutants, row
        assert row.reason.endswith("."), row


def test_the_scores_in_contributing_are_those_of_the_results(tool):
    assert len(results()) > 0
    shown = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for result in results():
        assert tool("scores").table(result["mutants"]) in shown
        assert result["date"] in shown


def test_the_score_leaves_equivalent_mutants_out(tool):
    verdicts = ["killed"] * 6 + ["timeout", "crashed", "survived", "survived"] + ["equivalent"] * 10
    scores = tool("scores")
    rows = [{"verdict": verdict, "file": "graph/a.py"} for verdict in verdicts]
    assert scores.score(rows) == 0.8
    low, high = scores.interval(rows)
    assert (round(low, 3), round(high, 3)) == (0.49, 0.943)  # Wilson's for 8 of 10


def test_mistakes_in_types_messages_and_exports_are_not_made(tool):
    text = textwrap.dedent(
        """\
        __all__ = ["a"][:1]
        def f(ß: "Ä" or 1 = 2) -> 3:
            if 4: raise ValueError(f"{5}")
            warn("6" * 7, 8)
            return 9
        @_compiled
        def g(): pass
        @dataclass(frozen=0)
        class H: pass
        zip(1, strict=0)
        """
    )
    idle = tool("places").idle_lines(text)
    places = [
        (line, column, int(character))
        for line, row in enumerate(text.splitlines(), 1)
        for column, character in enumerate(row)
        if character.isdigit()
    ]
    assert {number for *position, number in places if tuple(position) not in idle} == {1, 2, 4, 8, 9}
    assert [(row, 0) in idle for row in (6, 8)] == [True, False]


def test_the_function_of_a_line_has_its_decorators(tool):
    text = (
        "class A:\n    @property\n    def b(self):\n        def c():\n            return 1\n        return c\nd = 2\n"
    )
    assert [tool("places").enclosing(text, line) for line in (1, 2, 5, 6, 7)] == ["A", "A.b", "A.b.c", "A.b", ""]

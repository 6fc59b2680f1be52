"""Which tests judge a mutant: those that run its line, as coverage.py recorded it in a run of the whole suite."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import accumulate, chain
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData
from mutants import COMPILERS, around, is_one_of

#: decorators of functions whose lines coverage does not see, or only in the first test that calls them
HIDING = COMPILERS | {"cache", "lru_cache"}
#: seconds that every test takes beside what is recorded
OVERHEAD = 0.005
#: seconds that the import of a test file takes, which all of its chosen tests share
IMPORTING = 0.5


def record(root: Path, file: Path, jobs: int) -> None:
    """Run all tests of a checkout with line coverage, one context for each test, and write times to ``junit.xml``."""
    part = file.with_suffix(".part")
    part.parent.mkdir(parents=True, exist_ok=True)
    options = ["--cov=eigenselect", "--cov-context=test", "--cov-report=", f"--junitxml={file.with_name('junit.xml')}"]
    command = [sys.executable, "-m", "pytest", "-n", str(jobs), "--dist", "loadgroup", *options]
    own = {"PYTHONPATH": str(root / "src"), "COVERAGE_FILE": str(part), "COVERAGE_CORE": "ctrace"}
    if subprocess.run(command, cwd=root, env=os.environ | own).returncode:
        sys.exit("mutation: expected tests that pass without a mutant, got failures; mend them first")
    part.rename(file)


class Recording:
    """Which tests run which lines of a checkout, and how long each test takes."""

    def __init__(self, root: Path, file: Path) -> None:
        self.data = CoverageData(str(file))
        self.data.read()
        self.paths = {path.rpartition("/src/eigenselect/")[2]: path for path in self.data.measured_files()}
        self.texts = {name: (root / "src" / "eigenselect" / name).read_text(encoding="utf-8") for name in self.paths}
        self.seconds: dict[str, float] = {}
        self.files: dict[str, list[str]] = defaultdict(list)
        for case in ElementTree.parse(file.with_name("junit.xml")).iter("testcase"):
            parts = str(case.get("classname")).split(".")
            paths = ("/".join(parts[:end]) + ".py" for end in range(1, len(parts) + 1))
            end, path = next((end, path) for end, path in enumerate(paths, 1) if (root / path).is_file())
            test = "::".join([path, *parts[end:], str(case.get("name"))])
            self.seconds[test] = OVERHEAD + float(case.get("time") or 0.0)
            self.files[path].append(test)
        self.tests = {path: (root / path).read_text(encoding="utf-8") for path in self.files if "tests/" in path}
        self.known: dict[str, dict[int, set[str]]] = {}

    def tests_for(self, file: str, line: int, budget: float) -> list[str]:
        """Tests, cheapest first, up to a budget; further cases of one test count as dearer."""
        found = self._running(file, line, set()) or self._at(file, self._lines(file))
        shares = Counter(test.partition("::")[0] for test in found)
        cases: Counter[str] = Counter()
        prices = {}
        for test in sorted(found, key=lambda test: (self.seconds[test], test)):
            name, file = test.partition("[")[0], test.partition("::")[0]
            cases[name] += 1
            prices[test] = self.seconds[test] * cases[name] + IMPORTING / shares[file]
        ordered = sorted(prices, key=prices.__getitem__)
        spent = accumulate(map(self.seconds.__getitem__, ordered))
        return [test for test, total in zip(ordered, spent, strict=True) if total <= budget]

    def _running(self, file: str, line: int, seen: set[tuple[str, int]]) -> set[str]:
        """Tests that run the statement of a line; where coverage cannot tell, those that use what it is a part of."""
        seen.add((file, line))
        statements = around(ast.parse(self.texts[file]), line)
        functions = [node for node in statements if isinstance(node, ast.FunctionDef)]
        found: set[str] = set()
        if functions:
            body = range(functions[-1].body[0].lineno, (functions[-1].end_lineno or 0) + 1)
            found = self._at(file, _lines_of(statements[-1], line) if line in body else body)
            if self._at(file, body) and not any(is_one_of(HIDING, x) for f in functions for x in f.decorator_list):
                return found
        names = [functions[0].name] if functions else _defined(statements[-1])
        named = re.compile(rf"\b({'|'.join(names) or '(?!)'})\b")
        imported = re.compile(r"import.*\b{0}\b|\.{0} import".format(Path(file).stem))
        for path in (path for path, text in self.tests.items() if imported.search(text) or named.search(text)):
            found.update(self.files[path])
        for other in (other for other, text in self.texts.items() if other == file or imported.search(text)):
            for number, text in enumerate(self.texts[other].splitlines(), 1):
                uses = named.search(text.partition("#")[0]) and not re.match(r" *(from|import|def|class) ", text)
                if uses and (other, number) not in seen:
                    found |= self._running(other, number, seen)
        return found

    def _at(self, file: str, lines: Iterable[int]) -> set[str]:
        return set(chain.from_iterable(self._lines(file).get(line, ()) for line in lines))

    def _lines(self, file: str) -> dict[int, set[str]]:
        """The tests of each line; what a fixture runs is run for all tests of its file."""
        if file not in self.known:
            found = self.known[file] = defaultdict(set)
            for line, contexts in self.data.contexts_by_lineno(self.paths[file]).items():
                for test, _, phase in (context.rpartition("|") for context in contexts if context):
                    tests = self.files[test.partition("::")[0]] if phase == "setup" else [test]
                    found[line].update(test for test in tests if test in self.seconds)
        return self.known[file]


def _lines_of(node: ast.stmt, line: int) -> Iterable[int]:
    """The lines of a statement, or of its head if it has a body."""
    end = node.body[0].lineno - 1 if hasattr(node, "body") else node.end_lineno or 0
    return range(node.lineno, end + 1) if line <= end else [line]


def _defined(node: ast.stmt) -> list[str]:
    """The names that a statement outside of functions defines."""
    if isinstance(node, ast.ClassDef):
        return [node.name]
    targets = getattr(node, "targets", [getattr(node, "target", ast.Pass())])
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]

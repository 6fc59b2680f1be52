"""Mutants: small mistakes in the mathematics, one at a time, in a sample that a seed fixes."""

from __future__ import annotations

import ast
import random
import re
import tomllib
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

#: the packages where mistakes are made
PACKAGES = ("criteria", "graph", "selection", "inference")
#: operators that are exchanged for each other; another one would be a TypeError on the first run of the line
ARITHMETIC = (("+", "-", "*", "/", "//", "%", "**"), (">>", "<<"), ("|", "&", "^"))
COMPARISONS = (("==", "!=", "<", "<=", ">", ">="), ("is", "is not"))
SIGNS = {ast.USub: ("-", "+", ""), ast.UAdd: ("+", "-"), ast.Invert: ("~", ""), ast.Not: ("not", "")}
#: decorators of compiled loops, which compute the same without them
COMPILERS = {"compiled", "_compiled", "njit"}
#: steps of this part of the whole never come close to each other
GOLDEN = (5**0.5 - 1) / 2
EQUIVALENTS = tomllib.loads(Path(__file__).with_name("equivalents.toml").read_text(encoding="utf-8"))["equivalent"]


@dataclass(frozen=True)
class Mutant:
    """One mistake: the changed lines before and after, and the whole text of the file with it."""

    file: str
    line: int
    within: str
    before: str
    after: str
    text: str

    @property
    def equivalent(self) -> str | None:
        """Why it computes the same, if `equivalents.toml` says so: for some mutants of the code, or for all."""
        for row in EQUIVALENTS:
            known = {"within": self.within, "mutants": [self.after]} | row
            place = (known["file"], known["code"], known["within"])
            if place == (self.file, self.before, self.within) and self.after in known["mutants"]:
                return str(row["reason"])
        return None


class Mistake(NamedTuple):
    """A place in the text (first and last character), and what the text from one character to another becomes."""

    place: tuple[int, int]
    start: int
    end: int
    new: str


def sample(source: Path, seed: int, per_package: int) -> list[Mutant]:
    """Draw as many mutants of each package: places spread evenly over its files, and one mistake at each.

    Places are in the order of files and lines, and drawn from a random start in steps of the golden ratio, so that each
    file has its share and a larger sample holds the smaller one.
    """
    places = {package: _places(source, package) for package in PACKAGES}
    starts = {package: random.Random(f"{seed} {package}").random() for package in PACKAGES}
    drawn = []
    for number in range(per_package):
        for package, found in places.items():
            first = int((starts[package] + number * GOLDEN) % 1.0 * len(found))
            dice = random.Random(f"{seed} {package} {number}")
            rest = ((file, dice.sample(mistakes, len(mistakes))) for file, mistakes in found[first:] + found[:first])
            made = (_mutant(source, file, mistake) for file, mistakes in rest for mistake in mistakes)
            drawn.append(next(filter(None, made)))
    return drawn


def _places(source: Path, package: str) -> list[tuple[str, list[Mistake]]]:
    """Each place of a package with the mistakes that can be made there, from top to bottom."""
    found: dict[tuple[str, tuple[int, int]], list[Mistake]] = defaultdict(list)
    for path in (source / package).glob("*.py"):
        for mistake in Source(path.read_text(encoding="utf-8")).mistakes():
            found[path.relative_to(source).as_posix(), mistake.place].append(mistake)
    return [(file, found[file, place]) for file, place in sorted(found)]


def _mutant(source: Path, file: str, mistake: Mistake) -> Mutant | None:
    """The mutant, or None where the text would be no Python, or the same to Python."""
    original = (source / file).read_text(encoding="utf-8")
    text = original[: mistake.start] + mistake.new + original[mistake.end :]
    tree = ast.parse(original)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            compile(text, "mutant", "exec")
    except SyntaxError:
        return None
    if ast.dump(ast.parse(text)) == ast.dump(tree):
        return None
    line = original.count("\n", 0, mistake.place[0]) + 1
    within = [node.name for node in around(tree, line) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return Mutant(file, line, ".".join(within), *_changed(original.splitlines(), text.splitlines()), text)


def around(tree: ast.AST, line: int) -> list[ast.stmt]:
    """The statements that a line is in, decorators included, from the outermost to the innermost."""
    found = []
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.stmt)):
        first = min(part.lineno for part in [node, *getattr(node, "decorator_list", [])])
        if first <= line <= (node.end_lineno or 0):
            found.append(node)
    return found


def _changed(old: list[str], new: list[str]) -> list[str]:
    """The changed lines, before and after, each as one line with single spaces."""
    for end in (0, -1):
        while old and new and old[end] == new[end]:
            del old[end], new[end]
    return [re.sub(r"\s+", " ", " ".join(lines)).strip() for lines in (old, new)]


class Source:
    """A text and its syntax tree; places are counted in characters from the beginning."""

    def __init__(self, text: str) -> None:
        self.text, self.tree = text, ast.parse(text)
        self.lines = text.splitlines(keepends=True)
        self.starts = [0, *accumulate(map(len, self.lines))]

    def mistakes(self) -> Iterator[Mistake]:
        """All mistakes but those in annotations, messages, guards, and what only tools read."""
        idle = [self._span(node) for node in _idle(self.tree)]
        for node in ast.walk(self.tree):
            for mistake in self._mistakes(node):
                if not any(start <= mistake.place[0] < end for start, end in idle):
                    yield mistake

    def _mistakes(self, node: ast.AST) -> Iterator[Mistake]:
        place = self._span(node) if hasattr(node, "lineno") else (0, 0)
        match node:
            case ast.Constant(value=bool() as value):
                yield Mistake(place, *place, str(not value))
            case ast.Constant(value=int() | float() | complex() as value):
                yield from (self._spaced(place, str(value + offset)) for offset in (1, -1))
            case ast.Break() | ast.Continue():
                yield Mistake(place, *place, "continue" if isinstance(node, ast.Break) else "break")
            case ast.UnaryOp():
                old, *others = SIGNS[type(node.op)]
                place = (place[0], place[0] + len(old))
                yield from (Mistake(place, *place, new) for new in others)
            case ast.BinOp():
                yield from self._exchanges(node.left, node.right, ARITHMETIC)
            case ast.BoolOp():
                for left, right in pairwise(node.values):
                    yield from self._exchanges(left, right, [("and", "or")])
            case ast.Compare():
                for left, right in pairwise([node.left, *node.comparators]):
                    exchanges = self._exchanges(left, right, COMPARISONS)
                    yield from (self._spaced(mistake.place, mistake.new) for mistake in exchanges)
            case ast.Dict():
                for value in (value for key, value in zip(node.keys, node.values, strict=True) if key is None):
                    end = self._end_before(self._span(value)[0])
                    yield from (Mistake((end - 2, end), end - 2, end, new) for new in ARITHMETIC[0][:-1])
            case ast.If() | ast.While() | ast.Assert() | ast.IfExp():
                if not self.text.startswith("elif", place[0]):
                    place = self._with_brackets(node.test)
                    yield Mistake(place, place[0], place[0], "not ")
            case ast.For():
                yield self._spaced(self._with_brackets(node.iter), "[]")
            case ast.ExceptHandler(type=ast.AST() as caught):
                for name in caught.elts if isinstance(caught, ast.Tuple) else [caught]:
                    yield Mistake(self._span(name), *self._span(name), "UnknownError")
            case ast.FunctionDef() | ast.ClassDef():
                yield from (self._removed(name) for name in node.decorator_list if not is_one_of(COMPILERS, name))

    def _span(self, node: ast.AST) -> tuple[int, int]:
        ends = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
        first, last = (self.starts[y - 1] + len(self.lines[y - 1].encode()[:x].decode()) for y, x in ends)
        return first, last

    def _exchanges(self, left: ast.AST, right: ast.AST, groups: Sequence[tuple[str, ...]]) -> Iterator[Mistake]:
        """The operator between two operands is another one of its group."""
        start, end = self._span(left)[1], self._span(right)[0]
        gap = re.sub(r"#.*", lambda comment: " " * len(comment[0]), self.text[start:end])
        old = gap.strip(" \n\\()")
        place = (start + gap.index(old), start + gap.index(old) + len(old))
        for group in groups:
            yield from (Mistake(place, *place, new) for new in group if old in group and new != old)

    def _end_before(self, place: int) -> int:
        return len(self.text[:place].rstrip())

    def _spaced(self, place: tuple[int, int], new: str) -> Mistake:
        """Replace what is at a place, and the blanks before it by one."""
        return Mistake(place, self._end_before(place[0]), place[1], f" {new}")

    def _with_brackets(self, node: ast.AST) -> tuple[int, int]:
        """The span of what follows a keyword, with the brackets around it."""
        start, end = self._span(node)
        while self.text[: self._end_before(start)].endswith("(") and self.text[end:].lstrip().startswith(")"):
            start, end = self._end_before(start) - 1, self.text.index(")", end) + 1
        return start, end

    def _removed(self, decorator: ast.expr) -> Mistake:
        """A decorator less, and the comment above it."""
        start, end = (
            self.text.rindex("@", 0, self._span(decorator)[0]),
            self.text.index("\n", self._span(decorator)[1]),
        )
        above = re.search(r"(^[ \t]*(#.*)?\n)*[ \t]*\Z", self.text[:start], re.MULTILINE)
        return Mistake((start, end), above.start() if above else start, end + 1, "")


def _idle(tree: ast.Module) -> Iterator[ast.AST]:
    """Annotations, messages, exports, imports for types, compilers of loops, and guards that no input reaches.

    Guards are ``frozen=True`` of a dataclass and ``strict=True`` of `zip`.
    """
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.AST() as part) | ast.AnnAssign(annotation=part):
                yield part
            case ast.FunctionDef():
                yield from filter(None, [node.returns])
                yield from (name for name in node.decorator_list if is_one_of(COMPILERS, name))
            case ast.ClassDef():
                yield from node.decorator_list
            case ast.Raise(exc=ast.Call() as call):
                yield from call.args
            case ast.Call(func=ast.Name(id="warn" | "cast")):
                yield from node.args[:1]
            case ast.Call(func=ast.Name(id="zip")):
                yield from (keyword.value for keyword in node.keywords)
            case ast.If() if ast.unparse(node.test).endswith("TYPE_CHECKING"):
                yield node
            case ast.Assign() if ast.unparse(node.targets[0]) == "__all__":
                yield node


def is_one_of(names: set[str], decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id in names

"""Mutants: small mistakes, one at a time, by the operators of cosmic-ray, in a sample that a seed fixes."""

from __future__ import annotations

import ast
import hashlib
import random
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider
from places import ROOMS, enclosing, idle_lines

SOURCE = Path(__file__).resolve().parents[2] / "src" / "eigenselect"
#: operators that are exchanged for one of their own kind only: any other is a TypeError in the first run of the line
#: (floats cannot be shifted), which would flatter the score
KINDS = (
    {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"},
    {"BitOr", "BitAnd", "BitXor"},
    {"LShift", "RShift"},
    {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"},
    {"Is", "IsNot"},
    {"USub", "UAdd"},
    {"Delete", "USub"}, {"Delete", "Invert"}, {"Delete", "Not"},
)  # fmt: skip
#: the only parts of a text that the many operators of these kinds look at
LOOKS_AT = {"ReplaceBinaryOperator": "operator", "ReplaceComparisonOperator": "comparison"}
#: steps of this part of the whole never come close to each other
GOLDEN = (5**0.5 - 1) / 2
#: they need names of variables
WITH_ARGUMENTS = {"VariableReplacer", "VariableInserter"}


@dataclass(frozen=True)
class Mutant:
    """One mistake: what stood on a line, what stands there now, and the whole text of the file."""

    file: str
    line: int
    within: str
    operator: str
    before: str
    after: str
    text: str

    @property
    def key(self) -> str:
        """What names it while the file does not change."""
        return f"{self.file}:{self.line} {hashlib.sha256(self.text.encode()).hexdigest()[:12]}"

    @property
    def room(self) -> str:
        return self.file.split("/")[0]

    @property
    def module(self) -> str:
        return "eigenselect." + self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@dataclass(frozen=True)
class Place:
    """A piece of code, and the mistakes that can be made there: names of operators, and which occurrence it is."""

    file: str
    start: tuple[int, int]
    end: tuple[int, int]
    mistakes: tuple[tuple[str, int], ...]


def sample(seed: int, per_room: int) -> list[Mutant]:
    """Draw as many mutants of each room: places spread evenly over its files, and one mistake at each.

    Places are in the order of files and lines, and drawn from a random start in steps of the golden ratio, so that each
    file has its share and a larger sample holds the smaller one. One mistake is drawn per place: an operator that has
    six others would else count three times a number.
    """
    places = {room: list(chain.from_iterable(map(places_of, files_of(room)))) for room in ROOMS}
    starts = {room: random.Random(f"{seed} {room}").random() for room in ROOMS}
    drawn = []
    for number in range(per_room):
        for room in ROOMS:
            index = int((starts[room] + number * GOLDEN) % 1.0 * len(places[room]))
            drawn.append(_first_sound(places[room], index, random.Random(f"{seed} {room} {number}")))
    return drawn


def files_of(room: str) -> list[str]:
    """The files of a room, as paths below the package."""
    return sorted(path.relative_to(SOURCE).as_posix() for path in (SOURCE / room).glob("*.py"))


def _first_sound(places: list[Place], index: int, dice: random.Random) -> Mutant:
    """A mutant of that place, or of the next one if none of its mistakes is Python."""
    for place in chain(places[index:], places[:index]):
        for operator, occurrence in dice.sample(place.mistakes, len(place.mistakes)):
            if mutant := made(place, operator, occurrence):
                return mutant
    raise RuntimeError("mutants: expected at least one place with a sound mistake, got none")


def made(place: Place, operator: str, occurrence: int) -> Mutant | None:
    """The mutant, or None where the text would be no Python, or the same to Python."""
    original = text_of(place.file)
    text = mutate_code(original, OperatorProvider()[operator](), occurrence)
    if text is None or not _is_other_python(original, text):
        return None
    before, after = _changed(original, text)
    return Mutant(place.file, place.start[0], enclosing(original, place.start[0]), operator, before, after, text)


def _is_other_python(original: str, text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            compile(text, "mutant", "exec")
            return ast.dump(ast.parse(text)) != ast.dump(ast.parse(original))
    except SyntaxError:
        return False


def _changed(original: str, text: str) -> tuple[str, str]:
    """The changed lines, before and after, with single spaces: what equivalent mutants are known by."""
    old, new = original.splitlines(), text.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return _one_line(old), _one_line(new)


def _one_line(lines: list[str]) -> str:
    return re.sub(r"\s+", " ", " ".join(lines)).strip()


def places_of(file: str) -> list[Place]:
    """All places of a file where a mistake of ours can be made, from top to bottom."""
    idle = idle_lines(text_of(file))
    found: dict[tuple[Any, Any], list[tuple[str, int]]] = defaultdict(list)
    for operator, occurrence, start, end in _occurrences(text_of(file)):
        if start not in idle:
            found[start, end].append((operator, occurrence))
    return [Place(file, *span, tuple(found[span])) for span in sorted(found)]


def _occurrences(text: str) -> Iterator[tuple[str, int, Any, Any]]:
    """Every operator at every node of the file, numbered as cosmic-ray does."""
    counts: dict[str, int] = defaultdict(int)
    for node in ast_nodes(get_ast(text)):
        for name, operator in _operators(node.type).items():
            for start, end in operator.mutation_positions(node):
                if node.parent is None or node.parent.type != "parameters":  # the bare star of a signature
                    yield name, counts[name], start, end
                counts[name] += 1


@cache
def _operators(part: str) -> dict[str, Any]:
    """Operators that may change such a part of a text."""
    names = [name for name in OperatorProvider() if name not in WITH_ARGUMENTS and _is_our_kind(name)]
    looking = [name for name in names if LOOKS_AT.get(name.split("_")[0], part) == part]
    return {name: OperatorProvider()[name]() for name in looking}


def _is_our_kind(operator: str) -> bool:
    """False for an exchange of one operator by one of another kind."""
    kind, *names = operator.split("_")
    exchange = kind in {"ReplaceBinaryOperator", "ReplaceComparisonOperator", "ReplaceUnaryOperator"}
    return not exchange or any(set(names) <= group for group in KINDS)


@cache
def text_of(file: str) -> str:
    return (SOURCE / file).read_text(encoding="utf-8")

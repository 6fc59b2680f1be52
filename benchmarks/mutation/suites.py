"""Which tests judge a mutant: those of its file, then those that name its module, its room, and some of other rooms."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutants import SOURCE, text_of
from places import ROOMS

ROOT = SOURCE.parents[1]
TESTS = ROOT / "tests"
#: tests of other rooms that stand on all four
ACROSS = ("selectors", "test_another_basis.py")
#: words in the paths of files that the later suites leave out: they take minutes, start processes, or hold the text of
#: the code and not what it computes
LEFT_OUT = (
    "calibration",
    "real_graphs",
    "cluster",
    "_dask",
    "approximate",
    "cli/",
    "comparing/",
    "architecture",
    "docs",
)


@dataclass(frozen=True)
class Suite:
    """Test files in the order in which they run, and whether only the first case of each test does."""

    name: str
    files: tuple[str, ...]
    quick: bool

    @property
    def arguments(self) -> list[str]:
        return ["--quick", *self.files] if self.quick else list(self.files)


@cache
def suites_for(file: str) -> tuple[Suite, ...]:
    """The suites for mutants of a file, which run one after the other until a test fails."""
    own = mirrored(file)
    first = Suite(f"tests of {file}", (*own, f"src/eigenselect/{file}"), False)
    others = dict.fromkeys((*naming(file), *room_tests(file.split("/")[0])))
    left = tuple(test for test in others if test not in own and test not in across())
    return first, Suite(f"the room of {file}", left, True), Suite("across", across(), True)


def mirrored(file: str) -> tuple[str, ...]:
    """test_NAME.py and test_NAME_*.py of the mirrored folder; test_NAME.py alone where another file has that name."""
    folder, name = (TESTS / file).parent, Path(file).stem
    stems = {path.stem for path in (SOURCE / file).parent.glob("*.py")} - {name}
    longer = [path for path in sorted(folder.glob(f"test_{name}_*.py")) if path.stem.removeprefix("test_") not in stems]
    return tuple(_relative(path) for path in [folder / f"test_{name}.py", *longer] if path.exists())


def naming(file: str) -> tuple[str, ...]:
    """Tests of any room that import something of the module."""
    room, name = Path(file).parent.as_posix().replace("/", "."), Path(file).stem
    pattern = re.compile(rf"eigenselect\.{room}(\.{name}\b| import .*\b{name}\b)")
    return tuple(
        _relative(path)
        for path in sorted(TESTS.rglob("test_*.py"))
        if not _is_left_out(path) and pattern.search(path.read_text(encoding="utf-8"))
    )


@cache
def room_tests(room: str) -> tuple[str, ...]:
    return tuple(_relative(path) for path in sorted((TESTS / room).glob("test_*.py")) if not _is_left_out(path))


@cache
def across() -> tuple[str, ...]:
    """Tests of what the rooms are for."""
    paths = [path for name in ACROSS for path in sorted((TESTS / name).glob("test_*.py")) or [TESTS / name]]
    return tuple(_relative(path) for path in paths if not _is_left_out(path))


def _is_left_out(path: Path) -> bool:
    return any(word in _relative(path) for word in LEFT_OUT)


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def kernels_of(file: str) -> frozenset[str]:
    """Modules whose kernels are made of a file, or of constants that it holds: none in a cache is that of a mutant."""
    paths = (path.relative_to(SOURCE).as_posix() for room in ROOMS for path in (SOURCE / room).glob("*.py"))
    return frozenset(Path(path).stem for path in paths if file in _made_of(path))


def _made_of(path: str) -> set[str]:
    """A file with kernels and all that it imports; nothing if it has none."""
    imported = [node.module or "" for node in ast.parse(text_of(path)).body if isinstance(node, ast.ImportFrom)]
    files = {name.removeprefix("eigenselect.").replace(".", "/") + ".py" for name in imported}
    return {path, *files} if "_compiled.py" in files else set()

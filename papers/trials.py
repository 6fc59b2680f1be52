"""Trials: each is made once and kept in a file, several at a time, with the time that is left on the terminal.

A trial is a function of the module ``NAME_trials.py`` and a key, which are its arguments: ``("PIX10P", "half", 3)``.
What it returns is plain (numbers, texts, lists, dicts with texts as keys) and is kept as JSON under build/papers.
A run that was stopped goes on where it was. A kept trial counts only while the library, the files that the trial is
made of, the libraries that compute and the sizes of the data sets are what they were (`fingerprint`).
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from joblib import Parallel, cpu_count, delayed
from threadpoolctl import threadpool_limits

PAPERS = Path(__file__).resolve().parent
LIBRARY = PAPERS.parent / "src" / "eigenselect"
#: rooms of the library that only speak: no trial calls them
SPEAKING = ("cli", "reporting")
COMPUTING = ("numpy", "scipy", "scikit-learn")
DATA = PAPERS.parents[1] / "shared" / "data"
KEPT = PAPERS.parent / "build" / "papers"
#: settings, and the rules that decide the papers' statements, were made on lower seeds and fixed before these were run
FIRST_SEED = 2000
SECONDS_BETWEEN_LINES = 5.0

Key = tuple[str | int, ...]


def fresh_seeds(n_trials: int) -> range:
    """The seeds of the trials that the tables show."""
    return range(FIRST_SEED, FIRST_SEED + n_trials)


def span(seeds: Sequence[int]) -> str:
    """``"seeds 2000 to 2009"``."""
    return f"seeds {seeds[0]} to {seeds[-1]}"


@dataclass(frozen=True)
class Trials:
    """What the trials returned, by key, and the seconds of processor time that they took, added up."""

    values: dict[Key, Any]
    seconds: float


def run_trials(trial: Callable[..., Any], keys: Iterable[Key], *, folder: Path = KEPT) -> Trials:
    """Make ``trial(*key)`` for every key, or read it where it is kept; one trial on each core, each on one thread."""
    keys = list(dict.fromkeys(keys))
    source = Path(sys.modules[trial.__module__].__file__ or "")
    made_of, folder = fingerprint(source), folder / source.stem.removesuffix("_trials")
    kept = {key: found for key in keys if (found := _read(_path(folder, key), made_of)) is not None}
    left = [key for key in keys if key not in kept]
    line = _TimeLeft(folder.name, len(kept), len(keys))
    jobs = (delayed(_timed)(trial, key) for key in left)
    for key, value, seconds in Parallel(cpu_count(), return_as="generator_unordered")(jobs):
        text = json.dumps({"made_of": made_of, "seconds": seconds, "value": value}, ensure_ascii=False)
        _write(_path(folder, key), text)
        kept[key] = json.loads(text)  # what a later run will read: lists for tuples, texts as keys
        line.one_more()
    return Trials({key: kept[key]["value"] for key in keys}, sum(kept[key]["seconds"] for key in keys))


def fingerprint(source: Path) -> str:
    """Return a digest of what computes a trial: our code, the versions of other libraries, the data sets' sizes.

    Our code is the library but its `SPEAKING` rooms, a file of this folder, and those that it imports.
    """
    digest = hashlib.sha256()
    for path in sorted({*computing_files(), *_with_imports(source)}):
        digest.update(path.read_bytes())
    digest.update(repr([version(name) for name in COMPUTING]).encode())
    digest.update(repr(sorted((path.name, path.stat().st_size) for path in DATA.glob("*"))).encode())
    return digest.hexdigest()


def computing_files() -> list[Path]:
    """The files of the library whose change makes trials anew."""
    return [path for path in LIBRARY.rglob("*.py") if path.relative_to(LIBRARY).parts[0] not in SPEAKING]


def _with_imports(source: Path) -> set[Path]:
    """A file and the files of its folder that it imports, and these, and so on."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        found.add(path)
        names = _imported(ast.parse(path.read_text(encoding="utf-8")))
        beside = {path.with_name(f"{name}.py") for name in names}
        waiting += [other for other in beside - found if other.is_file()]
    return found


def _imported(tree: ast.AST) -> set[str]:
    names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return names | {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}


def _timed(trial: Callable[..., Any], key: Key) -> tuple[Key, Any, float]:
    start = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # small classes, constant columns: see each script's choices
        value = trial(*key)
    return key, value, time.process_time() - start


def _path(folder: Path, key: Sequence[str | int]) -> Path:
    return folder / ("-".join(str(part).replace(os.sep, "_") for part in key) + ".json")


def _read(path: Path, made_of: str) -> dict[str, Any] | None:
    """Return what is kept there, unless it was made of other files or was not written to its end."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("made_of") == made_of else None


def _write(path: Path, text: str) -> None:
    """Whole or not at all: a run may be stopped at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


class _TimeLeft:
    """A line on stderr now and then: how many trials are there, and how long the others will take."""

    def __init__(self, name: str, done: int, total: int) -> None:
        self.name, self.before, self.done, self.total = name, done, done, total
        self.start = self.last = time.monotonic()
        if done:
            print(f"{name}: {done} of {total} trials are kept from an earlier run", file=sys.stderr)

    def one_more(self) -> None:
        self.done += 1
        now = time.monotonic()
        if self.done < self.total and now - self.last < SECONDS_BETWEEN_LINES:
            return
        self.last = now
        left = (now - self.start) / (self.done - self.before) * (self.total - self.done)
        print(f"{self.name}: {self.done} of {self.total} trials, about {left:.0f} s left", file=sys.stderr, flush=True)

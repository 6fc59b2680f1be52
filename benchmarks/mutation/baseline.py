"""The tests without a mutant: they must pass, and how much processor time they take sets the limits of mutants."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Self

import trial
from suites import Suite, suites_for

#: a suite may take so many times its own processor time, and so many seconds more for imports and compilation
TIMES, MORE = 4.0, 25.0


class Baseline:
    """Seconds of processor time of each test file."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    @classmethod
    def measured(cls, state: Any, files: list[str], jobs: int, kernels: Path) -> Self:
        """Run each test file that will be asked once; those that were measured before are not run again."""
        known: dict[str, float] = state.content["baseline"]
        running: dict[int, tuple[trial.Trial, int]] = {}
        waiting = [suite for suite in _parts(files) if not known.keys() >= {_key(suite, x) for x in suite.files}]
        while waiting or running:
            while waiting and len(running) < jobs:
                started = trial.start(None, waiting.pop(), 1800, kernels)
                running[started.process] = started, 0
            for ended, _, told in trial.ended(running):
                if told["verdict"] != "survived":
                    for other, _ in running.values():
                        other.end()
                    sys.exit(f"mutation: expected tests that pass without a mutant, got {told['by']}; mend it first")
                known |= {_key(ended.suite, x): told["files"].get(x, 0.0) for x in ended.suite.files}
                state.save()
        return cls(known)

    def limit(self, suite: Suite) -> float:
        return TIMES * sum(self.seconds[_key(suite, x)] for x in suite.files) + MORE


def _key(suite: Suite, file: str) -> str:
    return f"{file} --quick" if suite.quick else file


def _parts(files: list[str]) -> list[Suite]:
    """All test files of all suites, each once, in parts of one folder."""
    parts: dict[tuple[bool, str], dict[str, None]] = {}
    for suite in (suite for file in files for suite in suites_for(file)):
        for test in suite.files:
            parts.setdefault((suite.quick, str(Path(test).parent)), {})[test] = None
    return [Suite(f"baseline {folder}", tuple(tests), quick) for (quick, folder), tests in parts.items()]

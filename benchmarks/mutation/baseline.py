"""The tests without a mutant: they must pass, and how much processor time they take sets the limits of mutants."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Self

import trial
from suites import Suite, suites_for

#: a suite may take so many times its own processor time, and so many seconds more for imports and compilation
TIMES, MORE = 4.0, 25.0


class Baseline:
    """Seconds of processor time of each test file."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    @classmethod
    def measured(cls, version: str, files: list[str], jobs: int, kernels: Path) -> Self:
        """Run each test file that will be asked once; those measured for the same version are not run again."""
        kept = kernels.with_name("baseline.json")
        old = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        known: dict[str, float] = old.get(version, {})
        running: dict[int, tuple[trial.Trial, int]] = {}
        waiting = _parts(files, known)
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
                kept.write_text(json.dumps({version: known}), encoding="utf-8")
        return cls(known)

    def limit(self, suite: Suite) -> float:
        return TIMES * sum(self.seconds[_key(suite, x)] for x in suite.files) + MORE


def _key(suite: Suite, file: str) -> str:
    return f"{file} --quick" if suite.quick else file


def _parts(files: list[str], known: dict[str, float]) -> list[Suite]:
    """All test files of all suites that are not known yet, each once, in parts of one folder."""
    parts: dict[tuple[bool, str], dict[str, None]] = {}
    for suite in (suite for file in files for suite in suites_for(file)):
        for test in (test for test in suite.files if _key(suite, test) not in known):
            parts.setdefault((suite.quick, str(Path(test).parent)), {})[test] = None
    return [Suite(f"baseline {folder}", tuple(tests), quick) for (quick, folder), tests in parts.items()]

"""Mutation score: how many small mistakes in the four rooms of the mathematics make a test fail.

    python benchmarks/mutation/run.py [--seed 1] [--per-room 50] [--jobs 2] [--survivors] [--only TEXT]

A run that was stopped goes on where it was, as long as neither sources nor tests have changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import equivalents
import scores
import trial
from baseline import Baseline
from mutants import SOURCE, Mutant, sample
from suites import ROOT, suites_for

BUILD = ROOT / "build" / "mutation"


def main() -> int:
    options = _options()
    begun = time.monotonic()
    BUILD.mkdir(parents=True, exist_ok=True)
    state = State.of(BUILD / f"seed-{options.seed}.json", fingerprint(), options.survivors)
    drawn = sample(options.seed, options.per_room)
    chosen = [mutant for mutant in drawn if options.only in mutant.file]
    trial.warm_up()
    baseline = Baseline.measured(
        state.content["version"], sorted({mutant.file for mutant in chosen}), options.jobs, BUILD / "kernels"
    )
    todo = [mutant for mutant in chosen if not state.knows(mutant)]
    print(f"{len(drawn)} mutants, {len(todo)} to be judged", flush=True)
    for mutant, verdict in judged(todo, baseline, options.jobs):
        state.add(mutant, verdict, time.monotonic() - begun)
    return _finish(options, state, chosen, whole=len(chosen) == len(drawn) and not options.survivors)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-room", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="mutants of files with this in their path")
    parser.add_argument("--survivors", action="store_true", help="judge again what survived, keep what was killed")
    return parser.parse_args()


def judged(todo: list[Mutant], baseline: Baseline, jobs: int) -> Iterator[tuple[Mutant, dict[str, Any]]]:
    """Each mutant with its verdict, as they come; several at a time."""
    waiting = [(mutant, 0) for mutant in reversed(todo)]
    running: dict[int, tuple[trial.Trial, int]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant, step = waiting.pop()
            if why := equivalents.reason(mutant):
                yield mutant, {"verdict": "equivalent", "by": why}
                continue
            suite = suites_for(mutant.file)[step]
            started = trial.start(mutant, suite, baseline.limit(suite), BUILD / "kernels")
            running[started.process] = started, step
        for ended, step, told in trial.ended(running):
            mutant = ended.mutant
            if told["verdict"] == "survived" and step + 1 < len(suites_for(mutant.file)):
                waiting.append((mutant, step + 1))
            else:
                yield mutant, told


class State:
    """What is known so far, on disk after every mutant."""

    def __init__(self, path: Path, content: dict[str, Any]) -> None:
        self.path, self.content = path, content
        self.verdicts: dict[str, dict[str, Any]] = content["verdicts"]

    @classmethod
    def of(cls, path: Path, version: str, survivors: bool) -> State:
        """Go on from the file if it is of these sources and tests, or if only survivors are asked for again."""
        empty = {"version": version, "verdicts": {}, "seconds": 0.0}
        old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else empty
        if survivors:
            kept = {key: value for key, value in old["verdicts"].items() if value["verdict"] in scores.DEAD}
            return cls(path.with_suffix(".survivors.json"), empty | {"verdicts": kept})
        return cls(path, old if old["version"] == version else empty)

    def knows(self, mutant: Mutant) -> bool:
        """Whether a verdict stands: not that of a survivor that was listed as equivalent since."""
        known = self.verdicts.get(mutant.key)
        return known is not None and not (known["verdict"] == "survived" and equivalents.reason(mutant))

    def add(self, mutant: Mutant, verdict: dict[str, Any], seconds: float) -> None:
        self.verdicts[mutant.key] = verdict
        self.content["seconds"] += seconds - getattr(self, "last", 0.0)
        self.last = seconds
        self.save()
        print(
            f"{len(self.verdicts):4d} {verdict['verdict']:10s} {mutant.file}:{mutant.line}  {verdict['by'][:90]}",
            flush=True,
        )
        if verdict["verdict"] in {"survived", "invalid"}:
            print(f"     - {mutant.before}\n     + {mutant.after}", flush=True)

    def save(self) -> None:
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.content, indent=1), encoding="utf-8")
        part.replace(self.path)


def fingerprint() -> str:
    """What the verdicts depend on: the sources, the tests, and how mutants are made and judged."""
    paths = [*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *Path(__file__).parent.glob("*.py")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths))).hexdigest()


def _finish(options: argparse.Namespace, state: State, chosen: list[Mutant], whole: bool) -> int:
    """Print the scores, keep the results of a whole run, and fail below the goal."""
    fields = ("file", "line", "within", "operator", "before", "after")
    rows = [{name: getattr(mutant, name) for name in fields} | state.verdicts[mutant.key] for mutant in chosen]
    print("\n" + scores.table(rows))
    if whole:
        result = {
            "seed": options.seed,
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "minutes": state.content["seconds"] / 60,
        }
        path = Path(__file__).parent / "results" / f"seed-{options.seed}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(result | {"mutants": rows}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"written: {scores.write()}")
    is_valid = not any(row["verdict"] == "invalid" for row in rows)
    return 0 if is_valid and scores.score(rows) >= scores.GOAL else 1


if __name__ == "__main__":
    sys.exit(main())

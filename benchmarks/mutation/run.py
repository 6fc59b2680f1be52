"""Mutation score: how many small mistakes in the mathematics make a test fail.

A run that was stopped goes on where it was, as long as neither sources nor tests have changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chosen import Recording, record
from mutants import PACKAGES, Mutant, sample
from scipy.stats import binomtest
from trial import Trial, warm_up

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "mutation"
#: the share of mutants that tests must notice
GOAL = 0.8
#: the tests of a mutant run in three batches, so that most mutants need only a few test files
FIRST, SECOND = 20, 150
Row = dict[str, Any]


def main() -> int:
    options = _options()
    version = fingerprint(options.root)
    recorded = options.coverage or BUILD / version / "coverage"
    if not recorded.exists():
        record(options.root, recorded, options.jobs)
    run = Run(options, Recording(options.root, recorded), version)
    drawn = sample(options.root / "src" / "eigenselect", options.seed, options.per_package)
    warm_up()
    is_sound = False
    while not is_sound:
        run.judge([mutant for mutant in drawn if not run.row_of(mutant)])
        is_sound = not run.strike_out()
    rows = [row for row in map(run.row_of, drawn) if row]
    print("\n" + table(rows))
    if options.results is None:
        write_page()
    killed, survived, invalid = (count(verdict, rows) for verdict in ("killed", "survived", "invalid"))
    return 1 if invalid or killed < GOAL * (killed + survived) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-package", type=int, default=50, help="how many mutants are drawn")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--budget", type=float, default=120.0, help="recorded seconds of tests for each mutant")
    parser.add_argument("--root", type=Path, default=HERE.parents[1], help="judge sources and tests of this checkout")
    parser.add_argument("--coverage", type=Path, help="a recorded run of its tests, with junit.xml beside it")
    parser.add_argument("--first", type=Path, help="earlier results: the test that failed then runs first")
    parser.add_argument("--results", type=Path, help="where verdicts go instead of results/, without RESULTS.md")
    return parser.parse_args()


def fingerprint(root: Path) -> str:
    """What verdicts depend on: the sources and the tests."""
    paths = sorted([*(root / "src").rglob("*.py"), *(root / "tests").rglob("*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


class Run:
    """Mutants against the tests chosen for them, with the verdicts on disk after each one."""

    def __init__(self, options: argparse.Namespace, recording: Recording, version: str) -> None:
        self.options, self.recording = options, recording
        self.path = options.results or HERE / "results" / f"seed-{options.seed}.json"
        self.results = _read(self.path)
        if self.results.get("version") != version:
            self.results = {"seed": options.seed, "version": version, "unreliable": [], "mutants": []}
        self.first = {_place(row): row["by"] for row in _read(options.first).get("mutants", [])}

    def row_of(self, mutant: Mutant) -> Row | None:
        rows = (row for row in self.results["mutants"] if row["line"] == mutant.line)
        return next((row for row in rows if _place(row) == _place(vars(mutant))), None)

    def judge(self, waiting: list[Mutant]) -> None:
        """Try mutants, several at a time."""
        print(f"{len(waiting)} mutants to be judged", flush=True)
        running: dict[int, tuple[Mutant, Trial]] = {}
        while waiting or running:
            while waiting and len(running) < self.options.jobs:
                mutant = waiting.pop(0)
                if mutant.equivalent:
                    self._add(mutant, {"verdict": "equivalent", "by": mutant.equivalent})
                else:
                    trial = self._trial(mutant, self._batches(mutant))
                    running[trial.start()] = mutant, trial
            if running:
                process, _ = os.wait()
                mutant, trial = running.pop(process)
                self._add(mutant, trial.outcome(process))

    def strike_out(self) -> list[str]:
        """Forget mutants that were noticed by tests that fail without a mutant, too, and return these tests."""
        killers = {row["by"]: 10.0 for row in self.results["mutants"] if row["verdict"] == "killed"}
        tests = {test: seconds for test, seconds in killers.items() if not test.startswith("import: ")}
        trial = self._trial(None, [tests])
        process = trial.start()
        os.waitpid(process, 0)
        outcome = trial.outcome(process)
        failed = list(outcome.get("failed", [outcome["by"]]))
        self.results["unreliable"] += failed
        self.results["mutants"] = [row for row in self.results["mutants"] if row["by"] not in failed]
        self._save()
        return failed

    def _trial(self, mutant: Mutant | None, batches: list[dict[str, float]]) -> Trial:
        BUILD.mkdir(parents=True, exist_ok=True)
        return Trial(self.options.root, mutant, batches, Path(tempfile.mkdtemp(prefix="mutant-", dir=BUILD)))

    def _batches(self, mutant: Mutant) -> list[dict[str, float]]:
        """The test that failed in an earlier run, and then all chosen ones, cheapest first."""
        seconds, earlier = self.recording.seconds, self.first.get(_place(vars(mutant)))
        tests = self.recording.tests_for(mutant.file, mutant.line, self.options.budget)
        tests = [test for test in tests if test not in self.results["unreliable"]]
        batches = [earlier] if earlier in seconds else [], tests[:FIRST], tests[FIRST:SECOND], tests[SECOND:]
        return [{test: seconds[test] for test in batch} for batch in batches]

    def _add(self, mutant: Mutant, outcome: Row) -> None:
        row = {name: value for name, value in vars(mutant).items() if name != "text"}
        row |= {name: outcome[name] for name in ("verdict", "by")}
        self.results["mutants"].append(row)
        self._save()
        number = len(self.results["mutants"])
        print(f"{number:4d} {row['verdict']:10s} {row['file']}:{row['line']}  {row['by'][:90]}", flush=True)

    def _save(self) -> None:
        self.results["date"] = f"{datetime.now(UTC):%F}"
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        part.replace(self.path)


def _read(path: Path | None) -> Row:
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path and path.exists() else {}


def _place(row: Row) -> tuple[str, ...]:
    """What a mutant is known by after lines have moved."""
    return row["file"], row["within"], row["before"], row["after"]


def count(verdict: str, rows: list[Row]) -> int:
    return sum(row["verdict"] == verdict for row in rows)


def table(rows: list[Row]) -> str:
    """One line for each package, and one for all, with Wilson's interval: a sample says only so much about the rest."""
    lines = ["| package | drawn | equivalent | killed | survived | score |", "|---|---:|---:|---:|---:|---:|"]
    for name in (*PACKAGES, "all"):
        part = [row for row in rows if row["file"].startswith(f"{name}/") or name == "all"]
        equivalent, killed, survived = (count(verdict, part) for verdict in ("equivalent", "killed", "survived"))
        if killed + survived:
            found = binomtest(killed, killed + survived)
            low, high = found.proportion_ci(method="wilson")
            score = f"{found.statistic:.1%} ({low:.0%} to {high:.0%})"
            lines.append(f"| {name} | {len(part)} | {equivalent} | {killed} | {survived} | {score} |")
    return "\n".join(lines)


def write_page() -> None:
    """Write RESULTS.md: for each seed the table and the survivors."""
    parts = ["# Mutation score", "Written by `make mutation`; CONTRIBUTING.md says how it is measured."]
    for path in sorted((HERE / "results").glob("seed-*.json")):
        result = _read(path)
        parts += [f"## Seed {result['seed']}, {result['date']}", table(result["mutants"]), "Survivors:"]
        left = [row for row in result["mutants"] if row["verdict"] == "survived"]
        parts += ["\n".join(f"- `{x['file']}:{x['line']}` `{x['before']}` → `{x['after']}`" for x in left) or "none"]
    (HERE / "RESULTS.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

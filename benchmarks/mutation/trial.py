"""Tests against one mutant, in a process forked from a warm one, which imports a copy of the sources."""

from __future__ import annotations

import importlib
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants import Mutant

#: what tests import of others: once, before all forks
LIBRARIES = ("anndata", "dask.array", "hypothesis.extra.numpy", "numba", "pytest", "sklearn.utils.estimator_checks")
#: bytes that a mutant may ask for: a wrong size is an error, and not the end of the machine
MEMORY = 6 << 30
#: tests may take so many times the recorded seconds, and so many seconds more for imports and compilation
TIMES, MORE = 4.0, 60.0
#: marks of tests whose work is done by other processes, which do not have the mutant
LEFT_OUT = {"cluster", "browser"}
OPTIONS = ("-p", "no:xdist", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--tb=line")
#: of plugins that the warm process has imported
WARNINGS = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


def warm_up() -> None:
    """Import what does not change; numba loads much more at its first compilation."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in LIBRARIES:
            importlib.import_module(name)
        sys.modules["numba"].njit(lambda x: x + 1.0)(1.0)


@dataclass(frozen=True)
class Trial:
    """Batches of tests, with the seconds of each test, that run one after the other until a test fails.

    Without a mutant all of them run, and the outcome tells which fail on the library as it is.
    """

    root: Path
    mutant: Mutant | None
    batches: list[dict[str, float]]
    folder: Path

    def start(self) -> int:
        """Fork the process that runs it."""
        sys.stdout.flush()
        (self.folder / "running").write_text("import: the process ended")
        if process := os.fork():
            return process
        try:
            outcome = self._run()
        except BaseException:
            outcome = {"verdict": "invalid", "by": traceback.format_exc()}
        (self.folder / "outcome").write_text(json.dumps(outcome))
        os._exit(0)

    def outcome(self, process: int) -> dict[str, Any]:
        """Whether a test failed, and which, or which one was running when the process ended."""
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)  # what it has started and left behind
        written = self.folder / "outcome"
        outcome = {"verdict": "killed", "by": (self.folder / "running").read_text()}
        if written.exists():
            outcome = json.loads(written.read_text())
        shutil.rmtree(self.folder, ignore_errors=True)
        return outcome

    def _run(self) -> dict[str, Any]:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        output = os.open(self.folder / "output", os.O_WRONLY | os.O_CREAT)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.chdir(self.root)
        os.environ |= {"HYPOTHESIS_STORAGE_DIRECTORY": str(self.folder), "TMPDIR": str(self.folder)}
        tempfile.tempdir = None
        sys.path[:0] = [str(self._sources()), str(self.root / "tests")]
        try:
            if self.mutant:
                importlib.import_module("eigenselect." + self.mutant.file.removesuffix(".py").replace("/", "."))
        except Exception as error:
            return {"verdict": "killed", "by": f"import: {type(error).__name__}: {error}"}
        failed: list[str] = []
        for batch in filter(None, self.batches):
            code = self._run_batch(batch, failed)
            if failed and self.mutant:
                return {"verdict": "killed", "by": failed[0]}
            if code not in {0, 1, 5}:
                return {"verdict": "invalid", "by": f"pytest ended with {code}"}
        return {"verdict": "survived", "by": "", "failed": failed}

    def _run_batch(self, batch: dict[str, float], failed: list[str]) -> int:
        """Run tests, for so many seconds of the processor at most or, should it wait, ten times as long."""
        seconds = TIMES * sum(batch.values()) + MORE
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, resource.RLIM_INFINITY))
        signal.alarm(int(10 * seconds))
        files = dict.fromkeys(test.partition("::")[0] for test in batch)
        first = ["-x"] if self.mutant else []
        plugin = Watch(batch, failed, self.folder / "running")
        return int(sys.modules["pytest"].main([*OPTIONS, *WARNINGS, *first, *files], plugins=[plugin]))

    def _sources(self) -> Path:
        """A copy of the sources with the mutant, and without compiled loops that are made of its file.

        Numba compiles a loop again if its file has changed, but not if the file of a constant or of another loop has.
        """
        if not self.mutant:
            return self.root / "src"
        texts = [(path.stem, path.read_text(encoding="utf-8")) for path in (self.root / "src").glob("*/*/*.py")]
        loops = [(name, set(re.findall(r"(\w+) import", text))) for name, text in texts if "_compiled import" in text]
        stale = {Path(self.mutant.file).stem}
        while more := {name for name, imported in loops if stale & imported} - stale:
            stale |= more
        ignored = shutil.ignore_patterns(*(f"{name}.*.nb?" for name in stale))
        copy = Path(shutil.copytree(self.root / "src", self.folder / "src", ignore=ignored))
        (copy / "eigenselect" / self.mutant.file).write_text(self.mutant.text, encoding="utf-8")
        return copy


class Watch:
    """A plugin of pytest: keeps the chosen tests, and notes which one runs and which fail."""

    def __init__(self, chosen: dict[str, float], failed: list[str], running: Path) -> None:
        self.chosen, self.failed, self.running = chosen, failed, running

    def pytest_configure(self, config: Any) -> None:
        """Give tests of random tables the time that a busy machine takes."""
        from hypothesis import HealthCheck, settings

        checks = list(HealthCheck)
        settings.register_profile(
            "mutants", max_examples=30, deadline=None, database=None, suppress_health_check=checks
        )
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        chosen = (item for item in items if item.nodeid in self.chosen)
        items[:] = [item for item in chosen if not LEFT_OUT & {mark.name for mark in item.iter_markers()}]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.running.write_text(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    pytest_collectreport = pytest_runtest_logreport

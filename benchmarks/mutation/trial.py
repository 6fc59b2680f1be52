"""One suite against one mutant, in a process forked from a warm one, where the mutant is imported for its file."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants import SOURCE, Mutant
from suites import ROOT, Suite, kernels_of

#: what tests import of others: once, before all forks
LIBRARIES = (
    "numpy", "scipy.sparse.linalg", "scipy.sparse.csgraph", "scipy.stats", "scipy.spatial", "scipy.special",
    "scipy.optimize", "scipy.linalg", "pandas", "sklearn.pipeline", "sklearn.datasets", "sklearn.model_selection",
    "sklearn.feature_selection", "sklearn.decomposition", "sklearn.neighbors", "sklearn.ensemble", "sklearn.cluster",
    "sklearn.linear_model", "sklearn.svm", "sklearn.utils.estimator_checks", "numba", "pytest", "_pytest.doctest",
    "hypothesis.extra.numpy", "dask.array", "anndata",
)  # fmt: skip
#: bytes that a mutant may ask for: a wrong size is an error, and not the end of the machine
MEMORY = 6 << 30


@dataclass
class Trial:
    """A suite that runs against a mutant, or against the library as it is (None)."""

    mutant: Mutant | None
    suite: Suite
    folder: Path
    process: int
    seconds: float
    started: float

    def is_overdue(self) -> bool:
        """A process that waits for ever uses no processor: it has ten times as long by the clock."""
        return time.monotonic() - self.started > 10 * self.seconds + 60

    def end(self) -> None:
        os.killpg(self.process, signal.SIGKILL)

    def outcome(self, status: int) -> dict[str, Any]:
        """Whether a test failed, and which, or how the process ended before one could."""
        path = self.folder / "outcome.json"
        told = json.loads(path.read_text()) if path.exists() else {"verdict": "crashed", "by": f"wait status {status}"}
        if os.WIFSIGNALED(status):
            late = os.WTERMSIG(status) in {signal.SIGXCPU, signal.SIGKILL}
            told = {
                "verdict": "timeout" if late else "crashed",
                "by": f"{self.suite.name}: signal {os.WTERMSIG(status)}",
            }
        shutil.rmtree(self.folder, ignore_errors=True)
        return told


def ended(running: dict[int, tuple[Trial, int]]) -> Iterator[tuple[Trial, int, dict[str, Any]]]:
    """Wait a moment; take out of the running those that are done, and end those that are late."""
    time.sleep(0.05)
    for process, (one, step) in list(running.items()):
        if one.is_overdue():
            one.end()
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            del running[process]
            yield one, step, one.outcome(status)


def warm_up() -> None:
    """Import what does not change; numba loads much more at its first compilation."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in LIBRARIES:
            importlib.import_module(name)
        import numba

        numba.njit(lambda x: x + 1.0)(1.0)
    loaded = [name for name in sys.modules if name.split(".")[0] == "eigenselect"]
    if loaded:
        raise RuntimeError(f"mutation: expected no module of the library in the warm process, got {loaded}")


def start(mutant: Mutant | None, suite: Suite, seconds: float, kernels: Path) -> Trial:
    """Fork a process that runs the suite, within so many seconds of processor time."""
    folder = Path(tempfile.mkdtemp(prefix="mutant-", dir=kernels.parent))
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            told = _run(mutant, suite, seconds, kernels, folder)
        except BaseException:
            told = {"verdict": "invalid", "by": traceback.format_exc()}
        (folder / "outcome.json").write_text(json.dumps(told))
        os._exit(0)
    return Trial(mutant, suite, folder, process, seconds, time.monotonic())


def _run(mutant: Mutant | None, suite: Suite, seconds: float, kernels: Path, folder: Path) -> dict[str, Any]:
    """The life of the forked process."""
    os.setsid()
    _limit(seconds)
    output = os.open(folder / "output", os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(output, stream)
    _set_up_numba(_without_stale(kernels, mutant.file, folder / "kernels") if mutant else kernels)
    os.chdir(ROOT)
    os.environ |= {"HYPOTHESIS_STORAGE_DIRECTORY": str(folder), "TMPDIR": str(folder)}
    tempfile.tempdir = None
    return _judged(mutant, suite)


def _judged(mutant: Mutant | None, suite: Suite) -> dict[str, Any]:
    import pytest

    if mutant:
        sys.meta_path.insert(0, Impostor(mutant))
        try:
            importlib.import_module(mutant.module)
        except Exception as error:
            return {"verdict": "killed", "by": f"import: {type(error).__name__}: {error}"}
    witness = Witness()
    told = {"files": witness.seconds}
    options = ["-x", "-p", "no:xdist", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--tb=line"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of plugins that the warm process has imported
    code = pytest.main([*options, *suite.arguments], plugins=[witness])
    if code in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        return told | {"verdict": "survived", "by": ""}
    if witness.failed:
        return {"verdict": "killed", "by": witness.failed[0]}
    return {"verdict": "invalid", "by": f"pytest ended with {code}"}


def _limit(seconds: float) -> None:
    whole = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _without_stale(kernels: Path, file: str, own: Path) -> Path:
    """The cache of compiled kernels, without those of the mutant's file if it has any.

    Numba knows a kernel by the place and the age of its file, which the mutant shares.
    """
    if not kernels_of(file):
        return kernels
    stale = [f"{name}.*" for name in kernels_of(file)]
    shutil.copytree(kernels, own, copy_function=os.link, ignore=shutil.ignore_patterns(*stale))
    return own


def _set_up_numba(folder: Path) -> None:
    import numba

    numba.config.CACHE_DIR = str(folder)
    os.environ["NUMBA_CACHE_DIR"] = str(folder)


class Impostor(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Finds one module, and loads the mutant's text for it."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(SOURCE / mutant.file))
        self.text = mutant.text

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def get_code(self, fullname: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return compile(self.text, self.path, "exec", dont_inherit=True)


class Witness:
    """Remembers the first failure, and gives tests of random tables the time that a busy machine takes."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        #: seconds of processor time of each file
        self.seconds: dict[str, float] = defaultdict(float)
        self.last = time.process_time()

    def pytest_configure(self, config: Any) -> None:
        from hypothesis import HealthCheck, settings

        settings.register_profile(
            "mutants", max_examples=30, deadline=None, database=None, suppress_health_check=list(HealthCheck)
        )
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: Any) -> None:
        now = time.process_time()
        self.seconds[report.nodeid.split("::")[0]] += now - self.last
        self.last = now
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        self.last = time.process_time()
        if report.failed:
            self.failed.append(f"collecting {report.nodeid}")

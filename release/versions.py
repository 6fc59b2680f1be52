"""Run the tests with the lowest libraries that pyproject.toml allows, or with the newest, each on its Pythons.

Environments are in build/versions, made by uv, which can choose the lowest version of every direct dependency itself;
nobody keeps a list. A Python that is not on this machine is said loudly, and is no failure: on the forge each has a
job of its own.

``PYTHONS="3.12 3.13" TESTS="tests/io tests/matrix" python -m release.versions newest``
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from release.facts import ROOT, name_and_bounds, project
from release.pythons import PROMISED, found

#: tests need these, but they had no wheels for the free-threaded build of Python 3.14 when this was written:
#: polars and clarabel (a part of cvxpy) are built for the stable ABI, which that build does not have
NO_FREE_THREADED_WHEELS = {"polars", "cvxpy"}
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
SHOWN = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "anndata", "zarr", "dask")
TELL = (
    "import sys; from importlib.metadata import version; "
    "print(sys.version.split()[0], *(f'{name} {version(name)}' for name in sys.argv[1:]), sep=', ')"
)


def main(which: str) -> int:
    """Run one of the two sets; the exit code says whether all that could run passed."""
    default = PROMISED[:1] if which == "lowest" else PROMISED
    wanted = os.environ.get("PYTHONS", "").split() or list(default)
    there = {version: found(version) for version in wanted}
    results = {version: checked(which, version, python) for version, python in there.items() if python}
    for version in (version for version, python in there.items() if python is None):
        say_loudly(f"{which.upper()} LIBRARIES WERE NOT TESTED ON PYTHON {version}: IT IS NOT ON THIS MACHINE")
    for version, passed in results.items():
        print(f"{which} libraries on Python {version}: {'passed' if passed else 'FAILED'}", flush=True)
    return 0 if results and all(results.values()) else 1


def checked(which: str, version: str, python: Path) -> bool:
    """Install and test in an environment of its own; return whether both went well."""
    environment = ROOT / "build" / "versions" / f"{which}-{version}"
    program = environment / "bin" / "python"
    print(f"{which} libraries on Python {version}: installing in {environment.relative_to(ROOT)} ...", flush=True)
    chosen = ("--python", str(program), "--resolution", RESOLUTIONS[which])
    return (
        uv("venv", "--quiet", "--clear", "--python", str(python), str(environment))
        and uv("pip", "install", "--quiet", *chosen, *wanted_by(version))
        and ran([program, "-c", TELL, *SHOWN])
        and ran([program, "-m", "pytest", *arguments(version)])
    )


def wanted_by(version: str) -> list[str]:
    """Return what is installed: this checkout with all extras, and what its tests need."""
    if not version.endswith("t"):
        return ["--editable", ".[all,test]"]
    needs = project()["optional-dependencies"]["test"]
    tools = [need for need in needs if name_and_bounds(need)[0] not in NO_FREE_THREADED_WHEELS]
    return ["--editable", ".[all]", *tools]


def arguments(version: str) -> list[str]:
    """Return the arguments of pytest: every test, or the quick ones on the free-threaded build."""
    spread = ["-n", "auto", "--dist", "loadgroup"]
    chosen = os.environ.get("TESTS", "").split()
    return [*spread, *(["--quick"] if version.endswith("t") and not chosen else []), *chosen]


def uv(*words: str) -> bool:
    """Run uv, which fetches no Python by itself."""
    return ran([Path(sys.executable).with_name("uv"), *words], UV_PYTHON_DOWNLOADS="never")


def ran(words: list[str | Path], **variables: str) -> bool:
    """Run a program in the checkout; return whether it went well."""
    return subprocess.run(words, cwd=ROOT, env={**os.environ, **variables}, check=False).returncode == 0


def say_loudly(words: str) -> None:
    """Write a line that nobody overlooks."""
    print(f"*** {words} ***", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

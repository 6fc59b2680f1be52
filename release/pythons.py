"""The Pythons that are promised, and which of them are on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

#: the oldest first; a t stands for the free-threaded build
PROMISED = ("3.11", "3.12", "3.13", "3.14", "3.14t")
WHO = (
    "import sys, sysconfig; "
    "print('%d.%d' % sys.version_info[:2] + 't' * bool(sysconfig.get_config_var('Py_GIL_DISABLED')))"
)


def found(version: str) -> Path | None:
    """Return the Python of a version, from PATH, from uv's or from pyenv's folder, or None."""
    return next((path for path in candidates(version) if answers(path) == version), None)


def candidates(version: str) -> Iterator[Path]:
    """Yield where a Python may be. What pyenv puts on PATH may only say that the version is not chosen."""
    yield Path(sys.executable)
    for name in (f"python{version}", f"python{version.removesuffix('t')}", "python3", "python"):
        if program := shutil.which(name):
            yield Path(program)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from sorted(pyenv.glob(f"{version.removesuffix('t')}.*/bin/python"), reverse=True)


def answers(python: Path) -> str | None:
    """Return the version that a program says it is, or None if it is no Python that runs."""
    try:
        told = subprocess.run([python, "-c", WHO], capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return None
    return told.stdout.strip() if told.returncode == 0 else None

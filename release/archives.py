"""Build the wheel and the source archive (sdist): the same bytes from the same source, anywhere and at any time.

``python -m release.archives [FOLDER]`` builds into dist/ or another folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from release.facts import ROOT, source_date_epoch, version


def build(source: Path, target: Path, *kinds: str, umask: int = -1, **variables: str) -> list[Path]:
    """Build archives of a source tree into an empty folder and return them, sorted.

    The builder is the one that the extra ``release`` pins, as it writes its name into the wheel; so no isolation. All
    times in the archives are that of the release. The archives may be read by everyone.

    Parameters
    ----------
    kinds : "--wheel", "--sdist"
        By default the sdist, and the wheel of what is in it.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    words = [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", target, source]
    settings = {**os.environ, "SOURCE_DATE_EPOCH": str(source_date_epoch()), **variables}
    done = subprocess.run(words, env=settings, umask=umask, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"python -m build of {source}: exit code {done.returncode}.\n{done.stdout}{done.stderr}")
    archives = sorted(target.iterdir())
    for path in archives:
        path.chmod(0o644)
    return archives


def expected_names() -> tuple[str, str]:
    """Return the names of the sdist and of the wheel of this version."""
    return f"eigenselect-{version()}.tar.gz", f"eigenselect-{version()}-py3-none-any.whl"


if __name__ == "__main__":
    for archive in build(ROOT, Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"):
        print(f"{archive}: {archive.stat().st_size / 1e6:.1f} MB")

"""Everything that must hold before a release, step by step; says which steps failed, and why, and goes on.

The sdist runs ``make quick`` in a fresh environment, with ``FULL=1`` in the environment ``make test``, all of it.
``STEPS="recipe schemas" python -m release.check`` takes some steps.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from release.archives import build, expected_names
from release.citation import citation
from release.contents import description_of, files_of, relative_links, tracked, wrong_in_sdist, wrong_in_wheel
from release.facts import ROOT, text_of, version
from release.recipe import RECIPE, for_conda_forge, rendered, wrong_in

DIST = ROOT / "dist"
BIN = Path(sys.executable).parent
#: which schema, of those that come with check-jsonschema, a file must fit
SCHEMAS = {
    "citation-file-format": ["CITATION.cff"],
    "github-workflows": [f".github/workflows/{name}.yml" for name in ("tests", "docs", "release")],
    "dependabot": [".github/dependabot.yml"],
    "readthedocs": [".readthedocs.yaml"],
}


class NotSoError(Exception):
    """A step found something wrong; the message says what."""


def ran(*words: str | Path, cwd: Path = ROOT, **variables: str) -> None:
    """Run a program; if it fails, what it said is the reason."""
    done = subprocess.run(words, cwd=cwd, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    if done.returncode:
        told = done.stderr[-1000:] + done.stdout[-4000:]  # tests say on stdout which of them failed
        raise NotSoError(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{told}")


def must_be_empty(sentences: list[str]) -> None:
    """Fail with all sentences, if there are any."""
    if sentences:
        raise NotSoError("\n".join(sentences))


def archives() -> tuple[Path, Path]:
    """Return the sdist and the wheel in dist/."""
    sdist, wheel = (DIST / name for name in expected_names())
    must_be_empty([f"{path} is not there: `make wheel` builds it" for path in (sdist, wheel) if not path.exists()])
    return sdist, wheel


def reproducible() -> None:
    """Build again from a copy elsewhere, with other times, umask, hash seed, zone and language: the same bytes."""
    others = {"PYTHONHASHSEED": "7", "TZ": "Pacific/Auckland", "LC_ALL": "C"}
    expected = {path.name: path.read_bytes() for path in archives()}
    with tempfile.TemporaryDirectory(prefix="elsewhere and longer ") as folder:
        copy, again, direct = (Path(folder) / name for name in ("copy", "again", "direct"))
        copy_source(copy)
        built = [*build(copy, again, umask=0o027, **others), *build(copy, direct, "--wheel", umask=0o077, **others)]
        other = [path for path in built if path.read_bytes() != expected[path.name]]
        must_be_empty([f"{path.name}: the build in {path.parent.name} has other bytes" for path in other])


def copy_source(target: Path) -> None:
    """Copy the files of the repository, with the time of now, which only the owner may read."""
    for name in sorted(source_files(), reverse=True):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target / name)
        (target / name).chmod(0o700 if os.access(ROOT / name, os.X_OK) else 0o600)


def source_files() -> set[str]:
    """Return what git knows; an unpacked sdist cannot tell what was made and what was written."""
    source = tracked()
    if source is None:
        raise NotSoError("there is no git repository here: run this in a checkout")
    return source


def described() -> None:
    """The description that PyPI will show is whole (twine), and its pictures and links are addresses."""
    ran(BIN / "twine", "check", "--strict", *archives())
    for path in archives():
        text = description_of(path)
        must_be_empty([f"{path.name}: the description has the relative link {link}" for link in relative_links(text)])
        if "# eigenselect" not in text:
            raise NotSoError(f"{path.name}: the description is not the README")


def whole() -> None:
    """The wheel is the package, the sdist the repository."""
    sdist, wheel = archives()
    source = source_files()
    must_be_empty([*wrong_in_wheel(files_of(wheel), source), *wrong_in_sdist(files_of(sdist), source)])


def installs() -> None:
    """The wheel alone, in a fresh environment outside the checkout: its names, a fit, the command, a page."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        shutil.copy(ROOT / "release" / "installed.py", here)
        ran(BIN / "uv", "venv", "--quiet", "--python", sys.executable, here / "venv")
        python = here / "venv" / "bin" / "python"
        ran(BIN / "uv", "pip", "install", "--quiet", "--python", python, archives()[1])
        ran(BIN / "uv", "pip", "check", "--python", python)
        ran(python, "-I", "installed.py", version(), cwd=here)


def sdist_tests_itself() -> None:
    """The sdist, unpacked elsewhere, passes its own tests in an environment that it makes itself."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archives()[0]) as files:
            files.extractall(folder, filter="data")
        (unpacked,) = Path(folder).iterdir()
        variables = {"PYTHON": sys.executable, "MAKEFLAGS": "", "VIRTUAL_ENV": ""}
        ran("make", "test" if os.environ.get("FULL") else "quick", cwd=unpacked, **variables)


def schemas() -> None:
    """CITATION.cff, workflows, dependabot and Read the Docs' settings fit their schemas; the citation is up to date."""
    for schema, names in SCHEMAS.items():
        ran(BIN / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", *names)
    if text_of("CITATION.cff") != citation():
        raise NotSoError("CITATION.cff is not what `make citation` writes: run it")


def workflows() -> None:
    """The workflows leave nothing to find for zizmor, in its strictest mode."""
    ran(BIN / "zizmor", "--offline", "--no-progress", "--persona", "auditor", ".github")


def recipe() -> None:
    """The recipe, as it is and as conda-forge gets it, is read and rendered by rattler-build, and it lints."""
    import ruamel.yaml
    from rattler_build import RattlerBuildError

    for text, released in ((text_of(RECIPE), False), (for_conda_forge(archives()[0]), True)):
        try:
            made = rendered(text)
        except RattlerBuildError as error:
            raise NotSoError(f"rattler-build: {error}") from error
        if made["package"]["version"] != version():
            raise NotSoError(f"rattler-build reads the version {made['package']['version']}, not {version()}")
        must_be_empty(wrong_in(ruamel.yaml.YAML(typ="safe").load(text), released=released))


STEPS: tuple[Callable[[], None], ...] = (
    reproducible, described, whole, schemas, workflows, recipe, installs, sdist_tests_itself,
)  # fmt: skip


def main() -> int:
    """Run the steps; return the number of those that failed."""
    chosen = os.environ.get("STEPS", "").split() or [step.__name__ for step in STEPS]
    failed = 0
    for step in (step for step in STEPS if step.__name__ in chosen):
        print(f"{step.__name__}: {step.__doc__}", flush=True)
        try:
            step()
        except NotSoError as reason:
            failed += 1
            print(f"*** {step.__name__.upper()} FAILED: {reason}", flush=True)
    print(f"release-check of {version()}: {f'{failed} STEPS FAILED' if failed else 'everything holds'}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())

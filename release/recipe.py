"""The conda recipe: read and rendered by rattler-build, held to what conda-forge asks of a recipe, filled in for it.

recipe/recipe.yaml builds the checkout that it lies in. For conda-forge the source must be the sdist by address and
SHA-256, which are known when the sdist is built: `python -m release.recipe dist` writes dist/recipe.yaml. The linter of
conda-forge, conda-smithy, is not on PyPI (what has its name there is empty), so its rules that apply are in `wrong_in`.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from release.facts import ROOT, name_and_bounds, project, text_of, version

RECIPE = "recipe/recipe.yaml"
OWN_SOURCE = "source:\n  path: ..\n"
#: conda-forge's order of sections
ORDER = ["schema_version", "context", "package", "source", "build", "requirements", "tests", "about", "extra"]


def for_conda_forge(sdist: Path) -> str:
    """Return the recipe with the released sdist as its source."""
    address = "https://pypi.org/packages/source/e/eigenselect/eigenselect-${{ version }}.tar.gz"
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    recipe = text_of(RECIPE)
    if recipe.count(OWN_SOURCE) != 1:
        raise SystemExit(
            f"{RECIPE}: expected the source {OWN_SOURCE!r} once; write it so, or change release/recipe.py."
        )
    return recipe.replace(OWN_SOURCE, f"source:\n  url: {address}\n  sha256: {digest}\n")


def rendered(recipe: str) -> dict[str, Any]:
    """Let rattler-build read and render a recipe, and return it; its errors say what is wrong."""
    from rattler_build import Stage0Recipe

    (variant,) = Stage0Recipe.from_yaml(recipe).render()
    return variant.recipe.to_dict()


def lowest_python() -> str:
    """Return the lowest Python that pyproject.toml allows."""
    return project()["requires-python"].removeprefix(">=")


def run_needs(recipe: dict[str, Any]) -> dict[str, str]:
    """Return what a recipe, read as plain YAML, needs at run time: name and bounds, without Python itself."""
    needs = dict(name_and_bounds(need) for need in recipe["requirements"]["run"])
    return {name: bounds for name, bounds in needs.items() if name != "python"}


def own_needs() -> dict[str, str]:
    """Return the same from pyproject.toml: every name is the same on conda-forge."""
    return dict(name_and_bounds(need) for need in project()["dependencies"])


def build_needs() -> set[str]:
    """Return the names of what pyproject.toml builds with: every name is the same on conda-forge."""
    built = tomllib.loads(text_of("pyproject.toml"))["build-system"]["requires"]
    return {name_and_bounds(need)[0] for need in built}


def wrong_in(recipe: dict[str, Any], *, released: bool) -> list[str]:
    """Return sentences about a recipe, read as plain YAML; none is good."""
    about, build, source = recipe.get("about", {}), recipe.get("build", {}), recipe.get("source", {})
    run, host = recipe["requirements"]["run"], recipe["requirements"]["host"]
    command = [f"{name} = {target}" for name, target in project()["scripts"].items()]
    asked = {
        "sections are in conda-forge's order": list(recipe) == ORDER,
        "schema_version is 1": recipe.get("schema_version") == 1,
        "the version is that of the package": recipe["context"]["version"] == version(),
        "python_min is pyproject.toml's": recipe["context"].get("python_min") == lowest_python(),
        "the licence is that of pyproject.toml": about.get("license") == project()["license"],
        "the licence's file exists": (ROOT / about.get("license_file", "?")).is_file(),
        "the homepage is that of pyproject.toml": about.get("homepage") == project()["urls"]["Homepage"],
        "the summary is pyproject.toml's, without a full stop": about.get("summary") == summary(),
        "there are maintainers": bool(recipe.get("extra", {}).get("recipe-maintainers")),
        "there are tests": bool(recipe.get("tests")),
        "the build has the number 0": build.get("number") == 0,
        "the package is noarch": build.get("noarch") == "python",
        "the command is an entry point": build.get("python", {}).get("entry_points") == command,
        "pip installs nothing else": {"--no-deps", "--no-build-isolation"} <= set(build.get("script", "").split()),
        "python_min is asked for": {"python >=${{ python_min }}"} <= set(run)
        and {"python ${{ python_min }}.*", "pip"} <= set(host),
        "the builder and its plugin are there": build_needs() <= {need.split()[0] for need in host},
        "it needs what pyproject.toml says": run_needs(recipe) == own_needs(),
        "the source has an address and a SHA-256": not released
        or (source.keys() == {"url", "sha256"} and bool(re.fullmatch("[0-9a-f]{64}", source["sha256"]))),
    }
    return [f"the recipe: expected that {what}; it is not so" for what, is_so in asked.items() if not is_so]


def summary() -> str:
    """Return what the package is, in one line."""
    return project()["description"].rstrip(".")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "recipe.yaml").write_text(for_conda_forge(folder / f"eigenselect-{version()}.tar.gz"), encoding="utf-8")

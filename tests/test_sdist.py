"""What is shipped as source can run its own tests: everything that tests and Makefile read is in the archive."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from release.contents import tracked

ROOT = Path(__file__).resolve().parent.parent
#: what hatchling adds by itself
ALWAYS = {"pyproject.toml", ".gitignore", "PKG-INFO"}


@pytest.fixture(scope="module")
def included():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {name.strip("/") for name in settings["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}


def paths_of(program):
    """Every text that a program puts behind a slash, as in ``ROOT / "docs"``, by its first part."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.right, ast.Constant):
            yield str(node.right.value).split("/")[0]


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.name)
def test_everything_that_tests_read_is_shipped(path, included):
    here = {entry.name for entry in ROOT.iterdir()}
    read = set(paths_of(path.read_text(encoding="utf-8"))) & here
    assert read <= included | ALWAYS


def test_everything_that_make_test_reads_is_shipped(included):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    checked = re.search(r"ruff check (.*)", makefile)[1].split()
    assert {"src", "tests"} < set(checked)
    assert set(checked) | {"Makefile", ".ci"} <= included
    assert {"src", "tests", "README.md", "LICENSE"} <= included


def test_what_is_named_is_there(included):
    assert [name for name in included if not (ROOT / name).exists()] == []


def test_everything_in_the_repository_is_shipped(included):
    """`make release-check` builds the archive and compares file by file."""
    if (source := tracked()) is None:
        pytest.skip("there is no git repository here")
    assert {name.split("/")[0] for name in source} <= included | ALWAYS


def test_the_tests_that_run_on_another_processor_are_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    named = re.search(r"NUMERICAL := (.*)", makefile)[1].split()
    assert {"criteria", "graph", "inference", "similarity", "test_another_basis.py"} <= set(named)
    assert [name for name in named if not (ROOT / "tests" / name).exists()] == []

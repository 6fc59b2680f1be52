"""`make mutation`: a seed draws the same mutants, and a mutant is killed if and only if a test notices it."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / "benchmarks" / "mutation"


@pytest.fixture
def mutants(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOL))
    return importlib.import_module("mutants")


@pytest.fixture
def toy(tmp_path, mutants):
    """A checkout whose packages have one function each; the test of the last one calls it and checks nothing."""
    lines = []
    for package in mutants.PACKAGES:
        folder = tmp_path / "src" / "eigenselect" / package
        folder.mkdir(parents=True)
        (folder / "toy.py").write_text("def grow(x: 1 + 1) -> 2:\n    return x + 1\n")
        check = "grow(2)" if package == mutants.PACKAGES[-1] else "assert grow(2) == 3"
        lines += [f"from eigenselect.{package}.toy import grow", f"def test_{package}(grow=grow): {check}"]
    (folder.parent / "__init__.py").touch()
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_toy.py").write_text("\n".join(lines))
    return tmp_path


def test_a_seed_draws_the_same_mutants_and_a_larger_sample_holds_the_smaller(mutants, toy):
    drawn = mutants.sample(toy / "src" / "eigenselect", 1, 3)
    assert drawn[:8] == mutants.sample(toy / "src" / "eigenselect", 1, 2)
    assert {mutant.line for mutant in drawn} == {2}


def test_equivalent_mutants_are_of_code_that_is_there(mutants):
    for row in mutants.EQUIVALENTS:
        text = (ROOT / "src" / "eigenselect" / row["file"]).read_text(encoding="utf-8")
        assert row["code"] in " ".join(text.split()), row


@pytest.mark.slow
def test_what_no_test_notices_survives(toy):
    pytest.importorskip("pytest_cov")
    options = f"--per-package 1 --jobs 1 --root {toy} --coverage {toy}/coverage --results {toy}/results.json"
    subprocess.run([sys.executable, TOOL / "run.py", *options.split()], check=False)
    rows = json.loads((toy / "results.json").read_text())["mutants"]
    assert [row["verdict"] for row in rows] == ["killed", "killed", "killed", "survived"]

"""`make mutation`: a seed draws the same mutants, and a mutant is killed if and only if a test notices it."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / "benchmarks" / "mutation"


@pytest.fixture
def mutants(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOL))
    return importlib.import_module("mutants")


def test_equivalent_mutants_are_of_code_that_is_there(mutants):
    for row in mutants.EQUIVALENTS:
        text = (ROOT / "src" / "eigenselect" / row["file"]).read_text(encoding="utf-8")
        assert row["code"] in " ".join(text.split()), row

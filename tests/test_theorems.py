"""docs/theorems.md names code and tests that exist, and leaves out no number of the papers."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8")
PAPERS = ROOT.parent / "shared" / "papers"
#: which section is about which file of ../shared/papers
SECTIONS = {
    "Spectral feature selection (2007)": "spec-icml2007.txt",
    "sSelect (2007)": "sselect-sdm2007.txt",
    "Trace ratio (2008)": "trace-ratio-aaai2008.txt",
    "Eigenvalue sensitivity (2011)": "evsc-icml2011.txt",
    "Dissertation (2010)": "dissertation-2010.txt",
}
KINDS = "Theorem|Proposition|Lemma|Corollary|Definition|Algorithm"
NUMBER = r"\d+(?:\.\d+)?"


def rows(section):
    """Cells of the section's table, without its head."""
    body = TEXT.split(f"\n## {section}\n")[1].split("\n## ")[0]
    lines = [line for line in body.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


ROWS = [(section, *row) for section in SECTIONS for row in rows(section)]


def spans(cell):
    """What a cell has between backticks."""
    return re.findall(r"`([^`]+)`", cell)


def labels(cell):
    """Each kind and number of "Theorem 1, Eqs. 27, 28" or "Eqs. 2.6–2.8"."""
    found = set()
    for kind, numbers in re.findall(rf"(Eq|{KINDS})s?\.? ((?:{NUMBER}(?:–|, )?)+)", cell):
        for first, last in re.findall(rf"({NUMBER})(?:–({NUMBER}))?", numbers):
            *chapter, start = first.split(".")
            for number in range(int(start), int((last or first).split(".")[-1]) + 1):
                found.add((kind, ".".join([*chapter, str(number)])))
    return found


def numbered(text):
    """Each kind and number that a paper has."""
    found = {(kind.title(), number) for kind, number in re.findall(rf"(?i)\b({KINDS})\s+({NUMBER})", text)}
    equations = re.findall(rf"(?:\\quad|&)\s*\(({NUMBER})\)|\$\$\((\d\.\d+)\)", text)
    return found | {("Eq", one or other) for one, other in equations}


@cache
def definitions(path):
    """Names that a file defines: `function`, `Class`, `Class::method`."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
    return found


def test_rows_name_code_and_tests_that_exist():
    for section, label, _, code, tests in ROWS:
        if not tests.startswith("None: "):
            assert spans(tests), (section, label)
            assert spans(code), (section, label)
        for name in spans(tests) if not tests.startswith("None: ") else ():
            file, _, test = name.partition("::")
            assert test in definitions(ROOT / file), name
        for name in spans(code):
            file, _, part = name.partition("::")
            assert part in definitions(ROOT / "src" / "eigenselect" / file), name


def test_no_label_stands_twice_in_a_paper():
    for section in SECTIONS:
        every = [label for label, *_ in rows(section)]
        assert len(every) == len(set(every))
        found = [one for cell in every if not cell.startswith(("after", "footnote")) for one in labels(cell)]
        assert len(found) == len(set(found)), section


@pytest.mark.parametrize(("section", "file"), SECTIONS.items())
def test_every_number_of_the_paper_is_on_the_page(section, file):
    if not (PAPERS / file).exists():
        pytest.skip(f"{PAPERS / file} is not here")
    on_page = set().union(*(labels(label) for label, *_ in rows(section)))
    in_paper = numbered((PAPERS / file).read_text(encoding="utf-8"))
    assert len(in_paper) > 10
    assert in_paper - on_page == set()
    assert on_page - in_paper == set()

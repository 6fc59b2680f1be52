"""What the README shows is what happens."""

import contextlib
import io
import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


@pytest.fixture
def text():
    return README.read_text(encoding="utf-8")


def test_the_python_example_prints_what_it_says(text):
    code = re.search(r"```python\n(.*?)```", text, re.S).group(1)
    promised = re.search(r"^# (\[.*\])$", code, re.M).group(1)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue().strip() == promised


def test_it_is_short(text):
    assert len(text.splitlines()) < 120


def test_every_file_that_is_linked_exists(text):
    for target in re.findall(r"\]\((?!http)([^)]+)\)", text):
        assert (README.parent / target).exists(), target


def test_the_table_of_methods_has_the_numbers_of_the_page_that_measures_them():
    measured = {}
    for line in (README.parent / "docs" / "choosing.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8:  # a method, six accuracies, how often it beats random features; the first table counts
            measured.setdefault(cells[0], (cells[2], cells[7]))
    section = README.read_text(encoding="utf-8").split("## Which one?")[1].split("## In the shell")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "|" in line][2:]
    assert len(rows) == 5
    assert all(measured[method] == (accuracy, beats) for _, method, accuracy, beats in rows)
    assert measured["random features"][0] in section

"""What the README shows is what happens."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

from eigenselect.criteria.table import METHODS

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


def test_the_table_of_methods_is_the_theorems(text):
    with_table = runpy.run_path(str(README.parent / "docs" / "make_tables.py"))["with_table"]
    assert text == with_table(text), "run `make tables`"


def test_what_is_no_quadratic_form_is_named(text):
    sentence = text.split("These are not one such form:")[1].split("\n\n")[0]
    for row in METHODS:
        named = re.search(rf"\b{row.selector}\b", sentence) is not None
        assert named == (not row.has_quadratic_form), row.name


def test_every_file_that_is_linked_exists(text):
    for target in re.findall(r"\]\((?!http)([^)]+)\)", text):
        assert (README.parent / target).exists(), target

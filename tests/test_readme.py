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

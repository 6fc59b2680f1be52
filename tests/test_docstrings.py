"""The list of public names is complete, and the check of their docstrings finds what it is for."""

import inspect
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import eigenselect

DOCS = Path(__file__).parents[1] / "docs"
#: functions of public modules that are the library's own: parts of messages, and a check of parameters
INTERNAL = {
    "eigenselect.exceptions": {"agreeing", "counted", "listed", "printable", "shown", "shown_path", "within"},
    "eigenselect.spectral": {"check_spectral_function"},
}


@pytest.fixture
def check(monkeypatch):
    """`docs/check_docstrings.py`, which imports the list beside it."""
    pytest.importorskip("numpydoc")
    monkeypatch.syspath_prepend(str(DOCS))
    yield import_module("check_docstrings")
    for name in ("check_docstrings", "public_names"):
        sys.modules.pop(name, None)


@pytest.fixture
def names(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    yield import_module("public_names").public_names()
    sys.modules.pop("public_names", None)


def given_by(module):
    """Classes and functions of this library that can be imported from a module; not those of private modules."""
    for name, found in vars(import_module(module)).items():
        home = str(getattr(found, "__module__", ""))
        is_ours = home.startswith("eigenselect") and "._" not in home
        if not name.startswith("_") and is_ours and (inspect.isclass(found) or inspect.isfunction(found)):
            yield name


def test_every_room_that_the_package_names_is_in_the_list(names):
    rooms = {name for name in dir(eigenselect) if isinstance(getattr(eigenselect, name), ModuleType)}
    assert set(names) == {"eigenselect", *(f"eigenselect.{room}" for room in rooms)}


def test_every_name_that_a_room_gives_is_in_the_list(names):
    for module, listed in names.items():
        assert len(set(listed)) == len(listed), module
        assert all(hasattr(import_module(module), name) for name in listed), module
        assert set(given_by(module)) - INTERNAL.get(module, set()) <= set(listed), module


def test_every_class_and_function_has_relatives_and_an_example(check):
    for name, found in check.public_objects():
        sections = inspect.getdoc(found) or ""
        assert "See Also\n--------\n" in sections, name
        assert "Examples\n--------\n" in sections, name
        assert ">>> " in sections, name


def lacking(text, verbose, *, kind="a"):
    return text, verbose, kind


LACKING = """Say something.

    Parameters
    ----------
    text : str
        What to say.
    kind : {"a", "b"}, default="a"

    See Also
    --------
    eigenselect.Nothing : Is not there.

    Examples
    --------
    >>> lacking("a") + np.pi
    """


def test_what_is_lacking_is_found(check, monkeypatch):
    monkeypatch.setattr(check, "public_names", lambda: {__name__: ["lacking"]})
    monkeypatch.setattr(lacking, "__doc__", LACKING)
    found = {(code, text) for _, code, text in check.findings()}
    assert {code for code, _ in found} == {"PR01", "PR07", "RT01", "SA05", "EX02"}
    assert ("EX02", "Examples use lacking, np without an import") in found
    assert check.main() == 1

"""The gallery and the tutorials: every script has the form of a page; a few run here, all of them in ``make docs``.

``GALLERY=all python -m pytest tests/test_gallery.py`` runs all of them.
"""

import ast
import importlib
import os
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "examples" / "gallery").glob("*/plot_*.py"))
TUTORIALS = sorted((ROOT / "examples" / "tutorials").glob("plot_*.py"))
#: what a reader has with eigenselect[all] and scanpy
ALLOWED = {
    "anndata",
    "dask",
    "eigenselect",
    "matplotlib",
    "mudata",
    "numpy",
    "pandas",
    "scanpy",
    "scipy",
    "sklearn",
    "zarr",
}
#: extras that a machine may lack, and processes, which are slow to start
HEAVY = {"anndata", "dask", "mudata", "scanpy", "subprocess", "zarr"}
MOST_LINES = 60
RUN_HERE = 3


def name_of(page):
    return page.stem.removeprefix("plot_")


def imported(tree):
    """Every module that a script imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def code_lines(text, tree):
    """Number of lines that are neither blank, comment, nor the docstring."""
    start = tree.body[0].end_lineno
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in text.splitlines()[start:])


def faults(text, most_lines=None):
    """What keeps a script from being a page of the gallery."""
    tree = ast.parse(text)
    found = []
    title, line, *rest = [*(ast.get_docstring(tree, clean=False) or "").strip().splitlines(), "", ""]
    if not title or line != "=" * len(title):
        found.append("no title with its line in the docstring")
    if len(" ".join(rest).split()) < 10:
        found.append("no sentence under the title")
    if text.count("\n# %%\n#") < 2:
        found.append("fewer than two blocks of prose")
    if "plt.show()" not in text:
        found.append("no figure")
    if "print(" not in text:
        found.append("nothing is printed")
    if most_lines and code_lines(text, tree) > most_lines:
        found.append(f"{code_lines(text, tree)} lines of code")
    for module in imported(tree):
        top, *inner = module.split(".")
        if top not in ALLOWED | set(sys.stdlib_module_names):
            found.append(f"imports {module}")
        if top == "eigenselect" and not is_public(inner):
            found.append(f"imports {module}, which is not public")
    found += [f"says {word!r}" for word in ("shared/", "http", "fetch_", "urllib", "filterwarnings(") if word in text]
    if re.search(r"default_rng\(\)|np\.random\.(?!default_rng|Generator)", text):
        found.append("draws without a seed")
    return found


def is_public(inner):
    """Whether ``eigenselect.INNER`` is a module that users are told of: one of the package's own list, no deeper."""
    public = {*importlib.import_module("eigenselect").__dir__()}
    return not inner or (len(inner) == 1 and inner[0] in public)


def test_there_are_enough():
    assert len(PAGES) >= 25
    assert len(TUTORIALS) == 5
    assert len({page.stem for page in PAGES}) == len(PAGES)  # thumbnails and tests go by it


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_form_of_a_page(page):
    assert faults(page.read_text(encoding="utf-8"), MOST_LINES) == []


@pytest.mark.parametrize("page", TUTORIALS, ids=name_of)
def test_form_of_a_tutorial(page):
    text = page.read_text(encoding="utf-8")
    assert faults(text) == []
    for heading in ("What can go wrong", "Where to go next"):
        assert f"# {heading}\n# {'-' * len(heading)}\n" in text


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("A first ranking\n=====", "A first ranking\n===="), "no title with its line in the docstring"),
        (("plt.show()", ""), "no figure"),
        (("# %%", "#"), "fewer than two blocks of prose"),
        (("import eigenselect as es", "import eigenselect.cli"), "imports eigenselect.cli, which is not public"),
        (("import eigenselect as es", "import seaborn"), "imports seaborn"),
        (("default_rng(0)", "default_rng()"), "draws without a seed"),
    ],
)  # fmt: skip
def test_what_is_no_page(change, fault):
    text = (ROOT / "examples/gallery/first_steps/plot_first_ranking.py").read_text(encoding="utf-8")
    assert change[0] in text
    assert fault in faults(text.replace(*change), MOST_LINES)


def test_sections_have_a_header_and_a_place(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    sections = runpy.run_path(str(ROOT / "docs" / "gallery.py"))["SECTIONS"]
    assert {page.parent.name for page in PAGES} == set(sections)
    for folder in {page.parent for page in [*PAGES, *TUTORIALS]} | {ROOT / "examples" / "gallery"}:
        title, line = (folder / "GALLERY_HEADER.rst").read_text(encoding="utf-8").splitlines()[:2]
        assert len(line) == len(title)


def test_pages_name_pages_that_are_there():
    there = {f"sphx_glr_auto_examples_{page.parent.name}_{page.name}" for page in PAGES}
    there |= {f"sphx_glr_tutorials_{page.name}" for page in TUTORIALS}
    named = {
        label
        for page in [*PAGES, *TUTORIALS]
        for label in re.findall(r":ref:`(?:[^`<]*<)?(sphx_glr\w+\.py)>?`", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 5
    assert named <= there


def light(page):
    return not HEAVY & {module.split(".")[0] for module in imported(ast.parse(page.read_text(encoding="utf-8")))}


def chosen():
    """Return all pages if asked for, else some that need no extras."""
    if os.environ.get("GALLERY") == "all":
        return [*PAGES, *TUTORIALS]
    pages = [page for page in PAGES if light(page)]
    return [pages[place] for place in np.random.default_rng(18).choice(len(pages), RUN_HERE, replace=False)]


@pytest.mark.parametrize("page", chosen(), ids=name_of)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_runs_and_draws(page, monkeypatch, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="figures need the plot extra")
    monkeypatch.chdir(page.parent)
    pyplot.switch_backend("Agg")
    try:
        runpy.run_path(str(page))
        assert pyplot.get_fignums()
        assert capsys.readouterr().out.strip()
    finally:
        pyplot.close("all")

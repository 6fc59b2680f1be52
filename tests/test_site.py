"""The site without building it: pages can be reached, links lead somewhere, generated tables are current."""

import ast
import importlib
import re
import runpy
import sys
from pathlib import Path

import pytest

from eigenselect.criteria.methods import METHODS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
#: folders that a build makes
MADE = ("api", "tutorials", "auto_examples")
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.relative_to(DOCS).parts[0] not in ("_build", *MADE))
#: files of the repository that pages include
INCLUDED = ("benchmarks/README.md", "papers/RESULTS.md", "CHANGELOG.md", "CONTRIBUTING.md")
SCRIPTS = sorted((ROOT / "examples" / "gallery").glob("*/plot_*.py"))
TUTORIALS = sorted((ROOT / "examples" / "tutorials").glob("plot_*.py"))


@pytest.fixture
def docs_module(monkeypatch):
    """Import a module of docs/ by its name; skip if it needs what builds the site."""
    monkeypatch.syspath_prepend(DOCS)
    monkeypatch.syspath_prepend(DOCS / "_ext")

    def imported(name):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if str(error.name).split(".")[0] not in ("sphinx", "docutils"):
                raise
            pytest.skip(f"{name} needs {error.name}")

    return imported


def listed(page):
    """Return what the toctrees of a page name, as paths below docs/."""
    for block in re.findall(r"```{toctree}\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        for line in block.splitlines():
            if line and not line.startswith(":"):
                name = (page.parent / line).resolve().relative_to(DOCS).as_posix()
                found = sorted(DOCS.glob(f"{name}.md")) if "*" in name else [DOCS / f"{name}.md"]
                yield from (path.relative_to(DOCS).as_posix().removesuffix(".md") for path in found)


def test_every_page_is_in_one_toctree():
    found = [name for page in PAGES for name in listed(page)]
    assert len(found) == len(set(found))
    there = {page.relative_to(DOCS).as_posix().removesuffix(".md") for page in PAGES}
    assert {name for name in found if name.split("/")[0] not in MADE} == there - {"index"}


def test_relative_links_lead_somewhere():
    for page in [*PAGES, ROOT / "README.md", *(ROOT / name for name in INCLUDED)]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)\s#]+)", text):
            assert target.split("/")[0] in MADE or (page.parent / target).exists(), (page.name, target)


def test_tests_that_docs_and_sources_name_exist():
    for path in [*PAGES, ROOT / "CONTRIBUTING.md", *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.md")]:
        for name in re.findall(r"\btests/[\w/]+\.py", path.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), (path.name, name)


def test_links_of_included_files_lead_to_pages(docs_module):
    text = "[a](docs/units.md#x) ![b](docs/images/c.png) [d](CHANGELOG.md) [e](src/x/README.md) `f`\n```\n[g](h)\n```\n"
    found = docs_module("repository_links").rewritten(text, ROOT / "CONTRIBUTING.md", DOCS / "contributing.md")
    links = re.findall(r"\]\((.*?)\)", found)
    assert links == ["units.md#x", "images/c.png", "changelog.md", "path:../src/x/README.md", "h"]


def test_every_public_name_has_its_entry(docs_module):
    pages = docs_module("api_pages").pages()
    for module, names in docs_module("public_names").public_names().items():
        assert sorted(re.findall(r"^   (\w+)$", pages[f"{module}.rst"], re.M)) == sorted(names)


def test_generated_files_are_current(docs_module):
    for path, made in docs_module("make_tables").MADE.items():
        text = path.read_text(encoding="utf-8")
        assert made(text) == text, f"{path.name}: run `make tables`"


@pytest.mark.slow
def test_the_table_of_storages_is_true(docs_module):
    """Two methods, one storage for each column."""
    for library in ("anndata", "dask.array", "zarr"):
        pytest.importorskip(library)
    support = docs_module("make_array_support")
    header, *rows = re.findall(r"^\| (.*) \|$", (DOCS / "array_support.md").read_text(encoding="utf-8"), re.M)
    assert header.split(" | ") == ["method", *support.COLUMNS]
    cells = {row.split(" | ")[0].strip("`"): row.split(" | ")[1:] for row in rows if row.startswith("`")}
    assert list(cells) == [support.called(row) for row in METHODS]
    for name in ("laplacian", "relieff"):
        found = [support.cell(METHODS[name], storages[-1:]) for storages in support.COLUMNS.values()]
        assert found == cells[support.called(METHODS[name])]


def imported_by(script):
    """Return the top names of all modules that a script imports."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        yield from (name.split(".")[0] for name in names)


def test_gallery_scripts_need_no_network_no_seed_and_nothing_beyond_the_extras():
    allowed = {"anndata", "dask", "eigenselect", "matplotlib", "mudata", "numpy", "pandas", "scanpy", "scipy"}
    allowed |= {"sklearn", "zarr", *sys.stdlib_module_names}
    for script in [*SCRIPTS, *TUTORIALS]:
        text = script.read_text(encoding="utf-8")
        assert set(imported_by(script)) <= allowed, script.name
        assert "plt.show()" in text, script.name
        assert not re.search(r"default_rng\(\)|np\.random\.(?!default_rng|Generator)|shared/|http|fetch_", text), script


#: pages of the gallery that run here; `make docs` runs all of them
RUN = ("first_steps/plot_first_ranking.py",)


@pytest.mark.parametrize("name", RUN)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_gallery_page_runs_and_draws(name, monkeypatch, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    page = ROOT / "examples" / "gallery" / name
    monkeypatch.chdir(page.parent)
    pyplot.switch_backend("Agg")
    try:
        runpy.run_path(str(page))
        assert pyplot.get_fignums()
        assert capsys.readouterr().out.strip()
    finally:
        pyplot.close("all")


def test_the_demo_runs(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    assert "of 30 measurements" in capsys.readouterr().out
    assert (tmp_path / "build" / "demo.html").stat().st_size > 100_000


def test_broken_links_of_the_site_are_found(docs_module, tmp_path):
    page = '<html><body id="top"><a href="{}">x</a></body></html>'
    (tmp_path / "b.html").write_text(page.format("a.html"))
    cases = {"b.html#top": "", "#top": "", "c.html": "file", "b.html#there": "anchor", "https:/x": "well formed"}
    for address, problem in cases.items():
        (tmp_path / "a.html").write_text(page.format(address))
        found = docs_module("check_links").problems(tmp_path)
        assert (problem in found[0]) if problem else found == [], address
    (tmp_path / "a.html").write_text('<script src="https://cdn.example.org/x.js"></script>')
    assert len(docs_module("check_links").problems(tmp_path)) == 1  # nothing is fetched from elsewhere

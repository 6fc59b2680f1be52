"""The site without building it: every page can be reached, every public name has an entry, what is made is current."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from eigenselect.criteria.table import METHODS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
#: folders that a build makes
MADE = ("api", "tutorials", "auto_examples")
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.relative_to(DOCS).parts[0] not in ("_build", *MADE))
#: files that pages include, with the page
INCLUDED = {"benchmarks": "benchmarks/README.md", "papers": "papers/RESULTS.md", "changelog": "CHANGELOG.md",
            "contributing": "CONTRIBUTING.md"}  # fmt: skip


@pytest.fixture(scope="module")
def modules():
    """Import a module of docs/ by its name; skip where it needs what builds the site, which comes with the linter."""

    def imported(name):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if str(error.name).split(".")[0] not in ("sphinx", "docutils"):
                raise
            pytest.skip(f"{name} needs {error.name}")

    before = list(sys.path)
    sys.path[:0] = [str(DOCS), str(DOCS / "_ext")]
    yield imported
    sys.path[:] = before


def listed(page):
    """What the toctrees of a page name, as paths below docs/."""
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


@pytest.mark.parametrize("page", [*PAGES, *(ROOT / name for name in INCLUDED.values())], ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)\s#]+)", text):
        assert target.split("/")[0] in MADE or (page.parent / target).exists(), target


@pytest.mark.parametrize("name", INCLUDED)
def test_pages_that_are_files_of_the_repository(name):
    assert f"{{include}} ../{INCLUDED[name]}" in (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_links_of_included_files_lead_to_pages(modules):
    links = modules("repository_links")
    text = "[a](docs/units.md#x) ![b](docs/images/c.png) [d](CHANGELOG.md) [e](src/x/README.md) `f`\n```\n[g](h)\n```\n"
    found = links.rewritten(text, ROOT / "CONTRIBUTING.md", DOCS / "contributing.md")
    assert found == (
        "[a](units.md#x) ![b](images/c.png) [d](changelog.md) [e](path:../src/x/README.md) `f`\n```\n[g](h)\n```\n"
    )


def test_every_public_name_has_its_entry(modules):
    pages = modules("api_pages").pages()
    for module, names in modules("public_names").public_names().items():
        entries = re.findall(r"^   (\w+)$", pages[f"{module}.rst"], re.M)
        assert sorted(entries) == sorted(names)
        assert f"<{module}>" in pages["index.rst"]


def test_pages_of_classes_show_our_members_and_name_the_others(modules):
    pages = modules("api_pages")
    own = dict(map(reversed, pages.Members("eigenselect")("eigenselect.LaplacianScore")))
    assert own["fit"] == "automethod"
    assert own["has_quadratic_form"] == "autoproperty"
    others = [name for _, name in pages.Members("sklearn")("eigenselect.LaplacianScore")]
    assert {"get_support", "set_output", "set_fit_request"} <= set(others)
    assert not set(own) & set(others)


def test_what_is_made_of_the_code_is_current(modules):
    for path, made in modules("make_tables").MADE.items():
        text = path.read_text(encoding="utf-8")
        assert made(text) == text, f"{path.name}: run `make tables`"


#: one method for each answer, and one storage for each column
ASKED = {"laplacian": "loaded; given graph: yes", "relieff": "loaded"}


def test_the_table_of_storages_says_what_happens(modules):
    for library in ("anndata", "dask.array", "zarr"):
        pytest.importorskip(library)
    support = modules("make_array_support")
    text = (DOCS / "array_support.md").read_text(encoding="utf-8")
    header, *rows = re.findall(r"^\| (.*) \|$", text, re.M)
    assert header.split(" | ") == ["method", *support.COLUMNS]
    cells = {row.split(" | ")[0].strip("`"): row.split(" | ")[1:] for row in rows if row.startswith("`")}
    assert list(cells) == [support.called(row) for row in METHODS]
    for name in ASKED:
        found = [support.cell(METHODS[name], storages[-1:]) for storages in support.COLUMNS.values()]
        assert found == cells[support.called(METHODS[name])]
        assert ASKED[name] in found


def test_what_is_no_quadratic_form_is_named():
    sentence = (DOCS / "methods.md").read_text(encoding="utf-8").split("These are not one such form:")[1]
    for row in METHODS:
        named = re.search(rf"\b{row.selector}\b", sentence.split("\n\n")[0]) is not None
        assert named == (not row.has_quadratic_form), row.name


class TestChecker:
    """docs/check_links.py, on a site made by hand."""

    PAGE = '<html><body id="top"><a href="{}">x</a></body></html>'

    @pytest.mark.parametrize(
        ("address", "problem"),
        [
            ("b.html", ""),
            ("b.html#top", ""),
            ("#top", ""),
            ("https://doi.org/10.1145/1273496.1273641", ""),
            ("c.html", "no such file"),
            ("b.html#there", "no such anchor"),
            ("#there", "no such anchor"),
            ("https://doi.org/1145", "no doi"),
            ("https:/example", "not well formed"),
        ],
    )
    def test_addresses(self, modules, tmp_path, address, problem):
        (tmp_path / "a.html").write_text(self.PAGE.format(address))
        (tmp_path / "b.html").write_text(self.PAGE.format("a.html"))
        found = modules("check_links").problems(tmp_path)
        assert found == ([f"a.html: {address}: {problem}"] if problem else [])

    def test_nothing_is_fetched_from_elsewhere(self, modules, tmp_path):
        (tmp_path / "a.html").write_text('<script src="https://cdn.example.org/x.js"></script>')
        assert len(modules("check_links").problems(tmp_path)) == 1


def test_there_are_enough_examples():
    scripts = list((ROOT / "examples" / "gallery").rglob("plot_*.py"))
    assert len(scripts) >= 25

"""Pages of docs/ and the README show what happens: their code runs, and prints the output that stands below it.

``make snapshots`` writes the output blocks anew.
"""

import contextlib
import doctest
import io
import re
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine

import eigenselect
from eigenselect import SPEC, FisherScore, TraceRatio
from eigenselect.cli.main import run
from eigenselect.criteria.methods import METHODS
from eigenselect.sensitivity import perturbation_bound
from perturbations import random_perturbations

DOCS = Path(__file__).parent.parent / "docs"
DATA = DOCS.resolve().parents[1] / "shared" / "data"
MARKED = r"<!-- (\w+) -->([\d.]+)<!-- -->"
#: the last column of a comparison holds seconds
SECONDS = re.compile(r" +[\d.]+$", re.M)
#: pages with code and output, and modules or data without which they are skipped
PAGES = {
    "install.md": (), "units.md": (), "migrating.md": (), "explain.md": (), "redundancy.md": (), "knowledge.md": (),
    "report.md": (), "significance.md": (), "spatial.md": ("anndata",), "command.md": ("anndata",),
    "index.md": ("scanpy",), "single_cell.md": ("scanpy", "mudata"), "big_tables.md": ("dask.array", "zarr"),
    "noise.md": (), "robustness.md": (), "outliers.md": ("leukemia_hgu95_symbols.npz",),
}  # fmt: skip
#: pages that take seconds
SLOW = ("command.md", "significance.md", "single_cell.md", "noise.md", "spatial.md")


def read(page):
    return (DOCS / page).read_text(encoding="utf-8")


def printed_by(code, space):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, space)
    return printed.getvalue()


def commands(block, capsys):
    """Run each command of a console block; return the block with what is printed now."""
    for line in re.findall(r"^\$ (.*)", block, re.M):
        code = run(line.split()[1:])
        out, err = capsys.readouterr()
        assert code == ("eigenselect: error: " in err), line
        yield f"$ {line}\n{err}{out}"


def with_real_output(text, capsys):
    """Return a page with each output block as it comes out now; a text block belongs to the code before it."""
    space, printed = {}, ""

    def block(match):
        nonlocal printed
        kind, body = match.groups()
        if kind == "python":
            printed = printed_by(body, space)
        elif kind == "text" and printed:
            body, printed = printed.rstrip() + "\n", ""
        elif kind == "console":
            new = "".join(commands(body, capsys))
            body = body if SECONDS.sub("", new) == SECONDS.sub("", body) else new
        return f"```{kind}\n{body}```"

    return re.sub(r"```(python|text|console)\n(.*?)```", block, text, flags=re.S)


@pytest.mark.filterwarnings("ignore")  # of scanpy and mudata; those of ours are printed by the pages
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.slow] if page in SLOW else []) for page in PAGES]
)
def test_snapshot_of_pages(page, tmp_path, capsys, request):
    for need in PAGES[page]:
        if need.endswith(".npz"):
            if not (DATA / need).exists():
                pytest.skip(f"{need} is not here")
            (tmp_path / need).symlink_to(DATA / need)
        else:
            pytest.importorskip(need)
    if page == "index.md":
        load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)  # as the page's shell does
    with contextlib.chdir(tmp_path):
        text = with_real_output(read(page), capsys)
    if request.config.getoption("--renew-snapshots"):
        (DOCS / page).write_text(text, encoding="utf-8")
    assert text == read(page)


def test_code_of_the_readme_prints_its_comments():
    code = re.search(r"```python\n(.*?)```", read("../README.md"), re.S).group(1)
    assert printed_by(code, {}).splitlines() == re.findall(r"^# (\[.*\])$", code, re.M)


@pytest.mark.parametrize("page", ["theorem.md", "robustness.md"])
@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.EqualEigenvaluesWarning")
def test_code_prints_its_comments(page):
    space = {}
    for code in re.findall(r"```python\n(.*?)```", read(page), re.S):
        promised = re.findall(r"# (\[.*\]|\d+)$", code, re.M)
        printed = printed_by(code, space).splitlines()
        assert printed == promised or not promised


@pytest.mark.parametrize(("page", "least"), [("labels.md", 10), ("mathematics.md", 60)])
def test_prompts(page, least):
    found = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert found.attempted > least
    assert found.failed == 0


def test_numbers_of_the_worked_example():
    X, y = np.array([[1.0, 0], [2, 3], [5, 1], [6, 4]]), ["red", "red", "blue", "blue"]
    spec = SPEC(1, similarity="class_labels").fit(X, y)
    one, both = (TraceRatio(count, scale=None).fit(X, y) for count in (1, 2))
    b, e = one.criterion_.pair.scatters(X, None)
    fisher = FisherScore(1).fit(X, y).native_scores_
    numbers = {"one_ratio": one.trace_ratio_, "both_ratio": both.trace_ratio_}
    for j, name in enumerate("ab"):
        numbers |= {f"{name}_within": e[j], f"{name}_total": b[j] + e[j], f"{name}_phi2": spec.native_scores_[j]}
        numbers |= {f"{name}_score": spec.scores_[j], f"{name}_fisher": fisher[j]}
    shown = {name: float(value) for name, value in re.findall(MARKED, read("theorem.md"))}
    assert shown == pytest.approx(numbers, abs=5e-5)


@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.EqualEigenvaluesWarning")
def test_how_tight_the_bound_is():
    for name, shown in re.findall(MARKED, read("robustness.md")):
        power, count, statistic = name.split("_")
        n_eigenvalues = None if count == "all" else int(count)
        tightness = np.concatenate(
            [
                perturbation_bound(*example, power=int(power), n_eigenvalues=n_eigenvalues).tightness
                for example in random_perturbations(np.random.default_rng(0), 200)
            ]
        )
        value = np.median(tightness) if statistic == "median" else tightness.max()
        assert float(shown) == pytest.approx(value, abs=6e-4 if statistic == "largest" else 6e-5), name


def test_calls_in_tables_can_be_made():
    """Names of selectors and similarities, and the keywords that are written behind them."""
    for page in ("migrating.md", "glossary.md", "choosing.md"):
        for name, words in re.findall(r"`(?:es\.)?([A-Z]\w+)\(([^`]*)\)(?:\.fit\(.*?)?`", read(page)):
            made = getattr(eigenselect, name, None) or getattr(eigenselect.similarity, name, None)
            assert made is not None or page == "migrating.md", name  # other libraries are named there
            keywords = re.findall(r"(\w+)=", words.split(").fit(")[0]) if made else ()
            assert set(keywords) <= set(signature(made).parameters if made else ()), name


def test_every_method_is_explained_once():
    rows = re.findall(r"^\| (`.*) \| (.*) \|$", read("explain.md"), re.MULTILINE)
    names = [name for cell, _ in rows for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(names) == sorted({row.selector for row in METHODS})


def test_noise_claims_nothing():
    outputs = "".join(re.findall(r"```(?:text|console)\n(.*?)```", read("noise.md"), re.S))
    assert "chance" in outputs
    assert "*" not in outputs


def test_numbers_of_the_readme_are_those_of_the_page_that_measures_them():
    measured = {}
    for line in read("choosing.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8:  # a method, six accuracies, how often it beats random features; the first table counts
            measured.setdefault(cells[0], (cells[2], cells[7]))
    section = read("../README.md").split("## Which one?")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "|" in line][2:]
    assert len([row for row in rows if row[2]]) == 5
    assert all(measured[method] == (accuracy, beats) for _, method, accuracy, beats in rows if accuracy)

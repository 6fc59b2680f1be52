"""The numbers in docs/ are computed again."""

import contextlib
import doctest
import io
import re
import warnings
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine

import eigenselect
from eigenselect import SPEC, FisherScore, TraceRatio
from eigenselect.cli.main import run
from eigenselect.criteria.table import METHODS
from eigenselect.exceptions import EqualEigenvaluesWarning
from eigenselect.sensitivity import perturbation_bound
from perturbations import random_perturbations

DOCS = Path(__file__).parent.parent / "docs"
TEXT = (DOCS / "theorem.md").read_text(encoding="utf-8")
ROBUSTNESS = (DOCS / "robustness.md").read_text(encoding="utf-8")
X = np.array([[1.0, 0], [2, 3], [5, 1], [6, 4]])
MARKED = r"<!-- (\w+) -->([\d.]+)<!-- -->"
Y = ["red", "red", "blue", "blue"]


@pytest.fixture(scope="module")
def computed():
    spec = SPEC(1, similarity="class_labels").fit(X, Y)
    letter = {"scale": None}
    b, e = TraceRatio(1, **letter).fit(X, Y).criterion_.pair.scatters(X, None)
    fisher = FisherScore(1).fit(X, Y).native_scores_
    numbers = {}
    for j, name in enumerate("ab"):
        numbers |= {f"{name}_within": e[j], f"{name}_total": b[j] + e[j], f"{name}_phi2": spec.native_scores_[j]}
        numbers |= {f"{name}_score": spec.scores_[j], f"{name}_fisher": fisher[j]}
    numbers["one_ratio"] = TraceRatio(1, **letter).fit(X, Y).trace_ratio_
    numbers["both_ratio"] = TraceRatio(2, **letter).fit(X, Y).trace_ratio_
    return numbers


def test_every_number_of_the_worked_example(computed):
    shown = dict(re.findall(MARKED, TEXT))
    assert shown.keys() == computed.keys()
    for name, value in shown.items():
        assert float(value) == pytest.approx(computed[name], abs=5e-5), name


def test_the_code_prints_what_it_says():
    code = re.search(r"```python\n(.*?)```", TEXT, re.S).group(1)
    promised = re.findall(r"# (\[.*\])$", code, re.M)
    assert printed_by(code, {}).splitlines() == promised


class TestRobustness:
    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.EqualEigenvaluesWarning")
    def test_how_tight_the_bound_is(self):
        for name, shown in re.findall(MARKED, ROBUSTNESS):
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

    def test_how_many_eigenvalues_counted(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            used = [
                perturbation_bound(*example, n_eigenvalues=3).n_eigenvalues
                for example in random_perturbations(np.random.default_rng(0), 200)
            ]
        assert {count: used.count(count) for count in set(used)} == {3: 133, 4: 33, 12: 34}
        assert "three in 133 of the\n200 perturbations, four in 33, all twelve in 34" in ROBUSTNESS
        assert len(caught) == 33 + 34

    def test_the_code_prints_what_it_says(self):
        bound, equal, *stability = re.findall(r"```python\n(.*?)```", ROBUSTNESS, re.S)
        space = {}
        assert printed_by(bound, space).splitlines() == re.findall(r"# (\[.*\])$", bound, re.M)
        with pytest.warns(EqualEigenvaluesWarning, match="n_eigenvalues=3 ends among .* the 60 with all"):
            assert printed_by(equal, space) == re.search(r"print.*# (\d+)$", equal, re.M).group(1) + "\n"
        shown, space = re.findall(r"```text\n(.*?)```", ROBUSTNESS, re.S), {}
        for code, text in zip(stability, shown, strict=True):
            assert printed_by(code, space).rstrip() == text.rstrip()


@pytest.mark.parametrize("page", ["knowledge.md", "redundancy.md"])
def test_every_example_prints_what_it_says(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    codes, shown = (re.findall(rf"```{kind}\n(.*?)```", text, re.S) for kind in ("python", "text"))
    for code, expected in zip(codes, shown, strict=True):
        assert printed_by(code, {}).rstrip() == expected.rstrip()


def printed_by(code, space):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, space)
    return printed.getvalue()


@pytest.fixture
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


def check_page(page, folder, capsys):
    """Every Python block prints the text block after it, every command what stands below it, in this folder."""
    text, space = (DOCS / page).read_text(encoding="utf-8"), {}
    blocks = re.findall(r"```(python|text|console)\n(.*?)```", text, re.S)
    printed = None
    with contextlib.chdir(folder):
        for kind, block in blocks:
            if kind == "python":
                printed = printed_by(block, space)
            elif kind == "text":
                assert printed.rstrip() == block.rstrip()
            for command in re.split(r"^\$ ", block, flags=re.M)[1:] if kind == "console" else ():
                line, _, shown = command.partition("\n")
                assert run(line.split()[1:]) == (1 if shown.startswith("eigenselect: error: ") else 0)
                out, err = capsys.readouterr()
                found = err + out
                if " compare " in line:  # the last column holds seconds
                    shown, found = (re.sub(r" +[\d.]+$", "", part, flags=re.M) for part in (shown, found))
                assert found.splitlines() == shown.splitlines()
    return [kind for kind, _ in blocks]


@pytest.mark.usefixtures("wide_terminal")
class TestLeukemia:
    """docs/outliers.md: what one sample does to a full kernel, what the library says, what neighbours give."""

    def test_the_page_shows_what_happens(self, tmp_path, capsys):
        file = DOCS.resolve().parents[1] / "shared" / "data" / "leukemia_hgu95_symbols.npz"
        if not file.exists():
            pytest.skip(f"{file} is not here; tests/selectors/test_domination.py has such a table made by hand")
        (tmp_path / file.name).symlink_to(file)
        assert check_page("outliers.md", tmp_path, capsys).count("console") == 1


@pytest.mark.usefixtures("wide_terminal")
@pytest.mark.filterwarnings("ignore")  # of scanpy, whose file is in an old format
def test_the_start_page_shows_what_happens(tmp_path, capsys):
    pytest.importorskip("scanpy")
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)  # as the page's shell does
    assert check_page("index.md", tmp_path, capsys).count("text") == 2


def test_the_page_on_installing_shows_what_happens(tmp_path, capsys):
    assert check_page("install.md", tmp_path, capsys).count("text") == 1


def test_big_tables_in_every_storage(tmp_path, capsys):
    for library in ("dask.array", "zarr"):
        pytest.importorskip(library)
    assert check_page("big_tables.md", tmp_path, capsys).count("text") == 2


@pytest.mark.usefixtures("wide_terminal")
class TestWine:
    """docs/units.md: wine as it is and scaled, the warning, and the scale of trace ratio and HSIC."""

    def test_the_page_shows_what_happens(self, tmp_path, capsys):
        assert check_page("units.md", tmp_path, capsys).count("text") == 2


def test_the_page_on_significance_shows_what_happens(tmp_path, capsys):
    assert check_page("significance.md", tmp_path, capsys).count("text") == 5


def test_the_page_on_significance_names_tests_that_exist():
    text = (DOCS / "significance.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)`", text))
    assert len(named) >= 6
    assert all((DOCS.parent / name).exists() for name in named), named
    first = text.split("\n\n")[1]
    assert "clustering" in first
    assert "noise look significant" in first


def test_the_page_on_tissues_shows_what_happens(tmp_path, capsys):
    pytest.importorskip("anndata")
    assert check_page("spatial.md", tmp_path, capsys).count("text") == 3


@pytest.mark.filterwarnings("ignore")  # of scanpy and mudata; those of ours are printed by the page
def test_the_page_on_cells_shows_what_happens(tmp_path, capsys):
    pytest.importorskip("scanpy")
    pytest.importorskip("mudata")
    assert check_page("single_cell.md", tmp_path, capsys).count("text") == 5


@pytest.mark.parametrize("page", ["spatial.md", "single_cell.md"])
def test_the_pages_on_genes_name_what_exists(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    linked = re.findall(r"\]\(([\w./]+)\)", text)
    assert len(linked) >= 3
    assert all((DOCS / name).exists() for name in linked), linked
    verbs = set(re.findall(r"(?:es|eigenselect)\.((?:pp|gr|pl)\.\w+)|`(pl\.\w+)", text))
    for name in filter(None, {part for pair in verbs for part in pair}):
        room, verb = name.split(".")
        assert verb in getattr(eigenselect, room).__all__, name


def test_the_page_on_explanations_shows_what_happens(tmp_path, capsys):
    assert check_page("explain.md", tmp_path, capsys).count("text") == 3


def test_the_page_on_explanations_names_every_method_once():
    rows = re.findall(r"^\| (`.*) \| (.*) \|$", (DOCS / "explain.md").read_text(encoding="utf-8"), re.MULTILINE)
    sums = {name: told for names, told in rows for name in re.findall(r"`(\w+)`", names)}
    assert sorted(name for names, _ in rows for name in re.findall(r"`(\w+)`", names)) == sorted(sums)
    assert set(sums) == {row.selector for row in METHODS}
    refused = {name for name in sums if getattr(eigenselect, name)()._traits().no_explanation}
    assert {name for name, told in sums.items() if told.startswith("none")} == refused


def test_every_command_prints_what_the_page_shows(tmp_path, capsys, monkeypatch):
    pytest.importorskip("anndata")
    monkeypatch.setenv("COLUMNS", "100")
    assert set(check_page("command.md", tmp_path, capsys)) == {"python", "console", "text"}


@pytest.mark.parametrize(("page", "least"), [("labels.md", 10), ("mathematics.md", 60)])
def test_the_pages_of_prompts_show_what_happens(page, least):
    found = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert found.attempted > least
    assert found.failed == 0


def test_the_page_for_users_of_other_libraries_shows_what_happens(tmp_path, capsys):
    assert check_page("migrating.md", tmp_path, capsys) == ["python", "text"]


@pytest.mark.parametrize("page", ["migrating.md", "glossary.md", "choosing.md"])
def test_every_call_that_a_table_names_can_be_made(page):
    """Names of selectors and similarities, and the keywords that are written behind them."""
    text = (DOCS / page).read_text(encoding="utf-8")
    calls = re.findall(r"`(?:es\.)?([A-Z]\w+)\(([^`]*)\)(?:\.fit\(.*?)?`", text)
    assert len(calls) > 3
    for name, words in calls:
        made = getattr(eigenselect, name, None) or getattr(eigenselect.similarity, name, None)
        if made is None:  # of another library
            assert page == "migrating.md", name
            continue
        keywords = re.findall(r"(\w+)=", words.split(").fit(")[0])
        assert set(keywords) <= set(signature(made).parameters), name


NOISE = (DOCS / "noise.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def noise_folder(tmp_path_factory):
    """A folder with the table that docs/noise.md makes first, and what each of its examples printed there."""
    folder, space = tmp_path_factory.mktemp("noise"), {}
    with contextlib.chdir(folder):
        printed = [printed_by(code, space) for code in re.findall(r"```python\n(.*?)```", NOISE, re.S)]
    return folder, printed


def test_the_page_about_reports_shows_what_happens(tmp_path, capsys):
    assert check_page("report.md", tmp_path, capsys).count("text") == 2


class TestNoise:
    """docs/noise.md: what is printed of a table in which there is nothing to find."""

    def test_every_example_prints_what_it_says(self, noise_folder):
        assert [text for text in noise_folder[1] if text] == re.findall(r"```text\n(.*?)```", NOISE, re.S)

    def test_the_comparison_prints_what_the_page_shows(self, noise_folder, capsys):
        line, _, shown = re.search(r"```console\n\$ (.*?)```", NOISE, re.S).group(1).partition("\n")
        with contextlib.chdir(noise_folder[0]):
            assert run(line.split()[1:]) == 0
        out, err = capsys.readouterr()
        seconds = re.compile(r" +[\d.]+$", re.M)  # the last column
        assert seconds.sub("", err + out) == seconds.sub("", shown)

    def test_nothing_is_claimed(self):
        outputs = "".join(re.findall(r"```(?:text|console)\n(.*?)```", NOISE, re.S))
        assert "no more than chance" in outputs
        assert "*" not in outputs
        assert "stands out" not in outputs

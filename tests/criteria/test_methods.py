"""Every row of the table of methods says what its selector does; names and docs say what the table says."""

import ast
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import eigenselect
import naive
from eigenselect.cli import options
from eigenselect.cli.main import run
from eigenselect.criteria.methods import METHODS, Command, Default, Direction, Labels, Method, Target
from eigenselect.selectors import mrsf

ROOT = Path(__file__).parents[2]


def test_every_method_has_a_naive_formula_or_a_reason():
    assert {row.name for row in METHODS} == naive.NATIVE.keys() | naive.TOGETHER.keys()
    assert not naive.NATIVE.keys() & naive.TOGETHER.keys()


def a_row(**columns):
    plain = {"name": "toy", "selector": "Toy", "module": "toys", "similarity": "S", "normalization": "f", "matrix": "S"}
    words = {"direction": Direction.LARGE, "labels": Labels.NONE, "reference": "none", "summary": "a toy"}
    return Method(**plain | words | {"in_words": "it is red"} | columns)


class TestRow:
    def test_supervision_in_words(self):
        several = (Target.CLASSES, Target.NUMBERS)
        for labels, targets, words in (
            (Labels.NONE, (), "none"),
            (Labels.SOME, (Target.CLASSES,), "a few"),
            (Labels.NEEDED, several, "needed (classes or numbers)"),
            (Labels.NEEDED, tuple(Target), "needed (classes, numbers"),
            (Labels.EITHER, several, "either"),
        ):
            assert a_row(labels=labels, targets=targets).supervision.startswith(words)

    def test_plain_values(self):
        row = json.loads(json.dumps(a_row(targets=(Target.NUMBERS,), instead="rolls dice").as_dict()))
        assert (row["targets"], row["quadratic_form"], row["supervision"]) == (["numbers"], False, "none")

    def test_call(self):
        assert a_row(parameters={"ranking": "phi1", "k": 2}).call() == "Toy(ranking='phi1', k=2)"


class TestTable:
    def test_names(self):
        assert METHODS.names() == [row.name for row in METHODS if row.command == "rank"]
        assert sum(len(METHODS.names(command)) for command in Command) == len(METHODS)
        assert METHODS["fisher"].selector == "FisherScore"
        with pytest.raises(KeyError):
            METHODS["magic"]

    def test_one_default_for_each_kind_of_data(self):
        for data in Default:
            assert [row.name for row in METHODS if data in row.default_for] == [METHODS.default(data)]

    def test_what_compare_runs_unless_told_otherwise(self):
        assert METHODS.compared() == ["fisher", "mrsf", "hsic", "laplacian"]
        assert set(METHODS.compared()) == {METHODS.default(data) for data in Default} - {"sselect"}

    def test_scores_are_called_by_their_ranking_function(self):
        assert (METHODS["spec-phi1"].score_name, METHODS["msfs"].score_name) == ("phi1", "msfs")

    def test_a_row_is_added_for_a_while(self):
        before = list(METHODS)
        with METHODS.added(a_row()):
            assert [row.name for row in METHODS] == [*(row.name for row in before), "toy"]
            assert METHODS.homes()["Toy"] == "toys"
        assert list(METHODS) == before

    def test_it_imports_nothing_heavy(self):
        program = "import sys, eigenselect.criteria.methods; print({'numpy', 'sklearn', 'click'} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout == "set()\n"


class TestPublicNames:
    def test_they_come_from_the_rows(self):
        methods = {name for row in METHODS for name in (row.selector, row.score_function, row.pvalue_function) if name}
        assert set(eigenselect.__all__) == methods | {"StabilitySelector", "report", "similarity", "__version__"}
        assert set(dir(eigenselect)) == set(eigenselect.__all__) | set(eigenselect._PACKAGES) | {"pp", "gr", "pl"}
        for row in METHODS:
            assert getattr(eigenselect, row.selector) is row.selector_class()

    def test_a_star_import_brings_all_of_them(self):
        found = {}
        exec("from eigenselect import *", found)
        assert set(eigenselect.__all__) <= found.keys()

    def test_other_names_are_refused(self):
        for name in ("Magic", "_magic"):
            with pytest.raises(AttributeError, match=name):
                getattr(eigenselect, name)

    def test_type_checkers_are_told_the_same(self):
        source = Path(eigenselect.__file__).read_text(encoding="utf-8")
        assert runpy.run_path(str(ROOT / "docs" / "make_tables.py"))["with_names"](source) == source, (
            "run `make tables`"
        )
        (block,) = [node for node in ast.parse(source).body if isinstance(node, ast.If)]
        imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
        told = {alias.asname: node.module for node in imports for alias in node.names if alias.asname == alias.name}
        verbs = dict.fromkeys(("pp", "gr", "pl"), "eigenselect")
        assert told == eigenselect._homes() | verbs | {"similarity": "eigenselect"}


class TestRecommendations:
    """README, docs/choosing.md and the command say what the table says."""

    def test_pages(self):
        for page in ("README.md", "docs/choosing.md"):
            text = (ROOT / page).read_text(encoding="utf-8").replace('"', "'")
            for data, call in METHODS.recommended().items():
                (row,) = [line for line in text.splitlines() if line.startswith(f"| {data} |")]
                assert f"`{call.removesuffix('()')}`" in row.split("|")[2], (page, data)

    def test_measured_ones_are_the_best_of_their_block(self):
        """By the nearest neighbour in 50 features, among the methods of this library that score so."""
        text = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
        for block, found in (
            ("### With labels", '`MRSF(target="lda")`'),
            ("### Without labels", '`MRSF(similarity="knn")`'),
            ("### Few labels", "`FisherScore`, labelled samples"),
        ):
            lines = text.split(f"{block}\n")[1].split("\n#")[0].splitlines()
            rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
            assert max(rows, key=lambda row: row[2])[0] == found

    def test_the_command(self, capsys):
        run(["methods"])
        lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        for data, call in METHODS.recommended().items():
            assert f"{data} {call}" in lines
        run(["compare", "--help"])
        assert ",".join(METHODS.compared()) in capsys.readouterr().out
        run(["rank", "--help"])
        words = "".join(capsys.readouterr().out.split("eigenselect methods")[1].split("--similarity")[0].split())
        assert all(METHODS.default(data) in words for data in Default)

    def test_targets_of_the_command_are_those_of_the_class(self):
        assert options.TARGETS == mrsf.TARGETS


class TestDocs:
    def test_the_theorem_names_what_is_no_quadratic_form(self):
        text = (ROOT / "docs" / "theorem.md").read_text(encoding="utf-8")
        section = text.split("no single quadratic form")[1]
        for row in METHODS:
            assert (f"`{row.selector}`" in section) == (not row.has_quadratic_form), row.name

    def test_the_theorem_tells_what_each_row_costs(self):
        text = (ROOT / "docs" / "theorem.md").read_text(encoding="utf-8")
        section = text.split("## What each row costs")[1].split("##")[0]
        lines = [line for line in section.splitlines() if line.startswith("| ")]
        for row in METHODS:
            short = row.selector.removesuffix("Score")
            assert any(short.lower() in line.lower().replace("trace ratio", "traceratio") for line in lines), row.name

    def test_the_page_on_labels_names_the_methods_that_take_numbers(self):
        text = (ROOT / "docs" / "labels.md").read_text(encoding="utf-8")
        named = re.search(r"((?:`\w+`(?:, | and ))*`\w+`) take numbers", text).group(1)
        needed = [row for row in METHODS if row.labels is Labels.NEEDED]
        assert re.findall(r"`(\w+)`", named) == [row.selector for row in needed if Target.NUMBERS in row.targets]

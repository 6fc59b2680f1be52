"""The command as a whole: help, version, completion, the table of methods, and tables on a terminal."""

import json
import re
import subprocess
import sys

import click
import pandas as pd
import pytest

import eigenselect
from eigenselect import __version__
from eigenselect.cli.group import cli
from eigenselect.cli.main import COMMANDS
from eigenselect.criteria.methods import METHODS
from rows import fitted

#: sample graphs as the table of methods calls them, and what they call themselves
GRAPHS = {
    "kNN, RBF weights": {"similarity": "KNN", "weight": "rbf"},
    "kNN with RBF weights": {"similarity": "KNN", "weight": "rbf"},
    "RBF": {"similarity": "RBF"},
    "linear": {"similarity": "Linear"},
    "class labels": {"similarity": "ClassLabels", "n_classes": 2},
    "near hits and misses": {"similarity": "hits and misses"},
    "target kernel": {"similarity": "ClassLabels"},
    "within / between classes": {"similarity": "ClassLabels", "n_classes": 2},
    "none": {"similarity": "none"},
}


def test_help_snapshot(succeed, snapshot):
    calls = [["--help"], *([name, "--help"] for name in COMMANDS)]
    snapshot("help.txt", "\n".join(f"$ eigenselect {' '.join(words)}\n{succeed(*words).out}" for words in calls))


def test_methods_snapshot(succeed, snapshot):
    snapshot("methods.txt", succeed("methods").out)


@pytest.mark.parametrize("columns", ["60", "80", "300"])
def test_help_fits_any_terminal(call, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    shown = call("--help")
    assert shown == call("-h")
    assert max(map(len, shown.out.splitlines())) <= int(columns)
    assert set(COMMANDS) <= set(shown.out.split())
    assert call("--version") == (0, f"eigenselect, version {__version__}\n", "")
    without = call()
    assert (without.out + without.err).strip() == shown.out.strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_every_option_once(succeed, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    text = succeed(name, "--help").out
    assert text.startswith(f"Usage: eigenselect {name} ")
    assert max(map(len, text.splitlines())) <= 80
    shown = re.findall(r"^  (?:-\w, )?(--?[\w-]+)", text.split("Example:")[0], re.M)
    parameters = cli.get_command(click.Context(cli), name).params
    options = [parameter for parameter in parameters if isinstance(parameter, click.Option)]
    assert sorted(shown) == sorted([*(max(option.opts, key=len) for option in options), "--help"])
    assert [option.name for option in options if not option.help] == []
    if name != "methods":
        sections = re.findall(r"^(\w[\w ]*):$", text, re.M)
        assert (sections[:2], sections[-2:]) == (["Table", "File"], ["Output", "Other options"])


def test_unknown_commands_get_near_names(refused):
    refused(2, "did you mean 'rank'?", "rnak", "data.csv")
    refused(2, "there are compare, fuse", "xyz")


@pytest.mark.parametrize(
    ("words", "place", "expected"), [("eigenselect ra", 1, "rank"), ("eigenselect rank x --method fis", 4, "fisher")]
)
def test_the_shell_completes_commands_and_methods(call, monkeypatch, words, place, expected):
    for name, value in {"COMP_WORDS": words, "COMP_CWORD": place, "_EIGENSELECT_COMPLETE": "bash_complete"}.items():
        monkeypatch.setenv(name, str(value))
    assert f"plain,{expected}" in call().out


def test_light_commands_import_nothing_heavy(tmp_path, rng):
    """In one process, step by step: no numpy for help; numba for large tables only."""
    path = tmp_path / "small.csv"
    pd.DataFrame(rng.normal(size=(100, 1000)).round(3)).to_csv(path, index=False)
    program = (
        "import sys; from eigenselect.cli.main import run\n"
        "for words, missing in (\n"
        "    ('--help', 'numpy pandas scipy sklearn numba'), ('rank --help', 'numpy pandas scipy sklearn numba'),\n"
        "    ('methods', 'numpy pandas scipy sklearn numba'), (f'rank {sys.argv[1]} -k 5', 'numba')\n"
        "):\n"
        "    assert run(words.split()) == 0, words\n"
        "    assert not set(missing.split()) & set(sys.modules), words"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class TestMethods:
    def test_json_holds_the_table(self, succeed):
        listed = json.loads(succeed("methods", "--json").out)
        assert listed == json.loads(json.dumps([row.as_dict() for row in METHODS]))

    def test_the_similarity_in_words_is_the_one_of_the_row(self):
        """`rows.check_similarities` holds the names of the row to its selector."""
        for row in METHODS:
            default, *others = row.similarity.split("; ")
            if row.name not in ("kogs", "msfs") and default != "any":
                assert fitted(row).graph_.description.items() >= GRAPHS[default].items(), row.name
            assert ("any" in (default, *others)) == ("any" in row.similarities), row.name

    def test_what_is_printed_for_python_makes_the_method(self):
        for row in METHODS:
            made = eval(row.call(), vars(eigenselect) | {row.selector: row.selector_class()})
            assert type(made).__name__ == row.selector
            assert made.get_params().items() >= row.parameters.items(), row.name

    def test_a_narrow_terminal_gets_lists(self, succeed, monkeypatch):
        whole = succeed("methods").out
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        lines = [line.strip() for line in succeed("methods").out.splitlines()]
        assert {f"in Python: {row.call()}" for row in METHODS} <= set(lines)
        monkeypatch.setenv("COLUMNS", "400")
        assert succeed("methods").out == whole


class TestTerminal:
    @pytest.mark.parametrize("columns", [50, 80, 100])
    def test_tables_stay_within_it(self, succeed, data_csv, frame, awkward, monkeypatch, columns):
        """Bars are left out on narrow ones, and long names are cut."""
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = succeed("rank", data_csv, "--label", "y", "-k", "3").out.splitlines()
        assert max(map(len, lines)) <= columns
        assert lines[0].split()[:3] == ["rank", "feature", "score"]
        assert awkward[:8] in lines[2]
        assert ("█" in lines[2]) == (columns >= 80)
        frame.rename(columns={awkward: "x" * 10_000}).to_csv(data_csv, index=False)
        lines = succeed("rank", data_csv, "--label", "y").out.splitlines()
        assert max(map(len, lines)) <= columns
        assert "xxx…" in lines[2]

    def test_wide_letters_take_two_columns(self, succeed, data_csv, frame):
        frame.rename(columns={"f0": "ゲノム", "f1": "e\u0301"}).to_csv(data_csv, index=False)
        lines = succeed("rank", data_csv, "--ignore", "y", "--method", "variance").out.splitlines()[2:]
        assert len(lines) == 7
        shown = [re.sub("([ゲノム🧬])", r"\1 ", line.replace("\u0301", "")) for line in lines]
        assert len({re.search(r"\d\.\d+", line).end() for line in shown}) == 1

    def test_names_cannot_move_the_cursor(self, succeed, tmp_path, frame, awkward):
        path = tmp_path / "t\x1b[2J.csv"
        frame.rename(columns={awkward: "a\x1b[2Jb\nc\u200b"}).to_csv(path, index=False)
        _, out, err = succeed("rank", path, "--label", "y")
        assert not {"\x1b", "\u200b"} & set(out + err)
        assert "a\\x1b[2Jb\\nc\\u200b" in out

    def test_small_scores_keep_their_digits(self, succeed, summary_of, data_csv, frame):
        X = frame.drop(columns="y") * 1e-6
        X.assign(y=frame["y"]).to_csv(data_csv, index=False)
        words = ("rank", data_csv, "--ignore", "y", "--method", "variance", "-k", "3")
        out = succeed(*words).out
        shown = [float(re.search(r"(-?\d\.\d{3}e[+-]\d\d) ", line).group(1)) for line in out.splitlines()[2:]]
        assert shown == pytest.approx([row["score"] for row in summary_of(*words)["features"]], rel=1e-3)

    def test_all_features_are_counted_even_if_not_shown(self, succeed, tmp_path, rng):
        path = tmp_path / "wide.csv"
        pd.DataFrame(rng.normal(size=(20, 50))).to_csv(path, index=False)
        for words, lines in (((), 2 + 20 + 1), (("-k", "25"), 2 + 25), (("-k", "50"), 2 + 50)):
            out = succeed("rank", path, *words).out
            assert (len(out.splitlines()), "30 more" in out) == (lines, words == ())

"""The entry of the command: help and version at once, nothing heavy before it is needed."""

import subprocess
import sys

import pandas as pd
import pytest

from eigenselect import __version__
from eigenselect.cli.main import COMMANDS


def test_version_and_help(call):
    assert call("--version")[1].strip().endswith(__version__)
    code, out, _ = call("rank", "--help")
    assert code == 0
    assert "--label" in out


@pytest.mark.parametrize("columns", ["80", "300"])
def test_the_quick_help_is_what_click_prints(call, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    quick = call("--help")[1]
    assert quick == call("-h")[1]
    monkeypatch.setattr("eigenselect.cli.main._quick_answer", lambda words: None)
    assert call("--help") == (0, quick, "")
    assert call("--version")[1] == f"eigenselect, version {__version__}\n"


def test_a_narrow_terminal_gets_broken_lines(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    code, out, _ = call("--help")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 60
    assert set(COMMANDS) <= set(out.split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["-h"]])
def test_help_and_version_answer_before_click_is_imported(words):
    program = "import sys; from eigenselect.cli.main import run; run(sys.argv[1:]); sys.exit('click' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["rank", "--help"], ["methods"]])
def test_light_commands_import_nothing_heavy(words):
    program = (
        "import sys; from eigenselect.cli.main import run; code = run(sys.argv[1:]);"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'numba'} & set(sys.modules);"
        "sys.exit(str(heavy) if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_small_csv_imports_no_numba(tmp_path, rng):
    path = tmp_path / "small.csv"
    pd.DataFrame(rng.normal(size=(100, 1000))).to_csv(path, index=False)
    program = (
        "import sys; from eigenselect.cli.main import run; code = run(['rank', sys.argv[1], '-k', '5']);"
        "sys.exit(code or 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

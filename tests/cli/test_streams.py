"""The result arrives whatever standard output is: another encoding, closed, or a reader that goes away."""

import io
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from eigenselect.cli.streams import fitted, note, say, say_json

#: seconds after which a child is taken for hung; nothing waits that long unless something is wrong
PATIENCE = 120
NAMES = ["naïve", "ゲノム", "σ²", "🧬", "plain"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("streams") / "data.csv"
    X = pd.DataFrame(rng.normal(size=(20, 5)), columns=NAMES)
    X.assign(y=np.arange(20) % 2).to_csv(path, index=False)
    return path


def run_child(*words, shell="", **environment):
    """The command in a process of its own, as bytes."""
    settings = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "COLUMNS": "100", **environment}
    command = ["bash", "-c", f'exec "$@" {shell}', "bash", sys.executable, "-m", "eigenselect", *map(str, words)]
    return subprocess.run(command, capture_output=True, timeout=PATIENCE, env={**os.environ, **settings})


class Stream(io.TextIOWrapper):
    """A stream in memory with an encoding of its own."""

    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding=encoding)

    def text(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii", "utf-8", "cp437", "utf-16"])
class TestEncodings:
    def test_a_table(self, encoding, monkeypatch):
        out, err = Stream(encoding), Stream(encoding)
        monkeypatch.setattr("sys.stdout", out)
        monkeypatch.setattr("sys.stderr", err)
        say("rank ─ naïve … ███ ゲノム")
        assert out.text().startswith("rank ")
        shown = out.text().rstrip("\n").encode().decode("unicode_escape") if encoding == "ascii" else out.text()
        assert "na\u00efve" in shown
        lacks_our_letters = not encoding.startswith("utf")
        assert ("\\u30b2\\u30ce\\u30e0" in out.text()) == lacks_our_letters
        assert err.text().count("which lacks") == lacks_our_letters

    def test_json_loses_nothing(self, encoding, monkeypatch):
        out = Stream(encoding)
        monkeypatch.setattr("sys.stdout", out)
        say_json(json.dumps({"features": NAMES, "quote": '"\\'}, ensure_ascii=False))
        assert json.loads(out.text()) == {"features": NAMES, "quote": '"\\'}

    def test_messages(self, encoding, monkeypatch):
        err = Stream(encoding)
        monkeypatch.setattr("sys.stderr", err)
        note("warning: ゲノム\x1b[2J")
        assert "\x1b" not in err.text()
        assert err.text().startswith("warning: ")

    def test_quiet_means_quiet(self, encoding, monkeypatch):
        out, err = Stream(encoding), Stream(encoding)
        monkeypatch.setattr("sys.stdout", out)
        monkeypatch.setattr("sys.stderr", err)
        say("ゲノム", quiet=True)
        assert err.text() == ""
        assert out.text()


def test_what_can_be_written_is_not_touched():
    assert fitted("naïve ─", "cp1252") == ("naïve -", 0)
    assert fitted("naïve ─ ゲゲ\udcff", "utf-8") == ("naïve ─ ゲゲ\\udcff", 1)
    assert fitted("🧬x", "ascii") == ("\\U0001f9ecx", 1)


@pytest.mark.parametrize(
    ("encoding", "environment", "words"),
    [
        ("cp1252", {"PYTHONIOENCODING": "cp1252"}, "rank {} --label y"),
        ("ascii", {"LC_ALL": "C", "PYTHONIOENCODING": ""}, "rank {} --label y"),
        ("latin-1", {"PYTHONIOENCODING": "latin-1"}, "methods"),
    ],
)
def test_a_real_process(data, words, encoding, environment):
    done = run_child(*words.format(data).split(), **environment)
    assert done.returncode == 0, done.stderr
    text, told = done.stdout.decode(encoding), done.stderr.decode(encoding)
    assert len(text.splitlines()) > 5
    assert "Traceback" not in told
    assert told.count("which lacks") == 1
    assert ("\\u30b2\\u30ce\\u30e0" in text) == ("rank" in words)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("words", ["rank --help", "rank none.csv", "rank x --nonsense"])
def test_help_and_errors_in_another_encoding(words, encoding):
    done = run_child(*words.split(), PYTHONIOENCODING=encoding)
    assert done.returncode == (0 if "help" in words else 2 if "nonsense" in words else 1)
    assert b"codec" not in done.stderr
    assert done.stdout if "help" in words else done.stderr


@pytest.mark.parametrize("words", ["rank {} --label y", "methods --json", "--help", "rank -h"])
def test_closed_standard_output_is_a_failure(data, words):
    done = run_child(*words.format(data).split(), shell=">&-")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().splitlines()[-1].startswith("eigenselect: error: standard output: is closed; ")
    assert b"Traceback" not in done.stderr


def test_closed_standard_output_that_nobody_needs(data, tmp_path):
    target = tmp_path / "out.csv"
    done = run_child("rank", data, "--label", "y", "-o", target, shell=">&-")
    assert done.returncode == 0, done.stderr
    assert list(pd.read_csv(target)["rank"]) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("words", "code"), [("methods", 0), ("rank none.csv", 1), ("rank {} --nonsense", 2)])
def test_closed_standard_error_does_not_send_messages_elsewhere(data, words, code):
    done = run_child(*words.format(data).split(), shell="2>&-")
    assert done.returncode == code
    assert (b"fisher" in done.stdout) == (code == 0)
    assert b"none.csv" not in done.stdout
    assert b"nonsense" not in done.stdout


def test_all_three_closed(data, tmp_path):
    """The files that are opened must not get the numbers of the streams."""
    done = run_child("rank", data, "--label", "y", "-o", tmp_path / "out.csv", shell="<&- >&- 2>&-")
    assert done.returncode == 0
    assert len(pd.read_csv(tmp_path / "out.csv")) == 5
    assert run_child("rank", "-", shell="<&- >&- 2>&-").returncode == 1


@pytest.mark.parametrize("words", ["rank {} --label y -q", "methods", "methods --json"])
def test_a_reader_that_goes_away_is_no_error(data, words):
    done = run_child(*words.format(data).split(), shell="| head -c 1")
    assert (done.returncode, len(done.stdout), done.stderr) == (0, 1, b"")

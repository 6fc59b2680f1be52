"""Standard output and error: other encodings, closed, full, readers that go away, and the line with the time left."""

import io
import json
import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest

from eigenselect.cli import progress
from eigenselect.cli.main import run
from eigenselect.cli.progress import ERASE

#: seconds after which a child is taken for hung
PATIENCE = 120
NAMES = ["naïve", "ゲノム", "σ²", "🧬", "plain"]
COMMAND = [sys.executable, "-m", "eigenselect"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("streams") / "data.csv"
    X = pd.DataFrame(rng.normal(size=(20, 5)), columns=NAMES)
    X.assign(y=np.arange(20) % 2).to_csv(path, index=False)
    return path


class Stream(io.TextIOWrapper):
    """A stream in memory with an encoding of its own."""

    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding=encoding)

    def text(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding, "replace")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii", "utf-8", "cp437", "utf-16"])
def test_other_encodings(data, monkeypatch, encoding):
    """A table has escapes and one warning, JSON loses nothing, and messages and help are written."""

    def said(*words):
        out, err = Stream(encoding), Stream(encoding)
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", out)
            patch.setattr("sys.stderr", err)
            code = run([str(word) for word in words])
        return code, out.text(), err.text()

    lacks = not encoding.startswith("utf")
    code, out, err = said("rank", data, "--label", "y")
    assert (code, err.count("PYTHONIOENCODING")) == (0, lacks)
    assert ("\\u30b2\\u30ce\\u30e0" in out) == lacks
    assert "na\u00efve" in (out.encode().decode("unicode_escape") if encoding == "ascii" else out)
    assert said("rank", data, "--label", "y", "-q") == (0, out, "")
    code, out, _ = said("rank", data, "--label", "y", "--json", "-q")
    assert {row["feature"] for row in json.loads(out)["features"]} == set(NAMES)
    code, out, err = said("rank", "ゲノム\x1b[2J.csv")
    assert (code, out, "\x1b" in err) == (1, "", False)
    assert said("rank", "x", "--nonsense")[0] == 2
    for words in (["rank", "--help"], ["methods"]):
        assert len(said(*words)[1].splitlines()) > 20


@pytest.mark.parametrize("words", ["rank {} --label y", "methods --json", "--help", "rank -h"])
def test_closed_standard_output_is_a_failure(capsys, data, monkeypatch, words):
    monkeypatch.setattr("sys.stdout", None)
    code = run(words.format(data).split())
    err = capsys.readouterr().err
    assert (code, "standard output: is closed" in err, "Traceback" in err) == (1, True, False)


@pytest.mark.parametrize(
    ("words", "shell", "code", "out", "err"),
    [
        ("rank {} --label y -o {}.out.csv", "<&- >&- 2>&-", 0, b"", b""),
        ("rank none.csv", "2>&-", 1, b"", b""),
        ("methods", ">/dev/full", 1, b"", b"No space left"),
        ("rank {} --label y -q", "| head -c 1", 0, b"r", b""),
        ("--help", "| true", 0, b"", b""),
    ],
)
def test_a_process(data, words, shell, code, out, err):
    """Files do not get the numbers of closed streams; a full device is a failure, a reader that goes away is none."""
    command = ["bash", "-c", f'set -o pipefail; "$@" {shell}', "bash", *COMMAND, *words.format(data, data).split()]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (code, out), done.stderr
    assert err in done.stderr if err else done.stderr == b""
    if "-o" in words:
        assert len(pd.read_csv(f"{data}.out.csv")) == 5


class TestInterrupt:
    def test_a_process_that_reads(self):
        """Send more than a pipe holds, so that the child is reading; shells may have switched Ctrl-C off."""
        with subprocess.Popen(
            [*COMMAND, "rank", "-"],
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            process.stdin.write("a,b\n" + "1,2\n" * 500_000)
            process.stdin.flush()
            process.send_signal(signal.SIGINT)
            err = process.communicate(timeout=PATIENCE)[1]
        assert (process.returncode, err) == (130, "eigenselect: interrupted\n")

    @pytest.mark.parametrize("place", ["eigenselect.io.readers.read_table", "eigenselect.FisherScore.fit"])
    def test_it_has_a_line_of_its_own(self, call, data, monkeypatch, place):
        def interrupt(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(place, interrupt)
        assert call("rank", data, "--label", "y", "-q") == (130, "", "eigenselect: interrupted\n")
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        code, _, err = call("rank", data, "--label", "y", "-q")
        assert (code, err.endswith("\neigenselect: interrupted\n")) == (130, True)


class TestProgress:
    @pytest.fixture
    def impatient(self, monkeypatch):
        monkeypatch.setattr(progress, "PATIENCE", -1)
        monkeypatch.setattr(progress, "PAUSE", -1)
        monkeypatch.setenv("TERM", "xterm")

    def test_on_a_terminal_only_and_not_if_quiet(self, succeed, data, tmp_path, monkeypatch, impatient):
        monkeypatch.chdir(tmp_path)
        for words in (
            ("compare", data, "--label", "y", "--methods", "fisher,laplacian", "-k", "2", "--sizes", "2"),
            ("rank", data, "--label", "y", "--method", "laplacian"),
            ("select", data, "--label", "y", "--method", "laplacian", "-k", "2", "--force", "-o", "small.csv"),
            ("fuse", data, "--ignore", "y"),
        ):
            piped = succeed(*words).err
            assert ERASE not in piped
            with monkeypatch.context() as patch:
                patch.setattr("sys.stderr.isatty", lambda: True)
                seen = succeed(*words)
                assert succeed(*words, "-q").err == ""
                patch.setenv("TERM", "dumb")
                assert succeed(*words).err == piped
            parts = [text for text in seen.err.split(ERASE) if text]
            drawn = [text for text in parts if not text.endswith("\n")]
            assert {text.split()[0] for text in drawn} >= {"reading"}, words
            assert all(text.endswith("left") for text in drawn)
            assert "".join(text for text in parts if text not in drawn) == piped
            assert "left" not in seen.out

    @pytest.mark.parametrize("ending", ["csv", "csv.gz"])
    def test_reading_counts_bytes(self, succeed, tmp_path, monkeypatch, rng, impatient, ending):
        """Of a compressed file, which Python reads in blocks of 128 kB, the bytes that are stored."""
        monkeypatch.setattr("eigenselect.io.content.CHUNK", 1 << 14)
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        pd.DataFrame(rng.normal(size=(400, 200))).to_csv(tmp_path / f"t.{ending}", index=False)
        seen = succeed("rank", tmp_path / f"t.{ending}", "--method", "laplacian").err
        shares = [int(text.split("%")[0].split()[-1]) for text in seen.split(ERASE) if text.startswith("reading ")]
        assert len(set(shares)) >= 4
        assert max(shares) == 100

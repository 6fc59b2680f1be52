"""The line with the time left: on a terminal, not in pipes, not when quiet, and gone at the end."""

import io
import os
import pty
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from eigenselect.cli import progress
from eigenselect.cli.progress import ERASE, ProgressLine

PATIENCE = 120


class Clock:
    """Time that passes when told to."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def line():
    clock = Clock()
    shown = ProgressLine("working", io.StringIO(), total=20, clock=clock)
    shown.clock = clock
    return shown


def test_share_and_time_left(line):
    line.clock.now += 1000  # before the work begins
    part = line.part(15)
    line.clock.now += 30
    part(1, 3)
    assert line.stream.getvalue() == f"{ERASE}working {'█' * 6}{'░' * 18}  25%, 1:30 left"
    line.clock.now += 30
    part(2, 3)
    assert line.stream.getvalue().endswith(f"{ERASE}working {'█' * 12}{'░' * 12}  50%, 1:00 left")
    line.clock.now += 20
    line.part(5)(3, 5)
    assert line.stream.getvalue().endswith("90%, 0:09 left")
    line.close()
    assert line.stream.getvalue().endswith(ERASE)


def test_short_work_shows_nothing(line):
    part = line.part(20)
    line.clock.now += 0.4
    part(19, 20)
    line.close()
    assert line.stream.getvalue() == ""


def test_it_is_not_drawn_all_the_time(line):
    part = line.part(20)
    line.clock.now += 10
    for done in range(1, 20):
        line.clock.now += 0.03
        part(done, 20)
    assert line.stream.getvalue().count("working") == 5


def test_stages_of_unknown_number_have_a_line_each(line):
    line.clock.now += 10
    line.stage(1, 2)
    line.clock.now += 10
    line.stage(2, 2)
    assert line.stream.getvalue().endswith("100%, 0:00 left" + ERASE)
    line.clock.now += 3
    line.stage(1, 4)
    assert line.stream.getvalue().endswith(" 25%, 0:09 left")


@pytest.fixture
def data_csv(tmp_path, rng):
    y = np.arange(40) % 2
    X = pd.DataFrame(rng.normal(size=(40, 6)), columns=[f"f{j}" for j in range(6)])
    X.assign(f0=X["f0"] + 3 * y, y=y).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


WORDS = {
    "compare": ("--label", "y", "--methods", "fisher,laplacian", "-k", "2", "--sizes", "2"),
    "rank": ("--label", "y", "--method", "laplacian"),
    "select": ("--label", "y", "--method", "laplacian", "-k", "2", "--force", "-o", "small.csv"),
    "fuse": ("--ignore", "y"),
}


@pytest.mark.parametrize("command", WORDS)
def test_on_a_terminal_only_and_not_if_quiet(call, data_csv, monkeypatch, command):
    monkeypatch.chdir(data_csv.parent)
    monkeypatch.setattr(progress, "PATIENCE", -1)
    monkeypatch.setattr(progress, "PAUSE", -1)
    monkeypatch.setenv("TERM", "xterm")
    words = (command, data_csv, *WORDS[command])
    code, _, piped = call(*words)
    assert code == 0, piped
    assert ERASE not in piped
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    label = "comparing" if command == "compare" else "computing"
    _, out, seen = call(*words)
    parts = [text for text in seen.split(ERASE) if text]
    drawn = [text for text in parts if not text.endswith("\n")]
    assert list(dict.fromkeys(text.split()[0] for text in drawn)) == ["reading", label]
    assert all(text.endswith("left") for text in drawn)
    assert "".join(text for text in parts if text not in drawn) == piped
    assert label not in out
    assert call(*words, "-q")[2] == ""
    monkeypatch.setenv("TERM", "dumb")
    assert call(*words)[2] == piped


def test_a_real_terminal(data_csv):
    """Only stderr is the terminal: the result in the pipe is what it always is."""
    program = (
        "import sys; from eigenselect.cli import progress; progress.PATIENCE = progress.PAUSE = -1\n"
        "from eigenselect.cli.main import main; main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, "compare", data_csv, *WORDS["compare"]]
    terminal, end = pty.openpty()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=end, text=True, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(end)
        seen = b"".join(chunks(terminal)).decode()
        out, _ = process.communicate(timeout=PATIENCE)
    os.close(terminal)
    assert process.returncode == 0, seen
    *drawn, rest = seen.split(ERASE)
    assert drawn[1].startswith("reading ")
    assert any(text.startswith("comparing ") for text in drawn)
    assert drawn[-1].endswith("100%, 0:00 left")
    assert rest.endswith("accuracy of always answering the largest class: 0.500\r\n")
    assert out.startswith("method")
    assert "\033" not in out


def test_reading_tells_how_many_bytes_are_read(call, tmp_path, monkeypatch, rng):
    """On a terminal; a compressed file by the bytes that are stored, whose number is known."""
    monkeypatch.setattr(progress, "PATIENCE", -1)
    monkeypatch.setattr(progress, "PAUSE", -1)
    monkeypatch.setattr("eigenselect.io.content.CHUNK", 1 << 14)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    for ending in ("csv", "csv.gz"):
        path = tmp_path / f"t.{ending}"
        # of a compressed file Python reads 128 kB at a time
        pd.DataFrame(rng.normal(size=(400, 200))).to_csv(path, index=False)
        code, _, seen = call("rank", path, "--method", "laplacian")
        assert code == 0
        shares = [int(text.split("%")[0].split()[-1]) for text in seen.split(ERASE) if text.startswith("reading ")]
        assert len(set(shares)) >= 4
        assert max(shares) == 100
        assert all(text.startswith(("reading", "computing", "\n")) or not text for text in seen.split(ERASE)[:-1])


def chunks(terminal):
    """What comes until the other end is closed, which Linux tells as an error."""
    while True:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:
            return
        if not chunk:
            return
        yield chunk

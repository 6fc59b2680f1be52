"""Hundreds of damaged files and lists of options: no crash, no traceback, no lost input, no stray file, our words."""

import contextlib
import hashlib
import io
import json
import re
import signal
import traceback
from pathlib import Path

import numpy as np
import pytest

from damage import Damage, quietly, sound_files, words_of
from eigenselect.cli import main

#: calls in a test, and tests; all together take less than half a minute on two cores
CALLS, SEEDS = 12, 8
#: seconds after which a call is taken for hung
PATIENCE = 60
#: words of libraries and of Python, which nobody at a terminal has asked for
FOREIGN = re.compile(
    r"numpy|pandas|scipy|h5py|pyarrow|anndata|sklearn|scikit|joblib|numba|\bclick\b|Traceback|object.at.0x|dtype|"
    r"ndarray|DataFrame|codec|float64|int64|uint8|<U\d|NoneType|Errno|\w+Error\b|\w+Warning\b|use.--debug|nan.to.int|"
    r"Arrow|C.error|axis|\.py\b",
)
#: files of `sound_files` that are no table to rank
KNOWLEDGE = ("aux.csv", "terms.csv", "sets.gmt", "edges.txt", "sheet.csv")
#: named outputs that may appear
OUTPUTS = re.compile(r"^(out\.(csv|tsv|json|md|npz|h5ad|parquet)|page\.html?)$")


@pytest.fixture(scope="module")
def sound():
    return quietly(sound_files)


class Outcome:
    """One call in a folder: what it said, and what became of the files."""

    def __init__(self, words, folder):
        self.words, self.error = words, None
        before = contents(folder)
        stdin = open(folder / "t.csv", encoding="utf-8", errors="replace")  # noqa: SIM115
        real = main._one_line
        with stdin, pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdin", stdin)
            patch.setattr(main, "_one_line", lambda error: (setattr(self, "error", error), real(error))[1])
            self.code, self.out, self.err = bounded(words)
        after = contents(folder)
        self.changed = [name for name, digest in before.items() if after.get(name) != digest]
        self.new = sorted(after.keys() - before.keys())

    def may_change(self):
        """Outputs that exist, by force; never a file that is read."""
        places = [place + 1 for place, word in enumerate(self.words) if word in ("-o", "--report")]
        read = [word for place, word in enumerate(self.words) if place not in places]
        outputs = {self.words[place] for place in places} if "--force" in self.words and self.code == 0 else set()
        return (
            outputs - {part for word in read for part in re.split("[=:]", word)} - ({"t.csv"} if "-" in read else set())
        )

    def check(self):
        """Everything that is promised of any call."""
        assert self.code in (0, 1, 2), self
        assert not set(self.changed) - self.may_change(), self
        assert all(OUTPUTS.match(name) and name in self.words for name in self.new), self
        assert self.code == 0 or self.new == [], self
        assert max(map(len, self.err.splitlines()), default=0) < 2_000, self
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", self.err), self
        assert not FOREIGN.search(without_words(self.err, self.words)), self
        if self.code == 0:
            assert json.loads(self.out) if "--json" in self.words else not FOREIGN.search(self.out), self
        else:
            assert self.out == "", self
            last = self.err.splitlines()[-1]
            assert last.startswith("eigenselect: error: " if self.code == 1 else "Error: "), self
            assert last.endswith((".", "?", ")")), self

    def __repr__(self):
        trace = "" if self.error is None else "".join(traceback.format_exception(self.error))
        files = f"new {self.new}, changed {self.changed}"
        return f"\n{self.words}\nexit {self.code}\n{self.err[-3000:]}\n{files}\n{trace[-3000:]}"


def without_words(text, words):
    """What was said, without what was asked, which may hold anything."""
    for word in sorted(words, key=len, reverse=True):
        if len(word) > 3:
            text = text.replace(word, "")
    return text


def contents(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in Path(folder).iterdir()}


def bounded(words):
    """Exit code, stdout and stderr of a call that must come to an end."""

    def hung(signum, frame):
        raise BaseException(f"hung: {words}")

    out, err = io.StringIO(), io.StringIO()
    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(PATIENCE)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main.run(words)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_any_files_and_any_words(sound, tmp_path, monkeypatch, seed):
    """Every other call has sound files and few options, so that what comes after reading is reached too."""
    rng = np.random.default_rng(seed)
    damage, codes = Damage(rng), []
    tables = [name for name in sound if name not in KNOWLEDGE]
    for turn in range(CALLS):
        folder = tmp_path / str(turn)
        folder.mkdir()
        monkeypatch.chdir(folder)
        easy = turn % 2 == 0
        words = words_of(rng, tables, most=1 if easy else 4)
        for name, content in sound.items():
            hurt = not easy and any(name in word for word in words)
            (folder / name).write_bytes(damage.of(name, content) if hurt else content)
        outcome = Outcome(words, folder)
        outcome.check()
        codes.append(outcome.code)
    assert {0, 1} <= set(codes)  # the words are neither all wrong nor all right


@pytest.mark.slow
@pytest.mark.parametrize("words", [["rank", "-o", "out.h5ad"], ["select", "-k", "2", "-o", "out.h5ad"]])
def test_damaged_files_are_not_copied_half(sound, tmp_path, monkeypatch, words):
    """All parts of an annotated table are read when it is copied; the target is whole, or not there."""
    if "t.h5ad" not in sound:
        pytest.skip("t.h5ad cannot be made here")
    import h5py

    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(sound["t.csv"])
    damage = Damage(np.random.default_rng(len(words)))
    for _ in range(CALLS // 2):
        (tmp_path / "t.h5ad").write_bytes(damage.flip(sound["t.h5ad"]))
        outcome = Outcome([words[0], "t.h5ad", "--method", "variance", *words[1:]], tmp_path)
        outcome.check()
        if outcome.code == 0 and words[0] == "select":
            with h5py.File(tmp_path / "out.h5ad") as file:
                assert file["X"].shape == (18, 2), outcome
        (tmp_path / "out.h5ad").unlink(missing_ok=True)

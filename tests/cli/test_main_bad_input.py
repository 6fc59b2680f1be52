"""What cannot be read, computed or written: one sentence, the right exit code, and every old file intact."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from eigenselect.cli.main import run
from eigenselect.io import FORMATS

ALL = ", ".join(FORMATS)

#: seconds after which a child is taken for hung; nothing waits that long unless something is wrong
PATIENCE = 120
COMMAND = [sys.executable, "-m", "eigenselect"]


@pytest.fixture
def frame(rng):
    X = pd.DataFrame(rng.normal(size=(40, 7)), columns=[f"f{j}" for j in range(7)])
    return X.assign(y=np.where(np.arange(40) < 20, "tumour", "normal"))


@pytest.fixture
def data_csv(frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def refused(call):
    """A function that runs ``rank`` and looks at its exit code and what it says: one line, nothing on stdout."""

    def look(code, says, *words):
        found, out, err = call("rank", *words)
        assert (found, out) == (code, ""), err
        assert says in " ".join(err.split())
        assert "Traceback" not in err
        assert code == 2 or len(err.splitlines()) == 1

    return look


def npz(**arrays):
    def write(path):
        with open(path, "wb") as file:
            np.savez(file, **arrays)

    return write


def cut_npz(path):
    npz(X=np.ones((30, 30)))(path)
    path.write_bytes(path.read_bytes()[:-40])


def bare_npy(path):
    with open(path, "wb") as file:
        np.save(file, np.ones((3, 3)))


#: name of the file, what it holds, what is said of it
FILES = [
    ("empty.csv", "", "empty.csv: is empty (0 bytes)."),
    ("blank.csv", "\n\n", "blank.csv: is empty."),
    ("header.csv", "a,b\n", "has a header but 0 samples."),
    ("one.csv", "a,b\n1,2\n", "needs at least 2 samples, got 1; samples belong in rows."),
    ("longer.csv", "a,b\n1,2\n3,4,5\n", "line 3 has 3 values where the header has 2 names; is the header without"),
    ("shorter.csv", "a,b\n1,2\n\n3\n4,5\n", "line 4 has 1 value where the header has 2 names; was the file cut off?"),
    ("write_table.csv", "a,b\ns1,1,2\ns2,3,4\n", "line 2 has 3 values where the header has 2 names; is the header wi"),
    ("quote.csv", 'a,b\n1,"2\n3,4\n', "is not a table, a quotation mark is opened in row 1 and never closed."),
    ("twice.csv", "a,b,a\n1,2,3\n4,5,6\n", "1 column name stands more than once ('a'); make them unique, or say"),
    ("text.csv", "a,b\nu,v\nw,x\n", "2 of 2 columns are not numeric ('a', 'b'), such as 'u' in 'a'; name the labels"),
    (
        "limit.csv",
        "a,b\n1,2\n<0.5,3\n2,3\n",
        "1 of 2 columns is not numeric ('a'), such as '<0.5' in 'a'; correct the 1 cell",
    ),
    ("semicolon.csv", "a;b\n1;2\n3;4;5\n", "seems to be separated by ';'; use --sep ';'."),
    ("commas.tsv", "a,b\n1,2\n3,4,5\n", "it seems to be separated by ','; use --format csv."),
    (
        "doubt.csv",
        "a;b\n1,234;2\n3,456;4\n",
        "'1,234' in 'a' may be 1234 or 1.234, and no other cell shows which; name",
    ),
    ("trailing.csv", "a,b,c\n1,2,3,\n4,5,6,\n", "line 2 has 4 values where the header has 3 names; does the line end"),
    ("trailing_once.csv", "a,b\n1,2,\n4,5\n", "line 2 has 3 values where the header has 2 names; does the line end in"),
    ("trailing_late.csv", "a,b\n1,2\n4,5,\n", "line 3 has 3 values where the header has 2 names; does the line end in"),
    ("tabs.csv", "a\tb\n1\t2\n3\t4\t\n", "it seems to be separated by '\\t'; use --format tsv."),
    ("holes.csv", "a,b\n1,\n3,4\n,\n7,8\n", "3 missing or infinite values in 2 features, most in 'b' (2), 'a' (1);"),
    ("binary.csv", bytes(range(128, 256)) * 4, "is not text in UTF-8; save it as UTF-8"),
    ("latin.csv", "ゲ,naïve\n1,2\n".encode() + "naïve,2\n".encode("latin-1"), "is not text in UTF-8; save it as UTF-8"),
    ("nul.csv", b"a,b\n1\x002,2\n3,4\n", "holds NUL bytes, which text does not"),
    (
        "utf16.csv",
        "ゲ,b\n1,2\n3,4\n".encode("utf-16-le")[:-1],
        "is not text in utf-16-le; save it as UTF-8, or name it",
    ),
    ("page.csv", "<!doctype html>\n<p>log in, please</p>\n", "line 2 has 2 values where the header has 1 name"),
    (
        "not.csv.gz",
        "not compressed",
        "not.csv.gz: cannot be decompressed, it is no .gz file or a damaged one",
    ),
    (
        "not.csv.xz",
        "not compressed",
        "not.csv.xz: cannot be decompressed, it is no .xz file or a damaged one",
    ),
    (
        "notes.md",
        "hello",
        f"the ending says none of {ALL}; name the format with --format, or save the table as csv.",
    ),
    ("sheet.xlsx", "PK", "is not an xlsx workbook; save it as xlsx, without a password, or the sheet as csv"),
    ("empty.parquet", "", "empty.parquet: is empty (0 bytes)."),
    ("bad.parquet", b"PAR1 is not enough", "bad.parquet: cannot be read as parquet, it is damaged or of another kind."),
    ("bad.h5ad", "nothing", "bad.h5ad: cannot be read as h5ad, it is damaged or of another kind."),
    ("fake.npz", "not a zip", "fake.npz: is not an npz archive; save it as np.savez(path, X=...)."),
    ("bare.npz", bare_npy, "bare.npz: is not an npz archive"),
    ("cut.npz", cut_npz, "cut.npz: is not an npz archive"),
    ("complex.npz", npz(X=np.ones((3, 3)) * 1j), "must be a matrix of real numbers, got shape (3, 3) of complex128"),
    ("pickled.npz", npz(X=np.array([{}], dtype=object)), "pickled objects, which are never loaded"),
    ("no_x.npz", npz(A=np.ones((3, 3))), "needs an array 'X' (samples x features), has 'A'."),
    (
        "fake.mat",
        "not a mat file at all, really not" * 9,
        "fake.mat: cannot be read as mat, it is damaged or of",
    ),
]


@pytest.mark.parametrize(("name", "content", "says"), FILES, ids=[name for name, *_ in FILES])
def test_files_that_are_no_table(refused, tmp_path, name, content, says):
    if name.endswith((".parquet", ".h5ad")):
        pytest.importorskip({"parquet": "pyarrow", "h5ad": "anndata"}[name.split(".")[-1]])
    path = tmp_path / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(1, says, path)


class TestFiles:
    def test_missing(self, refused, data_csv, tmp_path):
        refused(1, "dataa.csv: there is no such file; did you mean 'data.csv'?", tmp_path / "dataa.csv")
        refused(1, "zzz.csv: there is no such file.", tmp_path / "zzz.csv")
        refused(1, f"there is no such file, nor a directory '{tmp_path}/no'.", tmp_path / "no" / "data.csv")

    def test_a_directory(self, refused, tmp_path):
        (tmp_path / "folder.csv").mkdir()
        refused(1, "folder.csv: is a directory without matrix.mtx or matrix.mtx.gz; name a", tmp_path / "folder.csv")
        refused(1, "is a directory; name a file.", tmp_path, "--format", "csv")

    def test_a_short_row_is_not_an_empty_label(self, refused, tmp_path):
        """Some empty labels are welcome, a line that was cut off is not."""
        (tmp_path / "t.csv").write_text("a,b,y\n1,2,u\n2,1,\n3,5\n4,4,v\n")
        refused(1, "line 4 has 2 values where the header has 3 names", tmp_path / "t.csv", "--label", "y")

    def test_standard_input(self, refused, monkeypatch):
        for content, says in ((b"", "is empty."), (b"a,b\n", "has a header but 0 samples."), (b"a\0,b", "NUL bytes")):
            with tempfile.TemporaryFile() as file:
                file.write(content)
                file.seek(0)
                monkeypatch.setattr("sys.stdin", open(file.fileno(), closefd=False))  # noqa: SIM115
                refused(1, f"standard input: {says}" if says != "NUL bytes" else says, "-")
        monkeypatch.setattr("sys.stdin", None)
        refused(1, "standard input: is closed", "-")

    def test_permission_denied(self, refused, call, frame, unprivileged):
        folder, drop = unprivileged
        frame.to_csv(folder / "data.csv", index=False)
        frame.to_csv(folder / "secret.csv", index=False)
        (folder / "secret.csv").chmod(0)
        assert call("rank", folder / "data.csv", "--label", "y")[0] == 0
        folder.chmod(0o555)
        with drop():
            refused(1, "secret.csv: cannot be read as csv (Permission denied).", folder / "secret.csv")
            words = (folder / "data.csv", "--label", "y", "-q", "-o", folder / "out.csv")
            refused(1, "out.csv: cannot be written (Permission denied); nothing was changed.", *words)


@pytest.fixture
def unprivileged():
    """A folder, and a context in which the process has no more rights than anyone, even if root runs the tests."""
    from contextlib import contextmanager

    @contextmanager
    def drop():
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            yield
        finally:
            if is_root:
                os.seteuid(0)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder, drop
        folder.chmod(0o755)


class TestColumns:
    def test_near_names_are_offered(self, refused, data_csv):
        refused(1, "no column named 'Y'; did you mean 'y'?", data_csv, "--label", "Y")
        refused(
            1,
            "no column named 'zzz'; there are 8 columns ('f0', ",
            data_csv,
            "--label",
            "y",
            "--ignore",
            "zzz",
        )
        refused(1, "no column named 'F3'; did you mean 'f3'?", data_csv, "--samples", "F3", "--label", "y")

    def test_labels_in_a_row(self, refused, data_csv, frame):
        turned = frame.set_axis([f"s{i}" for i in range(40)]).T
        turned.to_csv(data_csv, sep=";", decimal=",", index_label="gene")
        refused(1, "'y' is no column, but the first cell of a row, as where", data_csv, "--label", "y")
        refused(1, "no column named 'z'; there are 41 columns ('gene', 's0', ", data_csv, "--label", "z")

    def test_no_numeric_column(self, refused, data_csv, frame):
        refused(1, "1 of 8 columns is not numeric ('y'), such as 'tumour' in 'y'; name the labels", data_csv)
        frame[["y"]].to_csv(data_csv, index=False)
        refused(1, "no column is left to rank", data_csv, "--label", "y")
        refused(1, "no column is left to rank", data_csv, "--ignore", "y")
        refused(1, "no column is left to rank", data_csv, "--samples", "y")

    def test_labels(self, refused, data_csv, frame):
        frame.assign(y="same").to_csv(data_csv, index=False)
        refused(1, "has one class, 'same', and nothing to tell it apart", data_csv, "--label", "y")
        frame.assign(y=[f"s{i}" for i in range(40)]).to_csv(data_csv, index=False)
        refused(1, "y must have fewer classes than samples, got 40 of each; name labels that", data_csv, "--label", "y")
        frame.assign(y=frame["y"].where(frame.index > 2)).to_csv(data_csv, index=False)
        says = (
            "fisher needs all labels, but 3 samples have none in 'y'; use --drop-unlabelled to leave those out, or use"
        )
        refused(1, says, data_csv, "--label", "y", "--method", "fisher")
        refused(1, "spec-phi2 needs all", data_csv, "--label", "y", "--method", "spec-phi2")
        refused(2, "use --drop-unlabelled to rank by the labelled", data_csv, "--label", "y", "-k", "fdr")
        refused(2, "--drop-unlabelled needs --label COLUMN", data_csv, "--ignore", "y", "--drop-unlabelled")
        refused(2, "--na-is-class needs --label COLUMN", data_csv, "--ignore", "y", "--na-is-class")
        frame.assign(y=frame["y"].where(frame.index > 2, "NA")).to_csv(data_csv, index=False)
        refused(1, says, data_csv, "--label", "y", "--method", "fisher")
        frame.assign(y=["NA", "tumour"] * 20).to_csv(data_csv, index=False)
        refused(1, "'y' has one class, 'tumour', as 'NA' means", data_csv, "--label", "y")
        frame.assign(y=["NA", "?"] * 20).to_csv(data_csv, index=False)
        refused(
            1,
            "'y' has no class, as 'NA', '?' mean that there is no label; use",
            data_csv,
            "--label",
            "y",
        )
        frame.assign(y=7).to_csv(data_csv, index=False)
        refused(1, "has one class, 7, and nothing to tell it apart", data_csv, "--label", "y")
        frame.assign(y="").to_csv(data_csv, index=False)
        refused(1, "no sample has a value in the label column 'y'", data_csv, "--label", "y")

    def test_measurements_are_no_classes(self, call, refused, data_csv, frame):
        frame.assign(y=np.linspace(0, 1, 40)).to_csv(data_csv, index=False)
        for method in ("fisher", "trace-ratio", "sselect", "spec-phi2"):
            says = (
                f"the label column 'y' must hold classes, as {method} tells them apart, but holds a continuous target"
            )
            refused(1, says, data_csv, "--label", "y", "--method", method)
        advice = "or use rank --method relieff, which takes numbers."
        refused(1, advice, data_csv, "--label", "y", "--method", "fisher")
        for method in ("relieff", "hsic"):
            assert call("rank", data_csv, "--label", "y", "--method", method)[0] == 0
        assert call("rank", data_csv, "--label", "y", "--method", "spec-phi2", "--similarity", "knn")[0] == 0
        for words in (["compare"], ["fuse", "--with-labels"]):
            code, _, err = call(words[0], data_csv, "--label", "y", *words[1:])
            assert (code, "HSICScore" in err) == (1, False)
            assert "must hold classes, as" in err

    def test_a_count_is_no_class_and_gets_a_method_that_takes_numbers(self, call, refused, tmp_path):
        rng = np.random.default_rng(0)
        age = rng.normal(50, 14, size=200).round().astype(int)
        table = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd")).assign(age=age)
        table["b"] += age / 5
        table.to_csv(tmp_path / "t.csv", index=False)
        different, single = len(np.unique(age)), int((np.unique(age, return_counts=True)[1] == 1).sum())
        says = f"but holds {different} different whole numbers among 200 samples, {single} of which occur only once"
        refused(1, says, tmp_path / "t.csv", "--label", "age", "--method", "fisher")
        code, out, err = call("rank", tmp_path / "t.csv", "--label", "age", "--json")
        assert code == 0, err
        result = json.loads(out)
        assert (result["method"], result["features"][0]["feature"]) == ("relieff", "b")

    def test_a_class_that_is_the_only_one_is_called_by_its_name(self, call, data_csv, frame):
        frame.assign(y=pd.Series(2).reindex(frame.index)).to_csv(data_csv, index=False)
        assert "all 1 labelled samples are of class 2, which" in call("rank", data_csv, "--label", "y")[2]


class TestUsage:
    @pytest.mark.parametrize(
        ("code", "says", "words"),
        [
            (2, "'ten' is not a positive whole number", "-k ten"),
            (2, "'0' is not a positive whole number", "-k 0"),
            (1, "both the label and ignored", "--label y --ignore y"),
            (2, "--power does not apply", "--method laplacian --ignore y --power 2"),
            (2, "leave it out, or use --method with one that takes it: spec-phi1,", "--label y --similarity rbf"),
            (2, "the method fisher needs --label", "--ignore y --method fisher"),
            (2, "applies to the method spec-phi3", "--ignore y --method spec-phi2 --clusters 3"),
            (2, "class_labels needs --label", "--ignore y --method spec-phi2 --similarity class_labels"),
            (2, "No such option", "--nonsense"),
            (2, "'fischer' is none of spec-phi1", "--label y --method fischer"),
            (2, "did you mean 'fisher'?", "--label y --method fischer"),
            (2, "did you mean 'trace-ratio'?", "--label y --method trace_ratio"),
            (2, "did you mean 'laplacian'?", "--method LAPLACIAN"),
            (2, "'standarx' is none of standard, minmax, none; did you mean 'standard'?", "--scale standarx"),
            (2, f"'parket' is none of {ALL}; did you mean 'parquet'?", "--format parket"),
            (2, "'mean' is none of median; did you mean 'median'?", "--impute mean"),
            (2, f"'zzz' is none of {ALL}.", "--format zzz"),
            (2, "did you mean 'knn'?", "--ignore y --similarity kn"),
            (2, "-1 is not in the range", "--ignore y --seed -1"),
            (1, "-k 9: the table has 7 features to rank; ask for at most as many.", "--ignore y -k 9"),
            (2, "'1.5' is not a positive whole number, a fraction up to 1, 'auto' or 'fdr'", "--ignore y -k 1.5"),
            (2, "'nan' is not a positive whole number", "--ignore y -k nan"),
            (1, "'f0' is both the names and ignored; name it once", "--label y --samples f0 --ignore f0"),
            (1, "'f0' is both the names and ignored; name it once", "--label y --samples f0 --ignore f1,f0"),
            (1, "'y' is both the label and ignored; name it once", "--label y --ignore f1,y"),
        ],
    )
    def test_options(self, refused, data_csv, code, says, words):
        refused(code, says, data_csv, *words.split())

    def test_words_cannot_move_the_cursor_nor_fill_the_screen(self, call, data_csv):
        wild = "\x1b[2J\r" + "x" * 20_000
        for words in (["--method", wild], ["-k", wild], ["--label", wild], [f"--{wild}"], ["--similarity", wild]):
            code, out, err = call("rank", data_csv, *words)
            assert (code, out) in ((1, ""), (2, ""))
            assert not {"\x1b", "\r"} & set(err)
            assert len(err) < 2500
        assert call(wild)[0] == 2

    def test_debug_keeps_the_traceback(self, data_csv):
        with pytest.raises(ValueError, match="not numeric"):
            run(["rank", str(data_csv), "--debug"])


class TestOutput:
    def test_nothing_is_overwritten_without_force(self, call, refused, data_csv, tmp_path):
        target = tmp_path / "ranking.csv"
        target.write_text("precious")
        refused(1, "exists already; use --force to replace it.", data_csv, "--label", "y", "-o", target)
        assert target.read_text() == "precious"
        os.link(target, tmp_path / "another name of it")
        assert call("rank", data_csv, "--label", "y", "-o", target, "--force")[0] == 0
        assert "feature" in target.read_text()
        assert (tmp_path / "another name of it").read_text() == "precious"  # replaced, not written into

    def test_the_table_itself_is_never_overwritten(self, call, data_csv, tmp_path):
        before = data_csv.read_bytes()
        (tmp_path / "link.csv").symlink_to(data_csv)
        for command in ("rank", "select", "compare", "fuse"):
            for target, says in (
                (data_csv, "is a file that is read"),
                (tmp_path / "link.csv", f"is the same file as {data_csv}, which is read"),
            ):
                code, out, err = call(command, data_csv, "--label", "y", "-k", "2", "-o", target, "--force")
                assert (code, out) == (1, "")
                assert f"{target}: {says}; write to another file." in err
        assert data_csv.read_bytes() == before

    def test_places(self, refused, data_csv, tmp_path):
        words = (data_csv, "--label", "y", "--force", "-o")
        refused(1, "the directory", *words, tmp_path / "nowhere" / "out.csv")
        refused(2, "must be .csv, .tsv, .json, .md or .h5ad.", *words, tmp_path / "out.xlsx")
        (tmp_path / "folder.csv").mkdir()
        refused(1, "is a directory; name a file.", *words, tmp_path / "folder.csv")
        os.mkfifo(tmp_path / "pipe.csv")
        refused(1, "is not a file but a device or a pipe", *words, tmp_path / "pipe.csv")
        assert (tmp_path / "pipe.csv").is_fifo()

    def test_devices(self, call, refused, data_csv):
        refused(1, "a pipe; leave out -o to write to standard output.", data_csv, "--label", "y", "-o", "/dev/full")
        refused(1, "/dev/full: is not a file but a device or a pipe; name a file.", data_csv, "--report", "/dev/full")
        assert (
            "device or a pipe; leave out -o to write to standard output."
            in call("select", data_csv, "--label", "y", "-k", "2", "-o", "/dev/full")[2]
        )

    def test_the_longest_name_there_can_be(self, call, data_csv, tmp_path):
        target = tmp_path / ("x" * 251 + ".csv")
        assert call("rank", data_csv, "--label", "y", "-o", target)[0] == 0
        assert target.exists()

    def test_a_full_disk_said_at_the_last_moment(self, refused, data_csv, tmp_path, monkeypatch):
        target = tmp_path / "ranking.csv"
        target.write_text("precious")
        monkeypatch.setattr("os.fsync", lambda fd: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        says = f"error: {target}: cannot be written (No space left on device); nothing was changed."
        refused(1, says, data_csv, "--label", "y", "-q", "-o", target, "--force")
        assert target.read_text() == "precious"
        assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "ranking.csv"]

    def test_a_disk_that_takes_a_part(self, data_csv, tmp_path):
        """The kernel itself refuses: files of this child may have 1000 bytes, the table needs more."""
        target = tmp_path / "small.csv"
        target.write_text("precious")
        done = child(
            "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))",
            ["select", data_csv, "--label", "y", "-k", "5", "-q", "-o", target, "--force"],
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert (
            done.stderr == f"eigenselect: error: {target}: cannot be written (File too large); nothing was changed.\n"
        )
        assert target.read_text() == "precious"
        assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "small.csv"]

    def test_killed_in_the_middle_of_writing(self, call, data_csv, tmp_path):
        """What was written by then is beside the old file, not in its place, and the next run removes it."""
        target = tmp_path / "ranking.json"
        target.write_text("precious")
        words = ["rank", data_csv, "--label", "y", "-q", "-o", target, "--force"]
        done = child("import os, signal; os.fsync = lambda fd: os.kill(os.getpid(), signal.SIGKILL)", words)
        assert done.returncode == -signal.SIGKILL
        assert target.read_text() == "precious"
        (left,) = tmp_path.glob(".*.part")
        assert left.stat().st_size > 0
        assert call(*words)[0] == 0
        assert len(json.loads(target.read_text())["features"]) == 7
        assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "ranking.json"]

    def test_standard_output_on_a_full_device(self):
        for words in (["methods"], ["--help"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True)
            assert (done.returncode, done.stderr) == (
                1,
                "eigenselect: error: standard output: No space left on device.\n",
            )

    @pytest.mark.parametrize("words", ["rank {} --label y -q", "--help"])
    def test_a_reader_that_goes_away_is_no_error(self, data_csv, words):
        command = f"{sys.executable} -m eigenselect {words.format(data_csv)} | true"
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def child(first, words):
    """The command in a process of its own, after some Python."""
    program = f"import sys\nfrom eigenselect.cli.main import main\n{first}\nmain(sys.argv[1:])"
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def interruptible(command, *streams):
    """A child that Ctrl-C reaches, though the tests run behind ``&`` or nohup, where shells switch it off."""
    pipes = dict.fromkeys(streams, subprocess.PIPE)
    return subprocess.Popen(
        command, preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL), text=True, **pipes
    )


class TestInterrupt:
    def ended(self, process):
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (130, "eigenselect: interrupted\n")

    def test_while_it_reads(self):
        """More than a pipe holds is sent, so that the child must be reading when all is gone."""
        with interruptible([*COMMAND, "rank", "-"], "stdin", "stdout", "stderr") as process:
            process.stdin.write("a,b\n" + "1,2\n" * 500_000)
            process.stdin.flush()
            self.ended(process)

    def test_while_it_computes(self, tmp_path, rng):
        """The child says when it begins to compute; all eigenvalues of so many samples take seconds."""
        pd.DataFrame(rng.normal(size=(1500, 20))).to_csv(tmp_path / "t.csv", index=False)
        program = (
            "import sys; from eigenselect import EVSC; from eigenselect.cli.main import main; real = EVSC._criterion\n"
            "def said(self, graph): print('now', flush=True); return real(self, graph)\n"
            "EVSC._criterion = said; main(sys.argv[1:])"
        )
        command = [sys.executable, "-c", program, "rank", tmp_path / "t.csv", "--method", "evsc"]
        with interruptible(command, "stdout", "stderr") as process:
            assert process.stdout.readline() == "now\n"
            self.ended(process)

    def test_a_terminal_gets_a_new_line_after_its_own_sign(self, call, data_csv, monkeypatch):
        monkeypatch.setattr(
            "eigenselect.io.readers.read_table", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt)
        )
        assert call("rank", data_csv) == (130, "", "eigenselect: interrupted\n")
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        assert call("rank", data_csv) == (130, "", "\neigenselect: interrupted\n")


class TestFirstSteps:
    """What new users do first with a table of their own: the sentence says what to type, and that works."""

    @pytest.fixture
    def table(self):
        rng = np.random.default_rng(2)
        return pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc")).assign(kind=["u", "v"] * 10)

    def test_a_column_that_is_given_as_a_file(self, call, table, tmp_path):
        table.to_csv(tmp_path / "t.csv", index=False)
        code, out, err = call("rank", tmp_path / "t.csv", "--labels", "kind")
        assert (code, out) == (1, "")
        assert "--labels kind: there is no such file; a column of the table itself is named with --label." in err

    def test_a_label_that_stands_in_another_file(self, call, table, tmp_path):
        table.drop(columns="kind").to_csv(tmp_path / "t.csv", index=False)
        assert (
            "labels of another file come with --labels FILE:COLUMN."
            in call("rank", tmp_path / "t.csv", "--label", "grower")[2]
        )
        assert "come with" not in call("rank", tmp_path / "t.csv", "--label", "A")[2]

    def test_spaces_between_cells(self, call, table, tmp_path):
        table.to_csv(tmp_path / "t.txt", index=False, sep=" ")
        err = call("rank", tmp_path / "t.txt", "--label", "kind")[2]
        advice = re.search(r"seems to be separated by spaces; use (--sep space)\.", err)[1].split()
        assert call("rank", tmp_path / "t.txt", "--label", "kind", *advice)[0] == 0

    @pytest.mark.parametrize("title", ["My table\n", "My table,,,\n,,,\n", "My table,,\n"])
    def test_a_title_above_the_names(self, call, table, tmp_path, title):
        (tmp_path / "t.csv").write_text(title + table.to_csv(index=False))
        code, out, err = call("rank", tmp_path / "t.csv", "--label", "kind")
        assert (code, out) == (1, "")
        assert re.search("title stand above the names of the columns|take out what stands above the names", err)

    def test_one_class(self, call, table, tmp_path):
        table.assign(kind="u").to_csv(tmp_path / "t.csv", index=False)
        code, out, err = call("rank", tmp_path / "t.csv", "--label", "kind")
        assert (code, out) == (1, "")
        assert "t.csv: the label column 'kind' has one class, 'u', and nothing to tell it apart from;" in err
        assert "rank without labels (--ignore in place of --label)." in err
        assert call("rank", tmp_path / "t.csv", "--ignore", "kind")[0] == 0

    def test_missing_values_of_features_in_rows_are_those_of_features(self, call, table, tmp_path):
        table.loc[3, "b"] = np.nan
        table.drop(columns="kind").rename(index="s{}".format).T.to_csv(tmp_path / "t.csv", index_label="gene")
        err = call("rank", tmp_path / "t.csv", "--transpose")[2]
        assert "1 missing or infinite value in 'b' (1); fill them with --impute median, take such samples out" in err
        for advice in (("--impute", "median"), ("--ignore", "b")):
            assert call("rank", tmp_path / "t.csv", "--transpose", *advice)[0] == 0

    @pytest.mark.parametrize("name", ["leiden", "Cluster", "seurat_clusters", "kmeans_5"])
    def test_labels_that_are_called_like_clusters(self, call, table, tmp_path, name):
        """Noise looks significant by clusters that it made itself."""
        table.rename(columns={"kind": name}).to_csv(tmp_path / "t.csv", index=False)
        says = (
            f"warning: '{name}' is called like a clustering; p- and q-values hold only if these features did not make"
        )
        err = call("rank", tmp_path / "t.csv", "--label", name)[2]
        assert says in err
        advice = re.search("leave them out with (--significance none)", err)[1].split()
        assert "clustering; " not in call("rank", tmp_path / "t.csv", "--label", name, *advice)[2]
        assert "clustering; " not in call("select", tmp_path / "t.csv", "--label", name, "-k", 2)[2]

    @pytest.mark.parametrize(
        ("wrong", "says"), [([3], "the 1 cell of 20 in 'b' that is"), ([3, 7], "the 2 cells of 20 in")]
    )
    def test_a_few_cells_that_are_no_numbers(self, call, table, tmp_path, wrong, says):
        table["b"] = table["b"].astype(str)
        table.loc[wrong, "b"] = "<0.1"
        table.to_csv(tmp_path / "t.csv", index=False)
        err = call("rank", tmp_path / "t.csv", "--label", "kind")[2]
        assert "1 of 3 columns is not numeric ('b'), such as '<0.1' in 'b'; correct " + says in err
        table.loc[wrong, "b"] = ""
        table.to_csv(tmp_path / "t.csv", index=False)
        assert call("rank", tmp_path / "t.csv", "--label", "kind", "--impute", "median")[0] == 0
        table["b"] = "x"
        table.to_csv(tmp_path / "t.csv", index=False)
        assert "correct" not in call("rank", tmp_path / "t.csv", "--label", "kind")[2]

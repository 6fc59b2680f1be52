"""What cannot be read, computed or written: one sentence, the right exit code, and every old file intact."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from eigenselect.cli.main import run

#: seconds after which a child is taken for hung
PATIENCE = 120


@pytest.fixture
def refused_rank(refused):
    """Run ``rank``, which must fail; an error is one line."""

    def look(code, keywords, *words):
        done = refused(code, keywords, "rank", *words)
        assert code == 2 or len(done.err.splitlines()) == 1

    return look


def saved(X):
    """The bytes of an npz archive."""
    np.savez(file := io.BytesIO(), X=X)
    return file.getvalue()


#: name of the file, what it holds, what is said of it
FILES = [
    ("empty.csv", "", "0 bytes"),
    ("header.csv", "a,b\n", "0 samples"),
    ("one.csv", "a,b\n1,2\n", "at least 2 samples"),
    ("shorter.csv", "a,b\n1,2\n\n3\n4,5\n", ["line 4 has 1", "cut off"]),
    ("write_table.csv", "a,b\ns1,1,2\ns2,3,4\n", ["line 2 has 3", "header"]),
    ("quote.csv", 'a,b\n1,"2\n3,4\n', "quotation mark"),
    ("twice.csv", "a,b,a\n1,2,3\n4,5,6\n", "more than once ('a')"),
    ("limit.csv", "a,b\n1,2\n<0.5,3\n2,3\n", ["'<0.5' in 'a'", "1 cell"]),
    ("semicolon.csv", "a;b\n1;2\n3;4;5\n", "--sep ';'"),
    ("commas.tsv", "a,b\n1,2\n3,4,5\n", "--format csv"),
    ("trailing.csv", "a,b,c\n1,2,3,\n4,5,6,\n", ["line 2 has 4", "line end"]),
    ("tabs.csv", "a\tb\n1\t2\n3\t4\t\n", "--format tsv"),
    ("holes.csv", "a,b\n1,\n3,4\n,\n7,8\n", "'b' (2), 'a' (1)"),
    ("latin.csv", "ゲ,naïve\n1,2\n".encode() + "naïve,2\n".encode("latin-1"), "UTF-8"),
    ("nul.csv", b"a,b\n1\x002,2\n3,4\n", "NUL bytes"),
    ("utf16.csv", "ゲ,b\n1,2\n3,4\n".encode("utf-16-le")[:-1], "utf-16-le"),
    ("not.csv.gz", "not compressed", ".gz file"),
    ("notes.md", "hello", "--format"),
    ("sheet.xlsx", "PK", "xlsx workbook"),
    ("bad.parquet", b"PAR1 is not enough", "read as parquet"),
    ("bad.h5ad", "nothing", "read as h5ad"),
    ("fake.npz", "not a zip", "npz archive"),
    ("cut.npz", saved(X=np.ones((30, 30)))[:-40], "npz archive"),
    ("complex.npz", saved(X=np.ones((3, 3)) * 1j), "real numbers"),
    ("pickled.npz", saved(X=np.array([{}], dtype=object)), "never loaded"),
    ("fake.mat", "not a mat file " * 20, "read as mat"),
]


@pytest.mark.parametrize("kind", sorted({Path(name).suffix for name, *_ in FILES}))
def test_files_that_are_no_table(refused_rank, tmp_path, kind):
    for name, content, keywords in FILES:
        path = tmp_path / name
        if path.suffix != kind:
            continue
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        refused_rank(1, [name, *([keywords] if isinstance(keywords, str) else keywords)], path)


class TestFiles:
    def test_missing_or_a_directory(self, refused_rank, data_csv, tmp_path):
        refused_rank(1, "did you mean 'data.csv'?", tmp_path / "dataa.csv")
        refused_rank(1, "zzz.csv: there is no", tmp_path / "zzz.csv")
        refused_rank(1, f"a directory '{tmp_path}/no'", tmp_path / "no" / "data.csv")
        (tmp_path / "folder.csv").mkdir()
        refused_rank(1, "matrix.mtx", tmp_path / "folder.csv")
        refused_rank(1, "is a directory", tmp_path, "--format", "csv")

    def test_a_short_row_is_not_an_empty_label(self, refused_rank, tmp_path):
        (tmp_path / "t.csv").write_text("a,b,y\n1,2,u\n2,1,\n3,5\n4,4,v\n")
        refused_rank(1, "line 4 has 2", tmp_path / "t.csv", "--label", "y")

    def test_standard_input(self, refused_rank, monkeypatch):
        for content, says in ((b"", "is empty"), (b"a,b\n", "0 samples"), (b"a\0,b", "NUL bytes")):
            with tempfile.TemporaryFile() as file:
                file.write(content)
                file.seek(0)
                monkeypatch.setattr("sys.stdin", open(file.fileno(), closefd=False))  # noqa: SIM115
                refused_rank(1, ["standard input", says], "-")
        monkeypatch.setattr("sys.stdin", None)
        refused_rank(1, "standard input: is closed", "-")

    def test_permission_denied(self, refused_rank, succeed, frame):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            frame.to_csv(folder / "data.csv", index=False)
            frame.to_csv(folder / "secret.csv", index=False)
            (folder / "secret.csv").chmod(0)
            succeed("rank", folder / "data.csv", "--label", "y")
            folder.chmod(0o555)
            with nobody():
                refused_rank(1, ["secret.csv", "Permission denied"], folder / "secret.csv")
                words = (folder / "data.csv", "--label", "y", "-q", "-o", folder / "out.csv")
                refused_rank(1, ["out.csv", "Permission denied", "nothing was changed"], *words)
            folder.chmod(0o755)


@contextmanager
def nobody():
    """Give the process no more rights than anyone, even if root runs the tests."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


class TestColumns:
    def test_near_names_are_offered(self, refused_rank, data_csv):
        refused_rank(1, "did you mean 'y'?", data_csv, "--label", "Y")
        refused_rank(1, ["'zzz'", "8 columns ('f0',"], data_csv, "--label", "y", "--ignore", "zzz")
        refused_rank(1, "did you mean 'f3'?", data_csv, "--samples", "F3", "--label", "y")

    def test_labels_in_a_row(self, refused_rank, data_csv, frame):
        turned = frame.set_axis([f"s{i}" for i in range(40)]).T
        turned.to_csv(data_csv, sep=";", decimal=",", index_label="gene")
        refused_rank(1, ["'y' is no column", "--transpose"], data_csv, "--label", "y")
        refused_rank(1, "41 columns ('gene',", data_csv, "--label", "z")

    def test_no_numeric_column(self, refused_rank, data_csv, frame):
        refused_rank(1, "'normal' in 'y'", data_csv)
        frame[["y"]].to_csv(data_csv, index=False)
        for option in ("--label", "--ignore", "--samples"):
            refused_rank(1, "no column is left", data_csv, option, "y")

    def test_labels(self, refused_rank, data_csv, frame):
        y, missing = frame["y"], frame.index <= 2
        for labels, code, keywords, words in (
            ("same", 1, ["one class, 'same'", "--ignore"], ""),
            (7, 1, "one class, 7,", ""),
            ("", 1, "label column 'y'", ""),
            ([f"s{i}" for i in range(40)], 1, "got 40 of each", ""),
            (y.mask(missing), 1, ["3 samples", "--drop-unlabelled"], "--method fisher"),
            (y.mask(missing), 1, "spec-phi2", "--method spec-phi2"),
            (y.mask(missing), 2, "--drop-unlabelled", "--method sselect -k fdr"),
            (y.mask(frame.index > 0), 1, "samples", ""),
            (y.mask(missing, "NA"), 1, ["3 samples", "--drop-unlabelled"], "--method fisher"),
            (["NA", "tumour"] * 20, 1, ["'tumour'", "'NA'"], ""),
            (["NA", "?"] * 20, 1, "'NA', '?'", ""),
        ):
            frame.assign(y=labels).to_csv(data_csv, index=False)
            refused_rank(code, keywords, data_csv, "--label", "y", *words.split())
        for option in ("--drop-unlabelled", "--na-is-class"):
            refused_rank(2, f"{option} needs --label", data_csv, "--ignore", "y", option)

    def test_measurements_are_no_classes(self, succeed, refused, data_csv, frame):
        frame.assign(y=np.linspace(0, 1, 40)).to_csv(data_csv, index=False)
        words = ("rank", data_csv, "--label", "y", "--method")
        for method in ("fisher", "trace-ratio", "sselect", "spec-phi2"):
            refused(1, [method, "'y'", "continuous", "--method hsic"], *words, method)
        for method in ("relieff", "hsic", "spec-phi2 --similarity knn"):
            succeed(*words, *method.split())
        for command, *others in (["compare"], ["fuse", "--with-labels"]):
            done = refused(1, "must hold classes", command, data_csv, "--label", "y", *others)
            assert "HSICScore" not in done.err

    def test_a_count_is_no_class_and_gets_a_method_that_takes_numbers(self, refused_rank, summary_of, tmp_path):
        rng = np.random.default_rng(0)
        age = rng.normal(50, 14, size=200).round().astype(int)
        table = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd")).assign(age=age)
        table["b"] += age / 5
        table.to_csv(tmp_path / "t.csv", index=False)
        different = f"{len(np.unique(age))} different"
        refused_rank(1, different, tmp_path / "t.csv", "--label", "age", "--method", "fisher")
        result = summary_of("rank", tmp_path / "t.csv", "--label", "age")
        assert (result["method"], result["features"][0]["feature"]) == ("hsic", "b")


class TestUsage:
    def test_options(self, refused_rank, data_csv):
        for code, keywords, words in (
            *((2, f"'{count}' is not", f"-k {count}") for count in ("ten", "0", "1.5", "nan", "inf", "-1")),
            (1, "both the label", "--label y --ignore y"),
            (2, "--power", "--method laplacian --ignore y --power 2"),
            (2, "spec-phi1", "--label y --similarity rbf"),
            (2, "class_labels needs --label", "--ignore y --method spec-phi2 --similarity class_labels"),
            (2, "hit_miss needs --label", "--ignore y --method spec-phi1 --similarity hit_miss"),
            (2, "No such option", "--nonsense"),
            (2, "did you mean 'fisher'?", "--label y --method fischer"),
            (2, "did you mean 'trace-ratio'?", "--label y --method trace_ratio"),
            (2, "did you mean 'laplacian'?", "--method LAPLACIAN"),
            (2, "'msfs' is none of", "--label y --method msfs"),
            (2, "did you mean 'standard'?", "--scale standarx"),
            (2, "did you mean 'parquet'?", "--format parket"),
            (2, "did you mean 'median'?", "--impute mean"),
            (2, "'zzz' is none of", "--format zzz"),
            (2, "did you mean 'knn'?", "--ignore y --similarity kn"),
            (2, ["'q=3'", "n_neighbors"], "--ignore y --method spec-phi2 --similarity knn:q=3"),
            (2, "it has none", "--ignore y --method spec-phi2 --similarity linear:k=3"),
            (2, "range", "--ignore y --seed -1"),
            (2, "'--jobs': 0 threads", "--label y --jobs 0"),
            (1, ["-k 9", "7 features"], "--ignore y -k 9"),
            (1, "'f0' is both", "--label y --samples f0 --ignore f0"),
            (1, "'f0' is both", "--label y --samples f0 --ignore f1,f0"),
            (1, "'y' is both", "--label y --ignore f1,y"),
            *((2, "one character", f"--sep {mark}") for mark in ("ab", "a", "1", '"')),
            *((2, "encoding", f"--encoding {name}") for name in ("utf8x", "hex", "rot13", "a\0b")),
        ):
            refused_rank(code, keywords, data_csv, *words.split())

    def test_words_cannot_move_the_cursor_nor_fill_the_screen(self, call, data_csv):
        wild = "\x1b[2J\r" + "x" * 20_000
        for words in (["--method", wild], ["-k", wild], ["--label", wild], [f"--{wild}"], ["--similarity", wild]):
            code, out, err = call("rank", data_csv, *words)
            assert (code, out) in ((1, ""), (2, ""))
            assert not {"\x1b", "\r"} & set(err)
            assert len(err) < 2500
        assert call(wild).code == 2

    def test_debug_keeps_the_traceback(self, data_csv):
        with pytest.raises(ValueError, match="not numeric"):
            run(["rank", str(data_csv), "--debug"])


def child(first, words):
    """Run the command in a process of its own, after some Python."""
    program = f"import sys\nfrom eigenselect.cli.main import main\n{first}\nmain(sys.argv[1:])"
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


class TestWriting:
    """Whole or not at all."""

    @pytest.fixture
    def target(self, tmp_path):
        (tmp_path / "out.json").write_text("precious")
        return tmp_path / "out.json"

    def test_a_disk_that_is_full_at_the_second_file(self, refused_rank, data_csv, target, monkeypatch):
        """The first is complete by then, and is not put in place of the old one."""
        calls = iter([None, OSError(28, "No space left on device")])

        def sync(handle):
            if (error := next(calls)) is not None:
                raise error

        monkeypatch.setattr("os.fsync", sync)
        page = target.with_name("page.html")
        words = (data_csv, "--label", "y", "-q", "-o", target, "--report", page, "--no-evaluation", "--force")
        refused_rank(1, [str(page), "No space left", "nothing was changed"], *words)
        assert target.read_text() == "precious"
        assert sorted(p.name for p in target.parent.iterdir()) == ["data.csv", "out.json"]

    def test_a_disk_that_takes_a_part(self, data_csv, target):
        """The kernel itself refuses: files of this child may have 1000 bytes, the result needs more."""
        limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
        done = child(limit, ["rank", data_csv, "--label", "y", "-q", "-o", target, "--force"])
        assert (done.returncode, done.stdout) == (1, "")
        assert re.fullmatch(rf"eigenselect: error: {target}: .*File too large.*\n", done.stderr)
        assert target.read_text() == "precious"
        assert sorted(p.name for p in target.parent.iterdir()) == ["data.csv", "out.json"]

    def test_killed_in_the_middle(self, succeed, data_csv, target):
        """What was written by then is beside the old file, not in its place."""
        words = ["rank", data_csv, "--label", "y", "-q", "-o", target, "--force"]
        done = child("import os, signal; os.fsync = lambda fd: os.kill(os.getpid(), signal.SIGKILL)", words)
        assert done.returncode == -signal.SIGKILL
        assert target.read_text() == "precious"
        (left,) = target.parent.glob(".*.part")
        assert left.stat().st_size > 0
        succeed(*words)
        assert len(json.loads(target.read_text())["features"]) == 7


class TestMemory:
    """A lack of memory is told in one sentence: for what, how much, and what to do."""

    @pytest.mark.parametrize(
        ("place", "words", "says"),
        [
            ("LaplacianScore.fit", "rank {} --ignore y --method laplacian", "laplacian of 40 samples"),
            ("LaplacianScore.fit", "select {} --ignore y --method laplacian -k 2 -o {}.csv", "laplacian of 40"),
            ("MSFS.fit", "fuse {} --ignore y", "msfs of 40 samples"),
            ("reporting.summarise_comparison", "compare {} --label y -q", "comparing of 40 samples"),
            ("reporting.views.drawing.redundancy_view", "rank {} --ignore y --report {}.html", "the page of 40"),
            ("reporting.Report.to_json", "rank {} --ignore y --json -q", "not enough memory"),
        ],
    )
    def test_anywhere_in_the_command(self, call, data_csv, monkeypatch, place, words, says):
        def too_much(*_, **__):
            np.ones((2**25, 2**25))  # numpy's own message, of an array that no machine can hold

        monkeypatch.setattr(f"eigenselect.{place}", too_much)
        code, out, err = call(*words.replace("{}", str(data_csv)).split())
        assert (code, out) == (1, "")
        line = err.splitlines()[-1]
        assert says in line
        assert "8.00 PiB" in line
        assert "float64" not in line
        known = re.findall(r"--[a-z-]+", call(words.split()[0], "--help").out)
        assert set(re.findall(r"--[a-z]+", line)) <= set(known)
        assert [path.name for path in data_csv.parent.iterdir()] == ["data.csv"]

    def test_the_kernel_itself_refuses(self, tmp_path, rng):
        """1.5 GB are given to a child; the full graph of so many samples would take 4.8 at once."""
        path = tmp_path / "tall.csv"
        pd.DataFrame(rng.normal(size=(20_000, 2)).round(3)).to_csv(path, index=False)
        limit = (
            "import resource, sklearn, pandas, scipy.sparse.linalg, eigenselect\n"
            "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
            "resource.setrlimit(resource.RLIMIT_AS, (used + 3 * 2**29,) * 2)"
        )
        done = child(limit, ["rank", path, "--method", "spec-phi2", "--similarity", "rbf", "--jobs", "1"])
        assert (done.returncode, done.stdout) == (1, ""), done.stderr
        line = done.stderr.splitlines()[-1]
        assert line.startswith("eigenselect: error: SPEC")
        assert "5.1 GB" in line
        assert "similarity='knn'" in line


class TestFirstSteps:
    """What new users do first with a table of their own: the sentence says what to type, and that works."""

    @pytest.fixture
    def table(self):
        rng = np.random.default_rng(2)
        return pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc")).assign(kind=["u", "v"] * 10)

    @pytest.fixture
    def path(self, tmp_path, table):
        table.to_csv(tmp_path / "t.csv", index=False)
        return tmp_path / "t.csv"

    def test_a_column_as_a_file_and_a_label_of_another_file(self, call, refused, path):
        refused(1, ["--labels kind", "--label"], "rank", path, "--labels", "kind")
        refused(1, "--labels FILE:COLUMN", "rank", path, "--ignore", "kind", "--label", "grower")
        assert "--labels" not in call("rank", path, "--label", "A").err

    def test_spaces_between_cells(self, call, succeed, table, path):
        table.to_csv(path, index=False, sep=" ")
        advice = re.search("--sep space", call("rank", path, "--label", "kind").err)[0].split()
        succeed("rank", path, "--label", "kind", *advice)

    @pytest.mark.parametrize("title", ["My table\n", "My table,,,\n,,,\n", "My table,,\n"])
    def test_a_title_above_the_names(self, refused, table, path, title):
        path.write_text(title + table.to_csv(index=False))
        refused(1, "above the names", "rank", path, "--label", "kind")

    def test_missing_values_of_features_in_rows_are_those_of_features(self, refused, succeed, table, path):
        table.loc[3, "b"] = np.nan
        table.drop(columns="kind").rename(index="s{}".format).T.to_csv(path, index_label="gene")
        refused(1, ["'b' (1)", "--impute median"], "rank", path, "--transpose")
        for advice in ("--impute median", "--ignore b"):
            succeed("rank", path, "--transpose", *advice.split())

    @pytest.mark.parametrize("name", ["leiden", "Cluster", "seurat_clusters", "kmeans_5"])
    def test_labels_that_are_called_like_clusters(self, succeed, table, path, name):
        """Noise looks significant by clusters that it made itself."""
        table.rename(columns={"kind": name}).to_csv(path, index=False)
        err = succeed("rank", path, "--label", name).err
        assert f"warning: '{name}'" in err
        assert "--significance none" in err
        for words in (["rank", path, "--significance", "none"], ["select", path, "-k", 2]):
            assert "clustering; " not in succeed(*words, "--label", name).err

    def test_a_few_cells_that_are_no_numbers(self, refused, succeed, table, path):
        text = table.assign(b=table["b"].astype(str))
        text.loc[[3, 7], "b"] = "<0.1"
        text.to_csv(path, index=False)
        refused(1, ["'<0.1' in 'b'", "2 cells of 20"], "rank", path, "--label", "kind")
        text.assign(b=text["b"].replace("<0.1", "")).to_csv(path, index=False)
        succeed("rank", path, "--label", "kind", "--impute", "median")

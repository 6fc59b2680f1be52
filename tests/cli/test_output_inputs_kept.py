"""No command ever writes over a file that it reads: by name, link or descriptor, with or without --force."""

import hashlib
import os
import sys

import numpy as np
import pandas as pd
import pytest

SOURCES = {
    "--auxiliary": ("aux.csv", "m={}"),
    "--annotation": ("terms.csv", "t={}"),
    "--interactions": ("edges.csv", "e={}"),
    "--gene-set": ("sets.gmt", "g={}:SET"),
}
SAYS = "read; write to another file."


@pytest.fixture
def folder(tmp_path, rng, monkeypatch):
    X = pd.DataFrame(rng.normal(size=(24, 5)), columns=list("abcde"))
    X.assign(y=np.arange(24) % 2).to_csv(tmp_path / "t.csv", index=False)
    pd.DataFrame(rng.normal(size=(24, 2)), columns=["u", "v"]).to_csv(tmp_path / "aux.csv", index=False)
    (tmp_path / "terms.csv").write_text("feature,term\na,x\nb,x\nc,z\nd,z\n")
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    (tmp_path / "sets.gmt").write_text("SET\tna\ta\tb\tc\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def kept(folder):
    """All files are the same at the end."""
    before = hashes(folder)
    yield
    assert hashes(folder) == before


def hashes(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def links_to(name, ending):
    """The file itself, where it has the ending, a soft and a hard link to it."""
    os.symlink(name, f"soft.{ending}")
    os.link(name, f"hard.{ending}")
    return [f"soft.{ending}", f"hard.{ending}", f"{os.getcwd()}/soft.{ending}", f"./hard.{ending}"] + (
        [name] if name.endswith(ending) else []
    )


@pytest.mark.parametrize("option", SOURCES)
@pytest.mark.parametrize(("written", "ending"), [("-o", "csv"), ("-o", "json"), ("--report", "html")])
def test_no_source_of_fuse_is_replaced(call, folder, request, option, written, ending):
    name, spec = SOURCES[option]
    targets = links_to(name, ending)
    request.getfixturevalue("kept")
    for target in targets:
        code, out, err = call("fuse", "t.csv", "--ignore", "y", option, spec.format(name), written, target, "--force")
        assert (code, out) == (1, ""), err
        assert SAYS in err


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("rank {}", "-o out.csv"),
        ("rank {}", "-o out.md"),
        ("rank {}", "--report out.html"),
        ("select {} -k 2", "-o out.csv"),
        ("compare {} --label y", "-o out.tsv"),
        ("compare {} --label y", "--report out.htm"),
        ("fuse {} --ignore y", "-o out.csv"),
        ("fuse {} --ignore y", "--report out.html"),
    ],
)
@pytest.mark.parametrize("how", ["t.csv", "-", "/dev/stdin", "/proc/self/fd/0", "/dev/fd/0"])
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_the_table_by_any_name_or_descriptor(call, folder, request, monkeypatch, words, written, how, link):
    link("t.csv", written.split()[1])
    request.getfixturevalue("kept")
    with open("t.csv") as file:
        before = os.dup(0)
        os.dup2(file.fileno(), 0)
        monkeypatch.setattr("sys.stdin", file)
        try:
            code, out, err = call(*words.format(how).split(), *written.split(), "--force")
        finally:
            os.dup2(before, 0)
            os.close(before)
    assert (code, out) == (1, ""), err
    assert SAYS in err


def test_output_and_report_are_two_files(call, folder):
    os.symlink("page.html", "out.csv")
    code, out, err = call("rank", "t.csv", "-o", "out.csv", "--report", "page.html")
    assert (code, out) == (1, "")
    assert "page.html: is the same file as out.csv; name two files." in err
    assert not os.path.exists("page.html")


def test_a_result_is_not_added_to_the_table(call, folder, kept, monkeypatch):
    """``rank t.csv >> t.csv``."""
    with open("t.csv", "a") as file:
        monkeypatch.setattr("sys.stdout", file)
        code = call("rank", "t.csv")[0]
    assert code == 1


def test_what_is_said_is_not_added_to_the_table(folder, kept):
    """``rank t.csv 2>> t.csv``: the result is printed, and nobody is told more."""
    from eigenselect.cli import main

    with open("t.csv", "a") as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stderr", file)
        assert main.run(["rank", "t.csv", "--ignore", "y"]) == 0
        assert sys.stderr is file


def test_other_files_are_written(call, folder):
    with open("t.csv") as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", file)
        assert call("rank", "-", "-o", "out.csv")[0] == 0
    assert call("fuse", "t.csv", "--ignore", "y", "--auxiliary", "m=aux.csv", "-o", "fused.csv")[0] == 0
    assert call("rank", "t.csv", "-o", "out.csv", "--report", "out.html", "--force")[0] == 0
    assert {"out.csv", "out.html", "fused.csv"} <= set(os.listdir())


def test_a_file_left_behind_can_be_read(call, folder):
    """What a killed run left is removed by the next one, unless that is what it reads."""
    os.rename("t.csv", ".eigenselect-abc01234.part")
    assert call("rank", ".eigenselect-abc01234.part", "--format", "csv", "-o", "out.csv")[0] == 0
    assert os.path.exists(".eigenselect-abc01234.part")
    assert call("rank", "aux.csv", "-o", "out.csv", "--force")[0] == 0
    assert not os.path.exists(".eigenselect-abc01234.part")


class TestFilesBesideTheTable:
    """Labels, covariates, and the names beside a matrix are read, too."""

    @pytest.fixture
    def counts(self, folder, rng):
        from scipy.io import mmwrite
        from scipy.sparse import coo_matrix

        cells = folder / "cells"
        cells.mkdir()
        mmwrite(str(cells / "matrix.mtx"), coo_matrix(rng.poisson(2.0, size=(5, 24)).astype(float)))
        (cells / "genes.tsv").write_text("".join(f"id{j}\tg{j}\n" for j in range(5)))
        (cells / "barcodes.tsv").write_text("".join(f"s{i}\n" for i in range(24)))
        return cells

    @pytest.mark.parametrize("option", ["--labels", "--covariates"])
    @pytest.mark.parametrize("command", ["rank", "select -k 2", "fuse"])
    def test_labels_and_covariates(self, call, folder, command, option):
        pd.DataFrame({"id": range(24), "kind": ["u", "v"] * 12}).to_csv("sheet.csv", index=False)
        before = (folder / "sheet.csv").read_bytes()
        name, *rest = command.split()
        words = (name, "t.csv", *rest, option, "sheet.csv:kind", "-o", "sheet.csv", "--force")
        code, out, err = call(*words)
        assert (code, out) == (1, ""), err
        assert SAYS in err
        assert (folder / "sheet.csv").read_bytes() == before

    @pytest.mark.parametrize("table", ["cells", "cells/matrix.mtx"])
    @pytest.mark.parametrize("name", ["genes.tsv", "barcodes.tsv"])
    def test_names_beside_a_matrix(self, call, counts, table, name):
        before = (counts / name).read_bytes()
        code, out, err = call("rank", table, "-o", f"cells/{name}", "--force")
        assert (code, out) == (1, ""), err
        assert SAYS in err
        assert (counts / name).read_bytes() == before
        assert call("rank", table, "-o", "cells/ranks.tsv")[0] == 0

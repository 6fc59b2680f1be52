"""No command ever writes over a file that it reads: by name, link or descriptor, with or without --force."""

import hashlib
import os

import numpy as np
import pandas as pd
import pytest

from eigenselect.cli import main

SAYS = "write to another file"


@pytest.fixture
def folder(tmp_path, rng, monkeypatch):
    X = pd.DataFrame(rng.normal(size=(24, 5)), columns=list("abcde"))
    X.assign(y=np.arange(24) % 2).to_csv(tmp_path / "t.csv", index=False)
    pd.DataFrame(rng.normal(size=(24, 2)), columns=["u", "v"]).to_csv(tmp_path / "aux.csv", index=False)
    pd.DataFrame({"id": range(24), "kind": ["u", "v"] * 12}).to_csv(tmp_path / "sheet.csv", index=False)
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


def test_files_beside_the_table(refused, folder):
    """Sources of fuse, labels and covariates: by name, by soft and by hard link, with -o and --report."""
    before = hashes(folder)
    for words, name in (
        ("fuse t.csv --ignore y --auxiliary m=aux.csv", "aux.csv"),
        ("fuse t.csv --ignore y --annotation t=terms.csv", "terms.csv"),
        ("fuse t.csv --ignore y --interactions e=edges.csv", "edges.csv"),
        ("fuse t.csv --ignore y --gene-set g=sets.gmt:SET", "sets.gmt"),
        ("fuse t.csv --labels sheet.csv:kind", "sheet.csv"),
        ("rank t.csv --labels sheet.csv:kind", "sheet.csv"),
        ("rank t.csv --covariates sheet.csv:kind", "sheet.csv"),
        ("select t.csv -k 2 --covariates sheet.csv:kind", "sheet.csv"),
    ):
        if name.endswith("csv"):
            refused(1, SAYS, *words.split(), "-o", name, "--force")
        for option, target in (("-o", "out.csv"), ("-o", "out.json"), ("--report", "out.html")):
            if words.startswith("select") and target != "out.csv":
                continue
            for link in (os.symlink, os.link):
                link(name, target)
                for path in (target, f"{os.getcwd()}/{target}"):
                    refused(1, SAYS, *words.split(), option, path, "--force")
                os.remove(target)
    assert hashes(folder) == before


@pytest.mark.parametrize("how", ["t.csv", "-", "/dev/stdin", "/proc/self/fd/0", "/dev/fd/0"])
def test_the_table_by_any_name_or_descriptor(refused, folder, kept, monkeypatch, how):
    calls = ("rank {} -o out.csv", "rank {} --report out.html", "select {} -k 2 -o out.csv",
             "compare {} --label y -o out.tsv", "compare {} --label y --report out.htm",
             "fuse {} --ignore y -o out.md", "fuse {} --ignore y --report out.html")  # fmt: skip
    with open("t.csv") as file:
        before = os.dup(0)
        os.dup2(file.fileno(), 0)
        monkeypatch.setattr("sys.stdin", file)
        try:
            for words in calls:
                target = words.split()[-1]
                for link in (os.symlink, os.link):
                    link("t.csv", target)
                    refused(1, SAYS, *words.format(how).split(), "--force")
                    os.remove(target)
            refused(1, SAYS, "rank", how, "-o", "t.csv", "--force")
        finally:
            os.dup2(before, 0)
            os.close(before)


def test_output_and_report_are_two_files(refused, folder):
    os.symlink("page.html", "out.csv")
    refused(1, "name two files", "rank", "t.csv", "-o", "out.csv", "--report", "page.html")
    assert not os.path.exists("page.html")


@pytest.mark.parametrize(("stream", "code"), [("sys.stdout", 1), ("sys.stderr", 0)])
def test_nothing_is_added_to_the_table(folder, kept, monkeypatch, stream, code):
    """``rank t.csv >> t.csv`` and ``2>> t.csv``."""
    for words in ("rank t.csv --ignore y", "select t.csv --label y -k 2"):
        with open("t.csv", "a") as file, monkeypatch.context() as patch:
            patch.setattr(stream, file)
            assert main.run(words.split()) == code, words


def test_names_beside_a_matrix(refused, succeed, folder, rng):
    from scipy.io import mmwrite
    from scipy.sparse import coo_matrix

    cells = folder / "cells"
    cells.mkdir()
    mmwrite(str(cells / "matrix.mtx"), coo_matrix(rng.poisson(2.0, size=(5, 24)).astype(float)))
    (cells / "genes.tsv").write_text("".join(f"id{j}\tg{j}\n" for j in range(5)))
    (cells / "barcodes.tsv").write_text("".join(f"s{i}\n" for i in range(24)))
    before = hashes(cells)
    for table in ("cells", "cells/matrix.mtx"):
        for name in ("genes.tsv", "barcodes.tsv"):
            refused(1, SAYS, "rank", table, "-o", f"cells/{name}", "--force")
    assert hashes(cells) == before
    succeed("rank", "cells", "-o", "cells/ranks.tsv")

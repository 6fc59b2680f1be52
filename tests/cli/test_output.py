"""What is printed and written of a result: formats, pages, what a paper needs, and files that exist."""

import hashlib
import io
import json
import os
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

#: a separator, a quote, HTML, a tab and letters beyond ASCII in names
NAMES = ["plain", "a,b", 'q"q', "<i>x</i>", "naïve 🧬", "tab\there"]
COMMANDS = {
    "rank": "--label y -k 3",
    "compare": "--label y -k 2 --sizes 1,3 --methods fisher,laplacian --folds 2",
    "fuse": "--ignore y -k 3",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = np.random.default_rng(7)
    y = np.arange(36) % 2
    X = pd.DataFrame(rng.normal(size=(36, len(NAMES))), columns=NAMES)
    X["a,b"] += 2 * y
    path = tmp_path_factory.mktemp("formats") / "data & co.csv"
    X.assign(y=np.where(y, "tumour", "normal")).to_csv(path, index=False)
    return path


@pytest.fixture(params=COMMANDS)
def words(request, data):
    return [request.param, data, *COMMANDS[request.param].split(), "-q"]


def what_was_found(summary):
    """Leave out what two runs may differ in: how long they took, and their commands."""
    for facts in summary.get("methods", {}).values():
        assert facts.pop("seconds") >= 0
    summary.get("paper", {}).pop("command", None)
    return summary


def numbers(values):
    return [np.nan if value is None else float(value) for value in values]


class TestFormats:
    """What a file holds is what JSON says."""

    def test_all_of_them(self, call, succeed, summary_of, words, tmp_path):
        summary = what_was_found(summary_of(*words))
        names = list(summary["methods"]) if "methods" in summary else [row["feature"] for row in summary["features"]]
        done = succeed(*words)
        assert done.err == ""
        assert all(name.split("\t")[0] in done.out for name in names)
        for ending in ("csv", "TSV", "json", "md"):
            assert call(*words, "-o", tmp_path / f"out.{ending}") == (0, "", ""), ending
        for ending, mark in (("csv", ","), ("TSV", "\t")):
            table = pd.read_csv(tmp_path / f"out.{ending}", sep=mark, keep_default_na=False, dtype=str)
            self.check_table(table, summary)
        assert what_was_found(json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))) == summary
        text = (tmp_path / "out.md").read_text(encoding="utf-8")
        assert all(name.split()[0].strip("<>i/") in text for name in names)

    def check_table(self, table, summary):
        if summary["kind"] == "ranking":
            assert list(table["feature"]) == [row["feature"] for row in summary["features"]]
            keys = {"rank", "score", "native_score", "column", "pvalue", "qvalue"} & summary["features"][0].keys()
            assert keys <= set(table.columns)
            for key in keys:
                assert numbers(table[key]) == numbers(row[key] for row in summary["features"])
            return
        assert list(table["method"]) == list(summary["methods"])
        for row, facts in zip(table.to_dict("records"), summary["methods"].values(), strict=True):
            assert json.loads(row["features"]) == facts["features"]
            for size, accuracy in facts["accuracy"].items():
                assert float(row[f"accuracy_{size}"]) == pytest.approx(accuracy)
            for other, shared in facts["shared"].items():
                assert float(row[f"shared_{other}"]) == pytest.approx(shared)
            assert float(row["stability"]) == pytest.approx(facts["stability"])

    def test_page_file_and_json_at_once(self, succeed, page_data, words, tmp_path):
        done = succeed(*words, "-o", tmp_path / "out.csv", "--report", tmp_path / "out.htm", "--json")
        assert done.err == ""
        summary, drawn = json.loads(done.out), page_data(tmp_path / "out.htm")
        assert {path.name for path in tmp_path.iterdir()} == {"out.csv", "out.htm"}
        text = (tmp_path / "out.htm").read_text(encoding="utf-8")
        assert text.lower().startswith("<!doctype html>")
        assert text.rstrip().endswith("</html>")
        assert "<i>x</i>" not in text
        assert "data &amp; co.csv" in text
        if summary["kind"] == "ranking":
            features = drawn["all_features"]
            found = [row["feature"] for row in summary["features"]]
            assert [features["feature"][place] for place in features["selected"]] == found
            expected = [row["score"] for row in summary["features"]]
            assert features["score"][:3] == pytest.approx(expected, rel=1e-5)
            assert len(summary["views"]["redundancy"]["correlation"]) == 6


class TestPages:
    def test_targets_that_are_refused_first(self, call, refused, data, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "old.html").write_text("old")
        refused(2, "must be .html", "rank", data, "--report", "page.pdf")
        refused(1, ["old.html", "--force"], "rank", data, "--report", "old.html")
        refused(1, "'nowhere'", "rank", data, "--report", "nowhere/page.html")
        assert (tmp_path / "old.html").read_text() == "old"
        words = ("rank", data, "--ignore", "y", "-q", "--force", "--no-evaluation")
        assert call(*words, "--report", "old.html").code == 0
        assert "</h1>" in (tmp_path / "old.html").read_text(encoding="utf-8")

    def test_standard_input_has_a_title(self, succeed, data, tmp_path, monkeypatch):
        with data.open(encoding="utf-8") as lines:
            monkeypatch.setattr("sys.stdin", lines)
            words = ("--label", "y", "--report", tmp_path / "page.html", "--no-evaluation")
            assert succeed("rank", "-", *words).err.startswith("standard input: ")
        assert "<title>standard input: fisher</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_file_whose_name_is_no_text(succeed, summary_of, frame, tmp_path):
    table = tmp_path / "wine\udcff.csv"
    frame.to_csv(table, index=False)
    for ending in ("json", "md", "csv", "html"):
        option = "--report" if ending == "html" else "-o"
        succeed("rank", table, "--label", "y", "-q", "--no-evaluation", option, tmp_path / f"out.{ending}")
        assert (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
    assert summary_of("rank", table, "--label", "y")["title"] == "wine?.csv"


class TestFiles:
    def test_nothing_is_overwritten_without_force(self, succeed, refused, data_csv, tmp_path):
        target, other = tmp_path / "ranking.csv", tmp_path / "another name of it"
        target.write_text("precious")
        os.link(target, other)
        for command in ("rank", "select -k 2"):
            name, *words = command.split()
            refused(1, "--force", name, data_csv, "--label", "y", *words, "-o", target)
            assert target.read_text() == "precious"
        done = succeed("rank", data_csv, "--label", "y", "-k", "4", "-o", target, "--force")
        assert (done.out, done.err.splitlines()[-1]) == ("", f"wrote {target}")
        assert len(pd.read_csv(target)) == 4
        assert other.read_text() == "precious"  # replaced, not written into
        assert sorted(p.name for p in tmp_path.iterdir()) == ["another name of it", "data.csv", "ranking.csv"]

    def test_a_link_stays_a_link(self, succeed, data_csv, tmp_path):
        (tmp_path / "real.csv").write_text("old")
        (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
        succeed("rank", data_csv, "--label", "y", "-o", tmp_path / "link.csv", "--force")
        assert (tmp_path / "link.csv").is_symlink()
        assert "feature" in (tmp_path / "real.csv").read_text()

    def test_the_longest_name_there_can_be(self, succeed, data_csv, tmp_path):
        target = tmp_path / ("x" * 251 + ".csv")
        succeed("rank", data_csv, "--label", "y", "-o", target)
        assert target.exists()

    def test_targets_that_are_no_file(self, refused, data_csv, tmp_path):
        (tmp_path / "folder.csv").mkdir()
        os.mkfifo(tmp_path / "pipe.csv")
        words = (data_csv, "--label", "y", "--force")
        for target, code, keyword in (
            ("nowhere/out.csv", 1, "the directory"),
            ("out.xlsx", 2, ".json, .md or .h5ad"),
            ("folder.csv", 1, "is a directory"),
            ("pipe.csv", 1, "device or a pipe"),
            ("/dev/full", 1, "leave out -o"),
        ):
            refused(code, keyword, "rank", *words, "-o", tmp_path / target)
        refused(1, "device or a pipe", "rank", *words, "--report", "/dev/full")
        refused(1, "leave out -o", "select", *words, "-k", "2", "-o", "/dev/null")
        refused(2, ".npz or .h5ad", "select", *words, "-k", "2", "-o", tmp_path / "small.xls")
        refused(2, ".json or .md", "compare", *words, "-o", tmp_path / "small.h5ad")
        assert (tmp_path / "pipe.csv").is_fifo()


class TestPaper:
    @pytest.mark.parametrize(
        "options",
        [
            "--label y -k 3",
            "--ignore y --method spec-phi3 --similarity knn:k=5 --scale standard --seed 4",
        ],
    )
    def test_the_command_makes_the_run_again(self, summary_of, data_csv, options):
        first = summary_of("rank", data_csv, *options.split())
        program, *words = shlex.split(first["paper"]["command"])
        assert (program, words.pop()) == ("eigenselect", "--json")
        again = summary_of(*words)
        assert again["features"] == first["features"]
        assert again["paper"] == first["paper"]

    def test_names_that_a_shell_would_read_are_quoted(self, summary_of, frame, tmp_path):
        path = tmp_path / "a b; $(touch x) 'q' \"d\" `.csv"
        frame.rename(columns={"y": "the $label"}).to_csv(path, index=False)
        words = ["rank", str(path), "--label", "the $label", "-k", "2"]
        facts = summary_of(*words)["paper"]
        assert shlex.split(facts["command"]) == ["eigenselect", *words, "--json"]
        assert facts["data_hash"] == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}"
        assert facts["label"] == "the $label"
        assert "(the $label)" in facts["methods"]

    def test_seed_and_what_was_done_with_the_values(self, summary_of, data_csv):
        for words, seed, keywords in (
            ("--scale minmax --seed 9", "9", ["from 0 to 1"]),
            ("--scale standard", "0", ["standard deviation 1"]),
            ("--impute median --scale minmax", "0", ["median", "from 0 to 1"]),
            ("", "0", ["none: "]),
        ):
            facts = summary_of("rank", data_csv, "--ignore", "y", *words.split())["paper"]
            assert (facts["seed"], facts["label"]) == (seed, "none")
            assert all(keyword in facts["scaling"] for keyword in keywords), facts
            assert (facts["scaling"] in facts["methods"]) == bool(words)

    def test_standard_input_is_hashed_by_its_numbers(self, summary_of, data_csv, monkeypatch):
        found = []
        for _ in range(2):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(data_csv).read_bytes())))
            found.append(summary_of("rank", "-", "--label", "y")["paper"])
        assert found[0]["command"] == "eigenselect rank - --label y --json"
        assert found[0]["data_hash"].endswith("40 × 7")
        assert found[0] == found[1]

    def test_other_files_that_are_read_are_hashed_too(self, summary_of, frame, tmp_path):
        names = [f"s{i}" for i in range(40)]
        frame.drop(columns="y").assign(id=names).to_csv(tmp_path / "x.csv", index=False)
        frame[["y"]].set_axis(names).to_csv(tmp_path / "labels.csv", index_label="id")
        words = ("rank", tmp_path / "x.csv", "--samples", "id", "--labels", tmp_path / "labels.csv")
        digests = [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("x.csv", "labels.csv")]
        lines = summary_of(*words)["paper"]["data_hash"].splitlines()
        assert [line.split()[0] for line in lines] == digests

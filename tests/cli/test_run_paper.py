"""For the paper: the command that is shown makes the run again, and hashes are those of the files."""

import hashlib
import io
import json
import shlex
import sys
from pathlib import Path

import pytest


def paper_of(out):
    return json.loads(out)["paper"]


def ranking_of(out):
    return [(row["feature"], row["score"]) for row in json.loads(out)["features"]]


@pytest.mark.parametrize(
    "options",
    [
        ["--label", "y", "-k", "3"],
        ["--ignore", "y", "--method", "spec-phi3", "--similarity", "knn:k=5", "--scale", "standard", "--seed", "4"],
    ],
)
def test_the_command_makes_the_run_again(call, data_csv, options):
    code, out, err = call("rank", data_csv, *options, "--json")
    assert code == 0, err
    program, *words = shlex.split(paper_of(out)["command"])
    assert program == "eigenselect"
    code, again, err = call(*words)
    assert code == 0, err
    assert ranking_of(again) == ranking_of(out)
    assert paper_of(again)["methods"] == paper_of(out)["methods"]


def test_names_that_a_shell_would_read_are_quoted(call, frame, tmp_path):
    path = tmp_path / "a b; $(touch x) 'q' \"d\" `.csv"
    frame.rename(columns={"y": "the $label"}).to_csv(path, index=False)
    code, out, err = call("rank", path, "--label", "the $label", "-k", "2", "--json")
    assert code == 0, err
    facts = paper_of(out)
    words = ["eigenselect", "rank", str(path), "--label", "the $label", "-k", "2", "--json"]
    assert shlex.split(facts["command"]) == words
    assert facts["data_hash"] == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}"
    assert facts["label"] == "the $label"
    assert "The labels (the $label) name 2 classes." in facts["methods"]


def test_seed_and_scaling(call, data_csv):
    facts = paper_of(call("rank", data_csv, "--ignore", "y", "--scale", "minmax", "--seed", "9", "--json")[1])
    assert (facts["seed"], facts["scaling"]) == ("9", "every feature scaled to the range from 0 to 1")
    assert "(every feature scaled to the range from 0 to 1)" in facts["methods"]
    plain = paper_of(call("rank", data_csv, "--ignore", "y", "--json")[1])
    assert (plain["seed"], plain["scaling"], plain["label"]) == ("0", "none: values as in the file", "none")


def test_standard_input_is_hashed_by_its_numbers(call, data_csv, monkeypatch):
    data = Path(data_csv).read_bytes()
    found = []
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        found.append(paper_of(call("rank", "-", "--label", "y", "--json")[1]))
    assert found[0]["command"] == "eigenselect rank - --label y --json"
    assert found[0]["data_hash"].endswith("  the numbers, 40 × 7")
    assert found[0] == found[1]


def test_other_files_that_are_read_are_hashed_too(call, frame, tmp_path):
    names = [f"s{i}" for i in range(40)]
    frame.drop(columns="y").assign(id=names).to_csv(tmp_path / "x.csv", index=False)
    frame[["y"]].set_axis(names).to_csv(tmp_path / "labels.csv", index_label="id")
    words = ["rank", tmp_path / "x.csv", "--samples", "id", "--labels", tmp_path / "labels.csv", "--json"]
    code, out, err = call(*words)
    assert code == 0, err
    digests = [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("x.csv", "labels.csv")]
    assert [line.split()[0] for line in paper_of(out)["data_hash"].splitlines()] == digests


@pytest.mark.parametrize(("ending", "told"), [("json", True), ("md", True), ("csv", False)])
def test_only_what_tells_all_has_it(call, data_csv, tmp_path, monkeypatch, ending, told):
    asked = []
    monkeypatch.setattr("eigenselect.reporting.papers.paper.hash_of_data", lambda *given: asked.append(given) or "")
    assert call("rank", data_csv, "--label", "y", "-o", tmp_path / f"out.{ending}")[0] == 0
    assert bool(asked) == told
    text = (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
    assert ("Features were ranked with eigenselect" in text) == told

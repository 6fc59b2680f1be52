"""Tables in every format give the same ranking."""

import json
import subprocess
import sys

import numpy as np
from scipy import sparse
from scipy.io import savemat


def ranking(call, *words):
    code, out, err = call("rank", *words, "--json")
    assert code == 0, err
    return [(f["column"], f["rank"]) for f in json.loads(out)["features"]]


def test_all_formats_give_the_same_ranking(call, frame, data_csv, tmp_path, monkeypatch):
    X, y = frame.drop(columns="y").to_numpy(), frame["y"].to_numpy(str)
    expected = ranking(call, data_csv, "--label", "y")
    frame.to_csv(tmp_path / "d.tsv", sep="\t", index=False)
    for compressed in ("d.csv.gz", "d.csv.bz2", "d.csv.xz"):
        frame.to_csv(tmp_path / compressed, index=False)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(X))
    csr = sparse.csr_array(X)
    np.savez(tmp_path / "t.npz", data=csr.data, indices=csr.indices, indptr=csr.indptr, shape=csr.shape, y=y)
    savemat(tmp_path / "d.mat", {"X": X, "Y": (y == "tumour").reshape(-1, 1).astype(float)})
    named = ("d.tsv", "d.csv.gz", "d.csv.bz2", "d.csv.xz", "d.npz", "t.npz")
    for name, label in [*((name, "y") for name in named), ("d.mat", "Y")]:
        assert ranking(call, tmp_path / name, "--label", label) == expected, name
    unlabelled = ranking(call, data_csv, "--ignore", "y")
    assert ranking(call, tmp_path / "s.npz") == unlabelled


def test_standard_input(data_csv, call):
    expected = ranking(call, data_csv, "--label", "y")
    with open(data_csv, "rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "eigenselect", "rank", "-", "--label", "y", "--json"],
            stdin=file, capture_output=True, check=True,
        )  # fmt: skip
    assert [(f["column"], f["rank"]) for f in json.loads(done.stdout)["features"]] == expected


def test_an_unnamed_first_column_is_taken_for_sample_names(call, frame, data_csv, tmp_path):
    expected = ranking(call, data_csv, "--label", "y")
    frame.to_csv(tmp_path / "index.csv")
    assert ranking(call, tmp_path / "index.csv", "--label", "y") == expected
    assert "first column has no name" in call("rank", tmp_path / "index.csv", "--label", "y")[2]


def test_names_with_commas_can_be_ignored_and_twice(call, data_csv, awkward):
    _, out, _ = call(
        "rank", data_csv, "--label", "y", "--ignore", awkward, "--ignore", "f0,f1", "--ignore", "f1", "--json"
    )
    assert {f["feature"] for f in json.loads(out)["features"]} == {"f2", "f3", "f4", "naïve 🧬 ゲノム"}


def test_a_class_may_be_called_na(call, frame, data_csv):
    frame.assign(y=frame["y"].map({"normal": "NA", "tumour": "None"})).to_csv(data_csv, index=False)
    code, out, _ = call("rank", data_csv, "--label", "y", "--json")
    assert code == 0
    assert json.loads(out)["graph"]["n_classes"] == 2


def test_a_column_may_be_called_na(call, frame, data_csv):
    frame.rename(columns={"y": "NA", "f0": "nan"}).to_csv(data_csv, index=False)
    code, out, err = call("rank", data_csv, "--label", "NA", "--json")
    assert code == 0, err
    assert "nan" in {f["feature"] for f in json.loads(out)["features"]}


def test_blank_lines_before_the_header_and_names_with_line_breaks(call, frame, data_csv):
    expected = ranking(call, data_csv, "--label", "y")
    text = frame.rename(columns={"f0": "f\n0"}).to_csv(index=False)
    with open(data_csv, "w", encoding="utf-8-sig") as file:
        file.write("\n  \n" + text.replace(",y\n", ', "y"\n', 1))
    assert ranking(call, data_csv, "--label", "y") == expected


def test_named_pipes(data_csv, call):
    expected = ranking(call, data_csv, "--label", "y")
    command = f"{sys.executable} -m eigenselect rank <(cat {data_csv}) --format csv --label y --json"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert [(f["column"], f["rank"]) for f in json.loads(done.stdout)["features"]] == expected


def test_text_in_mat_files(call, tmp_path, rng):
    X = rng.normal(size=(12, 2))
    cells = {"feature_names": np.array(["a b", "c"], dtype=object), "Y": np.array(["u", "v"] * 6, dtype=object)}
    savemat(tmp_path / "cells.mat", {"X": X, **cells})
    _, out, err = call("rank", tmp_path / "cells.mat", "--label", "Y", "--json")
    assert {f["feature"] for f in json.loads(out)["features"]} == {"a b", "c"}, err
    np.savez(tmp_path / "bytes.npz", X=X > 0, feature_names=np.array([b"a b", b"c"]))
    _, out, err = call("rank", tmp_path / "bytes.npz", "--json")
    assert {f["feature"] for f in json.loads(out)["features"]} == {"a b", "c"}, err


def test_feature_names_of_arrays(call, tmp_path, rng):
    X = rng.normal(size=(20, 3))
    np.savez(tmp_path / "named.npz", X=X, feature_names=np.array(["a", "b", "c"]))
    np.savez(tmp_path / "bare.npz", X=X)
    assert "b" in call("rank", tmp_path / "named.npz")[1]
    assert "x1" in call("rank", tmp_path / "bare.npz")[1]
    assert "'b'" not in call("rank", tmp_path / "named.npz", "--ignore", "b", "--json")[1]

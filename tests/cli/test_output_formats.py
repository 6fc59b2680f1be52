"""Every output format of every command, on real output: what a file holds is what JSON says."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

#: a separator, a quote, HTML, a line break and letters beyond ASCII in names
NAMES = ["plain", "a,b", 'q"q', "<i>x</i>", "naïve 🧬", "tab\there"]
COMMANDS = {
    "rank": ["--label", "y", "-k", "3"],
    "compare": ["--label", "y", "-k", "2", "--sizes", "1,3"],
    "compare two": ["--label", "y", "-k", "2", "--sizes", "1,3", "--methods", "fisher,laplacian"],
    "compare one": ["--label", "y", "-k", "2", "--sizes", "2", "--methods", "relieff"],
    "fuse": ["--ignore", "y", "-k", "3"],
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = np.random.default_rng(7)
    y = np.arange(36) % 2
    X = pd.DataFrame(rng.normal(size=(36, len(NAMES))), columns=NAMES)
    X["a,b"] += 2 * y
    path = tmp_path_factory.mktemp("formats") / "data.csv"
    X.assign(y=np.where(y, "tumour", "normal")).to_csv(path, index=False)
    return path


@pytest.fixture(params=COMMANDS)
def words(request, data):
    return [request.param.split()[0], data, *COMMANDS[request.param], "-q"]


@pytest.fixture(scope="module")
def known():
    """What each command said as JSON, kept for the tests that follow."""
    return {}


@pytest.fixture
def summary(call, words, known):
    if tuple(words) not in known:
        code, out, err = call(*words, "--json")
        assert (code, err) == (0, "")
        known[tuple(words)] = out
    return what_was_found(json.loads(known[tuple(words)]), "--json")


def what_was_found(summary, *output):
    """Leave out what two runs may differ in: how long they took, and where their commands write to."""
    for facts in summary.get("methods", {}).values():
        assert facts.pop("seconds") >= 0
    typed = shlex.split(summary["paper"].pop("command")) if "paper" in summary else list(map(str, output))
    assert typed[len(typed) - len(output) :] == list(map(str, output))
    return summary


def numbers(values):
    return [np.nan if value is None else float(value) for value in values]


def leaves(facts, prefix=""):
    """Names of columns, and what belongs there."""
    for key, value in facts.items():
        yield from leaves(value, f"{prefix}{key}_") if isinstance(value, dict) else [(f"{prefix}{key}", value)]


class TestFiles:
    @pytest.mark.parametrize("ending", ["csv", "TSV"])
    def test_text_tables(self, call, words, summary, tmp_path, ending):
        target = tmp_path / f"out.{ending}"
        assert call(*words, "-o", target) == (0, "", "")
        table = pd.read_csv(target, sep="," if ending == "csv" else "\t", keep_default_na=False, dtype=str)
        if summary["kind"] == "ranking":
            assert list(table["feature"]) == [row["feature"] for row in summary["features"]]
            for key in ("rank", "score", "native_score", "column"):
                assert numbers(table[key]) == numbers(row[key] for row in summary["features"])
        else:
            self.look_at_comparison(table, summary["methods"])

    def look_at_comparison(self, table, methods):
        """Every fact of every method is in its row, and what is left is how much it shares with itself."""
        assert list(table["method"]) == list(methods)
        for row, (name, facts) in zip(table.to_dict("records"), methods.items(), strict=True):
            assert row.pop("method") == name
            assert float(row.pop("seconds")) >= 0
            for column, value in leaves(facts):
                found = row.pop(column)
                if isinstance(value, list):
                    assert json.loads(found) == value
                else:
                    assert numbers([found or None]) == pytest.approx(numbers([value]), nan_ok=True)
            assert all(column.endswith(f"_{name}") and value == "" for column, value in row.items())

    def test_json(self, call, words, summary, tmp_path):
        target = tmp_path / "out.json"
        assert call(*words, "-o", target) == (0, "", "")
        assert what_was_found(json.loads(target.read_text(encoding="utf-8")), "-o", target) == summary

    def test_markdown(self, call, words, summary, tmp_path):
        assert call(*words, "-o", tmp_path / "out.md") == (0, "", "")
        text = (tmp_path / "out.md").read_text(encoding="utf-8")
        rows = (
            summary["features"] if summary["kind"] == "ranking" else [{"feature": name} for name in summary["methods"]]
        )
        for row in rows:
            assert re.search(re.escape(row["feature"].split()[0].strip("<>i/")), text)

    def test_page(self, call, words, summary, tmp_path):
        code, _, err = call(*words, "--report", tmp_path / "out.html")
        assert (code, err) == (0, "")
        text = (tmp_path / "out.html").read_text(encoding="utf-8")
        assert text.lower().startswith("<!doctype html>")
        assert text.rstrip().endswith("</html>")
        assert "<i>x</i>" not in text

    def test_all_at_once(self, call, words, summary, tmp_path):
        code, out, err = call(*words, "-o", tmp_path / "out.csv", "--report", tmp_path / "out.htm", "--json")
        assert (code, err) == (0, "")
        found = json.loads(out)
        for_the_page = {"views", "all_features", "evaluation", "answer", "alerts", "paper"}
        assert found.keys() - for_the_page <= summary.keys()
        assert {path.name for path in tmp_path.iterdir()} == {"out.csv", "out.htm"}

    def test_text(self, call, words, summary):
        code, out, err = call(*words)
        assert (code, err) == (0, "")
        names = [row["feature"] for row in summary["features"]] if summary["kind"] == "ranking" else summary["methods"]
        for name in names:
            assert name.split("\t")[0] in out


@pytest.mark.parametrize("ending", ["csv", "tsv", "npz", "parquet", "h5ad", "H5AD"])
def test_tables_of_select(call, data, tmp_path, ending):
    pytest.importorskip({"parquet": "pyarrow", "h5ad": "anndata"}.get(ending.lower(), "numpy"))
    target = tmp_path / f"small.{ending}"
    assert call("select", data, "--label", "y", "-k", "4", "-q", "-o", target) == (0, "", "")
    _, out, _ = call("rank", data, "--label", "y", "-k", "4", "--json")
    kept = {row["feature"]: row["score"] for row in json.loads(out)["features"]}
    code, out, err = call("rank", target, "--label", "y", "--json")
    assert code == 0, err
    assert {row["feature"]: row["score"] for row in json.loads(out)["features"]} == pytest.approx(kept)


def test_methods_as_a_table_and_as_json(call):
    code, out, _ = call("methods", "--json")
    rows = json.loads(out)
    text = call("methods")[1]
    assert code == 0
    for row in rows:
        (line,) = [line for line in text.splitlines() if line.startswith(f"{row['name']}  ") and row["matrix"] in line]
        assert re.split(r" {2,}", line)[3:5] == [row["similarity"], row["direction"]]

"""What is printed and written of a ranking."""

import json
import re

import pandas as pd
import pytest
from sklearn.datasets import load_wine


def test_the_table_on_stdout_the_rest_on_stderr(call, data_csv, awkward):
    code, out, err = call("rank", data_csv, "--label", "y", "-k", "2")
    lines = out.splitlines()
    assert code == 0
    assert lines[0].split()[:3] == ["rank", "feature", "score"]
    assert awkward in lines[2]
    assert len(lines) == 4
    assert "40 samples, 7 features" in err


def test_all_features_are_counted_even_if_not_shown(call, tmp_path, rng):
    path = tmp_path / "wide.csv"
    pd.DataFrame(rng.normal(size=(20, 50))).to_csv(path, index=False)
    _, out, _ = call("rank", path)
    assert len(out.splitlines()) == 2 + 20 + 1
    assert "30 more" in out
    _, out, _ = call("rank", path, "-k", "25")
    assert len(out.splitlines()) == 2 + 25
    _, out, _ = call("rank", path, "-k", "50")
    assert len(out.splitlines()) == 2 + 50


def test_quiet_is_quiet(call, data_csv):
    code, _, err = call("rank", data_csv, "--label", "y", "-q")
    assert (code, err) == (0, "")


def test_small_scores_keep_their_digits(call, data_csv, frame):
    X = frame.drop(columns="y") * 1e-6
    X.assign(y=frame["y"]).to_csv(data_csv, index=False)
    words = ("rank", data_csv, "--ignore", "y", "--method", "mrsf", "-k", "3")
    _, out, _ = call(*words)
    assert "0.0000" not in out
    result = json.loads(call(*words, "--json")[1])
    shown = [float(re.search(r"(-?\d\.\d{3}e[+-]\d\d) ", line).group(1)) for line in out.splitlines()[2:]]
    assert shown == pytest.approx([f["score"] for f in result["features"]], rel=1e-3)


def test_names_cannot_move_the_cursor(call, data_csv, frame, awkward):
    frame.rename(columns={awkward: "a\x1b[2Jb\nc"}).to_csv(data_csv, index=False)
    _, out, _ = call("rank", data_csv, "--label", "y")
    assert "\x1b" not in out
    assert "a\\x1b[2Jb\\nc" in out


@pytest.mark.parametrize("ending", ["csv", "tsv", "json"])
def test_files(call, data_csv, tmp_path, ending, awkward):
    target = tmp_path / f"ranking.{ending}"
    code, out, err = call("rank", data_csv, "--label", "y", "-k", "4", "-o", target)
    assert (code, out) == (0, "")
    assert f"wrote {target}" in err
    if ending == "json":
        names = [f["feature"] for f in json.loads(target.read_text(encoding="utf-8"))["features"]]
    else:
        names = list(pd.read_csv(target, sep="\t" if ending == "tsv" else ",")["feature"])
    assert len(names) == 4
    assert names[0] == awkward
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", f"ranking.{ending}"]


def test_a_link_stays_a_link(call, data_csv, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    assert call("rank", data_csv, "--label", "y", "-o", tmp_path / "link.csv", "--force")[0] == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert "feature" in (tmp_path / "real.csv").read_text()


@pytest.fixture
def wine_csv(tmp_path):
    frame = load_wine(as_frame=True).frame
    path = tmp_path / "wine & co.csv"
    frame.to_csv(path, index=False)
    return path


def test_rank_writes_a_page_and_still_prints_the_ranking(call, wine_csv, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = call("rank", wine_csv, "--label", "target", "-k", 4, "--report", page)
    assert code == 0
    assert "flavanoids" in out
    assert err.splitlines()[-1] == f"wrote {page}"
    html = page.read_text(encoding="utf-8")
    assert "<title>wine &amp; co.csv: fisher</title>" in html
    assert ">wine &amp; co.csv</h1>" in html
    assert "4 of 13 features kept" in html


def test_json_markdown_csv_and_page_tell_the_same(call, wine_csv, tmp_path):
    names = {}
    words = ["rank", wine_csv, "--label", "target", "-k", 4]
    for ending in ("json", "md", "csv", "tsv"):
        assert call(*words, "-q", "-o", tmp_path / f"out.{ending}") == (0, "", "")
        names[ending] = (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
    found = json.loads(names["json"])["features"]
    expected = [row["feature"] for row in found]
    assert len(expected) == 4
    for name in expected:
        assert all(name in text.replace("\\_", "_") for text in names.values())
    assert call(*words, "-q", "--report", tmp_path / "out.html")[0] == 0
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1))
    kept = data["all_features"]["selected"]
    assert [data["all_features"]["feature"][place] for place in kept] == expected
    assert data["all_features"]["score"][:4] == pytest.approx([row["score"] for row in found], rel=1e-5)
    code, out, _ = call("rank", wine_csv, "--label", "target", "-k", 4, "--json")
    assert code == 0
    told = [json.loads(text) for text in (out, names["json"])]
    assert [summary["paper"].pop("command").split()[-1] for summary in told] == ["--json", f"{tmp_path}/out.json"]
    assert told[0] == told[1]


def test_json_with_a_page_holds_what_the_page_draws(call, wine_csv, tmp_path):
    _, out, _ = call("rank", wine_csv, "-k", 4, "--json", "--report", tmp_path / "page.html")
    views = json.loads(out)["views"]
    assert len(views["redundancy"]["correlation"]) == 4
    assert views["groups"]["kind"] == "cluster"


def test_compare_writes_a_page(call, wine_csv, tmp_path):
    page = tmp_path / "page.html"
    words = ["compare", wine_csv, "--label", "target", "--methods", "fisher,laplacian", "--sizes", "2,4"]
    code, out, _ = call(*words, "--report", page, "-o", tmp_path / "out.md")
    assert (code, out) == (0, "")
    assert "2 methods" in page.read_text(encoding="utf-8")
    assert "| fisher | _0." in (tmp_path / "out.md").read_text(encoding="utf-8")


def test_fuse_writes_a_page_with_its_sources(call, wine_csv, tmp_path):
    page = tmp_path / "page.html"
    assert call("fuse", wine_csv, "--label", "target", "--with-labels", "-k", 3, "-q", "--report", page)[0] == 0
    html = page.read_text(encoding="utf-8")
    assert "2 sources of knowledge made this order" in html
    assert '<div class="source-name"><strong>labels</strong>' in html


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--report", "page.pdf"], 2, "--report page.pdf: the ending must be .html or .htm"),
        (["--report", "old.html"], 1, "old.html: exists already; use --force"),
        (["--report", "nowhere/page.html"], 1, "the directory 'nowhere' does not exist"),
    ],
)
def test_pages_that_cannot_be_written_are_refused_first(call, wine_csv, tmp_path, monkeypatch, words, code, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.html").write_text("old")
    found, out, err = call("rank", wine_csv, *words)
    assert (found, out) == (code, "")
    assert says in " ".join(err.split())
    assert (tmp_path / "old.html").read_text() == "old"


def test_force_replaces_a_page(call, wine_csv, tmp_path):
    (tmp_path / "old.html").write_text("old")
    assert call("rank", wine_csv, "-q", "--force", "--report", tmp_path / "old.html")[0] == 0
    assert "</h1>" in (tmp_path / "old.html").read_text(encoding="utf-8")


def test_standard_input_has_a_title(call, wine_csv, tmp_path, monkeypatch):
    with wine_csv.open(encoding="utf-8") as lines:
        monkeypatch.setattr("sys.stdin", lines)
        code, _, err = call("rank", "-", "--report", tmp_path / "page.html")
    assert code == 0
    assert err.startswith("standard input: ")
    assert "<title>standard input: laplacian</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_table_that_is_read_is_never_replaced(call, wine_csv, tmp_path):
    table = wine_csv.rename(tmp_path / "wine.html")
    before = table.read_text(encoding="utf-8")
    code, _, err = call("rank", table, "--format", "csv", "--force", "--report", table)
    assert code == 1
    assert "wine.html" in err
    assert table.read_text(encoding="utf-8") == before


def test_a_file_whose_name_is_no_text(call, wine_csv, tmp_path):
    table = wine_csv.rename(tmp_path / "wine\udcff.csv")
    for ending in ("json", "md", "csv", "html"):
        option = "--report" if ending == "html" else "-o"
        code, _, err = call("rank", table, "--label", "target", "-q", option, tmp_path / f"out.{ending}")
        assert code == 0, err
        assert (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
    code, out, err = call("rank", table, "--label", "target", "--json")
    assert code == 0, err
    assert json.loads(out)["title"] == "wine?.csv"


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_a_table_stays_within_the_terminal(call, wine_csv, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, err = call("rank", wine_csv, "--label", "target", "-k", "3")
    assert code == 0, err
    lines = out.splitlines()
    assert max(map(len, lines)) <= columns
    assert lines[0].split()[:4] == ["rank", "feature", "score", "fisher"]
    assert ("█" in out) == (columns >= 80)

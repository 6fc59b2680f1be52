"""Messages: printable, short, in the right number, and in our words."""

import re

import numpy as np
import pandas as pd
import pytest

from eigenselect.cli.main import run
from eigenselect.exceptions import (
    LONGEST_MESSAGE,
    InputError,
    listed,
    printable,
    shown,
    within,
)
from eigenselect.io.readers import read_table

LONG = "gene" * 5000
NASTY = "a\x1b[31m\r\n\u202eb"


#: one, or one of several, that many things are or do
ONE_OF_MANY = re.compile(
    r"(?<![\d.,])1 (of (the |all )?\d+ )?(\w+ )?(features|samples|classes|genes)? ?(have|are|score|do|were)\b"
)


def test_one_feature_has_and_several_have(tmp_path, capsys):
    """Whatever the command says of a table with one discovery, one constant feature and one sample without a label."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(40, 12))).add_prefix("g").assign(flat=1.0)
    y = np.repeat(["a", "b"], 20)
    X["g3"] += 4.0 * (y == "b")
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    X.assign(y=["", *y[1:]]).to_csv(tmp_path / "some.csv", index=False)
    X.assign(y=["c", *y[1:]]).to_csv(tmp_path / "single.csv", index=False)
    X[["g3"]].assign(y=y).to_csv(tmp_path / "one.csv", index=False)
    page = ("--report", tmp_path / "p.html", "--force")
    said = []
    for command, name, *words in (
        ("rank", "t", "-k", "fdr", *page),
        ("rank", "t", "-o", tmp_path / "t.md", "--force"),
        ("rank", "t", "--method", "mrsf", "-k", 2),
        ("rank", "some", "--method", "fisher"),
        ("rank", "some", "--drop-unlabelled"),
        ("rank", "one"),
        ("rank", "one", "-k", 2),
        ("rank", "single", "--method", "relieff"),
        ("select", "t", "-k", "fdr"),
        ("compare", "t", "-k", 1),
        ("compare", "some"),
        ("compare", "single"),
    ):
        run([command, str(tmp_path / f"{name}.csv"), "--label", "y", *map(str, words)])
        said.append("".join(capsys.readouterr()))
    said.append(re.sub(r"<[^>]*>", " ", (tmp_path / "p.html").read_text(encoding="utf-8").partition("<script")[0]))
    said.append((tmp_path / "t.md").read_text(encoding="utf-8"))
    text = "\n".join(said)
    assert "1 of 12 tested" in text
    assert "1 of 13 features has" in text
    assert "1 sample has none" in text
    assert [found[0] for found in ONE_OF_MANY.finditer(text)] == []
    assert re.findall(r"(?<![\d.,])1 (?:features|samples|classes|methods)\b", text) == []


@pytest.mark.parametrize("name", [LONG, NASTY, NASTY * 5000])
def test_names_in_messages_are_printable_and_short(name):
    for text in (shown(name), listed([name] * 3), str(InputError(f"t.csv: no column named {name!r}."[:2000]))):
        assert text.isprintable()
    assert len(shown(name)) < 300
    assert len(within(name * 9)) <= LONGEST_MESSAGE + 3
    assert printable(within(name)) == within(name)


def test_errors_are_printable_whatever_they_quote():
    assert str(InputError(f"{NASTY}.csv: is empty.")) == "a\\x1b[31m\\r\\n\\u202eb.csv: is empty."


#: tables whose names, cells or labels are hard to print, and options
TABLES = {
    "a long name twice": (f"{LONG},{LONG}\n1,2\n3,4\n", {}),
    "a nasty name twice": ('"a\x1b[31m\r\n","a\x1b[31m\r\n"\n1,2\n3,4\n', {}),
    "a long text": (f"a,b\n{LONG},1\n2,3\n", {}),
    "a nasty text": ('a,b\n"x\x1b[31m\n",1\n2,3\n', {}),
    "a hole under a long name": (f"{LONG},b\n1,\n,3\n", {}),
    "a wish for a long name": ("a,b\n1,2\n3,4\n", {"label": LONG}),
    "a wish for a nasty name": ("a,b\n1,2\n3,4\n", {"samples": NASTY}),
    "a long name ignored": (f"{LONG},b\n1,2\n3,4\n", {"label": LONG, "ignore": [LONG]}),
    "a very long number": (f"a,b\n{'9' * 20_000},2\n3,4\n", {}),
}


@pytest.mark.parametrize(("text", "how"), TABLES.values(), ids=TABLES)
def test_tables_that_are_hard_to_print(tmp_path, text, how):
    (tmp_path / "t.csv").write_text(text, newline="")
    with pytest.raises(InputError) as caught:
        read_table(str(tmp_path / "t.csv"), **how)
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < 800


@pytest.mark.parametrize(
    "words",
    [
        ["rank", LONG],
        ["rank", NASTY],
        ["rank", f"{LONG}.csv"],
        ["rank", "{}", "--label", LONG],
        ["rank", "{}", "--method", NASTY],
        ["rank", "{}", "-k", LONG],
        ["rank", "{}", "-o", f"/tmp/{LONG}.csv"],
        [NASTY],
        ["fuse", "{}", "--auxiliary", f"m={LONG}.csv"],
        ["fuse", "{}", "--gene-set", f"m={NASTY}.gmt:A"],
    ],
    ids=lambda words: " ".join(word[:8].encode("unicode_escape").decode() for word in words),
)
def test_the_command_says_nothing_but_printable_lines(tmp_path, capsys, words):
    pd.DataFrame(np.eye(4), columns=list("abcd")).to_csv(tmp_path / "t.csv", index=False)
    assert run([word.format(tmp_path / "t.csv") if word == "{}" else word for word in words]) in (1, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert all(line.isprintable() for line in err.split("\n"))
    assert len(err) < 3000
    assert not re.search(r"Traceback|Errno", err)


class TestParquet:
    """What pyarrow says of such tables is for programmers."""

    def test_columns_of_lists_and_records(self, tmp_path):
        pytest.importorskip("pyarrow")
        pd.DataFrame({"a": [1, 2], "l": [[1], [2, 3]]}).to_parquet(tmp_path / "t.parquet")
        with pytest.raises(InputError, match=r"1 column .*\('l'\)"):
            read_table(str(tmp_path / "t.parquet"))
        pd.DataFrame({"a": [1, 2], "r": [{"u": 1}, {"u": 2}], "l": [[1], []]}).to_parquet(tmp_path / "t.parquet")
        with pytest.raises(InputError, match=r"2 columns .*\('r', 'l'\)"):
            read_table(str(tmp_path / "t.parquet"))

    def test_names_that_stand_twice(self, tmp_path):
        pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = pyarrow.table([pyarrow.array([1.0, 2.0])] * 3, names=["a", "b", "a"])
        parquet.write_table(columns, tmp_path / "t.parquet")
        with pytest.raises(InputError, match=r"more than once \('a'\)"):
            read_table(str(tmp_path / "t.parquet"))

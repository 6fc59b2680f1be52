"""Options of reading: other names of separators, encodings that Python knows, and which files are read."""

import click
import pytest

from eigenselect.cli.reading import Reading, read_encoding, read_separator


@pytest.mark.parametrize(("text", "mark"), [("tab", "\t"), (r"\t", "\t"), (";", ";"), ("comma", ","), ("|", "|")])
def test_separators(text, mark):
    assert read_separator(None, None, text) == mark


@pytest.mark.parametrize("text", ["", "ab", "a", "1", '"'])
def test_what_is_no_separator(text):
    with pytest.raises(click.BadParameter, match="not one character between cells"):
        read_separator(None, None, text)


def test_encodings():
    assert read_encoding(None, None, None) is None
    assert read_encoding(None, None, "cp1252") == "cp1252"
    for wrong in ("utf8x", "hex", "rot13", "a\0b"):
        with pytest.raises(click.BadParameter, match="no encoding of text"):
            read_encoding(None, None, wrong)


def test_all_files_that_are_read(tmp_path):
    labels = tmp_path / "a:b.csv"
    labels.write_text("sample,type\n")
    reading = Reading(labels=f"{labels}:type", covariates="batches.csv:age,sex")
    assert reading.files("x.csv") == ["x.csv", str(labels), "batches.csv"]
    assert reading.has_labels
    assert not Reading().has_labels


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "none: values as in the file"),
        ({"scale": "standard"}, "every feature at mean 0 and standard deviation 1"),
        (
            {"impute": "median", "scale": "minmax", "covariates": "a.csv"},
            "missing values filled with the median of their feature, every feature scaled to the range from 0 to 1, "
            "covariates taken out of every feature by least squares",
        ),
    ],
)
def test_what_is_done_with_the_values(given, words):
    assert Reading(**given).preparation == words

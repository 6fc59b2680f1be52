"""Options: one frozen object for each group, names with near ones, numbers of features."""

from dataclasses import FrozenInstanceError, dataclass

import click
import pytest

from eigenselect.cli.options import MethodName, Named, option_group, read_count, unknown_name
from eigenselect.criteria.table import METHODS


@dataclass(frozen=True)
class Size:
    width: int
    height: int


size_options = option_group("size", Size, click.option("--width", type=int), click.option("--height", type=int))


def test_a_command_gets_a_group_as_one_object():
    seen = []

    @click.command()
    @click.argument("data")
    @size_options
    @click.option("--force", is_flag=True)
    def draw(data, size, force):
        """Draw it."""
        seen.append((data, size, force))

    draw.main(["x", "--height", "2", "--force", "--width", "1"], standalone_mode=False)
    assert seen == [("x", Size(1, 2), True)]
    assert [parameter.name for parameter in draw.params] == ["data", "width", "height", "force"]
    assert draw.help == "Draw it."
    with pytest.raises(FrozenInstanceError):
        seen[0][1].width = 3


def test_names():
    assert Named(["a", "b"]).convert("b", None, None) == "b"
    with pytest.raises(click.BadParameter, match="'fischer' is none of fisher, relieff; did you mean 'fisher'"):
        Named(["fisher", "relieff"]).convert("fischer", None, None)
    assert unknown_name("zzz", ["a"]) == "'zzz' is none of a."


def test_methods_are_those_of_the_table():
    assert list(MethodName().choices) == METHODS.names()
    with pytest.raises(click.BadParameter, match="'msfs' is none of"):
        MethodName().convert("msfs", None, None)


@pytest.mark.parametrize(
    ("text", "count"), [(None, None), ("auto", "auto"), ("3", 3), ("0.5", 0.5), ("5e-1", 0.5), ("1", 1), ("1.0", 1.0)]
)
def test_numbers_of_features(text, count):
    found = read_count(None, None, text)
    assert (found, type(found)) == (count, type(count))


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "x", "nan", "inf", ""])
def test_what_is_no_number_of_features(text):
    with pytest.raises(click.BadParameter, match="not a positive whole number, a fraction up to 1, 'auto' or 'fdr'"):
        read_count(None, None, text)


def test_no_threads_are_wrong_usage(call, data_csv):
    code, _, err = call("rank", data_csv, "--label", "y", "--jobs", "0")
    assert code == 2
    assert "Invalid value for '--jobs': 0 threads do nothing; name a number, or leave it out for all cores." in err

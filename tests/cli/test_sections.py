"""Sections of the help: every option stands in one, and lines fit a terminal of 80 columns."""

import re

import click
import pytest

from eigenselect.cli.group import cli
from eigenselect.cli.main import COMMANDS
from eigenselect.cli.sections import OTHERS, command, titled
from eigenselect.cli.text import width_of

SECTIONS = {
    "rank": ["Table", "File", "Ranking", "Output", OTHERS],
    "select": ["Table", "File", "Ranking", "Output", OTHERS],
    "compare": ["Table", "File", "Comparison", "Output", OTHERS],
    "fuse": ["Table", "File", "Sources", "Ranking", "Output", OTHERS],
}


def test_others_come_last_and_titles_in_their_order():
    @command()
    @click.option("--debug")
    @titled("Size", click.option("--width"))[0]
    @titled("Place", click.option("--left"))[0]
    @titled("Size", click.option("--height"))[0]
    @click.argument("file")
    def draw(**given):
        pass

    text = draw.get_help(click.Context(draw))
    assert re.findall(r"^(\w.*):$", text, re.M) == ["Size", "Place", OTHERS]
    assert re.findall(r"^  (--\w+)", text, re.M) == ["--width", "--height", "--left", "--debug", "--help"]


@pytest.mark.parametrize("name", SECTIONS)
def test_every_option_of_every_command_once(call, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    code, text, _ = call(name, "--help")
    assert code == 0
    assert re.findall(r"^(\w[\w ]*):$", text, re.M) == SECTIONS[name]
    shown = re.findall(r"^  (?:-\w, )?(--?[\w-]+)", text.split("Example:")[0], re.M)
    options = [
        max(p.opts, key=len)
        for p in cli.get_command(click.Context(cli), name).get_params(click.Context(cli))
        if isinstance(p, click.Option)
    ]
    assert sorted({*shown} - {"--help"}) == sorted({*options} - {"--help"})
    assert len(shown) == len(set(shown))
    assert max(map(width_of, text.splitlines())) <= 80


def test_all_commands_are_looked_at():
    assert {*SECTIONS, "methods"} == set(COMMANDS)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_option_says_what_it_does(name):
    parameters = cli.get_command(click.Context(cli), name).params
    assert [p.name for p in parameters if isinstance(p, click.Option) and not p.help] == []

"""The group of subcommands: names, help, completion."""

import os
import subprocess
import sys

import pytest

from eigenselect.cli import group
from eigenselect.cli.main import COMMANDS, help_text


@pytest.mark.parametrize(("word", "says"), [("rnak", "did you mean 'rank'?"), ("xyz", "there are compare, fuse,")])
def test_unknown_commands_get_near_names(call, word, says):
    code, out, err = call(word, "data.csv")
    assert (code, out) == (2, "")
    assert f"no command is called {word!r}; {says}" in err


def test_without_a_word_the_help_is_shown_in_its_own_lines(call):
    _, out, err = call()
    assert (out + err).rstrip("\n") == help_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_answers_for_help(call, name):
    code, out, _ = call(name, "--help")
    assert code == 0
    assert out.startswith(f"Usage: eigenselect {name} ")


def test_the_shell_can_complete_commands_and_methods():
    program = (
        "import atexit, sys; from eigenselect.cli.main import main;"
        "atexit.register(lambda: print({'numpy', 'pandas', 'sklearn'} & set(sys.modules), file=sys.stderr)); main()"
    )
    for words, place, expected in (("eigenselect ra", "1", "rank"), ("eigenselect rank x --method fis", "4", "fisher")):
        asked = {"COMP_WORDS": words, "COMP_CWORD": place, "_EIGENSELECT_COMPLETE": "bash_complete"}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | asked)
        assert f"plain,{expected}" in done.stdout, done.stderr
        assert done.stderr == "set()\n"


def test_the_words_of_a_call_are_known_within_it_only(monkeypatch):
    seen = []
    monkeypatch.setattr("eigenselect.cli.methods.say", lambda text: seen.append(group.typed_command()))
    assert group.run_group(["methods"]) == 0
    assert seen == ["eigenselect methods"]
    assert group.typed_command() == ""

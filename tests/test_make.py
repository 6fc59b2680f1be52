"""Only `make browser` installs a system package, and what could not run is said loudly."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from eigenselect.reporting.page import EARLY, SCRIPTS, SCRIPTS_OF

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the scripts of .ci are for bash")


def run(script, *words, path):
    """Run a script of .ci with the programs of one folder only."""
    environment = {"PATH": str(path), "HOME": os.environ.get("HOME", "/")}
    return subprocess.run([ROOT / ".ci" / script, *words], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def programs(tmp_path):
    """A folder with what the scripts need, and an apt-get that only leaves a trace."""
    for name in ("bash", "env", "dirname", "cat", "id", "sudo"):
        if found := shutil.which(name):
            (tmp_path / name).symlink_to(found)
    (tmp_path / "apt-get").write_text(f"#!/bin/sh\necho asked >> {tmp_path}/trace\nexit 1\n")
    (tmp_path / "apt-get").chmod(0o755)
    return tmp_path


def test_looking_for_a_browser_installs_nothing_and_says_loudly_that_there_is_none(programs):
    told = run("browser", "look", path=programs)
    assert told.returncode == 0
    assert "NO CHROMIUM" in told.stderr
    assert "make browser" in told.stderr
    assert not (programs / "trace").exists()


def test_only_asking_for_it_installs_a_browser(programs):
    assert "NO CHROMIUM" in run("browser", "install", path=programs).stderr
    assert (programs / "trace").exists()


def test_scripts_that_could_not_be_checked_are_named_loudly(programs):
    told = run("javascript", path=programs)
    assert told.returncode == 0
    assert told.stderr.startswith("*** JAVASCRIPT OF THE PAGE WAS NOT CHECKED")


def test_tests_do_not_ask_for_a_browser_but_ci_does():
    rules = dict(re.findall(r"^([\w-]+):([^#\n]*)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    asking = [name for name, needed in rules.items() if "browser" in needed.split()]
    assert asking == []
    commands = [line.split("#")[0].split() for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()]
    assert [words[1] for words in commands if words[:1] == ["make"]] == ["browser", "test"]


def test_the_linter_knows_the_scripts_in_the_order_in_which_they_are_joined():
    """Its configuration reads the lists out of page/__init__.py by what stands before and after them."""
    config = (ROOT / "eslint.config.mjs").read_text(encoding="utf-8")
    folder = ROOT / re.search(r'FOLDER = "(.*?)"', config)[1]
    text = (folder / "__init__.py").read_text(encoding="utf-8")
    assert r'listed("\nEARLY = (", ")\n")' in config
    assert r'listed("\nSCRIPTS = (", ")\n")' in config
    assert r'listed(`"${kind}": (`, "),\n")' in config

    def listed(start, end):
        return tuple(re.findall(r'"([\w/]+\.js)"', text.split(start)[1].split(end)[0]))

    assert listed("\nEARLY = (", ")\n") == EARLY
    assert listed("\nSCRIPTS = (", ")\n") == SCRIPTS
    assert {kind: listed(f'"{kind}": (', "),\n") for kind in SCRIPTS_OF} == SCRIPTS_OF
    every = {*EARLY, *SCRIPTS, *(name for names in SCRIPTS_OF.values() for name in names)}
    assert every == {path.relative_to(folder).as_posix() for path in folder.rglob("*.js")}

"""How tests run the command."""

from __future__ import annotations

import pytest

from eigenselect.cli.main import run


@pytest.fixture
def call(capsys):
    """A function that runs the command with some words; returns the exit code, stdout and stderr."""

    def run_it(*words):
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return run_it

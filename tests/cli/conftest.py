"""How tests run the command, and a small table to run it on."""

from __future__ import annotations

import numpy as np
import pandas as pd
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


@pytest.fixture
def awkward():
    """The name of the feature that follows the classes best: HTML, a comma and quotes."""
    return '<b>x</b>, "y"'


@pytest.fixture
def frame(rng, awkward):
    """Seven features and the label ``y``."""
    groups = np.repeat([0.0, 2.0], 20)
    data = {f"f{j}": rng.normal(size=40) for j in range(5)}
    data[awkward] = groups + rng.normal(size=40) * 0.3
    data["naïve 🧬 ゲノム"] = groups - rng.normal(size=40)
    data["y"] = np.where(groups > 0, "tumour", "normal")
    return pd.DataFrame(data)


@pytest.fixture
def data_csv(frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return str(path)

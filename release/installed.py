"""Run by the Python of a fresh environment, outside the checkout: what was installed is whole and works.

Only what a plain ``pip install eigenselect`` brings is there: no extras, no test tools.
"""

from __future__ import annotations

import csv
import importlib.metadata
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.utils import Bunch

import eigenselect


def main(version: str) -> None:
    """Import every public name, fit, and let the command rank a table and write its page."""
    home = Path(eigenselect.__file__).parent
    assert home.is_relative_to(sys.prefix), f"{home} is not in {sys.prefix}"
    assert eigenselect.__version__ == importlib.metadata.version("eigenselect") == version
    assert all(getattr(eigenselect, name) is not None for name in eigenselect.__all__)
    wine = load_wine(as_frame=True)
    selector = eigenselect.FisherScore(3).fit(wine.data, wine.target)
    assert len(selector.get_feature_names_out()) == 3
    assert ranked_by_the_command(wine, version)[:3] == [str(wine.data.columns[j]) for j in best(selector)[:3]]
    print(f"eigenselect {version} in {home}: {len(eigenselect.__all__)} names, fit and command work", flush=True)


def best(selector: eigenselect.FisherScore) -> list[int]:
    """Return the features, the best first."""
    return list(np.argsort(-selector.scores_, kind="stable"))


def ranked_by_the_command(wine: Bunch, version: str) -> list[str]:
    """Return the names in the order of ``eigenselect rank``, which also writes a page."""
    command = Path(sys.executable).with_name("eigenselect")
    told = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert version in told, told
    with tempfile.TemporaryDirectory() as folder:
        table, ranking, page = (Path(folder) / name for name in ("wine.csv", "ranking.csv", "page.html"))
        wine.data.assign(cultivar=wine.target.map("c{}".format)).to_csv(table, index=False)
        words = [command, "rank", table, "--label", "cultivar", "--method", "fisher", "-o", ranking]
        subprocess.run([*words, "--report", page, "--no-evaluation"], check=True, capture_output=True)
        assert "<!doctype html>" in page.read_text(encoding="utf-8")[:100].lower()
        with ranking.open(encoding="utf-8", newline="") as file:
            return [row["feature"] for row in csv.DictReader(file)]


if __name__ == "__main__":
    main(sys.argv[1])

"""The example pages run, say what they found, and end in a figure."""

import importlib
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="figures need the plot extra")
EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Run an example, its figure written elsewhere; returns what it printed and the figure's path."""
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def call(name, **settings):
        figures, example = importlib.import_module("figures"), importlib.import_module(name)
        monkeypatch.setattr(figures, "IMAGES", tmp_path)
        for setting, value in settings.items():
            monkeypatch.setattr(example, setting, value)
        example.main()
        return capsys.readouterr().out, tmp_path / f"{name}.png"

    yield call
    for name in ("figures", "three_gaussians", "evsc_iris", "sselect_text", "multisource_genes", "redundancy"):
        sys.modules.pop(name, None)


def test_three_gaussians(run):
    out, figure = run("three_gaussians")
    assert "φ1, r^1: signal and noise are mixed up from a = 0.00" in out
    assert "φ2, r^1: signal and noise are mixed up from a = 0.46" in out
    assert figure.stat().st_size > 20_000


def test_evsc_on_iris(run):
    out, figure = run("evsc_iris")
    assert "with two features:  sepal length 0.293, petal length 1.019" in out
    assert figure.stat().st_size > 20_000


def test_sselect_on_text_without_the_data(run, tmp_path):
    out, figure = run("sselect_text", DATA=tmp_path / "nothing", REPEATS=1, LABELS=(2, 10), SIZES=(5, 20))
    assert out.startswith("SYNTHETIC counts")
    assert out.count("SSelect") == 2
    assert figure.stat().st_size > 10_000


def test_genes_of_several_sources_without_the_data(run, tmp_path):
    out, figure = run("multisource_genes", DATA=tmp_path / "nothing", REPEATS=2, SIZES=(2, 5))
    assert "SYNTHETIC" in out
    assert figure.stat().st_size > 20_000


def test_redundancy_without_the_data(run, tmp_path):
    out, figure = run("redundancy", DATA=tmp_path / "nothing", KEPT=30, SIZES=(5, 30))
    assert "DIGITS" in out
    rates = {line[:15].strip(): float(line.rsplit(" ", 1)[1]) for line in out.splitlines()[1:5]}
    assert rates["MRSF, no labels"] < rates["Laplacian score"] - 0.2
    assert rates["MRSF, labels"] < rates["Fisher score"] - 0.2
    assert figure.stat().st_size > 20_000

"""The example pages run, say what they found, and end in a figure."""

import importlib
import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest
from scipy.stats import binom
from sklearn.neighbors import kneighbors_graph

pytestmark = pytest.mark.slow

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
    importlib.import_module("matplotlib.pyplot").close("all")
    for name in (
        "figures",
        "three_gaussians",
        "evsc_iris",
        "sselect_text",
        "multisource_genes",
        "redundancy",
        "genes_on_graphs",
    ):
        sys.modules.pop(name, None)


def test_three_gaussians(run):
    out, figure = run("three_gaussians")
    assert "a = 0.00" in out
    assert "a = 0.46" in out
    assert figure.stat().st_size > 20_000


def test_evsc_on_iris(run):
    out, figure = run("evsc_iris")
    assert "petal length 1.019" in out
    assert figure.stat().st_size > 20_000


def test_redundancy_without_the_data(run, tmp_path):
    out, figure = run("redundancy", DATA=tmp_path / "nothing", KEPT=30, SIZES=(5, 30))
    assert "DIGITS" in out
    rates = {line[:15].strip(): float(line.rsplit(" ", 1)[1]) for line in out.splitlines()[1:5]}
    assert rates["MRSF, no labels"] < rates["Laplacian score"] - 0.2
    assert rates["MRSF, labels"] < rates["Fisher score"] - 0.2
    assert figure.stat().st_size > 20_000


def test_genes_on_graphs_without_the_data(run, tmp_path):
    out, _ = run("genes_on_graphs", DATA=tmp_path / "nothing")
    assert out.startswith("SYNTHETIC slide")
    assert re.search(r"^2[0-4] of 300 genes", out, re.MULTILINE)
    assert (tmp_path / "spatial_genes.png").stat().st_size > 100_000


class TestTheScriptForSquidpy:
    """examples/squidpy_script.py runs as it is but for one import, and then our p-values are in its table."""

    TEXT = (EXAMPLES / "squidpy_script.py").read_text(encoding="utf-8")

    def printed(self, text, capsys):
        space = {"__name__": "script", "__file__": str(EXAMPLES / "squidpy_script.py")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of scanpy and squidpy
            exec(compile(text, "squidpy_script.py", "exec"), space)
            space["DATA"] = Path("nowhere")
            space["main"]()
        return [line for line in capsys.readouterr().out.splitlines() if "INFO" not in line]

    @pytest.fixture
    def swapped(self):
        assert self.TEXT.count("import squidpy as sq\n") == 1
        return self.TEXT.replace("import squidpy as sq\n", "import eigenselect as sq\n")

    @staticmethod
    def spatial_neighbors(adata, *, coord_type, n_neighs):
        """Write what squidpy's function writes for places in general position: a directed graph, and its record."""
        assert coord_type == "generic"
        adata.obsp["spatial_connectivities"] = kneighbors_graph(adata.obsm["spatial"], n_neighs)
        adata.uns["spatial_neighbors"] = {
            "connectivities_key": "spatial_connectivities",
            "params": {"coord_type": coord_type, "n_neighbors": n_neighs, "radius": None},
        }

    def test_with_one_other_import(self, monkeypatch, swapped, capsys):
        pytest.importorskip("scanpy")
        only_a_graph = SimpleNamespace(spatial_neighbors=self.spatial_neighbors)
        monkeypatch.setitem(sys.modules, "squidpy", SimpleNamespace(gr=only_a_graph))
        self.check(self.printed(swapped, capsys))

    @staticmethod
    def check(lines):
        assert lines[0].startswith("SYNTHETIC slide: 400 spots")
        assert lines[1].count("follows") == 5
        by_norm, by_draws, found = map(int, re.search(r": (\d+) \(pval_norm\), (\d+) \(.*: (\d+)", lines[2]).groups())
        assert 20 <= found <= 24
        assert max(by_norm, by_draws) <= 20 + binom.isf(1e-4, 280, 0.05)  # noise has p <= 0.05 in one of twenty
        assert re.search(r"PCA of 2\d genes", lines[3])

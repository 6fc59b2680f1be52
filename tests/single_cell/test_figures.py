"""Figures are saved where scanpy's users look for them, shown where they can be, and handed back else."""

import sys
from types import SimpleNamespace

import matplotlib as mpl
import pytest

from eigenselect.single_cell.figures import finish

mpl.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture
def ax(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "scanpy", None)
    yield plt.subplots()[1]
    plt.close("all")


@pytest.fixture
def shown(monkeypatch):
    calls = []
    monkeypatch.setattr(plt, "show", lambda: calls.append(1))
    return calls


@pytest.mark.parametrize(
    ("save", "file"),
    [
        (True, "figures/qq_spectral.png"),
        ("_a.pdf", "figures/qq_spectral_a.pdf"),
        (".svg", "figures/qq_spectral.svg"),
        ("mine", "mine.png"),
        ("./new/mine.png", "new/mine.png"),
    ],
)
def test_saved(ax, tmp_path, save, file):
    assert finish(ax, "qq_spectral", show=False, save=save) is ax
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")] == [file]


def test_scanpys_folder_of_figures(ax, tmp_path, monkeypatch):
    settings = SimpleNamespace(figdir=tmp_path / "there", autoshow=True)
    monkeypatch.setitem(sys.modules, "scanpy", SimpleNamespace(settings=settings))
    finish(ax, "qq", show=False, save=True)
    assert (tmp_path / "there" / "qq.png").exists()


def test_shown_if_asked_for(ax, shown):
    assert finish([ax], "qq", show=True, save=None) is None
    assert finish([ax], "qq", show=False, save=None) == [ax]
    assert len(shown) == 1


def test_shown_by_default_where_there_is_a_screen(ax, shown, monkeypatch):
    assert finish(ax, "qq", show=None, save=None) is ax  # agg draws to files only
    monkeypatch.setattr(mpl, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    assert finish(ax, "qq", show=None, save=None) is None
    monkeypatch.setitem(sys.modules, "scanpy", SimpleNamespace(settings=SimpleNamespace(autoshow=False)))
    assert finish(ax, "qq", show=None, save=None) is ax
    assert len(shown) == 1

"""What tests of plots share: no window, and no figure that stays open."""

import matplotlib as mpl
import pytest

mpl.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def no_open_figures():
    yield
    plt.close("all")

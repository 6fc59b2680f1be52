"""What all pages of the gallery share: the order of the sections and one look of the figures.

``conf.py`` names both: ``subsection_order`` and ``reset_modules`` of sphinx-gallery. The scripts themselves import
nothing from here, so that a reader who downloads one can run it as it is.
"""

from __future__ import annotations

from typing import Any

#: folders of examples/gallery, in the order of the page
SECTIONS = (
    "first_steps",
    "without_labels",
    "with_labels",
    "few_labels",
    "outside_knowledge",
    "how_many_how_sure",
    "redundancy",
    "graphs",
    "single_cell",
    "big_tables",
    "scikit_learn",
    "theorem",
    "reports",
)
#: told apart also by readers who do not see red and green; the same as those of eigenselect.plot
COLOURS = ("#335dad", "#c97a23", "#007b57", "#872961", "#545803", "#797bff", "#ee3979", "#319ba8")


def set_style(gallery_conf: Any = None, file: Any = None) -> None:
    """Set matplotlib's settings; sphinx-gallery calls it before each script, after it has reset them."""
    import matplotlib.pyplot as plt
    from cycler import cycler

    plt.rcParams.update(
        {
            "font.size": 10.0,
            "axes.titlesize": 11.0,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": "#59636d",
            "axes.prop_cycle": cycler(color=COLOURS),
            "legend.frameon": False,
            "figure.figsize": (6.4, 4.4),
            "figure.constrained_layout.use": True,
        }
    )

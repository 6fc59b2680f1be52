r"""Pictures of the samples that came with the table: places on a slide, and maps that were made elsewhere.

A slide is drawn first where the graph of the scores is one of near places on it. That is seen from Geary's C of the
places p on the graph,

.. math:: C = \frac{\sum_{ij} S_{ij} \lVert p_i - p_j \rVert^2 / \sum_{ij} S_{ij}}
              {2 \cdot \frac{1}{n} \sum_i \lVert p_i - \bar p \rVert^2}

where S is the similarity: about 1 if edges join samples from anywhere, and the squared ratio of the length of an edge
to that of any pair of samples otherwise.

References
----------
.. [1] R. C. Geary (1954), "The contiguity ratio and statistical mapping", The Incorporated Statistician 5(3),
   doi:10.2307/2986645.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import Origin, SampleGraph
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.view_types import PicturesView, PlaneView

#: what the axes of maps are called
NAMES = {"spatial": "spatial", "X_umap": "UMAP", "X_tsne": "t-SNE", "X_pca": "PCA"}
#: the picture of our own
EIGENVECTORS = "eigenvectors"
#: Geary's C of the places below which edges are short: half as long as pairs of samples are
SHORT_EDGES = 0.25
#: steps that the width of a picture is rounded to
STEPS = 10_000
#: widths below this one are not rounded: a step of them is out of range
TINY = 1e-290


def pictures_view(fitted: Fitted, shown: IntArray) -> PicturesView:
    """Place the drawn samples in every map that came with the table, and say which picture is drawn first.

    The first is the slide where the graph of the scores is of near places on it, else UMAP, else our own eigenvectors.
    """
    planes = fitted.coordinates
    first = EIGENVECTORS
    if "X_umap" in planes:
        first = "X_umap"
    if "spatial" in planes and is_spatial(getattr(fitted.selector, "graph_", None), planes["spatial"]):
        first = "spatial"
    return {"first": first, "planes": [_plane_view(name, plane[shown]) for name, plane in planes.items()]}


def is_spatial(graph: SampleGraph | None, places: FloatArray) -> bool:
    """Tell whether the edges of a graph that was not made of the features are short on the slide.

    >>> line = np.column_stack([np.arange(9.0), np.zeros(9)])
    >>> S = np.eye(9, k=1) + np.eye(9, k=-1)
    >>> is_spatial(SampleGraph(S, origin=Origin.GIVEN), line), is_spatial(SampleGraph(S), line)
    (True, False)
    """
    if graph is None or graph.origin not in (Origin.GIVEN, Origin.ELSEWHERE) or graph.volume <= 0:
        return False
    width = float(np.ptp(places, axis=0).max(initial=0.0))
    if width <= 0:
        return False
    points = (places - places.min(axis=0)) / width  # sums of huge places are out of range
    points -= points.mean(axis=0)
    between = 2.0 * graph.energy(points, None).sum() / graph.volume
    return bool(between <= SHORT_EDGES * 2.0 * (points**2).sum() / len(points))


def _plane_view(name: str, plane: FloatArray) -> PlaneView:
    called = NAMES[name]
    return {
        "key": name,
        "name": "slide" if name == "spatial" else called,
        "axes": [f"{called} {number}" for number in (1, 2)],
        "spatial": name == "spatial",
        "sentence": _sentence(name),
        "coordinates": [_rounded(values) for values in plane.T],
    }


def _sentence(name: str) -> str:
    if name == "spatial":
        return (
            "Places on the slide, from the entry spatial of obsm: both directions have one scale, and the second "
            "coordinate runs downward, as the rows of an image do."
        )
    return (
        f"The entry {name} of obsm, made elsewhere, from all features that its maker used; whether these were chosen "
        "by the groups that are coloured is not known here, and how well it tells them apart is not tested."
    )


def _rounded(values: FloatArray) -> list[float]:
    """Measure from the smallest, in steps that a picture can show: a page with thousands of samples stays small."""
    width = float(np.ptp(values)) if values.size else 0.0
    if width <= 0:
        return [0.0] * len(values)
    if width < TINY:
        return (values - values.min()).tolist()
    step = 10.0 ** np.floor(np.log10(width / STEPS))
    digits: Any = max(0, int(-np.log10(step)))
    return [float(np.round(np.round(value / step) * step, digits)) for value in values - values.min()]

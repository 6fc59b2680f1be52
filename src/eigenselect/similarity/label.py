"""Similarity by class: samples of one class are alike, others are not."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenselect._labels import encode_classes
from eigenselect._typing import IntArray, Names
from eigenselect.graph import ClassMeans, Origin, SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.similarity.base import BaseSimilarity


class ClassLabels(BaseSimilarity, name="class_labels"):
    r"""The class-label similarity.

    .. math:: S_{ij} = 1/n_l \text{ if } y_i = y_j = l, \text{ else } 0

    where :math:`n_l` is the size of class l. All degrees are 1 and S projects a feature onto its class means, so it is
    applied in O(n) per feature and never formed. Every distinct value of y is a class, -1 too; numbers that are no
    classes (a continuous target, counts) are refused.

    See Also
    --------
    HitMiss : Near samples of the own and of other classes.
    eigenselect.FisherScore : The ranking on this similarity, in its own scale.

    References
    ----------
    Zhao and Liu (2007), Eq. 2, doi:10.1145/1273496.1273641; Zhao, PhD thesis, Arizona State University 2010, Eq. 3.13.

    Examples
    --------
    >>> from eigenselect.similarity import ClassLabels
    >>> ClassLabels().build(None, ["a", "b", "a"]).to_array()
    array([[0.5, 0. , 0.5],
           [0. , 1. , 0. ],
           [0.5, 0. , 0.5]])
    """

    requires_labels = True
    origin = Origin.LABELS

    def _graph(self, X: Matrix | None, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        codes, classes = encode_classes(y, owner, None if X is None else X.n_samples)
        return class_graph(codes, classes)


def class_graph(codes: IntArray, classes: Names) -> SampleGraph:
    """Make the class-label similarity of samples whose class numbers and names are known."""
    n_classes = len(classes)
    return SampleGraph(
        ClassMeans(codes, n_classes, classes),
        row_sums=np.ones(codes.size),
        components=codes,
        made_of_labels=True,
        origin=Origin.LABELS,
        description={"similarity": ClassLabels.__name__, "n_classes": n_classes},
    )

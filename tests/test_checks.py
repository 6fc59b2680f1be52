"""Bad parameters are refused in one sentence: the class that was called, the parameter, the value that it got."""

import re

import numpy as np
import pytest

import eigenselect as es
from eigenselect.selection import FDR, TopK
from eigenselect.similarity import KNN, RBF, Diffusion

NOT_POSITIVE_INTEGERS = (0, -1, True, np.True_, "2", None, np.nan)
NOT_POSITIVE_NUMBERS = (0, -1.0, np.inf, np.nan, True, "1", None)
#: how to make the selector with a value, the parameter, and values that are refused
BAD = {
    "integer": (lambda value: es.ReliefF(n_neighbors=value), "n_neighbors", (*NOT_POSITIVE_INTEGERS, 2.0)),
    "neighbours": (lambda value: es.SPEC(similarity=KNN(value)), "n_neighbors", (0, 2.5, 20, True, "7")),
    "integer or None": (lambda value: es.SPEC(ranking="phi3", n_clusters=value), "n_clusters", (0, 1.5, True, "all")),
    "positive number": (
        lambda value: es.SPEC(similarity=Diffusion(beta=value)), "beta", NOT_POSITIVE_NUMBERS
    ),
    "bandwidth": (
        lambda value: es.SPEC(similarity=RBF(value)), "bandwidth", (0, -1.0, np.inf, np.nan, "mean", None, True, [1.0])
    ),
    "share": (lambda value: es.LaplacianScore(FDR(value)), "alpha", (0, -0.1, 1.1, np.nan, "5%")),
    "number of features": (lambda value: es.Variance(TopK(value)), "", (0, -1, 1.5, True, "many")),
    "choice": (lambda value: es.ReliefF(difference=value), "difference", (7, "abs", ["squared"], None)),
    "choice or None": (lambda value: es.TraceRatio(scale=value), "scale", (3, "standard")),
    "threads": (lambda value: es.LaplacianScore(n_jobs=value), "n_jobs", (0, 1.5, "all", True)),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_bad_values_are_named(kind, rng):
    make, parameter, values = BAD[kind]
    X, y = rng.normal(size=(20, 5)), np.arange(20) % 2
    for value in values:
        selector = make(value)
        with pytest.raises((ValueError, TypeError)) as caught:
            selector.fit(X, y)
        assert parameter in str(caught.value), value
        assert re.search(re.escape(str(value)), str(caught.value)), value


def test_integers_and_numbers_of_numpy_are_taken(rng):
    X, y = rng.normal(size=(20, 5)), np.arange(20) % 2
    for selector in (
        es.ReliefF(np.int64(2), n_neighbors=np.int32(3)),
        es.SPEC(similarity=RBF(np.float32(0.5)), n_jobs=np.int64(1)),
        es.LaplacianScore(0.4, similarity=KNN(np.int64(19))),
    ):
        selector.fit(X, y)

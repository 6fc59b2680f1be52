"""The docstring of every estimator writes out what a fit sets, and nothing else."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest

import eigenselect
from eigenselect import multisource
from eigenselect.selectors.base import EVIDENCE

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(30, 6)), columns=list("abcdef"))
y = np.arange(30) % 2
few = np.where(np.arange(30) % 3 == 0, y, -1)
sources = [("x", multisource.TargetData()), ("classes", multisource.SampleCategories())]

#: parameters under which an estimator sets all that it can, and labels for them
FULL = {
    "SPEC": ({"ranking": "phi3"}, None),
    "TraceRatio": ({"graphs": "semi-supervised"}, few),
    "SSelect": ({"ranking": "phi3", "regularization": "auto"}, few),
    "MSFS": ({"sources": sources, "ranking": "phi3"}, y),
    "StabilitySelector": ({"estimator": eigenselect.FisherScore(2), "n_pairs": 3}, y),
    "KOGS": ({"rankers": [(None, eigenselect.FisherScore())]}, y),
}


def documented(estimator):
    """Names of the section "Attributes", also those that share a line."""
    text = re.search(r"Attributes\n-+\n(.*?)\n\n", inspect.getdoc(type(estimator)), re.DOTALL)[1]
    lines = [line for line in text.split("\n") if re.match(r"\S", line)]
    return {name.strip() for line in lines for name in line.split(" :")[0].split(",")}


def with_evidence(estimator):
    """Set what a fit with ``significance`` sets, which another test holds: here the graph is not always honest."""
    for key in EVIDENCE:
        setattr(estimator, key, np.zeros(6))


ESTIMATORS = sorted(
    name for name in eigenselect.__all__ if name[0].isupper() and hasattr(getattr(eigenselect, name), "fit")
)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
def test_attributes_are_written_out(name):
    parameters, labels = FULL.get(name, ({}, y))
    made = {"n_features_to_select": 2} if name != "StabilitySelector" else {}
    estimator = getattr(eigenselect, name)(**made, **parameters).fit(X, labels)
    if hasattr(estimator, "significance"):
        with_evidence(estimator)
    there = {key for owner in (estimator, type(estimator)) for key in vars(owner)}
    there = {key for key in there if key.endswith("_") and not key.startswith("_")}
    assert there == documented(estimator)

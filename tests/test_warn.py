"""Warnings point at the user's line, whichever way the library was reached."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.selectors.laplacian_score import laplacian_score


def with_a_constant_feature():
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[:, 2] = 7.0
    return X


CALLS = {
    "fit": lambda X: es.LaplacianScore(2).fit(X),
    "fit_transform": lambda X: es.LaplacianScore(2).fit_transform(X),
    "pipeline": lambda X: make_pipeline(StandardScaler(), es.LaplacianScore(2)).fit(X),
    "function": lambda X: laplacian_score(X),
}


@pytest.mark.parametrize("way", CALLS)
def test_a_warning_points_at_the_callers_line(way):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CALLS[way](with_a_constant_feature())
    (warning,) = caught
    assert warning.filename == __file__
    assert warning.lineno == inspect.getsourcelines(CALLS[way])[1]


def test_every_warning_of_the_package_goes_through_the_one_door():
    from pathlib import Path

    source = Path(es.__file__).parent
    direct = [p.name for p in source.rglob("*.py") if p.name != "_warn.py" and "warnings.warn(" in p.read_text("utf-8")]
    assert direct == []

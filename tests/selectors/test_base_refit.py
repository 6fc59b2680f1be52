"""A second fit of one object leaves nothing of the first, and touches nothing else."""

import pickle

import numpy as np
import pytest

from eigenselect import MRSF, SPEC, SSelect, TraceRatio

rng = np.random.default_rng(0)
X, y = rng.normal(size=(30, 6)), np.arange(30) % 2
few = np.where(np.arange(30) % 3 == 0, y, -1)


@pytest.mark.parametrize(
    ("selector", "other", "gone"),
    [
        (SPEC(ranking="phi3"), {"ranking": "phi2"}, ["eigenvalues_", "n_clusters_"]),
        (MRSF(2), {"target": "pca"}, ["graph_"]),
        (TraceRatio(graphs="semi-supervised"), {"graphs": "fisher"}, ["n_labelled_"]),
        (SSelect(2, regularization="auto"), {"regularization": 0.5}, ["cut_values_", "regularization_path_"]),
    ],
)
@pytest.mark.filterwarnings("ignore::eigenselect.exceptions.GraphWarning")
def test_attributes_of_an_earlier_fit_go_also_after_unpickling(selector, other, gone):
    selector.fit(X, few)
    for fitted in (pickle.loads(pickle.dumps(selector)), selector):
        assert all(hasattr(fitted, name) for name in gone)
        fitted.set_params(**other).fit(X, y)
        assert not any(hasattr(fitted, name) for name in gone)


def test_an_attribute_of_the_user_stays():
    selector = SPEC().fit(X)
    selector.note_ = "of the user"
    assert selector.fit(X).note_ == "of the user"

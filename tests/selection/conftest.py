"""A table of features in one unit."""

import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y

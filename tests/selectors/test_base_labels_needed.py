"""A fit without labels is told which ones are missing."""

import numpy as np
import pytest

from eigenselect import FisherScore, HSICScore, ReliefF

X = np.random.default_rng(0).normal(size=(20, 4))


@pytest.mark.parametrize(
    ("selector", "needed"),
    [
        (ReliefF(), "classes or numbers"),
        (ReliefF(target="classes"), "one label per sample"),
        (ReliefF(target="numbers"), "numbers"),
        (HSICScore(), "classes or numbers"),
        (HSICScore(target="numbers"), "numbers"),
        (HSICScore(target_kernel="labels"), "one label per sample"),
        (HSICScore(target_kernel="rbf"), "numbers"),
        (FisherScore(), "one label per sample"),
    ],
)
def test_the_error_says_what_y_must_hold(selector, needed):
    with pytest.raises(ValueError, match=rf"call fit\(X, y\) with {needed}\.$"):
        selector.fit(X)

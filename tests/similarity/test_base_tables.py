"""A similarity is built of any table of samples and features, and refuses what is none in one sentence."""

import numpy as np
import pytest

from eigenselect.similarity import KNN, RBF, ClassLabels


@pytest.mark.parametrize("similarity", [KNN(1), RBF(), ClassLabels()])
@pytest.mark.parametrize("shape", [(6,), (1, 3, 2)])
def test_tables_have_two_dimensions(similarity, shape):
    who = type(similarity).__name__
    with pytest.raises(ValueError, match=rf"{who}: expected a table of samples and features, got shape \({shape[0]},"):
        similarity.build(np.arange(6.0).reshape(shape), [0, 1] * 3)

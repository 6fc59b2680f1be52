"""A wrong number of threads is refused, also where a table is too small to be shared among any."""

import numpy as np
import pytest

from eigenselect import MRSF
from eigenselect.multivariate import l21_path


@pytest.mark.parametrize("n_jobs", [0, 1.5, "x", True])
def test_bad_numbers_of_threads(rng, n_jobs):
    X = rng.normal(size=(12, 4))
    with pytest.raises(ValueError, match="n_jobs must be None or a non-zero integer"):
        l21_path(X, X[:, 0], 2, n_jobs=n_jobs)
    with pytest.raises(ValueError, match="n_jobs must be None or a non-zero integer"):
        MRSF(2, n_jobs=n_jobs).fit(X, similarity_matrix=np.abs(X @ X.T))

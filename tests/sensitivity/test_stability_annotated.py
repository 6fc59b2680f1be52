"""Stability of rankings of an AnnData: that of its matrix, in memory and in a file."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

pytest.importorskip("anndata", reason="anndata is not installed")

from backed import LAYOUTS, annotated, as_if_large, counts, in_file
from eigenselect import FisherScore, LaplacianScore
from eigenselect.sensitivity import ranking_stability

X, Y = counts(40, 8)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_numbers_of_the_matrix(tmp_path, monkeypatch, layout):
    values = LAYOUTS[layout](X)
    expected = ranking_stability(LaplacianScore(3), values, n_repeats=4, random_state=0)
    there = in_file(tmp_path / "x.h5ad", values)
    as_if_large(monkeypatch)
    for adata in (annotated(values), there):
        found = ranking_stability(LaplacianScore(3), adata, n_repeats=4, random_state=0)
        np.testing.assert_array_equal(found.rankings, expected.rankings)
        assert list(found.feature_names) == list(adata.var_names)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_noise_is_for_dense_tables():
    found, expected = (
        ranking_stability(FisherScore(3), table, Y, n_repeats=3, perturbation="noise", random_state=0)
        for table in (annotated(X), X)
    )
    np.testing.assert_array_equal(found.rankings, expected.rankings)
    with pytest.raises(ValueError, match="noise would fill a sparse table"):
        ranking_stability(FisherScore(3), annotated(sparse.csr_matrix(X)), Y, perturbation="noise")


def test_labels_in_another_order_are_refused():
    adata = annotated(X)
    with pytest.raises(ValueError, match="^ranking_stability: y must have the samples of X in the same order"):
        ranking_stability(FisherScore(3), adata, pd.Series(Y, index=adata.obs_names)[::-1])

"""Curves, subsets, copies and stability of an AnnData: those of its matrix, in memory and in a file."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

pytest.importorskip("anndata", reason="anndata is not installed")

from backed import LAYOUTS, annotated, as_if_large, counts, in_file
from eigenselect import FisherScore, LaplacianScore
from eigenselect.evaluation import accuracy_curves, near_copies, redundancy_rate, subset_accuracies
from eigenselect.sensitivity import ranking_stability

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
X, Y = counts(60, 8)
METHODS = {"laplacian": LaplacianScore(), "scaled": make_pipeline(MaxAbsScaler(), FisherScore())}
STABILITY = {"n_repeats": 3, "random_state": 0}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_curves_and_rankings(tmp_path, monkeypatch, layout):
    values = LAYOUTS[layout](X)
    expected = accuracy_curves(METHODS, values, Y, [1, 3], n_splits=3).accuracies
    rankings = ranking_stability(LaplacianScore(3), values, **STABILITY).rankings
    assert (expected > 0.5).any()
    there = in_file(tmp_path / "x.h5ad", values)
    np.testing.assert_array_equal(accuracy_curves(METHODS, there, Y, [1, 3], n_splits=3).accuracies, expected)
    as_if_large(monkeypatch)
    for adata in (annotated(values), there):
        np.testing.assert_array_equal(accuracy_curves(METHODS, adata, Y, [1, 3], n_splits=3).accuracies, expected)
        found = ranking_stability(LaplacianScore(3), adata, **STABILITY)
        np.testing.assert_array_equal(found.rankings, rankings)
        assert list(found.feature_names) == list(adata.var_names)


def test_labels_in_another_order_and_noise_of_sparse_tables_are_refused():
    adata, noise = annotated(X), STABILITY | {"perturbation": "noise"}
    found, expected = (ranking_stability(FisherScore(3), table, Y, **noise) for table in (adata, X))
    np.testing.assert_array_equal(found.rankings, expected.rankings)
    with pytest.raises(ValueError, match="sparse table"):
        ranking_stability(FisherScore(3), annotated(sparse.csr_matrix(X)), Y, perturbation="noise")
    labels = pd.Series(Y, index=adata.obs_names)[::-1]
    with pytest.raises(ValueError, match=r"^accuracy_curves: y .*same order"):
        accuracy_curves({"laplacian": LaplacianScore()}, adata, labels, [1])
    with pytest.raises(ValueError, match=r"^ranking_stability: y .*same order"):
        ranking_stability(FisherScore(3), adata, labels)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_subsets_and_copies(tmp_path, monkeypatch, layout):
    as_if_large(monkeypatch)
    values = LAYOUTS[layout](X)
    there, train, test = in_file(tmp_path / "x.h5ad", values), np.arange(40), np.arange(40, 60)
    found, expected = (subset_accuracies([[7, 6], [0]], table, Y, train, test) for table in (there, values))
    assert found == expected
    assert redundancy_rate(there[:, [0, 1, 2]]) == redundancy_rate(X[:, :3])
    copies = [near_copies(table, [7, 1], threshold=0.1) for table in (there, values)]
    for mine, theirs in zip(*copies, strict=True):
        assert (mine.name, mine.feature) == (there.var_names[theirs.feature], theirs.feature)
        np.testing.assert_array_equal(mine.copies, theirs.copies)

"""Agreement of cluster indicators with a few labels."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import normalized_mutual_info_score

from eigenselect.criteria.quadratic import PowerForm, feature_terms
from eigenselect.graph import SampleGraph
from eigenselect.semisupervised import label_agreement as label_agreement_module
from eigenselect.semisupervised.label_agreement import (
    PartialLabels,
    indicator_levels,
    label_agreement,
    normalized_mutual_information,
)


class TestLevels:
    def test_a_value_at_the_mean_counts_as_above_whatever_the_rounding(self):
        for noise in (-1e-16, 0.0, 1e-16):
            assert indicator_levels(np.array([[0.1 + noise]]), np.array([0.1]), np.array([0.5]), 2) == 1


class TestInformation:
    def test_information_against_scikit_learn(self, rng):
        first, second = rng.integers(0, 4, size=(2, 50))
        counts = np.zeros((4, 4, 1))
        np.add.at(counts, (first, second, 0), 1)
        expected = normalized_mutual_info_score(first, second, average_method="max")
        assert normalized_mutual_information(counts)[0] == pytest.approx(expected, abs=1e-11)

    def test_equal_tables_tie_in_any_order_of_classes(self, rng):
        counts = rng.integers(0, 9, size=(2, 6)).astype(float)
        orders = np.stack([counts[:, rng.permutation(6)] for _ in range(200)], axis=2)
        assert np.unique(normalized_mutual_information(orders)).size == 1

    def test_a_constant_side_agrees_with_nothing(self):
        assert normalized_mutual_information(np.array([[[3.0], [4.0]], [[0.0], [0.0]]]))[0] == 0.0
        assert normalized_mutual_information(np.array([[[7.0]]]))[0] == 0.0


class TestFeatures:
    @pytest.fixture
    def graph(self, make_similarity):
        return SampleGraph(sparse.csr_array(make_similarity(30)))

    @pytest.fixture
    def labels(self, rng):
        rows = rng.permutation(30)[:14]
        return PartialLabels(rows, np.arange(14) % 3)

    @pytest.mark.parametrize("n_levels", [2, 3, 4])
    def test_nmi_of_the_levels_of_labelled_samples(self, rng, graph, labels, n_levels, monkeypatch):
        """Cuts lie one deviation apart around the mean of all samples, in the inner product of the graph."""
        monkeypatch.setattr(label_agreement_module, "BLOCK_VALUES", 40)  # blocks of two features
        X = rng.normal(size=(30, 7)) * (rng.random((30, 7)) < 0.8)
        d, expected = graph.degrees, []
        for f in X.T:
            g = f - d @ f / d.sum()
            deviation = np.sqrt(d @ g**2 / d.sum())
            levels = np.digitize(g[labels.rows], [(k - n_levels / 2) * deviation for k in range(1, n_levels)])
            expected.append(normalized_mutual_info_score(labels.codes, levels, average_method="max"))
        terms = feature_terms(X, graph, PowerForm(1))
        for store in (np.asarray, sparse.csr_array, sparse.csc_array):
            found = label_agreement(store(X), terms, labels, n_levels=n_levels)
            np.testing.assert_allclose(found, expected, atol=1e-10)

    def test_features_of_any_unit_agree_alike(self, rng, graph, labels):
        X = rng.normal(size=(30, 4))
        terms, huge = (feature_terms(unit * X, graph, PowerForm(1)) for unit in (1.0, 1e90))
        found = label_agreement(1e90 * X, huge, labels)
        np.testing.assert_array_equal(found, label_agreement(X, terms, labels))

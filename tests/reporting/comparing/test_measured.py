"""What is measured of one method beside others: shares and correlations, also of permuted labels, by the formula."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest, f_classif

import eigenselect as es
from eigenselect.evaluation import AccuracyCurves, redundancy_rate
from eigenselect.reporting import compare
from eigenselect.reporting.comparing.measured import by_size, measure, near_best
from eigenselect.reporting.comparing.permuted import permuted_labels


@pytest.fixture(scope="module")
def pair(two_groups):
    X, y = two_groups
    selectors = {"fisher": es.FisherScore(), "relieff": es.ReliefF(), "laplacian": es.LaplacianScore()}
    return X, y, selectors, compare(selectors, X, y, n_features=6, sizes=[6]).summary["methods"]


def test_permuted_shares_and_correlations_are_means_over_fits_with_permuted_labels(pair):
    X, y, selectors, methods = pair
    for one, other in (("fisher", "relieff"), ("relieff", "laplacian")):
        shares, correlations = [], []
        for labels in permuted_labels(y, 0):
            ranks = [selectors[name].fit(X, labels).ranking_ for name in (one, other)]
            shares.append(((ranks[0] <= 6) & (ranks[1] <= 6)).sum() / 6)
            correlations.append(pd.Series(ranks[0]).corr(pd.Series(ranks[1]), "spearman"))
        assert methods[one]["shared_permuted"][other] == pytest.approx(np.mean(shares))
        assert methods[one]["agreement_permuted"][other] == pytest.approx(np.mean(correlations))


def test_who_uses_labels_is_known_from_what_it_does(pair):
    assert {name: facts["uses_labels"] for name, facts in pair[3].items()} == {
        "fisher": True,
        "relieff": True,
        "laplacian": False,
    }


def test_signal_is_beyond_permuted_labels(pair):
    assert pair[3]["fisher"]["beyond_permuted"] == {"6": True}


def test_one_method_alone(two_groups):
    X, y = two_groups
    found = measure(es.FisherScore(), X, y, 4, 0, None)
    assert found.kept.sum() == 4
    assert set(np.flatnonzero(found.kept)) == set(found.chosen)
    assert found.redundancy == pytest.approx(redundancy_rate(X[:, found.chosen]))
    assert found.warnings == []


def test_a_share_is_of_the_first_selection_where_sizes_differ(two_groups):
    """MRSF-like: one keeps two features, the other six."""
    X, y = two_groups
    selectors = {"two": SelectKBest(f_classif, k=2), "six": es.FisherScore()}

    class Two(SelectKBest):
        """Selects two features and orders no others."""

        scores_ = property(lambda self: np.where(self.few, self.all_scores, np.nan))

        def fit(self, X, y):
            self.all_scores = f_classif(X, y)[0]
            self.few = self.all_scores >= np.sort(self.all_scores)[-2]
            self.n_features_in_ = X.shape[1]
            self.pvalues_ = None
            return self

    selectors["two"] = Two(k=2)
    methods = compare(selectors, X, y, n_features=6, sizes=[2]).summary["methods"]
    assert methods["two"]["shared"]["six"] == 1.0
    assert methods["six"]["shared"]["two"] == pytest.approx(2 / 6)


def test_sizes_are_names():
    curves = AccuracyCurves(
        ["a", "b"], np.array([2, 5]), np.array([[[0.9, 0.9], [0.5, 0.7]], [[0.8, 0.8], [0.6, 0.6]]]), 0.5
    )
    assert by_size(curves, np.array([0.1, 0.2])) == {"2": 0.1, "5": 0.2}
    assert near_best(curves) == {"2": ["a"], "5": ["a", "b"]}

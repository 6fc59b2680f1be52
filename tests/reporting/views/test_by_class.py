"""What a class adds to a feature's score, beside what shuffled values leave it."""

import numpy as np
import pytest

import eigenselect as es
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.views import by_class
from eigenselect.reporting.views.by_class import by_class_view, shuffled_shares


def view_of(selector, X, y):
    fitted = Fitted(selector.fit(X, y), X, y, [f"x{j}" for j in range(X.shape[1])])
    return by_class_view(fitted, selector.ranking_.argsort())


def test_shares_are_those_of_explain_best_first(two_groups):
    X, y = two_groups
    selector = es.FisherScore(5)
    view = view_of(selector, X, y)
    assert view["names"] == ["left", "right"]
    assert view["sizes"] == [30, 30]
    for column, between, means in zip(selector.ranking_.argsort(), view["between"], view["means"], strict=True):
        terms = selector.explain(X, column).classes
        np.testing.assert_allclose(between, terms.between, rtol=1e-12)
        np.testing.assert_allclose(means, [X[y == name, column].mean() for name in ("left", "right")], atol=1e-12)
        F = selector.native_scores_[column]
        assert sum(between) == pytest.approx(F / (1 + F))


def test_shuffled_values_leave_what_is_expected():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [5, 10, 25])
    values = rng.gamma(1.0, size=40)
    shuffled = np.stack([rng.permutation(values) for _ in range(4000)], axis=1)
    gaps = np.stack([shuffled[y == code].mean(axis=0) for code in range(3)]) - values.mean()
    sizes = np.bincount(y).astype(float)
    shares = sizes[:, None] * gaps**2 / ((values - values.mean()) ** 2).sum()
    spread = shares.std(axis=1) / np.sqrt(4000)
    assert (np.abs(shares.mean(axis=1) - shuffled_shares(sizes)) < 4 * spread).all()


def test_a_constant_feature_has_no_shares(two_groups):
    X, y = two_groups[0][:, :4].copy(), two_groups[1]
    X[:, 1] = 7.0
    with pytest.warns(es.exceptions.UndefinedScoreWarning):
        view = view_of(es.FisherScore(2), X, y)
    assert [row is None for row in view["between"]] == [False, False, False, True]
    assert view["means"][-1] is None


def test_none_where_scores_are_not_made_of_classes(two_groups, monkeypatch):
    X, y = two_groups
    assert view_of(es.LaplacianScore(3), X, None) is None
    assert view_of(es.ReliefF(3), X, y) is None
    monkeypatch.setattr(by_class, "MOST_CLASSES", 1)
    assert view_of(es.FisherScore(3), X, y) is None


def test_none_where_covariates_were_taken_out(two_groups):
    X, y = two_groups
    age = np.random.default_rng(1).normal(size=60)
    selector = es.FisherScore(3).fit(X, y, covariates=age)
    fitted = Fitted(selector, X, y, [f"x{j}" for j in range(40)])
    assert by_class_view(fitted, selector.ranking_.argsort()) is None


def test_only_the_best_are_split():
    X = np.random.default_rng(0).normal(size=(20, by_class.SHOWN_FEATURES + 9))
    view = view_of(es.FisherScore(3), X, np.repeat(["a", "b"], 10))
    assert len(view["between"]) == len(view["means"]) == by_class.SHOWN_FEATURES

"""``to_frame`` of fitted selectors and reports: one row per feature, best first."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import scale

import eigenselect as es
from eigenselect.reporting import compare

COLUMNS = ["rank", "feature", "column", "score", "native_score", "selected"]
X, Y = load_wine(return_X_y=True, as_frame=True)
X = X.apply(scale)


@pytest.mark.parametrize(
    ("selector", "own"),
    [
        (es.LaplacianScore(3), []),
        (es.FisherScore(3), []),
        (es.MRSF(3, target="lda"), []),
        (es.Variance(3), []),
        (es.MultiscaleSPEC(3), ["best_scale"]),
        (es.KOGS(3, rankers=[(None, es.FisherScore()), (None, es.ReliefF())]), []),
        (es.StabilitySelector(es.FisherScore(3), n_pairs=3), ["frequency"]),
    ],
)
def test_the_attributes_best_first(selector, own):
    with pytest.raises(NotFittedError):
        selector.to_frame()
    frame = selector.fit(X, Y).to_frame()
    assert frame.columns.tolist() == COLUMNS + own
    assert frame.index.tolist() == list(range(13))
    order = np.argsort(selector.ranking_)
    assert frame["rank"].dropna().tolist() == list(range(1, selector.n_ordered_ + 1))
    assert frame["feature"].tolist() == X.columns[order].tolist()
    assert frame["column"].tolist() == order.tolist()
    np.testing.assert_array_equal(frame["score"], selector.scores_[order])
    np.testing.assert_array_equal(frame["native_score"], selector.native_scores_[order])
    np.testing.assert_array_equal(frame["selected"], selector.get_support()[order])


def test_the_columns_of_single_methods():
    many = es.MultiscaleSPEC(3).fit(X)
    np.testing.assert_array_equal(many.to_frame().sort_values("column")["best_scale"], many.best_scale_)
    stable = es.StabilitySelector(es.FisherScore(3), n_pairs=3).fit(X, Y)
    np.testing.assert_array_equal(stable.to_frame().sort_values("column")["frequency"], stable.frequencies_)


def test_evidence_and_numbers_for_names():
    selector = es.FisherScore(3, significance=True).fit(X.to_numpy(), Y)
    frame = selector.to_frame()
    assert frame.columns.tolist() == [*COLUMNS[:5], "pvalue", "qvalue", "selected"]
    assert frame["feature"].tolist() == frame["column"].tolist()
    np.testing.assert_array_equal(frame["qvalue"], selector.qvalues_[frame["column"]])


def test_the_report_has_the_same_and_what_refits_say():
    selector = es.MRSF(3, target="lda").fit(X, Y)
    frame = es.report(selector, X, Y).to_frame()
    pd.testing.assert_frame_equal(frame[COLUMNS], selector.to_frame(), check_column_type=False)
    assert frame.columns.tolist() == [*COLUMNS, "stability", "group"]
    assert frame["stability"].between(0, 1).all()
    tested = es.FisherScore(3, significance=True).fit(X.assign(copy=X["ash"]), Y)
    frame = es.report(tested, X.assign(copy=X["ash"]), Y, evaluation=False).to_frame()
    pd.testing.assert_frame_equal(frame.drop(columns="group"), tested.to_frame(), check_dtype=False)
    assert frame.loc[frame["group"] > 0, "feature"].tolist() == ["ash", "copy"]


def test_a_comparison_has_the_ranks_by_each_method():
    made = compare({"fisher": es.FisherScore(3), "variance": es.Variance(3)}, X, Y, n_features=3)
    frame = made.to_frame()
    assert frame.columns.tolist() == ["feature", "fisher", "variance"]
    ranks = frame.set_index("feature").loc[X.columns, "fisher"]
    assert ranks.tolist() == es.FisherScore().fit(X, Y).ranking_.tolist()

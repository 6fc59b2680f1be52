"""What y means is decided in one place: classes, numbers, samples without a label."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from eigenselect import MRSF, MSFS, SPEC, FisherScore, HSICScore, ReliefF, SSelect, TraceRatio
from eigenselect._labels import (
    FEW,
    Labels,
    class_strata,
    encode_classes,
    kind_of_target,
    label_array,
    labelled_samples,
    learning_labels,
    numeric_target,
    read_labels,
    strata_of,
)
from eigenselect.multisource import SampleCategories, TargetData
from eigenselect.similarity import ClassLabels, HitMiss

MISSING = (None, np.nan, pd.NA, pd.NaT, float("nan"))


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


def looks_like_numbers(y):
    return bool(read_labels(y, "test").numbers_seen)


class TestClassesOrNumbers:
    @pytest.mark.parametrize(
        "y",
        [
            pytest.param(np.repeat(np.arange(40), 10), id="AT&T faces: 40 classes of 10"),
            pytest.param(np.repeat(np.arange(40), 2), id="pairs"),
            pytest.param(np.repeat(np.arange(1, 41), 1 + np.arange(40) % 2), id="numbered from 1"),
            pytest.param(np.repeat(np.arange(20), 600), id="20 newsgroups"),
            pytest.param(np.repeat([101, 102, 205], 5), id="class ids"),
            pytest.param(np.repeat(1000 + 7 * np.arange(50), 4), id="many class ids"),
            pytest.param(np.repeat([-1.0, 1.0], 31), id="colon, as floats"),
            pytest.param(np.array([True, False] * 5), id="booleans"),
            pytest.param(np.array([f"{v:.1f}" for v in np.linspace(0, 1, 30)] * 2), id="numbers as text"),
            pytest.param(pd.Series(np.linspace(0, 1, 30).tolist() * 2, dtype="category"), id="a category"),
            pytest.param([3, 1, 3, 2], id="few samples"),
            pytest.param([1, 2], id="two samples"),
            pytest.param(["a", 1, 2.5], id="mixed"),
        ],
    )
    def test_these_are_classes(self, y):
        assert not looks_like_numbers(y)

    @pytest.mark.parametrize(
        "y",
        [
            pytest.param(load_diabetes().target, id="diabetes"),
            pytest.param(load_diabetes(scaled=False).data[:, 0], id="ages of diabetes"),
            pytest.param(load_diabetes().target.astype(int).tolist(), id="a list"),
            pytest.param(pd.Series(load_diabetes().target).astype("Int64"), id="a nullable series"),
            pytest.param(np.append(load_diabetes().target, np.nan), id="with a missing one"),
            pytest.param([0.5, 1.0, 0.5, 1.0], id="fractions, each twice"),
            pytest.param(np.arange(30), id="none repeats"),
        ],
    )
    def test_these_are_numbers(self, y):
        assert looks_like_numbers(y)

    def test_few_different_numbers_are_classes_as_soon_as_one_repeats(self):
        assert looks_like_numbers(10 * np.arange(FEW))
        assert not looks_like_numbers([*10 * np.arange(FEW), 0])
        assert looks_like_numbers([*10 * np.arange(FEW + 1), 0])

    @pytest.mark.parametrize(
        "selector",
        [
            FisherScore(),
            TraceRatio(),
            TraceRatio(graphs="semi-supervised"),
            SSelect(),
            MRSF(target="lda"),
            MRSF(target="svm"),
            SPEC(similarity="class_labels"),
            SPEC(similarity=HitMiss()),
            MSFS(sources=[("t", TargetData()), ("u", TargetData("knn"))], weights="alignment"),
        ],
        ids=str,
    )
    def test_whole_number_targets_are_no_classes(self, selector, diabetes):
        X, y = diabetes
        name = type(selector).__name__
        with pytest.raises(ValueError, match=rf"^{name}.*: y .*214 different"):
            selector.fit(X, y)

    def test_relieff_and_hsic_take_them_for_numbers(self, diabetes):
        X, y = diabetes
        for given, asked in ((ReliefF(), ReliefF(target="numbers")), (HSICScore(), HSICScore(target_kernel="rbf"))):
            assert given.fit(X, y).target_kind_ == "numbers"
            np.testing.assert_array_equal(given.scores_, asked.fit(X, y).scores_)
            # halves are fractions: the same target in another unit is ranked alike
            np.testing.assert_array_equal(given.ranking_, given.fit(X, y / 2).ranking_)

    @pytest.mark.filterwarnings("ignore:ReliefF. .* class.* fewer:UserWarning")
    def test_text_is_always_a_set_of_classes(self, diabetes):
        X, y = diabetes
        text = y.astype(int).astype(str)
        np.testing.assert_array_equal(
            HSICScore().fit(X, text).scores_, HSICScore(target_kernel="labels").fit(X, y).scores_
        )
        np.testing.assert_array_equal(ReliefF().fit(X, text).scores_, ReliefF(target="classes").fit(X, y).scores_)
        assert FisherScore().fit(X, text).graph_.n_components == 214

    def test_the_two_ways_to_say_it_must_agree(self, diabetes):
        for kernel, target in (("labels", "numbers"), ("linear", "classes")):
            with pytest.raises(ValueError, match=f"{kernel}.*{target}"):
                HSICScore(target_kernel=kernel, target=target).fit(*diabetes)
        for selector in (ReliefF(target="number"), HSICScore(target="number")):
            with pytest.raises(ValueError, match="got 'number'"):
                selector.fit(*diabetes)

    def test_dates_are_neither(self):
        with pytest.raises(ValueError, match="FisherScore: .*dates"):
            FisherScore().fit(np.eye(4), pd.date_range("2020", periods=4))

    def test_numbers_where_numbers_are_needed(self):
        np.testing.assert_allclose(numeric_target([1, 2, 6], 3, "t"), [-2, -1, 3])
        np.testing.assert_allclose(numeric_target([True, False], 2, "t"), [0.5, -0.5])
        for y, says in (
            (["a", "b", "c"], "must be numeric"),
            ([1, None, 2], "missing labels, got 1"),
            ([4, 4, 4], "at least 2 .*got 4"),
            ([1, 2], "with 3 labels"),
            (None, "requires y"),
        ):
            with pytest.raises(ValueError, match=says):
                numeric_target(y, 3, "t")

    def test_two_values_far_apart_as_numbers(self, rng):
        """Every neighbour has the same target: the share that differs is 0 of 0, which weighs nothing."""
        X = rng.normal(size=(40, 3)) + 100 * np.repeat([0, 1], 20)[:, None]
        scores = ReliefF(target="numbers", n_neighbors=3).fit(X, np.repeat([0, 1], 20)).scores_
        assert np.isfinite(scores).all()


class TestUnlabelled:
    @pytest.mark.parametrize("missing", MISSING, ids=repr)
    @pytest.mark.parametrize("classes", [(0, 1), ("a", "b"), (0.0, 1.0), (True, False)], ids=str)
    @pytest.mark.parametrize("container", [list, pd.Series, lambda y: np.array(y, dtype=object)])
    def test_missing_is_always_unlabelled(self, missing, classes, container):
        y = container([classes[0], missing, classes[1], classes[0]])
        rows, codes, found = labelled_samples(y, "t", 4)
        np.testing.assert_array_equal(rows, [0, 2, 3])
        assert [found[code] for code in codes] == [classes[0], classes[1], classes[0]]
        with pytest.raises(ValueError, match="t: .*missing labels, got 1"):
            encode_classes(y, "t", 4)

    @pytest.mark.parametrize(
        "y",
        [
            np.array([0, -1, 1, 0]),
            [0.0, -1.0, 1.0, 0.0],
            pd.Series([0, -1, 1, 0], dtype="Int64"),
            np.array([0, -1, 1, 0], dtype=object),
        ],
        ids=lambda y: type(y).__name__,
    )
    def test_minus_one_is_unlabelled_where_two_other_classes_remain(self, y):
        np.testing.assert_array_equal(labelled_samples(y, "t", 4).rows, [0, 2, 3])
        assert len(encode_classes(y, "t", 4)[1]) == 3  # and a class where every sample needs one

    @pytest.mark.parametrize(
        ("y", "why"),
        [
            ([-1, 1, -1, 1], "fewer than 2"),
            ([-1, -1, -1, -1], "fewer than 2"),
            ([-1, 1, np.nan, 1], "fewer than 2"),
            ([-1, "a", "b", "a"], "y is not numeric"),
            ([-1, True, False, True], "y is not numeric"),
            (pd.Series([-1, 1, 0, 1], dtype="category"), "y is not numeric"),
        ],
    )
    def test_elsewhere_it_is_a_class_and_that_is_said_once(self, y, why):
        with pytest.warns(UserWarning, match=f"t: -1 .*{why}") as said:
            found = labelled_samples(y, "t", 4)
        assert len(said) == 1
        assert -1 in list(found.classes)
        assert found.rows.size == int((~pd.isna(np.array(y, dtype=object))).sum())

    def test_the_text_minus_one_is_a_class(self):
        assert list(labelled_samples(["-1", "1", "2", "1"], "t", 4).classes) == ["-1", "1", "2"]

    def test_colon_has_two_classes(self, rng):
        """-1 and 1, as published: both are classes, for every method."""
        X, y = rng.normal(size=(40, 6)), np.repeat([-1, 1], 20)
        expected = FisherScore().fit(X, y).scores_
        np.testing.assert_array_equal(expected, FisherScore().fit(X, y + 1).scores_)
        with pytest.warns(UserWarning, match="SSelect: -1"):
            fitted = SSelect().fit(X, y)
        assert fitted.n_labelled_ == 40
        np.testing.assert_array_equal(fitted.scores_, SSelect().fit(X, y + 1).scores_)
        with pytest.warns(UserWarning, match="TraceRatio: -1"):
            ratio = TraceRatio(2, graphs="semi-supervised").fit(X, y)
        assert ratio.n_labelled_ == 40

    @pytest.mark.filterwarnings("ignore:.*falls apart into 2 components")  # the two classes, far from each other
    @pytest.mark.parametrize("weights", ["discriminant", "alignment"])
    def test_learned_weights_are_the_same_for_every_way_to_say_unlabelled(self, rng, weights):
        truth = np.repeat([0, 1], 20)
        X = rng.normal(size=(40, 5)) + 3 * truth[:, None]
        sources = [("t", TargetData()), ("c", SampleCategories(rng.integers(0, 2, 40)))]
        known = np.arange(40) % 3 > 0
        numbers = np.where(known, truth, -1)
        text = pd.Series(truth).map({0: "a", 1: "b"}).where(known, None)
        found = [
            MSFS(sources=sources, weights=weights).fit(X, y).weights_
            for y in (numbers, np.where(known, truth, np.nan), text, text.astype("category"))
        ]
        for other in found[1:]:
            np.testing.assert_allclose(other, found[0], atol=1e-10)
        with pytest.raises(ValueError, match=r"MSFS.* at least 2 classes"):
            MSFS(sources=sources, weights=weights).fit(X, np.where(truth, np.nan, 3.0))

    def test_strata_put_all_unlabelled_samples_together(self):
        y = np.array([0, 0, 1, 1, -1, np.nan, None, -1], dtype=object)
        np.testing.assert_array_equal(strata_of(y, 4), [0, 0, 1, 1, 2, 2, 2, 2])
        assert strata_of([0, 0, 1], 3) is None
        np.testing.assert_array_equal(class_strata(["b", "b", "a", None]), [0, 0, 1, 2])
        assert class_strata(np.linspace(0, 1, 8)) is None
        assert strata_of(np.repeat([0, 1, 2], 2), 2) is None
        assert strata_of(np.repeat(np.linspace(0, 1, 4), 2), 8) is None

    def test_learning_needs_two_labels_of_a_class(self):
        with pytest.raises(ValueError, match="fewer classes"):
            learning_labels(["a", "b", None], "t", 3)


def test_what_is_no_label_of_each_sample_is_told_what_to_give(rng):
    X = rng.normal(size=(6, 3))
    for y, says in (([0, 1, 0, 1], "each sample"), (np.eye(6), "each sample"), ("kind", "labels themselves")):
        with pytest.raises(ValueError, match=f"FisherScore: .*{says}"):
            FisherScore().fit(X, y)


def test_containers_say_the_same(rng):
    y = ["b", "a", "b", "c"]
    kinds = [y, tuple(y), np.array(y), np.array(y)[:, None], pd.Series(y), pd.DataFrame({"y": y}), pd.Index(y)]
    for labels in (*kinds, pd.Series(y, dtype="category"), pd.Categorical(y), pd.Series(y, dtype="string")):
        codes, classes = encode_classes(labels, "t", 4)
        assert [classes[code] for code in codes] == y
    assert kind_of_target(pd.Series([1, 2, 3], dtype="category"), "auto", "t", 3) == "classes"
    assert list(label_array(pd.Series([1, None, 3], dtype="category"), "t"))[::2] == ["1.0", "3.0"]
    with pytest.raises(ValueError, match="1-dimensional"):
        read_labels(np.eye(3), "t")
    with pytest.raises(ValueError, match="3 labels"):
        read_labels([1, 2], "t", 3)
    with pytest.raises(ValueError, match="text 'kind'"):
        read_labels("kind", "t", 3)
    with pytest.raises(ValueError, match="infinite"):
        read_labels([1, np.inf, None], "t")
    assert Labels(np.array([])).numbers_seen == ""


@pytest.mark.parametrize(
    "selector",
    [
        FisherScore(),
        HSICScore(),
        ReliefF(),
        TraceRatio(),
        SPEC(similarity="class_labels"),
        SPEC(similarity=ClassLabels()),
    ],
    ids=str,
)
def test_errors_name_the_class_that_the_user_called(selector, rng):
    X, name = rng.normal(size=(20, 3)), type(selector).__name__
    for y in (
        None,
        np.ones(20),
        np.where(np.arange(20) < 3, None, "a"),
        np.arange(19) % 2,
        [f"s{i}" for i in range(20)],
    ):
        with pytest.raises(ValueError, match=f"^{name}"):
            selector.fit(X, y)

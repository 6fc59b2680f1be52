"""What a row of the table of methods promises, held against its selector: one function for each column."""

from __future__ import annotations

import inspect
import re
import warnings
from importlib import import_module

import numpy as np
import pytest

import eigenselect
import naive
from eigenselect.criteria.methods import ANY, Command, Direction, Labels, Option, Target
from eigenselect.multisource import FeatureSet, SampleCategories, TargetData
from eigenselect.similarity import FromTable, made_of_labels

#: what a method cannot be made without
PARTS = {
    "msfs": {"sources": [("all", TargetData("rbf")), ("two", FeatureSet([0, 2], "rbf"))]},
    "kogs": {"rankers": [(None, eigenselect.SPEC(similarity="rbf")), (None, eigenselect.LaplacianScore())]},
}
#: what makes p-values honest, for methods whose graph is not a similarity of the samples
FROM_ELSEWHERE = {
    "trace-ratio": {"level": "feature"},
    "msfs": {"sources": [("classes", SampleCategories())]},
}


def labelled_data():
    """Two clusters that are the classes; the features follow them less and less, and none is first by its place."""
    rng = np.random.default_rng(11)
    y = np.arange(60) % 2
    strengths = np.array([0.5, 2.0, 6.0, 1.0, 0.0])
    return np.abs(y[:, None] * strengths + rng.normal(size=(60, 5)) + 9), y


X, Y = labelled_data()


def made(row, **parameters):
    return row.selector_class()(**{**row.parameters, **PARTS.get(row.name, {}), **parameters})


def fitted(row, y=Y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return made(row, **parameters).fit(X, y)


def constructor(row):
    return inspect.signature(row.selector_class()).parameters


def check_names(row):
    """The class and the score function are where the row says, and public."""
    assert row.selector_class() is getattr(import_module(row.module), row.selector)
    assert made(row).get_params().items() >= row.parameters.items()
    functions = {name for name in vars(import_module(row.module)) if name.endswith("_score")}
    assert functions == ({row.score_function} if row.score_function else set())
    assert eigenselect._homes().items() >= {row.selector: row.module}.items()


def check_prose(row):
    words = (row.similarity, row.normalization, row.matrix, row.reference, row.summary, row.in_words, row.statement)
    for text in words:
        assert text.strip() == text != ""
    assert not row.in_words.endswith(".")  # it follows a colon
    assert not set(row.in_words) & set("γφλξ²½")  # for readers who know no formula
    assert not row.statement.endswith(".")  # citations and the good direction follow it
    known = {*constructor(row), *(name for name in vars(fitted(row)) if name.endswith("_"))}
    filled = set(re.findall(r"{(\w+)}", row.statement + row.statement_for_numbers))
    assert filled <= known  # the selector has it
    assert isinstance(row.direction, Direction)
    assert row.supervision.startswith(row.labels)
    if row.labels is Labels.NEEDED and len(row.targets) > 1:
        assert all(target in row.supervision for target in row.targets)


def check_labels(row):
    """Labels are required where the row says so, by the tags and by ``fit``."""
    assert made(row).__sklearn_tags__().target_tags.required == (row.labels is Labels.NEEDED)
    assert made(row).uses_unlabelled_samples == (row.labels is Labels.SOME)
    if row.labels is Labels.NEEDED:
        with pytest.raises(ValueError, match="y"):
            fitted(row, None)
    else:
        without = fitted(row, None)
    if row.labels is Labels.NONE:
        np.testing.assert_array_equal(fitted(row, 1 - Y).scores_, without.scores_)
    if row.labels is Labels.SOME:
        some = np.where(np.arange(len(Y)) % 3 == 0, Y, -1)
        assert fitted(row, some).n_labelled_ == 20
    if row.labels in (Labels.BY_SIMILARITY, Labels.BY_TARGET):
        assert made(row, similarity="class_labels").__sklearn_tags__().target_tags.required


def check_targets(row):
    """A method that needs y takes numbers and kernels if its row says so, and refuses them if not."""
    assert bool(row.targets) == (row.labels is not Labels.NONE)
    assert ("target_kernel" in constructor(row)) == (Target.KERNEL in row.targets)
    if row.labels is not Labels.NEEDED:
        return
    numbers = X @ np.arange(5.0)
    if Target.NUMBERS in row.targets:
        assert fitted(row, numbers).target_kind_ == "numbers"
    else:
        with pytest.raises(ValueError, match="classes"):
            fitted(row, numbers)


def check_similarities(row):
    """The first name is the default, the others are accepted, and any other only if the row says so."""
    if not row.similarities:
        return
    assert constructor(row)["similarity"].default == row.similarities[0]
    for name in row.similarities:
        if name != ANY:
            fitted(row, similarity=name)
    if ANY in row.similarities:
        fitted(row, similarity="cosine")
    else:
        with pytest.raises(ValueError, match="similarity"):
            fitted(row, similarity="cosine")
    assert not row.similarity_with_labels or made_of_labels(row.similarity_with_labels)


def check_options(row):
    """An option of the command that applies moves the scores; another has no parameter, or one without effect."""
    values = {Option.SIMILARITY: "linear", Option.POWER: 2.0, Option.CLUSTERS: 4, Option.TARGET: "pca"}
    if row.command is not Command.RANK:
        assert not row.options
        return
    assert {"n_jobs", "random_state"} <= set(constructor(row))
    for option in Option:
        applies = option in row.options
        if option is Option.TARGET and not applies:
            continue  # of ReliefF and HSIC it says what y holds
        if option.parameter in constructor(row):
            changed = fitted(row, **{option.parameter: values[option]}).scores_
            assert np.array_equal(changed, fitted(row).scores_) != applies, option
        else:
            assert not applies


def check_quadratic_form(row):
    """(Ŝ, F̂) orders as the scores do, or the selector says that there is none."""
    selector = fitted(row)
    assert selector.has_quadratic_form == row.has_quadratic_form
    if not row.has_quadratic_form:
        with pytest.raises((ValueError, NotImplementedError, AttributeError)):
            selector.quadratic_form(X)
        return
    S, F = selector.quadratic_form(X)
    values = (F * (S @ F)).sum(axis=0)
    np.testing.assert_array_equal(np.argsort(-values), np.argsort(selector.ranking_))


def check_explanation(row):
    """A score is the sum of its terms over samples, or the selector says why it has none."""
    selector = fitted(row)
    refusal = selector._traits().no_explanation
    if not refusal:
        why = selector.explain(X, 2)
        assert why.samples.terms.sum() == pytest.approx(selector.native_scores_[2], rel=1e-9)
        return
    assert refusal.startswith(f"{row.selector}.explain: ")
    with pytest.raises(ValueError, match=re.escape(refusal)):
        selector.explain(X, 2)


def check_order(row):
    """Of a method that orders all features, only those without a score have no place."""
    selector = fitted(row)
    assert selector.orders_all_features == row.orders_all
    assert (selector.n_ordered_ == np.isfinite(selector.scores_).sum() == X.shape[1]) == row.orders_all


def check_direction(row):
    """Native scores run from good to bad, in the direction of the row, over the features that the method orders."""
    selector = fitted(row)
    best_first = np.argsort(selector.ranking_)
    assert best_first[0] == 2  # the strongest feature: ranking and direction cannot both be turned round
    native = selector.native_scores_[best_first][: selector.n_ordered_]
    steps = np.diff(native) * (1 if row.direction is Direction.SMALL else -1)
    assert (steps >= 0).all()
    assert steps[0] > 0


def check_score_function(row):
    """The score function returns the scores of the selector, or the native ones where large is good."""
    if not row.score_function:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = getattr(import_module(row.module), row.score_function)(X, Y, **row.parameters)
    selector = fitted(row)
    native = row.direction is Direction.LARGE and np.array_equal(found, selector.native_scores_)
    assert native or np.array_equal(found, selector.scores_)


def check_formula(row):
    """Native scores are the literature's, written down naively."""
    if row.name in naive.TOGETHER:
        return
    parameters = naive.NATIVE_PARAMETERS.get(row.name, {})
    others = ({"similarity": name} for name in ("diffusion", "rbf") if ANY in row.similarities)
    for options in ({}, *others):
        selector = fitted(row, **{**parameters, **options})
        expected = naive.NATIVE[row.name](X, Y, selector.graph_.to_array())
        np.testing.assert_allclose(selector.native_scores_, expected, rtol=1e-8, atol=1e-12)


def check_p_values(row):
    """A method with a rule has the parameter, p-values on a graph from elsewhere, and a function if the row says so."""
    assert ("significance" in constructor(row)) == bool(row.p_value_rule)
    assert not row.pvalue_function or row.p_value_rule
    if not row.p_value_rule:
        with pytest.raises(ValueError, match="StabilitySelector"):
            made(row, n_features_to_select="fdr").fit(X, Y)
        return
    assert row.p_value_rule.startswith("permutation")
    elsewhere = {"similarity": FromTable(X[:, [2]])} if row.similarities else FROM_ELSEWHERE.get(row.name, {})
    plain, tested = (fitted(row, **elsewhere, significance=asked) for asked in (None, True))
    np.testing.assert_array_equal(plain.native_scores_, tested.native_scores_)
    assert np.argmin(tested.pvalues_) == 2
    assert tested.pvalues_[2] < 1e-3 < tested.pvalues_[4]
    if row.pvalue_function:
        scores, pvalues = getattr(eigenselect, row.pvalue_function)(X, Y)
        np.testing.assert_array_equal(scores, tested.native_scores_)
        np.testing.assert_array_equal(pvalues, tested.pvalues_)


CHECKS = [
    check_names, check_prose, check_labels, check_targets, check_similarities, check_options, check_quadratic_form,
    check_explanation, check_order, check_direction, check_score_function, check_formula, check_p_values,
]  # fmt: skip

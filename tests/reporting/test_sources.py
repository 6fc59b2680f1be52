"""Sources in a report: weights, names that are shared and missing, members among the kept beside chance."""

import numpy as np
import pandas as pd
import pytest

import eigenselect as es
from eigenselect.multisource import (
    AuxiliaryData,
    FeatureInteractions,
    FeatureSet,
    FeatureSimilarity,
    SampleCategories,
    TargetData,
)
from eigenselect.reporting import Fitted, add_views, summarise
from eigenselect.reporting.sources import memberships, source_facts, weights_words

FEATURES, SAMPLES = [f"G{j}" for j in range(20)], [f"p{i}" for i in range(40)]
KEPT = np.array([3, 0, 7, 12])


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 20))
    values[:20, :4] += 3
    return pd.DataFrame(values, index=SAMPLES, columns=FEATURES)


@pytest.fixture(scope="module")
def fitted(X):
    """Every kind of source; samples and features are missing on both sides."""
    terms = np.eye(3)[np.arange(15) % 3]
    sources = [
        ("own", TargetData()),
        ("other", AuxiliaryData(X.iloc[2:, :5].rename(columns=str.lower))),
        ("set", FeatureSet(["G0", "G3", "G5", "MYC", "KRAS"])),
        ("terms", FeatureSimilarity(terms, [*FEATURES[:14], "TP53"])),
        ("pairs", FeatureInteractions([("G0", "G1"), ("G1", "G2")])),
        ("classes", SampleCategories()),
    ]
    y = np.repeat(["a", "b"], 20)
    weights = {"own": 1, "other": 2, "set": 1, "terms": 0, "pairs": 3, "classes": 1}
    with pytest.warns(es.exceptions.SourceWarning):
        selector = es.MSFS(4, sources=sources, weights=weights).fit(X, y)
    return Fitted(selector, X, y.astype(object), FEATURES, SAMPLES)


def test_weights_kinds_and_graphs(fitted):
    facts = source_facts(fitted, KEPT)
    assert [source["weight"] for source in facts.values()] == pytest.approx(np.array([1, 2, 1, 0, 3, 1]) / 8)
    assert [source["kind"] for source in facts.values()] == [
        "the table itself", "another table of the samples", "a set of features", "how alike features are",
        "features that interact", "categories of the samples",
    ]  # fmt: skip
    sigma = fitted.selector.similarities_["other"].description["bandwidth_used"]
    assert facts["other"]["graph"] == f"KNN, 10 neighbours, rbf weights, σ = {sigma:.4g}"
    assert weights_words(fitted.selector) == "the weights were given, and scaled to sum to 1"


def test_what_is_shared_and_what_is_missing(fitted):
    said = {name: [m["sentence"] for m in source["matches"]] for name, source in source_facts(fitted, KEPT).items()}
    assert said == {
        "own": [],
        "other": ["38 of 40 samples of the table are known; not p0, p1"],
        "set": ["3 of its 5 features are in the table; not MYC, KRAS"],
        "terms": [
            "14 of 20 features of the table are known; not G14, G15, G16, G17, G18 and 1 more",
            "14 of its 15 features are in the table; not TP53",
        ],
        "pairs": ["all its 3 features are in the table"],
        "classes": ["all 40 samples of the table are known"],
    }


def test_members_among_the_kept_beside_chance(fitted):
    facts = source_facts(fitted, KEPT)
    assert facts["set"]["enrichment"] == {
        "kept_members": 2, "n_kept": 4, "members": 3, "n_features": 20, "expected": pytest.approx(0.6),
        "sentence": "2 of the 4 kept features are in it, 0.6 expected by chance (3 of all 20 are); it took part in the "
        "ranking, so more are expected",
    }  # fmt: skip
    assert facts["terms"]["enrichment"]["sentence"].endswith("it had no weight in the ranking")
    assert "are known to it, 2.8 expected by chance (14 of all 20 are)" in facts["terms"]["enrichment"]["sentence"]
    assert "1 of the 4 kept features is in it" in facts["pairs"]["enrichment"]["sentence"]
    assert {"own", "other", "classes"}.isdisjoint(name for name in facts if "enrichment" in facts[name])
    assert not any("enrichment" in source for source in source_facts(fitted, KEPT[:0]).values())


def test_random_choices_have_as_many_members_as_expected(fitted):
    rng = np.random.default_rng(1)
    drawn = [source_facts(fitted, rng.choice(20, 4, replace=False))["set"]["enrichment"] for _ in range(300)]
    assert np.mean([facts["kept_members"] for facts in drawn]) == pytest.approx(drawn[0]["expected"], abs=0.15)


def test_columns_of_the_members(fitted):
    found = memberships(fitted)
    assert {name: columns.tolist() for name, columns in found.items()} == {
        "set": [0, 3, 5], "terms": list(range(14)), "pairs": [0, 1, 2]
    }  # fmt: skip


def test_members_by_place_in_the_ranking(fitted):
    listed = add_views(summarise(fitted, kept=4), fitted, [])["all_features"]
    assert {name: [listed["feature"][place] for place in places] for name, places in listed["sets"].items()} == {
        name: sorted((FEATURES[column] for column in columns), key=listed["feature"].index)
        for name, columns in memberships(fitted).items()
    }


def test_column_numbers_are_members_too(X):
    selector = es.MSFS(2, sources=[("some", FeatureSet([1, 4]))]).fit(X.to_numpy())
    fitted = Fitted(selector, X.to_numpy(), None, [f"x{j}" for j in range(20)])
    assert memberships(fitted)["some"].tolist() == [1, 4]
    assert source_facts(fitted, np.array([4]))["some"]["enrichment"]["kept_members"] == 1


def test_names_that_only_fit_knew_leave_the_counts_out(X):
    selector = es.MSFS(2, sources=[("set", FeatureSet(["G1", "G2"]))]).fit(X.to_numpy(), feature_names=FEATURES)
    made = es.report(selector, X.to_numpy())
    assert made.summary["sources"]["set"]["matches"] == []
    assert "enrichment" not in made.summary["sources"]["set"]
    assert "sets" not in made.summary["all_features"]
    assert es.report(selector, X).summary["all_features"]["sets"]["set"]


def test_a_source_that_knows_all_features_is_no_column(X):
    selector = es.MSFS(2, sources=[("all", FeatureSet(FEATURES)), ("own", TargetData())]).fit(X)
    assert memberships(Fitted(selector, X, None, FEATURES, SAMPLES)) == {}


def test_rankers(X):
    y = np.repeat(["a", "b"], 20)
    rankers = [
        ("same", None, es.FisherScore()), ("same", FeatureSet(["G1", "G2"]), es.LaplacianScore()),
        (None, es.LaplacianScore()),
    ]  # fmt: skip
    selector = es.KOGS(3, rankers=rankers, weights=[1, 1, 2]).fit(X, y)
    facts = source_facts(Fitted(selector, X, y.astype(object), FEATURES, SAMPLES), KEPT)
    assert list(facts) == ["1: same", "2: same", "3: LaplacianScore"]
    assert [source["weight"] for source in facts.values()] == [0.25, 0.25, 0.5]
    assert [source["kind"] for source in facts.values()] == [
        "the table itself",
        "a set of features",
        "the table itself",
    ]
    assert facts["2: same"]["similarity"] == "LaplacianScore()"
    assert facts["2: same"]["enrichment"]["members"] == 2


def test_other_selectors_have_none(X):
    fitted = Fitted(es.LaplacianScore(2).fit(X), X, None, FEATURES, SAMPLES)
    assert source_facts(fitted, KEPT) == {}
    assert memberships(fitted) == {}


@pytest.mark.parametrize(
    ("weights", "words"), [("equal", "all were given the same weight"), (None, "all were given the same weight"),
                           ("discriminant", "learned from the labels"), ("learn", "held-out accuracies"),
                           ([1, 2], "were given"), ("mine", "by the rule mine")]
)  # fmt: skip
def test_where_weights_come_from(weights, words):
    assert words in weights_words(es.KOGS(weights=weights))


@pytest.mark.parametrize(("found", "told"), [([0.5, 0.5], False), ([1.0, 0.0], True)])
def test_sources_without_weight_are_told_only_where_there_are_some(found, told):
    selector = es.KOGS(weights="equal")
    selector.weights_ = np.array(found)
    assert weights_words(selector).endswith(", which have none") is told

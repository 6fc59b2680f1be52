"""Sources in a report: weights, names that are shared and missing, members among the kept beside chance."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.reporting.conftest import HOSTILE, tables_of, text_of

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
from eigenselect.selection import TopK

FEATURES, SAMPLES = [f"G{j}" for j in range(20)], [f"p{i}" for i in range(40)]
Y = np.repeat(["a", "b"], 20)


def report(selector, X, y=None, **options):
    return es.report(selector, X, y, evaluation=False, **options)


@pytest.fixture(scope="module")
def X():
    values = np.random.default_rng(0).normal(size=(40, 20))
    values[:20, :4] += 3
    return pd.DataFrame(values, index=SAMPLES, columns=FEATURES)


@pytest.fixture(scope="module")
def fused(X):
    """Every kind of source; samples and features are missing on both sides; four features are kept by name."""
    sources = [
        ("own", TargetData()),
        ("other", AuxiliaryData(X.iloc[2:, :5].rename(columns=str.lower))),
        ("set", FeatureSet(["G0", "G3", "G5", "MYC", "KRAS"])),
        ("terms", FeatureSimilarity(np.eye(3)[np.arange(15) % 3], [*FEATURES[:14], "TP53"])),
        ("pairs", FeatureInteractions([("G0", "G1"), ("G1", "G2")])),
        ("classes", SampleCategories()),
    ]
    weights = {"own": 1, "other": 2, "set": 1, "terms": 0, "pairs": 3, "classes": 1}
    kept = TopK(4, must_keep=["G3", "G0", "G7", "G12"])
    with pytest.warns(es.exceptions.SourceWarning):
        selector = es.MSFS(kept, sources=sources, weights=weights).fit(X, Y)
    fitted = Fitted(selector, X, Y.astype(object), FEATURES, SAMPLES)
    return selector, add_views(summarise(fitted, kept=4), fitted, [])


def test_weights_graphs_and_names(fused):
    selector, summary = fused
    facts = summary["sources"]
    assert [source["weight"] for source in facts.values()] == pytest.approx(np.array([1, 2, 1, 0, 3, 1]) / 8)
    assert len({source["kind"] for source in facts.values()}) == 6
    sigma = selector.similarities_["other"].description["bandwidth_used"]
    assert f"σ = {sigma:.4g}" in facts["other"]["graph"]
    assert "were given" in summary["weights"]
    said = {name: [match["sentence"] for match in source["matches"]] for name, source in facts.items()}
    for name, words in (
        ("other", ["38 of 40", "p0, p1"]), ("set", ["3 of its 5", "MYC, KRAS"]), ("pairs", ["all its 3"]),
        ("classes", ["all 40"]), ("terms", ["14 of 20", "G14, G15", "1 more"]), ("terms", ["14 of its 15", "TP53"]),
    ):  # fmt: skip
        assert any(all(word in sentence for word in words) for sentence in said[name]), name
    assert said["own"] == []


def test_members_among_the_kept_beside_chance(fused):
    facts = fused[1]["sources"]
    found = facts["set"]["enrichment"]
    assert {key: found[key] for key in ("kept_members", "n_kept", "members", "n_features")} == {
        "kept_members": 2, "n_kept": 4, "members": 3, "n_features": 20
    }  # fmt: skip
    assert found["expected"] == pytest.approx(4 * 3 / 20)
    assert "took part" in found["sentence"]
    assert "no weight" in facts["terms"]["enrichment"]["sentence"]
    assert {name for name in facts if "enrichment" in facts[name]} == {"set", "terms", "pairs"}
    listed = fused[1]["all_features"]
    members = {name: {listed["feature"][place] for place in places} for name, places in listed["sets"].items()}
    assert members == {"set": {"G0", "G3", "G5"}, "terms": set(FEATURES[:14]), "pairs": {"G0", "G1", "G2"}}


def test_members_are_found_by_number_and_by_the_names_of_the_table(X):
    numbers = es.MSFS(2, sources=[("some", FeatureSet([1, 4]))]).fit(X.to_numpy())
    assert len(report(numbers, X.to_numpy()).summary["all_features"]["sets"]["some"]) == 2
    named = es.MSFS(2, sources=[("set", FeatureSet(["G1", "G2"]))]).fit(X.to_numpy(), feature_names=FEATURES)
    unknown = report(named, X.to_numpy()).summary  # names that only fit knew
    assert unknown["sources"]["set"]["matches"] == []
    assert "sets" not in unknown["all_features"]
    assert report(named, X).summary["all_features"]["sets"]["set"]
    everything = es.MSFS(2, sources=[("all", FeatureSet(FEATURES)), ("own", TargetData())]).fit(X)
    assert "sets" not in report(everything, X).summary["all_features"]
    assert report(es.LaplacianScore(2).fit(X), X).summary["sources"] == {}


def test_rankers(X):
    rankers = [
        ("same", None, es.FisherScore()), ("same", FeatureSet(["G1", "G2"]), es.LaplacianScore()),
        (None, es.LaplacianScore()),
    ]  # fmt: skip
    facts = report(es.KOGS(3, rankers=rankers, weights=[1, 1, 2]).fit(X, Y), X, Y).summary["sources"]
    assert list(facts) == ["1: same", "2: same", "3: LaplacianScore"]
    assert [source["weight"] for source in facts.values()] == [0.25, 0.25, 0.5]
    assert facts["2: same"]["similarity"] == "LaplacianScore()"
    assert facts["2: same"]["enrichment"]["members"] == 2


def test_where_weights_come_from(X):
    sources = [("own", TargetData()), ("classes", SampleCategories())]
    for weights, words in (("equal", "the same weight"), ("discriminant", "learned"), ([1, 2], "were given")):
        told = report(es.MSFS(2, sources=sources, weights=weights).fit(X, Y), X, Y).summary["weights"]
        assert words in told, weights


def test_names_of_sources_are_text(X):
    name = f"a|b {HOSTILE[1]}"
    sources = [(name, FeatureSet(["G0", "G1", *HOSTILE])), ("own", TargetData())]
    with pytest.warns(es.exceptions.SourceWarning):
        selector = es.MSFS(3, sources=sources).fit(X, Y)
    made = report(selector, X, Y)
    (listed,) = tables_of(made.to_markdown().split("## Sources")[1].split("## For")[0])
    assert text_of(listed[2][0]).strip() == name
    card = re.search(r'id="sources".*?</section>', made.to_html(), re.DOTALL)[0]
    assert "<img" not in card
    assert "<script" not in card

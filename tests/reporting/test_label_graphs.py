"""Graphs that know the labels are found, alone or in a combination, and remarked on."""

import numpy as np
import pytest

import eigenselect as es
from eigenselect.multisource import AuxiliaryData, SampleCategories, TargetData
from eigenselect.reporting.drawn_graph import picture_of
from eigenselect.reporting.label_graphs import label_remarks, label_weights, uses_labels


@pytest.fixture(scope="module")
def noise():
    return np.random.default_rng(0).normal(size=(48, 60)), np.repeat(["a", "b"], 24)


def fused(noise, sources, **parameters):
    return es.MSFS(5, sources=sources, **parameters).fit(*noise)


@pytest.mark.parametrize(
    "selector",
    [
        es.FisherScore(3),
        es.ReliefF(3),
        es.HSICScore(3),
        es.TraceRatio(3),
        es.SPEC(3, similarity="class_labels"),
        es.SPEC(3, similarity=es.similarity.HitMiss()),
    ],
)
def test_label_methods_use_labels(noise, selector):
    assert uses_labels(selector.fit(*noise))


@pytest.mark.parametrize("target", [es.ReliefF(3), es.HSICScore(3, target_kernel="rbf")])
def test_graphs_of_a_numeric_target_count_as_labels(noise, target):
    assert uses_labels(target.fit(noise[0], noise[0][:, 0] + 0.5))


@pytest.mark.parametrize("selector", [es.LaplacianScore(3), es.SPEC(3), es.SPEC(3, similarity="rbf")])
def test_methods_without_labels_do_not(noise, selector):
    assert not uses_labels(selector.fit(*noise))


def test_a_graph_combined_from_labels_and_others_counts_as_made_of_labels(noise):
    both = fused(noise, [("target", TargetData()), ("labels", SampleCategories())])
    assert label_weights(both) == {"labels": 0.5}
    assert "all 60 features" in picture_of(both, noise[0], 0).what
    other = fused(noise, [("target", TargetData()), ("other", AuxiliaryData(noise[0][:, :9]))])
    assert not uses_labels(other)
    assert picture_of(other, noise[0], 0).what == "the sample graph of the method"


@pytest.mark.parametrize("rule", ["discriminant", "alignment"])
def test_sources_that_the_labels_chose_count_as_made_of_labels(noise, rule):
    rng = np.random.default_rng(1)
    sources = [(f"noise {number}", AuxiliaryData(rng.normal(size=(48, 1)))) for number in range(8)]
    chosen = fused(noise, sources, weights=rule)
    assert uses_labels(chosen)
    assert "all 60 features" in picture_of(chosen, noise[0], 0).what
    assert not uses_labels(fused(noise, sources[:1], weights=rule))
    assert not uses_labels(fused(noise, sources))


def test_a_label_source_without_weight_draws_nothing(noise):
    found = fused(noise, [("target", TargetData()), ("labels", SampleCategories())], weights=[1, 0])
    assert not uses_labels(found)


@pytest.mark.parametrize("rule", ["discriminant", "alignment"])
def test_learned_weights_that_give_labels_everything_are_remarked(noise, rule):
    sources = [("target", TargetData()), ("mine", SampleCategories())]
    learned = fused(noise, sources, weights=rule)
    notes = es.report(learned, *noise).summary["warnings"]
    assert len(notes) == 1
    assert "learned from the labels, of which the source 'mine' is made itself: it got" in notes[0]
    assert f"{learned.weights_[1]:.0%} of the weight" in notes[0]
    assert notes[0] in es.report(learned, *noise).to_html().replace("&#39;", "'")


def test_weights_that_were_not_learned_or_did_not_go_to_labels_are_not(noise):
    sources = [("target", TargetData()), ("labels", SampleCategories())]
    assert label_remarks(fused(noise, sources)) == []
    assert label_remarks(fused(noise, sources, weights=[0.1, 0.9])) == []
    other = np.roll(noise[1], 3)  # categories that follow the labels, but are not made of them
    learned = fused(noise, [sources[0], ("other", SampleCategories(other))], weights="discriminant")
    assert learned.weights_[1] > 0.9
    assert label_remarks(learned) == []
    assert label_remarks(es.FisherScore().fit(*noise)) == []

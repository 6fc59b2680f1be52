"""Names in alerts: whole in the lists, a few in the sentence."""

import numpy as np
import pytest
from tests.reporting.ranked import fitted_to, summary_of

import eigenselect as es
from eigenselect.reporting.answers import alert_parts
from eigenselect.reporting.answers.alert_parts import Looked


@pytest.fixture
def fitted(rng):
    return fitted_to(es.Variance(4), rng.normal(size=(20, 6)) * np.arange(1, 7))


def looked_at(fitted, **parts):
    return Looked(summary_of(fitted, **parts), fitted)


def test_kept_features_are_looked_at_best_first(fitted):
    looked = looked_at(fitted)
    assert looked.columns.tolist() == np.argsort(-fitted.X.to_array().var(axis=0))[:4].tolist()
    np.testing.assert_array_equal(looked.values, fitted.X.to_array()[:, looked.columns])


@pytest.mark.parametrize(
    ("kept", "most", "words"),
    [
        (4, 50, "the 4 kept features"),
        (4, 2, "the 2 best of the kept features"),
        (1, 50, "the kept feature"),
        (None, 50, "the 6 best features"),
        (None, 1, "the best feature"),
    ],
)
def test_they_are_named_in_words(rng, monkeypatch, kept, most, words):
    monkeypatch.setattr(alert_parts, "LOOKED_AT", most)
    fitted = fitted_to(es.Variance(kept), rng.normal(size=(20, 6)))
    assert looked_at(fitted, cut=kept is not None).whose == words


def test_names_of_samples_or_their_numbers_from_one(rng):
    X = rng.normal(size=(12, 3))
    unnamed, named = (
        looked_at(fitted_to(es.Variance(2), X, samples=names)) for names in (None, [f"s{i}" for i in range(12)])
    )
    assert (unnamed.sample(6), named.sample(6)) == ("sample 7", "sample 's6'")
    assert (unnamed.samples([6]), named.samples([6])) == ("number 7", "'s6'")
    assert unnamed.samples(np.arange(9)) == "numbers 1, 2, 3 and 6 more"
    assert named.alert("x", "", rows=[2, 3])["samples"] == ["s2", "s3"]


def test_lists_hold_whole_names_and_have_an_end(rng, monkeypatch):
    name = "x" * 10_000
    looked = looked_at(fitted_to(es.Variance(2), rng.normal(size=(12, 3)), names=[name, "b", "c"]))
    assert looked.alert("x", "", columns=[0])["features"] == [name]
    assert len(looked.features([0])) < 100
    monkeypatch.setattr(alert_parts, "HELD_NAMES", 2)
    assert looked.alert("x", "", columns=[0, 1, 2])["features"] == [name, "b"]


def test_large_tables_are_not_scanned(fitted, monkeypatch):
    assert looked_at(fitted).can_be_scanned
    monkeypatch.setattr(alert_parts, "SCANNED", 119)
    assert not looked_at(fitted).can_be_scanned

"""Criteria are stated with the settings that were used."""

import pytest

import eigenselect as es
import rows
from eigenselect.criteria.table import METHODS
from eigenselect.reporting.papers.criterion_words import stated, told_settings


@pytest.mark.parametrize(
    ("n_clusters", "words"),
    [(2, "the feature with eigenvector 2 of"), (3, "the feature with eigenvectors 2 to 3 of")],
)
def test_eigenvectors_after_the_trivial_one(n_clusters, words):
    selector = es.SPEC(2, ranking="phi3", n_clusters=n_clusters, similarity="rbf").fit(rows.X)
    assert selector.n_clusters_ == n_clusters
    assert words in stated(METHODS["spec-phi3"], selector)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "as many features together can have of the scatter between classes to that within classes"),
        ({"level": "feature"}, "each by its ratio of the scatter between classes to that within classes"),
        ({"graphs": "laplacian"}, "of the scatter of all samples to that between neighbours"),
        ({"graphs": "semi-supervised"}, "of the scatters between classes and of all samples to those within classes"),
        ({"graphs": (1, 2)}, "of the scatters over two graphs that were given"),
    ],
)
def test_scatters_of_a_trace_ratio(settings, words):
    assert words in stated(METHODS["trace-ratio"], es.TraceRatio(2, **settings))


def test_a_large_criterion_in_a_sum_of_which_small_is_good():
    selectors = [es.SSelect(2, ranking=name, similarity="rbf").fit(rows.X, rows.Y) for name in ("phi2", "phi3")]
    found = [stated(METHODS["sselect"], selector) for selector in selectors]
    assert "times the spectral criterion φ2 over the graph" in found[0]
    assert "times the spectral criterion φ3, taken from the largest value that it can have, over the graph" in found[1]


def test_what_was_repeated_until_it_stayed_or_not():
    row, stays = METHODS["iterated-spec"], es.IteratedSPEC(3, similarity="rbf").fit(rows.X)
    assert stays.converged_
    assert f"made again until the selection stayed, {stays.n_iter_} of at most 10 times" in stated(row, stays)
    stays.converged_ = False
    assert "made again while the selection changed" in stated(row, stays)


def test_units_of_a_feature():
    found = [stated(METHODS["hsic"], es.HSICScore(2, scale=scale)) for scale in ("unit", None)]
    assert ["scaled to unit deviation" in text for text in found] == [True, False]
    assert "between the feature, as it is and with a linear kernel" in found[1]


def test_numbers_have_their_own_criterion_where_there_is_one():
    row, selector = METHODS["relieff"], es.ReliefF(2, n_neighbors=7)
    assert "its 7 nearest samples of every other class" in stated(row, selector)
    assert "by RReliefF: " in stated(row, selector, number=True)
    assert stated(METHODS["hsic"], es.HSICScore(), number=True) == stated(METHODS["hsic"], es.HSICScore())


def test_settings_that_sentences_tell():
    assert told_settings(METHODS["spec-phi3"]) == {"n_clusters"}
    assert told_settings(METHODS["relieff"]) == {"n_neighbors"}

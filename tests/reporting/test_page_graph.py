"""The folded card of graph and spectrum: one graph, and where another is drawn that is said."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import eigenselect as es

#: refits say nothing of the graph
report = partial(es.report, evaluation=False)


def opened(page):
    page.locator("#graph > summary").click()
    page.wait_for_function("document.querySelector('#spectrum-chart svg').clientWidth > 250")
    return page.locator("#graph")


def test_the_spectrum_marks_a_gap_only_if_it_stands_out(open_page):
    cloud = np.random.default_rng(0).normal(size=(300, 2))
    for X, marks in ((cloud, 0), (scale(load_wine().data), 1)):
        made = report(es.LaplacianScore(2).fit(X), X)
        card = opened(open_page(made.to_html()))
        assert card.locator("#spectrum-chart .mark").count() == marks
        assert made.summary["views"]["spectrum"]["sentence"] in card.inner_text()


def test_it_is_folded_and_opens_by_keyboard(open_page, two_groups):
    X, _ = two_groups
    page = open_page(report(es.LaplacianScore(2).fit(X), X).to_html())
    assert page.locator("#spectrum-chart").is_hidden()
    page.locator("#graph > summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#spectrum-chart svg").is_visible()


def test_the_facts_of_the_graph_that_the_scores_used(open_page):
    X = np.random.default_rng(0).normal(size=(60, 6))
    selector = es.LaplacianScore(2, similarity=es.similarity.KNN(n_neighbors=8)).fit(X)
    card = opened(open_page(report(selector, X).to_html()))
    tables = [table.locator("tr").all_inner_texts() for table in card.locator("table").all()]
    rows, parameters = (dict(row.split("\t") for row in table) for table in tables)
    graph = selector.graph_
    assert rows["similarity"] == "KNN"
    assert rows["neighbours"] == "8"
    assert rows["edges"] == str(graph.n_edges)
    assert rows["components"] == str(graph.n_components)
    assert rows["isolated samples"] == "0"
    assert rows["degrees"] == f"{graph.mass.min():.4g} to {graph.mass.max():.4g}"
    assert parameters == {"n_features_to_select": "2", "similarity": "KNN(n_neighbors=8)"}
    assert "Spectrum of this graph" in card.inner_text()
    assert "another graph" not in card.inner_text()


def test_another_graph_is_called_another(open_page, two_groups):
    """The scores of Fisher are those of the classes' graph; the spectrum is of neighbours in all features."""
    X, y = two_groups
    card = opened(open_page(report(es.FisherScore(2).fit(X, y), X, y).to_html()))
    told = card.inner_text()
    assert "Spectrum of another graph, which the samples are drawn with" in told
    assert "Not of the graph that the scores used: the graph of the scores is made of the labels" in told
    assert "a graph of neighbours in all 40 features" in told
    assert card.locator("tr", has_text="similarity").inner_text().endswith("ClassLabels")


def test_a_method_without_a_graph(open_page, two_groups):
    X, y = two_groups
    told = opened(open_page(report(es.MRSF(3, target="lda").fit(X, y), X, y).to_html())).inner_text()
    assert "ranks without a sample graph of its own" in told


def test_degrees_have_an_axis(open_page, two_groups):
    X, _ = two_groups
    selector = es.LaplacianScore(2).fit(X)
    chart = opened(open_page(report(selector, X).to_html())).locator("#degree-chart")
    counts = [int(title.split()[0]) for title in chart.locator("rect title").all_text_contents()]
    assert sum(counts) == 60
    words = [text for text in chart.locator("text").all_text_contents() if text.replace(".", "").isdigit()]
    assert len(words) >= 4  # two on each axis
    assert "degree (sum of similarities)" in chart.text_content()


@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_sticks_out(open_page, two_groups, width):
    X, _ = two_groups
    page = open_page(report(es.LaplacianScore(2).fit(X), X).to_html(), viewport={"width": width, "height": 800})
    opened(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width

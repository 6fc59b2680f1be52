"""Plots draw the numbers they claim to draw, on the axes that they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return (X - X.mean()) / X.std(), y


@pytest.fixture(scope="module")
def selector(wine):
    return es.LaplacianScore(5).fit(wine[0])


def test_spectrum(selector, wine):
    ax = es.plot.spectrum(selector, wine[0])
    drawn = ax.collections[1].get_offsets()[:, 1]
    np.testing.assert_allclose(drawn, selector.graph_.spectrum(22).eigenvalues, atol=1e-9)
    assert ax.lines[0].get_xdata()[0] == 3.5
    assert "after 3" in ax.get_legend().get_texts()[0].get_text()


def test_a_cloud_has_no_gap_to_mark():
    X = np.random.default_rng(0).normal(size=(300, 2))
    ax = es.plot.spectrum(es.LaplacianScore(1).fit(X), X)
    assert [line for line in ax.lines if len(line.get_xdata())] == []
    assert ax.get_legend().get_texts()[0].get_text() == "no clear number of clusters"


def test_what_permuted_labels_give_stands_above_the_picture(selector, wine):
    X, y = wine
    told = es.report(selector, X, y).summary["views"]["separation"]
    title = es.plot.embedding(selector, X, y).get_title()
    assert title.startswith("Samples in ")
    assert title.endswith(f"1NN {told['accuracy']:.2f}, with permuted labels {told['permuted']:.2f}")
    assert "permuted" not in es.plot.embedding(selector, X).get_title()  # clusters are made from the picture


def test_embedding_by_class_and_by_cluster(selector, wine):
    X, y = wine
    ax = es.plot.embedding(selector, X, y)
    assert [len(points.get_offsets()) for points in ax.collections] == np.bincount(y).tolist()
    assert es.plot.embedding(selector, X).get_legend().get_title().get_text() == "cluster"


@pytest.mark.parametrize("feature", ["proline", 12])
def test_embedding_by_a_feature(selector, wine, feature):
    ax = es.plot.embedding(selector, wine[0], feature=feature)
    np.testing.assert_array_equal(ax.collections[0].get_array(), wine[0]["proline"])


@pytest.mark.parametrize(("feature", "says"), [("prolin", "no feature is named 'prolin'"), (13, "0 to 12, got 13")])
def test_unknown_features_are_refused(selector, wine, feature, says):
    with pytest.raises(ValueError, match=says):
        es.plot.embedding(selector, wine[0], feature=feature)


def test_class_names_are_text_too(selector, wine):
    ax = es.plot.embedding(selector, wine[0], np.where(wine[1] == 0, "_hidden", r"a $\foo$ b"))
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["_hidden", r"a \$\foo\$ b"]


def test_minus_one_is_unlabelled_for_methods_that_say_so(wine):
    X, y = wine
    partly = np.where(np.arange(len(y)) % 2, y, -1)
    ax = es.plot.embedding(es.SSelect(3).fit(X, partly), X, partly)
    assert ax.get_legend().get_texts()[-1].get_text() == "unlabelled"


def test_other_data_are_refused(selector, wine):
    for call in (es.plot.spectrum, es.plot.embedding):
        with pytest.raises(ValueError, match="X must be the data of fit"):
            call(selector, wine[0][:50])


def test_given_axes_are_used(selector, wine):
    figure, ax = plt.subplots()
    calls = [
        lambda: es.plot.score_curve(selector, ax=ax),
        lambda: es.plot.spectrum(selector, wine[0], ax=ax),
        lambda: es.plot.embedding(selector, wine[0], ax=ax),
    ]
    assert all(call() is ax for call in calls)
    assert plt.get_fignums() == [figure.number]


def test_without_matplotlib_the_extra_is_named(selector, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'pip install "eigenselect\[plot\]"'):
        es.plot.score_curve(selector)


class TestPipelines:
    @pytest.fixture
    def pipeline(self, wine):
        return make_pipeline(VarianceThreshold(), StandardScaler(), es.LaplacianScore(3)).fit(self.table(wine))

    @staticmethod
    def table(wine):
        """A constant column in front, which the first step drops."""
        return wine[0].assign(flat=1.0)[["flat", *wine[0].columns]]

    def test_the_last_step_is_drawn(self, pipeline, wine):
        assert "kept 3" in es.plot.score_curve(pipeline).get_legend().get_texts()[0].get_text()
        eigenvalues = es.plot.spectrum(pipeline, self.table(wine)).collections[1].get_offsets()[:, 1]
        np.testing.assert_allclose(eigenvalues, pipeline[-1].graph_.spectrum(22).eigenvalues, atol=1e-9)

    def test_columns_keep_their_names(self, pipeline, wine):
        for draw in (es.plot.redundancy, es.plot.heat_map):
            named = {label.get_text() for label in draw(pipeline, self.table(wine)).get_yticklabels()}
            assert named == set(pipeline.get_feature_names_out())
        ax = es.plot.embedding(pipeline, self.table(wine), feature="proline")
        expected = StandardScaler().fit_transform(wine[0][["proline"]])[:, 0]
        np.testing.assert_allclose(ax.collections[0].get_array(), expected)

    def test_other_data_are_refused_by_the_name_of_the_plot(self, wine):
        pipeline = make_pipeline(StandardScaler(), es.LaplacianScore(3)).fit(wine[0])
        with pytest.raises(ValueError, match=r"^plot\.spectrum: X must be the data of fit"):
            es.plot.spectrum(pipeline, wine[0][:50])

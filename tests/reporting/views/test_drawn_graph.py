"""Which graph is drawn, and which part of it; graphs that know the labels are found, and remarked on."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer

import eigenselect as es
from eigenselect.exceptions import EqualEigenvaluesWarning
from eigenselect.multisource import AuxiliaryData, SampleCategories, TargetData
from eigenselect.reporting.views import drawn_graph, embedding
from eigenselect.reporting.views.drawing import shown_samples
from eigenselect.reporting.views.drawn_graph import draw_graph, label_remarks, label_weights, uses_labels
from eigenselect.reporting.views.embedding import embedding_view
from eigenselect.reporting.views.spectrum import spectrum_view


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def fitted(X, S):
    return es.SPEC(3).fit(X, similarity_matrix=S)


def blocks(sizes, rng):
    """Dense similarities inside each block, none between."""
    S = np.zeros((sum(sizes), sum(sizes)))
    start = 0
    for size in sizes:
        block = rng.uniform(0.5, 1, size=(size, size))
        S[start : start + size, start : start + size] = block + block.T
        start += size
    return S


def embedded(found):
    return embedding_view(found, shown_samples(found, found.rows.max() + 1, 0))


def ring(n):
    return np.roll(np.eye(n), 1, axis=1) + np.roll(np.eye(n), -1, axis=1)


class TestEqualEigenvalues:
    def test_they_are_named(self, rng):
        """The eigenvalues of a ring come in pairs; the sixth eigenvector drawn is the first of a pair."""
        X = rng.normal(size=(30, 5))
        selector = fitted(X, ring(30))
        found = embedded(draw_graph(selector, X, 0))
        assert found["eigenvectors"] == [2, 3, 4, 5, 6, 7]
        assert found["equal"] == [[2, 3], [4, 5], [6, 7]]
        page = " ".join(es.report(selector, X).to_html().split())
        for pair in ("2 and 3", "4 and 5", "6 and 7"):
            assert f"Eigenvectors {pair} have equal eigenvalues: any rotation of them is as good." in page

    def test_a_ring_is_drawn_as_a_circle_from_its_first_sample(self, rng):
        X = rng.normal(size=(30, 5))
        x, y = np.array(embedded(draw_graph(fitted(X, ring(30)), X, 0))["coordinates"])[:2]
        radius = np.hypot(x, y)
        np.testing.assert_allclose(radius, radius[0], rtol=1e-9)
        assert x[0] == pytest.approx(radius[0])
        assert y[1] > 0

    def test_where_none_are_equal_nothing_is_said(self, rng):
        X = rng.normal(size=(30, 5))
        selector = fitted(X, blocks([30], rng))
        assert embedded(draw_graph(selector, X, 0))["equal"] == []
        assert "equal eigenvalues" not in es.report(selector, X).to_html()

    def test_so_many_that_any_picture_is_as_good_are_not_drawn(self, rng):
        X = rng.normal(size=(40, 5))
        selector = fitted(X, np.ones((40, 40)))
        found = draw_graph(selector, X, 0)
        assert found.n_whole == 1
        assert embedded(found) is None
        assert "so many equal eigenvalues that any picture" in es.report(selector, X).to_html()
        with pytest.raises(ValueError, match="so many equal eigenvalues"):
            es.plot.embedding(selector, X)

    def test_all_pairs_of_a_small_graph_are_known(self, rng):
        X = rng.normal(size=(8, 5))
        assert draw_graph(fitted(X, np.ones((8, 8))), X, 0).n_whole == 8

    @pytest.mark.parametrize(
        ("selector", "words"),
        [
            (es.SPEC(2, ranking="phi3", n_clusters=2, similarity="rbf"), "n_clusters=2 ends among equal eigenvalues"),
            (es.EVSC(2, n_eigenvalues=2), "n_eigenvalues=2 ends among equal eigenvalues, so the 6 with all of these"),
            (es.MRSF(2, target="pca", n_outputs=1), "n_outputs=1 ends among equal eigenvalues, so the 5 with all"),
        ],
        ids=["SPEC", "EVSC", "MRSF"],
    )
    def test_reports_say_where_a_number_grew(self, selector, words):
        X = np.eye(6)
        with pytest.warns(EqualEigenvaluesWarning):
            selector.fit(X)
        report = es.report(selector, X)
        assert [words in note for note in report.summary["warnings"]].count(True) == 1
        assert words.split("=")[1] in report.to_markdown()


class TestWhichGraph:
    def test_the_spectrum_is_that_of_the_normalised_laplacian(self, rng):
        X, S = rng.normal(size=(30, 5)), blocks([30], rng)
        found = spectrum_view(draw_graph(fitted(X, S), X, 0))
        degrees = S.sum(axis=1)
        N = np.eye(30) - S / np.sqrt(np.outer(degrees, degrees))
        np.testing.assert_allclose(found["eigenvalues"], np.linalg.eigvalsh(N)[:22], atol=1e-10)
        assert found["n_components"] == 1

    @pytest.mark.parametrize("selector", [es.FisherScore(3), es.ReliefF(3), es.HSICScore(3), es.TraceRatio(3)])
    def test_methods_whose_graph_is_made_of_labels_are_drawn_by_neighbours(self, rng, selector):
        X, y = rng.normal(size=(40, 5)), np.repeat([0, 1], 20)
        found = draw_graph(selector.fit(X, y), X, 0)
        assert found.description == "a graph of neighbours in all 5 features, scaled to unit length"
        assert found.graph.n_samples == 40
        assert not found.graph.signed

    def test_neighbours_do_not_depend_on_units(self, rng):
        X, y = rng.normal(size=(40, 5)), np.repeat([0, 1], 20)
        scaled = X * [1e-12, 1, 1e12, 1, 1]
        pictures = [draw_graph(es.FisherScore(5).fit(T, y), T, 0) for T in (X, scaled)]
        np.testing.assert_allclose(*(p.spectrum.eigenvalues for p in pictures), atol=1e-8)

    def test_very_many_samples_are_drawn_by_some_of_them(self, rng, monkeypatch):
        monkeypatch.setattr(drawn_graph, "MAX_SAMPLES", 30)
        X = rng.normal(size=(80, 5))
        one, other = (draw_graph(es.LaplacianScore(3).fit(X), X, 7) for _ in range(2))
        assert "30 samples drawn at random" in one.description
        assert np.unique(one.rows).size == 30
        np.testing.assert_array_equal(one.rows, other.rows)

    def test_clusters_are_counted_only_where_there_are_some(self, rng):
        blob = rng.normal(size=(100, 5))
        assert draw_graph(es.SPEC(3, similarity="rbf").fit(blob), blob, 0).gap.clusters is None
        S = blocks([40, 30, 30], rng) + 0.02
        assert draw_graph(fitted(blob, S), blob, 0).gap.clusters == 3

    def test_the_picture_of_labels_does_not_depend_on_which_features_they_chose(self, rng):
        """Drawn in features chosen with the labels, noise falls into classes."""
        X = rng.normal(size=(48, 900))
        y = np.repeat([0, 1], 24)
        pictures = [draw_graph(es.FisherScore(10).fit(X, labels), X, 0) for labels in (y, rng.permutation(y))]
        np.testing.assert_array_equal(*(p.spectrum.eigenvalues for p in pictures))

    def test_of_very_many_features_some_are_taken(self, rng, monkeypatch):
        monkeypatch.setattr(drawn_graph, "NUMBERS", 40 * 12)
        X, y = rng.normal(size=(40, 50)), np.repeat([0, 1], 20)
        for table in (X, sparse.csr_array(X), pd.DataFrame(X)):
            found = draw_graph(es.FisherScore(3).fit(X, y), table, 0)
            assert found.description == "a graph of neighbours in 12 features drawn at random, scaled to unit length"


class TestWhichPart:
    def test_coordinates_are_eigenvectors_of_the_random_walk(self, rng):
        X, S = rng.normal(size=(30, 5)), blocks([30], rng)
        found = embedded(draw_graph(fitted(X, S), X, 0))
        walk = np.eye(30) - S / S.sum(axis=1)[:, None]
        assert found["axes"] == [0, 1]
        assert found["eigenvectors"] == [2, 3, 4, 5, 6, 7]
        for axis, value in zip(np.array(found["coordinates"]), found["eigenvalues"], strict=True):
            np.testing.assert_allclose(walk @ axis, value * axis, atol=1e-9)

    def test_an_eigenvector_that_lives_on_two_samples_is_passed_over(self, rng):
        """Two samples that hang on all others by a thread make the first non-trivial eigenvector."""
        X, S = rng.normal(size=(200, 5)), blocks([100, 98, 2], rng)
        S[:100, 100:198] = S[100:198, :100] = 0.05
        S[0, 198] = S[198, 0] = 1e-6
        found = embedded(draw_graph(fitted(X, S), X, 0))
        assert found["lives_on"][0] == 2
        assert found["axes"] == [1, 2]
        x = np.array(found["coordinates"][1])
        assert np.sign(x[:100]).sum() * np.sign(x[100:198]).sum() == -9800

    @pytest.mark.parametrize("seed", range(5))
    def test_what_is_drawn_is_judged(self, seed):
        """The widths are those of D^-1/2 ξ: they change with degrees that ξ hardly shows."""
        rng = np.random.default_rng(seed)
        X, S = rng.normal(size=(80, 5)), blocks([80], rng)
        strength = 10 ** rng.uniform(-1, 0, size=80)
        found = embedded(draw_graph(fitted(X, S * np.outer(strength, strength)), X, 0))
        for drawn, told in zip(np.array(found["coordinates"]), found["lives_on"], strict=True):
            centred = drawn - drawn.mean()
            assert told == round((centred**2).sum() ** 2 / (centred**4).sum())

    def test_without_two_wide_ones_the_widest_are_drawn(self):
        lives_on = np.array([2.0, 1.0, 7.0, 3.0, 9.0, 1.0])
        assert embedding._first_axes(lives_on, 1000) == [2, 4]
        assert embedding._first_axes(lives_on, 400) == [2, 4]
        assert embedding._first_axes(np.array([2.0, 90, 7, 50, 60]), 1000) == [1, 3]

    def test_a_sample_of_tiny_degree_is_apart(self, rng):
        """It hangs on the others by a thread; one that hangs on it alone is apart as well."""
        X, S = rng.normal(size=(42, 5)), blocks([40, 1, 1], rng)
        S[40:, 40:] = 0
        S[0, 40] = S[40, 0] = 1e-9
        S[40, 41] = S[41, 40] = 1e-30
        found = draw_graph(fitted(X, S), X, 0)
        assert found.apart.tolist() == [40, 41]
        np.testing.assert_allclose(
            found.spectrum.eigenvalues, draw_graph(fitted(X[:40], S[:40, :40]), X[:40], 0).spectrum.eigenvalues
        )

    def test_a_sample_that_only_hangs_on_one_of_tiny_degree_is_apart_too(self, rng):
        X, S = rng.normal(size=(42, 5)), blocks([40, 1, 1], rng)
        S[40:, 40:] = 0
        threshold = 1e-3 * np.median(S.sum(axis=1)[:40])
        S[40, 41] = S[41, 40] = 0.9 * threshold
        S[0, 41] = S[41, 0] = 0.5 * threshold
        assert draw_graph(fitted(X, S), X, 0).apart.tolist() == [40, 41]

    @pytest.mark.filterwarnings("ignore::UserWarning")  # isolated samples and units
    @pytest.mark.parametrize("labels", [True, False])
    def test_unscaled_breast_cancer_is_more_than_two_dots(self, labels):
        """No hundredth of an axis holds more than 60 % of the samples; it was 99 %."""
        X, y = load_breast_cancer(return_X_y=True)
        views_of = es.report(es.LaplacianScore(5).fit(X), X, y if labels else None).summary["views"]
        found = views_of["embedding"]
        assert found["n_apart"] < 30
        assert min(found["lives_on"][axis] for axis in found["axes"]) > 50
        for values in np.array(found["coordinates"])[found["axes"]]:
            share = np.histogram(values, bins=100)[0].max() / values.size
            assert share < 0.6, share

    def test_a_few_stray_samples_are_apart(self, rng):
        X, S = rng.normal(size=(33, 5)), blocks([30, 2, 1], rng)
        S[32] = 0
        with pytest.warns(es.exceptions.GraphWarning):
            found = draw_graph(fitted(X, S), X, 0)
        assert found.rows.tolist() == list(range(30))
        assert found.apart.tolist() == [30, 31, 32]
        assert found.n_components == 2
        assert np.ptp(embedded(found)["coordinates"][0]) > 0

    def test_large_components_are_told_apart(self, rng):
        X, S = rng.normal(size=(31, 5)), blocks([18, 12, 1], rng)
        S[30] = 0
        with pytest.warns(es.exceptions.GraphWarning):
            found = draw_graph(fitted(X, S), X, 0)
        assert found.rows.tolist() == list(range(30))
        x = np.array(embedded(found)["coordinates"][0])
        assert np.ptp(x[:18]) < 1e-12 < abs(x[0] - x[-1])
        assert found.gap.clusters == 2

    def test_of_very_many_components_the_largest_is_drawn(self, rng):
        X, S = rng.normal(size=(90, 5)), blocks([10, *[2] * 40], rng)
        with pytest.warns(es.exceptions.GraphWarning):
            found = draw_graph(fitted(X, S), X, 0)
        assert found.rows.tolist() == list(range(10))
        assert found.n_components == 41
        assert found.spectrum.eigenvalues[1] > 0

    def test_two_samples_have_no_picture(self):
        X = np.array([[0.0, 1.0, 5.0], [1.0, 3.0, 2.0]])
        assert embedded(draw_graph(fitted(X, np.ones((2, 2))), X, 0)) is None


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
    assert "all 60 features" in draw_graph(both, noise[0], 0).description
    other = fused(noise, [("target", TargetData()), ("other", AuxiliaryData(noise[0][:, :9]))])
    assert not uses_labels(other)
    assert draw_graph(other, noise[0], 0).description == "the sample graph of the method"


@pytest.mark.parametrize("rule", ["discriminant", "alignment"])
def test_sources_that_the_labels_chose_count_as_made_of_labels(noise, rule):
    rng = np.random.default_rng(1)
    sources = [(f"noise {number}", AuxiliaryData(rng.normal(size=(48, 1)))) for number in range(8)]
    chosen = fused(noise, sources, weights=rule)
    assert uses_labels(chosen)
    assert "all 60 features" in draw_graph(chosen, noise[0], 0).description
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


class TestWhyAnotherIsDrawn:
    def why(self, selector, X, whole=None):
        return draw_graph(selector, X, 0, whole).why

    def test_it_is_said_for_every_reason(self, rng, monkeypatch):
        X, y = rng.normal(size=(30, 5)), np.arange(30) % 2
        assert self.why(es.LaplacianScore(3).fit(X), X) == ""
        assert "made of the labels" in self.why(es.FisherScore(3).fit(X, y), X)
        assert "without a sample graph" in self.why(es.MRSF(3, target="lda").fit(X, y), X)
        assert "a step before this one chose" in self.why(es.LaplacianScore(3).fit(X), X, whole=X)
        monkeypatch.setattr(drawn_graph, "MAX_SAMPLES", 20)
        assert "more than 20 samples" in self.why(es.LaplacianScore(3).fit(X), X)

    def test_the_spectrum_says_it(self, rng):
        X = rng.normal(size=(30, 5))
        drawn = draw_graph(es.FisherScore(3).fit(X, np.arange(30) % 2), X, 0)
        assert spectrum_view(drawn)["why"] == drawn.why != ""

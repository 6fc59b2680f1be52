"""What a report draws of samples: which graph, its spectrum, the plane, groups, maps and explanations."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, kneighbors_graph
from sklearn.preprocessing import scale
from tests.reporting.conftest import views_of

import eigenselect as es
from another_basis import use_another_basis
from eigenselect.exceptions import EqualEigenvaluesWarning
from eigenselect.multisource import AuxiliaryData, SampleCategories, TargetData
from eigenselect.reporting import Fitted, add_views, summarise
from eigenselect.reporting.views import drawn_graph, explanations
from eigenselect.reporting.views.spectrum import judge_gap
from eigenselect.similarity import KNN, FromTable

#: fits of some tables warn about units, components and constant features, which is not what is tested here
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def ring(n):
    return np.roll(np.eye(n), 1, axis=1) + np.roll(np.eye(n), -1, axis=1)


def blocks(sizes, rng):
    """Dense similarities inside each block, none between."""
    S = np.zeros((sum(sizes), sum(sizes)))
    ends = np.cumsum([0, *sizes])
    for start, end in itertools.pairwise(ends):
        block = rng.uniform(0.5, 1, size=(end - start, end - start))
        S[start:end, start:end] = block + block.T
    return S


def views_on(S, y=None):
    """Views of a report on a given graph."""
    X = np.random.default_rng(0).normal(size=(len(S), 5))
    return views_of(es.SPEC(3).fit(X, similarity_matrix=S), X, y)


class TestSpectrum:
    def test_it_is_that_of_the_normalised_laplacian(self, rng):
        S = blocks([30], rng)
        found = views_on(S)["spectrum"]
        degrees = S.sum(axis=1)
        N = np.eye(30) - S / np.sqrt(np.outer(degrees, degrees))
        np.testing.assert_allclose(found["eigenvalues"], np.linalg.eigvalsh(N)[:22], atol=1e-10)
        assert found["n_components"] == 1

    def test_separated_clusters_are_counted(self, rng):
        for count in (2, 3, 5):
            X, labels = make_blobs(300, 10, centers=count, random_state=0)
            found = views_of(es.LaplacianScore(1).fit(X), X)
            assert found["spectrum"]["clusters"] == found["groups"]["count"] == count
            assert adjusted_rand_score(found["samples"]["group"], labels) == 1
            assert found["groups"]["sizes"] == sorted(found["groups"]["sizes"], reverse=True)
        X = scale(load_wine().data)
        assert views_of(es.LaplacianScore(1).fit(X), X)["spectrum"]["clusters"] == 3

    def test_what_runs_together_or_is_a_handful_is_no_cluster(self, rng):
        for load, prepare in itertools.product((load_breast_cancer, load_digits), (scale, np.asarray)):
            X = prepare(load().data[:600])
            assert views_of(es.LaplacianScore(1).fit(X), X)["spectrum"]["clusters"] is None
        for small in (1, 2, 8, 30):
            X = rng.normal(size=(100 + small, 3))
            X[:small] += 9
            clusters = views_of(es.SPEC(1, similarity="rbf").fit(X), X)["spectrum"]["clusters"]
            assert clusters == (2 if small > 2 else None)

    def test_rounding_is_no_gap_and_equal_gaps_are_the_first(self):
        values = np.array([0, 0, 0, *np.full(10, 0.5)])
        noisy = judge_gap(np.sort(values + 1e-13 * np.random.default_rng(0).random(13)))
        assert (noisy.ratio, noisy.clusters) == (np.inf, 3)
        for nudge in (-1e-15, 0.0, 1e-15):
            even = np.linspace(0, 1, 12)
            even[7] += nudge
            assert judge_gap(even).after == 1
        for few in ([0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.1, 0.4]):  # a gap needs others to stand out from
            assert judge_gap(np.array(few)).clusters is None


class TestPlane:
    def test_coordinates_are_eigenvectors_of_the_random_walk(self, rng):
        S = blocks([30], rng)
        strength = 10 ** rng.uniform(-1, 0, size=30)
        S = S * np.outer(strength, strength)
        found = views_on(S)["embedding"]
        walk = np.eye(30) - S / S.sum(axis=1)[:, None]
        assert (found["axes"], found["eigenvectors"], found["equal"]) == ([0, 1], [2, 3, 4, 5, 6, 7], [])
        for axis, value, told in zip(
            np.array(found["coordinates"]), found["eigenvalues"], found["lives_on"], strict=True
        ):
            np.testing.assert_allclose(walk @ axis, value * axis, atol=1e-9)
            centred = axis - axis.mean()
            assert told == round((centred**2).sum() ** 2 / (centred**4).sum())

    def test_equal_eigenvalues_are_told_or_not_drawn(self, rng):
        """The eigenvalues of a ring come in pairs; those of a complete graph are all equal."""
        X = rng.normal(size=(30, 5))
        found = views_on(ring(30))["embedding"]
        assert found["equal"] == [[2, 3], [4, 5], [6, 7]]
        x, y = np.array(found["coordinates"])[:2]
        np.testing.assert_allclose(np.hypot(x, y), x[0], rtol=1e-9)  # a circle from the first sample
        assert y[1] > 0
        complete = es.SPEC(3).fit(X, similarity_matrix=np.ones((30, 30)))
        made = es.report(complete, X, np.arange(30) % 2, evaluation=False)
        assert made.summary["views"]["embedding"] is made.summary["views"]["separation"] is None
        assert "equal eigenvalues" in made.to_html()
        with pytest.raises(ValueError, match="equal eigenvalues"):
            es.plot.embedding(complete, X)

    def test_reports_say_where_a_number_grew_to_equal_eigenvalues(self):
        for selector, words in (
            (es.SPEC(2, ranking="phi3", n_clusters=2, similarity="rbf"), "n_clusters=2"),
            (es.EVSC(2, n_eigenvalues=2), "n_eigenvalues=2"),
            (es.MRSF(2, target="pca", n_outputs=1), "n_outputs=1"),
        ):
            with pytest.warns(EqualEigenvaluesWarning):
                selector.fit(np.eye(6))
            report = es.report(selector, np.eye(6), evaluation=False)
            assert sum(words in note for note in report.summary["warnings"]) == 1
            assert words.split("=")[1] in report.to_markdown()

    def test_an_eigenvector_that_lives_on_two_samples_is_passed_over(self, rng):
        """Two samples that hang on all others by a thread make the first non-trivial eigenvector."""
        S = blocks([100, 98, 2], rng)
        S[:100, 100:198] = S[100:198, :100] = 0.05
        S[0, 198] = S[198, 0] = 1e-6
        found = views_on(S)["embedding"]
        assert (found["lives_on"][0], found["axes"][0]) == (2, 1)
        x = np.array(found["coordinates"][1])
        assert np.sign(x[:100]).sum() * np.sign(x[100:198]).sum() == -9800

    def test_samples_apart_and_components(self, rng):
        thread = blocks([40, 1, 1], rng)
        thread[40:, 40:] = 0
        thread[0, 40] = thread[40, 0] = 1e-9
        thread[40, 41] = thread[41, 40] = 1e-30
        stray, large = blocks([30, 2, 1], rng), blocks([18, 12, 1], rng)
        stray[32] = large[30] = 0
        many = blocks([10, *[2] * 40], rng)
        for S, drawn, apart in ((thread, 40, 2), (stray, 30, 3), (large, 30, 1), (many, 10, 80)):
            found = views_on(S)
            assert (found["embedding"]["n_drawn"], found["embedding"]["n_apart"]) == (drawn, apart)
            assert np.ptp(found["embedding"]["coordinates"][0]) > 0
        alone = views_on(thread[:40, :40])["spectrum"]["eigenvalues"]
        np.testing.assert_allclose(views_on(thread)["spectrum"]["eigenvalues"], alone)
        found = views_on(large)
        x = np.array(found["embedding"]["coordinates"][0])[:30]
        assert np.ptp(x[:18]) < 1e-12 < abs(x[0] - x[-1])  # large components are told apart
        assert found["spectrum"]["clusters"] == 2
        assert views_on(np.ones((2, 2)))["embedding"] is None

    def test_unscaled_breast_cancer_is_more_than_two_dots(self):
        """No hundredth of an axis holds more than 60 % of the samples; it was 99 %."""
        X, y = load_breast_cancer(return_X_y=True)
        found = views_of(es.LaplacianScore(5).fit(X), X, y)["embedding"]
        assert found["n_apart"] < 30
        assert min(found["lives_on"][axis] for axis in found["axes"]) > 50
        for values in np.array(found["coordinates"])[found["axes"]]:
            assert np.histogram(values, bins=100)[0].max() / values.size < 0.6

    def test_separation_is_leave_one_out_beside_all_permutations(self, rng, two_groups):
        X, y = two_groups
        noise = rng.permutation(y)
        for labels, beyond in ((y, True), (noise, False)):
            found = views_of(es.LaplacianScore(3).fit(X), X, labels)
            points = np.array(found["embedding"]["coordinates"])[found["embedding"]["axes"]].T
            expected = cross_val_score(KNeighborsClassifier(1), points, labels, cv=LeaveOneOut()).mean()
            told = found["separation"]
            assert told["accuracy"] == pytest.approx(expected)
            assert told["permuted"] == pytest.approx(2 * 30 * 29 / (60 * 59))
            assert told["beyond_chance"] == (told["accuracy"] > told["permuted_high"]) == beyond
        told = views_on(ring(20), np.repeat(["a", "b"], 10))["separation"]
        assert told["accuracy"] == pytest.approx(18 / 20)  # ends have a neighbour of either class: equal ones share
        for few in (None, ["a"] * 60, np.where(np.arange(60) < 30, "a", None)):
            assert views_of(es.LaplacianScore(3).fit(X), X, few)["separation"] is None


class TestWhichGraph:
    def test_graphs_that_know_the_labels_are_not_drawn(self, rng):
        X, y = rng.normal(size=(48, 60)), np.repeat(["a", "b"], 24)
        target, labels, other = TargetData(), SampleCategories(), AuxiliaryData(X[:, :9])
        noisy = [(f"n{j}", AuxiliaryData(rng.normal(size=(48, 1)))) for j in range(8)]
        for selector, is_own in (
            (es.LaplacianScore(3), True), (es.SPEC(3, similarity="rbf"), True), (es.FisherScore(3), False),
            (es.ReliefF(3), False), (es.HSICScore(3), False), (es.TraceRatio(3), False),
            (es.MRSF(3, target="lda"), False),
            (es.SPEC(3, similarity="class_labels"), False), (es.SPEC(3, similarity=es.similarity.HitMiss()), False),
            (es.MSFS(3, sources=[("t", target), ("o", other)]), True),
            (es.MSFS(3, sources=[("t", target), ("l", labels)]), False),
            (es.MSFS(3, sources=[("t", target), ("l", labels)], weights=[1, 0]), True),
            (es.MSFS(3, sources=noisy), True), (es.MSFS(3, sources=noisy, weights="alignment"), False),
        ):  # fmt: skip
            found = views_of(selector.fit(X, y), X, y)["spectrum"]
            assert (found["why"] == "") == is_own, selector
            assert is_own or "all 60 features" in found["of"], selector
        numeric = views_of(es.ReliefF(3).fit(X, X[:, 0] + 0.5), X, X[:, 0] + 0.5)["spectrum"]
        assert "all 60 features" in numeric["of"]

    def test_what_is_drawn_instead_depends_on_neither_labels_nor_units(self, rng):
        X, y = rng.normal(size=(48, 200)), np.repeat([0, 1], 24)
        spectra = [
            views_of(es.FisherScore(10).fit(table, labels), table, labels)["spectrum"]["eigenvalues"]
            for table, labels in ((X, y), (X, rng.permutation(y)), (X * 10.0 ** rng.integers(-9, 9, 200), y))
        ]
        np.testing.assert_array_equal(spectra[0], spectra[1])
        np.testing.assert_allclose(spectra[0], spectra[2], atol=1e-8)

    def test_of_very_many_samples_or_features_some_are_drawn(self, rng, monkeypatch):
        X, y = rng.normal(size=(80, 50)), np.repeat([0, 1], 40)
        monkeypatch.setattr(drawn_graph, "MAX_SAMPLES", 30)
        one, other = (views_of(es.LaplacianScore(3).fit(X), X, random_state=7) for _ in range(2))
        assert "30 samples" in one["spectrum"]["of"]
        assert "more than 30" in one["spectrum"]["why"]
        assert one == other
        monkeypatch.setattr(drawn_graph, "MAX_SAMPLES", 100)
        monkeypatch.setattr(drawn_graph, "NUMBERS", 80 * 12)
        for table in (X, sparse.csr_array(X), pd.DataFrame(X).rename(columns=str)):
            assert "12 features" in views_of(es.FisherScore(3).fit(table, y), table, y)["spectrum"]["of"]

    def test_learned_weights_that_give_labels_everything_are_remarked(self, rng):
        X, y = rng.normal(size=(48, 60)), np.repeat(["a", "b"], 24)
        own, others = SampleCategories(), SampleCategories(np.roll(y, 3))
        for source, weights, told in ((own, "discriminant", True), (own, "alignment", True), (own, [0.1, 0.9], False),
                                      (own, "equal", False), (others, "discriminant", False)):  # fmt: skip
            selector = es.MSFS(5, sources=[("target", TargetData()), ("mine", source)], weights=weights).fit(X, y)
            notes = es.report(selector, X, y, evaluation=False).summary["warnings"]
            assert [f"{selector.weights_[1]:.0%}" in note and "'mine'" in note for note in notes] == [True] * told


class TestGroups:
    def test_every_sample_is_in_the_group_of_its_label(self, rng):
        X = rng.normal(size=(60, 4))
        for values, names in (
            (["b", "a"], ["a", "b"]),
            ([2.0, 10.0, 100.0], ["2", "10", "100"]),
            ([True, False], ["False", "True"]),
            ([-1, 1], ["-1", "1"]),
            ([1, "one", None], ["1", "one", "unlabelled"]),
            ([0.0, np.nan, 1.0], ["0", "1", "unlabelled"]),
        ):
            y = np.array((values * 60)[:60], dtype=object)
            found = views_of(es.LaplacianScore(2).fit(X), X, y)
            assert found["groups"]["names"] == names
            shown = [found["groups"]["names"][code] for code in found["samples"]["group"]]
            assert len({(str(label), name) for label, name in zip(y, shown, strict=True)}) == len(names)
            assert sum(found["groups"]["sizes"]) == 60

    def test_numbers_are_cut_in_thirds_and_small_classes_put_together(self, rng):
        X, y = rng.normal(size=(90, 4)), rng.normal(size=90)
        found = views_of(es.LaplacianScore(2).fit(X), X, y)
        codes = np.array(found["samples"]["group"])
        assert (found["groups"]["kind"], found["groups"]["sizes"]) == ("third", [30, 30, 30])
        assert y[codes == 0].max() <= y[codes == 1].min() <= y[codes == 2].min()
        many = np.array([f"c{j:02d}" for j in range(30) for _ in range(j + 1)])
        groups = views_of(es.LaplacianScore(2).fit(np.resize(X, (465, 4))), np.resize(X, (465, 4)), many)["groups"]
        assert (len(groups["names"]), groups["count"]) == (20, 30)
        assert groups["names"][-1].startswith("11 other")
        assert groups["sizes"][-1] == sum(range(1, 12))


class TestMaps:
    PLACES = np.random.default_rng(0).uniform([1e4, -3e3], [15e3, 2e3], size=(80, 2))
    X = np.random.default_rng(1).normal(size=(80, 6))

    def pictures(self, S=None, **coordinates):
        selector = es.SPEC(3).fit(self.X, similarity_matrix=S)
        fitted = Fitted(selector, self.X, None, [f"x{j}" for j in range(6)], coordinates=coordinates)
        return add_views(summarise(fitted), fitted, ["pictures"])["views"]["pictures"]

    def test_the_slide_of_a_graph_on_it_comes_first_then_umap(self):
        near = kneighbors_graph(self.PLACES, 5)
        near = near.maximum(near.T)
        mixed = near[::-1]
        for S, names, first in (
            (None, [], "eigenvectors"), (None, ["X_pca"], "eigenvectors"), (None, ["spatial"], "eigenvectors"),
            (None, ["spatial", "X_umap"], "X_umap"), (near, ["spatial", "X_umap"], "spatial"),
            (mixed.maximum(mixed.T), ["spatial"], "eigenvectors"),
        ):  # fmt: skip
            found = self.pictures(S, **dict.fromkeys(names, self.PLACES))
            assert found["first"] == first
            assert [plane["key"] for plane in found["planes"]] == names

    def test_a_graph_is_on_a_slide_where_its_edges_are_short(self):
        """By a level of Geary's C, over graphs from near to far."""
        squares = ((self.PLACES[:, None] - self.PLACES) ** 2).sum(axis=2)
        order, seen = np.argsort(squares, axis=1), []
        for first in range(1, 75, 6):
            S = np.zeros((80, 80))
            np.put_along_axis(S, order[:, first : first + 3], 1.0, axis=1)
            S = S + S.T
            C = (S * squares).sum() / S.sum() / (squares.sum() / 80**2)
            seen.append((C, self.pictures(S, spatial=self.PLACES)["first"] == "spatial"))
        answers = [on for _, on in sorted(seen)]
        assert answers == sorted(answers, reverse=True)
        assert len(set(answers)) == 2

    def test_places_are_rounded_below_what_can_be_seen_at_any_size(self):
        for factor in (1.0, 1e-90, 1e90):
            (plane,) = self.pictures(X_umap=self.PLACES * factor)["planes"]
            true = self.PLACES * factor - (self.PLACES * factor).min(axis=0)
            assert (np.abs(np.array(plane["coordinates"]).T - true) <= np.ptp(true, axis=0) / 900).all()
        (plane,) = self.pictures(X_pca=np.ones((80, 2)))["planes"]
        assert plane["coordinates"] == [[0.0] * 80] * 2
        assert self.pictures(np.ones((80, 80)), spatial=np.ones((80, 2)))["first"] == "eigenvectors"
        slide, other = self.pictures(spatial=self.PLACES, X_tsne=self.PLACES)["planes"]
        assert (slide["spatial"], other["spatial"], other["name"]) == (True, False, "t-SNE")
        assert "X_tsne" in other["sentence"]


class TestExplanations:
    @pytest.fixture
    def fitted(self, rng):
        X = rng.normal(size=(50, 8))
        X[:, :3] += 1.5 * (np.arange(50) % 2)[:, None]
        return es.LaplacianScore(3, similarity=KNN(6)).fit(X), X

    def test_shares_and_edges_are_those_of_explain(self, fitted):
        selector, X = fitted
        view = views_of(selector, X)["explanations"]
        borders = np.array(view["borders"])
        for column, row in zip(selector.ranking_.argsort(), view["features"], strict=True):
            why = selector.explain(X, column)
            bins = np.searchsorted(borders, why.scales.eigenvalues + 1e-9, side="right") - 1
            bins = np.clip(bins, 0, borders.size - 2)
            for told, values in ((row["shares"], why.scales.shares), (view["expected"], why.scales.expected)):
                np.testing.assert_allclose(told, np.bincount(bins, values, borders.size - 1), atol=1e-12)
            pairs = np.stack([why.edges.first, why.edges.second], axis=1)[: len(row["edges"])]
            np.testing.assert_array_equal(row["edges"], pairs)
            part = why.edges.terms[: len(pairs)].sum() / why.edges.terms.sum()
            assert row["edge_share"] == pytest.approx(part)
        thin = np.where(X > 0, X, 0.0)
        dense, csr = (views_of(es.LaplacianScore(3).fit(T), T)["explanations"] for T in (thin, sparse.csr_array(thin)))
        assert dense == csr

    def test_of_a_large_graph_what_is_beyond_the_drawn_eigenvectors_is_one_bin(self, fitted, monkeypatch):
        selector, X = fitted
        monkeypatch.setattr(explanations, "FULL_SAMPLES", 10)
        view = views_of(selector, X)["explanations"]
        assert not view["whole"]
        last = view["borders"][-2]
        for column, row in zip(selector.ranking_.argsort(), view["features"], strict=True):
            scales = selector.explain(X, column).scales
            assert row["shares"][-1] == pytest.approx(scales.shares[scales.eigenvalues > last + 1e-9].sum(), abs=1e-9)
            assert sum(row["shares"]) == pytest.approx(1.0)

    def test_shuffled_values_have_the_expected_shares(self, fitted, rng):
        """On a graph that does not know them: the mean, and one in a hundred above the level."""
        S, shares = fitted[0].graph_.affinity, []
        for _ in range(20):
            noise = rng.normal(size=(50, 50))
            view = views_of(es.LaplacianScore(3).fit(noise, similarity_matrix=S), noise)["explanations"]
            shares += [row["shares"] for row in view["features"]]
        shares, expected = np.array(shares), np.array(view["expected"])
        np.testing.assert_allclose(
            shares.mean(axis=0), expected, atol=4 * shares.std(axis=0).max() / np.sqrt(len(shares))
        )
        assert 0.002 < (shares > view["level"])[:, expected > 0].mean() < 0.025  # degrees differ: Beta is not exact

    def test_its_size_is_bounded_and_constants_have_no_shares(self, fitted, rng, monkeypatch):
        X = rng.normal(size=(40, 120))
        view = views_of(es.SPEC(3, similarity="rbf").fit(X), X)["explanations"]
        assert (len(view["features"]), max(len(row["edges"]) for row in view["features"])) == (50, 20)
        assert len(view["features"][0]["shares"]) <= 32
        selector, X = fitted
        assert view["saw_features"]
        elsewhere = es.LaplacianScore(3, similarity=FromTable(rng.normal(size=(50, 2)))).fit(X)
        assert not views_of(elsewhere, X)["explanations"]["saw_features"]
        diffusion = views_of(es.LaplacianScore(2, similarity="diffusion").fit(X), X)["explanations"]["features"][0]
        assert sum(diffusion["shares"]) == pytest.approx(1.0)
        assert diffusion["edges"] == []
        flat = np.where(np.arange(8) == 2, 3.0, X)
        last = views_of(es.LaplacianScore(2).fit(flat), flat)["explanations"]["features"][-1]
        assert last == {"shares": None, "edges": [], "edge_share": 0.0}
        monkeypatch.setattr(explanations, "MOST_EDGES", 10)
        assert views_of(selector, X)["explanations"]["features"][0]["edges"] == []

    def test_no_number_depends_on_the_basis(self, rng, monkeypatch):
        S, X = np.kron(ring(6), np.eye(6)) + np.kron(np.eye(6), ring(6)), rng.normal(size=(36, 5))
        found = []
        for seed in (None, 0, 1):
            if seed is not None:
                use_another_basis(monkeypatch, seed)
            found.append(views_of(es.LaplacianScore(2).fit(X, similarity_matrix=S), X)["explanations"])
        for other in found[1:]:
            for name in ("borders", "expected", "level"):
                np.testing.assert_allclose(other[name], found[0][name], atol=1e-10)
            for row, same in zip(other["features"], found[0]["features"], strict=True):
                np.testing.assert_allclose(row["shares"], same["shares"], atol=1e-10)

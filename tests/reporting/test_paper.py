"""What a report gives for a paper is true of the run: numbers, citations, hashes, and a call that makes it again."""

import copy
import hashlib
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
import rows
from eigenselect.criteria.methods import METHODS
from eigenselect.exceptions import SourceWarning
from eigenselect.inference import Shadows, Split
from eigenselect.multisource import AuxiliaryData, FeatureSet, TargetData
from eigenselect.reporting import Fitted, Provenance, add_paper, summarise
from eigenselect.reporting.papers import provenance
from eigenselect.reporting.papers.citing import references
from eigenselect.selection import FDR, Threshold
from eigenselect.similarity import KNN, RBF, Diffusion, FromTable, Geodesic
from eigenselect.spectral import CAR, Heat

NAMES = list("abcde")


def paper_of(selector, X=rows.X, y=rows.Y, run=None, *, kept=True, evaluation=None, label="", names=NAMES):
    """What the paper is told of a fitted selector."""
    labels = None if y is None else np.asarray(y, dtype=object)
    fitted = Fitted(selector, X, labels, names)
    summary = summarise(fitted, kept=int(selector.n_features_) if kept else None, label=label)
    return add_paper({**summary, "evaluation": evaluation}, fitted, *([run] if run else []))["paper"]


def told(selector, *args, **options):
    """The paragraph on methods, and the keys of what it cites."""
    paper = paper_of(selector, *args, **options)
    cited = [reference["bibtex"].split("{")[1].split(",")[0] for reference in paper["references"]]
    return paper["methods"], cited


@pytest.mark.parametrize("row", list(METHODS), ids=lambda row: row.name)
def test_every_method_states_its_criterion_and_cites_it(row):
    text, cited = told(rows.fitted(row, n_features_to_select=2))
    assert f"{len(rows.X)} samples and 5 features" in text
    assert f"eigenselect {es.__version__}" in text
    assert not re.search(r"[{}]|  |\.\.|None|<|phi\d", text)
    assert {"eigenselect", *row.cites} <= set(cited)
    assert len(cited) == len(set(cited))
    assert all(references()[key].cited in text for key in cited)
    assert row.statement.split("{")[0] in text
    assert "(the 2 best)" in text


class TestSettings:
    def test_numbers_are_those_of_the_fit(self):
        X, y = rows.X, rows.Y
        phi3 = es.SPEC(2, ranking="phi3", n_clusters=3, similarity="rbf").fit(X)
        iterated = es.IteratedSPEC(3, similarity="rbf").fit(X)
        for selector, words in (
            (
                es.SSelect(1, regularization=0.35, ranking="phi1", n_levels=3).fit(X, y),
                ["λ = 0.35", "3 levels", "1 was"],
            ),
            (phi3, [f"eigenvectors 2 to {phi3.n_clusters_} of"]),
            (es.SPEC(2, ranking="phi3", n_clusters=2, similarity="rbf").fit(X), ["eigenvector 2 of"]),
            (iterated, [f"{iterated.n_iter_} of at most 10"]),
            (es.ReliefF(2, difference="squared", n_neighbors=3).fit(X, y), ["3 nearest", "difference = 'squared'"]),
            (es.HSICScore(2).fit(X, y), ["unit deviation"]),
            (es.SSelect(2, ranking="phi3", similarity="rbf").fit(X, y), ["φ3, taken from"]),
            (es.TraceRatio(2, level="feature").fit(X, y), ["each by its ratio"]),
            (es.GearyC(Threshold(0.0)).fit(X), ["score ≥ 0, of"]),
            (es.MoranI(Threshold(0.0)).fit(X), ["score ≥ 0)"]),
        ):
            text = told(selector)[0]
            assert [word for word in words if word not in text] == [], selector
        assert "Other settings" not in told(es.ReliefF(2, n_neighbors=3, random_state=1).fit(X, y))[0]
        assert "All features" in told(es.FisherScore(2).fit(X, y), kept=False)[0]

    def test_labels(self):
        y = np.where(np.arange(len(rows.Y)) % 4 == 0, None, rows.Y.astype(object))
        numbers = rows.X @ np.arange(5.0)
        for selector, labels, words in (
            (es.LaplacianScore(2).fit(rows.X), None, "No labels"),
            (es.LaplacianScore(2).fit(rows.X), rows.Y, "took no part"),
            (es.TraceRatio(2, graphs="laplacian").fit(rows.X, rows.Y), rows.Y, "took no part"),
            (es.TraceRatio(2).fit(rows.X, rows.Y), rows.Y, "2 classes."),
            (es.SSelect(2).fit(rows.X, y), y, f"2 classes; {sum(value is None for value in y)} samples"),
            (es.ReliefF(2).fit(rows.X, numbers), numbers, "by RReliefF"),
        ):
            assert words in told(selector, y=labels)[0]
        assert "class" not in told(es.ReliefF(2).fit(rows.X, numbers), y=numbers)[0]
        assert "(type)" in told(es.LaplacianScore(2).fit(rows.X), label="type")[0]

    def test_graphs(self):
        X = np.abs(np.random.default_rng(0).normal(size=(30, 5)))
        distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
        near = np.argsort(distances + np.diag(np.full(30, np.inf)), axis=1)[:, :4]
        joined = np.zeros((30, 30), dtype=bool)
        joined[np.arange(30)[:, None], near] = True
        sigma = np.median(distances[np.triu(joined | joined.T)])
        for similarity, words in (
            (KNN(4), f"4 nearest .*σ = {sigma:.4g}"),
            (KNN(3, "binary"), "3 nearest .*weighted by 1"),
            (KNN(3, "cosine", metric="cosine"), "cosine distance"),
            (KNN(3, bandwidth="self-tuning"), "σᵢσⱼ"),
            (RBF(2.5), r"σ = 2\.5"),
            (Diffusion(0.5, 3), r"time 0\.5"),
            (Geodesic(3), "shortest path .* 3 nearest"),
            (FromTable(X[:, :2]), "another table"),
            ("linear", "inner product"),
            ("cosine", "their cosine"),
            (lambda X: X @ X.T, "<lambda>"),
        ):
            assert re.search(words, told(es.SPEC(2, similarity=similarity).fit(X), X, None)[0]), similarity
        given = es.SPEC(2).fit(X, similarity_matrix=np.ones((30, 30)))
        assert "given as a matrix" in told(given, X, None)[0]

    def test_spectral_functions(self):
        for function, words, cited in (
            (2.5, "λ^2.5", None), (Heat(3), "exp(-3 λ)", "Kondor"), (CAR(0.25), "ρ = 0.25", "Besag"),
            (np.sqrt, "sqrt(λ)", None),
        ):  # fmt: skip
            selector = es.SPEC(2, spectral_function=function).fit(rows.X)
            texts = [one["text"] for one in paper_of(selector)["references"]]
            assert words in told(selector)[0]
            assert cited is None or any(text.startswith(cited) for text in texts)
        assert "γ" not in told(es.SPEC(2).fit(rows.X))[0]

    def test_significance(self):
        selector = es.FisherScore(FDR(0.2, "by"), significance=True).fit(rows.X, rows.Y)
        text, cited = told(selector)
        assert f"{(selector.qvalues_ <= 0.2).sum()} of 5 tested" in text
        assert "Benjamini-Yekutieli" in text
        assert cited[-2:] == ["kazi1995refined", "benjamini1995controlling"]
        for route, words, keys in (
            (Split(3, 2), "3 folds, 2 times", {"liu2020cauchy"}),
            (Split(3, 2, combination="median"), "their median", set()),
            (Shadows(), "one permuted copy", set()),
            (Shadows(n_copies=2), "2 permuted copies", {"gimenez2019improving"}),
            (Shadows(n_repeats=3), "3 draws", {"ren2024derandomised"}),
        ):
            text, cited = told(es.SPEC(2, significance=route).fit(rows.X), y=None)
            assert words in text
            assert set(cited) & {"gimenez2019improving", "ren2024derandomised", "liu2020cauchy"} == keys
        scales = es.MultiscaleSPEC(2, similarity="class_labels", significance=True).fit(rows.X, rows.Y)
        assert "Cauchy" in told(scales)[0]
        plain, cited = told(es.FisherScore(2).fit(rows.X, rows.Y))
        assert "Cauchy" not in plain
        assert "benjamini1995controlling" not in cited

    def test_sources(self):
        X = pd.DataFrame(rows.X, index=[f"s{i}" for i in range(len(rows.X))], columns=NAMES)
        sources = [("own", TargetData()), ("other", AuxiliaryData(X.iloc[3:, :2]))]
        with pytest.warns(SourceWarning, match="3 of 60 samples"):
            selector = es.MSFS(2, sources=sources, weights="alignment").fit(X, rows.Y)
        text, cited = told(selector)
        assert "3 samples that" in text
        assert f"weight {selector.weights_[0]:.3g})" in text
        assert "cortes2012algorithms" in cited
        rankers = [("first", None, es.FisherScore()), ("second", None, es.LaplacianScore())]
        for aggregation, key in (("borda", "dwork2001rank"), ("rra", "kolde2012robust"), ("median", None)):
            text, cited = told(es.KOGS(2, rankers=rankers, aggregation=aggregation).fit(rows.X, rows.Y))
            assert f"joined by {aggregation}" in text
            assert "second (LaplacianScore(), weight 0.5)" in text
            assert [one for one in cited if one in ("dwork2001rank", "kolde2012robust")] == ([key] if key else [])

    def test_evaluation_stands_beside_its_null(self, two_groups):
        made = es.report(es.FisherScore(3).fit(*two_groups), *two_groups).summary
        facts, text = made["evaluation"], made["paper"]["methods"]
        for part, keys in (
            ("accuracy", ("mean", "deviation", "largest_class", "permuted")),
            ("stability", ("overlap",)),
        ):
            assert all(f"{facts[part][key]:.3f}" in text for key in keys)
        cited = {references()[key].text for key in ("kuncheva2007stability", "nogueira2018stability")}
        assert cited <= {reference["text"] for reference in made["paper"]["references"]}

    def test_a_selector_of_your_own_speaks_by_its_docstring(self):
        class Mine(es.Variance):
            """Choose features {by} hand."""

        text, cited = told(Mine(2).fit(rows.X), y=None)
        assert "Mine: choose features {by}" in text
        assert cited == ["eigenselect"]


class TestRun:
    def test_facts_from_python_and_from_a_command(self, monkeypatch):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
        selector = es.FisherScore(3).fit(rows.X, rows.Y)
        fitted = Fitted(selector, rows.X, rows.Y.astype(object), NAMES)
        summary = summarise(fitted, kept=3, label="group")
        before = copy.deepcopy(summary)
        facts = add_paper(summary, fitted)["paper"]
        assert summary == before
        assert facts["command"].endswith("FisherScore(n_features_to_select=3).fit(X, y)")
        assert (facts["label"], facts["date"], facts["versions"]["numpy"]) == ("group", "1970-01-02", np.__version__)
        run = Provenance(command="eigenselect rank -", seed="7", scaling="every feature at 1")
        typed = add_paper(summary, fitted, run)["paper"]
        assert (typed["command"], typed["seed"], typed["scaling"]) == (run.command, run.seed, run.scaling)
        assert "(every feature at 1)" in typed["methods"]
        for wrong in ("", "soon", "9" * 30):
            monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
            assert re.fullmatch(r"20\d\d-\d\d-\d\d", paper_of(selector)["date"])

    def test_seeds_and_steps_before_the_selector(self, two_groups):
        X, y = two_groups
        made = es.report(es.SPEC(2, random_state=3).fit(X), X, y, random_state=4, evaluation=False)
        assert made.summary["paper"]["seed"] == "3 (selector), 4 (report)"
        model = make_pipeline(StandardScaler(), "passthrough", es.FisherScore(2)).fit(X, y)
        assert "StandardScaler()" in es.report(model, X, y, evaluation=False).summary["paper"]["methods"]

    def test_calls_can_be_run(self):
        X, y = np.random.default_rng(0).normal(size=(9, 5)), np.arange(9) % 2
        S = np.exp(-abs(np.subtract.outer(np.arange(9), np.arange(9))))
        split = es.LaplacianScore(FDR(0.3), significance=Split(2), similarity=KNN(3))
        for selector, fit in (
            (es.SPEC(2, similarity=KNN(3), spectral_function=Heat(2.0), random_state=5), {}),
            (make_pipeline(StandardScaler(), split), {}),
            (es.LaplacianScore(2), {"similarity_matrix": S}),
        ):
            made = es.report(selector.fit(X, y, **fit), X, y, evaluation=False, fit_params=fit).summary
            *imports, call = made["paper"]["command"].splitlines()
            given = {"X": X, "y": y, **fit}
            exec("\n".join(imports), given)  # our own text
            again, last = eval(call, given), selector[-1] if hasattr(selector, "steps") else selector
            np.testing.assert_array_equal((again[-1] if hasattr(again, "steps") else again).scores_, last.scores_)
        many = es.MSFS(2, sources=[("all", TargetData()), ("set", FeatureSet([f"gene {j}" for j in range(20_000)]))])
        names = [f"gene {j}" for j in range(5)]
        with pytest.warns(SourceWarning):
            many.fit(pd.DataFrame(X, columns=names))
        assert len(paper_of(many, X, None, names=names)["command"]) < 5000


class TestHashes:
    def digest(self, X, **files):
        selector = es.Variance(2).fit(np.asarray(X.todense()) if sparse.issparse(X) else X)
        return paper_of(selector, X, None, **files, names=[f"x{j}" for j in range(X.shape[1])])["data_hash"]

    def test_of_numbers(self):
        X = np.random.default_rng(0).normal(size=(7, 5))
        expected = hashlib.sha256(b"7 x 5" + X.astype("<f8").tobytes(order="C")).hexdigest()
        for storage in (X, np.asfortranarray(X), X[::-1][::-1]):
            assert self.digest(storage).split()[0] == expected
        other = X.copy()
        other[3, 2] = np.nextafter(other[3, 2], 1)
        tables = [X, other, X[:, ::-1], X.reshape(5, 7), sparse.csr_array(X)]
        assert len({self.digest(table) for table in tables}) == len(tables)
        dense = np.where(X > 0.5, X, 0.0)
        dense[0] = range(1, 6)
        shuffled = sparse.csr_array(dense)
        shuffled.indices[:2], shuffled.data[:2] = shuffled.indices[1::-1].copy(), shuffled.data[1::-1].copy()
        shuffled.has_sorted_indices = False
        assert len({self.digest(table) for table in (sparse.csr_array(dense), sparse.csc_array(dense), shuffled)}) == 1

    def test_of_files(self, tmp_path, monkeypatch):
        """Every file once, as sha256sum has it; what is too large or gone is not read again."""
        X = np.random.default_rng(0).normal(size=(7, 5))
        paths = [tmp_path / name for name in ("a b.csv", "<i>.gmt")]
        for number, path in enumerate(paths):
            path.write_bytes(bytes(range(256)) * 5000 * (number + 1))  # more than one block

        def found(*files):
            return self.digest(X, run=Provenance(files=tuple(map(str, files)))).splitlines()

        assert found(*paths, paths[0], tmp_path) == [
            f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in paths
        ]
        assert found(tmp_path / "gone.csv", "-") == self.digest(X).splitlines()
        monkeypatch.setattr(provenance, "HASHED_FILES", 1)
        assert found(*paths)[1:] == ["and 1 file more"]
        monkeypatch.setattr(provenance, "HASHED_BYTES", 99)
        assert found(*paths)[0].startswith("not hashed")
        assert self.digest(X).startswith("not hashed")

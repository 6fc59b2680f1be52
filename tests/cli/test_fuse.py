"""``eigenselect fuse``: files in, one ranking out."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from tests.reporting.conftest import data_of

from eigenselect import MSFS
from eigenselect.multisource import (
    AuxiliaryData,
    FeatureInteractions,
    FeatureSet,
    FeatureSimilarity,
    SampleCategories,
    TargetData,
)
from eigenselect.similarity import KNN, RBF


@pytest.fixture
def files(tmp_path, rng):
    """A target with sample names and labels, and a file of each kind of knowledge."""
    y = np.arange(30) % 2
    X = pd.DataFrame(rng.normal(size=(30, 8)), columns=[f"G{j}" for j in range(8)])
    X[["G2", "G5"]] += 3 * y[:, None]
    names = [f"p{i:02}" for i in range(30)]
    X.assign(id=names, type=np.where(y, "tumour", "normal")).to_csv(tmp_path / "mrna.csv", index=False)
    Z = pd.DataFrame(rng.normal(size=(30, 3)) + 4 * y[:, None], index=names)
    Z.iloc[rng.permutation(30)].to_csv(tmp_path / "mirna.csv", index_label="sample")
    (tmp_path / "sets.gmt").write_text("CYCLE\tna\tG1\tG2\tG5\tMYC\nOTHER\tna\tG0\n")
    (tmp_path / "go.csv").write_text("gene,term\n" + "".join(f"G{j},t{j % 3}\n" for j in range(8)))
    (tmp_path / "edges.txt").write_text("G2 G5\nG5 G7\n")
    return tmp_path, X, y, names, Z


def words(folder):
    return [
        "fuse", folder / "mrna.csv", "--samples", "id", "--label", "type",
        "--auxiliary", f"mirna={folder / 'mirna.csv'}", "--gene-set", f"cycle={folder / 'sets.gmt'}:CYCLE",
        "--annotation", f"go={folder / 'go.csv'}", "--interactions", f"ppi={folder / 'edges.txt'}", "--with-labels",
    ]  # fmt: skip


def library_sources(folder, y, Z):
    terms = np.eye(3)[np.arange(8) % 3]
    return [
        ("target", TargetData()),
        ("mirna", AuxiliaryData(Z)),
        ("cycle", FeatureSet(["G1", "G2", "G5"])),
        ("go", FeatureSimilarity(terms, [f"G{j}" for j in range(8)])),
        ("ppi", FeatureInteractions([("G2", "G5"), ("G5", "G7")])),
        ("labels", SampleCategories(y)),
    ]


@pytest.mark.parametrize("weights", ["equal", "learn", "alignment"])
def test_every_kind_of_source(call, files, weights):
    folder, X, y, names, Z = files
    code, out, err = call(*words(folder), "--weights", weights, "-k", "3", "--json")
    assert code == 0, err
    result = json.loads(out)
    rule = {"learn": "discriminant"}.get(weights, weights)
    selector = MSFS(3, sources=library_sources(folder, y, Z), weights=rule).fit(X, y, sample_names=names)
    order = np.argsort(selector.ranking_)[:3]
    assert [f["feature"] for f in result["features"]] == list(X.columns[order])
    assert [f["score"] for f in result["features"]] == pytest.approx(selector.scores_[order], rel=1e-9)
    assert list(result["sources"]) == ["target", "mirna", "cycle", "go", "ppi", "labels"]
    found = [source["weight"] for source in result["sources"].values()]
    np.testing.assert_allclose(found, selector.weights_, atol=1e-12)
    assert "cycle: 3 of 4 features of the set are in the target" in err


def test_numbers_by_name(call, files):
    folder, *_ = files
    arguments = [*words(folder)[:8], "--weights", "mirna=3,target=1"]
    code, out, err = call(*arguments)
    assert code == 0, err
    assert "source: target, weight 0.25, KNN" in err
    assert "source: mirna, weight 0.75, KNN" in err
    assert "method: msfs" in err
    assert out.splitlines()[0].startswith("rank")


class TestSimilarities:
    NAMED = (
        "--source-similarity target=knn:k=4 --source-similarity mirna=knn:k=3,weight=binary "
        "--source-similarity cycle=rbf:bandwidth=2 "
        "--source-similarity go=rbf:bandwidth=3 --source-similarity ppi=rbf:bandwidth=1"
    )

    def test_every_source_can_name_its_own(self, call, files):
        folder, X, y, names, Z = files
        code, out, err = call(*words(folder), *self.NAMED.split(), "--json")
        assert code == 0, err
        sources = dict(library_sources(folder, y, Z))
        for name, similarity in (
            ("target", KNN(4)),
            ("mirna", KNN(3, weight="binary")),
            ("cycle", RBF(bandwidth=2)),
            ("ppi", RBF(bandwidth=1)),
            ("go", RBF(bandwidth=3)),
        ):
            sources[name].set_params(similarity=similarity)
        selector = MSFS(sources=list(sources.items())).fit(X, y, sample_names=names)
        found = {f["column"]: f["score"] for f in json.loads(out)["features"]}
        np.testing.assert_allclose([found[j] for j in range(8)], selector.scores_, rtol=1e-9)
        plain = {f["column"]: f["score"] for f in json.loads(call(*words(folder), "--json")[1])["features"]}
        assert found != pytest.approx(plain)
        for says in ("source: target, weight 0.167, KNN", "source: mirna, weight 0.167, KNN"):
            assert says in err

    @pytest.mark.parametrize(
        ("value", "code", "says"),
        [
            ("knn", 2, "'knn' is not NAME=SIMILARITY."),
            ("mrna=knn", 2, "'mrna' is none of target, mirna, cycle, go, ppi, labels; did you mean 'mirna'?"),
            ("mirna=kn", 2, "did you mean 'knn'?"),
            ("mirna=knn:kk=3", 2, "'kk=3' is no option of knn"),
            ("mirna=class_labels", 2, "is made of labels; --with-labels takes them as a source."),
            ("go=cosine", 1, "similarity must be made of Euclidean distances, as 'knn' and 'rbf' are"),
            ("labels=knn", 2, "labels are alike within their class, there is no choice."),
            ("target=knn:k=99", 1, "n_neighbors"),
        ],
    )
    def test_what_cannot_be_meant(self, call, files, value, code, says):
        found, out, err = call(*words(files[0]), "--source-similarity", value)
        assert (found, out) == (code, ""), err
        assert says in " ".join(err.split())


def test_a_file_of_the_ranking(call, files):
    folder, *_ = files
    code, out, _ = call(*words(folder)[:8], "-o", folder / "ranking.csv", "-k", "2")
    assert (code, out) == (0, "")
    assert list(pd.read_csv(folder / "ranking.csv")["feature"]) == ["G2", "G5"]
    code, _, err = call(*words(folder)[:8], "-o", folder / "ranking.csv")
    assert code == 1
    assert "exists" in err


def test_without_names_by_position(call, files):
    folder, X, _, _, Z = files
    X.to_csv(folder / "plain.csv", index=False)
    Z.to_csv(folder / "plain_mirna.csv", index=False)
    code, out, err = call("fuse", folder / "plain.csv", "--auxiliary", f"m={folder / 'plain_mirna.csv'}", "--json")
    assert code == 0, err
    assert "samples are matched with other tables by their place; --samples COLUMN would match them by name" in err
    expected = MSFS(sources=[("t", TargetData()), ("m", AuxiliaryData(Z.to_numpy()))]).fit(X.to_numpy())
    found = {f["column"]: f["rank"] for f in json.loads(out)["features"]}
    assert [found[j] for j in range(8)] == list(expected.ranking_)


def test_an_unnamed_first_column_names_the_samples(call, files):
    folder, X, _, names, Z = files
    X.set_axis(names).to_csv(folder / "indexed.csv")
    code, out, err = call("fuse", folder / "indexed.csv", "--auxiliary", f"m={folder / 'mirna.csv'}", "--json")
    assert code == 0, err
    expected = MSFS(sources=[("t", TargetData()), ("m", AuxiliaryData(Z))]).fit(X.set_axis(names))
    found = {f["column"]: f["rank"] for f in json.loads(out)["features"]}
    assert [found[j] for j in range(8)] == list(expected.ranking_)


def test_missing_samples_are_counted(call, files):
    folder, _, _, _, Z = files
    Z.iloc[2:].to_csv(folder / "fewer.csv", index_label="sample")
    code, _, err = call(
        "fuse", folder / "mrna.csv", "--samples", "id", "--ignore", "type", "--auxiliary", f"m={folder / 'fewer.csv'}"
    )
    assert code == 0, err
    assert "2 of 30 samples are left out, because a source does not know them (m misses 2)" in err


@pytest.mark.parametrize(
    ("extra", "code", "says"),
    [
        (["--auxiliary", "mirna.csv"], 2, "is not NAME=FILE"),
        (["--auxiliary", "m=nowhere.csv"], 1, "nowhere.csv: there is no such file."),
        (["--gene-set", "c={folder}/sets.gmt"], 2, "name the set after a colon"),
        (["--gene-set", "c={folder}/sets.gmt:CYCL"], 1, "no set named 'CYCL'; did you mean 'CYCLE'?"),
        (["--interactions", "i={folder}/sets.gmt"], 1, "line 1 is no interaction"),
        (["--weights", "target=much"], 2, "NAME=NUMBER"),
        (["--weights", "learm"], 2, "; did you mean 'learn'?"),
        (["--ranking", "phi4"], 2, "'phi4' is none of phi1, phi2, phi3; did you mean"),
        (["--weights", "target=1,target=2"], 2, "target is named twice"),
        (["--weights", "mirna=1"], 1, "unknown: ['mirna']"),
        (["--without-target"], 2, "no source is left"),
        (["--weights", "learn", "--auxiliary", "m={folder}/mirna.csv", "--samples", "id"], 1, "requires y"),
    ],
)
def test_bad_usage(call, files, extra, code, says):
    folder, *_ = files
    extra = [word.replace("{folder}", str(folder)) for word in extra]
    got, _, err = call(
        "fuse", folder / "mrna.csv", "--ignore", "type", *([] if "--samples" in extra else ["--ignore", "id"]), *extra
    )
    assert got == code, err
    assert says in err


def test_labels_as_a_source_need_labels(call, files):
    code, _, err = call("fuse", files[0] / "mrna.csv", "--samples", "id", "--ignore", "type", "--with-labels")
    assert code == 2
    assert "--with-labels needs --label" in err


def test_set_names_with_colons_and_samples_called_007(call, files):
    folder, X, *_ = files
    (folder / "go.gmt").write_text("GO:0006915\tna\tG1\tG2\n")
    names = [f"{i:03}" for i in range(30)]
    X.assign(id=names).to_csv(folder / "t.csv", index=False)
    pd.DataFrame(np.arange(30.0), index=names).to_csv(folder / "z.csv", index_label="id")
    code, _, err = call(
        "fuse",
        folder / "t.csv",
        "--samples",
        "id",
        "--gene-set",
        f"a={folder / 'go.gmt'}:GO:0006915",
        "--auxiliary",
        f"z={folder / 'z.csv'}",
    )
    assert code == 0, err
    assert "left out" not in err


@pytest.mark.parametrize(("extra", "unused"), [([], True), (["--with-labels"], False), (["--weights", "learn"], False)])
def test_labels_without_a_part_in_it_are_said_to_be_unused(call, files, extra, unused):
    folder = files[0]
    code, _, err = call(
        "fuse",
        folder / "mrna.csv",
        "--samples",
        "id",
        "--label",
        "type",
        "--auxiliary",
        f"m={folder / 'mirna.csv'}",
        *extra,
    )
    assert code == 0, err
    assert ("'type' is left out and not used; --with-labels or --weights learn would use it" in err) == unused


def test_more_features_than_there_are(call, files):
    code, _, err = call("fuse", files[0] / "mrna.csv", "--samples", "id", "--label", "type", "-k", "9")
    assert code == 1
    assert "-k 9: the table has 8 features to rank" in err


class TestEvaluation:
    def test_sources_are_matched_by_name_in_every_refit(self, call, files):
        folder, *_ = files
        code, _, err = call(*words(folder), "-k", "2", "--report", folder / "page.html")
        assert code == 0, err
        found = data_of((folder / "page.html").read_text(encoding="utf-8"))["evaluation"]
        assert not found["missing"]
        assert found["accuracy"]["beyond_chance"]
        assert found["stability"]["of"] == "the labels"

    def test_by_place_they_cannot_be(self, call, files):
        folder, *_ = files
        pd.read_csv(folder / "mirna.csv").drop(columns="sample").to_csv(folder / "places.csv", index=False)
        pd.read_csv(folder / "mrna.csv").drop(columns=["id", "type"]).to_csv(folder / "plain.csv", index=False)
        page = folder / "page.html"
        code, _, err = call("fuse", folder / "plain.csv", "--auxiliary", f"m={folder / 'places.csv'}", "-k", "2",
                            "--report", page)  # fmt: skip
        assert code == 0, err
        found = data_of(page.read_text(encoding="utf-8"))["evaluation"]
        assert "a refit was not possible" in found["missing"]["stability"]
        assert found["band"] is not None

    def test_it_can_be_turned_off(self, call, files):
        folder, *_ = files
        code, _, err = call(*words(folder), "-k", "2", "--report", folder / "page.html", "--no-evaluation")
        assert code == 0, err
        assert data_of((folder / "page.html").read_text(encoding="utf-8"))["evaluation"] is None


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (("--auxiliary", "mirna={}/mirna.csv"), "the source target is made of these features"),
        (("--auxiliary", "mirna={}/mirna.csv", "--with-labels"), "tests on mirna, labels, if these features did"),
        ((), "Nothing gives p-values on such a fusion."),
        (("--interactions", "ppi={}/edges.txt"), "the sources target, ppi are made of these features"),
    ],
)
def test_what_is_said_instead_of_p_values_can_be_typed(call, files, sources, said):
    folder = files[0]
    start = ("fuse", folder / "mrna.csv", "--samples", "id", "--label", "type")
    sources = [word.format(folder) for word in sources]
    code, _, err = call(*start, *sources)
    assert code == 0, err
    assert said in err
    options = re.findall(r"\((--[^,)]*)", re.search("significance: .*", err)[0])
    advice = " ".join(options).replace("NAME=FILE", f"mirna={folder}/mirna.csv").split()
    kept = [word for word in sources if word not in ("--interactions", f"ppi={folder}/edges.txt")]
    code, out, err = call(*start, *kept, *advice, "--json")
    assert code == 0, err
    assert json.loads(out)["significance"]["n_tested"] == 8


def test_a_table_alone_is_tested_by_rank(call, files):
    start = (files[0] / "mrna.csv", "--samples", "id", "--ignore", "type")
    advice = re.search("rank (--significance split) tests on the table alone", call("fuse", *start)[2])[1].split()
    code, out, err = call("rank", *start, *advice, "--json")
    assert code == 0, err
    assert json.loads(out)["significance"]["n_tested"] == 8

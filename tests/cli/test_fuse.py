"""``eigenselect fuse``: files in, one ranking out."""

import json
import re

import numpy as np
import pandas as pd
import pytest

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
def files(tmp_path, rng, monkeypatch):
    """A target with sample names and labels, and a file of each kind of knowledge, in the working directory."""
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
    monkeypatch.chdir(tmp_path)
    return X, y, names, Z


NAMED = ("fuse", "mrna.csv", "--samples", "id", "--label", "type")
UNLABELLED = ("fuse", "mrna.csv", "--samples", "id", "--ignore", "type")
MIRNA = ("--auxiliary", "mirna=mirna.csv")
KNOWLEDGE = ("--gene-set", "cycle=sets.gmt:CYCLE", "--annotation", "go=go.csv", "--interactions", "ppi=edges.txt")
ALL = (*NAMED, *MIRNA, *KNOWLEDGE, "--with-labels")


def library_sources(y, Z):
    return {
        "target": TargetData(),
        "mirna": AuxiliaryData(Z),
        "cycle": FeatureSet(["G1", "G2", "G5"]),
        "go": FeatureSimilarity(np.eye(3)[np.arange(8) % 3], [f"G{j}" for j in range(8)]),
        "ppi": FeatureInteractions([("G2", "G5"), ("G5", "G7")]),
        "labels": SampleCategories(y),
    }


def test_fuse_snapshot(transcript, snapshot, tmp_path):
    """Whole numbers: no digit hangs on the CPU."""
    rows = [f"s{i},{i % 2 * 8 + i % 3},{i * i % 7},{i % 5},{'ab'[i % 2]}" for i in range(20)]
    (tmp_path / "sets.gmt").write_text("CYCLE\tna\tgene 1\tgene 3\tMYC\n")
    line = "fuse table.csv --samples id --label type --with-labels --gene-set cycle=sets.gmt:CYCLE -k 2"
    snapshot("fuse.txt", transcript(line, ["id,gene 1,gene 2,gene 3,type", *rows]))


@pytest.mark.parametrize("weights", ["equal", "learn", "alignment"])
def test_every_kind_of_source(succeed, files, weights):
    X, y, names, Z = files
    done = succeed(*ALL, "--weights", weights, "-k", "3", "--json")
    result = json.loads(done.out)
    rule = {"learn": "discriminant"}.get(weights, weights)
    sources = library_sources(y, Z)
    selector = MSFS(3, sources=list(sources.items()), weights=rule).fit(X, y, sample_names=names)
    order = np.argsort(selector.ranking_)[:3]
    assert [f["feature"] for f in result["features"]] == list(X.columns[order])
    assert [f["score"] for f in result["features"]] == pytest.approx(selector.scores_[order], rel=1e-9)
    assert list(result["sources"]) == list(sources)
    np.testing.assert_allclose([s["weight"] for s in result["sources"].values()], selector.weights_, atol=1e-12)
    assert "cycle: 3 of 4" in done.err


def test_weights_by_name(succeed, files):
    err = succeed(*NAMED, *MIRNA, "--weights", "mirna=3,target=1").err
    assert "target, weight 0.25, KNN" in err
    assert "mirna, weight 0.75, KNN" in err
    assert "method: msfs" in err


class TestSimilarities:
    def test_every_source_can_name_its_own(self, summary_of, by_column, files):
        X, y, names, Z = files
        own = {
            "target=knn:k=4": KNN(4),
            "mirna=knn:k=3,weight=binary": KNN(3, weight="binary"),
            "cycle=rbf:bandwidth=2": RBF(bandwidth=2),
            "go=rbf:bandwidth=3": RBF(bandwidth=3),
            "ppi=rbf:bandwidth=1": RBF(bandwidth=1),
        }
        words, sources = [], library_sources(y, Z)
        for text, similarity in own.items():
            sources[text.split("=")[0]].set_params(similarity=similarity)
            words += ["--source-similarity", text]
        selector = MSFS(sources=list(sources.items())).fit(X, y, sample_names=names)
        found = by_column(summary_of(*ALL, *words), "score")
        np.testing.assert_allclose(found, selector.scores_, rtol=1e-9)
        assert found != pytest.approx(by_column(summary_of(*ALL), "score"))

    def test_what_cannot_be_meant(self, refused, files):
        for value, code, keyword in (
            ("knn", 2, "NAME=SIMILARITY"),
            ("mrna=knn", 2, "did you mean 'mirna'?"),
            ("mirna=kn", 2, "did you mean 'knn'?"),
            ("mirna=knn:kk=3", 2, "'kk=3'"),
            ("mirna=class_labels", 2, "--with-labels"),
            ("go=cosine", 1, "'knn' and 'rbf'"),
            ("labels=knn", 2, "labels"),
            ("target=knn:k=99", 1, "n_neighbors"),
        ):
            refused(code, keyword, *ALL, "--source-similarity", value)


class TestMatching:
    def test_without_names_by_position(self, succeed, by_column, files):
        X, _, _, Z = files
        X.to_csv("plain.csv", index=False)
        Z.to_csv("plain_mirna.csv", index=False)
        done = succeed("fuse", "plain.csv", "--auxiliary", "m=plain_mirna.csv", "--json")
        assert "--samples COLUMN" in done.err
        expected = MSFS(sources=[("t", TargetData()), ("m", AuxiliaryData(Z.to_numpy()))]).fit(X.to_numpy())
        assert by_column(json.loads(done.out), "rank") == list(expected.ranking_)

    def test_an_unnamed_first_column_names_the_samples(self, summary_of, by_column, files):
        X, _, names, Z = files
        X.set_axis(names).to_csv("indexed.csv")
        expected = MSFS(sources=[("t", TargetData()), ("m", AuxiliaryData(Z))]).fit(X.set_axis(names))
        assert by_column(summary_of("fuse", "indexed.csv", *MIRNA), "rank") == list(expected.ranking_)

    def test_missing_samples_are_counted(self, succeed, files):
        files[3].iloc[2:].to_csv("fewer.csv", index_label="sample")
        err = succeed(*UNLABELLED, "--auxiliary", "m=fewer.csv").err
        assert "2 of 30 samples" in err
        assert "m misses 2" in err


def test_bad_usage(refused, files):
    for words, code, keyword in (
        ("--auxiliary mirna.csv", 2, "NAME=FILE"),
        ("--auxiliary m=nowhere.csv", 1, "nowhere.csv: there is"),
        ("--gene-set c=sets.gmt", 2, "after a colon"),
        ("--gene-set c=sets.gmt:CYCL", 1, "did you mean 'CYCLE'?"),
        ("--interactions i=sets.gmt", 1, "line 1"),
        ("--weights target=much", 2, "NAME=NUMBER"),
        ("--weights learm", 2, "did you mean 'learn'?"),
        ("--ranking phi4", 2, "'phi4' is none of"),
        ("--weights target=1,target=2", 2, "target is named twice"),
        ("--weights mirna=1", 1, "['mirna']"),
        ("--without-target", 2, "no source is left"),
        ("--weights learn --auxiliary m=mirna.csv", 1, "requires y"),
        ("--with-labels", 2, "needs --label"),
        ("-k 9", 1, "-k 9: the table"),
        ("--obsm spatial", 2, "--obsm is for rank"),
        ("--obsp connectivities", 2, "--obsp is for rank"),
    ):
        refused(code, keyword, *UNLABELLED, *words.split())


@pytest.mark.parametrize(("extra", "unused"), [([], True), (["--with-labels"], False), (["--weights", "learn"], False)])
def test_labels_without_a_part_in_it_are_said_to_be_unused(succeed, files, extra, unused):
    assert ("'type' is left out" in succeed(*NAMED, *MIRNA, *extra).err) == unused


class TestSignificance:
    @pytest.mark.parametrize(
        ("sources", "said"),
        [
            (MIRNA, "the source target"),
            ((*MIRNA, "--with-labels"), "mirna, labels"),
            ((), "Nothing gives p-values"),
            (("--interactions", "ppi=edges.txt"), "the sources target, ppi"),
        ],
    )
    def test_what_is_said_instead_of_p_values_can_be_typed(self, succeed, summary_of, files, sources, said):
        err = succeed(*NAMED, *sources).err
        assert said in err
        options = re.findall(r"\((--[^,)]*)", re.search("significance: .*", err)[0])
        advice = " ".join(options).replace("NAME=FILE", "mirna=mirna.csv").split()
        kept = [word for word in sources if word not in ("--interactions", "ppi=edges.txt")]
        assert summary_of(*NAMED, *kept, *advice)["significance"]["n_tested"] == 8

    def test_a_table_alone_is_tested_by_rank(self, succeed, summary_of, files):
        advice = re.search("rank (--significance split)", succeed(*UNLABELLED).err)[1].split()
        assert summary_of("rank", *UNLABELLED[1:], *advice)["significance"]["n_tested"] == 8

    def test_sources_from_elsewhere_are_honest(self, summary_of, files):
        words = (*UNLABELLED, *MIRNA, "--without-target")
        assert summary_of(*words)["significance"] is None
        found = summary_of(*words, "--significance", "true", "-k", "fdr")
        assert {row["feature"] for row in found["features"][:2]} == {"G2", "G5"}
        assert all(row["qvalue"] <= 0.05 for row in found["features"])

    def test_what_is_refused(self, refused, files):
        for words, keyword in (
            ("--significance true", "the source target"),
            ("--significance split", "use rank"),
            ("--significance shadows -k fdr", "sources come from elsewhere"),
            ("-k fdr", "--significance true"),
            ("--alpha 0.1", "--alpha"),
        ):
            refused(2, keyword, *UNLABELLED, *words.split())

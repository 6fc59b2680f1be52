"""``eigenselect rank``: the ranking is the library's, whatever method and options."""

import re

import numpy as np
import pandas as pd
import pytest

from eigenselect import MRSF, SPEC, FisherScore, LaplacianScore, SSelect, report
from eigenselect.criteria.methods import METHODS, Default, Labels, Option
from eigenselect.exceptions import KneeWarning
from eigenselect.reporting.page import rounded
from eigenselect.similarity import KNN

RANKED = [row for row in METHODS if row.command == "rank"]


def test_rank_snapshot(transcript, snapshot):
    """Whole numbers and two classes: no digit hangs on the CPU."""
    rows = [f"{i % 2 * 8 + i % 3},{i * i % 7},{i % 5},{'ab'[i % 2]}" for i in range(20)]
    snapshot("rank.txt", transcript("rank table.csv --label type -k 2", ["gene 1,gene 2,gene 3,type", *rows]))


def test_every_method(summary_of, by_column, refused, data_csv, frame):
    """With labels and without; where labels change the graph, as its row says."""
    X = frame.drop(columns="y")
    for row in RANKED:
        for words, y in ((("--label", "y"), frame["y"]), (("--ignore", "y"), None)):
            if y is None and row.labels is Labels.NEEDED:
                refused(2, [row.name, "needs --label"], "rank", data_csv, *words, "--method", row.name)
                continue
            graph = {"similarity": row.similarity_with_labels} if row.similarity_with_labels and y is not None else {}
            graph = row.default_for.get(Default.UNLABELLED_TOGETHER if y is None else Default.CLASSES_TOGETHER, graph)
            selector = row.selector_class()(**row.parameters, **graph, random_state=0)
            selector.fit(X, None if row.labels is Labels.NONE else y)
            ranks = [int(rank) if rank <= selector.n_ordered_ else None for rank in selector.ranking_]
            found = summary_of("rank", data_csv, *words, "--method", row.name)
            assert by_column(found, "rank") == ranks, (row.name, words)


def test_options_are_taken_or_refused_as_the_row_says(call, refused, data_csv, frame):
    frame.drop(columns="y").iloc[:, :3].assign(y=frame["y"]).to_csv(data_csv, index=False)
    values = {Option.SIMILARITY: "knn:k=5", Option.POWER: "2", Option.CLUSTERS: "3", Option.TARGET: "svm"}
    for row in RANKED:
        for option in Option:
            words = ("rank", data_csv, "--label", "y", "--method", row.name, f"--{option}", values[option], "-q")
            if option in row.options:
                assert call(*words).code == 0, words
            else:
                refused(2, f"--{option} ", *words)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "--method spec-phi3 --clusters 3 --power 2 --similarity rbf",
            SPEC(ranking="phi3", n_clusters=3, spectral_function=2, similarity="rbf"),
        ),
        (
            "--method spec-phi1 --similarity knn:k=5,weight=binary",
            SPEC(ranking="phi1", similarity=KNN(n_neighbors=5, weight="binary")),
        ),
        ("--method laplacian --similarity rbf --jobs 2", LaplacianScore(similarity="rbf")),
    ],
)
def test_options_reach_the_method(summary_of, by_column, data_csv, frame, words, expected):
    found = summary_of("rank", data_csv, "--ignore", "y", *words.split())
    np.testing.assert_allclose(by_column(found, "score"), expected.fit(frame.drop(columns="y")).scores_, rtol=1e-9)


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("of_four", [1, 3])
def test_of_empty_labels_the_others_count(summary_of, by_column, succeed, data_csv, frame, numbers, of_four):
    y = pd.factorize(frame["y"])[0] if numbers else frame["y"].to_numpy(dtype=object)
    partly = pd.Series(y).where(np.arange(40) % 4 < of_four)
    frame.assign(y=partly).to_csv(data_csv, index=False)
    known, X = partly.notna(), frame.drop(columns="y")
    result = summary_of("rank", data_csv, "--label", "y", "-k", "fdr")
    expected = FisherScore("fdr").fit(X[known], partly[known])
    assert (result["method"], result["n_samples"]) == ("fisher", known.sum())
    assert [row["column"] for row in result["features"]] == sorted(
        expected.get_support(indices=True), key=lambda column: expected.ranking_[column]
    )
    (said,) = [line for line in succeed("rank", data_csv, "--label", "y").err.splitlines() if "sselect" in line]
    assert f"{(~known).sum()} of 40 samples" in said
    result = summary_of("rank", data_csv, "--label", "y", "--method", "sselect")
    assert by_column(result, "rank") == list(SSelect().fit(X, partly).ranking_)
    assert "not used" in succeed("rank", data_csv, "--label", "y", "--method", "laplacian").err


def test_without_labels_some_are_chosen_together_and_all_are_ordered_one_by_one(
    summary_of, data_csv, frame, monkeypatch
):
    """docs/unsupervised.md says why."""
    X = frame.drop(columns="y")
    some = summary_of("rank", data_csv, "--ignore", "y", "-k", "3")
    assert some["method"] == "mrsf"
    assert [f["feature"] for f in some["features"]] == list(X.columns[MRSF(3, similarity="knn").fit(X).path_])
    for words in ((), ("-k", "0.5"), ("-k", "auto")):
        assert summary_of("rank", data_csv, "--ignore", "y", *words)["method"] == "laplacian"
    monkeypatch.setattr("eigenselect.cli.run.MOST_TOGETHER", 39)
    assert summary_of("rank", data_csv, "--ignore", "y", "-k", "3")["method"] == "laplacian"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--label y", {"target": "lda"}),
        ("--label y --target lda", {"target": "lda"}),
        ("--label y --target svm", {"target": "svm"}),
        ("--label y --target pca", {"target": "pca"}),
        ("--label y --target similarity", {"similarity": "class_labels"}),
        ("--label y --similarity rbf", {"similarity": "rbf"}),
        ("--ignore y", {"similarity": "knn"}),
        ("--ignore y --target similarity", {"similarity": "knn"}),
        ("--ignore y --similarity rbf", {"similarity": "rbf"}),
        ("--ignore y --target pca", {"target": "pca"}),
    ],
)
def test_the_target_of_features_chosen_together(succeed, summary_of, data_csv, frame, words, expected):
    X, line = frame.drop(columns="y"), ("rank", data_csv, "--method", "mrsf", "-k", 3, *words.split())
    found = [row["feature"] for row in summary_of(*line)["features"]]
    assert found == list(X.columns[MRSF(3, **expected).fit(X, frame["y"]).path_])
    used = expected.get("target") in ("lda", "svm") or "class_labels" in expected.values()
    assert ("not used" in succeed(*line).err) == ("--label" in words and not used)


def test_a_target_and_what_it_cannot_use(refused, data_csv, frame, cells_path):
    line = ("rank", data_csv, "--label", "y", "--method", "mrsf", "--target", "lda")
    refused(2, ["--target lda", "--similarity knn"], *line, "--similarity", "knn")
    refused(2, ["lda", "--obsp"], "rank", cells_path, "--label", "type", *line[4:], "--obsp", "connectivities")
    refused(2, ["--target", "mrsf"], "rank", data_csv, "--label", "y", "--target", "lda")
    frame.assign(y=frame["y"].mask(frame.index < 3)).to_csv(data_csv, index=False)
    refused(1, ["3 samples", "--drop-unlabelled"], *line)
    frame.assign(y=np.linspace(0, 1, 40)).to_csv(data_csv, index=False)
    refused(1, "--method hsic", *line)


def test_units_are_named_with_the_option_that_mends_them(succeed, data_csv, frame):
    frame.assign(f3=frame["f3"] * 1000).to_csv(data_csv, index=False)
    err = succeed("rank", data_csv, "--ignore", "y").err
    assert re.search("warning: .*'f3'.*--scale standard", err)
    assert "warning" not in succeed("rank", data_csv, "--ignore", "y", "--scale", "standard").err


def test_numbers_of_features(summary_of, data_csv, frame):
    with pytest.warns(KneeWarning):
        knee = LaplacianScore("auto").fit(frame.drop(columns="y")).n_features_
    assert summary_of("rank", data_csv, "--ignore", "y", "-k", "auto")["warnings"] == []
    for text, count in (("auto", knee), ("0.5", 3), ("5e-1", 3), ("1.0", 7), ("1", 1), ("3", 3)):
        assert summary_of("rank", data_csv, "--ignore", "y", "-k", text)["n_selected"] == count, text


def test_unused_labels_are_said_to_be_unused(succeed, data_csv):
    for words, unused in (
        ("--method laplacian", True),
        ("--method laplacian --similarity class_labels", False),
        ("--method spec-phi2 --similarity knn", True),
        ("--method spec-phi2 --similarity class_labels", False),
        ("--method spec-phi2 --similarity hit_miss", False),
        ("", False),
    ):
        done = succeed("rank", data_csv, "--label", "y", *words.split())
        assert ("y is left out" in done.err) == unused, words
        assert "tumour" not in done.out


def test_undefined_scores_are_null_last_and_warned_about(succeed, summary_of, data_csv, frame):
    frame.assign(f0=1.5).to_csv(data_csv, index=False)
    last = summary_of("rank", data_csv, "--label", "y")["features"][-1]
    assert (last["feature"], last["score"]) == ("f0", None)
    assert "has no score" in succeed("rank", data_csv, "--label", "y").err


def test_features_that_are_not_ordered_have_no_rank(succeed, summary_of, data_csv, tmp_path):
    words = ("rank", data_csv, "--label", "y", "--method", "mrsf")
    result = summary_of(*words)
    ranks = [row["rank"] for row in result["features"]]
    assert ranks == [*range(1, result["n_ordered"] + 1), *[None] * (7 - result["n_ordered"])]
    assert 0 < result["n_ordered"] < 7
    lines = succeed(*words).out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == ["–" if rank is None else str(rank) for rank in ranks]
    succeed(*words, "-o", tmp_path / "r.csv")
    assert pd.read_csv(tmp_path / "r.csv")["rank"].isna().sum() == 7 - result["n_ordered"]


class TestPrinted:
    def test_one_column_of_scores_unless_asked(self, succeed, data_csv):
        plain = succeed("rank", data_csv, "--label", "y", "-q").out.splitlines()
        both = succeed("rank", data_csv, "--label", "y", "-q", "--native").out.splitlines()
        assert plain[0].split() == ["rank", "feature", "score", "p", "q"]
        assert both[0].split()[:4] == ["rank", "feature", "score", "fisher"]
        assert "(large is good)" in both[0]
        assert len(plain) == len(both) == 9

    def test_no_bars_below_zero(self, succeed, summary_of, data_csv):
        """Bars start at zero: half of the highest score is half of its bar."""
        words = ("rank", data_csv, "--label", "y", "--method", "relieff")
        scores = [row["score"] for row in summary_of(*words)["features"]]
        lengths = [line.count("█") for line in succeed(*words, "-q").out.splitlines()[2:]]
        assert min(scores) < 0 < max(scores)
        assert [length > 0 for length in lengths] == [score >= 0 for score in scores]
        for score, length in zip(scores, lengths, strict=True):
            assert score < 0 or abs(length - lengths[0] * score / scores[0]) <= 1


class TestEvaluation:
    def test_a_page_says_what_refits_say(self, succeed, page_data, data_csv, frame, tmp_path):
        page = tmp_path / "page.html"
        succeed("rank", data_csv, "--label", "y", "-k", "2", "--method", "fisher", "--report", page)
        X = frame.drop(columns="y")
        expected = report(FisherScore(2, random_state=0).fit(X, frame["y"]), X, frame["y"]).summary["evaluation"]
        assert page_data(page)["evaluation"] == rounded(expected)
        assert expected["accuracy"]["beyond_chance"]

    def test_it_is_left_out_on_request_and_without_a_page(
        self, succeed, summary_of, page_data, data_csv, tmp_path, monkeypatch
    ):
        monkeypatch.setattr("eigenselect.reporting.add_evaluation", None)  # it is not called
        page, words = tmp_path / "page.html", ("rank", data_csv, "--label", "y", "-k", "2")
        succeed(*words, "--report", page, "--no-evaluation")
        assert page_data(page)["evaluation"] is None
        assert "evaluation" not in summary_of(*words)

    def test_a_graph_of_the_file_is_cut_with_the_samples(self, succeed, page_data, cells_path, tmp_path):
        page = tmp_path / "page.html"
        words = ("--obsp", "connectivities", "--method", "laplacian", "-k", "3", "--report", page)
        succeed("rank", cells_path, *words)
        found = page_data(page)["evaluation"]
        assert set(found["missing"]) == {"accuracy"}
        assert found["stability"]["of"] == found["band"]["of"]

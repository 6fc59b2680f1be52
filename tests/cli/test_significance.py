"""P-values at the terminal: shown where labels alone make the graph, refused where they would be dishonest."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from eigenselect import FisherScore, HSICScore, LaplacianScore
from eigenselect.criteria.table import METHODS

FISHER = ("--label", "y")
LAPLACIAN = ("--ignore", "y", "--method", "laplacian")


@pytest.fixture
def noise_csv(tmp_path):
    """Thirty features without any relation to the classes."""
    rng = np.random.default_rng(3)
    path = tmp_path / "noise.csv"
    pd.DataFrame(rng.normal(size=(40, 30))).add_prefix("g").assign(y=np.arange(40) % 2).to_csv(path, index=False)
    return path


def result(call, *words):
    code, out, err = call(*words, "--json")
    assert code == 0, err
    return json.loads(out)


class TestRank:
    def test_p_and_q_stand_beside_scores_that_labels_make(self, call, data_csv, frame):
        X = frame.drop(columns="y")
        expected = FisherScore(significance=True).fit(X, frame["y"])
        found = {row["feature"]: row for row in result(call, "rank", data_csv, *FISHER)["features"]}
        for name, p, q in zip(X.columns, expected.pvalues_, expected.qvalues_, strict=True):
            assert (found[name]["pvalue"], found[name]["qvalue"]) == (p, q)
        header, _, *lines = call("rank", data_csv, *FISHER)[1].splitlines()
        assert header.split()[-2:] == ["p", "q"]
        cells = [re.split(r" {2,}", line.strip().rstrip("█ ")) for line in lines]
        assert [float(row[-1]) for row in cells] == pytest.approx([found[row[1]]["qvalue"] for row in cells], rel=5e-3)

    def test_nothing_is_shown_where_the_graph_saw_the_features(self, call, data_csv):
        summary = result(call, "rank", data_csv, *LAPLACIAN)
        assert summary["significance"] is None
        assert not {"pvalue", "qvalue"} & summary["features"][0].keys()

    @pytest.mark.parametrize(
        "words",
        [
            ("rank", *LAPLACIAN),
            ("rank", "--ignore", "y"),
            ("rank", "--ignore", "y", "-k", 3),
            ("select", "--ignore", "y", "-k", 3),
            ("select", "--label", "y", "-k", 3),
            ("select", "--label", "y", "-k", 3, "--method", "relieff"),
            ("select", "--label", "y", "-k", 3, "--method", "mrsf"),
            ("rank", "--label", "y", "--method", "relieff"),
            ("rank", "--label", "y", "--method", "mrsf", "-k", 3),
        ],
    )
    def test_why_nothing_is_shown_is_said_with_words_that_work(self, call, data_csv, words):
        """One line on stderr; what it says to type gives q-values."""
        command, *options = words
        code, _, err = call(command, data_csv, *options)
        assert code == 0, err
        (line,) = [line for line in err.splitlines() if line.startswith("significance: ")]
        assert line.startswith("significance: Not tested: ")
        advice = re.search(r"\((--[^)]*)\)", line)[1].split()
        asked = [word for word in options if word not in ("relieff", "laplacian", "mrsf", "--method")]
        assert result(call, "rank", data_csv, *asked, *advice)["features"][0]["qvalue"] <= 1
        assert "tested features ha" in call(command, data_csv, *asked, *advice)[2]

    def test_with_some_labels_the_labelled_samples_have_them(self, call, frame, tmp_path):
        frame.assign(y=frame["y"].where(frame.index % 9 > 0)).to_csv(tmp_path / "some.csv", index=False)
        err = call("rank", tmp_path / "some.csv", *FISHER)[2]
        route = "FisherScore(significance=True) (--method fisher --drop-unlabelled --significance true)"
        assert f"Not tested: sselect has no p-values; {route} of the labelled samples alone has" in err
        words = ("--method", "fisher", "--drop-unlabelled")
        assert "qvalue" in result(call, "rank", tmp_path / "some.csv", *FISHER, *words)["features"][0]

    def test_of_three_labels_no_test_is_offered(self, call, frame, tmp_path):
        frame.assign(y=frame["y"].where(frame.index.isin([0, 1, 39]))).to_csv(tmp_path / "three.csv", index=False)
        err = call("rank", tmp_path / "three.csv", *FISHER)[2]
        assert "Not tested: sselect has no p-values; StabilitySelector bounds the errors of any method." in err

    def test_without_any_label_the_graph_is_split(self, call, data_csv):
        err = call("rank", data_csv, "--ignore", "y", "--method", "sselect")[2]
        assert "labels: 0 of 40 samples\n" in err
        assert "(--method laplacian --significance split) has" in err
        assert "--drop-unlabelled" not in err

    def test_of_numbers_the_method_that_takes_them_is_named(self, call, frame, tmp_path):
        frame.assign(y=frame["f0"] + 0.5).to_csv(tmp_path / "numbers.csv", index=False)
        err = call("rank", tmp_path / "numbers.csv", *FISHER)[2]
        route = "HSICScore(significance=True) (--method hsic --significance true)"
        assert f"Not tested: relieff has no p-values; {route} has, and" in err
        assert "qvalue" in result(call, "rank", tmp_path / "numbers.csv", *FISHER, "--method", "hsic")["features"][0]

    def test_the_reason_is_in_the_summary_and_on_markdown(self, call, data_csv, tmp_path):
        reason = result(call, "rank", data_csv, *LAPLACIAN)["untested"]
        assert reason.startswith("Not tested: the graph is made of these features")
        assert call("rank", data_csv, *LAPLACIAN, "-o", tmp_path / "r.md")[0] == 0
        assert f"## Significance\n\n{reason}" in (tmp_path / "r.md").read_text(encoding="utf-8")
        assert result(call, "rank", data_csv, *FISHER)["untested"] == ""

    @pytest.mark.parametrize(
        ("command", "words"),
        [
            ("rank", (*LAPLACIAN, "-q")),
            ("rank", (*LAPLACIAN, "--significance", "none")),
            ("rank", FISHER),
            ("select", (*FISHER, "-k", 2, "-q")),
            ("select", (*FISHER, "-k", 2, "--significance", "none")),
            ("select", (*FISHER, "-k", "fdr")),
        ],
    )
    def test_no_reason_for_those_who_did_not_ask_or_have_them(self, call, data_csv, command, words):
        assert "Not tested" not in call(command, data_csv, *words)[2]

    def test_too_few_samples(self, call, frame, tmp_path):
        frame.iloc[[0, 1, -2, -1]].to_csv(tmp_path / "few.csv", index=False)
        for words in (FISHER, ("--ignore", "y", "-k", 2)):
            says = "Not tested: 4 samples, and at least 5 are needed.\n"
            assert says in call("rank", tmp_path / "few.csv", *words)[2]

    @pytest.mark.parametrize(
        "words", [("--method", "relieff"), ("--significance", "none"), ("--method", "trace-ratio")]
    )
    def test_nothing_is_shown_where_there_is_no_rule_or_none_is_wanted(self, call, data_csv, words):
        assert result(call, "rank", data_csv, *FISHER, *words)["significance"] is None

    def test_the_scores_are_those_without(self, call, data_csv):
        with_values, without = (
            result(call, "rank", data_csv, *FISHER, *words)["features"] for words in ((), ("--significance", "none"))
        )
        assert [{key: row[key] for key in without[0]} for row in with_values] == without

    @pytest.mark.parametrize("similarity", ["class_labels", "hit_miss"])
    def test_a_graph_of_neighbours_among_labels_is_none_of_labels_alone(self, call, data_csv, similarity):
        words = ("--method", "spec-phi2", "--similarity", similarity)
        facts = result(call, "rank", data_csv, *FISHER, *words)["significance"]
        assert (facts is not None) == (similarity == "class_labels")

    def test_a_numeric_target(self, call, data_csv, frame, rng):
        frame = frame.assign(y=frame["f1"] + rng.normal(size=40) * 0.1)
        frame.to_csv(data_csv, index=False)
        found = result(call, "rank", data_csv, *FISHER, "--method", "hsic")["features"]
        expected = HSICScore(significance=True).fit(frame.drop(columns="y"), frame["y"])
        assert found[0]["pvalue"] == expected.pvalues_.min()

    def test_what_the_values_rest_on_is_said(self, call, data_csv):
        err = call("rank", data_csv, *FISHER)[2]
        assert re.search(r"significance: 2 of 7 tested features have q ≤ 0\.05: .* not if clustering these", err)
        assert re.search(r"Labels\s+found\s+by\s+clustering\s+these\s+columns", call("rank", "--help")[1])

    def test_too_few_samples_to_test_are_ranked_all_the_same(self, call, tmp_path):
        pd.DataFrame({"a": [0.0, 1, 5, 6], "b": [3.0, 1, 2, 4], "y": list("uuvv")}).to_csv(
            tmp_path / "t.csv", index=False
        )
        assert result(call, "rank", tmp_path / "t.csv", *FISHER)["significance"] is None

    @pytest.mark.parametrize("ending", ["csv", "tsv"])
    def test_files_have_the_columns(self, call, data_csv, tmp_path, ending):
        summary = result(call, "rank", data_csv, *FISHER, "-k", 3)
        assert call("rank", data_csv, *FISHER, "-k", 3, "-q", "-o", tmp_path / f"r.{ending}") == (0, "", "")
        table = pd.read_csv(tmp_path / f"r.{ending}", sep="\t" if ending == "tsv" else ",", dtype=str)
        assert list(table.columns)[-2:] == ["pvalue", "qvalue"]
        assert list(map(float, table["pvalue"])) == [row["pvalue"] for row in summary["features"]]

    def test_alpha_counts_discoveries(self, call, data_csv):
        facts = result(call, "rank", data_csv, *FISHER, "--alpha", "0.999")["significance"]
        assert (facts["alpha"], facts["n_discoveries"]) == (0.999, 7)


class TestRules:
    def test_fdr_keeps_what_has_a_small_q(self, call, data_csv, frame):
        X = frame.drop(columns="y")
        qvalues = FisherScore(significance=True).fit(X, frame["y"]).qvalues_
        for words, alpha in (((), 0.05), (("--alpha", "0.9"), 0.9)):
            for count in ("fdr", "auto"):
                found = result(call, "rank", data_csv, *FISHER, "-k", count, *words)
                assert {row["column"] for row in found["features"]} == set(np.flatnonzero(qvalues <= alpha))
        err = call("rank", data_csv, *FISHER, "-k", "fdr")[2]
        assert "-k fdr: 2 features with q ≤ 0.05\n" in err

    def test_numbers_have_another_method_where_p_values_are_asked_for(self, call, frame, tmp_path):
        frame.assign(y=np.linspace(0, 1, len(frame)) ** 2).to_csv(tmp_path / "t.csv", index=False)
        plain, tested = (result(call, "rank", tmp_path / "t.csv", "--label", "y", *words)
                         for words in ((), ("-k", "fdr")))  # fmt: skip
        assert (plain["method"], tested["method"]) == ("relieff", "hsic")

    def test_none_selected_is_an_answer(self, call, noise_csv, tmp_path):
        code, out, err = call("rank", noise_csv, *FISHER, "-k", "fdr")
        assert (code, out) == (0, "No feature is kept (q ≤ 0.05).\n")
        assert "None of 30 tested features has q ≤ 0.05" in err
        assert "-k fdr: no feature with q ≤ 0.05\n" in err
        assert call("rank", noise_csv, *FISHER, "-k", "fdr", "-q", "-o", tmp_path / "r.csv") == (0, "", "")
        written = (tmp_path / "r.csv").read_text()
        assert written == "rank,feature,column,score,native_score,pvalue,qvalue\n"
        assert call("rank", noise_csv, *FISHER, "-k", "fdr", "-q", "--report", tmp_path / "r.html")[0] == 0

    @pytest.mark.parametrize("quiet", [(), ("-q",)])
    def test_select_writes_no_table_without_features(self, call, noise_csv, tmp_path, quiet):
        target = tmp_path / "small.csv"
        code, out, err = call("select", noise_csv, *FISHER, "-k", "fdr", "-o", target, *quiet)
        assert (code, out) == (1, "")
        assert "no feature is chosen, so" in err
        assert not target.exists()

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (("-k", "3"), "-k 3: the 3 best"),
            (("-k", "0.5"), "-k 0.5: the best 50 %"),
            (("-k", "fdr"), "-k fdr: 2 features with q ≤ 0.05"),
            (("-k", "auto"), "-k auto: 2 features with q ≤ 0.05"),
            (("-k", "fdr", "--alpha", "1e-5"), "-k fdr: 2 features with q ≤ 1e-05"),
        ],
    )
    def test_select_says_which_rule_it_used(self, call, data_csv, tmp_path, words, says):
        code, _, err = call("select", data_csv, *FISHER, *words, "-o", tmp_path / "small.csv")
        assert code == 0, err
        assert says + "\n" in err

    def test_select_tests_only_where_that_decides(self, call, data_csv, tmp_path):
        _, _, err = call("select", data_csv, *FISHER, "-k", "3", "-o", tmp_path / "small.csv")
        assert "tested features" not in err
        assert "significance: Not tested: p-values were not asked for" in err


class TestRoutes:
    @pytest.mark.parametrize("route", ["split", "shadows"])
    def test_a_graph_of_the_table_needs_a_route_of_its_own(self, call, data_csv, frame, route):
        found = result(call, "rank", data_csv, *LAPLACIAN, "--significance", route)
        expected = LaplacianScore(significance=route, random_state=0).fit(frame.drop(columns="y"))
        assert {row["column"]: row["qvalue"] for row in found["features"]} == dict(enumerate(expected.qvalues_))
        assert ("pvalue" in found["features"][0]) == (route == "split") == found["significance"]["has_pvalues"]

    def test_features_are_scored_one_by_one_to_be_tested(self, call, data_csv):
        found = result(call, "rank", data_csv, "--ignore", "y", "-k", 3, "--significance", "split")
        assert (found["method"], len(found["features"])) == ("laplacian", 3)

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            ((*LAPLACIAN, "--significance", "true"), "noise looks significant, too; use split or shadows"),
            ((*LAPLACIAN, "-k", "fdr"), "-k fdr needs q-values; laplacian ranks on a graph made of this table"),
            ((*FISHER, "--significance", "split"), "labels make that of fisher; use true"),
            ((*FISHER, "--significance", "none", "-k", "fdr"), "leave out --significance none"),
            ((*FISHER, "--significance", "given"), "'given' is none of true, split, shadows, none"),
            ((*LAPLACIAN, "--alpha", "0.1"), "--alpha compares q-values, and there are none"),
            ((*FISHER, "--alpha", "2"), "2 is not between 0 and 1"),
            ((*FISHER, "--alpha", "nan"), "nan is not between 0 and 1"),
            ((*FISHER, "--method", "relieff", "-k", "fdr"), "-k fdr: the method relieff has no p-values; use --method"),
            ((*FISHER, "--method", "trace-ratio", "--significance", "true"), "trace-ratio has no p-values"),
            ((*FISHER, "--method", "mrsf", "--significance", "true"), "mrsf has no p-values"),
        ],
    )
    def test_what_is_refused(self, call, data_csv, words, says):
        code, out, err = call("rank", data_csv, *words)
        assert (code, out) == (2, "")
        assert says in err

    def test_methods_that_are_offered_have_p_values(self, call, data_csv):
        err = call("rank", data_csv, *FISHER, "--method", "relieff", "--significance", "true")[2]
        offered = re.search(r"one that has: (.*)\.", err)[1].split(", ")
        assert {"fisher", "hsic", "laplacian"} <= set(offered)
        assert all(METHODS[name].p_value_rule for name in offered)
        assert not {"relieff", "trace-ratio"} & set(offered)

    def test_comparisons_have_one_number(self, call, data_csv):
        code, _, err = call("compare", data_csv, *FISHER, "-k", "fdr")
        assert code == 2
        assert "fdr would give each method another number of features" in err


class TestFuse:
    @pytest.fixture
    def other_csv(self, frame, tmp_path, rng):
        """Another table of the same samples, which knows the groups."""
        groups = (frame["y"] == "tumour").to_numpy(float)
        path = tmp_path / "other.csv"
        pd.DataFrame(4 * groups[:, None] + rng.normal(size=(40, 3)), columns=list("uvw")).to_csv(path, index=False)
        return path

    def test_sources_from_elsewhere_are_honest(self, call, data_csv, other_csv, awkward):
        words = ("fuse", data_csv, "--ignore", "y", "--auxiliary", f"other={other_csv}", "--without-target")
        assert result(call, *words)["significance"] is None
        found = result(call, *words, "--significance", "true", "-k", "fdr")
        assert found["features"][0]["feature"] == awkward
        assert all(row["qvalue"] <= 0.05 for row in found["features"])

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (("--significance", "true"), "the source target is made of these features"),
            (("--significance", "split"), "not of several sources; use rank for it"),
            (("--significance", "shadows", "-k", "fdr"), "true where all sources come from elsewhere"),
            (("-k", "fdr"), "-k fdr needs q-values: --significance true, where all sources come from elsewhere"),
            (("--alpha", "0.1"), "--alpha compares q-values"),
        ],
    )
    def test_what_is_refused(self, call, data_csv, words, says):
        code, _, err = call("fuse", data_csv, "--ignore", "y", *words)
        assert code == 2
        assert says in err


class TestGraphsOfTheFile:
    """--obsp: p-values where the name says that a graph is made of space, or where the user says so."""

    @pytest.fixture
    def path(self, tmp_path):
        pytest.importorskip("anndata")
        from tests.cli.test_scores_file import made, written

        return written(tmp_path / "s.h5ad", made())

    def expected(self, path):
        import anndata

        data = anndata.read_h5ad(path)
        return LaplacianScore(significance="given").fit(data.X, similarity_matrix=data.obsp["connectivities"])

    @pytest.mark.parametrize("words", [["spatial_connectivities"], ["connectivities", "--significance", "true"]])
    def test_graphs_from_elsewhere(self, call, path, words):
        found = {row["column"]: row for row in result(call, "rank", path, "--obsp", *words)["features"]}
        expected = self.expected(path)
        assert [found[j]["pvalue"] for j in range(8)] == expected.pvalues_.tolist()
        assert [found[j]["qvalue"] for j in range(8)] == expected.qvalues_.tolist()

    @pytest.mark.parametrize(
        "words",
        [["connectivities"], ["spatial_connectivities", "--significance", "none"], ["connectivities", "-k", "auto"]],
    )
    def test_no_p_values_where_nobody_knows(self, call, path, words):
        assert result(call, "rank", path, "--obsp", *words)["significance"] is None

    def test_as_many_as_there_is_evidence_for(self, call, path):
        kept = int((self.expected(path).qvalues_ <= 0.05).sum())
        assert result(call, "rank", path, "--obsp", "spatial_connectivities", "-k", "fdr")["n_selected"] == kept
        code, out, err = call("select", path, "--obsp", "spatial_connectivities", "-k", "fdr")
        assert code == 0, err
        assert len(out.splitlines()[0].split(",")) == kept + 1  # names of samples come first

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (["-k", "fdr"], "nothing says that these columns did not make the graph --obsp connectivities, which"),
            (["-k", "fdr", "--significance", "none"], "-k fdr needs q-values; leave out --significance none."),
            (["--significance", "split"], "leave out --obsp connectivities, or use true if these columns did not make"),
            (["--significance", "shadows"], "--significance shadows makes graphs of this table; leave out --obsp"),
            (["--alpha", "0.1"], "--alpha compares q-values, and there are none"),
        ],
    )
    def test_what_is_refused(self, call, path, words, says):
        code, out, err = call("rank", path, "--obsp", "connectivities", *words)
        assert (code, out) == (2, "")
        assert says in err

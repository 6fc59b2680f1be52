"""P-values at the terminal: shown where labels alone make the graph, refused where they would be dishonest."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import eigenselect as es
from eigenselect import SPEC, FisherScore, HSICScore, LaplacianScore
from eigenselect.criteria.methods import METHODS
from eigenselect.similarity import KNN

FISHER = ("--label", "y")
LAPLACIAN = ("--ignore", "y", "--method", "laplacian")
UNTESTED = "significance: Not tested: "


@pytest.fixture
def noise_csv(tmp_path):
    """Thirty features without any relation to the classes."""
    rng = np.random.default_rng(3)
    path = tmp_path / "noise.csv"
    pd.DataFrame(rng.normal(size=(40, 30))).add_prefix("g").assign(y=np.arange(40) % 2).to_csv(path, index=False)
    return path


class TestRank:
    def test_p_and_q_stand_beside_scores_that_labels_make(self, succeed, summary_of, by_column, data_csv, frame):
        expected = FisherScore(significance=True).fit(frame.drop(columns="y"), frame["y"])
        found = summary_of("rank", data_csv, *FISHER)
        assert by_column(found, "pvalue") == expected.pvalues_.tolist()
        assert by_column(found, "qvalue") == expected.qvalues_.tolist()
        without = summary_of("rank", data_csv, *FISHER, "--significance", "none")["features"]
        assert [{key: row[key] for key in without[0]} for row in found["features"]] == without
        done = succeed("rank", data_csv, *FISHER)
        header, _, *lines = done.out.splitlines()
        assert header.split()[-2:] == ["p", "q"]
        shown = [float(line.rstrip("█ ").split()[-1]) for line in lines]
        assert shown == pytest.approx([row["qvalue"] for row in found["features"]], rel=5e-3)
        assert re.search(r"significance: 2 of 7 .*0\.05: .*clustering", done.err)

    @pytest.mark.parametrize(
        ("command", "line"),
        [
            ("rank", "--ignore y --method laplacian"),
            ("rank", "--ignore y"),
            ("rank", "--ignore y -k 3"),
            ("select", "--ignore y -k 3"),
            ("select", "--label y -k 3"),
            ("select", "--label y -k 3 --method relieff"),
            ("rank", "--label y --method relieff"),
            ("rank", "--label y --method mrsf -k 3"),
        ],
    )
    def test_why_nothing_is_shown_is_said_with_words_that_work(self, succeed, summary_of, data_csv, command, line):
        """One line on stderr; what it says to type gives q-values."""
        (said,) = [said for said in succeed(command, data_csv, *line.split()).err.splitlines() if UNTESTED in said]
        advice = re.search(r"\((--[^)]*)\)", said)[1].split()
        asked = [word for word in line.split() if word not in ("relieff", "laplacian", "mrsf", "--method")]
        assert summary_of("rank", data_csv, *asked, *advice)["features"][0]["qvalue"] <= 1
        assert "tested features ha" in succeed(command, data_csv, *asked, *advice).err

    def test_the_reason_is_in_the_summary_and_on_markdown(self, succeed, summary_of, data_csv, tmp_path):
        summary = summary_of("rank", data_csv, *LAPLACIAN)
        assert summary["significance"] is None
        assert not {"pvalue", "qvalue"} & summary["features"][0].keys()
        succeed("rank", data_csv, *LAPLACIAN, "-o", tmp_path / "r.md")
        assert f"## Significance\n\n{summary['untested']}" in (tmp_path / "r.md").read_text(encoding="utf-8")
        assert summary_of("rank", data_csv, *FISHER)["untested"] == ""

    def test_no_reason_for_those_who_did_not_ask_or_have_them(self, succeed, data_csv):
        for command, words in (
            ("rank", (*LAPLACIAN, "-q")),
            ("rank", (*LAPLACIAN, "--significance", "none")),
            ("rank", FISHER),
            ("select", (*FISHER, "-k", 2, "-q")),
            ("select", (*FISHER, "-k", 2, "--significance", "none")),
            ("select", (*FISHER, "-k", "fdr")),
        ):
            assert "Not tested" not in succeed(command, data_csv, *words).err, words

    def test_methods_and_graphs_without_a_rule(self, summary_of, data_csv):
        for words, tested in (
            ("--method relieff", False),
            ("--method trace-ratio", False),
            ("--significance none", False),
            ("--method spec-phi2 --similarity class_labels", True),
            ("--method spec-phi2 --similarity hit_miss", False),
        ):
            found = summary_of("rank", data_csv, *FISHER, *words.split())["significance"]
            assert (found is not None) == tested, words


class TestLabels:
    def test_with_some_labels_the_labelled_samples_have_them(self, succeed, summary_of, frame, data_csv):
        frame.assign(y=frame["y"].where(frame.index % 9 > 0)).to_csv(data_csv, index=False)
        assert "qvalue" in summary_of("rank", data_csv, *FISHER)["features"][0]
        err = succeed("rank", data_csv, *FISHER, "--method", "sselect").err
        advice = re.search(r"\((--method fisher --drop-unlabelled [^)]*)\)", err)[1].split()
        assert "qvalue" in summary_of("rank", data_csv, *FISHER, *advice)["features"][0]

    def test_of_three_labels_no_test_is_offered(self, succeed, frame, data_csv):
        frame.assign(y=frame["y"].where(frame.index.isin([0, 1, 39]))).to_csv(data_csv, index=False)
        assert f"{UNTESTED}3 samples" in succeed("rank", data_csv, *FISHER).err
        err = succeed("rank", data_csv, *FISHER, "--method", "sselect").err
        assert f"{UNTESTED}sselect" in err
        assert "(--" not in err

    def test_numbers(self, succeed, summary_of, frame, data_csv, rng):
        """HSIC ranks them, tested or not; ReliefF has no p-values, and names it."""
        table = frame.assign(y=frame["f1"] + rng.normal(size=40) * 0.1)
        table.to_csv(data_csv, index=False)
        err = succeed("rank", data_csv, *FISHER, "--method", "relieff").err
        assert "--method hsic --significance true" in err
        expected = HSICScore(significance=True).fit(table.drop(columns="y"), table["y"])
        found = summary_of("rank", data_csv, *FISHER, "--method", "hsic")
        assert found["features"][0]["pvalue"] == expected.pvalues_.min()
        for words in ((), ("-k", "fdr"), ("-k", 3, "--significance", "none")):
            assert summary_of("rank", data_csv, *FISHER, *words)["method"] == "hsic"
        table.assign(y=table["y"].where(table.index % 9 > 0)).to_csv(data_csv, index=False)
        done = succeed("rank", data_csv, *FISHER, "-k", "fdr")
        assert "5 of 40 samples" in done.err
        assert "sselect" not in done.err

    def test_too_few_samples_are_ranked_all_the_same(self, succeed, frame, data_csv):
        frame.iloc[[0, 1, -2, -1]].to_csv(data_csv, index=False)
        for words in (FISHER, ("--ignore", "y", "-k", 2)):
            assert f"{UNTESTED}4 samples" in succeed("rank", data_csv, *words).err


class TestRules:
    def test_fdr_keeps_what_has_a_small_q(self, summary_of, data_csv, frame):
        qvalues = FisherScore(significance=True).fit(frame.drop(columns="y"), frame["y"]).qvalues_
        for words, alpha in (((), 0.05), (("--alpha", "0.9"), 0.9)):
            for count in ("fdr", "auto"):
                found = summary_of("rank", data_csv, *FISHER, "-k", count, *words)
                assert {row["column"] for row in found["features"]} == set(np.flatnonzero(qvalues <= alpha))

    def test_none_selected_is_an_answer(self, call, succeed, noise_csv, tmp_path):
        words = ("rank", noise_csv, *FISHER, "-k", "fdr")
        code, out, err = call(*words)
        assert (code, "No feature" in out) == (0, True)
        assert "None of 30" in err
        assert "-k fdr: no feature" in err
        assert call(*words, "-q", "-o", tmp_path / "r.csv") == (0, "", "")
        assert (tmp_path / "r.csv").read_text() == "rank,feature,column,score,native_score,pvalue,qvalue\n"
        succeed(*words, "-q", "--report", tmp_path / "r.html", "--no-evaluation")

    def test_the_rule_that_was_used_is_said(self, succeed, data_csv):
        for words, says in (
            ("-k 3", "-k 3: the 3 best\n"),
            ("-k 0.5", "-k 0.5: the best 50 %\n"),
            ("-k fdr", "-k fdr: 2 features with q ≤ 0.05\n"),
            ("-k auto", "-k auto: 2 features with q ≤ 0.05\n"),
            ("-k fdr --alpha 1e-5", "-k fdr: 2 features with q ≤ 1e-05\n"),
        ):
            err = succeed("select", data_csv, *FISHER, *words.split()).err
            assert says in err
            assert ("tested features" in err) == ("fdr" in words or "auto" in words)  # only where that decides
        assert "-k fdr: 2 features" in succeed("rank", data_csv, *FISHER, "-k", "fdr").err


class TestTheSameInPython:
    """-k auto and -k fdr keep what n_features_to_select keeps, with the same method."""

    @pytest.mark.parametrize("count", ["auto", "fdr"])
    @pytest.mark.parametrize(
        ("line", "selector"),
        [
            ("--label y --method fisher", FisherScore()),
            ("--label y --method hsic", HSICScore()),
            ("--label y --method spec-phi2", SPEC(similarity="class_labels")),
            ("--ignore y --method laplacian", LaplacianScore()),
            ("--ignore y --method laplacian --significance split", LaplacianScore(significance="split")),
        ],
    )
    @pytest.mark.filterwarnings("ignore::eigenselect.exceptions.KneeWarning")
    def test_selections(self, call, data_csv, frame, line, selector, count):
        X, y = frame.drop(columns="y"), frame["y"] if "--label" in line else None
        done = call("rank", data_csv, *line.split(), "-k", count, "--json")
        selector = clone(selector).set_params(n_features_to_select=count, random_state=0)
        if selector.get_params()["significance"] is None and y is None and count == "fdr":
            assert done.code == 2
            with pytest.raises(ValueError, match="significance"):
                selector.fit(X, y)
            return
        kept = {row["feature"] for row in json.loads(done.out)["features"]}
        assert kept == set(selector.fit(X, y).get_feature_names_out())

    def test_on_a_table_of_noise_nothing_is_kept(self, summary_of, noise_csv):
        table = pd.read_csv(noise_csv)
        selector = FisherScore("auto").fit(table.drop(columns="y"), table["y"])
        assert selector.n_features_ == summary_of("rank", noise_csv, *FISHER, "-k", "auto")["n_selected"]


class TestMethodOfP:
    """Without labels -k N takes mrsf, which has no p-values: another method is taken with a line, not in silence."""

    def test_it_is_said(self, succeed, summary_of, refused, data_csv):
        for words in ("-k fdr --significance split", "-k 3 --significance split"):
            line = ("rank", data_csv, "--ignore", "y", *words.split())
            assert summary_of(*line)["method"] == "laplacian"
            (said,) = [said for said in succeed(*line).err.splitlines() if "mrsf" in said]
            assert "p-values" in said
        for words in ("--significance split", "--method laplacian -k 3 --significance split"):
            assert "mrsf" not in succeed("rank", data_csv, "--ignore", "y", *words.split()).err
        refused(2, ["laplacian", "--significance split"], "rank", data_csv, "--ignore", "y", "-k", "fdr")


class TestRoutes:
    @pytest.mark.parametrize("route", ["split", "shadows"])
    def test_a_graph_of_the_table_needs_a_route_of_its_own(self, summary_of, by_column, data_csv, frame, route):
        found = summary_of("rank", data_csv, *LAPLACIAN, "--significance", route)
        expected = LaplacianScore(significance=route, random_state=0).fit(frame.drop(columns="y"))
        assert by_column(found, "qvalue") == expected.qvalues_.tolist()
        chosen = summary_of("rank", data_csv, "--ignore", "y", "-k", 3, "--significance", route)
        assert (chosen["method"], len(chosen["features"])) == ("laplacian", 3)  # one by one, to be tested
        assert ("pvalue" in found["features"][0]) == (route == "split") == found["significance"]["has_pvalues"]

    def test_what_is_refused(self, refused, data_csv):
        for start, words, keywords in (
            (LAPLACIAN, "--significance true", "split or shadows"),
            (LAPLACIAN, "-k fdr", ["-k fdr", "laplacian"]),
            (FISHER, "--significance split", ["fisher", "use true"]),
            (FISHER, "--significance none -k fdr", "--significance none"),
            (FISHER, "--significance given", "'given' is none of"),
            (LAPLACIAN, "--alpha 0.1", "--alpha"),
            (FISHER, "--alpha 2", "between 0 and 1"),
            (FISHER, "--alpha nan", "between 0 and 1"),
            (FISHER, "--method trace-ratio --significance true", "trace-ratio has no p-values"),
            (FISHER, "--method mrsf --significance true", "mrsf has no p-values"),
        ):
            refused(2, keywords, "rank", data_csv, *start, *words.split())
        done = refused(2, "relieff has no p-values", "rank", data_csv, *FISHER, "--method", "relieff", "-k", "fdr")
        offered = re.search(r"one that has: (.*)\.", done.err)[1].split(", ")
        assert {"fisher", "hsic", "laplacian"} <= set(offered)
        assert all(METHODS[name].p_value_rule for name in offered)


class TestGraphsOfTheFile:
    """--obsp: p-values where the name says that a graph is made of space, or where the user says so."""

    @pytest.fixture
    def expected(self, cells):
        return LaplacianScore(significance="given").fit(cells.X, similarity_matrix=cells.obsp["connectivities"])

    def test_graphs_from_elsewhere(self, summary_of, by_column, succeed, cells_path, expected):
        for words in (["spatial_connectivities"], ["connectivities", "--significance", "true"]):
            found = summary_of("rank", cells_path, "--obsp", *words)
            assert by_column(found, "pvalue") == expected.pvalues_.tolist()
            assert by_column(found, "qvalue") == expected.qvalues_.tolist()
        kept = int((expected.qvalues_ <= 0.05).sum())
        words = (cells_path, "--obsp", "spatial_connectivities", "-k", "fdr")
        assert summary_of("rank", *words)["n_selected"] == kept
        columns = succeed("select", *words).out.splitlines()[0].split(",")
        assert len(columns) == kept + 1  # names of samples come first

    def test_no_p_values_where_nobody_knows(self, summary_of, cells_path):
        for words in ("connectivities", "spatial_connectivities --significance none", "connectivities -k auto"):
            assert summary_of("rank", cells_path, "--obsp", *words.split())["significance"] is None

    def test_what_is_refused(self, refused, cells_path):
        for words, keywords in (
            ("-k fdr", "--obsp connectivities"),
            ("-k fdr --significance none", "--significance none"),
            ("--significance split", ["--obsp connectivities", "use true"]),
            ("--significance shadows", ["--significance shadows", "--obsp"]),
            ("--alpha 0.1", "--alpha"),
        ):
            refused(2, keywords, "rank", cells_path, "--obsp", "connectivities", *words.split())


class TestNeighboursOfTheFile:
    """--obsp connectivities that uns records as neighbours in these columns: noise must not look significant."""

    @pytest.fixture
    def noise(self, tmp_path):
        anndata = pytest.importorskip("anndata")
        adata = anndata.AnnData(np.random.default_rng(0).normal(size=(60, 80)))
        adata.obsp["connectivities"] = KNN(8).build(adata.X).affinity
        adata.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {"n_neighbors": 9, "n_pcs": 10}}
        adata.write_h5ad(tmp_path / "noise.h5ad")
        return adata, tmp_path / "noise.h5ad"

    def test_it_names_split(self, refused, noise):
        for words in ("-k fdr", "--significance true", "--significance true -k fdr"):
            refused(2, "split", "rank", noise[1], "--obsp", "connectivities", *words.split())

    def test_split_finds_neighbours_again_as_the_verb_does(self, summary_of, by_column, noise):
        adata, path = noise
        found = summary_of("rank", path, "--obsp", "connectivities", "--significance", "split")
        es.pp.spectral_features(adata, significance="split", rng=0)
        np.testing.assert_allclose(by_column(found, "qvalue"), adata.var["spectral_qval"], rtol=1e-9)
        assert found["significance"]["n_discoveries"] == 0
        assert (
            LaplacianScore(significance="given").fit(adata.X, similarity_matrix=adata.obsp["connectivities"]).qvalues_
            <= 0.05
        ).sum() > 5  # what it refuses


class TestRecordedClusterings:
    """Labels that an annotated file records as a clustering of its table: the command says what `es.pp` says."""

    @pytest.fixture
    def adata(self):
        """Thirty genes; clusters that uns records, the same merged, donors, and types that clusters nearly tell."""
        anndata = pytest.importorskip("anndata")
        clusters = np.arange(60) % 4
        types = np.where(clusters > 1, "T", "B")
        types[0] = "T"
        obs = pd.DataFrame(
            {
                "leiden": pd.Categorical(clusters.astype(str)),
                "merged": np.where(clusters > 1, "low", "high"),
                "type": types,
                "donor": np.repeat(["x", "y"], 30),
            },
            index=[f"cell{i}" for i in range(60)],
        )
        recorded = {"leiden": {"params": {"resolution": 1.0, "random_state": 0, "n_iterations": -1}}}
        return anndata.AnnData(np.random.default_rng(0).normal(size=(60, 30)), obs, uns=recorded)

    @pytest.fixture(params=["h5ad", "zarr"])
    def file(self, request, tmp_path, adata):
        path = tmp_path / f"cells.{request.param}"
        if request.param == "zarr":
            pytest.importorskip("zarr")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of anndata and zarr, about each other
            adata.write_h5ad(path) if request.param == "h5ad" else adata.write_zarr(path)
        return path

    def test_the_command_and_the_verb_test_the_same_labels(self, succeed, refused, file, adata):
        for label in ("leiden", "merged", "type", "donor"):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                expected = es.pp.spectral_features(adata, label_key=label, method="fisher", inplace=False)
            done = succeed("rank", file, "--label", label, "--json")
            summary = json.loads(done.out)
            found = {row["feature"]: row.get("pvalue") for row in summary["features"]}
            assert expected["spectral_pval"].isna().all() == (label in ("leiden", "merged"))
            if label in ("leiden", "merged"):
                assert set(found.values()) == {None}
                assert "uns" in summary["untested"]
                assert "--significance true" in summary["untested"]
            else:
                np.testing.assert_allclose([found[name] for name in adata.var_names], expected["spectral_pval"])
            doubted = "nearly all labels"
            assert (doubted in done.err) == any(doubted in str(warning.message) for warning in said)
        done = succeed("rank", file, "--label", "leiden", "--significance", "true", "--json")
        assert json.loads(done.out)["significance"]["n_tested"] == 30
        assert "warning: uns['leiden']" in done.err
        refused(2, "uns['leiden']", "rank", file, "--label", "leiden", "-k", "fdr")

    def test_a_graph_is_judged_by_what_is_recorded_of_it(self, summary_of, tmp_path, adata):
        """A spatial graph of another name has p-values, neighbours by genes have none, whatever they are called."""
        ring = np.roll(np.eye(60), 1, axis=1)
        records = {"near": {"coord_type": "generic"}, "spatial_connectivities": {"n_pcs": 10, "method": "umap"}}
        for key, record in records.items():
            adata.obsp[key] = ring + ring.T
            adata.uns[f"{key}_record"] = {"connectivities_key": key, "params": record}
        adata.write_h5ad(tmp_path / "slide.h5ad")
        for key in records:
            found = summary_of("rank", tmp_path / "slide.h5ad", "--obsp", key)["significance"]
            assert (found is not None) == (key == "near")

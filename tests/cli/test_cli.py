"""The command as a person meets it: output, messages, exit codes."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat

from eigenselect import MRSF, SPEC, LaplacianScore, SSelect, __version__
from eigenselect.cli.main import COMMANDS
from eigenselect.cli.text import aligned, bar, shortened, significant, width_of
from eigenselect.criteria.table import METHODS
from eigenselect.exceptions import printable
from eigenselect.similarity import ClassLabels

AWKWARD = '<b>x</b>, "y"'


@pytest.fixture
def frame(rng):
    groups = np.repeat([0.0, 2.0], 20)
    data = {f"f{j}": rng.normal(size=40) for j in range(5)}
    data[AWKWARD] = groups + rng.normal(size=40) * 0.3
    data["naïve 🧬 ゲノム"] = groups - rng.normal(size=40)
    data["y"] = np.where(groups > 0, "tumour", "normal")
    return pd.DataFrame(data)


@pytest.fixture
def data_csv(frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return str(path)


class TestRank:
    def test_json_with_labels_and_an_awkward_name(self, call, data_csv, frame):
        code, out, err = call("rank", data_csv, "--label", "y", "-k", "3", "--json")
        assert code == 0
        result = json.loads(out)
        X = frame.drop(columns="y")
        expected = SPEC(3, similarity=ClassLabels()).fit(X, frame["y"])
        order = np.argsort(expected.ranking_)[:3]
        assert [f["feature"] for f in result["features"]] == list(X.columns[order])
        assert result["features"][0]["feature"] == AWKWARD
        assert [f["score"] for f in result["features"]] == pytest.approx(expected.scores_[order], rel=1e-9)
        assert (result["n_samples"], result["n_features"], result["n_selected"]) == (40, 7, 3)
        assert "samples of one class are alike" in err

    @pytest.mark.parametrize("row", [row for row in METHODS if row.command == "rank"], ids=lambda row: row.name)
    def test_every_method(self, call, data_csv, frame, row):
        supervised = row.supervision.startswith("needed")
        words = ("--label", "y") if supervised else ("--ignore", "y")
        code, out, err = call("rank", data_csv, *words, "--method", row.name, "--json")
        assert code == 0, err
        import eigenselect

        selector = getattr(eigenselect, row.selector)(**row.parameters, random_state=0)
        selector.fit(frame.drop(columns="y"), frame["y"] if supervised else None)
        found = {f["column"]: f["rank"] for f in json.loads(out)["features"]}
        ranks = [int(rank) if rank <= selector.n_ordered_ else None for rank in selector.ranking_]
        assert [found[j] for j in range(7)] == ranks

    @pytest.mark.parametrize("numbers", [False, True])
    def test_empty_labels_make_it_semi_supervised(self, call, data_csv, frame, numbers):
        y = pd.factorize(frame["y"])[0] if numbers else frame["y"].to_numpy(dtype=object)
        partly = pd.Series(y).where(np.arange(40) % 4 == 0)
        frame.assign(y=partly).to_csv(data_csv, index=False)
        code, out, err = call("rank", data_csv, "--label", "y", "--json")
        assert code == 0, err
        assert "labels: 10 of 40 samples" in err
        result = json.loads(out)
        assert (result["method"], result["n_labelled"]) == ("sselect", 10)
        expected = SSelect().fit(frame.drop(columns="y"), partly)
        found = {f["column"]: f["rank"] for f in result["features"]}
        assert [found[j] for j in range(7)] == list(expected.ranking_)
        code, _, err = call("rank", data_csv, "--label", "y", "--method", "laplacian")
        assert code == 0, err
        assert "y is left out of the features and not used" in err

    def test_the_table_on_stdout_the_rest_on_stderr(self, call, data_csv):
        code, out, err = call("rank", data_csv, "--label", "y", "-k", "2")
        lines = out.splitlines()
        assert code == 0
        assert lines[0].split()[:3] == ["rank", "feature", "score"]
        assert AWKWARD in lines[2]
        assert len(lines) == 4
        assert "40 samples, 7 features" in err

    def test_all_features_are_counted_even_if_not_shown(self, call, tmp_path, rng):
        path = tmp_path / "wide.csv"
        pd.DataFrame(rng.normal(size=(20, 50))).to_csv(path, index=False)
        _, out, _ = call("rank", path)
        assert len(out.splitlines()) == 2 + 20 + 1
        assert "30 more" in out
        _, out, _ = call("rank", path, "-k", "25")
        assert len(out.splitlines()) == 2 + 25
        _, out, _ = call("rank", path, "-k", "50")
        assert len(out.splitlines()) == 2 + 50

    def test_without_labels_some_features_are_chosen_together_and_all_are_ordered_one_by_one(
        self, call, data_csv, frame, monkeypatch
    ):
        """docs/unsupervised.md says why."""
        X = frame.drop(columns="y")

        def ranked(*words):
            code, out, _ = call("rank", data_csv, "--ignore", "y", *words, "--json")
            assert code == 0
            result = json.loads(out)
            return result["method"], [f["feature"] for f in result["features"]]

        together = MRSF(3).fit(X)
        assert ranked("-k", "3") == ("mrsf", list(X.columns[together.path_]))
        for words in ((), ("-k", "0.5"), ("-k", "auto")):
            assert ranked(*words)[0] == "laplacian"
        monkeypatch.setattr("eigenselect.cli.run.MOST_TOGETHER", 39)
        assert ranked("-k", "3")[0] == "laplacian"

    def test_units_are_named_with_the_option_that_mends_them(self, call, tmp_path, frame):
        frame["f3"] *= 1000
        frame.to_csv(tmp_path / "units.csv", index=False)
        _, _, err = call("rank", tmp_path / "units.csv", "--ignore", "y")
        assert "warning: LaplacianScore: 'f3' of 7 features makes up over 90%" in err
        assert "--scale standard" in err
        _, _, err = call("rank", tmp_path / "units.csv", "--ignore", "y", "--scale", "standard")
        assert "warning" not in err

    def test_auto_and_fractions(self, call, data_csv, frame):
        _, out, _ = call("rank", data_csv, "--ignore", "y", "-k", "auto", "--json")
        assert json.loads(out)["n_selected"] == LaplacianScore("auto").fit(frame.drop(columns="y")).n_features_
        for text, count in (("0.5", 3), ("5e-1", 3), ("1.0", 7), ("1", 1)):
            _, out, _ = call("rank", data_csv, "--ignore", "y", "-k", text, "--json")
            assert json.loads(out)["n_selected"] == count

    def test_options_reach_the_method(self, call, data_csv, frame):
        words = ("--ignore", "y", "--method", "spec-phi3", "--clusters", "3", "--power", "2", "--similarity", "rbf")
        _, out, _ = call("rank", data_csv, *words, "--json")
        expected = SPEC(ranking="phi3", n_clusters=3, spectral_function=2, similarity="rbf").fit(
            frame.drop(columns="y")
        )
        scores = {f["column"]: f["score"] for f in json.loads(out)["features"]}
        np.testing.assert_allclose([scores[j] for j in range(7)], expected.scores_, rtol=1e-9)

    def test_quiet_is_quiet(self, call, data_csv):
        code, _, err = call("rank", data_csv, "--label", "y", "-q")
        assert (code, err) == (0, "")

    def test_unused_labels_are_said_to_be_unused(self, call, data_csv):
        _, out, err = call("rank", data_csv, "--label", "y", "--method", "laplacian")
        assert "y is left out" in err
        assert "tumour" not in out
        said = "labels: y is left out of the features and not used"
        for similarity, unused in (("knn", True), ("rbf", True), ("class_labels", False), ("hit_miss", False)):
            words = ("--method", "spec-phi2", "--similarity", similarity)
            code, _, err = call("rank", data_csv, "--label", "y", *words)
            assert (code, said in err) == (0, unused), similarity
        assert said not in call("rank", data_csv, "--label", "y")[2]

    def test_small_scores_keep_their_digits(self, call, data_csv, frame):
        X = frame.drop(columns="y") * 1e-6
        X.assign(y=frame["y"]).to_csv(data_csv, index=False)
        words = ("rank", data_csv, "--ignore", "y", "--method", "mrsf", "-k", "3")
        _, out, _ = call(*words)
        assert "0.0000" not in out
        result = json.loads(call(*words, "--json")[1])
        shown = [float(re.search(r"(-?\d\.\d{3}e[+-]\d\d) ", line).group(1)) for line in out.splitlines()[2:]]
        assert shown == pytest.approx([f["score"] for f in result["features"]], rel=1e-3)

    def test_undefined_scores_are_null_last_and_warned_about(self, call, data_csv, frame):
        frame.assign(f0=1.5).to_csv(data_csv, index=False)
        code, out, err = call("rank", data_csv, "--label", "y", "--json")
        last = json.loads(out)["features"][-1]
        assert (code, last["feature"], last["score"]) == (0, "f0", None)
        assert "warning: FisherScore: 1 of 7 features have no score" in err

    def test_names_cannot_move_the_cursor(self, call, data_csv, frame):
        frame.rename(columns={AWKWARD: "a\x1b[2Jb\nc"}).to_csv(data_csv, index=False)
        _, out, _ = call("rank", data_csv, "--label", "y")
        assert "\x1b" not in out
        assert "a\\x1b[2Jb\\nc" in out


class TestFormats:
    def ranking(self, call, *words):
        code, out, err = call("rank", *words, "--json")
        assert code == 0, err
        return [(f["column"], f["rank"]) for f in json.loads(out)["features"]]

    def test_all_formats_give_the_same_ranking(self, call, frame, data_csv, tmp_path, monkeypatch):
        X, y = frame.drop(columns="y").to_numpy(), frame["y"].to_numpy(str)
        expected = self.ranking(call, data_csv, "--label", "y")
        frame.to_csv(tmp_path / "d.tsv", sep="\t", index=False)
        for compressed in ("d.csv.gz", "d.csv.bz2", "d.csv.xz"):
            frame.to_csv(tmp_path / compressed, index=False)
        np.savez(tmp_path / "d.npz", X=X, y=y)
        sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(X))
        csr = sparse.csr_array(X)
        np.savez(tmp_path / "t.npz", data=csr.data, indices=csr.indices, indptr=csr.indptr, shape=csr.shape, y=y)
        savemat(tmp_path / "d.mat", {"X": X, "Y": (y == "tumour").reshape(-1, 1).astype(float)})
        named = ("d.tsv", "d.csv.gz", "d.csv.bz2", "d.csv.xz", "d.npz", "t.npz")
        for name, label in [*((name, "y") for name in named), ("d.mat", "Y")]:
            assert self.ranking(call, tmp_path / name, "--label", label) == expected, name
        unlabelled = self.ranking(call, data_csv, "--ignore", "y")
        assert self.ranking(call, tmp_path / "s.npz") == unlabelled

    def test_standard_input(self, data_csv, call):
        expected = self.ranking(call, data_csv, "--label", "y")
        with open(data_csv, "rb") as file:
            done = subprocess.run(
                [sys.executable, "-m", "eigenselect", "rank", "-", "--label", "y", "--json"],
                stdin=file, capture_output=True, check=True,
            )  # fmt: skip
        assert [(f["column"], f["rank"]) for f in json.loads(done.stdout)["features"]] == expected

    def test_an_unnamed_first_column_is_taken_for_sample_names(self, call, frame, data_csv, tmp_path):
        expected = self.ranking(call, data_csv, "--label", "y")
        frame.to_csv(tmp_path / "index.csv")
        assert self.ranking(call, tmp_path / "index.csv", "--label", "y") == expected
        assert "first column has no name" in call("rank", tmp_path / "index.csv", "--label", "y")[2]

    def test_names_with_commas_can_be_ignored_and_twice(self, call, data_csv):
        _, out, _ = call(
            "rank", data_csv, "--label", "y", "--ignore", AWKWARD, "--ignore", "f0,f1", "--ignore", "f1", "--json"
        )
        assert {f["feature"] for f in json.loads(out)["features"]} == {"f2", "f3", "f4", "naïve 🧬 ゲノム"}

    def test_a_class_may_be_called_na(self, call, frame, data_csv):
        frame.assign(y=frame["y"].map({"normal": "NA", "tumour": "None"})).to_csv(data_csv, index=False)
        code, out, _ = call("rank", data_csv, "--label", "y", "--json")
        assert code == 0
        assert json.loads(out)["graph"]["n_classes"] == 2

    def test_a_column_may_be_called_na(self, call, frame, data_csv):
        frame.rename(columns={"y": "NA", "f0": "nan"}).to_csv(data_csv, index=False)
        code, out, err = call("rank", data_csv, "--label", "NA", "--json")
        assert code == 0, err
        assert "nan" in {f["feature"] for f in json.loads(out)["features"]}

    def test_blank_lines_before_the_header_and_names_with_line_breaks(self, call, frame, data_csv):
        expected = self.ranking(call, data_csv, "--label", "y")
        text = frame.rename(columns={"f0": "f\n0"}).to_csv(index=False)
        with open(data_csv, "w", encoding="utf-8-sig") as file:
            file.write("\n  \n" + text.replace(",y\n", ', "y"\n', 1))
        assert self.ranking(call, data_csv, "--label", "y") == expected

    def test_named_pipes(self, data_csv, call):
        expected = self.ranking(call, data_csv, "--label", "y")
        command = f"{sys.executable} -m eigenselect rank <(cat {data_csv}) --format csv --label y --json"
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
        assert [(f["column"], f["rank"]) for f in json.loads(done.stdout)["features"]] == expected

    def test_text_in_mat_files(self, call, tmp_path, rng):
        X = rng.normal(size=(12, 2))
        cells = {"feature_names": np.array(["a b", "c"], dtype=object), "Y": np.array(["u", "v"] * 6, dtype=object)}
        savemat(tmp_path / "cells.mat", {"X": X, **cells})
        _, out, err = call("rank", tmp_path / "cells.mat", "--label", "Y", "--json")
        assert {f["feature"] for f in json.loads(out)["features"]} == {"a b", "c"}, err
        np.savez(tmp_path / "bytes.npz", X=X > 0, feature_names=np.array([b"a b", b"c"]))
        _, out, err = call("rank", tmp_path / "bytes.npz", "--json")
        assert {f["feature"] for f in json.loads(out)["features"]} == {"a b", "c"}, err

    def test_feature_names_of_arrays(self, call, tmp_path, rng):
        X = rng.normal(size=(20, 3))
        np.savez(tmp_path / "named.npz", X=X, feature_names=np.array(["a", "b", "c"]))
        np.savez(tmp_path / "bare.npz", X=X)
        assert "b" in call("rank", tmp_path / "named.npz")[1]
        assert "x1" in call("rank", tmp_path / "bare.npz")[1]
        assert "'b'" not in call("rank", tmp_path / "named.npz", "--ignore", "b", "--json")[1]


class TestOutput:
    @pytest.mark.parametrize("ending", ["csv", "tsv", "json"])
    def test_files(self, call, data_csv, tmp_path, ending):
        target = tmp_path / f"ranking.{ending}"
        code, out, err = call("rank", data_csv, "--label", "y", "-k", "4", "-o", target)
        assert (code, out) == (0, "")
        assert f"wrote {target}" in err
        if ending == "json":
            names = [f["feature"] for f in json.loads(target.read_text(encoding="utf-8"))["features"]]
        else:
            names = list(pd.read_csv(target, sep="\t" if ending == "tsv" else ",")["feature"])
        assert len(names) == 4
        assert names[0] == AWKWARD
        assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", f"ranking.{ending}"]

    def test_a_link_stays_a_link(self, call, data_csv, tmp_path):
        (tmp_path / "real.csv").write_text("old")
        (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
        assert call("rank", data_csv, "--label", "y", "-o", tmp_path / "link.csv", "--force")[0] == 0
        assert (tmp_path / "link.csv").is_symlink()
        assert "feature" in (tmp_path / "real.csv").read_text()


class TestOtherCommands:
    def test_methods(self, call):
        code, out, _ = call("methods")
        assert code == 0
        for row in METHODS:
            assert row.name in out
            assert row.reference in out
        listed = json.loads(call("methods", "--json")[1])
        assert [row["name"] for row in listed] == [row.name for row in METHODS]

    @pytest.mark.parametrize(("word", "says"), [("rnak", "did you mean 'rank'?"), ("xyz", "there are compare, fuse,")])
    def test_unknown_commands_get_near_names(self, call, word, says):
        code, out, err = call(word, "data.csv")
        assert (code, out) == (2, "")
        assert f"no command is called {word!r}; {says}" in err

    def test_version_and_help(self, call):
        assert call("--version")[1].strip().endswith(__version__)
        code, out, _ = call("rank", "--help")
        assert code == 0
        assert "--label" in out

    @pytest.mark.parametrize("columns", ["80", "300"])
    def test_the_quick_help_is_what_click_prints(self, call, monkeypatch, columns):
        monkeypatch.setenv("COLUMNS", columns)
        quick = call("--help")[1]
        assert quick == call("-h")[1]
        monkeypatch.setattr("eigenselect.cli.main._quick_answer", lambda words: None)
        assert call("--help") == (0, quick, "")
        assert call("--version")[1] == f"eigenselect, version {__version__}\n"

    def test_a_narrow_terminal_gets_broken_lines(self, call, monkeypatch):
        monkeypatch.setenv("COLUMNS", "60")
        code, out, _ = call("--help")
        assert code == 0
        assert max(map(len, out.splitlines())) <= 60
        assert set(COMMANDS) <= set(out.split())

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_answers_for_help(self, call, name):
        code, out, _ = call(name, "--help")
        assert code == 0
        assert out.startswith(f"Usage: eigenselect {name} ")

    @pytest.mark.parametrize("words", [["--help"], ["--version"], ["-h"]])
    def test_help_and_version_answer_before_click_is_imported(self, words):
        program = (
            "import sys; from eigenselect.cli.main import run; run(sys.argv[1:]); sys.exit('click' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    @pytest.mark.parametrize("words", [["--help"], ["--version"], ["rank", "--help"], ["methods"]])
    def test_light_commands_import_nothing_heavy(self, words):
        program = (
            "import sys; from eigenselect.cli.main import run; code = run(sys.argv[1:]);"
            "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'numba'} & set(sys.modules);"
            "sys.exit(str(heavy) if heavy else code)"
        )
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def test_a_small_csv_imports_no_numba(self, tmp_path, rng):
        path = tmp_path / "small.csv"
        pd.DataFrame(rng.normal(size=(100, 1000))).to_csv(path, index=False)
        program = (
            "import sys; from eigenselect.cli.main import run; code = run(['rank', sys.argv[1], '-k', '5']);"
            "sys.exit(code or 'numba' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


class TestText:
    def test_widths(self):
        assert width_of("abc") == 3
        assert width_of("ゲノム") == 6
        assert width_of("e\u0301") == 1

    def test_shortened(self):
        assert shortened("abcdef", 6) == "abcdef"
        assert shortened("abcdefg", 6) == "abcde…"
        assert width_of(shortened("ゲノムゲノム", 6)) <= 6

    def test_printable(self):
        assert printable("a\tb\x1b\u200b") == "a\\tb\\x1b\\u200b"
        assert printable("naïve 🧬") == "naïve 🧬"

    def test_bar(self):
        assert bar(1.0, 0.0, 1.0, 10) == "█" * 10
        assert bar(0.0, 0.0, 1.0, 10) == "█"
        assert bar(float("nan"), 0.0, 1.0) == ""
        assert bar(1.0, 1.0, 1.0) == ""

    def test_significant_digits(self):
        assert significant([0.61172, 0.5, 0.0123456]) == ["0.6117", "0.5000", "0.0123"]
        assert significant([0.0123456, 0.001]) == ["0.01235", "0.00100"]
        assert significant([3e-9, 0.0, -2.5e-12]) == ["3.000e-09", "0.0000000", "-2.500e-12"]
        assert significant([5123.4, 2e7, 1e-5]) == ["5123.4000", "2.000e+07", "1.000e-05"]
        assert significant([float("nan"), float("inf"), 0.0]) == ["nan", "inf", "0.0000"]
        assert significant([]) == []

    def test_a_long_name_is_cut_to_the_terminal(self, monkeypatch):
        monkeypatch.setenv("COLUMNS", "60")
        text = aligned(["rank", "feature"], [["1", "x" * 10_000]], right=(0,), flexible=1)
        assert max(map(len, text.splitlines())) <= 60


def test_the_shell_can_complete_commands_and_methods():
    program = (
        "import atexit, sys; from eigenselect.cli.main import main;"
        "atexit.register(lambda: print({'numpy', 'pandas', 'sklearn'} & set(sys.modules), file=sys.stderr)); main()"
    )
    for words, place, expected in (("eigenselect ra", "1", "rank"), ("eigenselect rank x --method fis", "4", "fisher")):
        asked = {"COMP_WORDS": words, "COMP_CWORD": place, "_EIGENSELECT_COMPLETE": "bash_complete"}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ | asked)
        assert f"plain,{expected}" in done.stdout, done.stderr
        assert done.stderr == "set()\n"


@pytest.mark.parametrize(("options", "graph"), [(["--label", "class"], "ClassLabels"), ([], "RBF")])
def test_mrsf_takes_labels_or_does_without(call, rng, tmp_path, options, graph):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame(rng.normal(size=(30, 6)), columns=list("abcdef"))
    frame["b"] = frame["a"]  # a copy
    frame.assign(**({"class": np.arange(30) % 3} if options else {})).to_csv(path, index=False)
    code, out, _ = call("rank", path, *options, "--method", "mrsf", "-k", "3", "--json")
    assert code == 0
    result = json.loads(out)
    assert result["graph"]["similarity"] == graph
    assert not {"a", "b"} <= {feature["feature"] for feature in result["features"]}


def test_features_that_are_not_ordered_have_no_rank(call, data_csv, tmp_path):
    code, out, err = call("rank", data_csv, "--label", "y", "--method", "mrsf", "--json")
    assert code == 0, err
    result = json.loads(out)
    ranks = [row["rank"] for row in result["features"]]
    assert ranks == [*range(1, result["n_ordered"] + 1), *[None] * (7 - result["n_ordered"])]
    assert 0 < result["n_ordered"] < 7
    text = call("rank", data_csv, "--label", "y", "--method", "mrsf")[1].splitlines()
    assert [line.split()[0] for line in text[2:]] == ["–" if rank is None else str(rank) for rank in ranks]
    assert call("rank", data_csv, "--label", "y", "--method", "mrsf", "-o", tmp_path / "r.csv")[0] == 0
    written = pd.read_csv(tmp_path / "r.csv")["rank"]
    assert written.isna().sum() == 7 - result["n_ordered"]

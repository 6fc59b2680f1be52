"""Labels of the command: what -1 is taken for, and what is said of it."""

import json
import re

import numpy as np
import pytest

from eigenselect import FisherScore


class TestMinusOne:
    """-1 among numbers: a class for most methods, no label for those that use unlabelled samples."""

    @pytest.fixture
    def path(self, tmp_path, frame):
        labels = np.where(np.arange(40) % 4 > 0, -1, np.arange(40) // 4 % 2)
        frame.assign(y=labels).to_csv(tmp_path / "minus.csv", index=False)
        return tmp_path / "minus.csv"

    def test_a_class_unless_somebody_says_otherwise(self, call, path):
        code, out, err = call("rank", path, "--label", "y", "--json")
        assert code == 0, err
        assert json.loads(out)["graph"]["n_classes"] == 3
        assert "warning: -1 in 'y' is taken for a class (30 samples); where it means that there is no label, " in err
        for advice in ("--drop-unlabelled", "--method sselect"):
            assert advice in err
            assert "is taken for a class" not in call("rank", path, "--label", "y", *advice.split())[2]

    def test_compare_says_so_too(self, call, path):
        words = ("compare", path, "--label", "y", "--methods", "fisher", "--folds", "2", "-k", "2")
        err = " ".join(call(*words)[2].split())
        assert "-1 in 'y' is taken for a class (30 samples); where it means that there is no label, --drop-un" in err
        assert "--method sselect" not in err
        code, _, err = call(*words, "--drop-unlabelled")
        assert code == 0
        assert "is taken for a class" not in err

    def test_the_advice_of_a_method_that_uses_unlabelled_samples_tests_the_labelled_ones(self, call, path, frame):
        err = call("rank", path, "--label", "y", "--method", "sselect")[2]
        assert "labels: 10 of 40 samples\n" in err
        assert "warning: 30 samples have no label (-1)\n" in err
        advice = re.search(r"\((--method fisher [^)]*)\) of the labelled samples alone", err)[1].split()
        code, out, err = call("rank", path, "--label", "y", *advice, "--json")
        assert code == 0, err
        assert "warning: 30 of 40 samples have no label (-1) and are left out\n" in err
        known = np.arange(40) % 4 == 0
        expected = FisherScore(significance=True).fit(frame.drop(columns="y")[known], np.arange(10) % 2)
        found = {f["column"]: f["qvalue"] for f in json.loads(out)["features"]}
        np.testing.assert_allclose([found[j] for j in range(5)], expected.qvalues_[:5], rtol=1e-9)

    @pytest.mark.parametrize("labels", [[-1, 1], ["-1", "a", "b"], [-1.5, -1, 0.25, 2]])
    def test_where_it_cannot_mean_no_label_nothing_is_left_out(self, call, frame, tmp_path, labels):
        """Two classes, text, measurements."""
        frame.assign(y=np.resize(labels, 40)).to_csv(tmp_path / "t.csv", index=False)
        words = ("--label", "y", "--drop-unlabelled", "--json")
        code, out, err = call("rank", tmp_path / "t.csv", *words)
        assert code == 0, err
        assert json.loads(out)["n_samples"] == 40
        assert "warning: every sample has a label; --drop-unlabelled leaves none out" in err
        assert "is taken for a class" not in err

    def test_beside_empty_labels_it_stays_a_class(self, call, frame, tmp_path):
        labels = np.resize(["-1", "0", "1", ""], 40)
        frame.assign(y=labels).to_csv(tmp_path / "t.csv", index=False)
        code, out, err = call("rank", tmp_path / "t.csv", "--label", "y", "--drop-unlabelled", "--json")
        assert code == 0, err
        assert (json.loads(out)["n_samples"], json.loads(out)["graph"]["n_classes"]) == (30, 3)
        assert "where it means that there is no label, leave the label empty" in err

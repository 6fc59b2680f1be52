"""A method is added in three places: its selector, its row, its naive formula. The rest follows from the row."""

import json
import sys
import types

import numpy as np
import pandas as pd
import pytest

import eigenselect
import naive
import rows
from eigenselect.cli.main import run
from eigenselect.criteria.methods import ANY, METHODS, Direction, Labels, Method, Option

# place 1: a file in selectors/
SELECTOR = '''
from eigenselect.criteria.criterion import phi
from eigenselect.selectors.spectral import SpectralSelector
from eigenselect.spectral import Power


class CubicScore(SpectralSelector):
    """Smoothness over the graph, cubed."""

    def __init__(
        self, n_features_to_select=None, *, similarity="knn", n_jobs=None, random_state=None, verbose=False
    ):
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _criterion(self, built):
        return phi("phi2", built.graph, Power(3))


def cubic_score(X, y=None, **parameters):
    return CubicScore(**parameters).fit(X, y).scores_
'''

# place 2: a row of criteria/methods.toml
ROW = Method(
    name="cubic",
    selector="CubicScore",
    module="eigenselect.selectors.cubic_score",
    score_function="cubic_score",
    similarity="kNN, RBF weights; any",
    similarities=("knn", ANY),
    normalization="D½f, ξ₁ removed, unit length",
    matrix="I - N³",
    direction=Direction.SMALL,
    labels=Labels.NONE,
    options=(Option.SIMILARITY,),
    cites=("zhao2007spectral",),
    statement="by the third power of the normalised cut on the graph of {similarity}",
    reference="nobody, nowhere",
    summary="a toy: φ2 with γ = the third power",
    in_words="neighbours have very much like values",
)


# place 3: a formula in tests/naive.py
def cubic(X, y, S):
    return [naive.phi2(S, f, lambda values: values**3) for f in X.T]


@pytest.fixture(autouse=True)
def added(monkeypatch):
    """The three places, for the time of a test."""
    module = types.ModuleType(ROW.module)
    exec(SELECTOR, vars(module))
    module.CubicScore.__module__ = ROW.module
    monkeypatch.setitem(sys.modules, ROW.module, module)
    monkeypatch.setitem(naive.NATIVE, ROW.name, cubic)
    names = vars(eigenselect).copy()
    with METHODS.added(ROW):
        yield
    for name in vars(eigenselect).keys() - names.keys():
        delattr(eigenselect, name)


@pytest.fixture
def data_csv(tmp_path):
    path = tmp_path / "data.csv"
    pd.DataFrame(rows.X, columns=list("abcde")).assign(y=rows.Y).to_csv(path, index=False)
    return str(path)


def test_its_row_is_held_against_its_code():
    for check in rows.CHECKS:
        check(ROW)


def test_it_is_a_public_name():
    assert eigenselect.CubicScore is ROW.selector_class()
    assert {"CubicScore", "cubic_score"} <= set(eigenselect.__all__) & set(dir(eigenselect))


def test_the_table_is_printed_with_it(capsys):
    assert run(["methods"]) == 0
    out = capsys.readouterr().out
    assert ROW.matrix in out
    assert ROW.summary in out
    assert run(["methods", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[-1] == json.loads(json.dumps(ROW.as_dict()))


def test_the_command_ranks_with_it(capsys, data_csv, tmp_path):
    page, found = tmp_path / "page.html", tmp_path / "found.json"
    words = ["rank", data_csv, "--ignore", "y", "--method", "cubic", "--similarity", "rbf"]
    assert run([*words, "--report", str(page), "-o", str(found)]) == 0
    assert f"method: cubic, {ROW.summary}" in capsys.readouterr().err
    summary = json.loads(found.read_text())
    assert (summary["method"], summary["supervision"], summary["native_direction"]) == ("cubic", "none", "small")
    assert summary["method_words"] == ROW.in_words
    expected = eigenselect.CubicScore(similarity="rbf").fit(rows.X).native_scores_
    native = {feature["column"]: feature["native_score"] for feature in summary["features"]}
    np.testing.assert_allclose([native[j] for j in range(5)], expected, rtol=1e-12)
    assert "<title>data.csv: cubic</title>" in page.read_text(encoding="utf-8")
    assert ROW.statement.format(similarity="rbf") in summary["paper"]["methods"]


def test_options_that_do_not_apply_are_refused(capsys, data_csv):
    assert run(["rank", data_csv, "--method", "cubic", "--power", "2"]) == 2
    assert "--power" in capsys.readouterr().err


def test_it_is_offered_and_compared(capsys, data_csv):
    assert run(["rank", "--help"]) == 0
    assert "cubic" in capsys.readouterr().out
    assert run(["rank", data_csv, "--method", "cubik"]) == 2
    assert "did you mean 'cubic'?" in capsys.readouterr().err
    words = ["compare", data_csv, "--label", "y", "--methods", "cubic,fisher", "-k", "2", "--sizes", "2", "--json"]
    assert run(words) == 0
    assert list(json.loads(capsys.readouterr().out)["methods"]) == ["cubic", "fisher"]

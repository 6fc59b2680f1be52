"""Names and objects become selectors; what the user gave stays as it is."""

import numpy as np
import pytest

import eigenselect as es
from eigenselect.criteria.table import METHODS, Command
from eigenselect.single_cell.methods import seed_of, selectors_of


def made(method, **settings):
    return selectors_of(method, owner="pp", **settings)


@pytest.mark.parametrize(
    "row", [row for row in METHODS if row.command is not Command.PYTHON_ONLY], ids=lambda r: r.name
)
def test_every_name_of_the_command_is_that_method(row):
    selector = made(row.name)[row.name]
    assert type(selector) is row.selector_class()
    assert {name: getattr(selector, name) for name in row.parameters} == dict(row.parameters)


def test_settings_reach_those_that_have_them():
    selectors = made(["laplacian", "variance"], n_jobs=2, random_state=7)
    assert (selectors["laplacian"].n_jobs, selectors["laplacian"].random_state) == (2, 7)
    assert selectors["variance"].n_jobs == 2


def test_objects_are_copied_and_keep_their_settings():
    mine = es.MoranI(n_jobs=3, random_state=5)
    copy = made(mine, n_jobs=1)["MoranI"]
    assert copy is not mine
    assert (copy.n_jobs, copy.random_state, mine.n_jobs) == (1, 5, 3)


def test_gamma_of_the_laplacian_score_is_that_of_phi2(rng):
    X, S = rng.normal(size=(20, 5)), rng.random((20, 20))
    S = S + S.T
    plain, identity = made("laplacian")["laplacian"], made("laplacian", spectral_function="identity")["laplacian"]
    by_score, by_phi2 = (each.fit(X, similarity_matrix=S).ranking_ for each in (plain, identity))
    assert np.array_equal(by_score, by_phi2)
    cubic = made(es.LaplacianScore(n_jobs=2), spectral_function=3)["LaplacianScore"]
    assert (type(cubic), cubic.ranking, cubic.spectral_function, cubic.n_jobs) == (es.SPEC, "phi2", 3, 2)
    assert made("spec-phi1", spectral_function=2)["spec-phi1"].get_params()["spectral_function"] == 2


@pytest.mark.parametrize(
    ("method", "settings", "error", "sentence"),
    [
        ("laplasian", {}, ValueError, "pp: no method is named 'laplasian'; did you mean 'laplacian'?"),
        ("kogs", {}, ValueError, "pp: no method is named 'kogs'; expected one of 'spec-phi1'"),
        ([], {}, ValueError, "pp: method must name at least one method"),
        (["moran", "moran"], {}, ValueError, "pp: method must name different methods, got 'moran' twice"),
        (es.MoranI, {}, TypeError, "method must be a name, a selector of eigenselect, .* got the class MoranI"),
        (3, {}, TypeError, "got a int"),
        (
            "fisher",
            {"spectral_function": 2},
            ValueError,
            "method='fisher' has no spectral_function; 'laplacian', 'spec",
        ),
    ],
)
def test_sentences(method, settings, error, sentence):
    with pytest.raises(error, match=sentence):
        made(method, **settings)


def test_seeds():
    state = np.random.RandomState(0)
    assert seed_of(None, "pp") is None
    assert seed_of(state, "pp") is state
    assert seed_of(np.int64(3), "pp") == 3
    first, second = (seed_of(np.random.default_rng(seed), "pp") for seed in (1, 2))
    assert first == seed_of(np.random.default_rng(1), "pp") != second
    for bad in (-1, 2**32, 1.0, True, "0"):
        with pytest.raises(ValueError, match="pp: rng must be None, a whole number"):
            seed_of(bad, "pp")

"""The door of the preprocessing verbs, and scanpy's rules for signatures in all doors."""

import inspect

import pytest

import eigenselect as es
from eigenselect.single_cell.spectral_features import spectral_features

VERBS = [(room, name) for room in ("pp", "gr", "pl") for name in getattr(es, room).__all__]


def test_the_door_shows_the_verbs():
    assert es.pp.__all__ == ["spectral_features"]
    assert es.pp.spectral_features is spectral_features


@pytest.mark.parametrize(("room", "name"), VERBS)
def test_scanpys_rules_for_signatures(room, name):
    """The data first and called adata, at most three positional arguments, and the others by name only."""
    parameters = list(inspect.signature(getattr(getattr(es, room), name)).parameters.values())
    positional = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    assert positional[0].name == "adata"
    assert positional[0].default is inspect.Parameter.empty
    assert len(positional) <= 3
    named = [each for each in parameters if each not in positional]
    assert {each.kind for each in named} == {inspect.Parameter.KEYWORD_ONLY}
    assert all(each.default is not inspect.Parameter.empty for each in named)


def test_the_signature_is_as_promised():
    promised = """adata n_top_genes=None alpha=0.05 method='laplacian' spectral_function=None layer=None
        neighbors_key=None obsp=None use_rep=None label_key=None batch_key=None covariates=None significance='auto'
        must_keep=None never=None key_added='spectral' subset=False flag_as_highly_variable=False inplace=True
        n_jobs=None rng=None"""
    parameters = list(inspect.signature(es.pp.spectral_features).parameters.values())
    spelled = [each.name if each.default is each.empty else f"{each.name}={each.default!r}" for each in parameters]
    words = promised.split()
    assert spelled[: len(words)] == words
    assert [each.kind is each.KEYWORD_ONLY for each in parameters] == [False, False] + [True] * (len(parameters) - 2)

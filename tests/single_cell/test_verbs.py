"""The modules of the verbs: their names, scanpy's rules for signatures, and `gr` in place of squidpy's."""

import inspect
import sys
from types import SimpleNamespace

import pytest

import eigenselect as es
from eigenselect import gr, pl, pp

VERBS = {
    "pp": ["spectral_features"],
    "gr": ["spatial_autocorr"],
    "pl": ["embedding", "qq", "ranking", "score_mean", "spatial"],
}


def test_scanpys_rules_for_signatures():
    """The data first and called adata, at most three positional arguments, and the others by name only."""
    assert (es.pp, es.gr, es.pl) == (pp, gr, pl)
    for module, names in VERBS.items():
        assert getattr(es, module).__all__ == names
        for name in names:
            parameters = list(inspect.signature(getattr(getattr(es, module), name)).parameters.values())
            positional = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
            assert positional[0].name == "adata", name
            assert positional[0].default is inspect.Parameter.empty, name
            assert len(positional) <= 3, name
            named = [each for each in parameters if each not in positional]
            assert {each.kind for each in named} == {inspect.Parameter.KEYWORD_ONLY}, name
            assert all(each.default is not inspect.Parameter.empty for each in named), name
            if module == "pl":
                defaults = {each.name: each.default for each in parameters}
                assert list(defaults)[-3:] == ["ax", "show", "save"], name
                assert all(defaults[each] is None for each in ("ax", "show", "save", "modality", "table_key")), name


def test_the_signature_is_as_promised():
    promised = """adata n_top_genes=None alpha=0.05 method=None spectral_function=None layer=None
        neighbors_key=None obsp=None use_rep=None label_key=None batch_key=None covariates=None significance='auto'
        must_keep=None never=None key_added='spectral' subset=False flag_as_highly_variable=False inplace=True
        n_jobs=None rng=None"""
    parameters = list(inspect.signature(es.pp.spectral_features).parameters.values())
    spelled = [each.name if each.default is each.empty else f"{each.name}={each.default!r}" for each in parameters]
    words = promised.split()
    assert spelled[: len(words)] == words
    assert [each.kind is each.KEYWORD_ONLY for each in parameters] == [False, False] + [True] * (len(parameters) - 2)


def test_what_only_squidpy_has_is_squidpys(monkeypatch):
    theirs = SimpleNamespace(spatial_neighbors=lambda adata: "made", spatial_autocorr=None)
    monkeypatch.setitem(sys.modules, "squidpy", SimpleNamespace(gr=theirs))
    assert gr.spatial_neighbors(None) == "made"
    assert gr.spatial_autocorr is not None
    with pytest.raises(AttributeError, match="'neighbors_of_space'"):
        _ = gr.neighbors_of_space


def test_without_squidpy_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "squidpy", None)  # as if it were not installed
    with pytest.raises(AttributeError, match="pip install squidpy"):
        _ = gr.spatial_neighbors
    with pytest.raises(AttributeError, match="'_private'"):
        _ = gr._private

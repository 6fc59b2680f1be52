"""The plotting verbs keep scanpy's manners: the data first, at most three positional arguments, ax, show and save."""

import inspect

import pytest

import eigenselect as es
from eigenselect import pl


def test_the_public_path():
    assert es.pl is pl
    assert pl.__all__ == ["embedding", "qq", "ranking", "score_mean", "spatial"]


@pytest.mark.parametrize("name", pl.__all__)
def test_signatures(name):
    parameters = inspect.signature(getattr(pl, name)).parameters
    positional = [each.name for each in parameters.values() if each.kind is not each.KEYWORD_ONLY]
    assert positional[0] == "adata"
    assert len(positional) <= 3
    assert list(parameters)[-3:] == ["ax", "show", "save"]
    assert all(parameters[each].default is None for each in ("ax", "show", "save", "modality", "table_key"))

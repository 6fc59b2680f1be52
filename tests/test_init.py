"""The names that the package gives."""

import pytest

import eigenselect as es


def test_public_names():
    assert set(es.__all__) <= set(dir(es))
    for name in es.__all__:
        assert getattr(es, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Spec'"):
        _ = es.Spec

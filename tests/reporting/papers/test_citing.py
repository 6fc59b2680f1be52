"""Citations stand in the text and, once each, in the list."""

import pytest

from eigenselect.criteria.references import REFERENCES
from eigenselect.reporting.papers.citing import Citations


def test_the_list_has_everything_once_in_the_order_of_the_text():
    cited = Citations()
    assert cited.of("zhao2007spectral") == "(Zhao & Liu 2007)"
    assert cited.of("he2005laplacian", "zhao2007spectral") == "(He et al. 2005; Zhao & Liu 2007)"
    assert cited.of() == ""
    expected = [REFERENCES["zhao2007spectral"], REFERENCES["he2005laplacian"]]
    assert cited.listed() == [{"text": one.text, "bibtex": one.bibtex} for one in expected]


def test_what_is_not_known_cannot_be_cited():
    with pytest.raises(KeyError):
        Citations().of("nobody1900")

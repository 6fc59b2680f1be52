"""Similarities as they are written at a terminal."""

import pytest

from eigenselect.similarity import KNN, RBF, similarity_from_text


def test_a_name_stays_one_and_options_make_an_object():
    assert similarity_from_text("knn") == "knn"
    found = similarity_from_text("knn:k=5, weight=binary")
    assert isinstance(found, KNN)
    assert (found.n_neighbors, found.weight) == (5, "binary")
    assert similarity_from_text("rbf:sigma=0.5").bandwidth == RBF(0.5).bandwidth


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kmn", "did you mean 'knn'"),
        ("knn:j=3", "'j=3' is no option of knn; it has"),
        ("linear:k=3", "no option of linear; it has none"),
        ("rbf:0.5", "'0.5' is no option of rbf"),
    ],
)
def test_what_is_none_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        similarity_from_text(text)

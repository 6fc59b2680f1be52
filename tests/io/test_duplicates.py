"""Features of equal names."""

from eigenselect.io.duplicates import unique_names


def test_names_become_unique_and_stay_in_place():
    assert unique_names(["a", "a", "a"]) == ["a", "a-1", "a-2"]
    assert unique_names(["a-1", "a", "a"]) == ["a-1", "a", "a-2"]
    assert unique_names(list("abc")) == list("abc")

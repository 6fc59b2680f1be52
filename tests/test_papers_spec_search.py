"""papers/spec_search.py: its ReliefF against the library's, its orders against definitions."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from eigenselect import ReliefF
from eigenselect.exceptions import UnitsWarning


@pytest.fixture
def search(paper):
    return paper("spec_search")


@pytest.fixture
def table(rng):
    """Three classes of 25, 30 and 26 samples, so that none is smaller than the most neighbours; other units."""
    y = np.repeat([0, 1, 2], [25, 30, 26])
    X = rng.normal(size=(81, 14)) + np.outer(y, np.arange(14) < 3)
    return X * np.geomspace(0.1, 30.0, 14), y


@pytest.mark.parametrize("k", [1, 5, 10, 20])
def test_its_relieff_is_the_librarys(search, table, k):
    """With differences by range, or squared as given."""
    X, y = table
    scaled = X / np.ptp(X, axis=0)
    absolute = search.neighbour_sums(scaled, y, cdist(scaled, scaled, "cityblock"), np.abs)
    squared = search.neighbour_sums(X, y, cdist(X, X), np.square)
    for nearest, difference in [(absolute, "absolute"), (squared, "squared")]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnitsWarning)  # other units are the point
            library = ReliefF(n_neighbors=k, difference=difference).fit(X, y)
        np.testing.assert_allclose(search.relieff(nearest, k) / len(X), library.scores_)


def test_a_small_class_gives_the_mean_of_what_it_has(search, rng):
    y = np.array([0, 0, 0, 1, 1])
    X = rng.normal(size=(5, 2))
    nearest = search.neighbour_sums(X, y, cdist(X, X), np.abs)
    hits = [np.abs(X[y == label] - X[i])[np.flatnonzero(y == label) != i].mean(axis=0) for i, label in enumerate(y)]
    misses = [np.abs(X[y != label] - X[i]).mean(axis=0) for i, label in enumerate(y)]
    np.testing.assert_allclose(search.relieff(nearest, 20), np.sum(misses, axis=0) - np.sum(hits, axis=0))


def test_every_setting_orders_all_features_once(search, table):
    found = dict(search.settings(*table, 0))
    assert len({name.split(":")[0] for name in found}) == 5
    for name, order in found.items():
        assert sorted(order) == list(range(14)), name
    kept = "AROM-SVM: as given, C = 1000, at most 50 rounds"
    np.testing.assert_array_equal(found[kept][::-1], found[f"{kept}; reversed"])
    by_column = found[f"{kept}; kept ones, then the others, by column"]
    assert np.sum(np.diff(by_column) < 0) <= 1


@pytest.fixture
def found(paper, search):
    """Every cell 0.5, but for the protocol's ReliefF, which is 0.1 above the published ones."""
    settings, tables = paper("spec_settings"), paper("spec_tables")
    datasets = [*settings.SETS, *search.COLONS]
    y = np.repeat([0, 1], 4)
    names = dict(search.settings(np.random.default_rng(0).normal(size=(8, 3)), y, 0))
    values = {key: dict.fromkeys(names, 0.5) for key in search.keys(datasets) if key[0] in datasets}
    for (name, _), cells in values.items():
        if name in settings.SETS:
            cells[f"ReliefF: {settings.RELIEFF}"] = tables.TABLE_24.published[name, ""][0] + 0.1
    return values


def test_settings_are_compared_with_their_columns(paper, search, found):
    settings = paper("spec_settings")
    tried = settings.Settings(found)
    assert tried.difference(f"ReliefF: {settings.RELIEFF}") == pytest.approx(0.1)
    published = [paper("published_spec").TABLE_2_4[name, ""][2] for name in settings.SETS]
    expected = np.mean(np.abs(np.array(published) - 0.5))
    assert tried.difference("AROM-SVM: random features") == pytest.approx(expected)
    text = settings.settings_text(found)
    assert "| Euclid as given | squared, as given |" in text
    assert text.count("**0.100**") == 1
    assert f"{expected:.3f}" in text
    assert settings.settings_text({}) == ""

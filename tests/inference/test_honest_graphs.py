"""Recipes for graphs of principal components."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from eigenselect._warn import warn
from eigenselect.exceptions import GraphWarning, UnitsWarning
from eigenselect.inference.honest_graphs import criterion_on, recipe_for_components
from eigenselect.similarity import KNN, RBF


@pytest.mark.parametrize(("n", "expected"), [(8, 7), (40, 10), (100, 20), (300, 60), (5000, 60)])
def test_a_name_takes_wide_neighbourhoods(n, expected):
    for name in ("knn", "diffusion", "geodesic"):
        assert recipe_for_components(name, n, "SPEC").n_neighbors == expected


def test_an_object_is_used_as_given():
    recipe = KNN(5)
    assert recipe_for_components(recipe, 300, "SPEC") is recipe
    assert isinstance(recipe_for_components("rbf", 300, "SPEC"), RBF)
    assert recipe_for_components(lambda X: X @ X.T, 300, "SPEC").describe()["similarity"] == "<lambda>"


@pytest.mark.parametrize("name", ["linear", "cosine"])
def test_inner_products_of_centred_components_are_refused(name):
    with pytest.raises(ValueError, match=f"SPEC: similarity='{name}' cannot make a graph of principal components"):
        recipe_for_components(name, 300, "SPEC")


def test_of_what_is_said_about_a_graph_units_are_left_out():
    """One component wider than all others is the rule; other warnings pass."""

    def rebuild(table, recipe):
        warn("a wide component", UnitsWarning)
        warn("falls apart", GraphWarning)
        return table.shape, recipe

    request = SimpleNamespace(similarity="knn", owner="SPEC", rebuild=rebuild)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        shape, recipe = criterion_on(np.zeros((50, 2)), request)
    assert (shape, recipe.n_neighbors) == ((50, 2), 10)
    assert [each.category for each in said] == [GraphWarning]

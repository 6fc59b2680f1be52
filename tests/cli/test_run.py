"""Making a selector of options and a row of the table."""

import click
import pytest

from eigenselect.cli.options import Ranking
from eigenselect.cli.run import selector_parameters, title_of
from eigenselect.criteria.table import METHODS, Labels, Option

GIVEN = {
    Option.SIMILARITY: {"similarity": "linear"},
    Option.POWER: {"power": 2.0},
    Option.CLUSTERS: {"clusters": 3},
}
RANKED = pytest.mark.parametrize("name", METHODS.names())


@RANKED
@pytest.mark.parametrize("option", Option)
def test_an_option_is_passed_on_or_refused(name, option):
    row, (value,) = METHODS[name], GIVEN[option].values()
    ranking = Ranking(name, **GIVEN[option])
    if option in row.options:
        assert selector_parameters(row, ranking, labelled=True)[option.parameter] == value
    else:
        with pytest.raises(click.UsageError, match=f"--{option} (does not apply|applies) to the method"):
            selector_parameters(row, ranking, labelled=True)


@RANKED
def test_labels_make_the_graph_where_the_row_says_so(name):
    row = METHODS[name]
    found = selector_parameters(row, Ranking(name), labelled=True)
    assert found.get("similarity", "") == row.similarity_with_labels
    assert found.items() >= row.parameters.items()
    if row.labels is Labels.NEEDED:
        with pytest.raises(click.UsageError, match="needs --label COLUMN"):
            selector_parameters(row, Ranking(name), labelled=False)
    else:
        assert "similarity" not in selector_parameters(row, Ranking(name), labelled=False)


def test_a_graph_of_labels_needs_some():
    with pytest.raises(click.UsageError, match="--similarity hit_miss needs --label COLUMN"):
        selector_parameters(METHODS["spec-phi1"], Ranking("spec-phi1", similarity="hit_miss"), labelled=False)


def test_threads_and_seed_reach_every_method():
    found = selector_parameters(METHODS["fisher"], Ranking("fisher", jobs=2, seed=7), labelled=True)
    assert found == {"n_jobs": 2, "random_state": 7}


def test_titles():
    assert title_of("-") == "standard input"
    assert title_of("a/b.csv") == "b.csv"

"""Names are text in Markdown, whatever they hold."""

import pytest
from tests.reporting.conftest import tables_of, text_of

import eigenselect as es
from eigenselect.reporting import compare
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.markdown import as_markdown
from eigenselect.reporting.ranking import summarise


@pytest.mark.parametrize("name", ["TP53|7157", "a`b`", "x\ny", "<b>|</b>", "__z__*w*", "\\|", "|", "[a](b)", "$x$ & ~"])
def test_no_name_breaks_a_markdown_table(two_groups, name):
    X, y = two_groups[0][:, :3], two_groups[1]
    ranking = es.report(es.FisherScore(3).fit(X, y), X, y, feature_names=["plain", name, "other"], title=name)
    methods = {name: es.FisherScore(), "laplacian": es.LaplacianScore(similarity="rbf")}
    both = compare(methods, X, y, feature_names=["plain", name, "other"], title=name, n_features=2, sizes=[1])
    for made in (ranking, both):
        found = tables_of(made.to_markdown())
        assert {len({len(row) for row in table}) for table in found} == {1}
        assert any(" ".join(name.split()) in text_of(cell) for table in found for row in table for cell in row)


def test_only_what_was_asked_for_is_told(wine):
    X, y = wine
    fitted = Fitted(es.FisherScore(3).fit(X, y), X, y, list(X))
    asked = [(), ["redundancy"], ["spectrum", "separation"]]
    texts = [as_markdown(summarise(fitted, kept=3, views=views)) for views in asked]
    assert ["mean absolute correlation" in text for text in texts] == [False, True, False]
    assert ["| spectrum |" in text for text in texts] == [False, False, True]
    assert ["| picture of the samples |" in text for text in texts] == [False, False, True]

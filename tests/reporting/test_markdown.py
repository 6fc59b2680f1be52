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


class TestEvaluation:
    def test_each_number_stands_beside_its_null(self, two_groups):
        X, y = two_groups
        made = es.report(es.FisherScore(5).fit(X, y), X, y)
        facts, text = made.summary["evaluation"], made.to_markdown()
        accuracy = facts["accuracy"]
        assert "## Evaluation" in text
        assert f"{accuracy['mean']:.3f} ± {accuracy['deviation']:.3f} over 3 folds" in text
        assert f"largest class 0.500, permuted labels {accuracy['permuted']:.3f}: beyond chance" in text
        assert f"{facts['stability']['overlap']:.2f} overlap of 3 refits" in text
        assert f"permuted {facts['stability']['permuted']:.2f}" in text
        assert f"{facts['band']['n_above']} of 40 features score more than the best feature of 3 fits" in text

    def test_what_is_missing_has_its_reason_and_what_is_turned_off_nothing(self, two_groups):
        X, y = two_groups
        made = es.report(es.TraceRatio(4).fit(X, y), X, y)
        assert "| band | not measured: TraceRatio chooses" in made.to_markdown()
        off = es.report(es.TraceRatio(4).fit(X, y), X, y, evaluation=False)
        assert "Evaluation" not in off.to_markdown()

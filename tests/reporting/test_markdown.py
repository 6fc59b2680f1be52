"""Names are text in Markdown, whatever they hold."""

import pytest
from tests.reporting.conftest import tables_of, text_of

import eigenselect as es
from eigenselect.reporting import compare
from eigenselect.reporting.answers.answer import add_answer
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
        assert f"with the labels permuted, and nothing else, {facts['stability']['permuted']:.2f}" in text
        assert f"{facts['band']['n_above']} of 40 features score more than the best feature of 3 fits" in text

    def test_what_is_missing_has_its_reason_and_what_is_turned_off_nothing(self, two_groups):
        X, y = two_groups
        made = es.report(es.TraceRatio(4).fit(X, y), X, y)
        assert "| band | not measured: TraceRatio chooses" in made.to_markdown()
        off = es.report(es.TraceRatio(4).fit(X, y), X, y, evaluation=False)
        assert "Evaluation" not in off.to_markdown()


class TestPaper:
    def test_what_a_paper_needs_stands_at_the_end(self, two_groups):
        X, y = two_groups
        made = es.report(es.FisherScore(3).fit(X, y), X, y)
        facts, text = made.summary["paper"], made.to_markdown()
        last = text.split("## For the paper")[1]
        assert facts["command"] in last
        assert all(reference["bibtex"] in last for reference in facts["references"])
        assert text_of(last.split("\n\n")[1]) == facts["methods"]
        assert f"- SHA-256: {facts['data_hash'].split()[0]}" in last
        assert f"- date: {facts['date']}" in last

    def test_no_command_ends_its_block(self, two_groups):
        X, y = two_groups
        made = es.report(es.FisherScore(3).fit(X, y), X, y)
        made.summary["paper"]["command"] = "eigenselect rank '```\n# title\n````'"
        assert "\n`````\neigenselect rank '```\n# title\n````'\n`````\n" in made.to_markdown()

    def test_sources_in_a_table(self, two_groups):
        X, y = two_groups
        name = "a|b <i>"
        sources = [(name, es.multisource.FeatureSet([0, 1, 30])), ("own", es.multisource.TargetData())]
        made = es.report(es.MSFS(3, sources=sources).fit(X, y), X, y)
        part = made.to_markdown().split("## Sources")[1].split("## For")[0]
        (listed,) = tables_of(part)
        assert text_of(listed[2][0]).strip() == name
        assert "expected by chance (3 of all 40 are)" in text_of(listed[2][4])
        assert "all were given the same weight" in part


class TestAnswerAndAlerts:
    def test_they_are_told(self, two_groups):
        X, y = two_groups
        made = es.report(es.LaplacianScore(3).fit(X), X, y)
        text = made.to_markdown()
        assert (
            "## Answer\n\n3 of 40 features kept (the 3 best).\n\n- **How sure?** Not tested: the graph is made" in text
        )
        assert "## 1 alert\n\n- The labels were not used: laplacian ranks without" in text
        for said in made.summary["answer"]["sentences"]:
            assert f"- **{said['question']}** {said['sentence']}" in text_of(text)

    def test_without_any(self, two_groups):
        X, y = two_groups
        assert "## No alerts\n\n" in es.report(es.FisherScore(3).fit(X, y), X, y).to_markdown()

    def test_warnings_are_alerts_or_stand_alone(self, two_groups):
        X, y = two_groups
        fitted = Fitted(es.FisherScore(3).fit(X, y), X, y, [f"x{j}" for j in range(40)])
        summary = summarise(fitted, kept=3, notes=["2 cells were empty"])
        assert "> **Warning:** 2 cells were empty" in as_markdown(summary)
        text = as_markdown(add_answer(summary, fitted))
        assert "## 1 alert\n\n- 2 cells were empty" in text
        assert "**Warning:**" not in text

    @pytest.mark.parametrize("name", ["a|b", "<b>", "[x](y)", "**z**"])
    def test_names_in_them_are_text(self, two_groups, name):
        X = two_groups[0].copy()
        X[:, 1] = 0
        X[7, 1] = 99
        fitted = Fitted(es.Variance(2).fit(X), X, None, ["plain", name, *(f"x{j}" for j in range(38))])
        text = as_markdown(add_answer(summarise(fitted, kept=2), fitted))
        line = next(line for line in text.splitlines() if "one sample only" in line)
        assert repr(name) in text_of(line)
        assert name not in line

    def test_the_method_in_words_once(self, two_groups):
        X, y = two_groups
        texts = [es.report(s.fit(X, y), X, y).to_markdown() for s in (es.LaplacianScore(3), es.FisherScore(3))]
        assert texts[0].count("neighbours have like values") == 1
        assert "It looks for this: class means lie far apart, for how widely the classes spread." in texts[1]

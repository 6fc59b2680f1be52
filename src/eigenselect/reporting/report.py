"""A report: one summary, and that summary as a page, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from eigenselect.exceptions import agreeing, counted
from eigenselect.io.files import write_whole
from eigenselect.io.writers import as_json
from eigenselect.matrix import refuse_many_fits
from eigenselect.reporting.answers.answer import add_answer
from eigenselect.reporting.inputs import check_fitted
from eigenselect.reporting.markdown import as_markdown
from eigenselect.reporting.papers.paper import add_paper
from eigenselect.reporting.papers.provenance import Provenance
from eigenselect.reporting.plain import described
from eigenselect.reporting.ranking import summarise
from eigenselect.reporting.refitting.evaluation import add_evaluation
from eigenselect.reporting.summary import Summary, without_values
from eigenselect.reporting.views.drawing import ALL_VIEWS

#: columns of `Report.to_frame`
COLUMNS = (
    "rank", "feature", "column", "score", "native_score", "pvalue", "qvalue", "selected", "stability", "group"
)  # fmt: skip


class Report:
    """What a run found, as a page, as Markdown and as JSON.

    Shown in short in notebooks; ``save("report.html")``, ``save("report.md")`` and ``save("report.json")`` write it.

    Parameters
    ----------
    summary : RankingSummary or ComparisonSummary
        A dict of plain values: the page, Markdown and JSON are all made from it alone.

    Attributes
    ----------
    summary : RankingSummary or ComparisonSummary
        As given.

    See Also
    --------
    eigenselect.report : Reports on a fitted selector.
    compare : Reports on several.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> made = es.report(es.FisherScore(3).fit(X, y), X, y, title="wine", evaluation=False)
    >>> made.summary["answer"]["headline"]
    '3 of 13 features kept (the 3 best)'
    >>> made.to_markdown().splitlines()[0]
    '# wine: fisher'
    """

    def __init__(self, summary: Summary) -> None:
        self.summary = summary

    def to_html(self) -> str:
        """Render one self-contained page: no network, light and dark, usable by keyboard.

        Returns
        -------
        str
            HTML, with all styles and scripts inside.
        """
        from eigenselect.reporting.page import render

        return render(self.summary)

    def to_markdown(self) -> str:
        """Render the summary as Markdown.

        Returns
        -------
        str
            Markdown.
        """
        return as_markdown(self.summary)

    def to_json(self) -> str:
        """Render the summary as JSON, without the feature values that only the page's colours need.

        Returns
        -------
        str
            JSON.
        """
        return as_json(without_values(self.summary))

    def to_frame(self) -> pd.DataFrame:
        """Make a table, one row per feature, best first.

        Returns
        -------
        DataFrame
            Of a ranking, the columns of ``to_frame`` of a selector that all methods have, and ``stability`` (share of
            the refits that keep the feature) and ``group`` (of near-copies, 0 for none) if the report has them. Of a
            comparison, ``feature`` and the ranks by each method.
        """
        facts = self.summary
        if facts["kind"] == "comparison":
            return pd.DataFrame({"feature": facts["all_features"]["feature"], **facts["all_features"]["ranks"]})
        known: dict[str, Any] = {**facts["all_features"]}
        places = pd.RangeIndex(facts["n_features"])
        known["rank"] = pd.Series(places + 1, dtype="Int64").where(places < facts["n_ordered"])
        known["selected"] = places.isin(known["selected"])
        return pd.DataFrame({name: known[name] for name in COLUMNS if name in known})

    def save(self, path: str | Path) -> None:
        """Write the report whole or not at all; the ending .html, .md or .json says as what.

        Parameters
        ----------
        path : str or Path
            Where; a file that is there is replaced.

        Raises
        ------
        ValueError
            If the ending is another.
        """
        renderings = {".html": self.to_html, ".htm": self.to_html, ".md": self.to_markdown, ".json": self.to_json}
        ending = Path(path).suffix.lower()
        if ending not in renderings:
            raise ValueError(f"Report.save: the ending must be .html, .md or .json, got {str(path)!r}.")
        write_whole(str(path), renderings[ending](), force=True)

    def _repr_html_(self) -> str:
        """Show the answer, the alerts and the first rows in a notebook, with a link that saves the whole page."""
        from eigenselect.reporting.notebook import notebook_view

        return notebook_view(self.summary, self.to_html())

    def __repr__(self) -> str:
        facts = self.summary
        return f"Report({facts['kind']}, {facts['n_samples']} samples, {counted(facts['n_features'], 'feature')})"


def report(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    title: str = "",
    feature_names: Sequence[str] | None = None,
    random_state: Any = 0,
    evaluation: bool = True,
    fit_params: Mapping[str, Any] | None = None,
) -> Report:
    """Report on what a fitted selector found in its data.

    Parameters
    ----------
    selector : fitted selector
        Any of this library, or another with ``ranking_``, ``scores_`` and ``native_scores_``. Of a fitted pipeline, its
        last step is reported, on what that saw of X and by the names of X's columns.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    y : array of shape (n_samples,), optional
        Labels that samples are coloured and grouped by, those of `fit` where it used some; without them clusters of the
        sample graph, where it shows some.
    title : str, default=""
        What the data are called.
    feature_names : sequence of str, optional
        By default the columns of X, else those that the selector saw, else ``x0``, ``x1`` and so on.
    random_state : int, default=0
        For the eigensolver, clusters, the samples drawn where there are too many, and what is held out and permuted.
    evaluation : bool, default=True
        Fit the selector, or the whole pipeline, again on parts of the samples and on permuted data, for held-out
        accuracy, stability, and the band of scores that data say nothing give. Takes up to ten times as long as `fit`.
    fit_params : mapping, optional
        What `fit` was given beside X and y, for these refits. A ``similarity_matrix`` and ``covariates`` are known
        without it; names of samples and features for a selector with several sources are not.

    Returns
    -------
    Report
        Shown in short in notebooks, with ``save``, ``to_html``, ``to_markdown``, ``to_json``, ``to_frame`` and
        ``summary``.

    See Also
    --------
    eigenselect.reporting.compare : Reports on several methods on one table.
    eigenselect.plot.score_curve : One of its pictures, with matplotlib.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> made = es.report(es.FisherScore(3).fit(X, y), X, y, title="wine")
    >>> made
    Report(ranking, 178 samples, 13 features)
    >>> round(made.summary["views"]["redundancy"]["rate"], 2)
    0.53
    """
    if evaluation:
        refuse_many_fits(X, "report")
    fitted = check_fitted("report", selector, X, y, feature_names, random_state, fit_params)
    summary = summarise(
        fitted,
        title=title,
        label=None if fitted.y is None else "y",
        kept=int(fitted.selector.n_features_),
        notes=_findings(fitted.selector),
        views=ALL_VIEWS,
    )
    summary = add_evaluation(summary, fitted) if evaluation else {**summary, "evaluation": None}
    summary = add_answer(summary, fitted)
    return Report(add_paper(summary, fitted, Provenance(scaling=_scaling(selector))))


def _scaling(selector: Any) -> str:
    """Say what was done with X before the selector saw it: by the steps of a pipeline, or nothing."""
    steps = [step for _, step in getattr(selector, "steps", [])][:-1]
    named = ", ".join(described(step) for step in steps if step is not None and step != "passthrough")
    return f"values as they left {named}" if named else Provenance.scaling


def _findings(selector: Any) -> list[str]:
    """Find again what `fit` warned about, in what it left behind."""
    undefined = int(pd.isna(selector.scores_).sum())
    without = agreeing(undefined, "[has|have] no score and [is|are] ranked last")
    found = [f"{undefined} of {counted(len(selector.scores_), 'feature')} {without}."] if undefined else []
    found += _taken_with_equals(selector)
    graph = getattr(selector, "graph_", None)
    if graph is None:
        return found
    return found + [f"{sentence[0].upper()}{sentence[1:]}." for sentence in graph.findings()]


def _taken_with_equals(selector: Any) -> list[str]:
    """Name the numbers of eigenvalues that ended among equal ones, so that `fit` took more."""
    used = {
        "n_clusters": int(getattr(selector, "n_clusters_", 0)),
        "n_eigenvalues": len(getattr(selector, "eigenvalues_", ())),
        "n_outputs": len(getattr(selector, "coef_", ())),
    }
    asked = {name: int(getattr(selector, name, None) or count) for name, count in used.items()}
    return [
        f"{name}={asked[name]} ends among equal eigenvalues, so the {count} with all of these are used."
        for name, count in used.items()
        if count > asked[name]
    ]

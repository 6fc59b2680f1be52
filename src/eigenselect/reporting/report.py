"""A report: one summary dict, and that dict as a page, as Markdown and as JSON."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import sparse

from eigenselect.io.files import write_whole
from eigenselect.io.writers import as_json
from eigenselect.matrix import refuse_other_tables
from eigenselect.reporting import views
from eigenselect.reporting.drawn_graph import DrawnGraph, picture_of
from eigenselect.reporting.groups import Groups, groups_of_clusters, groups_of_labels, one_group, with_apart
from eigenselect.reporting.inputs import before_choosing, checked_labels, checked_table, is_number, names_of, unwrapped
from eigenselect.reporting.label_graphs import is_made_of_labels
from eigenselect.reporting.markdown import as_markdown
from eigenselect.reporting.page_data import FeatureValues, feature_values
from eigenselect.reporting.plain import plain_values
from eigenselect.reporting.ranking import ranking_summary


class Report:
    """What a run found.

    Shown as a page in notebooks; ``save("report.html")``, ``save("report.md")`` and ``save("report.json")`` write it.

    Attributes
    ----------
    summary : dict
        Plain values: the page, Markdown and JSON are all made from it.
    """

    def __init__(self, summary: dict[str, Any], values: FeatureValues | None = None) -> None:
        self.summary: dict[str, Any] = plain_values(summary)
        self._values = values

    def to_html(self) -> str:
        """One self-contained page: no network, light and dark, usable by keyboard."""
        from eigenselect.reporting.page import render

        return render(self.summary, self._values)

    def to_markdown(self) -> str:
        """The summary as Markdown."""
        return as_markdown(self.summary)

    def to_json(self) -> str:
        """The summary as JSON."""
        return as_json(self.summary)

    def save(self, path: str | Path) -> None:
        """Write the report whole or not at all; the ending .html, .md or .json says as what."""
        renderings = {".html": self.to_html, ".htm": self.to_html, ".md": self.to_markdown, ".json": self.to_json}
        ending = Path(path).suffix.lower()
        if ending not in renderings:
            raise ValueError(f"Report.save: the ending must be .html, .md or .json, got {str(path)!r}.")
        write_whole(str(path), renderings[ending](), force=True)

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that neither the notebook's styles nor the page's touch the other."""
        page = html.escape(self.to_html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" title="eigenselect report" '
            'style="width:100%;height:760px;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        facts = self.summary
        return f"Report({facts['kind']}, {facts['n_samples']} samples, {facts['n_features']} features)"


def report(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    feature_names: Sequence[str] | None = None,
    title: str = "",
    random_state: Any = 0,
) -> Report:
    """A page on what a fitted selector found in its data.

    Parameters
    ----------
    selector : fitted selector
        Any of this library, or another with ``ranking_``, ``scores_`` and ``native_scores_``. Of a fitted pipeline, its
        last step is reported, on what that saw of X and by the names of X's columns.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    y : array of shape (n_samples,), optional
        Labels that samples are coloured and grouped by; without them clusters of the sample graph, where it shows some.
    feature_names : sequence of str, optional
        By default the columns of X, else those that the selector saw, else ``x0``, ``x1``, …
    title : str
        What the data are called.
    random_state : int, default=0
        For the eigensolver, clusters, and the samples drawn where there are too many.

    Returns
    -------
    Report
        Shown as a page in notebooks, with ``save``, ``to_html``, ``to_markdown``, ``to_json`` and ``summary``.

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
    refuse_other_tables(X, "report")
    sample_names = _index_names(X)
    if feature_names is None and hasattr(X, "columns"):
        feature_names = [str(name) for name in X.columns]
    whole = before_choosing(selector, X)
    selector, X, feature_names = unwrapped(selector, X, feature_names)
    X = checked_table("report", selector, X)
    y = checked_labels("report", y, X.shape[0])
    names = names_of(selector, feature_names)
    if len(names) != X.shape[1]:
        raise ValueError(f"report: feature_names must hold {X.shape[1]} names, got {len(names)}.")
    summary = ranking_summary(
        selector,
        X.shape[0],
        names,
        title=title,
        label=None if y is None else "y",
        kept=int(selector.n_features_),
        notes=_findings(selector),
    )
    return full_report(summary, selector, X, y, names, random_state, sample_names, whole)


def full_report(
    summary: dict[str, Any],
    selector: Any,
    X: Any,
    y: Any,
    names: Sequence[str],
    random_state: Any,
    sample_names: Any = None,
    whole: Any = None,
) -> Report:
    """The report of a summary, with its views added under ``"views"``."""
    X = X.tocsc() if sparse.issparse(X) else X  # columns are taken again and again
    order = selector.ranking_.argsort()
    selected = order[: summary["n_selected"] if summary["cut"] else max(summary["scores"]["knee"], 1)]
    picture = picture_of(selector, X, random_state, whole)
    groups = groups_of(selector, y, picture, X.shape[0], random_state)
    shown = views.shown_samples(picture, X.shape[0], random_state)
    graph = getattr(selector, "graph_", None)
    embedding = None if picture is None else views.embedding_view(picture, shown)
    summary["views"] = {
        "groups": {"kind": groups.kind, "count": groups.count, "names": groups.names, "sizes": groups.sizes()},
        "degrees": None if graph is None else views.degree_view(graph),
        "spectrum": None if picture is None else views.spectrum_view(picture),
        "samples": {
            "number": shown.tolist(),
            "name": None if sample_names is None else [str(sample_names[row]) for row in shown],
            "group": groups.codes[shown].tolist(),
        },
        "embedding": embedding,
        "separation": None
        if picture is None
        else views.class_separation(picture, embedding, groups, shown, random_state),
        "distributions": views.distribution_views(
            X, selected[: views.SHOWN_DISTRIBUTIONS], names, groups, selector.ranking_
        ),
        "redundancy": views.redundancy_view(X, selected, names),
        "stands_for": views.standing_view(X, selected, names, random_state),
    }
    summary["all_features"] = {
        "feature": [names[j] for j in order],
        "score": selector.scores_[order].tolist(),
        "native_score": selector.native_scores_[order].tolist(),
    }
    return Report(summary, feature_values(X, order, shown))


def _findings(selector: Any) -> list[str]:
    """What `fit` warned about, found again in what it left behind."""
    undefined = int(pd.isna(selector.scores_).sum())
    found = [f"{undefined} of {len(selector.scores_)} features have no score and are ranked last."] if undefined else []
    found += _taken_with_equals(selector)
    graph = getattr(selector, "graph_", None)
    if graph is None or is_made_of_labels(graph):  # such a graph is in components by design
        return found
    return found + [f"{sentence[0].upper()}{sentence[1:]}." for sentence in graph.findings()]


def _taken_with_equals(selector: Any) -> list[str]:
    """Numbers of eigenvalues that ended among equal ones, so that `fit` took more."""
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


def _index_names(X: Any) -> list[str] | None:
    """Names of samples in the index of a frame, if that is more than their numbers."""
    index = getattr(X, "index", None)  # of a list, that is a method
    return None if not isinstance(index, pd.Index) or isinstance(index, pd.RangeIndex) else [str(n) for n in index]


def groups_of(selector: Any, y: Any, picture: DrawnGraph | None, n_samples: int, random_state: Any) -> Groups:
    """Classes where there are labels, else clusters where the spectrum shows some, else all samples in one group."""
    if y is not None and not pd.isna(pd.Series(y, dtype=object)).all():
        unlabelled = bool(getattr(selector, "uses_unlabelled_samples", False))
        return groups_of_labels(y, number=is_number(selector, y), minus_one_is_unlabelled=unlabelled)
    count = None if picture is None else picture.gap.clusters
    if picture is None or count is None:
        return one_group(n_samples)
    vectors = picture.spectrum.eigenvectors[:, :count]
    return with_apart(groups_of_clusters(vectors, picture.rows, n_samples, count, random_state), picture.apart)

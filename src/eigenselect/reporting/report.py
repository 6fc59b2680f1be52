"""A report: one summary dict, and that dict as a page, as Markdown and as JSON."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from eigenselect.io.writers import as_json, write_whole
from eigenselect.reporting import views
from eigenselect.reporting.groups import Groups, groups_of_clusters, groups_of_labels
from eigenselect.reporting.markdown import as_markdown
from eigenselect.reporting.page_data import FeatureValues, feature_values
from eigenselect.reporting.ranking import ranking_summary

#: the eigen-gap of a graph without clear clusters may suggest very many
MAX_CLUSTERS = 8


class Report:
    """What a run found.

    Shown as a page in notebooks; ``save("report.html")``, ``save("report.md")`` and ``save("report.json")`` write it.

    Attributes
    ----------
    summary : dict
        Plain values: the page, Markdown and JSON are all made from it.
    """

    def __init__(self, summary: dict[str, Any], values: FeatureValues | None = None) -> None:
        self.summary = summary
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
        Any of this library, or another with ``ranking_``, ``scores_`` and ``native_scores_``.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The data of `fit`.
    y : array of shape (n_samples,), optional
        Labels that samples are coloured and grouped by; without them clusters of the sample graph are used.
    feature_names : sequence of str, optional
        By default those that the selector saw, else ``x0``, ``x1``, …
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
    names = _checked_names(selector, X, y, feature_names)
    kept = None if selector.get_params(deep=False).get("n_features_to_select") is None else int(selector.n_features_)
    summary = ranking_summary(selector, X.shape[0], names, title=title, label=None if y is None else "y", kept=kept)
    return full_report(summary, selector, X, y, names, random_state)


def full_report(
    summary: dict[str, Any], selector: Any, X: Any, y: Any, names: Sequence[str], random_state: Any
) -> Report:
    """The report of a summary, with its views added under ``"views"``."""
    order = selector.ranking_.argsort()
    selected = order[: summary["n_selected"] if summary["cut"] else max(summary["scores"]["knee"], 1)]
    picture = views.picture_graph(selector, X, selected, random_state)
    groups = _groups(selector, y, picture, X.shape[0], random_state)
    graph = getattr(selector, "graph_", None)
    embedding = None if picture is None else views.embedding_view(picture, groups, random_state)
    summary["views"] = {
        "groups": {"kind": groups.kind, "names": groups.names, "sizes": groups.sizes()},
        "degrees": None if graph is None else views.degree_view(graph),
        "spectrum": None if picture is None else views.spectrum_view(picture),
        "embedding": embedding,
        "distributions": views.distribution_views(
            X, selected[: views.SHOWN_DISTRIBUTIONS], names, groups, selector.ranking_
        ),
        "redundancy": views.redundancy_view(X, selected[: views.SHOWN_CORRELATIONS], names),
    }
    summary["all_features"] = {
        "feature": [names[j] for j in order],
        "score": selector.scores_[order].tolist(),
        "native_score": selector.native_scores_[order].tolist(),
    }
    shown = np.arange(min(X.shape[0], views.SHOWN_SAMPLES)) if embedding is None else np.array(embedding["samples"])
    return Report(summary, feature_values(X, order, shown))


def _checked_names(selector: Any, X: Any, y: Any, given: Sequence[str] | None) -> tuple[str, ...]:
    check_is_fitted(selector, "ranking_")
    n_features = len(selector.ranking_)
    if getattr(X, "ndim", 2) != 2 or X.shape[1] != n_features:
        raise ValueError(f"report: X must be the data of fit with {n_features} features, got shape {tuple(X.shape)}.")
    if y is not None and len(y) != X.shape[0]:
        raise ValueError(f"report: y must hold one label for each of {X.shape[0]} samples, got {len(y)}.")
    names = given if given is not None else getattr(selector, "feature_names_in_", None)
    names = [f"x{j}" for j in range(n_features)] if names is None else [str(name) for name in names]
    if len(names) != n_features:
        raise ValueError(f"report: feature_names must hold {n_features} names, got {len(names)}.")
    return tuple(names)


def _groups(selector: Any, y: Any, picture: Any, n_samples: int, random_state: Any) -> Groups:
    """Classes where there are labels, clusters otherwise; one group where neither is known."""
    if y is not None and not pd.isna(np.asarray(y, dtype=object)).all():
        return groups_of_labels(y, minus_one_is_unlabelled=hasattr(selector, "n_labelled_"))
    if picture is None:
        return Groups("cluster", ["all samples"], np.zeros(n_samples, dtype=np.intp))
    count = min(picture.clusters(), MAX_CLUSTERS)
    return groups_of_clusters(picture.spectrum.eigenvectors[:, :count], count, random_state)

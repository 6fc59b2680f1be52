"""For the paper: a paragraph of methods, references, and all that makes the run again."""

from __future__ import annotations

from typing import Any, cast

from sklearn.pipeline import Pipeline

from eigenselect.reporting.facts import PaperFacts
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.papers.citing import Citations
from eigenselect.reporting.papers.methods_text import methods_paragraph
from eigenselect.reporting.papers.provenance import Provenance, date_of_run, hash_of_data, python_call, versions
from eigenselect.reporting.plain import described, plain_values
from eigenselect.reporting.summary import RankingSummary


def add_paper(summary: RankingSummary, fitted: Fitted, provenance: Provenance | None = None) -> RankingSummary:
    """Return a new summary with what a paper says of the run under ``"paper"``; the given one stays as it is.

    Parameters
    ----------
    summary : RankingSummary
        Of the same selector; with what was evaluated, if anything was.
    fitted : Fitted
        The selector and its data.
    provenance : Provenance, optional
        What a command knows of its run; by default the call in Python stands for it.

    Returns
    -------
    RankingSummary
        A new dict. Under ``"paper"``: a paragraph of methods, references, the call, versions, seeds, a hash of data.

    See Also
    --------
    summarise : Makes the summary.
    Provenance : What a command knows of its run.

    Examples
    --------
    >>> import eigenselect as es
    >>> from eigenselect.reporting import Fitted, add_paper, summarise
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fitted = Fitted(es.FisherScore(2).fit(X, y), X, y.to_numpy(), list(X))
    >>> facts = add_paper(summarise(fitted, kept=2), fitted)["paper"]
    >>> print(facts["command"])
    from eigenselect import FisherScore
    FisherScore(n_features_to_select=2).fit(X, y)
    >>> [reference["text"].split(".")[0] for reference in facts["references"]]
    ['The eigenselect developers (2026)', 'Duda, R', 'Zhao, Z']
    """
    run = provenance or Provenance(scaling=_steps_before(fitted.estimator))
    cited = Citations()
    facts: PaperFacts = {
        "methods": methods_paragraph(summary, fitted, run.scaling, cited),
        "references": cited.listed(),
        "command": run.command
        or python_call(fitted.estimator, labelled=fitted.y is not None, parameters=fitted.fit_parameters),
        "versions": versions(),
        "seed": run.seed or _seeds(fitted),
        "data_hash": hash_of_data(run.files, fitted.X),
        "label": summary["label"] or "none",
        "scaling": run.scaling,
        "date": date_of_run(),
    }
    return cast(RankingSummary, {**summary, "paper": plain_values(facts)})


def _steps_before(estimator: Any) -> str:
    """Say what the steps of a pipeline did with the values before the selector saw them."""
    steps = [step for _, step in estimator.steps[:-1]] if isinstance(estimator, Pipeline) else []
    made = [described(step) for step in steps if step is not None and step != "passthrough"]
    return f"by the pipeline: {', '.join(made)}" if made else Provenance.scaling


def _seeds(fitted: Fitted) -> str:
    """Say with which random numbers the selector and the report were made."""
    own: Any = fitted.selector.get_params(deep=False).get("random_state")
    selector = "a fixed start" if own is None else described(own)
    return f"{selector} (selector), {described(fitted.random_state)} (report)"

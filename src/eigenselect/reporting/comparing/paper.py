"""What a paper says of a comparison: how it was measured, what to cite, and all that makes it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from eigenselect import __version__
from eigenselect.criteria.methods import METHODS, Method
from eigenselect.exceptions import counted, within
from eigenselect.matrix import as_matrix
from eigenselect.reporting.comparing.answer import with_features
from eigenselect.reporting.facts import PaperFacts
from eigenselect.reporting.papers.citing import Citations
from eigenselect.reporting.papers.provenance import (
    LONGEST_CALL,
    Provenance,
    date_of_run,
    hash_of_data,
    imports_of,
    versions,
)
from eigenselect.reporting.plain import described, plain_values, settings
from eigenselect.reporting.summary import ComparisonSummary
from eigenselect.selection.steps import last_step

#: parameters that change nothing, or that the comparison sets
UNTOLD = {"n_features_to_select", "n_jobs", "random_state", "verbose"}
#: what is done with the values before each prediction, beside what was done before the comparison
STANDARDISED = "before predicting, each chosen feature by its mean and deviation in the training samples"


def add_comparison_paper(
    summary: ComparisonSummary,
    selectors: Mapping[str, Any],
    X: Any,
    *,
    random_state: Any,
    provenance: Provenance | None = None,
) -> ComparisonSummary:
    """Return a new summary with what a paper says of the run under ``"paper"``; the given one stays as it is.

    Without a provenance, which a command has, the call of `compare` is written.
    """
    run, cited = provenance or Provenance(), Citations()
    facts: PaperFacts = {
        "methods": _methods_paragraph(summary, selectors, cited),
        "references": cited.listed(),
        "command": run.command or _call(summary, selectors, random_state),
        "versions": versions(),
        "seed": run.seed or described(random_state),
        "data_hash": hash_of_data(run.files, as_matrix(X)),
        "label": summary["label"] or "none",
        "scaling": f"{run.scaling}; {STANDARDISED}",
        "date": date_of_run(),
    }
    return cast(ComparisonSummary, {**summary, "paper": plain_values(facts)})


def _call(summary: ComparisonSummary, selectors: Mapping[str, Any], random_state: Any) -> str:
    """Write the call that makes the comparison again."""
    methods = ", ".join(f"{name!r}: {described(selector)}" for name, selector in selectors.items())
    sizes = [int(size) for size in summary["best"]]
    made = within(
        f"compare({{{methods}}}, X, y, n_features={summary['n_selected']}, sizes={sizes}, "
        f"n_splits={summary['n_folds']}, random_state={described(random_state)})",
        LONGEST_CALL,
    )
    return "\n".join([*imports_of(selectors.values()), "from eigenselect.reporting import compare", made])


def _methods_paragraph(summary: ComparisonSummary, selectors: Mapping[str, Any], cited: Citations) -> str:
    """Say how everything was measured, in whole sentences."""
    ran = f"With eigenselect {__version__} {cited.of('eigenselect')}, {counted(len(selectors), 'method')}"
    methods = "; ".join(_named(name, selector, cited) for name, selector in selectors.items())
    return (
        f"{ran} of feature selection ran on {summary['n_samples']} samples and {summary['n_features']} features: "
        f"{methods}. In {summary['n_folds']} stratified folds each method ordered the features by the training samples "
        f"alone; with the first {with_features(list(summary['best']))}, standardised there, the nearest neighbour "
        "predicted the held-out samples. Accuracies are means and deviations over the folds. The same was measured for "
        f"{counted(summary['n_permutations'], 'permutation')} of the labels. A method is called best only if its "
        "accuracy exceeds that of every other by the 97.5 % point of a paired t-test corrected for overlapping "
        f"training sets {cited.of('nadeau2003inference')}, no other mean lies within its deviation, and it exceeds "
        f"those of permuted labels. Each method's first {counted(summary['n_selected'], 'feature')} on all samples "
        "were compared by the share that two methods have in common and by their mean absolute correlation; stability "
        "is the overlap of the selections from ten subsamples of 80 % of the samples, corrected for chance "
        f"{cited.of('nogueira2018stability')}."
    )


def _named(name: str, selector: Any, cited: Citations) -> str:
    """Name a method with its settings, what it looks for and whom to cite; one that is in no table by its call."""
    row = method_of(name, selector)
    if row is None:
        return f"{name}, {described(selector)}"
    given = settings(last_step(selector), without={*UNTOLD, *row.parameters})
    told = f"{name} (with {', '.join(given)})" if given else name
    return f"{told}, {row.in_words} {cited.of(*row.cites)}".rstrip()


def method_of(name: str, selector: Any) -> Method | None:
    """Find a selector's row in the table of methods: by its name and class, else by its class and parameters.

    >>> from eigenselect import SPEC
    >>> method_of("mine", SPEC(ranking="phi3")).name
    'spec-phi3'
    """
    selector = last_step(selector)
    rows = [row for row in METHODS if row.selector == type(selector).__name__ and _fits(row, selector)]
    return next((row for row in rows if row.name == name), rows[0] if rows else None)


def _fits(row: Method, selector: Any) -> bool:
    """Whether a selector has what makes this row of a class with several."""
    return all(getattr(selector, name, None) == value for name, value in row.parameters.items())

"""What a paper says of a comparison: how it was measured, what to cite, and all that makes it again."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import date
from importlib.metadata import version
from typing import Any

from eigenselect._version import __version__
from eigenselect.criteria.table import METHODS, Method
from eigenselect.reporting.comparison_answer import counted
from eigenselect.reporting.summary import ComparisonSummary, PaperReference, described
from eigenselect.selection.steps import last_step

#: what the measures of every comparison are taken from
MEASURES = (
    "Nadeau & Bengio, Machine Learning 2003, doi:10.1023/A:1024068626366",
    "Nogueira, Sechidis & Brown, JMLR 2018",
)


def add_comparison_paper(
    summary: ComparisonSummary, selectors: Mapping[str, Any], *, random_state: Any, command: str = ""
) -> ComparisonSummary:
    """Add the facts for a paper; without the command that was typed, the call of `compare` is written."""
    rows = {name: _row_of(name, selector) for name, selector in selectors.items()}
    sizes = [int(size) for size in summary["best"]]
    call = (
        f"eigenselect.reporting.compare({{{', '.join(f'{n!r}: {described(s)}' for n, s in selectors.items())}}}, X, y, "
        f"n_features={summary['n_selected']}, sizes={sizes}, n_splits={summary['n_folds']}, "
        f"random_state={described(random_state)})"
    )
    return {
        **summary,
        "paper": {
            "methods": _methods_paragraph(summary, rows),
            "references": _references(rows),
            "command": command or call,
            "versions": versions(),
            "seed": described(random_state),
            "data_hash": "",
            "label": summary["label"] or "",
            "scaling": "each chosen feature by its mean and deviation in the training samples, before predicting",
            "date": date.today().isoformat(),
        },
    }


def _methods_paragraph(summary: ComparisonSummary, rows: Mapping[str, Method | None]) -> str:
    """Say how everything was measured, in whole sentences."""
    methods = "; ".join(name if row is None else f"{name} ({row.summary})" for name, row in rows.items())
    return (
        f"{counted([len(rows)], 'method')} of feature selection were compared on {summary['n_samples']} samples and "
        f"{summary['n_features']} features with eigenselect {__version__}: {methods}. In {summary['n_folds']} stratified "
        f"folds each method ordered the features by the training samples alone; with the first "
        f"{counted(list(summary['best']), 'feature')}, standardised there, the nearest neighbour predicted the held-out "
        "samples. Accuracies are means and deviations over the folds. The same was measured for "
        f"{counted([summary['n_permutations']], 'permutation')} of the labels. A method is called best only if its "
        "accuracy exceeds that of every other by the 97.5 % point of a paired t-test corrected for overlapping training "
        "sets (Nadeau and Bengio, 2003), no other mean lies within its deviation, and it exceeds those of permuted "
        f"labels. Each method's first {counted([summary['n_selected']], 'feature')} on all samples were compared by the "
        "share that two methods have in common and by their mean absolute correlation; stability is the overlap of the "
        "selections from ten subsamples of 80 % of the samples, corrected for chance (Nogueira, Sechidis and Brown, "
        "2018)."
    )


def _references(rows: Mapping[str, Method | None]) -> list[PaperReference]:
    """List what the methods and the measures are taken from, each once."""
    texts = [part for row in rows.values() if row is not None for part in row.reference.split("; ")]
    return [{"text": text, "bibtex": ""} for text in dict.fromkeys([*texts, *MEASURES])]


def _row_of(name: str, selector: Any) -> Method | None:
    """Find a selector's row in the table of methods: by its name and class, else by its class and parameters."""
    selector = last_step(selector)
    rows = [row for row in METHODS if row.selector == type(selector).__name__ and _fits(row, selector)]
    return next((row for row in rows if row.name == name), rows[0] if rows else None)


def _fits(row: Method, selector: Any) -> bool:
    """Whether a selector has what makes this row of a class with several."""
    return all(getattr(selector, name, None) == value for name, value in row.parameters.items())


def versions() -> dict[str, str]:
    """Versions of everything that numbers depend on."""
    libraries = ("numpy", "scipy", "scikit-learn", "pandas", "numba")
    return {
        "eigenselect": __version__,
        "Python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }

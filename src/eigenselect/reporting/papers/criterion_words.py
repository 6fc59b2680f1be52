"""The criterion of a method as a paper states it, with the settings that were used."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eigenselect.criteria.methods import Method
from eigenselect.reporting.plain import described


def stated(row: Method, selector: Any, *, number: bool = False) -> str:
    """State the criterion of a row of the table of methods as it was for a fitted selector.

    Parameters
    ----------
    row : Method
    selector : fitted selector
    number : bool, default=False
        Whether the target is a number, for which some methods have another criterion.

    Examples
    --------
    >>> from eigenselect import TraceRatio
    >>> from eigenselect.criteria.methods import METHODS
    >>> stated(METHODS["trace-ratio"], TraceRatio(level="feature"))[-63:]
    'its ratio of the scatter between classes to that within classes'
    """
    return statement_of(row, number=number).format_map(_Settings(selector, row.settings_in_words))


def statement_of(row: Method, *, number: bool) -> str:
    """Return the sentence of a row, with places for settings."""
    return row.statement_for_numbers or row.statement if number else row.statement


def told_settings(row: Method) -> set[str]:
    """Name the parameters that the sentences of a row tell."""
    return set(re.findall(r"{(\w+?)_?}", row.statement + row.statement_for_numbers))


class _Settings(Mapping[str, str]):
    """Parameters and fitted numbers of a selector, as a sentence has them."""

    def __init__(self, selector: Any, in_words: Mapping[str, Mapping[str, str]]) -> None:
        self._selector, self._in_words = selector, in_words

    def __getitem__(self, name: str) -> str:
        value = getattr(self._selector, name)
        if name in self._in_words:
            known = self._in_words[name]
            return known[value] if isinstance(value, str) else known[""]
        if name in _WORDS:
            return _WORDS[name](value)
        if isinstance(value, (float, np.floating)):
            return f"{value:.4g}"
        text = value if isinstance(value, str) else described(value)
        turned = ", taken from the largest value that it can have," * (self._is_turned(name) and value == "phi3")
        return re.sub(r"^phi(?=\d$)", "φ", text) + turned

    def _is_turned(self, name: str) -> bool:
        """Whether a criterion of which large values are good enters a sum of which small ones are."""
        return name == "ranking" and hasattr(self._selector, "regularization_")

    def __iter__(self) -> Any:
        return iter(self._selector.get_params(deep=False))

    def __len__(self) -> int:
        return len(self._selector.get_params(deep=False))


def _eigenvectors(count: int) -> str:
    """Name the eigenvectors after the trivial one."""
    if count < 2:
        return "no eigenvector but the trivial one"
    return "eigenvector 2" if count == 2 else f"eigenvectors 2 to {count}"


#: settings that a sentence has as words
_WORDS: dict[str, Callable[[Any], str]] = {
    "n_clusters_": _eigenvectors,
    "scale": lambda scale: "as it is" if scale is None else "scaled to unit deviation",
    "converged_": lambda converged: "until the selection stayed" if converged else "while the selection changed",
}

"""Warnings that point at the line of the user's program, and show each kind once per line and process."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any

#: this package, and libraries that call it on the user's behalf (``fit_transform``, pipelines, searches)
_SPECS = [find_spec(package) for package in ("eigenselect", "sklearn", "joblib")]
_SKIPPED = tuple(os.path.join(os.path.dirname(str(spec.origin)), "") for spec in _SPECS if spec is not None)
#: numbers and names in a message: the differences between two warnings of one kind
_DETAILS = re.compile(r"\d[\d.,]*|'[^']*'|\b(?:is|are|has|have|does|do|it|them|samples?|features?)\b")
#: kinds of warnings that were shown, each with the line of the user's program
_SHOWN: set[tuple[Any, ...]] = set()
#: set by `unheard`
_UNHEARD: ContextVar[bool] = ContextVar("unheard", default=False)


def warn(message: str, category: type[Warning] = UserWarning, **details: Any) -> None:
    """Warn at the innermost line outside of this package, scikit-learn and joblib; details become attributes.

    Python shows a warning once per line, but scikit-learn's searches and cross-validations reset that before every fit.
    So repeats of one kind (the same text up to numbers and names) are left out here if the filters would leave out
    repeats of the same text.
    """
    if not is_heard():
        return
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_SKIPPED):
        frame, level = frame.f_back, level + 1
    kind = category, _DETAILS.sub("", message), frame.f_code.co_filename, frame.f_lineno
    hides_repeats = _action(message, category) in ("default", "module", "once")
    if hides_repeats and kind in _SHOWN:
        return
    warning = category(message)
    vars(warning).update(details)
    warnings.warn(warning, stacklevel=level)
    if hides_repeats:
        _SHOWN.add(kind)


def _action(message: str, category: type[Warning]) -> str:
    """Find what the filters do with a warning; filters for single modules are ignored."""
    filters = getattr(warnings, "_get_filters", lambda: warnings.filters)()
    for action, text, kind, module, line in filters:
        if module is None and not line and issubclass(category, kind) and (text is None or text.match(message)):
            return str(action)
    return str(getattr(warnings, "defaultaction", "default"))


@contextmanager
def unheard() -> Iterator[None]:
    """Within, nothing warns, and work that only looks for reasons to warn is left out: for repeated fits.

    >>> with unheard():
    ...     warn("not again"), is_heard()
    (None, False)
    """
    token = _UNHEARD.set(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of other libraries
            yield
    finally:
        _UNHEARD.reset(token)


def is_heard() -> bool:
    """Tell whether looking for reasons to warn is worth the time: not within `unheard`."""
    return not _UNHEARD.get()

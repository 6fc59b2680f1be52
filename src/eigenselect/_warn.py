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

#: what `unheard` set
_UNHEARD: ContextVar[bool] = ContextVar("unheard", default=False)


def _folder_of(package: str) -> str:
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return os.path.join(places[0], "") if places else "\0"


#: this package, and libraries that call it on the user's behalf (``fit_transform``, pipelines, grids, repeats)
_PASSED_OVER = tuple(_folder_of(package) for package in ("eigenselect", "sklearn", "joblib"))
#: numbers and names in a message: what differs between two findings of one kind
_DETAILS = re.compile(r"\d[\d.,]*|'[^']*'|\b(?:is|are|has|have|does|do|it|them|samples?|features?)\b")
#: kinds of warnings that were shown, each with the line of the user's program
_SHOWN: set[tuple[Any, ...]] = set()


def warn(message: str, category: type[Warning] = UserWarning, **details: Any) -> None:
    """Warn at the innermost line that is neither in this package nor in scikit-learn or joblib.

    Python shows a warning once per line, but scikit-learn's searches and cross-validations make it forget before every
    fit. So repeats of one kind (the same text up to numbers and names) are left out here if the filters would leave
    out repeats of the same text.

    Parameters
    ----------
    message : str
        One sentence: who, what was found with counts, what to do.
    category : type of Warning, default=UserWarning
    **details
        What was found, as attributes of the warning.
    """
    if not is_heard():
        return
    level, place = _caller()
    kind = category, _DETAILS.sub("", message), place
    hides_repeats = _action(message, category) in ("default", "module", "once")
    if hides_repeats and kind in _SHOWN:
        return
    warning = category(message)
    vars(warning).update(details)
    warnings.warn(warning, stacklevel=level)
    if hides_repeats:
        _SHOWN.add(kind)


def _action(message: str, category: type[Warning]) -> str:
    """Find what the filters do with a warning; those for single modules are passed over."""
    filters = getattr(warnings, "_get_filters", lambda: warnings.filters)()
    for action, text, kind, module, line in filters:
        if module is None and not line and issubclass(category, kind) and (text is None or text.match(message)):
            return str(action)
    return str(getattr(warnings, "defaultaction", "default"))


@contextmanager
def unheard() -> Iterator[None]:
    """Within, nothing warns, and work that only finds what to warn of is left out: for fits that are made again.

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
    """Tell whether looking for something to warn of is worth the time: not within `unheard`."""
    return not _UNHEARD.get()


def _caller() -> tuple[int, tuple[str, int]]:
    """Return ``stacklevel`` for `warn`, in which 1 is `warn` itself, and the file and line that it stands for.

    It is the outermost frame if all are passed over.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PASSED_OVER):
        frame, level = frame.f_back, level + 1
    return level, (frame.f_code.co_filename, frame.f_lineno)

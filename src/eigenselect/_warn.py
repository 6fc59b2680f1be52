"""The one door for warnings: they point at the line of the user's program, however deep they arise."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec

#: what `unheard` set
_UNHEARD: ContextVar[bool] = ContextVar("unheard", default=False)


def _folder_of(package: str) -> str:
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return os.path.join(places[0], "") if places else "\0"


#: this package, and libraries that call it on the user's behalf (``fit_transform``, pipelines, grids, repeats)
_PASSED_OVER = tuple(_folder_of(package) for package in ("eigenselect", "sklearn", "joblib"))


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line that is neither in this package nor in scikit-learn or joblib.

    Parameters
    ----------
    message : str
        One sentence: who, what was found with counts, what to do.
    category : type of Warning, default=UserWarning
    """
    if is_heard():
        warnings.warn(message, category, stacklevel=_levels_to_the_caller())


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


def _levels_to_the_caller() -> int:
    """``stacklevel`` for `warn`: 1 is `warn` itself. The outermost frame stands in where all are passed over."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PASSED_OVER):
        frame, level = frame.f_back, level + 1
    return level

"""The one door for warnings: they point at the line of the user's program, however deep they arise."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

#: what `unheard` set
_UNHEARD: ContextVar[bool] = ContextVar("unheard", default=False)


def _folder_of(package: str) -> str:
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return os.path.join(places[0], "") if places else "\0"


#: this package, and libraries that call it on the user's behalf (``fit_transform``, pipelines, grids, repeats)
_PASSED_OVER = tuple(_folder_of(package) for package in ("eigenselect", "sklearn", "joblib"))
#: scikit-learn's searches and cross-validations, each call of which fits many times
_SEARCHES = os.path.join(_folder_of("sklearn"), "model_selection", "")
#: for each such call that runs, by its `joblib.Parallel`, the kinds of warnings that were heard
_HEARD: WeakKeyDictionary[Any, set[tuple[type[Warning], str]]] = WeakKeyDictionary()


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line that is neither in this package nor in scikit-learn or joblib.

    A grid search or cross-validation of scikit-learn fits many times: of warnings that are the same up to their first
    number, one is heard. (Python itself would repeat each, as scikit-learn sets the filters anew for every fit.)

    Parameters
    ----------
    message : str
        One sentence: who, what was found with counts, what to do.
    category : type of Warning, default=UserWarning
    """
    if not is_heard():
        return
    level, search = _caller()
    if search is None:
        warnings.warn(message, category, stacklevel=level)
        return
    heard, kind = _HEARD.setdefault(search, set()), (category, re.split(r"\d", message, maxsplit=1)[0])
    if kind not in heard:
        warnings.warn(f"{message} (Said once, of the first such fit in this search.)", category, level)
        heard.add(kind)  # not where a filter makes an error of it: every fit then fails alike


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


def _caller() -> tuple[int, Any]:
    """Return ``stacklevel`` for `warn`, where 1 is `warn` itself, and the outermost search that is passed over.

    The outermost frame stands in where all are passed over. A search is known by its `joblib.Parallel`; None is none.
    """
    frame, level, search = sys._getframe(1), 1, None
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PASSED_OVER):
        search = _search_of(frame) or search
        frame, level = frame.f_back, level + 1
    return level, search


def _search_of(frame: FrameType) -> Any:
    """Return the ``Parallel`` that a frame of a search calls; None for any other frame."""
    caller = frame.f_back
    if caller is None or frame.f_code.co_name != "__call__" or not caller.f_code.co_filename.startswith(_SEARCHES):
        return None
    return frame.f_locals.get("self")

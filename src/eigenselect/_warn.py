"""The one door for warnings: they point at the line of the user's program, however deep they arise."""

from __future__ import annotations

import os
import sys
import warnings
from importlib.util import find_spec


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
    warnings.warn(message, category, stacklevel=_levels_to_the_caller())


def _levels_to_the_caller() -> int:
    """``stacklevel`` for `warn`: 1 is `warn` itself. The outermost frame stands in where all are passed over."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PASSED_OVER):
        frame, level = frame.f_back, level + 1
    return level

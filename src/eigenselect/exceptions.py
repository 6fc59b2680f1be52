"""Warnings that a caller may want to filter by kind.

Errors are plain ``ValueError`` and ``TypeError``, as scikit-learn's users expect;
``InputError`` is the ``ValueError`` for files, which the command turns into one line.
"""

from __future__ import annotations

from typing import Any


class GraphWarning(UserWarning):
    """The sample graph has isolated samples or falls apart into components."""


class UndefinedScoreWarning(UserWarning):
    """Some features have no score (constant or all zero) and are ranked last."""


class DominatedWarning(UserWarning):
    """One sample, or a handful, decides the result: the graph follows it, or the best features vary in it alone."""


class UnitsWarning(UserWarning):
    """A few features of large spread decide which samples are near each other; the others hardly count."""


class SourceWarning(UserWarning):
    """Some samples or features of the target are not known to a knowledge source, or the other way round."""


class InputError(ValueError):
    """A file or table cannot be read as it is; the message says what to do."""


def shown(value: Any) -> str:
    """A value as messages show it: 7, not np.int64(7), nor the 7.0 that missing labels make of it."""
    plain = value.item() if hasattr(value, "item") and not getattr(value, "ndim", 0) else value
    return repr(int(plain) if isinstance(plain, float) and plain.is_integer() else plain)

"""Warnings that a caller may want to filter by kind.

Errors are plain ``ValueError`` and ``TypeError``, as scikit-learn's users expect;
``InputError`` is the ``ValueError`` for files, which the command turns into one line,
``ShortageError`` a ``MemoryError`` that says what needed how much.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

__all__ = [
    "ApproximateNeighborsWarning",
    "DominatedWarning",
    "EqualEigenvaluesWarning",
    "ExchangeabilityWarning",
    "GraphWarning",
    "InputError",
    "KneeWarning",
    "ShortageError",
    "SourceWarning",
    "UndefinedScoreWarning",
    "UnitsWarning",
]

#: letters of a name, of a path and of a whole message that are shown
LONGEST_NAME, LONGEST_PATH, LONGEST_MESSAGE = 60, 255, 1500


class GraphWarning(UserWarning):
    """The sample graph has isolated samples or falls apart into components."""


class EqualEigenvaluesWarning(UserWarning):
    """A number of eigenvalues ended among equal ones, so that more were taken."""


class UndefinedScoreWarning(UserWarning):
    """Some features have no score (constant or all zero) and are ranked last."""


class KneeWarning(UserWarning):
    """The number of features was taken from a bend in the curve of the scores, which is no test."""


class DominatedWarning(UserWarning):
    """One sample, or a handful, decides the result: the graph follows it, or the best features vary in it alone."""


class UnitsWarning(UserWarning):
    """A few features of large spread decide which samples are near each other; the others hardly count."""


class ExchangeabilityWarning(UserWarning):
    """Samples differ in size or spread in most features, so that p-values may call noise significant."""


class ApproximateNeighborsWarning(UserWarning):
    """Neighbours were searched in another way than the parameters say or a reader expects: not exactly, or exactly."""


class SourceWarning(UserWarning):
    """Some samples or features of the target are not known to a knowledge source, or the other way round."""


class InputError(ValueError):
    """A file or table cannot be read as it is; the message says what to do, in printable letters."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class ShortageError(MemoryError):
    """A piece of work needs more memory than there is; the message says how much, and what to do."""


def printable(text: str) -> str:
    """Text with control characters (line breaks, escape codes) made visible, so that a name cannot move the cursor."""
    if text.isprintable():
        return text
    from unicodedata import category

    return "".join(c if category(c)[0] != "C" else c.encode("unicode_escape").decode() for c in text)


def shown(value: Any) -> str:
    """A value as messages show it: 7, not np.int64(7), nor the 7.0 that missing labels make of it.

    Names are quoted, and shortened where they are very long.

    >>> shown("age"), shown(2.0), shown("x" * 20_000)[-5:]
    ("'age'", '2', "xxx…'")
    """
    plain = value.item() if hasattr(value, "item") and not getattr(value, "ndim", 0) else value
    if isinstance(plain, str) and len(plain) > LONGEST_NAME:
        plain = plain[: LONGEST_NAME - 1] + "…"
    return repr(int(plain) if isinstance(plain, float) and plain.is_integer() else plain)


def listed(names: Iterable[Any], most: int = 5) -> str:
    """The first few names as messages show them, and an ellipsis for the others.

    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b', …"
    """
    first = list(islice(names, most + 1))
    return ", ".join(map(shown, first[:most])) + (", …" if len(first) > most else "")


def shown_path(path: str) -> str:
    """A path as messages show it: its end, if it is very long."""
    return path if len(path) <= LONGEST_PATH else "…" + path[1 - LONGEST_PATH :]


def within(text: str, most: int = LONGEST_MESSAGE) -> str:
    """A message in printable letters without its middle, if it is very long."""
    text = printable(text)
    return text if len(text) <= most else f"{text[: most * 2 // 3]} … {text[-most // 3 :]}"


def counted(number: int, what: str) -> str:
    """A number of things, in the plural unless there is one.

    >>> counted(1, "missing value"), counted(8, "column of obs"), counted(2, "modality")
    ('1 missing value', '8 columns of obs', '2 modalities')
    """
    thing, of, whole = what.partition(" of ")
    if number != 1:
        thing = f"{thing[:-1]}ies" if thing.endswith(("ty", "ry", "py", "gy")) else f"{thing}s"
    return f"{number} {thing}{of}{whole}"

"""What the table in hand calls its samples and features, so that messages can name them however deep they arise.

Selectors work on plain arrays; the names stay with the caller. Whoever knows them (a data frame, MSFS, the command)
holds them up for the length of a call, and a message asks here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from eigenselect.exceptions import shown

Names = Sequence[Any] | NDArray[Any]

#: names that a message lists before it says how many more there are
LISTED = 3


@dataclass(frozen=True)
class TableNames:
    """Names of features and samples; None where they are only known by their place."""

    features: Names | None = None
    samples: Names | None = None


_UNNAMED = TableNames()
_IN_HAND: ContextVar[TableNames] = ContextVar("eigenselect_names", default=_UNNAMED)


@contextmanager
def named(features: Names | None = None, samples: Names | None = None) -> Iterator[None]:
    """Use these names, and no others, in messages about the table in hand."""
    token = _IN_HAND.set(TableNames(features, samples))
    try:
        yield
    finally:
        _IN_HAND.reset(token)


@contextmanager
def named_by(X: Any) -> Iterator[None]:
    """Use the names of a data frame, where it has them; those in hand otherwise."""
    features, samples = frame_names(X)
    held = _IN_HAND.get()
    with named(held.features if features is None else features, held.samples if samples is None else samples):
        yield


def frame_names(X: Any) -> tuple[Sequence[Any] | None, Sequence[Any] | None]:
    """The columns of a data frame and its index; None where these only count, and for what is no frame."""
    return _given(getattr(X, "columns", None)), _given(getattr(X, "index", None))


def _given(names: Any) -> Sequence[Any] | None:
    """Names as a list, unless they only count: a pandas RangeIndex has a step, a list's index is a method."""
    if names is None or callable(names) or hasattr(names, "step"):
        return None
    return list(names)


def feature_label(place: int, count: int) -> str:
    """The name of a feature of a table with ``count`` of them, else its column number."""
    return _label(_IN_HAND.get().features, place, count, "column")


def sample_label(place: int, count: int) -> str:
    """The name of a sample of a table with ``count`` of them, else its row number."""
    return _label(_IN_HAND.get().samples, place, count, "row")


def _label(names: Names | None, place: int, count: int, kind: str) -> str:
    if names is None or len(names) != count:  # names of another table
        return f"{kind} {place}"
    return shown(names[place])


def listed(labels: Sequence[str]) -> str:
    """The first labels, and how many more there are.

    >>> listed(["'a'", "'b'", "'c'", "'d'", "'e'"])
    "'a', 'b', 'c' and 2 more"
    """
    if len(labels) <= LISTED + 1:
        return ", ".join(labels)
    return f"{', '.join(labels[:LISTED])} and {len(labels) - LISTED} more"


def names_in_hand() -> dict[str, Names | None]:
    """What `as_matrix` takes, until names come with the table."""
    held = _IN_HAND.get()
    return {"sample_names": held.samples, "feature_names": held.features}

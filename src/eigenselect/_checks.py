"""Checks of parameters, each with one sentence: who, what was expected, what was got, what to do."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np


def is_whole(value: Any) -> bool:
    """Tell integers, also numpy's, from everything else; booleans are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Tell real numbers, also numpy's, from everything else; booleans are none."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def whole(
    value: Any,
    name: str,
    owner: str,
    *,
    low: int = 1,
    high: int | None = None,
    expected: str | None = None,
    advice: str = "",
) -> int:
    """Return an integer from ``low`` to ``high``, or refuse what is none.

    Parameters
    ----------
    value : any
    name, owner : str
        What the parameter is called, and who takes it.
    low, high : int
        Smallest and largest value; no largest if None.
    expected : str, optional
        What the sentence calls such numbers, if there is something better than "an integer from 1 to 9".
    advice : str
        What to do, for the end of the sentence.

    Examples
    --------
    >>> whole(0, "n_neighbors", "KNN")
    Traceback (most recent call last):
    ValueError: KNN: n_neighbors must be a positive integer, got 0.
    """
    if is_whole(value) and low <= value and (high is None or value <= high):
        return int(value)
    raise _refused(value, name, owner, expected or _whole_numbers(low, high), advice)


def whole_or_none(
    value: Any, name: str, owner: str, *, low: int = 1, high: int | None = None, advice: str = ""
) -> int | None:
    """Return None or an integer from ``low`` to ``high``, or refuse what is neither."""
    if value is None or (is_whole(value) and low <= value and (high is None or value <= high)):
        return None if value is None else int(value)
    raise _refused(value, name, owner, f"{_whole_numbers(low, high)} or None", advice)


def number(
    value: Any,
    name: str,
    owner: str,
    *,
    low: float = 0.0,
    closed: bool = False,
    expected: str = "a positive number",
    advice: str = "",
) -> float:
    """Return a finite number above a limit, or at it if ``closed``; refuse others, ``expected`` says which."""
    if is_number(value) and (low < value or (closed and low == value)) and value < np.inf:
        return float(value)
    raise _refused(value, name, owner, expected, advice)


def share(
    value: Any,
    name: str,
    owner: str,
    *,
    zero: bool = True,
    one: bool = True,
    expected: str | None = None,
    advice: str = "",
) -> float:
    """Return a number between 0 and 1, or refuse what is none.

    ``zero`` and ``one`` say whether the ends are allowed, ``expected`` what the sentence calls such numbers.

    >>> share(1.5, "threshold", "near_copies", zero=False)
    Traceback (most recent call last):
    ValueError: near_copies: threshold must be a number above 0 and up to 1, got 1.5.
    """
    if is_number(value) and (value >= 0 if zero else value > 0) and (value <= 1 if one else value < 1):
        return float(value)
    words = {
        (True, True): "a number from 0 to 1",
        (False, True): "a number above 0 and up to 1",
        (True, False): "a number from 0 to below 1",
        (False, False): "a number between 0 and 1",
    }
    raise _refused(value, name, owner, expected or words[zero, one], advice)


def choice(
    value: Any,
    name: str,
    owner: str,
    choices: Sequence[str],
    *,
    none: bool = False,
    other: str = "",
    advice: str = "",
) -> str | None:
    """Return one of the names that a parameter may have, or refuse what is none.

    ``none`` says whether None is allowed, ``other`` what else the caller takes, for the sentence.

    >>> choice("phi4", "ranking", "SPEC", ["phi1", "phi2", "phi3"])
    Traceback (most recent call last):
    ValueError: SPEC: ranking must be one of 'phi1', 'phi2', 'phi3', got 'phi4'.
    """
    if (none and value is None) or (isinstance(value, str) and value in choices):
        return value
    names = [repr(each) for each in choices]
    expected = " or ".join(names) if len(names) < 3 else f"one of {', '.join(names)}"
    more = [" or None"] * none + [f" or {other}"] * bool(other)
    raise _refused(value, name, owner, "".join([expected, *more]), advice)


def neighbors(value: Any, owner: str, n_samples: int) -> int:
    """Return a number of neighbours between 1 and n_samples - 1, or refuse what is none."""
    if not is_whole(value):
        raise TypeError(f"{owner}: n_neighbors must be an integer, got {value!r}.")
    if not 1 <= value < n_samples:
        raise ValueError(
            f"{owner}: n_neighbors must be between 1 and n_samples - 1 = {n_samples - 1}, got {value}; lower it or add "
            "samples."
        )
    return int(value)


def bandwidth(value: Any, owner: str) -> None:
    """Refuse what is neither ``"median"``, ``"self-tuning"`` nor a positive number."""
    if isinstance(value, str) and value in ("median", "self-tuning"):
        return
    if not is_number(value):
        raise _refused(value, "bandwidth", owner, "a positive number, 'median' or 'self-tuning'")
    if not 0 < float(value) < np.inf:
        raise _refused(value, "bandwidth", owner, "positive and finite")


def _whole_numbers(low: int, high: int | None) -> str:
    if high is not None:
        return f"an integer from {low} to {high}"
    return "a positive integer" if low == 1 else f"an integer of at least {low}"


def _refused(value: Any, name: str, owner: str, expected: str, advice: str = "") -> ValueError:
    advice = f"; {advice}" if advice else ""
    return ValueError(f"{owner}: {name} must be {expected}, got {value!r}{advice}.")

"""Checks of parameters, seeds and memory, each with one sentence: owner, expectation, value, advice."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from eigenselect.exceptions import ShortageError

#: files of Linux with the memory limit of a group of processes (a container)
GROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def is_whole(value: Any) -> bool:
    """Tell integers, also numpy's, from everything else; booleans do not count."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Tell real numbers, also numpy's, from everything else; booleans do not count."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def whole(
    value: Any, name: str, owner: str, *, low: int = 1, high: int | None = None, expected: str = "", advice: str = ""
) -> int:
    """Return an integer from ``low`` to ``high`` or raise; ``expected`` and ``advice`` are parts of the sentence.

    >>> whole(0, "n_neighbors", "KNN")
    Traceback (most recent call last):
    ValueError: KNN: n_neighbors must be a positive integer, got 0.
    """
    if is_whole(value) and low <= value and (high is None or value <= high):
        return int(value)
    integers = "a positive integer" if low == 1 else f"an integer of at least {low}"
    integers = integers if high is None else f"an integer from {low} to {high}"
    raise _refused(value, name, owner, expected or integers, advice)


def whole_or_none(value: Any, name: str, owner: str, *, advice: str = "") -> int | None:
    """Return None or a positive integer, or raise."""
    expected = "a positive integer or None"
    return None if value is None else whole(value, name, owner, expected=expected, advice=advice)


def number(
    value: Any, name: str, owner: str, *, low: float = 0.0, closed: bool = False, expected: str = "a positive number"
) -> float:
    """Return a finite number above ``low``, or at it if ``closed``, or raise."""
    if is_number(value) and (low < value or (closed and low == value)) and value < np.inf:
        return float(value)
    raise _refused(value, name, owner, expected)


def share(
    value: Any, name: str, owner: str, *, zero: bool = True, one: bool = True, expected: str = "", advice: str = ""
) -> float:
    """Return a number between 0 and 1 or raise; ``zero`` and ``one`` allow the ends.

    >>> share(1.5, "threshold", "near_copies", zero=False)
    Traceback (most recent call last):
    ValueError: near_copies: threshold must be a number above 0 and up to 1, got 1.5.
    """
    if is_number(value) and (value >= 0 if zero else value > 0) and (value <= 1 if one else value < 1):
        return float(value)
    ends = f"{'from' if zero else 'above'} 0 and {'up to' if one else 'below'} 1"
    raise _refused(value, name, owner, expected or f"a number {ends}", advice)


def choice(
    value: Any, name: str, owner: str, choices: Sequence[str], *, none: bool = False, other: str = "", advice: str = ""
) -> str | None:
    """Return one of the names that a parameter may have, or raise; ``other`` says what else is accepted.

    >>> choice("phi4", "ranking", "SPEC", ["phi1", "phi2", "phi3"])
    Traceback (most recent call last):
    ValueError: SPEC: ranking must be one of 'phi1', 'phi2', 'phi3', got 'phi4'.
    """
    if (none and value is None) or (isinstance(value, str) and value in choices):
        return value
    names = [repr(each) for each in choices]
    expected = " or ".join(names) if len(names) < 3 else f"one of {', '.join(names)}"
    raise _refused(value, name, owner, expected + " or None" * none + (f" or {other}" if other else ""), advice)


def neighbors(value: Any, owner: str, n_samples: int) -> int:
    """Return a number of neighbours between 1 and n_samples - 1, or raise."""
    if not is_whole(value):
        raise TypeError(f"{owner}: n_neighbors must be an integer, got {value!r}.")
    expected = f"between 1 and n_samples - 1 = {n_samples - 1}"
    return whole(value, "n_neighbors", owner, high=n_samples - 1, expected=expected, advice="lower it or add samples")


def bandwidth(value: Any, owner: str) -> None:
    """Raise unless ``"median"``, ``"self-tuning"`` or a positive number is given."""
    if not (isinstance(value, str) and value in ("median", "self-tuning")):
        number(value, "bandwidth", owner, expected="a positive number, 'median' or 'self-tuning'")


def _refused(value: Any, name: str, owner: str, expected: str, advice: str = "") -> ValueError:
    return ValueError(f"{owner}: {name} must be {expected}, got {value!r}{f'; {advice}' if advice else ''}.")


def random_generator(random_state: Any = None) -> np.random.RandomState:
    """Return the generator of a ``random_state``; None is the seed 0, so that equal calls give equal results.

    >>> random_generator(None).randint(100) == random_generator(0).randint(100)
    True
    """
    from sklearn.utils import check_random_state

    return check_random_state(0 if random_state is None else random_state)


@contextmanager
def memory_for(needed: float, work: str, instead: str) -> Iterator[None]:
    """Raise ``ShortageError`` before work that needs more bytes than are free, and if memory ends within it.

    >>> with memory_for(1e18, "RBF: the weights of all pairs", "use KNN"):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
    eigenselect.exceptions.ShortageError: RBF: the weights of all pairs need 1000000000.0 GB of memory, ... use KNN.
    """
    free = free_memory()
    sentence = f"{work} need {in_bytes(needed)} of memory, {in_bytes(free)} are free; {instead}."
    if needed > free:
        raise ShortageError(sentence)
    try:
        yield
    except ShortageError:
        raise
    except MemoryError as error:
        raise ShortageError(sentence) from error


def free_memory() -> float:
    """Return the bytes that this process may still take: of the machine, its group of processes and ``ulimit -v``."""
    virtual, resident = own_bytes()
    limits = [float("inf")]
    with suppress(AttributeError, ValueError, OSError):  # not on Windows
        limits.append(float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    with suppress(OSError):  # only on Linux
        available = re.findall(r"MemAvailable:\s*(\d+)", Path("/proc/meminfo").read_text())
        limits.extend(1024.0 * int(size) for size in available)
    for path in GROUP_LIMITS:
        with suppress(OSError, ValueError):  # no such group, or "max"
            limits.append(float(Path(path).read_text()) - resident)
    with suppress(ImportError):  # not on Windows
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        limits.append(limits[0] if soft == resource.RLIM_INFINITY else float(soft) - virtual)
    return max(0.0, min(limits))


def own_bytes() -> tuple[int, int]:
    """Return the virtual and the resident bytes of this process; zeros if the system does not tell."""
    try:
        virtual, resident = Path("/proc/self/statm").read_text().split()[:2]
        return int(virtual) * os.sysconf("SC_PAGE_SIZE"), int(resident) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0, 0


def in_bytes(number: float) -> str:
    """Write a number of bytes for people.

    >>> in_bytes(12), in_bytes(2_500_000), in_bytes(3.2e12)
    ('12 bytes', '2.5 MB', '3200.0 GB')
    """
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{int(number)} bytes"

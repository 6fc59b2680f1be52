"""How much memory is free, and one sentence where a piece of work needs more than that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eigenselect.exceptions import ShortageError

#: files in which Linux says what a group of processes may have
GROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@contextmanager
def memory_for(needed: float, work: str, instead: str) -> Iterator[None]:
    """Refuse work that needs more memory than is free, before it starts; say the same where memory ends within.

    Parameters
    ----------
    needed : float
        Bytes.
    work : str
        Who needs them, and what for.
    instead : str
        What to do.

    Raises
    ------
    ShortageError
        A `MemoryError` with one sentence.

    Examples
    --------
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
    r"""Give the bytes that this process may still take; infinite where the system does not say.

    .. math:: \max(0, \min(M, G - r, L - v))

    where

    - M is what is free on the machine, ``MemAvailable`` of ``/proc/meminfo``; without that, all its memory,
    - G is what the group of processes (a container) may have, ``memory.max`` of its cgroup [1]_,
    - L is the process's own limit, ``ulimit -v``,
    - r and v are the resident and the virtual bytes of the process.

    References
    ----------
    .. [1] Linux kernel documentation, "Control Group v2", section Memory.
    """
    virtual, resident = own_bytes()
    group = min((_number_in(path) for path in GROUP_LIMITS), default=float("inf"))
    return max(0.0, min(_machine_free(), group - resident, _own_limit() - virtual))


def in_bytes(number: float) -> str:
    """Write a number of bytes for people.

    >>> in_bytes(12), in_bytes(2_500_000), in_bytes(3.2e12)
    ('12 bytes', '2.5 MB', '3200.0 GB')
    """
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{int(number)} bytes"


def _machine_free() -> float:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024.0 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def own_bytes() -> tuple[int, int]:
    """Give the bytes of this process, virtual and resident."""
    try:
        virtual, resident = Path("/proc/self/statm").read_text().split()[:2]
        return int(virtual) * os.sysconf("SC_PAGE_SIZE"), int(resident) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0, 0


def _own_limit() -> float:
    try:
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        return float("inf") if soft == resource.RLIM_INFINITY else float(soft)
    except (ImportError, AttributeError):
        return float("inf")


def _number_in(path: str) -> float:
    try:
        return float(Path(path).read_text())
    except (OSError, ValueError):  # no such group, or "max"
        return float("inf")

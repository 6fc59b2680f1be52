"""How much memory a table may take: what is too large gets its sentence before memory ends.

Sizes come from files and are not to be trusted: they are multiplied as whole numbers of any length (`product`) and
compared with what is free (`check_memory`) before anything is allocated. Libraries that allocate by themselves run
within `bounded_memory`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from eigenselect.exceptions import InputError

#: bytes of one number in memory
NUMBER = 8
#: bytes that a name takes as a Python text in a tuple, about
NAME = 64
#: files in which Linux says what a group of processes may have
GROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


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
    virtual, resident = _own_pages()
    group = min((_number_in(path) for path in GROUP_LIMITS), default=float("inf"))
    return max(0.0, min(_machine_free(), group - resident, _own_limit() - virtual))


def check_memory(needed: float, source: str, what: str) -> None:
    """Refuse to take more memory than there is; ``what`` says what would take it."""
    free = free_memory()
    if needed > free:
        raise InputError(
            f"{source}: {what} needs about {in_bytes(needed)} of memory, {in_bytes(free)} are free; take fewer rows or "
            "columns, or a machine with more memory."
        )


def not_enough(source: str, size: int | None) -> InputError:
    """Make the error for memory that ended all the same."""
    of_size = "" if size is None else f" of a file of {in_bytes(size)}"
    return InputError(
        f"{source}: reading the table{of_size} needs more memory than the {in_bytes(free_memory())} that are free; "
        "take fewer rows or columns, or a machine with more memory."
    )


def in_bytes(number: float) -> str:
    """Write a number of bytes for people.

    >>> in_bytes(12), in_bytes(2_500_000), in_bytes(3.2e12)
    ('12 bytes', '2.5 MB', '3200.0 GB')
    """
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{int(number)} bytes"


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Let allocations fail within, rather than the machine, where more is asked for than there is.

    For libraries that allocate what a file claims. The limit (``RLIMIT_AS``) is what the process has plus what is free,
    never above limits that are set already. It holds for the whole process, so only while a file is read.
    """
    free = free_memory()
    try:
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
    except (ImportError, AttributeError):  # a system without such limits
        free = float("inf")
    if free == float("inf"):
        yield
        return
    most = int(_own_pages()[0] + free)
    allowed = [limit for limit in (most, *before) if limit != resource.RLIM_INFINITY]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (min(allowed), before[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def product(numbers: Iterable[int]) -> int:
    """Multiply in whole numbers of any size: what a file claims may overflow any other.

    >>> product((2**32, 2**32))  # 0 in 64 bits
    18446744073709551616
    """
    result = 1
    for number in numbers:
        result *= int(number)
    return result


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


def _own_pages() -> tuple[int, int]:
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

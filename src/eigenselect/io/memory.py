"""How much memory a table may take: what is too large gets its sentence before memory ends.

Sizes come from files and are not to be trusted: they are multiplied as whole numbers of any length (`product`) and
compared with what is free (`check_memory`) before anything is allocated. Libraries that allocate by themselves run
within `bounded_memory`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from eigenselect._checks import free_memory, in_bytes, own_bytes
from eigenselect.exceptions import InputError

#: bytes of one number in memory
NUMBER = 8
#: bytes that a name takes as a Python text in a tuple, about
NAME = 64


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
    most = int(own_bytes()[0] + free)
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

"""What is said when memory does not suffice: for what, how much it would be, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

#: what numpy and pyarrow say, without their own words
ARRAY = re.compile(r"Unable to allocate ([\d.]+ \w+) for an array with shape \(([\d, ]+)\)")
BYTES = re.compile(r"\bsize (\d+) failed")


class ShortageError(MemoryError):
    """A sentence that says what needed how much."""


@contextmanager
def memory_for(work: str, instead: str) -> Iterator[None]:
    """Within, a lack of memory is told as one of this work, with what to do ``instead``."""
    try:
        yield
    except ShortageError:
        raise
    except MemoryError as error:
        raise ShortageError(f"{work}: {shortage(error)}; {instead}.") from error


def shortage(error: MemoryError) -> str:
    """How much was needed, where it is known.

    >>> shortage(MemoryError("Unable to allocate 74.5 GiB for an array with shape (100000, 100000) and data type f8"))
    'there is not enough memory, 100000 x 100000 numbers would take 74.5 GiB'
    """
    text = " ".join(str(error).split())
    array, block = ARRAY.search(text), BYTES.search(text)
    if array:
        sizes = [size.strip() for size in array[2].split(",") if size.strip()]
        return f"there is not enough memory, {' x '.join(sizes)} numbers would take {array[1]}"
    if block:
        return f"there is not enough memory, {int(block[1]) / 2**30:.3g} GiB would be needed at once"
    return text.rstrip(".") or "there is not enough memory"

"""Libraries that read binary files raise anything on a damaged one: one sentence for all of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from eigenselect.exceptions import InputError


def damaged(source: str, kind: str) -> InputError:
    """What is said of a file that a library cannot read."""
    return InputError(f"{source}: cannot be read as {kind}, it is damaged or of another kind.")


@contextmanager
def reading_as(kind: str, source: str) -> Iterator[None]:
    """Turn what a library raises into a sentence; memory and our own words pass."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise damaged(source, kind) from error

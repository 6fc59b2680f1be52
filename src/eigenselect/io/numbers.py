"""Numbers as people write them, to the last bit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: a number in decimal digits; neither 1_000, which Python reads, nor inf
WRITTEN = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
LARGEST = "1.8e308"


def numbers_of(cells: Iterable[Any]) -> NDArray[np.float64] | None:
    """Cells as floating-point numbers, NaN where they are missing; None if one of them is no number.

    >>> numbers_of(["18446744073709551616", float("nan"), " .5e1 "])
    array([1.84467441e+19,            nan, 5.00000000e+00])
    """
    numbers = []
    for cell in cells:
        if not isinstance(cell, str):
            numbers.append(float("nan"))
        elif WRITTEN.fullmatch(cell):
            numbers.append(float(cell))
        else:
            return None
    return np.array(numbers) if any(number == number for number in numbers) else None


def overflowing(cells: Iterable[str]) -> str | None:
    """The first cell with a number that is too large for floating-point numbers; a written "inf" is none."""
    return next((cell for cell in cells if WRITTEN.fullmatch(cell) and math.isinf(float(cell))), None)


def rounded(cells: Iterable[str], numbers: Iterable[float]) -> bool:
    """Whether a cell holds a whole number that its floating-point number is not."""
    pairs = zip(cells, numbers, strict=True)
    return any(WHOLE.fullmatch(cell) and Decimal(cell.strip()) != Decimal(float(number)) for cell, number in pairs)

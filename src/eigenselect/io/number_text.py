"""Numbers as people write them in digits, to the last bit: no marks but a decimal point and an exponent."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray

#: a number in decimal digits; neither 1_000, which Python reads, nor inf
WRITTEN = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)


def numbers_of(cells: Iterable[Any]) -> FloatArray | None:
    """Read cells as floating-point numbers, NaN where they are missing; None if one of them is no number.

    None also if all are missing, which says nothing of the kind of the column.

    >>> numbers_of(["18446744073709551616", float("nan"), " .5e1 "])
    array([1.84467441e+19,            nan, 5.00000000e+00])
    >>> numbers_of(["1", "1_000"]) is None
    True
    """
    numbers = []
    for cell in cells:
        if isinstance(cell, int):  # as pandas 3 reads whole numbers of more than 64 bits
            numbers.append(float(cell))
        elif not isinstance(cell, str):
            numbers.append(float("nan"))
        elif WRITTEN.fullmatch(cell):
            numbers.append(float(cell))
        else:
            return None
    return np.array(numbers) if any(number == number for number in numbers) else None


def overflowing(cells: Iterable[str]) -> str | None:
    """Find the first cell with a number that is too large for floating-point numbers; a written "inf" is none.

    >>> overflowing(["inf", "1.7e308", "1.8e308"])
    '1.8e308'
    """
    return next((cell for cell in cells if WRITTEN.fullmatch(cell) and math.isinf(float(cell))), None)


def rounded(cells: Iterable[str], numbers: Iterable[float]) -> bool:
    """Tell whether a cell holds a whole number that its floating-point number is not.

    Beyond 2^53 only every second whole number is a floating-point number, beyond 2^54 every fourth.

    >>> rounded(["9007199254740992"], [2.0**53]), rounded(["9007199254740993"], [2.0**53])
    (False, True)
    """
    pairs = zip(cells, numbers, strict=True)
    return any(WHOLE.fullmatch(cell) and Decimal(cell.strip()) != Decimal(float(number)) for cell, number in pairs)

r"""Decimal digits to the nearest floating-point number, in compiled loops, for tables of many million cells.

A cell :math:`w \cdot 10^q`, w a whole number of at most 19 digits, becomes a number in one of two ways:

* :math:`w < 2^{53}` and :math:`|q| \le 22`: w and :math:`10^{|q|}` are floating-point numbers, so one product or one
  quotient is rounded correctly [1]_;
* else the leading 64 bits of :math:`w \cdot 5^q` are computed with a table of 128 bits of each power of five, and
  rounded to 53 [2]_. Where the table is too short to tell, and for subnormal numbers, the cell is left to Python.

References
----------
.. [1] W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990, doi:10.1145/93542.93557.
.. [2] D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51(8), 2021,
       doi:10.1002/spe.2984.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenselect._compiled import compiled
from eigenselect._typing import AnyArray, FloatArray

#: exponents of ten whose powers of five are in the table; beyond, numbers vanish or overflow
FIRST_POWER, LAST_POWER = -342, 308
EXACT_POWERS = 10.0 ** np.arange(23)

_compiled = compiled()


def read_cells(block: AnyArray, ends: AnyArray, decimal: str) -> tuple[FloatArray, NDArray[np.bool_]]:
    r"""Read cells of digits; return their numbers, and which cells are something else or are left to others.

    Parameters
    ----------
    block : ndarray of uint8
        Text; one byte separates two cells.
    ends : ndarray of int
        The place of the byte behind each cell.
    decimal : str
        The decimal mark, or the empty text where there must be none.

    Examples
    --------
    >>> block = np.frombuffer(b"0.1,-2e3,NA\n", np.uint8)
    >>> read_cells(block, np.array([3, 8, 11]), ".")
    (array([ 1.e-01, -2.e+03,  0.e+00]), array([False, False,  True]))
    """
    numbers, others = np.zeros(ends.size), np.zeros(ends.size, dtype=np.bool_)
    mark = np.uint8(ord(decimal) if decimal else 0)
    _read_cells(block, ends, mark, EXACT_POWERS, *powers_of_five(), numbers.view(np.uint64), numbers, others)
    return numbers, others


def powers_of_five() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the leading 128 bits of 5^q as two words, q from `FIRST_POWER`; rounded up where q is negative.

    >>> high, low = powers_of_five()
    >>> hex(high[-FIRST_POWER + 1]), int(low[-FIRST_POWER + 1])
    ('0xa000000000000000', 0)
    """
    return _POWERS


def _leading_bits(q: int) -> int:
    """Return 2^127 ≤ bits < 2^128 of 5^q: cut off, but the next larger where 5^q has no end."""
    power = 5 ** abs(q)
    if q >= 0:
        shift = power.bit_length() - 128
        return power >> shift if shift > 0 else power << -shift
    quotient = (1 << (127 + power.bit_length())) // power + 1
    return quotient >> (quotient.bit_length() - 128)


def _table() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    bits = [_leading_bits(q) for q in range(FIRST_POWER, LAST_POWER + 1)]
    return np.array([b >> 64 for b in bits], dtype=np.uint64), np.array(
        [b & (2**64 - 1) for b in bits], dtype=np.uint64
    )


_POWERS = _table()


@_compiled
def _read_cells(block, ends, mark, exact_powers, high_bits, low_bits, words, numbers, others):  # type: ignore[no-untyped-def]
    """Read sign, digits, mark and exponent of each cell; flag it where a byte is unexpected or a digit too many."""
    start = 0
    for cell in range(ends.size):
        end = ends[cell]
        place = start
        start = end + 1
        negative = place < end and block[place] == 45
        if place < end and (block[place] == 45 or block[place] == 43):
            place += 1
        mantissa, exponent, digits, seen = np.uint64(0), np.int64(0), 0, 0
        fraction = False
        while place < end:
            byte = block[place]
            if 48 <= byte <= 57:
                seen += 1
                if digits > 0 or byte != 48:
                    digits += 1
                mantissa = mantissa * np.uint64(10) + np.uint64(byte - 48)
                if fraction:
                    exponent -= 1
            elif byte == mark and not fraction:
                fraction = True
            else:
                break
            place += 1
        sound = seen > 0 and digits <= 19  # as many fit 64 bits, whichever they are
        if sound and place < end and (block[place] == 101 or block[place] == 69):
            place += 1
            below = place < end and block[place] == 45
            if place < end and (block[place] == 45 or block[place] == 43):
                place += 1
            first, written = place, np.int64(0)
            while place < end and 48 <= block[place] <= 57 and place - first < 5:
                written = written * 10 + np.int64(block[place] - 48)
                place += 1
            sound = place > first
            exponent += -written if below else written
        if not sound or place != end:
            others[cell] = True
        elif mantissa == np.uint64(0):
            numbers[cell] = -0.0 if negative else 0.0
        elif mantissa < np.uint64(1 << 53) and -22 <= exponent <= 22:
            size = np.float64(mantissa)
            size = size * exact_powers[exponent] if exponent >= 0 else size / exact_powers[-exponent]
            numbers[cell] = -size if negative else size
        elif -342 <= exponent <= 308:
            word = _nearest(mantissa, exponent, high_bits[exponent + 342], low_bits[exponent + 342])
            others[cell] = word == np.uint64(0)
            words[cell] = word | (np.uint64(1) << np.uint64(63) if negative else np.uint64(0))
        else:
            others[cell] = True


@_compiled
def _nearest(mantissa, exponent, high_bits, low_bits):  # type: ignore[no-untyped-def]
    """Return the bits of the floating-point number nearest to mantissa · 10^exponent; 0 where that cannot be told.

    With w · 2^z ≥ 2^63, the product of w · 2^z and 128 bits of 5^q has the wanted bits in front; what follows them
    decides how they are rounded, unless it is all ones (then more bits may carry) or a tie.
    """
    zeros = np.int64(0)
    while mantissa >> np.uint64(63) == np.uint64(0):
        mantissa <<= np.uint64(1)
        zeros += 1
    high, low = _product(mantissa, high_bits)
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        carried, _ = _product(mantissa, low_bits)
        low += carried
        if low < carried:
            high += np.uint64(1)
    if low == np.uint64(0xFFFFFFFFFFFFFFFF):
        return np.uint64(0)
    top = high >> np.uint64(63)
    shift = top + np.uint64(9)
    bits = high >> shift  # 54 of them: the last one rounds
    binary = ((217706 * exponent) >> 16) + np.int64(63) + np.int64(top) - zeros + np.int64(1023)
    if binary <= 0:
        return np.uint64(0)
    tied = low <= np.uint64(1) and -4 <= exponent <= 23 and bits & np.uint64(3) == np.uint64(1)
    if tied and bits << shift == high:
        bits &= np.uint64(0xFFFFFFFFFFFFFFFE)
    bits = (bits + (bits & np.uint64(1))) >> np.uint64(1)
    if bits >= np.uint64(1 << 53):
        bits = np.uint64(1 << 52)
        binary += 1
    if binary >= 2047:
        return np.uint64(0)
    return (bits & np.uint64((1 << 52) - 1)) | (np.uint64(binary) << np.uint64(52))


@_compiled
def _product(a, b):  # type: ignore[no-untyped-def]
    """Return the high and the low word of the product of two words, from four products of halves."""
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a1, a0, b1, b0 = a >> half, a & mask, b >> half, b & mask
    low, middle, cross = a0 * b0, a1 * b0, a0 * b1
    carry = ((low >> half) + (middle & mask) + (cross & mask)) >> half
    return a1 * b1 + (middle >> half) + (cross >> half) + carry, a * b

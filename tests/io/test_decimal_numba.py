"""Digits become the floating-point numbers that Python makes of them, bit by bit, or are left to it."""

import random
import struct

import numpy as np
import pytest

from eigenselect.io.decimal_numba import FIRST_POWER, LAST_POWER, powers_of_five, read_cells


def read(texts, decimal="."):
    block = np.frombuffer(("\n".join(texts) + "\n").encode(), np.uint8)
    return read_cells(block, np.flatnonzero(block == ord("\n")), decimal)


def assert_as_python(texts, most_left):
    numbers, left = read(texts)
    expected = np.array(texts, dtype=object)[~left].astype(np.float64)
    np.testing.assert_array_equal(numbers[~left].view(np.uint64), expected.view(np.uint64))
    assert left.sum() <= most_left


def any_number(rng):
    """Bits of a normal number of any size."""
    bits = (rng.getrandbits(1) << 63) | (rng.randrange(1, 2047) << 52) | rng.getrandbits(52)
    return struct.unpack("d", struct.pack("Q", bits))[0]


def test_the_shortest_digits_of_any_normal_number():
    rng = random.Random(17)
    assert_as_python([repr(any_number(rng)) for _ in range(20_000)], most_left=0)


def test_digits_of_every_length_and_exponent():
    rng = random.Random(3)
    texts = [f"{rng.getrandbits(rng.randint(1, 63))}e{rng.randint(-300, 280)}" for _ in range(20_000)]
    texts += [f"{rng.gauss(0, 1):.{rng.randint(1, 18)}f}" for _ in range(5_000)]
    assert_as_python(texts, most_left=0)


def test_ties_go_to_the_even_one():
    rng = random.Random(5)
    odd = [2 * (rng.getrandbits(52) | 1 << 52) + 1 for _ in range(5_000)]  # just between two numbers of 53 bits
    texts = [str(number << rng.randint(0, 9)) for number in odd] + [f"{number}e{rng.randint(-3, 3)}" for number in odd]
    assert_as_python(texts, most_left=0)


@pytest.mark.parametrize(
    "text", ["5e-324", "2.2250738585072011e-308", "1e400", "1e309", "12345678901234567890", "1e-400", "1e99999999999"]
)
def test_what_is_left_to_python(text):
    assert read([text])[1].all()


@pytest.mark.parametrize(
    "text", ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "1 ", " 1", "--1", "1_0", "NA", "1d5", "0x1"]
)
def test_what_is_no_number_of_digits(text):
    assert read([text])[1].all()


def test_signs_zeros_and_marks():
    numbers, left = read(["-0", "+2.50", "-.5", "5.", "0000000000000000000000001", "0e99"])
    assert not left.any()
    np.testing.assert_array_equal(numbers, [-0.0, 2.5, -0.5, 5, 1, 0])
    assert np.signbit(numbers[0])
    numbers, left = read(["1,5", "1.5"], ",")
    assert (numbers[0], left.tolist()) == (1.5, [False, True])
    assert read(["1.5", "2"], "")[1].tolist() == [True, False]


def test_powers_of_five_to_128_bits():
    """Cut off; but 1/5^q, which has no end, is the next larger, so that a product of it is never below a tie."""
    for q, high, low in zip(range(FIRST_POWER, LAST_POWER + 1), *powers_of_five(), strict=True):
        bits, power = (int(high) << 64) | int(low), 5 ** abs(q)
        assert bits.bit_length() == 128
        if q >= 0:
            shift = max(0, power.bit_length() - 128)
            assert bits << shift <= power << max(0, 128 - power.bit_length()) < (bits + 1) << shift
        else:
            assert (bits - 1) * power < 1 << (127 + power.bit_length()) <= bits * power

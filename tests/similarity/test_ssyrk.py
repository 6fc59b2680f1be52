"""Products of rows in single precision are those of double precision, up to their rounding, in whatever layout."""

import numpy as np
import pytest

from eigenselect.similarity.ssyrk import upper_products

LAYOUTS = {
    "a slice of longer rows": lambda a: np.hstack([a, a])[:, : a.shape[1]],
    "by columns": np.asfortranarray,
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "every other column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "rows from the last to the first": lambda a: a[::-1].copy()[::-1],
    "one row for all": lambda a: np.broadcast_to(a[0], a.shape),
    "between bytes": lambda a: np.frombuffer(b" " + a.tobytes(), dtype=np.float32, offset=1).reshape(a.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("summed", [1, 7, 40])
def test_the_upper_triangle_of_a_times_its_transpose(rng, layout, summed):
    block = LAYOUTS[layout](rng.normal(size=(9, 30)).astype(np.float32))
    before, wide = block.copy(), block.astype(np.float64)
    found = upper_products(block, summed)
    np.testing.assert_allclose(found, np.triu(wide @ wide.T), atol=1e-5)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(block, before)


@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (50, 1)])
def test_one_row_and_one_column(rng, shape):
    block = rng.integers(-9, 9, size=shape).astype(np.float32)  # products of whole numbers are exact
    np.testing.assert_array_equal(upper_products(block, 8), np.triu(block @ block.T))


def test_sums_of_few_columns_lose_little():
    """2²⁴ + 1 is no float32: ones are lost one by one, and kept where they are added up before."""
    block = np.ones((1, 65), dtype=np.float32)
    block[0, 0] = 2.0**12
    assert upper_products(block, 1)[0, 0] == 2.0**24
    split = np.append(block[0, :1], np.zeros(31)), np.ones(64)  # the large square in a sum of its own
    assert upper_products(np.concatenate(split)[None].astype(np.float32), 32)[0, 0] == 2.0**24 + 64

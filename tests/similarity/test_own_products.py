"""Products of BLAS where columns lie are those of numpy in double precision, up to single precision's rounding."""

import numpy as np
import pytest

from eigenselect.similarity import own_products
from eigenselect.similarity.own_products import lower_products


def exact(block):
    wide = block.astype(np.float64)
    return np.tril(wide @ wide.T)


def layouts(rng):
    """Columns of a wider table, rows of Fortran's order, every other column, a row that is repeated, not aligned."""
    table = rng.normal(size=(7, 50)).astype(np.float32)
    shifted = np.frombuffer(b"\0" + table.tobytes(), dtype=np.uint8)[1:].view(np.float32).reshape(table.shape)
    return {
        "whole": table,
        "columns": table[:, 11:34],
        "fortran": np.asfortranarray(table)[:, 3:20],
        "every other": table[:, ::2],
        "backwards": table[::-1],
        "repeated": np.broadcast_to(table[0], (7, 50)),
        "one row": table[:1],
        "one column": table[:, 4:5],
        "not aligned": shifted,
    }


@pytest.mark.parametrize("summed", [1, 5, 50])
@pytest.mark.parametrize("name", list(layouts(np.random.default_rng(0))))
def test_lower_triangle(rng, name, summed):
    block = layouts(rng)[name]
    found = lower_products(block, summed)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.tril(found), exact(block), atol=2e-5)


def test_double_precision_stays_double(rng):
    block = rng.normal(size=(6, 40))
    np.testing.assert_allclose(np.tril(lower_products(block, 13)), exact(block), rtol=1e-13, atol=1e-14)


def test_where_integers_of_blas_are_of_another_size_numpy_makes_them(rng, monkeypatch):
    monkeypatch.setattr(own_products, "_ssyrk", lambda: None)
    block = layouts(rng)["columns"]
    np.testing.assert_allclose(np.tril(lower_products(block, 5)), exact(block), atol=2e-5)


def test_fewer_columns_at_once_lose_fewer_digits():
    """Of products of one sign, a long sum loses what it is larger than its terms: short ones, less."""
    block = np.full((2, 2**16), np.float32(1.1))
    true = exact(block)[1, 0]
    assert abs(lower_products(block, 256)[1, 0] / true - 1) <= (256 + 256 + 2) * 2.0**-24

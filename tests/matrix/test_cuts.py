"""Lines of unequal sizes, cut into parts of bounded size."""

import numpy as np
import pytest

from eigenselect.matrix.cuts import cut_by_size


@pytest.mark.parametrize("most", [1, 7, 30, 10**6])
def test_parts_cover_all_lines_and_are_as_large_as_they_may(rng, most):
    sizes = rng.integers(0, 12, size=50)
    parts = list(cut_by_size(sizes, most))
    assert [part.start for part in parts] == [0, *(part.stop for part in parts[:-1])]
    assert parts[-1].stop == 50
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        assert sizes[part].sum() <= most or part.stop - part.start == 1
        assert following is None or sizes[part].sum() + sizes[following.start] > most


def test_sizes_beyond_32_bits():
    """More than 2^31 non-zeros in all, counted in 32 bits as scipy's indptr may be."""
    sizes = np.full(6, 2**30, dtype=np.int32)
    assert [part.stop for part in cut_by_size(sizes, 2**31)] == [2, 4, 6]

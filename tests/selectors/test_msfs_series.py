"""One column without a table is refused in the same words by every selector."""

import pandas as pd
import pytest

from eigenselect import MSFS, SPEC
from eigenselect.multisource import TargetData


@pytest.mark.parametrize("selector", [SPEC(), MSFS(sources=[("x", TargetData())])])
def test_a_series_is_no_table(selector):
    with pytest.raises(ValueError, match="2-dimensional"):
        selector.fit(pd.Series([1.0, 2.0, 3.0]))

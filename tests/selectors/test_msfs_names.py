"""Names that are given to MSFS."""

import pandas as pd
import pytest

from eigenselect import MSFS
from eigenselect.multisource import AuxiliaryData, TargetData


def test_a_range_that_is_given_holds_names_and_is_no_count(rng):
    """A frame's own count is matched by place; numbers that somebody gave are names, of which the source has none."""
    X, Z = rng.normal(size=(20, 4)), pd.DataFrame(rng.normal(size=(20, 3)), index=[f"s{i}" for i in range(20)])
    selector = MSFS(2, sources=[("target", TargetData()), ("other", AuxiliaryData(Z))])
    with pytest.raises(ValueError, match="target's 20 sample names"):
        selector.fit(X, sample_names=pd.RangeIndex(20))

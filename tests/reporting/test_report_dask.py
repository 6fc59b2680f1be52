"""Reports and comparisons of Dask arrays: those of a small one are as in memory, a large one is refused."""

import numpy as np
import pytest

from eigenselect import FisherScore, HSICScore, report
from eigenselect.matrix import dask_table
from eigenselect.reporting import compare

da = pytest.importorskip("dask.array", reason="dask is not installed")

Y = np.arange(40) % 2
X = np.random.default_rng(2).normal(size=(40, 12)) + 2.0 * Y[:, None] * (np.arange(12) < 3)
ARRAY = da.from_array(X, chunks=(15, 12))


def compared(table):
    return compare({"a": FisherScore(), "b": HSICScore()}, table, Y, n_features=3, sizes=[2], n_splits=2)


def test_small_ones_are_as_in_memory():
    here, there = (report(FisherScore(3).fit(table, Y), table, Y, evaluation=False).summary for table in (X, ARRAY))
    assert [row["feature"] for row in there["features"]] == [row["feature"] for row in here["features"]]
    assert there["views"]["redundancy"]["rate"] == pytest.approx(here["views"]["redundancy"]["rate"], rel=1e-9)
    here, there = (compared(table).summary["methods"]["b"] for table in (X, ARRAY))
    for name in ("accuracy", "shared", "stability"):
        assert there[name] == here[name]


def test_large_ones_are_refused_where_they_would_be_read_dozens_of_times(monkeypatch):
    selector = FisherScore(3).fit(ARRAY, Y)
    sentence = "X must be in memory, got a Dask array of 1 MB: it is fitted again and again on parts of"
    monkeypatch.setattr(dask_table, "band_bytes", lambda: 1000)
    with pytest.raises(ValueError, match=f"^compare: {sentence}"):
        compared(ARRAY)
    with pytest.raises(ValueError, match=f"^report: {sentence}"):
        report(selector, ARRAY, Y)

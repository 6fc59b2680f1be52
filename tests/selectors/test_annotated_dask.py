"""Selectors on Dask arrays: nothing is computed before it must be, no large part of the table comes to the client."""

import pickle
import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline

from eigenselect import SPEC, FisherScore, HSICScore, LaplacianScore, MoranI, SSelect, TraceRatio
from eigenselect.exceptions import DominatedWarning
from eigenselect.matrix import as_matrix
from eigenselect.similarity import FromTable

dask = pytest.importorskip("dask", reason="dask is not installed")
da = pytest.importorskip("dask.array", reason="dask is not installed")

N, M = 120, 200
X = np.random.RandomState(0).rand(N, M)
Y = np.arange(N) % 3
RING = sum(np.roll(np.eye(N), step, axis=1) for step in (1, 2))
RING = sparse.csr_array(RING + RING.T)
CHUNKS = {"rows": (30, M), "columns": (N, 50)}


class Counted:
    """A Dask array that counts how often each of its chunks is made."""

    def __init__(self, chunks, values=X):
        self.made, self._lock = {}, threading.Lock()
        self.array = da.from_array(values, chunks=chunks).map_blocks(self.make, dtype=X.dtype, meta=np.empty((0, 0)))

    def make(self, block, block_info=None):
        with self._lock:
            place = block_info[0]["chunk-location"]
            self.made[place] = self.made.get(place, 0) + 1
        return block


@pytest.fixture
def largest_result(monkeypatch):
    """The bytes that came to the client at once, at most."""
    from dask import base

    sizes, compute = [0], base.compute

    def spied(*parts, **options):
        found = compute(*parts, **options)
        sizes.append(len(pickle.dumps(found)))
        return found

    monkeypatch.setattr(base, "compute", spied)
    return lambda: max(sizes)


#: how often a chunk is made, to be checked, scored and tested; agreement with labels waits for the means
FITS = {
    "laplacian": (LaplacianScore(5), {"similarity_matrix": RING}, 1),
    "p-values": (MoranI(5, significance="given"), {"similarity_matrix": RING}, 1),
    "powers": (SPEC(5, spectral_function=3), {"similarity_matrix": RING}, 1),
    "eigenvectors": (SPEC(5, ranking="phi3", n_clusters=3), {"similarity_matrix": RING}, 1),
    "fisher": (FisherScore(5, significance=True), {"y": Y}, 1),
    "hsic": (HSICScore(5, significance=True), {"y": Y}, 1),
    "trace ratio": (TraceRatio(5), {"y": Y}, 1),
    "sselect": (
        SSelect(5, regularization=0.5),
        {"y": np.where(np.arange(N) < 12, Y, -1), "similarity_matrix": RING},
        2,
    ),
}


@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("case", FITS)
def test_each_chunk_is_made_a_few_times_and_stays_where_it_is(case, chunks, largest_result):
    selector, options, most = FITS[case]
    expected = selector.fit(X, **options).scores_
    counted = Counted(CHUNKS[chunks])
    as_matrix(counted.array)
    assert not counted.made
    found = selector.fit(counted.array, **options)
    np.testing.assert_allclose(found.scores_, expected, rtol=1e-10)
    assert set(counted.made) == set(np.ndindex(counted.array.numblocks))
    assert max(counted.made.values()) == most
    assert largest_result() < X.nbytes / 4
    counted.made.clear()
    chosen = found.transform(counted.array)
    assert not counted.made
    np.testing.assert_array_equal(chosen.compute(), X[:, found.get_support()])


def test_columns_are_fetched_where_one_sample_may_make_their_spread():
    """The first pass tells how far the farthest sample is; only then somebody looks who it is."""
    spoilt = X.copy()
    spoilt[77, :9] = 40.0
    counted = Counted(CHUNKS["rows"], spoilt)
    with pytest.warns(DominatedWarning, match="77 alone makes most"):
        LaplacianScore(5).fit(counted.array[:, :10], similarity_matrix=RING)
    assert max(counted.made.values()) == 2


def test_nan_is_found_in_the_pass_that_scores():
    spoilt = X.copy()
    spoilt[[40, 100], 7] = np.nan, np.inf
    for selector, options in ((LaplacianScore(5), {"similarity_matrix": RING}), (FisherScore(5), {"y": Y})):
        counted = Counted((10, M), spoilt)
        with pytest.raises(ValueError, match="row 40, column 7"):
            selector.fit(counted.array, **options)
        assert sorted(counted.made.values()) == 11 * [1] + [2]  # and once more to see which value it is


def test_transform_is_lazy_in_pipelines_and_whatever_the_output_is_to_be():
    counted = Counted(CHUNKS["rows"])
    selector = FisherScore(5).set_output(transform="pandas")
    found = selector.fit_transform(counted.array, Y)
    assert isinstance(found, da.Array)
    np.testing.assert_array_equal(found.compute(), X[:, selector.get_support()])
    pipeline = make_pipeline(FisherScore(20), LaplacianScore(5, similarity=FromTable(X[:, :3])))
    np.testing.assert_array_equal(pipeline.fit_transform(counted.array, Y).compute(), pipeline.fit_transform(X, Y))


def test_transform_refuses_other_tables():
    array = da.from_array(X, chunks=CHUNKS["rows"])
    selector = FisherScore(5).fit(array, Y)
    assert (selector.n_features_in_, hasattr(selector, "feature_names_in_")) == (M, False)
    with pytest.raises(ValueError, match="^FisherScore.transform: X must have"):
        selector.transform(array[:, :7])
    with pytest.raises(TypeError, match="^FisherScore.inverse_transform: .* got a"):
        selector.inverse_transform(selector.transform(array))
    some = array[array[:, 0] > 0.5]  # rows need not be counted
    np.testing.assert_array_equal(selector.transform(some).compute(), X[X[:, 0] > 0.5][:, selector.get_support()])

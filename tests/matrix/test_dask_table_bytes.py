"""The data are never gathered: of every method, what comes to the client at once is small, or it refuses."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn import config_context

import eigenselect
from eigenselect import LaplacianScore, SSelect
from eigenselect.criteria.table import METHODS
from eigenselect.multisource import TargetData

da = pytest.importorskip("dask.array", reason="dask is not installed")

N, M = 80, 600
Y = np.arange(N) % 2
X = 5.0 + np.random.default_rng(0).normal(size=(N, M)) + 2.0 * Y[:, None] * (np.arange(M) < 30)
#: few rounds and scales: one gathers as much as ten
PARTS = {
    "iterated-spec": {"max_iter": 1},
    "multiscale": {"scales": (1, 2)},
    "msfs": {"sources": [("all", TargetData())]},
    "kogs": {"rankers": [(None, eigenselect.SPEC()), (None, LaplacianScore())]},
}
#: methods that look at all of a table again and again
REFUSE = {"relieff", "mrsf"}
CHUNKS = {"rows": (20, M), "columns": (N, 100)}
#: made of others, which are asked with both
OF_OTHERS = {"spec-phi1", "iterated-spec", "multiscale", "msfs", "kogs", "mrsf"}
CASES = [(row, chunks) for row in METHODS for chunks in CHUNKS if chunks == "rows" or row.name not in OF_OTHERS]


@pytest.fixture
def sizes(monkeypatch):
    """The bytes of what came to the client, by call; a band has 32 kB, a twelfth of the table."""
    from dask import base

    found, compute = [], base.compute

    def weighed(*parts, **options):
        results = compute(*parts, **options)
        found.append(len(pickle.dumps(results)))
        return results

    monkeypatch.setattr(base, "compute", weighed)
    with config_context(working_memory=0.25), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield found


@pytest.mark.parametrize(("row", "chunks"), CASES, ids=lambda value: getattr(value, "name", value))
def test_every_method_leaves_the_table_where_it_is(row, chunks, sizes):
    """A summary has five numbers for a column, as the table has rows: 80. All pairs of samples are 80 more columns."""
    selector = row.selector_class()(**{**row.parameters, **PARTS.get(row.name, {})})
    array = da.from_array(X, chunks=CHUNKS[chunks])
    if row.name in REFUSE:
        with pytest.raises(ValueError, match=r": X must be in memory, got a Dask array of 1 MB: .*; give X.compute"):
            selector.fit(array, Y)
    else:
        assert selector.fit(array, Y).ranking_.min() == 1
    assert 0 < max(sizes) < X.nbytes / 6


@pytest.mark.parametrize("chunks", CHUNKS)
def test_agreement_with_many_labels_is_counted_where_the_chunks_are(chunks, sizes):
    labels = np.where(np.arange(N) % 7 == 0, -1, Y)
    fits = [SSelect(5, regularization=0.5, n_levels=3).fit(table, labels).native_scores_
            for table in (X, da.from_array(X, chunks=CHUNKS[chunks]))]  # fmt: skip
    np.testing.assert_allclose(*fits, rtol=1e-10)
    assert max(sizes) < X.nbytes / 6


@pytest.mark.parametrize("similarity", ["knn", "rbf", "linear", "cosine"])
def test_graphs_of_the_features_come_as_lists_or_as_pairs_of_samples(similarity, sizes):
    found, expected = (LaplacianScore(5, similarity=similarity).fit(table)
                       for table in (da.from_array(X, chunks=CHUNKS["rows"]), X))  # fmt: skip
    np.testing.assert_allclose(found.native_scores_, expected.native_scores_, rtol=1e-9)
    assert max(sizes) < X.nbytes / 6

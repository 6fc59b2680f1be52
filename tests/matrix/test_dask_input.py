"""What is no table in chunks gets one sentence, before anything is computed."""

import numpy as np
import pytest
from scipy import sparse

from eigenselect import SPEC, FisherScore, LaplacianScore, laplacian_score
from eigenselect.matrix import DaskMatrix, as_matrix, dask_matrix, is_dask, is_dask_array
from eigenselect.similarity import KNN

da = pytest.importorskip("dask.array", reason="dask is not installed")
delayed = pytest.importorskip("dask").delayed

X = np.random.RandomState(0).randn(40, 6)
Y = np.arange(40) % 2


def refused(error, X):
    with pytest.raises(error) as said:
        FisherScore().fit(X, Y)
    return str(said.value)


def test_only_collections_of_dask_are_recognised():
    array = da.from_array(X)
    assert (is_dask(array), is_dask_array(array)) == (True, True)
    assert (is_dask(X), is_dask_array(X), is_dask(sparse.csr_array(X))) == (False, False, False)
    assert isinstance(as_matrix(array), DaskMatrix)


def test_chunks_of_unknown_size():
    array = da.from_array(X, chunks=(10, 6))
    some = array[array[:, 0] > 0]
    assert refused(ValueError, some) == (
        "FisherScore: X must have chunks of known size, got unknown numbers of rows; call X.compute_chunk_sizes() "
        "first, which counts the rows of every chunk."
    )
    kept = X[:, 0] > 0
    expected = FisherScore().fit(X[kept], Y[kept]).scores_
    np.testing.assert_allclose(FisherScore().fit(some.compute_chunk_sizes(), Y[kept]).scores_, expected, rtol=1e-10)


def test_what_is_no_table_of_numbers():
    assert refused(ValueError, da.zeros(40)).endswith(
        "X must be a table of samples and features, got a Dask array of shape (40,)."
    )
    assert "got an empty Dask array of shape (0, 3)." in refused(ValueError, da.zeros((0, 3)))
    assert "must hold numbers, got a Dask array of <U" in refused(ValueError, da.from_array(X.astype(str)))
    masked = da.ma.masked_array(da.from_array(X), mask=X > 1)
    assert refused(TypeError, masked).startswith(
        "FisherScore: X must have chunks that are numpy arrays or CSR or CSC of scipy, got chunks of numpy.Masked"
    )
    hidden = da.from_array(X).map_blocks(lambda b: np.ma.masked_greater(b, 1), dtype=float, meta=np.empty((0, 0)))
    assert refused(ValueError, hidden) == (
        f"A chunk of the Dask array has {(X > 1).sum()} masked values, which count as missing; fill them first."
    )
    with pytest.raises(TypeError, match=r"^f: X must be .* got a Dask \w+; give a Dask array\.$"):
        dask_matrix(delayed(X), "f: X")


def test_frames_of_dask_are_to_be_arrays():
    frames = pytest.importorskip("dask.dataframe", reason="frames of dask are not installed")
    import pandas as pd

    frame = frames.from_pandas(pd.DataFrame(X), npartitions=3)
    assert refused(TypeError, frame).endswith("got a Dask DataFrame; give X.to_dask_array(lengths=True).")
    expected = FisherScore().fit(X, Y).scores_
    np.testing.assert_allclose(FisherScore().fit(frame.to_dask_array(lengths=True), Y).scores_, expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("chunks", "place"),
    [
        ((10, 6), "chunk 2 (rows 20 to 29)"),
        ((40, 2), "chunk 1 (columns 2 to 3)"),
        ((10, 2), "chunk 2, 1 (rows 20 to 29, columns 2 to 3)"),
    ],
)
def test_the_first_chunk_with_nan_is_named(chunks, place):
    spoilt = X.copy()
    spoilt[25, 3], spoilt[35, 2] = np.nan, np.inf
    advice = "fill (SimpleImputer) or drop such values."
    sentence = f"FisherScore: X must be finite, got NaN in row 25, column 3 of {place}; {advice}"
    assert refused(ValueError, da.from_array(spoilt, chunks=chunks)) == sentence
    assert refused(ValueError, da.from_array(spoilt, chunks=chunks).map_blocks(sparse.csr_matrix)) == sentence
    with pytest.raises(ValueError, match=place.replace("(", r"\(").replace(")", r"\)")):
        laplacian_score(da.from_array(spoilt, chunks=chunks))


def test_chunks_of_other_types_than_the_array_says():
    def mixed(block, block_info=None):
        return block.astype([np.float32, np.int8, np.float64, np.int64][block_info[0]["chunk-location"][0]])

    whole = np.round(X)
    array = da.from_array(whole, chunks=(10, 6)).map_blocks(mixed, dtype=np.float64, meta=np.empty((0, 0)))
    expected = FisherScore().fit(whole, Y).scores_
    np.testing.assert_allclose(FisherScore().fit(array, Y).scores_, expected, rtol=1e-10)
    words = da.from_array(X, chunks=(10, 6)).map_blocks(
        lambda b: b.astype(str), dtype=np.float64, meta=np.empty((0, 0))
    )
    assert refused(ValueError, words).startswith(
        "A chunk of the Dask array must be a table of numbers, got ndarray of <U"
    )


@pytest.mark.parametrize(
    ("change", "said", "got"),
    [
        (lambda block: np.where(block > 1, np.nan, block), np.int64, r"ndarray \(\d+, 6\) of float64"),
        (lambda block: block[:5], np.float64, r"ndarray \(5, 6\) of float64"),
        (lambda block: block[:, :2], np.int8, r"ndarray \(\d+, 2\) of float64"),
        (sparse.coo_matrix, np.float64, r"coo_matrix \(\d+, 6\) of float64"),
    ],
    ids=["NaN among integers", "rows", "columns", "COO"],
)
@pytest.mark.parametrize("chunks", [(10, 6), (40, 6)])
def test_chunks_that_are_not_what_the_array_says(change, said, got, chunks):
    """Integers are never looked at for NaN, and rows that are missing would shift all others."""
    array = da.from_array(X, chunks=chunks).map_blocks(change, dtype=said, meta=np.empty((0, 0), dtype=said))
    with pytest.raises(
        ValueError, match=rf"^A chunk of the Dask array must be what the array says, .* got {got}; make"
    ):
        FisherScore().fit(array, Y)


def test_sparse_chunks_of_which_no_rows_can_be_taken():
    array = da.from_array(X, chunks=(10, 6)).map_blocks(sparse.coo_array)
    at_once = "got chunks of scipy.coo_array; make such chunks with X.map_blocks(scipy.sparse.csr_array)."
    # scipy 1.15 cuts no rows out of COO, so that Dask cannot say what the chunks are: the first one tells
    later = "got coo_array (10, 6) of float64; make numpy arrays or CSR or CSC of scipy with"
    told = refused((TypeError, ValueError), array)
    assert told.endswith(at_once) or (not hasattr(sparse.coo_array, "__getitem__") and later in told)
    np.testing.assert_allclose(
        FisherScore().fit(array.map_blocks(sparse.csr_array), Y).scores_, FisherScore().fit(X, Y).scores_, rtol=1e-10
    )


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_empty_chunks_are_left_out(kind):
    """Chunks are counted with them nevertheless, as `X.blocks` does."""
    empty_too = ((0, 20, 0, 20), (6, 0))
    array = da.from_array(X, chunks=empty_too).map_blocks(kind, dtype=float, meta=kind(np.empty((0, 0))))
    assert dask_matrix(array, "X").raw.numblocks == (2, 1)
    for selector in (FisherScore(), LaplacianScore(similarity=KNN(4, n_components=2))):
        np.testing.assert_allclose(selector.fit(array, Y).scores_, selector.fit(X, Y).scores_, rtol=1e-10, atol=1e-13)
    spoilt = da.from_array(np.where(X[25, 3] == X, np.nan, X), chunks=empty_too)
    assert "column 3 of chunk 3 (rows 20 to 39)" in refused(ValueError, spoilt)


def failing(block):
    raise RuntimeError("the disk is gone")


def test_errors_of_chunks_keep_their_sentence():
    lazy = da.from_array(X, chunks=(10, 6)).map_blocks(failing, dtype=np.float64, meta=np.empty((0, 0)))
    assert refused(RuntimeError, lazy) == "the disk is gone"


def test_one_off_functions_and_graphs_of_the_features():
    array = da.from_array(X, chunks=(10, 6))
    np.testing.assert_allclose(laplacian_score(array), laplacian_score(X), rtol=1e-10)
    for selector in (LaplacianScore(similarity="rbf"), SPEC(ranking="phi3", n_clusters=2)):
        np.testing.assert_allclose(selector.fit(array).scores_, selector.fit(X).scores_, rtol=1e-9)

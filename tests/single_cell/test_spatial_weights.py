"""Weights out of obsp: row-normalised, their symmetric part, and what is refused."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize

from eigenselect.single_cell.spatial_weights import row_normalised_weights, spatial_graph
from slides import row_normalised, slide


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_rows_sum_to_one_and_what_was_given_stays(layout, dtype):
    W = (np.random.default_rng(0).random((9, 9)) * 3).astype(dtype)
    W[4] = 0
    given = layout(W)
    found = row_normalised_weights(given)
    found = found.toarray() if sparse.issparse(found) else found
    assert found.dtype == (np.float32 if dtype is np.float32 else np.float64)
    np.testing.assert_allclose(found, row_normalised(W.astype(float)), rtol=2e-7 if dtype is np.float32 else 1e-15)
    assert np.array_equal(given.toarray() if sparse.issparse(given) else given, W)


def test_weights_of_32_bits_are_rounded_as_scikit_learn_does():
    W = sparse.random_array((50, 50), density=0.2, dtype=np.float32, format="csr", rng=np.random.default_rng(1))
    assert (row_normalised_weights(W) != normalize(W, norm="l1")).nnz == 0


def test_entries_that_are_stored_twice_count_twice():
    twice = sparse.csr_array((np.array([1.0, 1.0, 2.0]), np.array([1, 1, 0]), np.array([0, 3, 3])), shape=(2, 2))
    np.testing.assert_array_equal(row_normalised_weights(twice).toarray(), [[0.5, 0.5], [0, 0]])


@pytest.mark.parametrize("dense", [True, False])
def test_the_graph_is_the_symmetric_part(dense):
    adata = slide()
    W = adata.obsp["spatial_connectivities"].toarray()
    adata.obsp["spatial_connectivities"] = W if dense else adata.obsp["spatial_connectivities"]
    for transformed, expected in ((False, W), (True, row_normalised(W))):
        graph = spatial_graph(adata, adata, "spatial_connectivities", "who", row_normalised=transformed)
        S = graph.affinity if dense else graph.affinity.toarray()
        np.testing.assert_allclose(S, (expected + expected.T) / 2, rtol=1e-15)


def test_a_missing_graph_gets_a_sentence():
    adata = slide()
    with pytest.raises(KeyError, match="no entry of .obsp is named 'spatial_connectivity'; did you mean 'spatial_conn"):
        spatial_graph(adata, adata, "spatial_connectivity", "who", row_normalised=True)
    del adata.obsp["spatial_connectivities"]
    with pytest.raises(
        KeyError, match="it is empty. Make the spatial graph first, for example with squidpy.gr.spatial"
    ):
        spatial_graph(adata, adata, "spatial_connectivities", "who", row_normalised=True)


@pytest.mark.parametrize("transformed", [True, False])
@pytest.mark.parametrize(("bad", "said"), [(np.nan, "finite"), (np.inf, "finite"), (-1.0, "non-negative")])
def test_bad_weights_get_a_sentence(bad, said, transformed):
    adata = slide()
    W = adata.obsp["spatial_connectivities"].tolil()
    W[3, 4] = bad
    adata.obsp["spatial_connectivities"] = W.tocsr()
    with pytest.raises(ValueError, match=rf"^who: .obsp\['spatial_connectivities'\] must .*{said}"):
        spatial_graph(adata, adata, "spatial_connectivities", "who", row_normalised=transformed)


def test_distances_are_warned_of():
    adata = slide()
    adata.obsp["spatial_distances"] = adata.obsp["spatial_connectivities"]
    with pytest.warns(UserWarning, match=r"pp: .obsp\['spatial_distances'\] holds distances by its name"):
        spatial_graph(adata, adata, "spatial_distances", "pp", row_normalised=True)


def test_a_graph_that_the_genes_made_is_warned_of():
    """Seven of ten genes of noise have p ≤ 0.05 on their own neighbours' graph."""
    adata = slide()
    adata.obsp["connectivities"] = adata.obsp["spatial_connectivities"]
    spatial_graph(adata, adata, "connectivities", "pp", row_normalised=True)  # nothing is known of it
    adata.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {"n_neighbors": 15, "method": "umap"}}
    with pytest.warns(
        UserWarning, match=r"pp: uns\['neighbors'\] records .* p-values do not hold for these genes; use"
    ):
        spatial_graph(adata, adata, "connectivities", "pp", row_normalised=True)
    adata.uns["neighbors"]["params"]["use_rep"] = "spatial"
    spatial_graph(adata, adata, "connectivities", "pp", row_normalised=True)

import numpy as np
import pytest
from scipy import sparse

from eigenselect.graph import graph_from_matrix, precomputed

GOOD = np.array([[1.0, 0.5, 0], [0.5, 1, 0.2], [0, 0.2, 1]])


@pytest.mark.parametrize(
    "given", [GOOD, GOOD.tolist(), GOOD.astype(np.float32), sparse.csc_array(GOOD), sparse.coo_matrix(GOOD)]
)
def test_accepts_arrays_lists_and_sparse_matrices(given):
    np.testing.assert_allclose(graph_from_matrix(given, 3).to_array(), GOOD, rtol=1e-7)


def test_rounding_asymmetry_is_averaged_away(as_kind):
    S = GOOD.copy()
    S[0, 1] += 1e-12
    found = graph_from_matrix(as_kind(S), 3).to_array()
    np.testing.assert_array_equal(found, found.T)
    assert found[0, 1] == pytest.approx(0.5 + 0.5e-12, abs=1e-14)


@pytest.mark.parametrize("compiled", [False, True])
def test_entries_in_any_order_and_in_parts_are_one_matrix_which_stays_as_it_is(compiled, monkeypatch):
    """Its mirror is sorted, and has each entry once: compared as it is, no entry would be where its mirror has it."""
    monkeypatch.setattr(precomputed, "COMPILED_ENTRIES", 0 if compiled else 2**22)
    parts = (np.array([1.0, 0.25, 0.25, 0.2, 0.5, 1.0, 1.0, 0.2]), np.array([0, 1, 1, 2, 0, 1, 2, 1]))
    S = sparse.csr_array((*parts, np.array([0, 3, 6, 8])), shape=(3, 3))
    np.testing.assert_array_equal(graph_from_matrix(S, 3).to_array(), GOOD)
    np.testing.assert_array_equal(S.data, parts[0])
    once = sparse.csr_array((np.array([0.5, 1.0, 0.2, 1.0, 0.5, 1.0, 0.2]), [1, 0, 2, 1, 0, 2, 1], [0, 2, 5, 7]))
    np.testing.assert_array_equal(graph_from_matrix(once, 3).to_array(), GOOD)
    np.testing.assert_array_equal(once.indices, [1, 0, 2, 1, 0, 2, 1])
    np.testing.assert_array_equal(S.indices, parts[1])


def test_a_binary_graph_keeps_its_weight(as_kind):
    ring = 0.25 * (np.eye(5, k=1) + np.eye(5, k=-1) + np.eye(5, k=4) + np.eye(5, k=-4))
    np.testing.assert_array_equal(graph_from_matrix(as_kind(ring), 5).to_array(), ring)


def changed(i, j, value):
    S = GOOD.copy()
    S[i, j] = S[j, i] = value
    return S


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (GOOD[:2], "3 x 3.*2 x 3"),
        (np.eye(4), "3 x 3.*4 x 4"),
        (changed(0, 1, np.nan), "finite"),
        (changed(0, 1, np.inf), "finite"),
        (changed(0, 1, -0.1), "non-negative.*2 negative.*-0.1"),
        (np.triu(GOOD), "symmetric.*0.5"),
        (np.triu(np.full((3, 3), 0.25)), r"symmetric.*up to 0\.25;"),  # all entries equal: places alone tell
    ],
)
def test_bad_matrices_are_named(bad, says, as_kind):
    with pytest.raises(ValueError, match=f"(?s)similarity_matrix.*{says}"):
        graph_from_matrix(as_kind(bad), 3)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("both", [2.0, 2.0 + 1e-12, 1.0])
def test_many_entries_are_compared_by_a_compiled_loop_to_the_same_effect(compiled, both, monkeypatch):
    """Equal, different by rounding, and different; and what is stored as 0 on one side only is no difference."""
    monkeypatch.setattr(precomputed, "COMPILED_ENTRIES", 0 if compiled else 100)
    parts = (np.array([2.0, 0.0, both, 3.0]), np.array([1, 2, 0, 1]), np.array([0, 2, 4, 4]))
    S = sparse.csr_array(parts, shape=(3, 3))
    if both == 1.0:
        with pytest.raises(ValueError, match=r"symmetric, got entries that differ from their mirror by up to 1; use"):
            graph_from_matrix(S, 3)
    else:
        expected = [[0.0, (2.0 + both) / 2, 0], [(2.0 + both) / 2, 3, 0], [0, 0, 0]]
        np.testing.assert_array_equal(graph_from_matrix(S, 3).to_array(), expected)


def test_a_vector_is_not_a_matrix():
    with pytest.raises(ValueError, match="similarity_matrix must be 3 x 3.*got 3"):
        graph_from_matrix(GOOD[0], 3)


def test_complex_numbers_are_refused(as_kind):
    with pytest.raises(TypeError, match="similarity_matrix must be real"):
        graph_from_matrix(as_kind(GOOD * (1 + 1j)), 3)


def test_text_is_not_a_matrix():
    with pytest.raises(TypeError, match="similarity_matrix.*numeric"):
        graph_from_matrix([["a", "b"], ["c", "d"]], 2)


def test_a_matrix_sliced_by_rows_only_is_told_how():
    """What cross-validation makes of an n × n matrix that is routed like a column per sample."""
    S = np.ones((5, 5))
    with pytest.raises(ValueError, match=r"must be 3 x 3.*got 3 x 5; its rows were taken and its columns were not"):
        graph_from_matrix(S[:3], 3)
    with pytest.raises(ValueError, match="got 5 x 3; compute it on the same samples"):
        graph_from_matrix(S[:, :3], 3)

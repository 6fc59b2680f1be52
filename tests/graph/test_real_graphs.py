"""The neighbour graphs of real text, on which a plain solver fails; skipped where the data are not at hand."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat

from eigenselect.graph import SampleGraph
from eigenselect.similarity import KNN

pytestmark = pytest.mark.slow

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def basehock():
    file = DATA / "BASEHOCK.mat"
    if not file.exists():
        pytest.skip(f"{file} is not here; the synthetic graphs of test_spectrum.py stand in")
    return sparse.csr_array(loadmat(file)["X"].astype(float))


@pytest.mark.parametrize("bandwidth", ["median", 1.0])
def test_leading_eigenpairs_of_basehock(basehock, bandwidth):
    """With a narrow bandwidth most weights underflow, and the graph falls into hundreds of tiny components."""
    graph = KNN(10, bandwidth=bandwidth).build(basehock)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spectrum = graph.spectrum(40)
    N, U = graph.normalized_laplacian(), spectrum.eigenvectors
    np.testing.assert_allclose(N @ U, U * spectrum.eigenvalues, atol=1e-7)
    np.testing.assert_allclose(U.T @ U, np.eye(40), atol=1e-8)
    assert (np.diff(spectrum.eigenvalues) >= -1e-12).all()


def test_eigenvalues_of_basehock_are_lapacks(basehock):
    graph = KNN(10).build(basehock)
    expected = np.linalg.eigvalsh(SampleGraph(graph.affinity).normalized_laplacian().toarray())[:30]
    np.testing.assert_allclose(graph.spectrum(30).eigenvalues, expected, atol=1e-9)

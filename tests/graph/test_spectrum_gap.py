"""One eigen-gap: what φ3 takes for k and what a report calls the largest gap are found by one rule."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenselect.graph.spectrum import eigengap, largest_gap
from eigenselect.reporting.views.spectrum import judge_gap

spectra = st.lists(st.floats(0.001, 0.2), min_size=3, max_size=12).map(lambda gaps: np.cumsum([0.0, *gaps]))


@given(spectra)
def test_the_report_names_the_gap_that_the_graph_finds(eigenvalues):
    assert judge_gap(eigenvalues).after == largest_gap(eigenvalues)
    if largest_gap(eigenvalues) > 1:
        assert eigengap(eigenvalues) == largest_gap(eigenvalues)


@pytest.mark.parametrize("more", [0.0, 1e-10, 1e-9])
def test_the_first_of_gaps_that_are_equal_but_for_rounding(more):
    eigenvalues = np.array([0.0, 0.01, 0.11, 0.12, 0.22 + more])
    assert largest_gap(eigenvalues) == judge_gap(eigenvalues).after == eigengap(eigenvalues) == 2

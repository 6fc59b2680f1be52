"""A graph of another AnnData: that of its matrix; its cells are those of X, in the same order."""

import numpy as np
import pytest

pytest.importorskip("anndata", reason="anndata is not installed")

from backed import LAYOUTS, annotated, as_if_large, counts, in_file
from eigenselect import LaplacianScore
from eigenselect.similarity import FromTable

pytestmark = pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")

X, OTHER = counts(40, 8)[0], counts(40, 6, seed=1)[0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("large", [False, True])
def test_the_graph_of_another_file(tmp_path, monkeypatch, layout, large):
    other = LAYOUTS[layout](OTHER)
    expected = LaplacianScore(3, similarity=FromTable(other)).fit(X).scores_
    if large:
        as_if_large(monkeypatch)
    for table in (annotated(other), in_file(tmp_path / "x.h5ad", other)):
        np.testing.assert_array_equal(
            LaplacianScore(3, similarity=FromTable(table)).fit(annotated(X)).scores_, expected
        )


def test_cells_in_another_order_are_refused():
    with pytest.raises(ValueError, match="the table of similarity=FromTable must have the samples of X in the same"):
        LaplacianScore(3, similarity=FromTable(annotated(OTHER)[::-1])).fit(annotated(X))

"""Similarity of the samples in another table than the one whose features are judged."""

from __future__ import annotations

from typing import Any

from eigenselect.graph import Origin, SampleGraph
from eigenselect.matrix import Matrix, as_matrix, check_order, read_input, sample_names_of
from eigenselect.similarity.base import BaseSimilarity, as_similarity


class FromTable(BaseSimilarity):
    """Any similarity, of other measurements of the same samples: coordinates on a slide, another assay.

    Its graph did not see the features that it judges, so their p-values need no split (``significance=True``). That
    is not so if the table was computed from these features: their principal components or an embedding of them are the
    features in disguise. The table X itself is noticed.

    Parameters
    ----------
    table : array, data frame, sparse matrix or AnnData of shape (n_samples, n_measurements)
        One row per sample, in the order of X.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike in it.

    See Also
    --------
    KNN : Neighbours in the features themselves.
    eigenselect.gr.spatial_autocorr : Genes on the coordinates of an AnnData.
    eigenselect.multisource.AuxiliaryData : Another table as one of several sources.

    Examples
    --------
    Eight spots in a row, and a feature that rises along them:

    >>> import numpy as np
    >>> from eigenselect import LaplacianScore
    >>> from eigenselect.similarity import KNN, FromTable
    >>> spots, X = np.arange(8.0)[:, None], np.column_stack([np.arange(8.0), [0, 1] * 4])
    >>> LaplacianScore(1, similarity=FromTable(spots, KNN(2))).fit(X).get_support()
    array([ True, False])
    """

    origin = Origin.ELSEWHERE

    def __init__(self, table: Any, similarity: Any = "knn") -> None:
        self.table = table
        self.similarity = similarity

    def build(self, X: Any, y: Any = None, *, owner: str | None = None, n_jobs: int | None = None) -> SampleGraph:
        # a graph of X itself is not from elsewhere
        graph = super().build(X, y, owner=owner, n_jobs=n_jobs)
        if X is not None and as_matrix(X).same_values(as_matrix(self.table)):
            graph.origin = Origin.FEATURES
        return graph

    def _graph(self, X: Matrix, y: Any, owner: str, n_jobs: int | None) -> SampleGraph:
        table = read_input(self.table, "FromTable", what="table", min_samples=1)
        if X is not None and table.n_samples != X.n_samples:
            raise ValueError(
                f"{owner}: the table of similarity=FromTable must have one row for each of the {X.n_samples} samples "
                f"of X, got {table.n_samples}; in cross-validation take its rows along with those of X."
            )
        here = None if X is None else sample_names_of(X)
        check_order(sample_names_of(self.table), here, owner, "the table of similarity=FromTable")
        recipe = as_similarity(self.similarity, table.n_samples, owner)
        recipe.warn_about_units(table, owner)
        return recipe.build(table, y, owner=owner, n_jobs=n_jobs)

    def describe(self) -> dict[str, Any]:
        name = self.similarity if isinstance(self.similarity, str) else type(self.similarity).__name__
        return {"similarity": "FromTable", "of": name}

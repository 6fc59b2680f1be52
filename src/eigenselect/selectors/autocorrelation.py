"""What Moran's I and Geary's C share: a graph on which every sample counts the same."""

from __future__ import annotations

from typing import Any

from eigenselect.matrix import Matrix
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.spectral import Built, SpectralSelector


class Autocorrelation(SpectralSelector):
    """A selector by the autocorrelation of a feature along a sample graph, in the plain norm.

    Samples without neighbours count, too, and a similarity_matrix may be asymmetric: a quadratic form sees only its
    symmetric part.
    """

    symmetric = False

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        similarity: Any = "knn",
        significance: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.significance = significance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        return Built(self._sample_graph(table, y, similarity_matrix).weighing_equally())

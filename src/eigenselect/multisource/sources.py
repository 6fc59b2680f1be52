"""Knowledge of samples: other measurements, categories, similarities; each becomes a sample similarity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator

from eigenselect._labels import encode_classes
from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray
from eigenselect.graph import ClassMeans, Origin, SampleGraph
from eigenselect.graph.precomputed import checked_matrix
from eigenselect.matrix import Matrix, is_annotated, read_input
from eigenselect.multisource.target import MISSING, AxisNames, Target, check_overlap, positions
from eigenselect.similarity import ClassLabels, as_similarity


@dataclass(frozen=True)
class SourceGraph:
    """What a source says of the samples, and what of it could not be used, as counts.

    Attributes
    ----------
    graph : SampleGraph
        The similarity of the target's samples.
    notes : list of str
        What could not be used, such as "2 of 3 features of the set are in the target"; `eigenselect.MSFS` warns of it.

    See Also
    --------
    KnowledgeSource.build : Returns it.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.graph import SampleGraph
    >>> from eigenselect.multisource import SourceGraph
    >>> SourceGraph(SampleGraph(np.ones((3, 3)))).notes
    []
    """

    graph: SampleGraph
    notes: list[str] = field(default_factory=list)


class KnowledgeSource(BaseEstimator, ABC):
    """A kind of knowledge that can be turned into a similarity of the target's samples.

    A subclass of your own defines `build`; its constructor only stores parameters, as in scikit-learn.

    Attributes
    ----------
    kind : str
        What it is, for reports.
    has_members : bool
        Whether the features that it speaks of are its members, and others are not meant to be.

    See Also
    --------
    eigenselect.MSFS : Combines sources.
    TargetData : The table itself.
    AuxiliaryData : Another table of the samples.
    SampleCategories : Categories of the samples.
    SampleSimilarity : How alike samples are.
    FeatureSet : A set of features.
    FeatureInteractions : Features that interact.
    FeatureSimilarity : How alike features are.

    Examples
    --------
    Samples that were measured one after another:

    >>> import numpy as np
    >>> import eigenselect as es
    >>> from eigenselect.multisource import KnowledgeSource, SourceGraph
    >>> class Sequence(KnowledgeSource):
    ...     kind = "an order of the samples"
    ...     def build(self, target, *, n_jobs=None):
    ...         n = target.n_samples
    ...         return SourceGraph(es.graph.SampleGraph(np.eye(n, k=1) + np.eye(n, k=-1)))
    >>> X = np.column_stack([np.random.default_rng(0).normal(size=30), np.arange(30.0)])
    >>> es.MSFS(1, sources=[("time", Sequence())]).fit(X).get_support(indices=True)
    array([1])
    """

    #: what it is, for reports
    kind = "knowledge of your own"
    #: whether the features that it speaks of are its members, and others are not meant to be
    has_members = False

    def covered(self, target: Target) -> BoolArray:
        """Tell which of the target's samples the source knows: all of them, unless it is a table of samples itself.

        Parameters
        ----------
        target : Target
            The table whose features are ranked, with the names of its samples and features.

        Returns
        -------
        ndarray of bool, shape (n_samples,)
            True for samples that it knows.
        """
        return np.ones(target.X.n_samples, dtype=bool)

    def known_features(self, target: Target) -> BoolArray | None:
        """Tell which of the target's features the source speaks of; None for one that speaks of samples alone.

        Parameters
        ----------
        target : Target
            The table whose features are ranked, with the names of its samples and features.

        Returns
        -------
        ndarray of bool, shape (n_features,), or None
            True for features that it speaks of.
        """
        return None

    def unknown_features(self, target: Target) -> list[Any]:
        """Name the source's own features that the target does not have.

        Parameters
        ----------
        target : Target
            The table whose features are ranked, with the names of its samples and features.

        Returns
        -------
        list
            Their names; empty where features are matched by place.
        """
        return []

    @abstractmethod
    def build(self, target: Target, *, n_jobs: int | None = None) -> SourceGraph:
        """Make the similarity of the target's samples, all of which are covered.

        Parameters
        ----------
        target : Target
            The table whose features are ranked, with the names of its samples and features; covered samples only.
        n_jobs : int, optional
            Threads; None for all cores.

        Returns
        -------
        SourceGraph
            The similarity, and what could not be used.
        """


def graph_of_table(source: Any, table: Matrix, y: Any, n_jobs: int | None) -> SampleGraph:
    """Make the graph of the rows of a table by the source's `similarity`; warn where units decide it.

    Where all rows are the same, nearest neighbours would be picked by their place: all are equally similar then.
    """
    owner = type(source).__name__
    similarity = as_similarity(source.similarity, table.n_samples, owner)
    if similarity.by_distance:
        variances = table.column_variances()
        if not variances.any():
            return _equally_similar(table.n_samples)
        similarity.warn_about_units(table, owner, variances=variances)
    return similarity.build(table, y, owner=owner, n_jobs=n_jobs)


def _equally_similar(n_samples: int) -> SampleGraph:
    everyone = np.zeros(n_samples, dtype=np.intp)
    return SampleGraph(ClassMeans(everyone, 1), row_sums=np.ones(n_samples), components=everyone)


class _TableOfSamples(KnowledgeSource):
    """A source with one row per sample, named or in the target's order."""

    sample_names: Sequence[Any] | None

    @abstractmethod
    def _table(self) -> Any:
        """Return the data as given: a frame's index names its samples."""

    def covered(self, target: Target) -> BoolArray:
        found = self._positions(target)
        check_overlap(found, type(self).__name__, "sample")
        return found != MISSING

    def _positions(self, target: Target) -> IntArray:
        table = self._table()
        n_rows = table.shape[0] if hasattr(table, "shape") else len(table)
        index = table.obs_names if is_annotated(table) else getattr(table, "index", None)
        names = AxisNames.of(self.sample_names, index, n_rows)
        return positions(target.samples, names, type(self).__name__, "sample")


class TargetData(KnowledgeSource):
    """The target table itself, as one source among others.

    Parameters
    ----------
    similarity : str, similarity object or callable, default="knn"
        How samples are alike. In a full kernel (``"rbf"``) one outlying sample can decide the ranking, in a neighbour
        graph it cannot.

    See Also
    --------
    AuxiliaryData : Another table of the same samples.
    eigenselect.MSFS : Combines sources.

    Examples
    --------
    >>> import numpy as np
    >>> import eigenselect as es
    >>> from eigenselect.multisource import TargetData
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> X[20:, 4] += 3
    >>> es.MSFS(1, sources=[("table", TargetData("rbf"))]).fit(X).get_support(indices=True)
    array([4])
    """

    kind = "the table itself"

    def __init__(self, similarity: Any = "knn") -> None:
        self.similarity = similarity

    def build(self, target: Target, *, n_jobs: int | None = None) -> SourceGraph:
        return SourceGraph(graph_of_table(self, target.X, target.y, n_jobs))


class AuxiliaryData(_TableOfSamples):
    """Other measurements of the same samples, such as miRNA next to mRNA.

    Parameters
    ----------
    Z : array, data frame, sparse matrix or AnnData of shape (n_samples_of_source, n_measurements)
        May miss samples of the target, and may have others.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike in Z.
    sample_names : sequence, optional
        Names of Z's rows; by default the index of a data frame, if it has one, or ``obs_names`` of an AnnData.

    See Also
    --------
    TargetData : The table whose features are ranked.
    read_auxiliary : Reads such a table.
    eigenselect.MSFS : Combines sources.

    Examples
    --------
    Proteins of the same samples, which say which genes matter:

    >>> import numpy as np
    >>> import eigenselect as es
    >>> from eigenselect.multisource import AuxiliaryData
    >>> rng = np.random.default_rng(0)
    >>> genes, proteins = rng.normal(size=(40, 6)), rng.normal(size=(40, 3))
    >>> genes[20:, 4] += 3
    >>> proteins[20:] += 3
    >>> es.MSFS(1, sources=[("proteins", AuxiliaryData(proteins, "rbf"))]).fit(genes).get_support(indices=True)
    array([4])
    """

    kind = "another table of the samples"

    def __init__(self, Z: Any, similarity: Any = "knn", sample_names: Sequence[Any] | None = None) -> None:
        self.Z = Z
        self.similarity = similarity
        self.sample_names = sample_names

    def _table(self) -> Any:
        return self.Z

    def build(self, target: Target, *, n_jobs: int | None = None) -> SourceGraph:
        table = read_input(self.Z, "AuxiliaryData", what="Z", min_samples=1).take_rows(self._positions(target))
        graph = graph_of_table(self, table, None, n_jobs)
        graph.origin = Origin.FEATURES if table.same_values(target.X) else Origin.ELSEWHERE
        return SourceGraph(graph)


class SampleCategories(KnowledgeSource):
    r"""Categories of samples, flat or nested.

    .. math:: S = \sum_l a_l S_l, \quad (S_l)_{ij} = 1/n_c \text{ if i and j are in the same category c of level l}

    A hierarchy is given as nested labels: one column per level, coarse to fine; two samples share a category of a level
    if they agree in it and in all coarser ones.

    Parameters
    ----------
    labels : array, series or data frame of shape (n_samples,) or (n_samples, n_levels), optional
        Missing values (None, NaN) mean that the sample is not covered; -1 is a category like any other. None takes the
        ``y`` that the selector is fitted with.
    level_weights : sequence of float, optional
        The weights :math:`a_l` of the levels, scaled to sum to 1; equal by default.
    sample_names : sequence, optional
        Names of the rows; by default the index of a data frame or series, if it has one.

    See Also
    --------
    eigenselect.similarity.ClassLabels : The same of one level, as a similarity.
    eigenselect.MSFS : Combines sources.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    chapter 5.

    Examples
    --------
    Tissues, and within each the kind of cell:

    >>> import numpy as np
    >>> import pandas as pd
    >>> import eigenselect as es
    >>> from eigenselect.multisource import SampleCategories
    >>> levels = pd.DataFrame({"tissue": np.repeat(["liver", "lung"], 20), "cell": np.tile(["a", "b"], 20)})
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> X[20:, 4] += 3  # differs between the tissues
    >>> X[::2, 1] += 3  # differs between the kinds of cells
    >>> es.MSFS(2, sources=[("cells", SampleCategories(levels))]).fit(X).get_support(indices=True)
    array([1, 4])
    """

    kind = "categories of the samples"

    def __init__(
        self,
        labels: Any = None,
        *,
        level_weights: Sequence[float] | None = None,
        sample_names: Sequence[Any] | None = None,
    ) -> None:
        self.labels = labels
        self.level_weights = level_weights
        self.sample_names = sample_names

    def covered(self, target: Target) -> BoolArray:
        found = self._positions(target)
        check_overlap(found, type(self).__name__, "sample")
        missing: BoolArray = np.asarray(pd.isna(self._levels(target)))
        known = ~missing.any(axis=1)
        return np.asarray((found != MISSING) & np.asarray(known)[found])

    def build(self, target: Target, *, n_jobs: int | None = None) -> SourceGraph:
        levels = self._levels(target)[self._positions(target)]
        weights = self._weights(levels.shape[1])
        if levels.shape[1] == 1:
            codes, _ = encode_classes(levels[:, 0], "SampleCategories", target.n_samples)
            return SourceGraph(ClassLabels().build(None, codes))
        # a level may be one category (a root) or tell all samples apart (leaves)
        matrices = [
            np.asarray(ClassMeans(codes, int(codes.max()) + 1) @ np.eye(codes.size)) for codes in _nested_codes(levels)
        ]
        total = sum(weight * matrix for weight, matrix in zip(weights, matrices, strict=True))
        graph = SampleGraph(
            np.asarray(total),
            made_of_labels=True,
            origin=Origin.LABELS,
            description={"similarity": "SampleCategories"},
        )
        return SourceGraph(graph)

    def _levels(self, target: Target) -> AnyArray:
        labels = target.y if self.labels is None else self.labels
        if labels is None:
            raise ValueError("SampleCategories: no labels; pass them, or fit with y.")
        levels = np.asarray(labels, dtype=object)
        return levels[:, None] if levels.ndim == 1 else levels

    def _positions(self, target: Target) -> IntArray:
        if self.labels is None:
            return np.arange(target.n_samples)
        names = AxisNames.of(self.sample_names, getattr(self.labels, "index", None), len(self._levels(target)))
        return positions(target.samples, names, type(self).__name__, "sample")

    def _weights(self, n_levels: int) -> FloatArray:
        if self.level_weights is None:
            return np.full(n_levels, 1.0 / n_levels)
        weights = np.asarray(self.level_weights, dtype=np.float64)
        if weights.shape != (n_levels,) or not (weights >= 0).all() or not 0 < weights.sum() < np.inf:
            raise ValueError(
                f"SampleCategories: level_weights must be {n_levels} numbers, none negative and not all zero, got "
                f"{self.level_weights!r}."
            )
        return np.asarray(weights / weights.sum())


def _nested_codes(levels: AnyArray) -> list[IntArray]:
    """Number the categories of each level; a category is told by its own label and all coarser ones."""
    codes, parent = [], np.zeros(len(levels), dtype=np.intp)
    for column in levels.T:
        own = pd.factorize(column)[0]
        parent = pd.factorize(parent * (int(own.max()) + 1) + own)[0]
        codes.append(parent)
    return codes


class SampleSimilarity(_TableOfSamples):
    """A similarity of the samples that is known already.

    Parameters
    ----------
    matrix : array, data frame or sparse matrix of shape (n, n)
        Symmetric, non-negative; it may miss samples of the target, and may have others.
    sample_names : sequence, optional
        Names of rows and columns; by default the index of a data frame, if it has one.

    See Also
    --------
    eigenselect.graph.graph_from_matrix : Makes a graph of one such matrix.
    eigenselect.MSFS : Combines sources.

    Examples
    --------
    >>> import numpy as np
    >>> import eigenselect as es
    >>> from eigenselect.multisource import SampleSimilarity
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> X[20:, 4] += 3
    >>> place = np.repeat([0.0, 1.0], 20)
    >>> S = np.exp(-((place[:, None] - place) ** 2))
    >>> es.MSFS(1, sources=[("places", SampleSimilarity(S))]).fit(X).get_support(indices=True)
    array([4])
    """

    kind = "how alike samples are"

    def __init__(self, matrix: Any, *, sample_names: Sequence[Any] | None = None) -> None:
        self.matrix = matrix
        self.sample_names = sample_names

    def _table(self) -> Any:
        return self.matrix

    def build(self, target: Target, *, n_jobs: int | None = None) -> SourceGraph:
        rows = self._positions(target)
        given = self.matrix if sparse.issparse(self.matrix) else np.asarray(self.matrix)
        matrix = checked_matrix(given, given.shape[0], name="SampleSimilarity: matrix")
        part = matrix[rows][:, rows] if sparse.issparse(matrix) else matrix[np.ix_(rows, rows)]
        return SourceGraph(SampleGraph(part, origin=Origin.GIVEN, description={"similarity": "SampleSimilarity"}))

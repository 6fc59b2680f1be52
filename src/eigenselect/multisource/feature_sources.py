"""Knowledge of features: which are alike, which have a function, which interact; each becomes a sample similarity."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect._checks import choice, is_whole
from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.graph.eigensolver import eigh
from eigenselect.graph.precomputed import checked_matrix
from eigenselect.multisource.sources import KnowledgeSource, SourceGraph, graph_of_table
from eigenselect.multisource.target import MISSING, AxisNames, Target, check_overlap, positions
from eigenselect.similarity import as_similarity
from eigenselect.similarity.pairs import squared_distances

PRECISIONS = ("laplacian_squared", "laplacian")
#: eigenvalues of n samples below n times this part of the largest are rounding
ROUNDING = 4 * np.finfo(np.float64).eps


class FeatureSimilarity(KnowledgeSource):
    r"""Features that are alike, such as genes that share annotations: a Mahalanobis distance between samples.

    .. math:: d^2(x, y) = (x - y)^\top C^+ (x - y), \qquad L^F = D^F - S^F

    where :math:`C = K (I - \mathbf{11}^\top/l) K` with :math:`K = (L^F)^+` is the covariance that the feature graph
    implies, so that :math:`C^+ = (L^F)^2` and :math:`d(x, y) = \lVert L^F (x - y)\rVert`: a product with the graph,
    never an l × l inverse. Samples that are near in it are alike, by any `similarity` that is made of distances.
    Differences that are smooth over the feature graph count little. The image of X, a dense array of its size, is held.

    Parameters
    ----------
    matrix : array, data frame or sparse matrix
        The similarity :math:`S^F` of l features (l × l, symmetric, non-negative), or annotations (l × terms,
        non-negative), from which it is :math:`B B^\top`: for 0/1 annotations the number of shared terms. The latter is
        applied, never formed.
    feature_names : sequence, optional
        Names of the rows; by default the index of a data frame, if it has one.
    precision : {"laplacian_squared", "laplacian"}, default="laplacian_squared"
        Which :math:`C^+`; ``"laplacian"`` is the Gaussian-field reading, :math:`C^+ = L^F`.
    similarity : str or similarity object, default="knn"
        How samples are alike in that distance: ``"knn"``, ``"rbf"``, …, or an object with parameters of its own.
    annotation : bool, optional
        Whether the matrix holds annotations; by default, whether it is not square.

    See Also
    --------
    FeatureInteractions : Pairs of features that interact.
    read_annotations : Reads annotations of features.
    eigenselect.MSFS : Combines sources.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    section 5.2.1.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import eigenselect as es
    >>> from eigenselect.multisource import FeatureSimilarity
    >>> genes = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 6)), columns=list("abcdef"))
    >>> genes.loc[20:, ["b", "c", "e"]] += 3  # differ between two halves of the samples
    >>> terms = pd.DataFrame({"growth": [1, 1, 0, 0, 0, 0], "repair": [0, 0, 1, 1, 1, 0]}, index=list("abcdef"))
    >>> source = FeatureSimilarity(terms, similarity="rbf")
    >>> es.MSFS(3, sources=[("annotations", source)]).fit(genes).get_feature_names_out()
    array(['b', 'c', 'e'], dtype=object)
    """

    kind = "how alike features are"

    def __init__(
        self,
        matrix: Any,
        feature_names: Sequence[Any] | None = None,
        precision: str = "laplacian_squared",
        *,
        similarity: Any = "knn",
        annotation: bool | None = None,
    ) -> None:
        self.matrix = matrix
        self.feature_names = feature_names
        self.precision = precision
        self.similarity = similarity
        self.annotation = annotation

    def build(self, target: Target, *, n_jobs: int | None = None) -> SourceGraph:
        similarity = as_similarity(self.similarity, target.n_samples, "FeatureSimilarity")
        if not similarity.by_distance:
            raise ValueError(
                f"FeatureSimilarity: similarity must be made of Euclidean distances, as 'knn' and 'rbf' are, got "
                f"{self.similarity!r}."
            )
        X, image, notes = self._image(target)
        table = image if self.precision == "laplacian_squared" else _coordinates(X, image)
        if not np.ptp(table, axis=0).any():
            raise ValueError(
                "FeatureSimilarity: no two of the target's features are linked, so all samples look alike."
            )
        graph = similarity.build(table, owner="FeatureSimilarity", n_jobs=n_jobs)
        graph.description |= {"source": "FeatureSimilarity", "precision": self.precision}
        return SourceGraph(graph, notes)

    def squared_distances(self, target: Target) -> tuple[FloatArray, list[str]]:
        """Compute (x - y)ᵀ C⁺ (x - y) of every two samples, and say which features could not be used.

        Parameters
        ----------
        target : Target
            The table whose features are ranked, with the names of its samples and features.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_samples)
            The squared distances.
        notes : list of str
            Which features could not be used, as counts.
        """
        X, image, notes = self._image(target)
        return _distances(X, image, self.precision), notes

    def known_features(self, target: Target) -> BoolArray:
        return np.asarray(positions(target.features, self._names(), "FeatureSimilarity", "feature") != MISSING)

    def unknown_features(self, target: Target) -> list[Any]:
        names, wanted = self._names(), target.features
        if names.kind != "given" or wanted.kind != "given":  # matched by place
            return []
        return pd.Index(names.values)[~pd.Index(names.values).isin(wanted.values)].tolist()

    def _names(self) -> AxisNames:
        """Return the names of its features, or what stands for them."""
        n_rows = self.matrix.shape[0] if hasattr(self.matrix, "shape") else len(self.matrix)
        return AxisNames.of(self.feature_names, getattr(self.matrix, "index", None), n_rows)

    def _image(self, target: Target) -> tuple[FloatArray, FloatArray, list[str]]:
        """Return the known features X, X L^F, and which features could not be used."""
        choice(self.precision, "precision", "FeatureSimilarity", PRECISIONS)
        if np.ndim(self.matrix) != 2 and not sparse.issparse(self.matrix):
            raise ValueError(f"FeatureSimilarity: matrix must have two dimensions, got {np.ndim(self.matrix)}.")
        n_rows, n_columns = self.matrix.shape if hasattr(self.matrix, "shape") else np.shape(self.matrix)
        found = positions(target.features, self._names(), "FeatureSimilarity", "feature")
        check_overlap(found, "FeatureSimilarity", "feature")
        known = np.flatnonzero(found != MISSING)
        X = target.X.columns(known)
        X -= X.mean(axis=0)  # distances do not see it, and their digits keep
        is_annotation = n_rows != n_columns if self.annotation is None else self.annotation
        rows = found[known]
        image = _annotated(X, self._terms(rows)) if is_annotation else _linked(X, self._links(rows, n_rows))
        notes = _missing_note(known.size, target.n_features, "target's features are in the feature similarity")
        return X, image, notes

    def _terms(self, rows: IntArray) -> sparse.csr_array:
        values = self.matrix if sparse.issparse(self.matrix) else np.asarray(self.matrix)
        terms = sparse.csr_array(values, dtype=np.float64)[rows]
        if not np.isfinite(terms.data).all() or (terms.data < 0).any():
            raise ValueError("FeatureSimilarity: annotations must be finite and not negative.")
        return terms

    def _links(self, rows: IntArray, n_rows: int) -> Any:
        values = self.matrix if sparse.issparse(self.matrix) else np.asarray(self.matrix)
        links = checked_matrix(values, n_rows, name="FeatureSimilarity: matrix")
        return links[rows][:, rows] if sparse.issparse(links) else links[np.ix_(rows, rows)]


def _annotated(X: FloatArray, terms: sparse.csr_array) -> FloatArray:
    """Compute X L^F with S^F = B Bᵀ: d = B (Bᵀ 1), X L = X ∘ d - (X B) Bᵀ."""
    degrees = terms @ np.asarray(terms.sum(axis=0)).ravel()
    return X * degrees - np.asarray((terms @ (terms.T @ X.T)).T)


def _linked(X: FloatArray, links: Any) -> FloatArray:
    """Compute X L^F with S^F as a matrix."""
    degrees = np.asarray(links.sum(axis=1)).ravel()
    return X * degrees - np.asarray((links @ X.T).T)


def _distances(X: FloatArray, image: FloatArray, precision: str) -> FloatArray:
    """Compute ‖L(x - y)‖², or (x - y)ᵀ L (x - y), of every two samples; image is X L."""
    if precision == "laplacian_squared":
        return squared_distances(image)
    with single_threaded_blas():
        gram = X @ image.T
    gram = (gram + gram.T) / 2
    norms = gram.diagonal()
    squared = np.maximum(norms[:, None] + norms - 2 * gram, 0.0)
    np.fill_diagonal(squared, 0.0)
    return squared


def _coordinates(X: FloatArray, image: FloatArray) -> FloatArray:
    """Place samples so that their squared distances are (x - y)ᵀ L (x - y) (classical scaling); image is X L.

    Equal samples get one place, and eigenvalues that are rounding are left out: their roots would put samples apart.
    """
    _, first, places = np.unique(X, axis=0, return_index=True, return_inverse=True)
    X, image = X[first], image[first]
    squared = _distances(X, image, "laplacian")
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1, keepdims=True) + squared.mean()
    values, vectors = eigh(-0.5 * centred)
    kept = values > ROUNDING * len(values) * values[-1]
    return np.asarray((vectors[:, kept] * np.sqrt(values[kept]))[places.ravel()])


class FeatureSet(KnowledgeSource):
    """Features with a function of interest, such as the genes of a gene set: samples are compared in these alone.

    Parameters
    ----------
    features : sequence of names or of column numbers
        The members; column numbers where no feature has such a number for a name.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike in these features.

    See Also
    --------
    read_gene_sets : Reads sets from a gmt file.
    FeatureInteractions : Features that interact.
    eigenselect.MSFS : Combines sources.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import eigenselect as es
    >>> from eigenselect.multisource import FeatureSet
    >>> genes = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 6)), columns=list("abcdef"))
    >>> genes.loc[20:, ["b", "c", "e"]] += 3  # differ between two halves of the samples
    >>> es.MSFS(3, sources=[("pathway", FeatureSet(["b", "c"], "rbf"))]).fit(genes).get_feature_names_out()
    array(['b', 'c', 'e'], dtype=object)
    """

    kind = "a set of features"
    has_members = True

    def __init__(self, features: Collection[Any], similarity: Any = "knn") -> None:
        self.features = features
        self.similarity = similarity

    def build(self, target: Target, *, n_jobs: int | None = None) -> SourceGraph:
        table = target.X.take_columns(self.columns(target))
        return SourceGraph(graph_of_table(self, table, None, n_jobs), self._notes(target))

    def columns(self, target: Target) -> IntArray:
        """Find the target's columns that are in the set.

        Parameters
        ----------
        target : Target
            The table whose features are ranked, with the names of its samples and features.

        Returns
        -------
        ndarray of int
            Column numbers, ascending.

        Raises
        ------
        ValueError
            If there are none.
        """
        members = self._members()
        if _are_places(members, target.features):
            columns = np.unique(_column_numbers(members, target.n_features))
        else:
            columns = np.flatnonzero(pd.Index(target.features.values).isin(members))
        if not columns.size:
            raise ValueError(
                f"{type(self).__name__}: none of its {len(members)} features is among the {target.n_features} of the "
                "target; check the spelling and case of the names."
            )
        return columns

    def known_features(self, target: Target) -> BoolArray:
        known = np.zeros(target.n_features, dtype=bool)
        known[self.columns(target)] = True
        return known

    def unknown_features(self, target: Target) -> list[Any]:
        members = self._members()
        if _are_places(members, target.features):
            return []
        return [
            name
            for name, known in zip(members, pd.Index(members).isin(target.features.values), strict=True)
            if not known
        ]

    def _members(self) -> list[Any]:
        if iter(self.features) is self.features:
            raise TypeError(
                f"{type(self).__name__}: features must be a list or set, got something that can be read only once."
            )
        return list(dict.fromkeys(self.features))

    def _notes(self, target: Target) -> list[str]:
        total = len(self._members())
        found = total - len(self.unknown_features(target))
        return _missing_note(found, total, "features of the set are in the target")


class FeatureInteractions(FeatureSet):
    """Features that interact, such as the genes of a pathway.

    Parameters
    ----------
    edges : list of (feature, feature) or (feature, feature, weight)
        An interaction that is listed more than once counts once, with its largest weight.
    similarity : str, similarity object or callable, default="knn"
        How samples are compared in the interacting features, or in the distance of `FeatureSimilarity`.
    use : {"features", "graph"}, default="features"
        Compare samples in the features that interact, or take the interactions as a `FeatureSimilarity`.

    See Also
    --------
    read_interactions : Reads interactions from a text file.
    FeatureSet : Features without pairs.
    eigenselect.MSFS : Combines sources.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import eigenselect as es
    >>> from eigenselect.multisource import FeatureInteractions
    >>> genes = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 6)), columns=list("abcdef"))
    >>> genes.loc[20:, ["b", "c", "e"]] += 3  # differ between two halves of the samples
    >>> source = FeatureInteractions([("b", "c"), ("b", "e", 0.5)], "rbf")
    >>> es.MSFS(3, sources=[("network", source)]).fit(genes).get_feature_names_out()
    array(['b', 'c', 'e'], dtype=object)
    """

    kind = "features that interact"

    def __init__(self, edges: Collection[Sequence[Any]], similarity: Any = "knn", *, use: str = "features") -> None:
        self.edges = edges
        self.similarity = similarity
        self.use = use

    def build(self, target: Target, *, n_jobs: int | None = None) -> SourceGraph:
        choice(self.use, "use", "FeatureInteractions", ("features", "graph"))
        if self.use == "features":
            return super().build(target, n_jobs=n_jobs)
        self.columns(target)  # refuses a graph without any known name
        members = self._members()
        names = None if _are_places(members, target.features) else members
        links = self._adjacency(members if names is not None else list(range(target.n_features)))
        source = FeatureSimilarity(links, feature_names=names, similarity=self.similarity, annotation=False)
        return SourceGraph(source.build(target, n_jobs=n_jobs).graph, self._notes(target))

    def _members(self) -> list[Any]:
        return list(dict.fromkeys(end for edge in self._checked_edges() for end in edge[:2]))

    def _checked_edges(self) -> list[Sequence[Any]]:
        if iter(self.edges) is self.edges:
            raise TypeError("FeatureInteractions: edges must be a list, got something that can be read only once.")
        edges = list(self.edges)
        for number, edge in enumerate(edges, 1):
            if isinstance(edge, str) or len(edge) not in (2, 3) or (len(edge) == 3 and not _is_weight(edge[2])):
                raise ValueError(
                    f"FeatureInteractions: edge {number} must be (feature, feature) or (feature, feature, weight) with "
                    f"a weight >= 0, got {edge!r}."
                )
        return edges

    def _adjacency(self, members: list[Any]) -> sparse.csr_array:
        index = {name: place for place, name in enumerate(members)}
        largest: dict[tuple[int, int], float] = {}
        for edge in self._checked_edges():
            pair = tuple(sorted((index[edge[0]], index[edge[1]])))
            weight = float(edge[2]) if len(edge) == 3 else 1.0
            if pair[0] != pair[1]:
                largest[pair[0], pair[1]] = max(weight, largest.get((pair[0], pair[1]), 0.0))
        first, second = ([pair[end] for pair in largest] for end in (0, 1))
        half = sparse.coo_array((list(largest.values()), (first, second)), shape=(len(members), len(members))).tocsr()
        return sparse.csr_array(half + half.T)


def _is_weight(value: Any) -> bool:
    try:
        return float(value) >= 0
    except (TypeError, ValueError):
        return False


def _are_places(members: list[Any], names: AxisNames) -> bool:
    """Whether these are column numbers: the target has no names, or numbers were given that are no names of its own."""
    if names.kind != "given":
        return True
    return _are_numbers(members) and not pd.Index(names.values).isin(members).any()


def _are_numbers(members: list[Any]) -> bool:
    return bool(members) and all(map(is_whole, members))


def _column_numbers(members: list[Any], n_features: int) -> IntArray:
    if not _are_numbers(members):
        raise ValueError(
            "FeatureSet: names were given, but the target has no feature names; use a data frame or numbers."
        )
    columns = np.asarray(members, dtype=np.intp)
    if columns.min() < 0 or columns.max() >= n_features:
        raise ValueError(f"FeatureSet: column numbers must be between 0 and {n_features - 1}, got {members!r}.")
    return columns


def _missing_note(found: int, total: int, what: str) -> list[str]:
    return [] if found == total else [f"{found} of {total} {what}"]

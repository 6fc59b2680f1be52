"""MSFS: rank features on a sample graph that several knowledge sources make together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from eigenselect._checks import choice
from eigenselect._labels import learning_labels
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.criteria.criterion import Criterion
from eigenselect.exceptions import SourceWarning, agreeing
from eigenselect.graph import Origin, SampleGraph
from eigenselect.matrix import Matrix
from eigenselect.multisource.sources import KnowledgeSource, SourceGraph
from eigenselect.multisource.target import Target
from eigenselect.multisource.weights import (
    LEARNED,
    alignment_weights,
    centred_kernel,
    combination_scale,
    discriminant_weights,
    given_weights,
)
from eigenselect.selection import rank_features
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Traits
from eigenselect.selectors.spec import check_phi, phi_of
from eigenselect.selectors.spectral import Built, SpectralSelector


class MSFS(SpectralSelector):
    r"""Multi-source spectral feature selection.

    Every source becomes a sample similarity :math:`S_i`; SPEC ranks the target's features on

    .. math:: S = \sum_i \theta_i\, s_i S_i, \qquad s_i = n / \mathrm{tr}(H S_i H)

    where :math:`\theta` are weights on the simplex and :math:`s_i` makes sources of any unit comparable (H centres).
    One source alone is used as it is.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `FDR`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"fdr"`` is ``FDR()``; ``"auto"`` is that
        if there are q-values, which labels give unless ``significance=False``; else ``Knee()``, which is no test.
    sources : list of (name, source)
        Objects of `eigenselect.multisource`: `TargetData`, `AuxiliaryData`, `SampleCategories`, `SampleSimilarity`,
        `FeatureSimilarity`, `FeatureSet`, `FeatureInteractions`.
    weights : "equal", "discriminant", "alignment", sequence or mapping of numbers, default="equal"
        The θ. ``"discriminant"`` and ``"alignment"`` learn it from the labels: sources that tell the classes apart
        count.
        Samples without a label are passed over: None, NaN, and -1 in a numeric y with at least two other classes.
    ranking : {"phi1", "phi2", "phi3"}, default="phi2"
        Which of the three ranking functions of `SPEC`.
    spectral_function : "identity", "heat", "car", number, callable or SpectralFunction, default="identity"
        :math:`\gamma`, see `SPEC`.
    n_clusters : int, optional
        The k of φ3; None finds the largest eigen-gap.
    significance : None, True, "given", "split", "shadows" or object, default=None
        Labels found by clustering these features, and coordinates computed from them, make noise look significant, and
        no program can see it: True and ``"given"`` are for what comes from elsewhere. None: no p-values, unless
        ``"auto"`` or ``"fdr"`` takes those of labels. True: the
        sources are labels or other tables. ``"given"``: precomputed matrices are among them, and were not made of these
        features. Or an object of `eigenselect.inference` (`Permutation`, `Given`). Sources that are made of the
        features have no p-values: for a graph of the features alone, `SPEC` has ``"split"`` and ``"shadows"``.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Start vector of the eigensolver (φ3), and for what ``significance`` draws; None is a fixed start.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    weights_ : ndarray of shape (n_sources,)
        θ, in the order of the sources.
    similarities_ : dict of str to SampleGraph
        What each source says of the samples, before scaling.
    samples_ : ndarray of int
        The samples that all sources know; the others were left out, with a warning.
    notes_ : dict of str to list of str
        What of each source could not be used, as counts.
    scores_ : ndarray of shape (n_features,)
        :math:`\hat f^\top \hat S \hat f`, larger is better: 1 - φ1, 1 - φ2, or φ3. NaN where undefined.
    native_scores_ : ndarray of shape (n_features,)
        φ itself: small is good for φ1 and φ2, large for φ3.
    eigenvalues_, n_clusters_ : ndarray, int
        For φ3: the leading eigenvalues, the trivial 0 first, and how many were used.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The combined similarity of the samples that all sources know.
    criterion_ : Criterion
        The triple that scored: graph, normalisation, form and native value.
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        With ``significance``: how often a feature without relation to the graph scores as well, and the smallest false
        discovery rate at which the feature is kept (Benjamini-Hochberg). Shadows give q-values only.
    null_mean_, null_sd_ : ndarray of shape (n_features,)
        With ``significance``: mean and standard deviation of the native score of such a feature.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    KOGS : Aggregates rankings instead of similarities.
    SPEC : The same rankings on one similarity.
    eigenselect.multisource.AuxiliaryData : Another table of the same samples as a source.
    eigenselect.multisource.FeatureSet : A set of features as a source.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    chapter 5.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect import MSFS
    >>> from eigenselect.multisource import AuxiliaryData, TargetData
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([0.0, 3.0], 20)
    >>> X = rng.normal(size=(40, 6))
    >>> X[:, 4] += groups
    >>> other = groups[:, None] + rng.normal(size=(40, 3))
    >>> selector = MSFS(1, sources=[("genes", TargetData()), ("proteins", AuxiliaryData(other))]).fit(X)
    >>> selector.get_support(indices=True)
    array([4])
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        sources: Sequence[tuple[str, KnowledgeSource]] | None = None,
        weights: Any = "equal",
        ranking: str = "phi2",
        spectral_function: str | float | Callable[[NDArray[np.float64]], NDArray[np.float64]] = "identity",
        n_clusters: int | None = None,
        significance: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.sources = sources
        self.weights = weights
        self.ranking = ranking
        self.spectral_function = spectral_function
        self.n_clusters = n_clusters
        self.significance = significance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_names: Sequence[Any] | NDArray[Any] | None = None,
        feature_names: Sequence[Any] | NDArray[Any] | None = None,
        similarity_matrix: Any = None,
        covariates: Any = None,
    ) -> Self:
        """Combine the sources, then score and rank the features of X.

        Parameters
        ----------
        X : array, data frame, sparse matrix or memory map of shape (n_samples, n_features)
            The target table; finite numbers.
        y : array of shape (n_samples,), optional
            Labels, for learned weights and for sources made of them.
        sample_names, feature_names : sequence, optional
            By default the index and columns of a data frame. Sources with names are matched by name.
        similarity_matrix : None
            Not used: give a `SampleSimilarity` source.
        covariates : array or data frame of shape (n_samples,) or (n_samples, n_covariates), optional
            Taken out of every feature of X before anything else, see `SPEC.fit`; other tables stay as they are.

        Returns
        -------
        MSFS
            The fitted selector itself.
        """
        names = {"sample_names": sample_names, "feature_names": feature_names, "repeated_names": True}
        return self._fit(X, y, similarity_matrix, covariates, **names)

    def source_rankings(self, X: Any) -> dict[str, IntArray]:
        """Rank the features on the graph of each source alone.

        Parameters
        ----------
        X : array, data frame, sparse matrix or memory map of shape (n_samples, n_features)
            The data of `fit`, which the selector does not keep.

        Returns
        -------
        dict of str to ndarray of shape (n_features,)
            1 is best, as in ``ranking_``.
        """
        check_is_fitted(self, "similarities_")
        table = self._judged(self._without_covariates(self._data_of_fit(X, "source_rankings")))
        return {name: self._ranking_on(graph, table) for name, graph in self.similarities_.items()}

    def _traits(self) -> Traits:
        learned = isinstance(self.weights, str) and self.weights in LEARNED
        return Traits(
            uses_unlabelled_samples=learned,  # weights are learned from the labelled samples alone
            no_similarity_matrix="MSFS: give a precomputed similarity as a source, SampleSimilarity(matrix).",
            no_rebuilt_graph=(
                "some of these sources are made of them; leave these out and set significance=True, or use SPEC with "
                "significance='split' on the features alone."
            ),
        )

    def _check_parameters(self) -> None:
        check_phi(self, "MSFS")
        names = [name for name, _ in _checked_sources(self.sources)]
        if isinstance(self.weights, str):
            choice(self.weights, "weights", "MSFS", ("equal", *LEARNED), other="numbers")
        else:
            given_weights(self.weights, names)

    def _build(self, table: Matrix, y: Any, similarity_matrix: Any) -> Built:
        target = Target.of(table, y, "MSFS")
        sources = _checked_sources(self.sources)
        samples = _common_samples(target, sources)
        target = target.rows(samples)
        built = {name: _of_source(name, source.build, target, n_jobs=self.n_jobs) for name, source in sources}
        graphs = {name: found.graph for name, found in built.items()}
        _warn_about_notes(built)
        scales = {name: combination_scale(graph) if len(graphs) > 1 else 1.0 for name, graph in graphs.items()}
        weights = drop_silent_sources(self._source_weights(target, graphs), scales)
        found = {
            "samples_": samples,
            "similarities_": graphs,
            "notes_": {name: found.notes for name, found in built.items()},
            "weights_": weights,
        }
        combined = _combined(list(graphs.values()), weights, list(scales.values()))
        return Built(combined, samples=samples if samples.size < table.n_samples else None, attributes=found)

    def _source_weights(self, target: Target, graphs: dict[str, SampleGraph]) -> FloatArray:
        names = list(graphs)
        if not isinstance(self.weights, str):
            return given_weights(self.weights, names)
        if self.weights == "equal" or len(names) == 1:
            return np.full(len(names), 1.0 / len(names))
        owner = f"MSFS(weights={self.weights!r})"
        rows, codes, _ = learning_labels(target.y, owner, target.n_samples)
        learn = discriminant_weights if self.weights == "discriminant" else alignment_weights
        return learn([centred_kernel(_part(graph, rows)) for graph in graphs.values()], codes)

    def _criterion(self, built: Built) -> Criterion:
        return phi_of(self, built.graph, "MSFS")

    def _parts(self) -> dict[str, tuple[float, SampleGraph]]:
        graphs, weights = self.similarities_, self.weights_
        used = {name: float(weight) for name, weight in zip(graphs, weights, strict=True) if weight > 0}
        if len(used) == 1:  # it is taken as it is
            return {name: (1.0, graphs[name]) for name in used}
        return {
            name: (weight * combination_scale(graphs[name]), _stored(graphs[name])) for name, weight in used.items()
        }

    def _ranking_on(self, graph: SampleGraph, table: Matrix) -> IntArray:
        scores = phi_of(self, graph, "MSFS").scores(table, n_jobs=self.n_jobs, owner="MSFS")
        return rank_features(scores.native, larger_is_better=scores.larger_is_better, tolerance=scores.rounding)


def _checked_sources(sources: Any) -> list[tuple[str, KnowledgeSource]]:
    """Return the list of (name, source), or refuse it and say why."""
    expected = "MSFS: sources must be a list of (name, source) with objects of eigenselect.multisource"
    if not isinstance(sources, (list, tuple)) or not sources:
        raise ValueError(f"{expected}, got {sources!r}.")
    for entry in sources:
        if not (isinstance(entry, (list, tuple)) and len(entry) == 2 and isinstance(entry[1], KnowledgeSource)):
            raise ValueError(f"{expected}, got {entry!r} among them.")
    names = [str(name) for name, _ in sources]
    if len(set(names)) < len(names):
        raise ValueError(f"MSFS: names of sources must differ, got {names}.")
    return [(name, source) for name, (_, source) in zip(names, sources, strict=True)]


def _of_source(name: str, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a source; its errors say which one it was."""
    try:
        return call(*arguments, **options)
    except (ValueError, TypeError) as error:
        raise type(error)(f"MSFS: source {name!r}: {error}") from error


def _part(graph: SampleGraph, rows: NDArray[np.intp]) -> SampleGraph:
    """Return the graph of some of its samples."""
    if rows.size == graph.n_samples:
        return graph
    return SampleGraph(graph.to_array()[np.ix_(rows, rows)], signed=graph.signed)


def drop_silent_sources(weights: FloatArray, scales: dict[str, float]) -> FloatArray:
    """Give weight 0 to sources in which all samples are equally similar, and name them in a warning.

    ``scales`` holds the `combination_scale` of each source, which is 0 there.
    """
    silent = [name for name, scale in scales.items() if scale == 0.0]
    if not silent:
        return weights
    left = np.where([name in silent for name in scales], 0.0, weights)
    if not left.any():
        raise ValueError(f"MSFS: all samples are alike in the sources that have a weight ({', '.join(silent)}).")
    warn(
        f"MSFS: all samples are alike in {len(silent)} of {len(scales)} sources, which get weight 0 "
        f"({', '.join(silent)}).",
        SourceWarning,
    )
    return np.asarray(left / left.sum())


def _common_samples(target: Target, sources: list[tuple[str, KnowledgeSource]]) -> NDArray[np.intp]:
    """Find the samples that every source knows; warn how many each one misses."""
    known = {name: _of_source(name, source.covered, target) for name, source in sources}
    common = np.flatnonzero(np.logical_and.reduce(list(known.values())))
    missing = {name: int((~mask).sum()) for name, mask in known.items() if not mask.all()}
    left = target.n_samples - common.size
    if common.size < 2:
        raise ValueError(
            f"MSFS: all sources together know {common.size} of the target's {target.n_samples} samples "
            f"({_listed(missing, 'misses')}); at least 2 are needed."
        )
    if missing:
        warn(
            f"MSFS: {left} of {target.n_samples} samples {agreeing(left, '[is|are]')} left out, because a source does "
            f"not know {agreeing(left, '[it|them]')} ({_listed(missing, 'misses')}).",
            SourceWarning,
        )
    return common


def _listed(counts: dict[str, int], verb: str) -> str:
    return ", ".join(f"{name} {verb} {count}" for name, count in counts.items())


def _warn_about_notes(built: dict[str, SourceGraph]) -> None:
    notes = [f"{name}: {note}" for name, found in built.items() for note in found.notes]
    if notes:
        warn(f"MSFS: {'; '.join(notes)}.", SourceWarning)


def _stored(graph: SampleGraph) -> SampleGraph:
    """Return a graph whose edges are stored, where it only stands for them."""
    if graph.spectral_map is None:
        return graph
    return SampleGraph(graph.explicit(), mass=np.ones(graph.n_samples), signed=True)


def _combined(graphs: list[SampleGraph], weights: FloatArray, scales: list[float]) -> SampleGraph:
    """Sum θ_i s_i S_i; a single source with weight is used as it is, sparse ones stay sparse."""
    used = [part for part in zip(graphs, weights, scales, strict=True) if part[1] > 0]
    if len(used) == 1:
        return used[0][0]
    stored = [graph.explicit() for graph, _, _ in used]
    if not all(map(sparse.issparse, stored)):
        stored = [S.toarray() if sparse.issparse(S) else S for S in stored]
    total = sum(weight * scale * S for S, (_, weight, scale) in zip(stored, used, strict=True))
    return SampleGraph(
        total,
        signed=any(graph.signed for graph, _, _ in used),
        made_of_labels=any(graph.made_of_labels for graph, _, _ in used),
        origin=Origin.joined(graph.origin for graph, _, _ in used),
        description={"similarity": "combined", "n_sources": len(used)},
    )

r"""A criterion: the triple (similarity, normalisation, spectral function), and its scores.

A normalisation makes f̂ of f, which is applied without forming it. Every rule works on three numbers per feature f, in
the inner product of the graph's mass m:

* the mean :math:`\mu = f^\top m / \mathrm{vol}`,
* its *trivial* part :math:`\mathrm{vol}\,\mu^2`, the share along :math:`\xi_1 \propto M^{1/2}\mathbf 1`,
* its *spread* :math:`g^\top M g` with :math:`g = f - \mu\mathbf 1`, which is the rest.

Means are subtracted before anything is squared, so a feature with mean 1e6 and spread 1 keeps its digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from eigenselect._floats import SAME
from eigenselect._typing import BoolArray, FloatArray
from eigenselect.criteria.forms import Form, PowerForm, leading_form, spectral_form
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.quadratic import FeatureTerms, feature_terms
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.graph import SampleGraph
from eigenselect.graph.eigensolver import tell_whole_group
from eigenselect.spectral import SpectralFunction

#: sums of n terms are off by some √n roundings, which pass `SAME` only beyond this many terms
MANY_TERMS = 256


@dataclass(frozen=True)
class Native:
    r"""How the literature states a score: a function of :math:`q = \hat f^\top A \hat f`.

    Attributes
    ----------
    larger_is_better : bool
        Direction of the literature's value.
    complement : bool
        Whether small q is good, so that :math:`\hat S = I - A` and the relevance is 1 - q; else :math:`\hat S = A`.
    as_odds : bool
        Whether the value is (1 - q) / q, infinite for a feature with q = 0, and not q itself.

    See Also
    --------
    Criterion : Has one.

    Examples
    --------
    The Fisher score is (1 - q) / q, and large is good:

    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> es.FisherScore(2).fit(*load_wine(return_X_y=True)).criterion_.native
    Native(larger_is_better=True, complement=True, as_odds=True)
    """

    larger_is_better: bool
    complement: bool
    as_odds: bool = False


#: q itself, and small is good: φ1, φ2, the Laplacian score
SMALL = Native(larger_is_better=False, complement=True)
#: q itself, and large is good: φ3, ReliefF, HSIC
LARGE = Native(larger_is_better=True, complement=False)
#: (1 - q) / q, and large is good: the Fisher score, scatter between classes over scatter within
ODDS = Native(larger_is_better=True, complement=True, as_odds=True)


@dataclass(frozen=True)
class Scores:
    """What a criterion says of every feature.

    Attributes
    ----------
    native : ndarray of shape (n_features,)
        The literature's value; NaN where it is undefined.
    relevance : ndarray of shape (n_features,)
        The value f̂ᵀŜf̂: larger is better.
    rounding : ndarray of shape (n_features,)
        How far apart rounding can take two native values that are equal by their formula.
    larger_is_better : bool
        Direction of the native values. They give the order: 1 - q would round away differences of tiny q.
    attributes : dict
        Fitted attributes that scoring came upon, such as the eigenvalues that were used.
    n_selected : int or None
        How many features to select, where the scores are about a subset of that size.
    of_selection : callable or None
        Makes fitted attributes of the features that are selected, where there are some: called with their mask.

    See Also
    --------
    Criterion.scores : Makes them.

    Examples
    --------
    >>> import numpy as np
    >>> import eigenselect as es
    >>> graph = es.graph.SampleGraph(np.kron(np.eye(2), np.ones((2, 2))))
    >>> X = np.array([[1.0, 1], [1, 2], [3, 1], [3, 2]])
    >>> found = es.criteria.phi("phi2", graph, es.spectral.Power(1)).scores(X)
    >>> found.native, found.relevance, found.larger_is_better
    (array([0., 1.]), array([1., 0.]), False)
    """

    native: FloatArray
    relevance: FloatArray
    rounding: FloatArray
    larger_is_better: bool
    attributes: dict[str, Any] = field(default_factory=dict)
    n_selected: int | None = None
    of_selection: Callable[[BoolArray], dict[str, Any]] | None = None


class Normalization(Protocol):
    """A rule that makes f̂ of f."""

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        """Compute f̂ᵀAf̂, where A has the eigenvalue ``at_zero`` for ξ_1; NaN for features without spread."""

    def length(self, terms: FeatureTerms) -> FloatArray | float:
        """Compute f̂ᵀf̂, which the rounding of f̂ᵀAf̂ is relative to."""

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        """Return F̂ itself, for looking and checking; NaN for features without spread."""


@dataclass(frozen=True)
class UnitLength:
    r"""Give features unit length, :math:`\hat f = M^{1/2} f / \lVert M^{1/2} f \rVert`.

    Attributes
    ----------
    deflated : bool
        Project :math:`\xi_1` out first (φ2), or keep it (φ1, φ3).

    See Also
    --------
    Criterion : Has a normalisation.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.criteria import UnitLength
    >>> from eigenselect.graph import SampleGraph
    >>> UnitLength(deflated=True).apply(np.array([[1.0], [3.0]]), SampleGraph(np.ones((2, 2)))).round(3)
    array([[-0.707],
           [ 0.707]])
    """

    deflated: bool

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        """Compute f̂ᵀAf̂ of every feature.

        Parameters
        ----------
        terms : FeatureTerms
            Quadratic form, spread and mean of every feature.
        at_zero : float
            The eigenvalue of A for ξ_1.
        owner : str
            Who speaks in errors.

        Returns
        -------
        ndarray of shape (n_features,)
            NaN for features without spread.
        """
        if self.deflated:
            return terms.quadratic / _defined(terms.spread)
        return (terms.quadratic + at_zero * terms.trivial) / (_defined(terms.spread) + terms.trivial)

    def length(self, terms: FeatureTerms) -> float:
        """Compute f̂ᵀf̂, which the rounding of f̂ᵀAf̂ is relative to.

        Parameters
        ----------
        terms : FeatureTerms
            Quadratic form, spread and mean of every feature.

        Returns
        -------
        float
            1 for all.
        """
        return 1.0

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        """Return F̂ itself, for looking and checking.

        Parameters
        ----------
        features : ndarray of shape (n_samples, n_features)
            Features in columns.
        graph : SampleGraph
            Whose mass counts.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            NaN for features without spread.
        """
        live, mass = features[~graph.isolated], graph.mass
        features = np.where((live == live[0]).all(axis=0), np.nan, features)
        if self.deflated:
            features = features - features[int(np.argmax(mass))]
            features = features - mass @ features / mass.sum()
        weighted = np.sqrt(mass)[:, None] * features
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(weighted / np.linalg.norm(weighted, axis=0))


@dataclass(frozen=True)
class AsItIs:
    r""":math:`\hat f = f`, or f divided by its standard deviation.

    Attributes
    ----------
    scale : "unit" or None
        ``"unit"`` for unit standard deviation, so that the unit of a feature does not count.

    Examples
    --------
    >>> AsItIs("unit").apply(np.array([[0.0], [4.0]]), SampleGraph(np.ones((2, 2))))
    array([[0.],
           [2.]])
    """

    scale: str | None = None

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        if self.scale == "unit":
            return terms.quadratic / (_defined(terms.spread) / terms.volume)
        return np.where(terms.spread > 0, terms.quadratic, np.nan)

    def length(self, terms: FeatureTerms) -> FloatArray | float:
        return terms.volume if self.scale == "unit" else terms.spread

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        return at_unit_deviation(features, graph) if self.scale == "unit" else features


@dataclass(frozen=True)
class Centred:
    r""":math:`\hat f = (f - \mu\mathbf 1) / \sqrt n`, whose squared length is the variance of f; 0 for a constant one.

    Examples
    --------
    >>> Centred().apply(np.array([[0.0], [4.0]]), SampleGraph(np.zeros((2, 2)), mass=np.ones(2))).round(3)
    array([[-1.414],
           [ 1.414]])
    """

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        return terms.quadratic / terms.volume

    def length(self, terms: FeatureTerms) -> FloatArray:
        return terms.spread / terms.volume

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        features = features - features[0]  # a large mean costs no digits then
        return np.asarray((features - features.mean(axis=0)) / np.sqrt(graph.n_samples))


@dataclass(frozen=True)
class UnitRange:
    r""":math:`\hat f = f / (\max f - \min f)`, for forms of absolute differences, which are linear in f.

    Attributes
    ----------
    half_ranges : ndarray of shape (n_features,)
        Half the range of every feature.

    Examples
    --------
    >>> UnitRange(np.array([2.0])).apply(np.array([[0.0], [4.0]]), SampleGraph(np.ones((2, 2))))
    array([[0.],
           [1.]])
    """

    half_ranges: FloatArray

    def value(self, terms: FeatureTerms, at_zero: float, owner: str) -> FloatArray:
        return terms.quadratic / np.where(terms.spread > 0, 2.0 * self.half_ranges, np.nan)

    def length(self, terms: FeatureTerms) -> float:
        return 1.0

    def apply(self, features: FloatArray, graph: SampleGraph) -> FloatArray:
        halves = np.where(self.half_ranges > 0, self.half_ranges, np.nan)
        return np.asarray(features / 2 / halves)


def _defined(spread: FloatArray) -> FloatArray:
    """Return the spread, and NaN for a constant feature: it is ξ_1 itself, and no form of it tells anything."""
    return np.where(spread > 0, spread, np.nan)


UNIT = UnitLength(deflated=False)
DEFLATED = UnitLength(deflated=True)


def at_unit_deviation(X: FloatArray, graph: SampleGraph, unused: BoolArray | None = None) -> FloatArray:
    """Divide features by their standard deviation over samples that are not isolated.

    NaN for constant ones; 0 for samples that count nowhere: the isolated ones, unless ``unused`` says which.
    """
    X = np.where((graph.isolated if unused is None else unused)[:, None], 0.0, X)
    live = X[~graph.isolated]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(live.max(axis=0) > live.min(axis=0), X / live.std(axis=0), np.nan))


@dataclass(frozen=True)
class Criterion:
    r"""The theorem: a feature is worth :math:`\hat f^\top \hat S \hat f`, with :math:`\hat S` = A or I - A.

    A is a function of the normalised Laplacian N of one sample graph, or a kernel over its samples; `form` computes
    its quadratic form, `normalization` says what :math:`\hat f` is, and `native` turns the form into the value that the
    literature knows.

    Attributes
    ----------
    graph : SampleGraph
        Similarity and mass of the samples.
    normalization : Normalization
        Makes :math:`\hat f` of f, such as `UnitLength`.
    form : Form
        Computes the quadratic form of A, see `power_form` and `spectral_form`.
    native : Native
        How the literature states the score.

    See Also
    --------
    phi : Makes the criteria of SPEC.
    eigenselect.LaplacianScore.quadratic_form : The matrix Ŝ and the features F̂ of a fitted selector.

    Notes
    -----
    Selectors have theirs in ``criterion_``.

    References
    ----------
    Zhao and Liu, Spectral feature selection for supervised and unsupervised learning, ICML 2007,
    doi:10.1145/1273496.1273641.

    Examples
    --------
    The Laplacian score of a feature that follows two pairs of samples, and of one that does not:

    >>> import numpy as np
    >>> from eigenselect.criteria import Criterion, Native, UnitLength, power_form
    >>> from eigenselect.graph import SampleGraph
    >>> graph = SampleGraph(np.kron(np.eye(2), np.ones((2, 2))))
    >>> native = Native(larger_is_better=False, complement=True)
    >>> criterion = Criterion(graph, UnitLength(deflated=True), power_form(graph, 1), native)
    >>> criterion.scores(np.array([[1.0, 1], [1, 2], [3, 1], [3, 2]])).native
    array([0., 1.])
    """

    graph: SampleGraph
    normalization: Normalization
    form: Form
    native: Native

    def __post_init__(self) -> None:
        if self.graph.spectral_map is not None and isinstance(self.form, PowerForm):
            raise ValueError("PowerForm takes powers of the stored graph; power_form takes those of N.")

    @property
    def larger_is_better(self) -> bool:
        """Direction of the native scores."""
        return self.native.larger_is_better

    def scores(self, X: Any, *, n_jobs: int | None = None, owner: str = "Criterion") -> Scores:
        """Score every feature; errors speak as ``owner``.

        Parameters
        ----------
        X : array, sparse matrix or Matrix of shape (n_samples, n_features)
            Finite numbers.
        n_jobs : int, optional
            Threads; None for all cores. Results do not depend on it.
        owner : str, default="Criterion"
            Who speaks in errors.

        Returns
        -------
        Scores
            Native value, relevance and rounding of every feature.
        """
        return self.score_terms(feature_terms(X, self.graph, self.form, n_jobs=n_jobs), owner)

    def score_terms(self, terms: FeatureTerms, owner: str = "Criterion") -> Scores:
        """Score features from their quadratic form, spread and mean.

        Rounding is relative to q where only differences of samples are summed, which tiny q are too; else to the terms
        that may cancel.

        Parameters
        ----------
        terms : FeatureTerms
            What `eigenselect.criteria.quadratic.feature_terms` computes.
        owner : str, default="Criterion"
            Who speaks in errors.

        Returns
        -------
        Scores
            Native value, relevance and rounding of every feature.
        """
        largest = self.form.cancellation(self.graph)
        q = self.normalization.value(terms, self.form.at_zero, owner)
        cancelling = largest * self.normalization.length(terms)
        rounding = rounding_of_sums(self.graph.n_samples) * (np.abs(q) + cancelling)
        native = q
        if self.native.as_odds:
            with np.errstate(divide="ignore", invalid="ignore"):  # a perfect feature has q = 0
                native, rounding = (1.0 - q) / q, rounding / q**2
        relevance = 1.0 - q if self.native.complement else q
        return Scores(native, relevance, rounding, self.native.larger_is_better, dict(self.form.attributes))

    def matrix(self) -> FloatArray:
        """Return Ŝ as a dense array, for looking and checking.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            Either A or I - A.
        """
        A = self.form.matrix(self.graph)
        return np.eye(len(A)) - A if self.native.complement else A

    def features(self, X: FloatArray) -> FloatArray:
        """Return F̂ as a dense array, for looking and checking.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Features in columns.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            NaN for features without spread.
        """
        return self.normalization.apply(X, self.graph)

    def null_ratio(self) -> NullRatio:
        r"""Return the native score as a ratio of two quadratic forms of the feature itself.

        With :math:`\mathbf 1^\top m = \mathrm{vol}` and :math:`B = M - mm^\top/\mathrm{vol}`, deflated scores are
        :math:`f^\top (M^{1/2} A M^{1/2} - a_0 mm^\top/\mathrm{vol}) f / f^\top B f`, where :math:`a_0` is the
        eigenvalue of A for :math:`\xi_1`; scores of unit length keep that part and divide by :math:`f^\top M f`.

        Returns
        -------
        NullRatio
            Numerator and denominator, over the samples that are not isolated.

        Raises
        ------
        ValueError
            If the normalisation is no quadratic form.
        """
        graph, centred = self.graph, self.normalization != UNIT
        form = self.form.structured(graph)
        if centred and self.form.at_zero:
            form = form.minus(SymmetricForm.squared_mean(graph.mass).scaled(self.form.at_zero))
        numerator, denominator = form, self._denominator()
        if self.native.as_odds and denominator is not None:
            numerator, denominator = denominator.minus(form), form
        better = self.native.larger_is_better
        return NullRatio.over_live(numerator, denominator, graph.isolated, larger_is_better=better, centred=centred)

    def _denominator(self) -> SymmetricForm | None:
        """Return what the normalisation divides by, as a form of the feature itself; None for the constant 1."""
        if self.normalization == UNIT:
            return SymmetricForm.diagonal_matrix(self.graph.mass)
        spread = SymmetricForm.spread(self.graph.mass)
        if isinstance(self.normalization, UnitLength):
            return spread
        if isinstance(self.normalization, AsItIs):
            return None if self.normalization.scale is None else spread.scaled(1.0 / self.graph.volume)
        raise ValueError(
            f"{type(self.normalization).__name__} is no quadratic form, so its scores have no null moments."
        )


def phi(
    ranking: str,
    graph: SampleGraph,
    gamma: SpectralFunction,
    n_clusters: int | None = None,
    random_state: Any = None,
    *,
    owner: str = "phi3",
) -> Criterion:
    r"""Make the criterion named ``"phi1"``, ``"phi2"`` or ``"phi3"``, the ranking functions of SPEC.

    .. math::
        \varphi_1 &= \hat f^\top \gamma(N) \hat f = \sum_j \alpha_j^2 \gamma(\lambda_j) \\
        \varphi_2 &= \sum_{j\ge2} \alpha_j^2 \gamma(\lambda_j) \Big/ \sum_{j\ge2} \alpha_j^2 \\
        \varphi_3 &= \sum_{j=2}^{k} (\gamma(2) - \gamma(\lambda_j))\, \alpha_j^2

    where :math:`(\lambda_j, \xi_j)` are the eigenpairs of N, :math:`\hat f = D^{1/2} f / \lVert D^{1/2} f\rVert` and
    :math:`\alpha_j = \langle \hat f, \xi_j\rangle`. φ1 and φ2 are small for good features, φ3 is large.

    φ3 takes k from the eigen-gap if it is not given. Where k would end among equal eigenvalues it takes all of these,
    and says so as its ``owner``.

    Parameters
    ----------
    ranking : {"phi1", "phi2", "phi3"}
        Which of the three.
    graph : SampleGraph
        Similarity and mass of the samples.
    gamma : SpectralFunction
        The function γ, as `eigenselect.spectral` has them.
    n_clusters : int, optional
        The number k of φ3.
    random_state : int, RandomState or None, default=None
        Start vector of the eigensolver (φ3); None is a fixed one.
    owner : str, default="phi3"
        Who speaks in warnings.

    Returns
    -------
    Criterion
        Ready to score.

    See Also
    --------
    eigenselect.SPEC : The selector.
    spectral_form : The form of γ(N) alone.

    References
    ----------
    Zhao and Liu, Spectral feature selection for supervised and unsupervised learning, ICML 2007,
    doi:10.1145/1273496.1273641.

    Examples
    --------
    >>> import numpy as np
    >>> import eigenselect as es
    >>> graph = es.graph.SampleGraph(np.kron(np.eye(2), np.ones((2, 2))))
    >>> X = np.array([[1.0, 1], [1, 2], [3, 1], [3, 2]])
    >>> es.criteria.phi("phi1", graph, es.spectral.Power(1)).scores(X).native
    array([0. , 0.1])
    """
    if ranking != "phi3":
        return Criterion(graph, UNIT if ranking == "phi1" else DEFLATED, spectral_form(graph, gamma), SMALL)
    if n_clusters is None:
        leading = graph.eigengap_spectrum(random_state)
    else:
        leading = graph.whole_spectrum(n_clusters, random_state)
        if (used := len(leading.eigenvalues)) > n_clusters:
            tell_whole_group(f"{owner}: n_clusters={n_clusters}", used)
    return Criterion(graph, UNIT, leading_form(graph, gamma, leading), LARGE)


def rounding_of_sums(n_terms: int) -> float:
    """Return the relative rounding of two sums of ``n_terms`` numbers that are equal but for their order."""
    return SAME * max(1.0, math.sqrt(n_terms / MANY_TERMS))

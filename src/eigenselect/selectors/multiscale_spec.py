"""Multiscale SPEC: the scale at which a feature stands out most from chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._checks import is_number
from eigenselect.criteria.criterion import phi
from eigenselect.inference.best_scale import BestScale
from eigenselect.inference.significance import FEWEST_SAMPLES
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Traits
from eigenselect.selectors.spectral import Built, SpectralSelector
from eigenselect.similarity import made_of_labels
from eigenselect.spectral import Heat, SpectralFunction, as_spectral_function, check_spectral_function


class MultiscaleSPEC(SpectralSelector):
    r"""Choose features that follow the sample graph at any of several scales, narrow or wide.

    .. math:: z(f) = \max_s z_s(f), \qquad z_s(f) = \frac{\mathbf E\,\varphi_s - \varphi_s(f)}{\mathrm{sd}\,\varphi_s}

    where :math:`\varphi_s` is φ2 of `SPEC` with the spectral function :math:`\gamma_s`, by default
    :math:`1 - e^{-t_s\lambda}` of heat that flows for five times, and mean and standard deviation are those over all
    permutations of the feature over the samples. A short time sees patterns of few samples, a long one those
    that go over the whole graph. Noise scores wider at long times, where few patterns make the whole score and its
    distribution is skewed: z does not see that, p-values do. They join those of the scales by the Cauchy rule. The
    moments are exact up to 2000 samples, and cost n³ per scale; beyond, they are estimated.

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, half of the features (None), or a rule of `eigenselect.selection`: `TopK`, `FDR`, `Knee`,
        `Threshold`, each with features to keep or to leave out in any case. ``"fdr"`` is ``FDR()``; ``"auto"`` is that
        if there are q-values, which labels give unless ``significance=False``; else ``Knee()``, which is no test.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike: a name ("knn", "rbf", "linear", "cosine", "diffusion", "geodesic", "class_labels",
        "hit_miss"), an object of `eigenselect.similarity`, or a function of X that returns an n × n matrix.
    scales : sequence of numbers or spectral functions, default=(0.5, 1, 2, 5, 10)
        A number is a time of `eigenselect.spectral.Heat`; else a name, a callable or an object as in `SPEC`.
    significance : None, True, "given", "split", "shadows" or object, default=None
        Labels found by clustering these features, and coordinates computed from them, make noise look significant, and
        no program can see it: True and ``"given"`` are for what comes from elsewhere. None: no p-values, but of
        labels for ``"auto"`` and ``"fdr"``; False: none. True: the graph is made of labels or of another table.
        ``"given"``: a precomputed ``similarity_matrix`` was not made of these features. ``"split"`` and ``"shadows"``:
        the graph is made of these features. Or an object of `eigenselect.inference`
        (`Permutation`, `Given`, `Split`, `Shadows`).
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        For what ``significance`` draws; None is a fixed start.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_, native_scores_ : ndarray of shape (n_features,)
        z, larger is better. NaN where undefined.
    scale_scores_ : ndarray of shape (n_scales, n_features)
        z at every scale.
    best_scale_ : ndarray of int, shape (n_features,)
        Number of the scale, from 0, at which z is largest.
    ranking_ : ndarray of shape (n_features,)
        1 is best; ties by column order, undefined features last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: all but the undefined ones.
    graph_ : SampleGraph
        The similarity of the samples.
    criterion_ : BestScale
        The triples that scored, one per scale.
    pvalues_, qvalues_ : ndarray of shape (n_features,)
        With ``significance``: how often a feature without relation to the graph scores as well (the Cauchy combination
        of all scales), and the smallest false discovery rate at which the feature is kept (Benjamini-Hochberg). Shadows
        give q-values only.
    null_mean_, null_sd_ : ndarray of shape (n_features,)
        With ``significance``: NaN, because those of the largest of several scores are not known.
    n_features_ : int
        Number of selected features.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    SPEC : One scale; ``spectral_function="heat"``.
    MoranI : The narrowest scale, neighbours only.

    References
    ----------
    Liu and Xie, Cauchy combination test, J. Am. Stat. Assoc. 2020, doi:10.1080/01621459.2018.1554485; Kondor and
    Lafferty, Diffusion kernels on graphs, ICML 2002.

    Examples
    --------
    A gradient along a line of samples, and one that changes every third sample:

    >>> import numpy as np
    >>> from eigenselect import MultiscaleSPEC
    >>> place = np.arange(60.0)
    >>> X = np.column_stack([place, place // 3 % 2])
    >>> line = np.eye(60, k=1) + np.eye(60, k=-1)
    >>> selector = MultiscaleSPEC(1).fit(X, similarity_matrix=line)
    >>> selector.native_scores_.round(1), selector.best_scale_
    (array([18.3,  2.5]), array([4, 0]))
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        similarity: Any = "knn",
        scales: Sequence[Any] = (0.5, 1, 2, 5, 10),
        significance: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.similarity = similarity
        self.scales = scales
        self.significance = significance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _traits(self) -> Traits:
        largest = "the score is the largest of several forms, one per scale"
        return Traits(
            needs_labels="one label per sample" if made_of_labels(self.similarity) else "",
            no_quadratic_form=f"MultiscaleSPEC: {largest}; SPEC has the form of each.",
            no_explanation=f"MultiscaleSPEC.explain: {largest}; SPEC explains each.",
        )

    def _check_parameters(self) -> None:
        if isinstance(self.scales, str) or not np.iterable(self.scales) or not len(self.scales):
            raise ValueError(
                "MultiscaleSPEC: scales must be a list of times or of spectral functions, at least one, got "
                f"{self.scales!r}."
            )
        for scale in self.scales:
            if is_number(scale) and not 0 < scale < np.inf:
                raise ValueError(f"MultiscaleSPEC: scales that are numbers must be positive times, got {scale!r}.")
            check_spectral_function(_heat_of(scale), "MultiscaleSPEC")

    def _criterion(self, built: Built) -> BestScale:
        if built.graph.n_live < FEWEST_SAMPLES:
            raise ValueError(
                "MultiscaleSPEC: scores are compared with those of permuted features, which takes at least "
                f"{FEWEST_SAMPLES} samples of the graph, got {built.graph.n_live}; use SPEC for so few."
            )
        gammas = [as_spectral_function(_heat_of(scale)) for scale in self.scales]
        return BestScale(tuple(phi("phi2", built.graph, gamma) for gamma in gammas))


def _heat_of(scale: Any) -> Any:
    """Return the heat of a time; what is no number stays as it is."""
    if not is_number(scale):
        return scale
    gamma: SpectralFunction = Heat(float(scale))
    return gamma


def multiscale_spec_score(
    X: Any,
    y: Any = None,
    *,
    similarity: Any = "knn",
    scales: Sequence[Any] = (0.5, 1, 2, 5, 10),
    similarity_matrix: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Score every feature by the best of several scales in one call, larger is better.

    A score function for scikit-learn's ``SelectKBest``.

    Parameters
    ----------
    X : array, data frame, sparse matrix, or anything else that `MultiscaleSPEC.fit` takes
        Of shape (n_samples, n_features); finite numbers.
    y : array of shape (n_samples,), optional
        Labels, for similarities that are made of them; else ignored.
    similarity : str, similarity object or callable, default="knn"
        How samples are alike: a name ("knn", "rbf", "linear", "cosine", "diffusion", "geodesic", "class_labels",
        "hit_miss"), an object of `eigenselect.similarity`, or a function of X that returns an n × n matrix.
    scales : sequence of numbers or spectral functions, default=(0.5, 1, 2, 5, 10)
        A number is a time of `eigenselect.spectral.Heat`; else a name, a callable or an object as in `SPEC`.
    similarity_matrix : array or sparse matrix of shape (n_samples, n_samples), optional
        A precomputed similarity, symmetric and non-negative, in place of the method's own.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        The z of `MultiscaleSPEC`, its ``scores_``; NaN where undefined.

    See Also
    --------
    MultiscaleSPEC : The selector, with the scale of every feature, ranks and p-values.
    spec_score : One scale.

    Examples
    --------
    A gradient along a line of samples, and a feature that changes every third sample:

    >>> import numpy as np
    >>> from eigenselect import multiscale_spec_score
    >>> place = np.arange(60.0)
    >>> line = np.eye(60, k=1) + np.eye(60, k=-1)
    >>> multiscale_spec_score(np.column_stack([place, place // 3 % 2]), similarity_matrix=line).round(1)
    array([18.3,  2.5])
    """
    selector = MultiscaleSPEC(similarity=similarity, scales=scales, n_jobs=n_jobs)
    return np.asarray(selector.fit(X, y, similarity_matrix=similarity_matrix).scores_)

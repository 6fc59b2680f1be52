"""The permutation test of every score at once: p-values from three exact moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from scipy import special

from eigenselect._parallel import map_blocks
from eigenselect._typing import BoolArray, FloatArray
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.inference.doubts import form_lumps
from eigenselect.inference.moments import Moments, null_moments
from eigenselect.inference.polynomials import evaluate
from eigenselect.inference.power_sums import COMPILED_NONZEROS, PowerSums, power_sums
from eigenselect.inference.scalars import Scalars, null_scalars
from eigenselect.inference.significance import refuse_few_samples
from eigenselect.inference.tails import careful_tail, upper_tail
from eigenselect.matrix import Matrix, SparseMatrix, as_matrix

#: samples up to which the matrix of a form that is only known by products is formed
EXPLICIT_SAMPLES = 2000
#: scores that differ by less, relative to the largest, are the same
SAME_SCORE = 1e-10
#: standard deviations below this share of the mean are rounding of the scores: every order of the values has one
NO_SPREAD = 1e-9
#: a squared norm below this share of the terms that it is summed from is rounding
RESOLVED = 1e-13


@dataclass(frozen=True)
class NullTest:
    """What permutation says of every feature.

    Attributes
    ----------
    pvalues : ndarray of shape (n_features,)
        Share of permutations that are at least as good as what was observed; NaN where the score is.
    null_mean, null_sd : ndarray of shape (n_features,)
        Centre and spread of the scores of permuted features, in units of the native score: the ratio r of the means of
        numerator A and denominator B, and the standard deviation of A - rB over the mean of B.
    error : float
        Relative standard error of the graph's scalars where they were estimated; 0 where they are exact.
    scalars : Scalars or None
        Those of the graph, for another test on it; None where there are several graphs.
    suspected : ndarray of shape (n_features,) or None
        P-values by a curve that may end, at most ``pvalues``: by these it is chosen what draws should refine.
    skewness : ndarray of shape (n_features,) or None
        Of the permuted scores, in the direction of good ones: negative where their curve ends.
    lumps : ndarray of shape (n_features,) or None
        How much of the form few samples hold, see `eigenselect.inference.doubts`.
    """

    pvalues: FloatArray
    null_mean: FloatArray
    null_sd: FloatArray
    error: float = 0.0
    scalars: Scalars | None = None
    suspected: FloatArray | None = None
    skewness: FloatArray | None = None
    lumps: FloatArray | None = None


def criterion_test(criterion: Any, X: Matrix, native: FloatArray, **options: Any) -> NullTest:
    """Test the scores of a criterion: by its own rule where it has one, else by its ratio of two forms.

    Parameters
    ----------
    criterion : Criterion, or what has a ``null_ratio`` or a ``permutation_test`` of its own
    X, native, **options
        See `permutation_test`.
    """
    own = getattr(criterion, "permutation_test", None)
    if own is not None:
        found: NullTest = own(X, native, **options)
        return found
    return permutation_test(criterion.null_ratio(), X, native, **options)


def permutation_test(
    ratio: NullRatio,
    X: Matrix,
    native: FloatArray,
    *,
    n_jobs: int | None = None,
    monte_carlo: Callable[..., FloatArray] | None = None,
    owner: str = "permutation_test",
    scalars: Scalars | None = None,
) -> NullTest:
    r"""Compute the p-value of every score under permutation of the feature over the samples that count.

    A feature with score r is beaten by a permutation of it where :math:`T = f^\top (A - rB) f` has the sign of the
    criterion's direction; mean, variance and skewness of T over all permutations are exact, its tail is that of
    a Pearson type III distribution with these, but for its end (`careful_tail`). A p-value is never smaller than that
    of the best of all different arrangements of the feature's values: at least one in :math:`n! / (\text{zeros})!` is
    as good as the observed one, and of classes one in :math:`n! / \prod_l n_l!`.
    A feature with a single non-zero has n arrangements, which are counted.

    Parameters
    ----------
    ratio : NullRatio
    X : Matrix
        Of residuals, what is permuted are these, and a permuted one is made a residual again (Kennedy's scheme).
    native : ndarray of shape (n_features,)
        The observed scores.
    n_jobs : int, optional
    monte_carlo : callable, optional
        Refines p-values: called with ratio, X, native, the p-values, ``sums``, the features' `PowerSums`, and
        ``suspected``, ``skewness`` and ``lumps``, see `NullTest`.
    owner : str
        Who speaks in errors.
    scalars : Scalars, optional
        From an earlier test of this ratio, with the same covariates.

    Examples
    --------
    Two halves of a line; the first feature follows it, the second does not:

    >>> from eigenselect.criteria.criterion import phi
    >>> from eigenselect.graph import SampleGraph
    >>> from eigenselect.spectral import Power
    >>> line = np.eye(12, k=1) + np.eye(12, k=-1)
    >>> criterion = phi("phi2", SampleGraph(line), Power(1))
    >>> X = np.column_stack([np.arange(12.0) // 6, np.arange(12.0) % 2])
    >>> permutation_test(criterion.null_ratio(), X, criterion.scores(X).native).pvalues.round(3)
    array([0.001, 0.999])
    """
    table, native = as_matrix(X), np.asarray(native, dtype=np.float64)
    ratio, mean = ratio.of_residuals(table.basis).around_mean(EXPLICIT_SAMPLES)
    native = native - mean
    refuse_few_samples(ratio.n_samples, owner)
    scalars, sums = _scalars_and_sums(ratio, table, scalars, n_jobs)
    test = _tested(ratio, scalars, sums, native)
    _put_single(test.pvalues, ratio, sums, native)
    pvalues, flat = test.pvalues, test.null_sd <= NO_SPREAD * abs(mean)
    if monte_carlo is not None and not flat.all():
        known = {"sums": sums, "suspected": test.suspected, "skewness": test.skewness, "lumps": test.lumps}
        pvalues = monte_carlo(ratio, table, native, pvalues, **known)
    pvalues = np.where(flat & ~np.isnan(pvalues), 1.0, pvalues)
    return replace(test, pvalues=pvalues, null_mean=test.null_mean + mean)


def _scalars_and_sums(
    ratio: NullRatio, table: Matrix, known: Scalars | None, n_jobs: int | None
) -> tuple[Scalars, PowerSums]:
    """Compute what the graph and what the features bring along: side by side where the latter is a walk over non-zeros.

    Much of the graph's part is not in threads of its own.
    """

    def of_graph() -> Scalars:
        return _scalars(ratio, n_jobs) if known is None else known

    def of_features() -> PowerSums:
        return power_sums(table, ratio.rows, n_jobs=n_jobs)

    beside = isinstance(table, SparseMatrix) and table.n_stored >= COMPILED_NONZEROS and not _is_implicit(ratio)
    scalars, sums = map_blocks(lambda part: part(), [of_graph, of_features], n_jobs if beside else 1)
    return cast(Scalars, scalars), cast(PowerSums, sums)


def _scalars(ratio: NullRatio, n_jobs: int | None) -> Scalars:
    """Compute the scalars exactly, or by probes where a large form is only known by its products."""
    if _is_implicit(ratio):
        from eigenselect.inference.probes import probed_scalars

        return probed_scalars(ratio, n_jobs=n_jobs)
    return null_scalars(ratio, n_jobs)


def _tested(ratio: NullRatio, scalars: Scalars, sums: PowerSums, native: FloatArray) -> NullTest:
    """Turn scores into p-values by the moments of T."""
    scores, sign = native / _units(scalars, sums), 1.0 if ratio.larger_is_better else -1.0
    with np.errstate(invalid="ignore", over="ignore"):
        at_score = _moments_at(scalars, sums, scores)
        skewness = sign * at_score.skewness
        tails = _tails(at_score, sign, skewness)
        pvalues, suspected = (np.maximum(tail, _smallest(ratio, sums)) for tail in tails)
    undefined = np.isnan(native) | ~(sums.powers[2] > 0)
    mean, sd = _centre_and_spread(scalars, sums)
    # at usual scores: at those of the best features, nearly all of A - rB is B, whose samples differ in mass
    with np.errstate(invalid="ignore"):
        lumps = form_lumps(scalars, *_along(scalars, mean / _units(scalars, sums)))
    return NullTest(
        np.where(undefined, np.nan, pvalues),
        np.where(undefined, np.nan, mean),
        np.where(undefined, np.nan, sd),
        scalars.error,
        scalars,
        np.where(undefined, np.nan, suspected),
        skewness,
        lumps,
    )


def _put_single(pvalues: FloatArray, ratio: NullRatio, sums: PowerSums, native: FloatArray) -> None:
    """Replace the p-values of features with one non-zero by exact ones: each of its n places has a score."""
    single = np.flatnonzero((sums.zeros == ratio.n_samples - 1) & ~np.isnan(pvalues))
    if not single.size or _is_implicit(ratio):
        return
    numerator = ratio.explicit[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        places, sizes = numerator.diagonal(), numerator.diagonal_size()
        if ratio.denominator is not None:
            places, sizes = (part / ratio.denominator.diagonal() for part in (places, sizes))
        value = ratio.n_samples * sums.mean[single] * sums.scale[single]
        scores = native[single] if ratio.denominator is not None else native[single] / value / value
    sign = 1.0 if ratio.larger_is_better else -1.0
    places = np.sort(sign * places)
    margin = SAME_SCORE * np.maximum(np.abs(scores), sizes.max())
    worse = np.searchsorted(places, sign * scores - np.where(np.isfinite(margin), margin, 0.0))
    pvalues[single] = np.maximum(1.0 - worse / ratio.n_samples, 1.0 / ratio.n_samples)


def _is_implicit(ratio: NullRatio) -> bool:
    """Whether a form is only known by its products, and of too many samples to multiply it out."""
    return ratio.n_samples > EXPLICIT_SAMPLES and any(form.is_implicit for form in ratio.forms)


def _units(scalars: Scalars, sums: PowerSums) -> FloatArray:
    """Return by what native scores are larger than those of scaled forms and, without denominator, scaled features."""
    if scalars.has_denominator:
        return np.full(sums.mean.size, scalars.units[0] / scalars.units[1])
    return np.asarray(scalars.units[0] * sums.scale**2)


def _moments_at(scalars: Scalars, sums: PowerSums, scores: FloatArray) -> Moments:
    """Compute the moments of T = α num + β den."""
    alpha, beta = _along(scalars, scores)
    moments = null_moments(scalars, sums, alpha, beta)
    mean = moments.mean if scalars.has_denominator else moments.mean - scores
    return Moments(mean, np.where(_is_flat(scalars, alpha, beta), 0.0, moments.variance), moments.third)


def _along(scalars: Scalars, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (α, β) along (1, -score), of length 1: an infinite score has α = 0."""
    if not scalars.has_denominator:
        return np.ones_like(scores), np.zeros_like(scores)
    length = np.hypot(1.0, scores)
    return 1.0 / length, np.where(np.isinf(scores), -np.sign(scores), -scores / length)


def _is_flat(scalars: Scalars, alpha: FloatArray, beta: FloatArray) -> BoolArray:
    """Whether nothing but rounding is left of αA + βB after centring: no order of the values differs from another."""
    if scalars.linear is not None:
        return np.zeros(alpha.shape, dtype=np.bool_)
    terms = sum(weight**2 * size for weight, size in zip((alpha, beta), scalars.gross, strict=False))
    return np.asarray(evaluate(scalars.trace2, alpha, beta) <= RESOLVED * terms)


def _tails(moments: Moments, sign: float, skewness: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute P(sign · T ≥ 0) by a tail that goes on and by one that may end; 1 where no permutation differs."""
    varies = moments.variance > 0
    t = -sign * moments.mean / np.sqrt(np.where(varies, moments.variance, 1.0))
    careful = np.where(varies, careful_tail(t, skewness), 1.0)
    ending, ends = careful.copy(), varies & (skewness < 0)
    ending[ends] = upper_tail(t[ends], skewness[ends])
    return careful, ending


def _smallest(ratio: NullRatio, sums: PowerSums) -> FloatArray:
    """Return one over a bound on the number of different scores: n! / zeros!, and n! / Π n_l! of classes."""
    same = np.maximum(special.gammaln(sums.zeros + 1.0), ratio.log_symmetries)
    logarithm = special.gammaln(ratio.n_samples + 1.0) - same
    return np.maximum(np.exp(-logarithm), np.finfo(np.float64).tiny)


def _centre_and_spread(scalars: Scalars, sums: PowerSums) -> tuple[FloatArray, FloatArray]:
    """Return E[num]/E[den], and the standard deviation of T there over E[den], in native units."""
    zero, one = np.zeros_like(sums.mean), np.ones_like(sums.mean)
    units = _units(scalars, sums)
    if not scalars.has_denominator:
        moments = null_moments(scalars, sums, one, zero)
        return units * moments.mean, units * np.sqrt(moments.variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = [
            evaluate(scalars.tau, a, b) * sums.powers[2] + sums.mean**2 * evaluate(scalars.total, a, b)
            for a, b in ((one, zero), (zero, one))
        ]
        centre = means[0] / means[1]
        sd = np.sqrt(null_moments(scalars, sums, one, -centre).variance) / means[1]
    return units * centre, units * sd

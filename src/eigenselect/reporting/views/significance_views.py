r"""Pictures of p-values, as numbers: a histogram and quantiles beside what uniform p-values give, scores against means.

Of m features without relation to the graph, p-values are uniform. A bin of width 1/B then holds a binomial number of
them, and the i-th smallest of m independent ones follows a beta distribution:

.. math:: p_{(i)} \sim \mathrm{Beta}(i, m - i + 1)

The bands that follow from both stand in the pictures, so that nobody reads a meaning into noise. Features depend on
one another in most tables, which makes real bands wider.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betaincinv
from scipy.stats import binom

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.reporting.inputs import Fitted, columns_of
from eigenselect.reporting.significance import SMALLEST, alpha_of, pvalues_of, qvalues_of
from eigenselect.reporting.view_types import MeansView, PValueHistogram, QuantilesView, SignificanceView

#: bins of the histogram; all of a uniform histogram lie in the band with this probability, each quantile in its own
BINS, LEVEL = 20, 0.95
#: p-values up to which all are drawn as quantiles; of more, so many of the smallest and as many of the others
SHOWN_QUANTILES, SMALLEST_SHOWN = 2000, 500
#: features whose score is drawn against their mean, and features that are made dense at once
SHOWN_MEANS, BLOCK = 2000, 64
#: ratio of the largest to the smallest mean of non-negative features from which the axis is logarithmic
WIDE = 30.0
#: share of the largest value below which a mean is rounding, as those of centred features are
ROUNDING = 64 * np.finfo(float).eps


def significance_view(fitted: Fitted) -> SignificanceView | None:
    """Make the pictures of a fitted selector; None where it has no q-values."""
    selector = fitted.selector
    qvalues, pvalues = qvalues_of(selector), pvalues_of(selector)
    if qvalues is None:
        return None
    order = selector.ranking_.argsort()
    some = pvalues is not None and not bool(np.isnan(pvalues).all())
    return {
        "histogram": pvalue_histogram(pvalues) if pvalues is not None and some else None,
        "quantiles": quantiles_view(pvalues[order]) if pvalues is not None and some else None,
        "means": means_view(fitted.X, order, (qvalues <= alpha_of(selector))[order]),
    }


def pvalue_histogram(pvalues: FloatArray) -> PValueHistogram:
    """Count p-values in `BINS` bins, beside the band that all bins of uniform ones lie in.

    Parameters
    ----------
    pvalues : ndarray of shape (n_features,)
        NaN do not count.

    Examples
    --------
    >>> found = pvalue_histogram((np.arange(1000) + 0.5) / 1000)
    >>> found["counts"][:3], found["expected"], (found["low"], found["high"])
    ([50, 50, 50], 50.0, (30, 72))
    """
    known = pvalues[~np.isnan(pvalues)]
    places = np.minimum((BINS * known).astype(np.intp), BINS - 1)
    tail = (1.0 - LEVEL) / (2 * BINS)  # so that all bins of uniform p-values are inside together
    low, high = binom.ppf([tail, 1.0 - tail], known.size, 1.0 / BINS)
    return {
        "counts": np.bincount(places, minlength=BINS).tolist(),
        "expected": known.size / BINS,
        "low": int(low),
        "high": int(high),
    }


def quantiles_view(pvalues: FloatArray) -> QuantilesView:
    r"""Set the sorted p-values against uniform ones, both as :math:`-\log_{10} p`, with a pointwise band.

    Parameters
    ----------
    pvalues : ndarray of shape (n_features,)
        By rank; NaN do not count. Those below 1e-300 are drawn there.

    Examples
    --------
    >>> found = quantiles_view(np.array([0.5, np.nan, 0.001]))
    >>> found["place"], np.round(found["observed"], 2).tolist(), np.round(found["expected"], 2).tolist()
    ([2, 0], [3.0, 0.3], [0.48, 0.18])
    """
    known = np.flatnonzero(~np.isnan(pvalues))
    places = known[np.argsort(pvalues[known], kind="stable")]
    shown = shown_quantiles(places.size)
    tail = (1.0 - LEVEL) / 2
    count = np.asarray(shown + 1, dtype=np.float64)
    low, high = (betaincinv(count, places.size - shown, share) for share in (1.0 - tail, tail))
    return {
        "expected": logarithms(count / (places.size + 1.0)),
        "observed": logarithms(pvalues[places[shown]]),
        "low": logarithms(low),
        "high": logarithms(high),
        "place": places[shown].tolist(),
    }


def shown_quantiles(count: int) -> IntArray:
    """Choose the sorted p-values that are drawn: all of a few; of many the smallest, and of the others some.

    >>> shown_quantiles(5)
    array([0, 1, 2, 3, 4])
    >>> found = shown_quantiles(10**6)
    >>> found.size < 2000, found[0], found[-1]
    (True, np.int64(0), np.int64(999999))
    """
    if count <= SHOWN_QUANTILES:
        return np.arange(count)
    by_tens = np.geomspace(SMALLEST_SHOWN, count - 1, SMALLEST_SHOWN)
    evenly = np.linspace(SMALLEST_SHOWN, count - 1, SMALLEST_SHOWN)
    return np.unique(np.concatenate([np.arange(SMALLEST_SHOWN), by_tens, evenly]).round().astype(np.intp))


def logarithms(pvalues: FloatArray) -> list[float]:
    """Return -log10 of p-values, those of zero as of the smallest that is told."""
    found: list[float] = (-np.log10(np.maximum(pvalues, SMALLEST)) + 0.0).tolist()
    return found


def means_view(X: Any, order: IntArray, discovered: BoolArray) -> MeansView:
    """Average features over all samples: the discoveries first, and of the others those of some ranks.

    Parameters
    ----------
    X : Matrix
    order : ndarray of shape (n_features,)
        Columns, best first.
    discovered : ndarray of shape (n_features,)
        Whether the feature of each rank is a discovery.
    """
    places = shown_places(discovered)
    mean, low = np.empty(places.size), np.inf
    for start in range(0, places.size, BLOCK):
        block = slice(start, min(start + BLOCK, places.size))
        values = columns_of(X, order[places[block]])
        low = min(low, float(values.min(initial=np.inf)))
        mean[block] = column_means(values)
    positive = mean[mean > 0]
    log = low >= 0 and positive.size > 0 and bool(positive.max() / WIDE > positive.min())
    return {"mean": mean.tolist(), "place": places.tolist(), "log": log}


def shown_places(discovered: BoolArray) -> IntArray:
    """Choose the ranks whose features are drawn: all of a few; of many the best discoveries, and some others."""
    if discovered.size <= SHOWN_MEANS:
        return np.arange(discovered.size)
    found = np.flatnonzero(discovered)[: SHOWN_MEANS // 2]
    others = np.flatnonzero(~discovered)
    step = max(1, -(-others.size // (SHOWN_MEANS - found.size)))
    return np.sort(np.concatenate([found, others[::step]]))


def column_means(values: FloatArray) -> FloatArray:
    """Average columns of any finite size, divided by powers of two first; a mean that is only rounding is zero."""
    exponents = np.frexp(np.abs(values).max(axis=0))[1]
    means = np.ldexp(values, -exponents).mean(axis=0)
    return np.asarray(np.ldexp(np.where(np.abs(means) < ROUNDING, 0, means), exponents))

"""How stable a ranking is: fit again on resampled or noisy data, and compare."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state, resample

FloatArray = NDArray[np.float64]

PERTURBATIONS = ("subsample", "bootstrap", "noise")


@dataclass(frozen=True)
class RankingStability:
    r"""What stayed the same over the repeats.

    Attributes
    ----------
    n_selected : int
        k.
    overlap : float
        Mean share of common features in the top k of two repeats.
    corrected_overlap : float
        The same beyond chance, :math:`(o - k/m) / (1 - k/m)` (Kuncheva's index): 1 for equal selections, 0 for random
        ones. NaN if all features are selected.
    rank_correlation : float
        Mean Spearman correlation between the rankings of two repeats.
    overlap_with_full, rank_correlation_with_full : float
        The same between each repeat and the fit on all data.
    selection_frequency : ndarray of shape (n_features,)
        Share of the repeats that selected each feature.
    rankings : ndarray of shape (n_repeats, n_features)
        1 is best.
    full_ranking : ndarray of shape (n_features,)
        The ranking from all data.
    feature_names : ndarray of shape (n_features,)
    """

    n_selected: int
    overlap: float
    corrected_overlap: float
    rank_correlation: float
    overlap_with_full: float
    rank_correlation_with_full: float
    selection_frequency: FloatArray
    rankings: NDArray[np.intp]
    full_ranking: NDArray[np.intp]
    feature_names: NDArray[Any]

    def to_frame(self) -> pd.DataFrame:
        """One row per feature, best first: its rank on all data, how often it was selected, and where it ranked."""
        low, median, high = np.percentile(self.rankings, [5, 50, 95], axis=0)
        table = pd.DataFrame(
            {
                "feature": self.feature_names,
                "rank": self.full_ranking,
                "selected": self.selection_frequency,
                "median_rank": median,
                "rank_5%": low,
                "rank_95%": high,
            }
        )
        return table.sort_values("rank", ignore_index=True)

    def __str__(self) -> str:
        return (
            f"{len(self.rankings)} repeats, top {self.n_selected} of {self.full_ranking.size} features: "
            f"overlap {self.overlap:.2f} (beyond chance {self.corrected_overlap:.2f}), "
            f"rank correlation {self.rank_correlation:.2f}"
        )


def ranking_stability(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    perturbation: str = "subsample",
    n_repeats: int = 50,
    fraction: float = 0.8,
    noise: float = 0.1,
    n_selected: int | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: bool | Callable[[int, int], None] | None = None,
) -> RankingStability:
    """Fit a selector again and again on perturbed data and report how much its ranking changes.

    Parameters
    ----------
    selector : estimator with ``ranking_``
        Any selector of this library; it is cloned.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,), optional
        Classes are drawn in their proportions; unlabelled samples count as one more class.
    perturbation : {"subsample", "bootstrap", "noise"}, default="subsample"
        Draw samples without or with replacement, or add normal noise to every value.
    n_repeats : int, default=50
    fraction : float, default=0.8
        Share of the samples that is drawn (a bootstrap draws as many as there are).
    noise : float, default=0.1
        Standard deviation of the noise in those of the features.
    n_selected : int, optional
        k, the size of the selections that are compared; what the selector chose on all data if not given.
    n_jobs : int, optional
        Processes over the repeats, as joblib counts them. The result does not depend on it.
    random_state : int, RandomState or None, default=None
    progress : bool or callable, optional
        Show a bar on stderr; if not given, only on a terminal. A callable gets (done, total) after each repeat.

    Returns
    -------
    RankingStability

    References
    ----------
    Kuncheva, A stability index for feature selection, IASTED 2007, for the correction for chance.

    Examples
    --------
    >>> from eigenselect import FisherScore
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> print(ranking_stability(FisherScore(4), X, y, n_repeats=20, random_state=0))
    20 repeats, top 4 of 13 features: overlap 0.95 (beyond chance 0.93), rank correlation 0.98
    """
    _check_options(selector, perturbation, n_repeats, fraction, noise, X)
    if sparse.issparse(X):
        X = X.tocsr()
    elif not hasattr(X, "columns"):  # frames keep their names
        X = np.asarray(X)
    labels = None if y is None else np.asarray(y).reshape(-1)
    if labels is not None and labels.size != X.shape[0]:
        raise ValueError(f"ranking_stability: got {labels.size} labels for {X.shape[0]} samples.")
    full = clone(selector).fit(X, labels)
    k = full.n_features_ if n_selected is None else n_selected
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= full.ranking_.size:
        raise ValueError(
            f"ranking_stability: n_selected must be an integer between 1 and {full.ranking_.size} features, got {k!r}."
        )
    draws = check_random_state(random_state).randint(2**31 - 1, size=n_repeats)
    options = {"perturbation": perturbation, "fraction": fraction, "noise": noise}
    work = (delayed(_refit)(selector, X, labels, int(seed), **options) for seed in draws)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(work)
    rankings = np.array(list(_with_bar(found, n_repeats, progress)))
    return _summary(rankings, full, int(k))


def _refit(
    selector: Any, X: Any, y: Any, seed: int, *, perturbation: str, fraction: float, noise: float
) -> NDArray[np.intp]:
    """The ranking on one perturbed copy of the data; warnings of the fits are those of the full one, said already."""
    rng = np.random.RandomState(seed)
    if perturbation == "noise":
        table = np.asarray(X, dtype=np.float64)
        noisy = table + noise * table.std(axis=0) * rng.standard_normal(table.shape)
        names = {"index": getattr(X, "index", None), "columns": getattr(X, "columns", None)}
        X = pd.DataFrame(noisy, **names) if names["columns"] is not None else noisy
    else:
        rows = _draw(X.shape[0], y, perturbation == "bootstrap", fraction, rng)
        X = _safe_indexing(X, rows)
        y = None if y is None else y[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _permutation(clone(selector).fit(X, y).ranking_)


def _draw(n_samples: int, y: Any, replace: bool, fraction: float, rng: np.random.RandomState) -> NDArray[np.intp]:
    size = n_samples if replace else max(2, round(fraction * n_samples))
    strata = None
    if y is not None:
        codes = pd.factorize(y, use_na_sentinel=False)[0]
        discrete = np.bincount(codes).min() >= 2 and size >= codes.max() + 1
        strata = codes if discrete else None
    rows = resample(np.arange(n_samples), replace=replace, n_samples=size, stratify=strata, random_state=rng)
    return np.sort(np.asarray(rows, dtype=np.intp))


def _with_bar(items: Iterable[Any], length: int, progress: bool | Callable[[int, int], None] | None) -> Iterator[Any]:
    if callable(progress):
        for done, item in enumerate(items, 1):
            yield item
            progress(done, length)
        return
    if not (sys.stderr.isatty() if progress is None else progress):
        yield from items
        return
    import click

    with click.progressbar(items, length=length, label="refitting", file=sys.stderr) as bar:
        yield from bar


def _summary(rankings: NDArray[np.intp], fitted: Any, k: int) -> RankingStability:
    full = _permutation(fitted.ranking_)
    chosen, m = rankings <= k, full.size
    overlap = _mean_over_pairs(chosen.astype(np.float64)) / k
    reference = full <= k
    return RankingStability(
        n_selected=k,
        overlap=overlap,
        corrected_overlap=(overlap - k / m) / (1 - k / m) if k < m else np.nan,
        rank_correlation=_mean_over_pairs(_standardized(rankings)),
        overlap_with_full=float((chosen & reference).sum(axis=1).mean() / k),
        rank_correlation_with_full=float((_standardized(rankings) @ _standardized(full[None])[0]).mean()),
        selection_frequency=chosen.mean(axis=0),
        rankings=rankings,
        full_ranking=full,
        feature_names=np.asarray(getattr(fitted, "feature_names_in_", [f"x{i}" for i in range(m)]), dtype=object),
    )


def _permutation(ranking: Any) -> NDArray[np.intp]:
    """Ranks without ties: scikit-learn's RFE gives all that it keeps rank 1."""
    return rankdata(ranking, method="ordinal").astype(np.intp)


def _mean_over_pairs(rows: FloatArray) -> float:
    """Mean inner product of two different rows: (|Σ r|² - Σ |r|²) / (B (B - 1)), without the B² pairs."""
    total, count = rows.sum(axis=0), len(rows)
    return float((total @ total - np.einsum("ij,ij->", rows, rows)) / (count * (count - 1)))


def _standardized(rankings: NDArray[np.intp]) -> FloatArray:
    """Rows centred and of unit length, so that inner products are Spearman correlations; one feature gives zeros."""
    ranks = rankdata(rankings, axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    length = np.linalg.norm(ranks, axis=1, keepdims=True)
    return np.divide(ranks, length, out=np.zeros_like(ranks), where=length > 0)


def _check_options(selector: Any, perturbation: str, n_repeats: int, fraction: float, noise: float, X: Any) -> None:
    if not hasattr(selector, "fit"):
        raise TypeError(f"ranking_stability: selector must be an estimator, got {type(selector).__name__}.")
    if perturbation not in PERTURBATIONS:
        expected = ", ".join(map(repr, PERTURBATIONS))
        raise ValueError(f"ranking_stability: perturbation must be one of {expected}, got {perturbation!r}.")
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, (int, np.integer)) or n_repeats < 2:
        raise ValueError(f"ranking_stability: n_repeats must be an integer of at least 2, got {n_repeats!r}.")
    if not 0 < fraction <= 1:
        raise ValueError(f"ranking_stability: fraction must be in (0, 1], got {fraction!r}.")
    if not 0 <= noise < np.inf:
        raise ValueError(f"ranking_stability: noise must be zero or a positive number, got {noise!r}.")
    if perturbation == "noise" and sparse.issparse(X):
        raise ValueError("ranking_stability: noise would fill a sparse table; use perturbation='subsample'.")

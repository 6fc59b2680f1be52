"""How stable a ranking is: fit again on resampled or noisy data, and compare."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from eigenselect._checks import choice, number, random_generator, share, whole
from eigenselect._labels import label_array
from eigenselect._progress import Progress
from eigenselect._typing import AnyArray, BoolArray, FloatArray
from eigenselect._warn import warn
from eigenselect.matrix import check_order, feature_names_of, indexable, portable, rows_of, sample_names_of
from eigenselect.selection import FeatureOrder, feature_order
from eigenselect.selection.steps import fitted_for, last_step
from eigenselect.sensitivity.resampling import draw_samples, refit_all, selected_columns, shown_progress

PERTURBATIONS = ("subsample", "bootstrap", "noise")


@dataclass(frozen=True)
class RankingStability:
    r"""What stayed the same over the repeats.

    Attributes
    ----------
    n_selected : int
        The size k of the selections.
    overlap : float
        Mean number of common features in the top k of two repeats, divided by k (by the mean size of the selections,
        where some are smaller because the selector orders fewer features).
    corrected_overlap : float
        The same beyond chance, :math:`(o - k/m) / (1 - k/m)` (Kuncheva's index; Nogueira's, of which it is a case,
        where sizes differ): 1 for equal selections, 0 for random ones. NaN if all features are selected, or none.
    rank_correlation : float
        Mean Spearman correlation between the rankings of two repeats, in which features that tie, or that the selector
        does not order, share one rank.
    overlap_with_full, rank_correlation_with_full : float
        The same between each repeat and the fit on all data.
    selection_frequency : ndarray of shape (n_features,)
        Share of the repeats that selected each feature.
    rankings : ndarray of shape (n_repeats, n_features)
        1 is best; features that tie or are not ordered share the mean of their ranks.
    full_ranking : ndarray of shape (n_features,)
        The ranking from all data.
    full_selection : ndarray of bool, shape (n_features,)
        The selection from all data.
    feature_names : ndarray of shape (n_features,)
        Those of X, or x0, x1 and so on.

    See Also
    --------
    ranking_stability : Measures it.
    eigenselect.StabilitySelector : Selects by how often features are selected.

    Examples
    --------
    >>> from eigenselect import FisherScore
    >>> from eigenselect.sensitivity import ranking_stability
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = ranking_stability(FisherScore(4), X, y, n_repeats=5, random_state=0)
    >>> found.to_frame()["feature"].head(2).tolist()
    ['flavanoids', 'proline']
    """

    n_selected: int
    overlap: float
    corrected_overlap: float
    rank_correlation: float
    overlap_with_full: float
    rank_correlation_with_full: float
    selection_frequency: FloatArray
    rankings: AnyArray
    full_ranking: AnyArray
    full_selection: BoolArray
    feature_names: AnyArray

    def to_frame(self) -> pd.DataFrame:
        """Make a table, one row per feature, best first: rank on all data, how often selected, where it ranked.

        Returns
        -------
        DataFrame
            With columns ``feature``, ``rank``, ``selected`` (a share), ``median_rank``, ``rank_5%`` and ``rank_95%``.
        """
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
    progress: bool | Progress | None = None,
) -> RankingStability:
    """Fit a selector again and again on perturbed data and report how much its ranking changes.

    Parameters
    ----------
    selector : selector or pipeline that ends in one
        Of this library or of scikit-learn; it is cloned. See `eigenselect.selection.feature_order` for what is read
        of it. One that orders only what it selects (`MRSF`) is asked for ``n_selected`` features.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The table.
    y : array of shape (n_samples,), optional
        Classes are drawn in their proportions; unlabelled samples count as one more class.
    perturbation : {"subsample", "bootstrap", "noise"}, default="subsample"
        Draw samples without or with replacement, or add normal noise to every value.
    n_repeats : int, default=50
        How often it is fitted again.
    fraction : float, default=0.8
        Share of the samples that is drawn (a bootstrap draws as many as there are).
    noise : float, default=0.1
        Standard deviation of the noise in those of the features.
    n_selected : int, optional
        The size k of the selections that are compared; what the selector chose on all data if not given. Then rules
        that do not take the best of the ranking (`FDR`, `Threshold`, ``must_keep``) choose anew in every repeat.
    n_jobs : int, optional
        Processes over the repeats, as joblib counts them. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        For what is drawn; None is a fixed start.
    progress : bool or callable, optional
        Count the repeats on stderr; if not given, only on a terminal. A callable gets (done, total) after each repeat.

    Returns
    -------
    RankingStability
        Overlaps, correlations, and how often each feature was selected.

    See Also
    --------
    eigenselect.StabilitySelector : Selects by how often features are selected.
    perturbation_bound : A bound on the change of a score.

    References
    ----------
    Kuncheva, A stability index for feature selection, IASTED 2007, for the correction for chance; Nogueira, Sechidis
    and Brown, On the stability of feature selection algorithms, JMLR 18(174), 2018, where selections differ in size.

    Examples
    --------
    >>> from eigenselect import FisherScore
    >>> from eigenselect.sensitivity import ranking_stability
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> print(ranking_stability(FisherScore(4), X, y, n_repeats=20, random_state=0))
    20 repeats, top 4 of 13 features: overlap 0.95 (beyond chance 0.93), rank correlation 0.98
    """
    _check_options(selector, perturbation, n_repeats, fraction, noise)
    X = indexable(X, "ranking_stability")
    check_order(sample_names_of(y), sample_names_of(X), "ranking_stability", "y")
    X = portable(X) if perturbation == "noise" else X
    if perturbation == "noise" and sparse.issparse(X):
        raise ValueError("ranking_stability: noise would fill a sparse table; use perturbation='subsample'.")
    labels = None if y is None else label_array(y, "ranking_stability")
    if labels is not None and labels.size != X.shape[0]:
        raise ValueError(f"ranking_stability: got {labels.size} labels for {X.shape[0]} samples.")
    if n_selected is not None:
        n_features = X.shape[1]
        within = f"an integer between 1 and {n_features} features"
        whole(n_selected, "n_selected", "ranking_stability", high=n_features, expected=within)
    full = _fitted_order(selector, X, labels, n_selected)
    draws = random_generator(random_state).randint(2**31 - 1, size=n_repeats)
    options: dict[str, Any] = {
        "perturbation": perturbation,
        "fraction": fraction,
        "noise": noise,
        "n_selected": n_selected,
    }
    refit = partial(_refit, selector, X, labels, **options)
    fits = refit_all(refit, [(int(seed),) for seed in draws], n_jobs=n_jobs, progress=shown_progress(progress))
    return _summary(fits, full, n_selected, _names(X), type(last_step(selector)).__name__)


class _Fit(NamedTuple):
    """The order that one fit gave, the features that it selected, and whether these are always the first of it."""

    order: FeatureOrder
    support: BoolArray
    by_rank: bool = True


def _names(X: Any) -> AnyArray:
    given = feature_names_of(X)
    return np.asarray([f"x{i}" for i in range(X.shape[1])] if given is None else given, dtype=object)


def _fitted_order(selector: Any, X: Any, y: Any, n_selected: int | None) -> _Fit:
    fitted = fitted_for(selector, X, y, None if n_selected is None else [n_selected])
    rule = getattr(last_step(fitted), "selection_rule", None)
    return _Fit(feature_order(fitted), selected_columns(fitted), rule is None or rule.follows_ranking)


def _refit(
    selector: Any,
    X: Any,
    y: Any,
    seed: int,
    *,
    perturbation: str,
    fraction: float,
    noise: float,
    n_selected: int | None,
) -> _Fit:
    """Fit one perturbed copy of the data, without its warnings: those of the full fit were said already."""
    rng = np.random.RandomState(seed)
    if perturbation == "noise":
        table = np.asarray(X, dtype=np.float64)
        noisy = table + noise * table.std(axis=0) * rng.standard_normal(table.shape)
        names = {"index": getattr(X, "index", None), "columns": getattr(X, "columns", None)}
        X = pd.DataFrame(noisy, **names) if names["columns"] is not None else noisy
    else:
        rows = draw_samples(X.shape[0], y, perturbation == "bootstrap", fraction, rng)
        X = rows_of(X, rows)
        y = None if y is None else y[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _fitted_order(selector, X, y, n_selected)


def _summary(fits: list[_Fit], full: _Fit, n_selected: int | None, names: AnyArray, owner: str) -> RankingStability:
    k = int(full.support.sum()) if n_selected is None else int(n_selected)
    rankings = np.array([fit.order.ranks for fit in fits])
    chosen = np.array([_selection(fit, k, n_selected is None) for fit in fits])
    reference = _selection(full, k, n_selected is None)
    _warn_about_smaller(chosen, k, n_selected, owner)
    size = float(chosen.sum(axis=1).mean())
    overlap = _mean_over_pairs(chosen.astype(np.float64)) / size if size else np.nan
    return RankingStability(
        n_selected=k,
        overlap=overlap,
        corrected_overlap=overlap_beyond_chance(chosen),
        rank_correlation=_mean_over_pairs(_standardized(rankings)),
        overlap_with_full=float((chosen & reference).sum(axis=1).mean() / size) if size else np.nan,
        rank_correlation_with_full=float((_standardized(rankings) @ _standardized(full.order.ranks[None])[0]).mean()),
        selection_frequency=chosen.mean(axis=0),
        rankings=_whole(rankings),
        full_ranking=_whole(full.order.ranks),
        full_selection=reference,
        feature_names=names,
    )


def _selection(fit: _Fit, k: int, as_selected: bool) -> BoolArray:
    """Return the top k; where none was asked for, what was selected if a rule chose it or the order cannot be cut."""
    top = fit.order.top(k)
    if as_selected and (top.size < k or not fit.by_rank):
        return fit.support
    chosen = np.zeros(fit.order.n_features, dtype=bool)
    chosen[top] = True
    return chosen


def _warn_about_smaller(chosen: BoolArray, k: int, n_selected: int | None, owner: str) -> None:
    smaller = int((chosen.sum(axis=1) < k).sum())
    if smaller and n_selected is not None:
        warn(
            f"ranking_stability: {owner} does not order {k} features in {smaller} of {len(chosen)} repeats; as many as "
            "it does order are compared.",
            UserWarning,
        )


def overlap_beyond_chance(chosen: BoolArray) -> float:
    """Return 1 - variance of selecting a feature / that of drawing it; Kuncheva's index where sizes are equal.

    Parameters
    ----------
    chosen : ndarray of bool of shape (n_selections, n_features)

    Examples
    --------
    >>> overlap_beyond_chance(np.array([[1, 1, 0, 0], [1, 1, 0, 0]], dtype=bool))
    1.0
    """
    share = float(chosen.mean()) if chosen.size else 0.0
    if not 0 < share < 1:
        return np.nan
    return float(1.0 - chosen.var(axis=0, ddof=1).mean() / (share * (1.0 - share)))


def _whole(ranks: FloatArray) -> AnyArray:
    """Return ranks as integers where none of them is the mean of two."""
    return ranks.astype(np.intp) if (ranks % 1 == 0).all() else ranks


def _mean_over_pairs(rows: FloatArray) -> float:
    """Return the mean inner product of two different rows, (|Σ r|² - Σ |r|²) / (B (B - 1)), without the B² pairs."""
    total, count = rows.sum(axis=0), len(rows)
    return float((total @ total - np.einsum("ij,ij->", rows, rows)) / (count * (count - 1)))


def _standardized(rankings: FloatArray) -> FloatArray:
    """Centre rows to unit length, so that inner products are Spearman correlations; zeros where all tie."""
    ranks = rankings - rankings.mean(axis=1, keepdims=True)
    length = np.linalg.norm(ranks, axis=1, keepdims=True)
    return np.divide(ranks, length, out=np.zeros_like(ranks), where=length > 0)


def _check_options(selector: Any, perturbation: str, n_repeats: int, fraction: float, noise: float) -> None:
    owner = "ranking_stability"
    if not hasattr(selector, "fit"):
        raise TypeError(f"{owner}: selector must be an estimator, got {type(selector).__name__}.")
    choice(perturbation, "perturbation", owner, PERTURBATIONS)
    whole(n_repeats, "n_repeats", owner, low=2)
    share(fraction, "fraction", owner, zero=False, expected="in (0, 1]")
    number(noise, "noise", owner, closed=True, expected="zero or a positive number")

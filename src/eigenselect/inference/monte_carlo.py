"""P-values that three moments do not tell, refined by random permutations.

Which these are is said in `eigenselect.inference.doubts`. There are two ways to permute a feature, and each feature
takes the cheaper one: values that are not the most frequent one land on random samples one by one, which is cheap
where there are few of them (`eigenselect.inference.landing`), or all features go through the same random orders of the
samples (`eigenselect.inference.shuffles`).

References
----------
Besag and Clifford, Sequential Monte Carlo p-values, Biometrika 1991, doi:10.1093/biomet/78.2.301; Knijnenburg, Wessels,
Reinders and Shmulevich, Fewer permutations, more accurate P-values, Bioinformatics 2009,
doi:10.1093/bioinformatics/btp211.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from eigenselect._checks import random_generator
from eigenselect._parallel import map_blocks
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference import landing_numpy
from eigenselect.inference.all_orders import MOST_SAMPLES, all_orders_pvalues
from eigenselect.inference.deep_tail import TAIL_DRAWS, sequential_pvalue, smallest_pvalue
from eigenselect.inference.doubts import has_few_values, has_wrong_curve
from eigenselect.inference.landing import TIED, Landing, visits
from eigenselect.inference.power_sums import PowerSums, power_sums
from eigenselect.inference.shuffles import Orders, Shuffled, Shuffles, shuffled_pvalues
from eigenselect.inference.two_values import may_have_two_values, two_value_pvalues
from eigenselect.matrix import Matrix

#: no p-value above it is refined: nobody decides by it
LARGEST_REFINED = 0.1
#: most draws for one feature
MOST_DRAWS = 1_000_000
#: fewest draws worth their while: `TAIL_DRAWS` of them are then still a tail
FEWEST_DRAWS = 20 * TAIL_DRAWS
#: draws that are kept for a feature before the next, less deep one gets any
SERVED_DRAWS = 10_000
#: numbers looked at for one feature, and for all: some 0.2 s and 1 s on one core
MOST_VISITS, ALL_VISITS = 8e7, 4e8
#: draws that are reckoned with for a feature: what its p-value asks for, times this, for that may be too large
RECKONED = 4.0
#: the same for all dense features, which share their draws, some 1 s, too; and the draws that one exceedance takes on
#: average, of features without structure whose p-values are below `LARGEST_REFINED`
SHARED_COST, SHARED_DRAWS = 4e8, 64
#: fewest exceedances at which drawing may end where many features share: a relative standard error of 0.3
FEWEST_EXCEEDANCES = 10
#: samples up to which a form that is only known by products is multiplied out
MOST_EXPLICIT = 2000
#: visits from which compiled loops are worth their import
COMPILED_WORK = 1e6


@dataclass(frozen=True)
class _Departures:
    """The values of a feature that are not its most frequent one, minus that one.

    ``smallest`` is the smallest possible p-value.
    """

    values: FloatArray
    background: float
    smallest: float

    @property
    def is_single(self) -> bool:
        """Whether there is one non-zero: the permutation test tries all of its places itself."""
        return self.values.size == 1 and self.background == 0.0

    @classmethod
    def of(cls, table: Matrix, place: int) -> _Departures:
        """Look at one column of a table."""
        distinct, counts = np.unique(_column(table, place), return_counts=True)
        most = int(np.argmax(counts))
        values = np.repeat(np.delete(distinct, most), np.delete(counts, most)) - distinct[most]
        return cls(values, float(distinct[most]), smallest_pvalue(counts.astype(np.float64)))


def _column(table: Matrix, place: int) -> FloatArray:
    return table.columns(slice(place, place + 1))[:, 0]


#: of the numerator and of the denominator, where there is one
_Forms = tuple[SymmetricForm, SymmetricForm | None]


@dataclass(frozen=True)
class _Task:
    """One feature to refine: its place in the table, its values, and the most draws for it."""

    column: int
    feature: _Departures
    n_draws: int


def refine(
    ratio: NullRatio,
    X: Matrix,
    native: FloatArray,
    pvalues: FloatArray,
    *,
    sums: PowerSums | None = None,
    suspected: FloatArray | None = None,
    skewness: FloatArray | None = None,
    lumps: FloatArray | None = None,
    random_state: Any = None,
    orders: Orders | None = None,
    precision: float = 0.1,
    share: float = 1.0,
    n_jobs: int | None = None,
) -> FloatArray:
    r"""Replace p-values that three moments do not tell by those of random permutations.

    A permuted feature counts as extreme where :math:`\pm f^\top (A - rB) f \ge 0` with the observed score r, ties
    included. All features are permuted alike: equal columns get equal p-values, wherever they stand.

    Parameters
    ----------
    ratio : NullRatio
    X : Matrix of shape (n_samples, n_features)
    native, pvalues : ndarray of shape (n_features,)
        Observed scores, and p-values from the moments, of which NaN stays NaN.
    sums : PowerSums, optional
        Of the features over the samples that count, where they are known.
    suspected : ndarray of shape (n_features,), optional
        Smaller p-values, which may be too small: by these it is chosen who is refined. The tail of the others is
        careful where scores are skewed the wrong way (`careful_tail`), and would leave out whom draws tell best.
    skewness : ndarray of shape (n_features,), optional
        Of the permuted scores, in the direction of good ones.
    lumps : ndarray of shape (n_features,), optional
        How much of the form few samples hold, see `eigenselect.inference.doubts.form_lumps`.
    random_state : int, RandomState or None, default=None
    orders : Orders, optional
        In place of ``random_state``: who judges several tables gives the same to all.
    precision : float, default=0.1
        Relative standard error at which drawing ends.
    share : float, default=1.0
        Part of `SHARED_COST` that may be spent: who judges features in parts gives each of them its own.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        Valid p-values where permutations could be afforded, the smallest first; others, above all dense ones of many
        samples, keep the value given.

    Examples
    --------
    Two non-zeros in one of 10 pairs of samples: of the 190 pairs of places 10 are as good.

    >>> from scipy import sparse
    >>> L = sparse.csr_array(np.kron(np.eye(10), np.array([[1.0, -1], [-1, 1]])))
    >>> ratio = NullRatio(SymmetricForm.of(L), SymmetricForm.diagonal_matrix(np.ones(20)).centred(), False, True, 20)
    >>> X = Matrix(np.array([[1.0, 1] + 18 * [0]]).T)
    >>> bool(abs(refine(ratio, X, np.zeros(1), np.array([0.01]), precision=0.02)[0] - 10 / 190) < 0.005)
    True
    """
    refined = np.array(pvalues, dtype=np.float64)
    if ratio.n_samples <= MOST_SAMPLES:
        return _of_all_orders(ratio, X, native, refined)
    suspected = refined if suspected is None else suspected
    candidates = np.flatnonzero((suspected < LARGEST_REFINED) & ~np.isnan(native))
    if not candidates.size or (forms := _explicit(ratio)) is None:
        return refined
    known = power_sums(_judged(ratio, X, candidates)) if sums is None else sums.some(candidates)
    counted = _put_two_valued(refined, ratio, X, native, candidates[may_have_two_values(known)])
    if counted.size:
        left = np.flatnonzero(~np.isin(candidates, counted))
        candidates, known = candidates[left], known.some(left)
    few, others = _doubted(ratio, candidates, known, native, suspected, skewness, lumps)
    if not few.size and not others.size:
        return refined
    n_exceedances = max(2, math.ceil(precision**-2))
    orders = Orders(int(random_generator(random_state).randint(2**31 - 1))) if orders is None else orders
    shuffles = Shuffles([form for form in forms if form is not None], orders)
    most_cost, told = share * SHARED_COST, (refined, suspected)
    enough = most_cost / shuffles.cost
    tasks, dense = _tasks(forms, ratio, X, few, told, n_exceedances, shuffles.cost, enough)
    if tasks:
        columns = [task.column for task in tasks]
        refined[columns] = _drawn_pvalues(tasks, forms, ratio, native[columns], orders.seed, n_exceedances, n_jobs)
    shared = _afforded(np.union1d(dense, others), told, shuffles.cost, most_cost)
    if shared.size:
        refined[shared] = _shared_pvalues(shuffles, ratio, X, shared, native[shared], n_exceedances, most_cost, n_jobs)
    return refined


def _doubted(
    ratio: NullRatio,
    columns: IntArray,
    sums: PowerSums,
    native: FloatArray,
    suspected: FloatArray,
    skewness: FloatArray | None,
    lumps: FloatArray | None,
) -> tuple[IntArray, IntArray]:
    """Return which of some features few values carry, and where else three moments do not tell the tail."""
    few = has_few_values(sums, suspected[columns])
    others = ~few & has_wrong_curve(
        ratio.explicit,
        native[columns],
        suspected[columns],
        None if skewness is None else skewness[columns],
        None if lumps is None else lumps[columns],
    )
    return columns[few], columns[others]


def _drawn_pvalues(
    tasks: list[_Task],
    forms: _Forms,
    ratio: NullRatio,
    scores: FloatArray,
    seed: int,
    n_exceedances: int,
    n_jobs: int | None,
) -> list[float]:
    """Draw for every task until enough draws exceed its score, or its draws are used up."""
    loops = _loops(tasks, forms)

    def pvalue(pair: tuple[_Task, float]) -> float:
        task, score = pair
        landing = _landing(forms, ratio, task, score, seed)
        found = sequential_pvalue(lambda a, b: loops.statistics(landing, a, b), n_exceedances, task.n_draws)
        return max(found, task.feature.smallest, _smallest_of(ratio))

    return map_blocks(pvalue, list(zip(tasks, scores.tolist(), strict=True)), n_jobs)


def _of_all_orders(ratio: NullRatio, X: Matrix, native: FloatArray, pvalues: FloatArray) -> FloatArray:
    """Replace the p-values of so few samples that nothing need be drawn."""
    known = np.flatnonzero(~np.isnan(native) & ~np.isnan(pvalues))
    table = X.take_columns(known)
    table = table if ratio.rows is None else table.take_rows(ratio.rows)
    pvalues[known] = all_orders_pvalues(ratio, table, native[known])
    return pvalues


def _put_two_valued(
    pvalues: FloatArray, ratio: NullRatio, X: Matrix, native: FloatArray, columns: IntArray
) -> IntArray:
    """Replace the p-values of features with two values on classes by exact ones; return whose these are."""
    if not columns.size or ratio.classes is None:
        return columns[:0]
    found = two_value_pvalues(ratio, _judged(ratio, X, columns), native[columns])
    counted = columns[~np.isnan(found)]
    pvalues[counted] = found[~np.isnan(found)]
    return counted


def _explicit(ratio: NullRatio) -> _Forms | None:
    """Return both forms in parts; None where they are only known by products, and for too many samples."""
    if ratio.n_samples > MOST_EXPLICIT and any(form.is_implicit for form in ratio.forms):
        return None
    numerator, *denominator = ratio.explicit
    return numerator, denominator[0] if denominator else None


def _judged(ratio: NullRatio, X: Matrix, columns: IntArray) -> Matrix:
    """Return some features, of the samples that count."""
    table = X.take_columns(columns)
    return table if ratio.rows is None else table.take_rows(ratio.rows)


def _tasks(
    forms: _Forms,
    ratio: NullRatio,
    X: Matrix,
    few: IntArray,
    pvalues: tuple[FloatArray, FloatArray],
    n_exceedances: int,
    shared_cost: float,
    enough: float,
) -> tuple[list[_Task], IntArray]:
    """Choose by how many draws each feature is refined: as many as its suspected p-value asks for.

    Where that is too much for all, the smallest careful p-values come first: suspected ones of noise may be 1/n!.
    Returned beside are those for which it is cheaper to share the draws of others: all, where there are ``enough``
    shared draws for them, else those for whom none of their own are left.
    """
    careful, suspected = (values[few] for values in pvalues)
    table = _judged(ratio, X, few)
    features = [_Departures.of(table, place) for place in range(few.size)]
    costs = np.array([_visits(forms, feature.values.size) for feature in features], dtype=np.intp)
    single = np.array([feature.is_single for feature in features], dtype=np.bool_)
    dense, wanted = (costs > shared_cost) & ~single, np.where(single, 0.0, _wanted_draws(suspected, n_exceedances))
    suffices = wanted[dense].sum() <= enough
    draws = shared_draws(np.where(dense, 0.0, wanted) if suffices else wanted, costs, careful)
    dense &= draws == 0
    return [_Task(int(few[i]), features[i], int(draws[i])) for i in np.flatnonzero(draws)], few[dense]


def _afforded(columns: IntArray, pvalues: tuple[FloatArray, FloatArray], cost: float, most_cost: float) -> IntArray:
    """Choose whom shared draws are left for: `FEWEST_DRAWS`, or the few that a suspected p-value asks for.

    Half of the draws is for that, and the other half for those that need more.
    """
    careful, suspected = (values[columns] for values in pvalues)
    wanted = _wanted_draws(suspected, FEWEST_EXCEEDANCES)
    return columns[_first_served(careful, wanted, np.full(columns.size, cost), FEWEST_DRAWS, most_cost / 2)]


def _shared_pvalues(
    shuffles: Shuffles,
    ratio: NullRatio,
    X: Matrix,
    columns: IntArray,
    scores: FloatArray,
    n_exceedances: int,
    most_cost: float,
    n_jobs: int | None,
) -> FloatArray:
    """Draw for some features together; the more there are, the fewer exceedances are waited for."""
    table, features, smallest = _judged(ratio, X, columns), [], []
    for place, score in enumerate(scores.tolist()):
        values = _column(table, place)
        smallest.append(smallest_pvalue(np.unique(values, return_counts=True)[1].astype(np.float64)))
        alpha, beta, constant = _along(ratio, score)
        weights = alpha, beta
        features.append(
            Shuffled(values - values.mean(), weights, constant)
            if ratio.centred
            else Shuffled.of(values, shuffles.forms, weights, constant)
        )
    affordable = int(most_cost / (SHARED_DRAWS * columns.size * shuffles.cost))
    found = shuffled_pvalues(
        shuffles,
        features,
        min(n_exceedances, max(FEWEST_EXCEEDANCES, affordable)),
        most_draws=min(MOST_DRAWS, int(MOST_VISITS / shuffles.cost)),
        most_cost=most_cost,
        n_jobs=n_jobs,
    )
    return np.maximum(found, np.maximum(smallest, _smallest_of(ratio)))


def _smallest_of(ratio: NullRatio) -> float:
    """Return one over the number of orders that the form tells apart: n! / Π n_l! of classes."""
    return math.exp(ratio.log_symmetries - math.lgamma(ratio.n_samples + 1.0))


def _wanted_draws(pvalues: FloatArray, n_exceedances: int) -> FloatArray:
    """Reckon with the draws that these p-values ask for, and some more: they may be too large.

    Powers of two: the last bits of a p-value, which differ between processors, should not show.
    """
    wanted = RECKONED * n_exceedances / np.maximum(pvalues, 1.0 / MOST_DRAWS)
    return np.minimum(np.exp2(np.ceil(np.log2(wanted))), MOST_DRAWS)


def shared_draws(wanted: FloatArray, costs: IntArray, pvalues: FloatArray | None = None) -> IntArray:
    """Share `ALL_VISITS` out: nobody draws more than one level, and what one does not need raises it for the others.

    If `SERVED_DRAWS` are too many for all, the smallest ``pvalues`` come first; 0 for the others, and where fewer than
    `FEWEST_DRAWS` could be afforded. Nobody gets more than `MOST_VISITS`. Who has the same p-value at the same cost
    gets the same.

    >>> shared_draws(np.array([1e4, 1e6]), np.array([100, 100]))
    array([ 10000, 800000])
    >>> shared_draws(np.array([1e6]), np.array([400_000]))
    array([0])
    """
    depths = -wanted if pvalues is None else pvalues
    paying = _first_served(depths, wanted, costs, SERVED_DRAWS, ALL_VISITS)
    if not paying.any():  # many of one depth: some draws for all of them are better than none
        paying = _first_served(depths, wanted, costs, FEWEST_DRAWS, ALL_VISITS)
    if not paying.any():
        return np.zeros(costs.size, dtype=np.intp)
    draws = np.minimum(wanted, np.minimum(_level(wanted[paying], costs[paying]), MOST_VISITS // costs))
    return np.where(paying & (draws >= FEWEST_DRAWS), draws, 0.0).astype(np.intp)


def _first_served(
    depths: FloatArray, wanted: FloatArray, costs: IntArray | FloatArray, n_draws: int, most: float
) -> BoolArray:
    """Tell for whom ``n_draws`` are left, the smallest depth first; of equal ones, copies of a feature, all or none.

    >>> _first_served(np.array([1e-9, 1e-3, 1e-3]), np.full(3, 1e6), np.full(3, 15_000), 10_000, 4e8)
    array([ True, False, False])
    """
    asking = wanted > 0
    depths = np.where(asking, depths, np.inf)
    order = np.argsort(depths, kind="stable")
    beyond = np.flatnonzero(np.cumsum((np.minimum(wanted, n_draws) * costs)[order]) > most)
    return asking & (depths < depths[order[beyond[0]]]) if beyond.size else asking


def _level(wanted: FloatArray, costs: IntArray) -> float:
    """Return the largest L for which Σ min(wanted, L) · cost is at most `ALL_VISITS`; infinite if all can be met."""
    order = np.argsort(wanted, kind="stable")
    wanted, costs = wanted[order], costs[order].astype(np.float64)
    before = np.append(0.0, np.cumsum(wanted * costs)[:-1])
    levels = (ALL_VISITS - before) / np.cumsum(costs[::-1])[::-1]
    binding = np.flatnonzero(wanted > levels)
    return float(levels[binding[0]]) if binding.size else math.inf


def _visits(forms: _Forms, n_values: int) -> int:
    """Reckon what one draw costs."""
    parts = [form for form in forms if form is not None]
    entries = sum(form.n_entries for form in parts if not form.is_dense)
    rank = sum(form.V.shape[1] for form in parts)
    return visits(n_values, parts[0].n_samples, entries, any(form.is_dense for form in parts), rank)


def _loops(tasks: list[_Task], forms: _Forms) -> ModuleType:
    """Take compiled loops where there is enough to do; the choice depends on sizes only."""
    if sum(task.n_draws * _visits(forms, task.feature.values.size) for task in tasks) < COMPILED_WORK:
        return landing_numpy
    from eigenselect.inference import landing_numba

    return landing_numba


def _along(ratio: NullRatio, score: float) -> tuple[float, float, float]:
    r"""Return α, β and c for which αA + βB + c is at least 0 where a score is at least as good.

    These are ±(A - rB); for large r, infinite ones too, ±(A/\|r\| - B sign r); without B, ±A minus
    the score.
    """
    sign = 1.0 if ratio.larger_is_better else -1.0
    if ratio.denominator is None:
        return sign, 0.0, -sign * score
    unit = max(1.0, abs(score))
    return sign / unit, -sign * (score if unit == 1.0 else math.copysign(1.0, score)), 0.0


def _landing(forms: _Forms, ratio: NullRatio, task: _Task, score: float, seed: int) -> Landing:
    """Prepare the form αA + βB + c, so that extreme is at least 0."""
    numerator, denominator = forms
    background = 0.0 if ratio.centred else task.feature.background
    alpha, beta, constant = _along(ratio, score)
    form = numerator.scaled(alpha)
    if denominator is not None:
        form = form.plus(denominator.scaled(beta))
    # where αA and βB cancel, what is left is rounding of either, which only their own sizes tell
    size = abs(alpha) * float(numerator.diagonal_size().max())
    if denominator is not None:
        size += abs(beta) * float(denominator.diagonal_size().max())
    constant += TIED * size * float(task.feature.values @ task.feature.values)
    return Landing.of(form, task.feature.values, background=background, constant=constant, seed=seed)

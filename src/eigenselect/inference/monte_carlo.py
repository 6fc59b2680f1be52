r"""Deep tails of skewed features, refined by random permutations of their non-zeros.

Three moments describe the tail of a bell-shaped feature down to about 1e-5. A feature whose spread rests on a few
samples has a null distribution of its own: lumps, atoms, and tails that no smooth family follows. How few is said by

.. math:: k = \Big(\sum_i z_i^2\Big)^2 \Big/ \sum_i z_i^4, \qquad z = f - \bar f,

which is about the number of non-zeros of a rare feature and n/3 for a bell-shaped one. Permuting such a feature is
cheap exactly because it is rare (`eigenselect.inference.landing`).

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

from eigenselect._parallel import map_blocks
from eigenselect._random import random_generator
from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.structured import AnyForm, ImplicitForm, SymmetricForm
from eigenselect.inference import landing_numpy
from eigenselect.inference.all_orders import MOST_SAMPLES, all_orders_pvalues
from eigenselect.inference.deep_tail import TAIL_DRAWS, sequential_pvalue, smallest_pvalue
from eigenselect.inference.landing import Landing, visits
from eigenselect.inference.power_sums import PowerSums, power_sums
from eigenselect.matrix import Matrix, SparseMatrix

#: effective number of values from which the moments are enough. Measured on 400 samples, three graphs: at a true 1e-4
#: type III says 0.7e-4 to 1.3e-4 from 130 values on, 0.4e-4 to 1.1e-4 with 50, and 0.02e-4 to 3e-4 with 3 to 20.
ENOUGH_VALUES = 100.0
#: and the part of the samples that bell-shaped (n/3) and uniform (n/1.8) features surely exceed: few samples do not
#: make a feature rare
ENOUGH_SHARE = 1 / 6
#: type III goes wrong where p · k is below about this (the same measurements: at 1e-2 it is good with 50 values, and
#: off by a factor of 2 with 3 to 6)
DEEP = 1.0
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
#: samples up to which a form that is only known by products is multiplied out
MOST_EXPLICIT = 2000
#: visits from which compiled loops are worth their import
COMPILED_WORK = 1e6


@dataclass(frozen=True)
class _Departures:
    """The values of a feature that are not its most frequent one, minus that one, divided by two to an exponent.

    ``smallest`` is the smallest possible p-value.
    """

    values: FloatArray
    background: float
    exponent: int
    smallest: float

    @property
    def is_single(self) -> bool:
        """Whether there is one non-zero: the permutation test tries all of its places itself."""
        return self.values.size == 1 and self.background == 0.0

    @classmethod
    def of(cls, table: Matrix, place: int) -> _Departures:
        """Look at one column of a table."""
        if isinstance(table, SparseMatrix):
            X = table.by_column
            column = X.data[X.indptr[place] : X.indptr[place + 1]].astype(np.float64)
        else:
            column = table.columns(slice(place, place + 1))[:, 0]
        exponent = int(np.frexp(np.abs(column).max())[1])
        column = np.append(np.ldexp(column, -exponent), np.zeros(table.n_samples - column.size))
        distinct, counts = np.unique(column, return_counts=True)
        most = int(np.argmax(counts))
        values = np.repeat(np.delete(distinct, most), np.delete(counts, most)) - distinct[most]
        return cls(values, float(distinct[most]), exponent, smallest_pvalue(counts.astype(np.float64)))


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
    random_state: Any = None,
    precision: float = 0.1,
    n_jobs: int | None = None,
) -> FloatArray:
    r"""Replace deep p-values of skewed features by those of random permutations.

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
    random_state : int, RandomState or None, default=None
    precision : float, default=0.1
        Relative standard error at which drawing ends.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n_features,)
        Valid p-values where permutations could be afforded: all where few samples carry a feature; others, above all
        dense ones of many samples, keep the value given.

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
    deep = _deep(ratio, X, np.flatnonzero((suspected < LARGEST_REFINED) & ~np.isnan(native)), suspected, sums)
    if not deep.size or (forms := _explicit(ratio)) is None:
        return refined
    n_exceedances = max(2, math.ceil(precision**-2))
    tasks = _tasks(forms, ratio, X, deep, (refined[deep], suspected[deep]), n_exceedances)
    seed = int(random_generator(random_state).randint(2**31 - 1))
    if tasks:
        columns = [task.column for task in tasks]
        refined[columns] = _drawn_pvalues(tasks, forms, ratio, native[columns], seed, n_exceedances, n_jobs)
    return refined


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
        return max(found, task.feature.smallest)

    return map_blocks(pvalue, list(zip(tasks, scores.tolist(), strict=True)), n_jobs)


def _of_all_orders(ratio: NullRatio, X: Matrix, native: FloatArray, pvalues: FloatArray) -> FloatArray:
    """Replace the p-values of so few samples that nothing need be drawn."""
    known = np.flatnonzero(~np.isnan(native) & ~np.isnan(pvalues))
    table = X.take_columns(known)
    table = table if ratio.rows is None else table.take_rows(ratio.rows)
    pvalues[known] = all_orders_pvalues(ratio, table, native[known])
    return pvalues


def _explicit(ratio: NullRatio) -> _Forms | None:
    """Return both forms in parts; None where they are only known by products, and for too many samples."""

    def explicit(form: AnyForm) -> SymmetricForm:
        return form.explicit() if isinstance(form, ImplicitForm) else form

    forms = (ratio.numerator, ratio.denominator)
    if ratio.n_samples > MOST_EXPLICIT and any(isinstance(form, ImplicitForm) for form in forms):
        return None
    return explicit(ratio.numerator), None if ratio.denominator is None else explicit(ratio.denominator)


def _deep(ratio: NullRatio, X: Matrix, candidates: IntArray, pvalues: FloatArray, sums: PowerSums | None) -> IntArray:
    """Choose the columns that so few values carry that their moments do not tell such small p-values."""
    if not candidates.size:
        return candidates
    known = power_sums(_judged(ratio, X, candidates)) if sums is None else sums.some(candidates)
    effective = effective_values(known)
    enough = min(ENOUGH_VALUES, ENOUGH_SHARE * ratio.n_samples)
    return candidates[(effective < enough) & (pvalues[candidates] * effective < DEEP)]


def _judged(ratio: NullRatio, X: Matrix, columns: IntArray) -> Matrix:
    """Return some features, of the samples that count."""
    table = X.take_columns(columns)
    return table if ratio.rows is None else table.take_rows(ratio.rows)


def _tasks(
    forms: _Forms,
    ratio: NullRatio,
    X: Matrix,
    deep: IntArray,
    pvalues: tuple[FloatArray, FloatArray],
    n_exceedances: int,
) -> list[_Task]:
    """Choose by how many draws each feature is refined: as many as its suspected p-value asks for.

    Where that is too much for all, the smallest careful p-values come first: suspected ones of noise may be 1/n!.
    """
    careful, suspected = pvalues
    table = _judged(ratio, X, deep)
    features = [_Departures.of(table, place) for place in range(deep.size)]
    wanted = _wanted_draws(suspected, n_exceedances)
    wanted[[feature.is_single for feature in features]] = 0.0
    costs = np.array([_visits(forms, feature.values.size) for feature in features], dtype=np.intp)
    draws = shared_draws(wanted, costs, careful)
    return [_Task(int(deep[i]), features[i], int(draws[i])) for i in np.flatnonzero(draws)]


def effective_values(sums: PowerSums) -> FloatArray:
    """Return (Σ z²)² / Σ z⁴ of every column; infinite for constant ones.

    >>> effective_values(power_sums(Matrix(np.array([[1.0, 0], [-1, 0], [1, 8], [-1, 0]]))))
    array([4.        , 1.71428571])
    """
    varies = sums.powers[4] > 0
    return np.where(varies, sums.powers[2] ** 2 / np.where(varies, sums.powers[4], 1.0), np.inf)


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
    paying = _first_served(depths, wanted, costs, SERVED_DRAWS)
    if not paying.any():  # many of one depth: some draws for all of them are better than none
        paying = _first_served(depths, wanted, costs, FEWEST_DRAWS)
    if not paying.any():
        return np.zeros(costs.size, dtype=np.intp)
    draws = np.minimum(wanted, np.minimum(_level(wanted[paying], costs[paying]), MOST_VISITS // costs))
    return np.where(paying & (draws >= FEWEST_DRAWS), draws, 0.0).astype(np.intp)


def _first_served(depths: FloatArray, wanted: FloatArray, costs: IntArray, n_draws: int) -> BoolArray:
    """Tell for whom ``n_draws`` are left, the smallest depth first; of equal ones, copies of a feature, all or none.

    >>> _first_served(np.array([1e-9, 1e-3, 1e-3]), np.full(3, 1e6), np.full(3, 15_000), 10_000)
    array([ True, False, False])
    """
    asking = wanted > 0
    depths = np.where(asking, depths, np.inf)
    order = np.argsort(depths, kind="stable")
    beyond = np.flatnonzero(np.cumsum((np.minimum(wanted, n_draws) * costs)[order]) > ALL_VISITS)
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
    entries = sum(form.E.nnz for form in parts if not form.is_dense)
    rank = sum(form.V.shape[1] for form in parts)
    return visits(n_values, parts[0].n_samples, entries, any(form.is_dense for form in parts), rank)


def _loops(tasks: list[_Task], forms: _Forms) -> ModuleType:
    """Take compiled loops where there is enough to do; the choice depends on sizes only."""
    if sum(task.n_draws * _visits(forms, task.feature.values.size) for task in tasks) < COMPILED_WORK:
        return landing_numpy
    from eigenselect.inference import landing_numba

    return landing_numba


def _landing(forms: _Forms, ratio: NullRatio, task: _Task, score: float, seed: int) -> Landing:
    r"""Prepare ±(A - rB) so that extreme is at least 0; for large r, infinite ones too, ±(A/|r| - B sign r)."""
    sign = 1.0 if ratio.larger_is_better else -1.0
    numerator, denominator = forms
    background = 0.0 if ratio.centred else task.feature.background
    if denominator is None:
        constant = -sign * math.ldexp(score, -2 * task.feature.exponent)
        form: AnyForm = numerator.scaled(sign)
    else:
        constant, unit = 0.0, max(1.0, abs(score))
        share = score if unit == 1.0 else math.copysign(1.0, score)
        form = numerator.scaled(sign / unit).plus(denominator.scaled(-sign * share))
    assert isinstance(form, SymmetricForm)
    return Landing.of(form, task.feature.values, background=background, constant=constant, seed=seed)

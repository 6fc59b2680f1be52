"""Several criteria on one graph, of which every feature is judged by the one that it stands out in most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenselect._floats import SAME
from eigenselect._typing import BoolArray, FloatArray
from eigenselect.criteria.criterion import Criterion, Scores
from eigenselect.graph import SampleGraph
from eigenselect.inference.discoveries import cauchy_combination
from eigenselect.inference.permutation import NO_SPREAD, NullTest, permutation_test
from eigenselect.inference.scalars import Scalars
from eigenselect.matrix import Matrix, as_matrix


@dataclass(frozen=True)
class BestScale:
    r"""Score a feature by the scale at which it is farthest from chance.

    .. math:: z(f) = \max_s \frac{\mathbf E\,\varphi_s - \varphi_s(f)}{\mathrm{sd}\,\varphi_s}

    where mean and standard deviation are those over all permutations of the feature over the samples, exact for any
    feature: scales become comparable by what noise with the same values would score at them. A scale at which every
    order of the values has the same score says nothing, and adds 0.

    Attributes
    ----------
    criteria : tuple of Criterion
        One per scale, on one graph.

    Examples
    --------
    >>> from eigenselect.criteria.criterion import phi
    >>> from eigenselect.spectral import Heat
    >>> line = SampleGraph(np.eye(12, k=1) + np.eye(12, k=-1))
    >>> best = BestScale(tuple(phi("phi2", line, Heat(time)) for time in (0.5, 10)))
    >>> found = best.scores(np.column_stack([np.arange(12.0) // 6, np.arange(12.0) // 2 % 2]))
    >>> found.native.round(2), found.attributes["best_scale_"]
    (array([5.77, 0.28]), array([1, 0]))
    """

    criteria: tuple[Criterion, ...]
    larger_is_better = True
    #: by the covariates that were taken out: a graph's scalars are a few numbers and take nearly all of the time
    _known: dict[bytes, list[Scalars | None]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def graph(self) -> SampleGraph:
        """The sample graph of all scales."""
        return self.criteria[0].graph

    def scores(self, X: Any, *, n_jobs: int | None = None, owner: str = "BestScale") -> Scores:
        """Score every feature; ``scale_scores_`` has z at every scale, ``best_scale_`` the number of the largest."""
        table = as_matrix(X)
        scores = self._scores(table, n_jobs, owner)
        tests = self._tests(table, scores, n_jobs=n_jobs, owner=owner)
        found = map(_standardised, scores, tests)
        values, rounding = (np.array(part) for part in zip(*found, strict=True))
        known = np.where(np.isnan(values), -np.inf, values)
        best = np.argmax(known + np.nan_to_num(rounding) >= known.max(axis=0), axis=0)  # of equal ones the first
        at_best = (best, np.arange(best.size))
        attributes = {"scale_scores_": values, "best_scale_": best}
        return Scores(values[at_best], values[at_best], rounding[at_best], True, attributes)

    def permutation_test(self, X: Matrix, native: FloatArray, **options: Any) -> NullTest:
        """Combine the p-values of the scales, which depend on one another, by the Cauchy rule.

        A scale at which every order of the values has the same score is left out; 1 where all scales are such. Mean and
        spread of the largest of several standard scores are not known: NaN.
        """
        table = as_matrix(X)
        tests = self._tests(table, self._scores(table, options.get("n_jobs")), **options)
        telling = [np.where(_is_flat(test), np.nan, test.pvalues) for test in tests]
        pvalues = cauchy_combination(np.array(telling))
        pvalues = np.where(np.isnan(pvalues), tests[0].pvalues, pvalues)
        unknown = np.full(pvalues.shape, np.nan)
        return NullTest(pvalues, unknown, unknown, max(test.error for test in tests))

    def _scores(self, table: Matrix, n_jobs: int | None, owner: str = "BestScale") -> list[Scores]:
        return [criterion.scores(table, n_jobs=n_jobs, owner=owner) for criterion in self.criteria]

    def _tests(self, table: Matrix, scores: list[Scores], **options: Any) -> list[NullTest]:
        """Test the scores of every scale; the scalars of a graph are computed once."""
        basis = b"" if table.basis is None else table.basis.tobytes()
        known = self._known.get(basis, [None] * len(self.criteria))
        tests = [
            permutation_test(criterion.null_ratio(), table, found.native, scalars=scalars, **options)
            for criterion, found, scalars in zip(self.criteria, scores, known, strict=True)
        ]
        self._known[basis] = [test.scalars for test in tests]
        return tests


def _standardised(scores: Scores, test: NullTest) -> tuple[FloatArray, FloatArray]:
    """Return how many standard deviations better than chance every score is, and the rounding of that."""
    sign = 1.0 if scores.larger_is_better else -1.0
    spread = np.where(_is_flat(test), np.inf, test.null_sd)
    values = sign * (scores.native - test.null_mean) / spread
    return values, SAME * np.abs(values) + scores.rounding / spread


def _is_flat(test: NullTest) -> BoolArray:
    """Tell for which features every order of the values has one score, up to rounding."""
    return np.asarray(test.null_sd <= NO_SPREAD * np.abs(test.null_mean))

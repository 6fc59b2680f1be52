"""I or C of every gene and how sure they are: from the exact moments over all permutations, and from drawn ones."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

from eigenselect._progress import progress_line
from eigenselect._typing import FloatArray
from eigenselect._warn import warn
from eigenselect.criteria.autocorrelation import geary_criterion, moran_criterion
from eigenselect.criteria.criterion import Criterion, Scores
from eigenselect.exceptions import UndefinedScoreWarning, counted
from eigenselect.graph import SampleGraph
from eigenselect.inference.monte_carlo import refine
from eigenselect.inference.permutation import NullTest, permutation_test
from eigenselect.matrix import Matrix
from eigenselect.single_cell.counts import n_expressed
from eigenselect.single_cell.permuted_autocorr import permuted_statistics

OWNER = "spatial_autocorr"


@dataclass(frozen=True)
class Statistic:
    """A mode of `spatial_autocorr`.

    Attributes
    ----------
    column, key : str
        squidpy's names of the statistic, and of the table in ``.uns``.
    criterion : callable
        Makes the criterion of a graph, as an owner.
    """

    column: str
    key: str
    criterion: Callable[..., Criterion]


STATISTICS = {
    "moran": Statistic("I", "moranI", moran_criterion),
    "geary": Statistic("C", "gearyC", geary_criterion),
}


@dataclass(frozen=True)
class ScoredGenes:
    """Genes that were scored on a graph, and can be tested there.

    Attributes
    ----------
    statistic : Statistic
    graph : SampleGraph
    table : Matrix
    criterion : Criterion
    scores : Scores
        I or C; NaN for constant genes.
    two_tailed : bool
        Whether neighbours that are less alike than chance makes them count, too.
    n_jobs : int or None

    Examples
    --------
    >>> line = SampleGraph(np.eye(12, k=1) + np.eye(12, k=-1))
    >>> scored = ScoredGenes.of(STATISTICS["geary"], line, Matrix(np.arange(12.0)[:, None] // 6))
    >>> scored.scores.native.round(3), scored.analytic()["pval_norm"].round(3)
    (array([0.167]), array([0.001]))
    """

    statistic: Statistic
    graph: SampleGraph
    table: Matrix
    criterion: Criterion
    scores: Scores
    two_tailed: bool
    n_jobs: int | None

    @classmethod
    def of(
        cls, statistic: Statistic, graph: SampleGraph, table: Matrix, *, two_tailed: bool = False, n_jobs: Any = None
    ) -> ScoredGenes:
        """Score the genes; warn once of those without a score."""
        criterion = statistic.criterion(graph, OWNER)
        scores = criterion.scores(table, n_jobs=n_jobs, owner=OWNER)
        if undefined := int(np.isnan(scores.native).sum()):
            have = "has" if undefined == 1 else "have"
            constant = f"{counted(undefined, 'variable')} of {scores.native.size} {have} one value in all cells"
            warn(f"{OWNER}: {constant}, so no {statistic.column} and no p-value (NaN).", UndefinedScoreWarning)
        return cls(statistic, graph, table, criterion, scores, two_tailed, n_jobs)

    def analytic(self, random_state: Any = None) -> dict[str, FloatArray]:
        """Return ``pval_norm`` and ``var_norm``, from all permutations of the cells.

        Parameters
        ----------
        random_state : int, Generator or None
            Of the permutations that refine p-values of rare genes. A Generator gives a seed for them and goes on.
        """
        if isinstance(random_state, np.random.Generator):
            random_state = int(random_state.integers(2**31 - 1))
        draws = partial(refine, random_state=random_state, n_jobs=self.n_jobs)
        test = permutation_test(
            self.criterion.null_ratio(), self.table, self.scores.native,
            monte_carlo=draws, n_jobs=self.n_jobs, owner=OWNER,
        )  # fmt: skip
        pvalues = both_tails(test.pvalues, self._other_tail(test, draws)) if self.two_tailed else test.pvalues
        return {"pval_norm": pvalues, "var_norm": test.null_sd**2}

    def _other_tail(self, test: NullTest, draws: Callable[..., FloatArray]) -> FloatArray:
        """Return the p-values of neighbours that are less alike than chance makes them.

        The statistics of a skewed gene are mostly skewed towards its good side, and on the other one the family that
        has their moments falls faster than a normal tail. What is neither drawn nor counted there is at least the
        normal tail, which is too large for such statistics, not too small.
        """
        ratio, native = self.criterion.null_ratio(), self.scores.native
        mirrored = replace(ratio, larger_is_better=not ratio.larger_is_better)
        smooth = permutation_test(mirrored, self.table, native, n_jobs=self.n_jobs, owner=OWNER, scalars=test.scalars)
        known = {"suspected": smooth.suspected, "lumps": smooth.lumps}
        drawn = draws(mirrored, self.table, native, smooth.pvalues, **known)
        exact = (drawn != smooth.pvalues) | (n_expressed(self.table) == 1)  # one non-zero: all of its places were tried
        sign = 1.0 if mirrored.larger_is_better else -1.0
        with np.errstate(divide="ignore", invalid="ignore"):
            normal = ndtr(-sign * (native - test.null_mean) / test.null_sd)
        return np.where(exact | np.isnan(normal), drawn, np.maximum(drawn, normal))

    def permuted(self, n_perms: int, random_state: Any = None, *, show_progress: bool = False) -> dict[str, FloatArray]:
        """Return ``pval_z_sim``, ``pval_sim`` and ``var_sim``, from random permutations of the cells.

        Parameters
        ----------
        n_perms : int
        random_state : int, Generator or None
            None is a fixed start.
        show_progress : bool
            Show the progress if stderr is a terminal.
        """
        tally = permuted_statistics(
            partial(self.statistic.criterion, owner=OWNER),
            self.graph,
            self.table,
            self.scores,
            n_perms=n_perms,
            rng=np.random.default_rng(0 if random_state is None else random_state),
            n_jobs=self.n_jobs,
            progress=progress_line("permutations") if show_progress and sys.stderr.isatty() else None,
        )
        better = self.criterion.larger_is_better
        found = {"pval_z_sim": tally.normal_pvalues, "pval_sim": tally.pvalues}
        columns = {name: tail(larger=better) for name, tail in found.items()}
        if self.two_tailed:
            columns = {name: both_tails(columns[name], tail(larger=not better)) for name, tail in found.items()}
        return columns | {"var_sim": np.where(np.isnan(self.scores.native), np.nan, tally.variance)}


def both_tails(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return twice the smaller of two one-sided p-values, at most 1.

    >>> both_tails(np.array([0.01, 0.6]), np.array([0.99, 0.7]))
    array([0.02, 1.  ])
    """
    return np.minimum(2.0 * np.minimum(first, second), 1.0)

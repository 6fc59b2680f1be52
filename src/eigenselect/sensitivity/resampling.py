"""Fitting a selector again and again: which samples are drawn, and how the fits are spread and counted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import resample

from eigenselect._labels import strata_of
from eigenselect._progress import Progress, progress_line, tracked
from eigenselect._typing import BoolArray, IntArray
from eigenselect.selection.steps import last_step, n_features_seen, original_columns

Result = TypeVar("Result")


def refit_all(
    fit: Callable[..., Result],
    arguments: Sequence[Iterable[Any]],
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Call ``fit`` with each list of arguments, on processes as joblib counts them, and report each one that is done.

    >>> refit_all(divmod, [(7, 2), (9, 4)])
    [(3, 1), (2, 1)]
    """
    work = (delayed(fit)(*each) for each in arguments)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(work)
    return list(tracked(found, len(arguments), progress))


def selected_columns(fitted: Any) -> BoolArray:
    """Tell which columns of its table a fitted selector, or a pipeline that ends in one, selected."""
    chosen = np.asarray(last_step(fitted).get_support(), dtype=bool)
    if last_step(fitted) is fitted:
        return chosen
    support = np.zeros(n_features_seen(fitted), dtype=bool)
    support[original_columns(fitted)[chosen]] = True
    return support


def draw_samples(n_samples: int, y: Any, replace: bool, fraction: float, rng: np.random.RandomState) -> IntArray:
    """Draw a share of the samples, classes in their proportions, or as many as there are with replacement."""
    size = n_samples if replace else max(2, round(fraction * n_samples))
    strata = None if y is None else strata_of(y, size)
    rows = resample(np.arange(n_samples), replace=replace, n_samples=size, stratify=strata, random_state=rng)
    return np.sort(np.asarray(rows, dtype=np.intp))


def complementary_halves(
    n_samples: int, strata: IntArray | None, rng: np.random.RandomState
) -> tuple[IntArray, IntArray]:
    """Draw two disjoint halves of the samples of equal size; one sample of an odd number is in neither.

    Parameters
    ----------
    n_samples : int
    strata : ndarray of int, optional
        Class of every sample. The halves' shares of a class then differ by at most one sample: whoever has two or more
        is in both.
    rng : RandomState

    Examples
    --------
    >>> complementary_halves(7, np.array([0, 0, 0, 0, 0, 1, 1]), np.random.RandomState(0))
    (array([2, 3, 6]), array([0, 1, 5]))
    """
    order = rng.permutation(n_samples)
    if strata is not None:
        order = order[np.argsort(_class_order(strata, rng)[strata[order]], kind="stable")]
    paired = order[: n_samples - n_samples % 2]
    return np.sort(paired[::2]), np.sort(paired[1::2])


def _class_order(strata: IntArray, rng: np.random.RandomState) -> IntArray:
    """Give every class a place, at random: who comes first gets the odd sample of a class.

    The last sample of all is left out where their number is odd; a class with an odd number, which can spare one, is
    then the last.
    """
    sizes = np.bincount(strata)
    place = rng.permutation(sizes.size)
    if strata.size % 2:
        odd = np.flatnonzero(sizes % 2)
        place[odd[place[odd].argmax()]] = sizes.size
    return place


def shown_progress(progress: bool | Progress | None) -> Progress | None:
    """Return what is told of the repeats: as given, or a line on stderr where that is asked for or a terminal."""
    if callable(progress):
        return progress
    return progress_line("refitting") if (sys.stderr.isatty() if progress is None else progress) else None

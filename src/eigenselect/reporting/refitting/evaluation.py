"""What refits say of a selection: whether it predicts, whether it stays, and what data that say nothing would score.

A few refits on parts of the samples serve the held-out accuracy and the stability; as many on permuted data are their
null; a few fits of the whole permuted table are the band of the scores. Together they take about as long as seven fits
(`FOLDS` refits of 2/3 of the samples, twice, and `PERMUTATIONS` whole ones), and eight where only a fit can tell
whether labels are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np

from eigenselect._progress import Progress, watched_by
from eigenselect._typing import FloatArray
from eigenselect.reporting.facts import AccuracyFacts, EvaluationFacts, StabilityFacts
from eigenselect.reporting.inputs import Fitted, is_number
from eigenselect.reporting.plain import plain_values
from eigenselect.reporting.refitting.held_out import FOLDS, Folds, accuracy_facts, cut_folds, predict_held_out
from eigenselect.reporting.refitting.permuted_data import shuffled_within
from eigenselect.reporting.refitting.refits import FIRST_PERMUTATION, NotMeasuredError, Refit, Refits, Shuffled
from eigenselect.reporting.refitting.score_band import PERMUTATIONS, permuted_band
from eigenselect.reporting.summary import RankingSummary
from eigenselect.selection.steps import original_columns
from eigenselect.sensitivity.halves import Samples
from eigenselect.sensitivity.stability import overlap_beyond_chance

Part = TypeVar("Part")


def add_evaluation(summary: RankingSummary, fitted: Fitted, *, progress: Progress | None = None) -> RankingSummary:
    """Return a new summary with what refits say under ``"evaluation"``; the given one stays as it is.

    Where it lists all features, each also gets the share of the refits that kept it.

    Parameters
    ----------
    summary : RankingSummary
        Of the same selector.
    fitted : Fitted
        The selector and its data.
    progress : callable, optional
        Called as ``progress(done, total)`` after each refit.

    Returns
    -------
    RankingSummary
        A new dict. What could not be measured is None, and ``"missing"`` says why.

    See Also
    --------
    summarise : Makes the summary.
    eigenselect.sensitivity.ranking_stability : Stability with more repeats.
    eigenselect.evaluation.accuracy_curves : Accuracy for several numbers of features.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> from eigenselect.reporting import Fitted, add_evaluation, summarise
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> fitted = Fitted(es.FisherScore(3).fit(X, y), X, y.to_numpy(), list(X))
    >>> found = add_evaluation(summarise(fitted, kept=3), fitted)["evaluation"]
    >>> round(found["accuracy"]["mean"], 2), found["accuracy"]["beyond_chance"]
    (0.91, True)
    >>> round(found["stability"]["overlap"], 2), found["band"]["n_above"]
    (1.0, 13)
    """
    cut = summary["cut"]
    count = None if cut else max(1, summary["scores"]["knee"])
    evaluated = Evaluation(fitted, count, n_kept=summary["n_selected"] if cut else cast(int, count), progress=progress)
    with watched_by(None):  # each refit is a step; its blocks are not
        facts = evaluated.facts()
    added: dict[str, Any] = {"evaluation": plain_values(facts)}
    shares = evaluated.shares
    if "all_features" in summary and shares is not None:
        order = fitted.selector.ranking_.argsort()
        added["all_features"] = {**summary["all_features"], "stability": shares[order].tolist()}
    return cast(RankingSummary, {**summary, **added})


@dataclass
class Evaluation:
    """The refits of one selector, and what is measured on them.

    Attributes
    ----------
    fitted : Fitted
    count : int or None
        How many of the best features count as kept; None for what the selector's rule keeps.
    n_kept : int
        How many the fit kept.
    progress : callable or None
    """

    fitted: Fitted
    count: int | None
    n_kept: int
    progress: Progress | None = None
    shares: FloatArray | None = None
    _done: int = 0
    _missing: dict[str, str] = field(default_factory=dict)

    def facts(self) -> EvaluationFacts:
        """Measure all that can be measured; say why the rest cannot."""
        try:
            refits = Refits.of(self.fitted, self.count)
        except NotMeasuredError as error:
            return {
                "accuracy": None,
                "stability": None,
                "band": None,
                "missing": dict.fromkeys(("accuracy", "stability", "band"), str(error)),
            }
        band = self._measured("band", lambda: permuted_band(refits, self._tick))
        accuracy, stability = self._parts(refits)
        return {"accuracy": accuracy, "stability": stability, "band": band, "missing": self._missing}

    def _parts(self, refits: Refits) -> tuple[AccuracyFacts | None, StabilityFacts | None]:
        """Refit on parts of the samples, and measure accuracy and stability on them."""
        try:
            folds = cut_folds(refits, self.fitted.target, self._has_numbers())
            real = self._refits(refits, folds, refits.samples)
        except NotMeasuredError as error:
            self._missing |= dict.fromkeys(("accuracy", "stability"), str(error))
            return None, None
        self.shares = _shares(self.fitted, real)
        order = shuffled_within(folds.within, refits.rng(FIRST_PERMUTATION))
        null = self._null(refits, folds, order)
        accuracy = self._measured("accuracy", lambda: self._accuracy(refits, folds, real, null, order))
        return accuracy, self._measured("stability", lambda: self._stability(refits, real, null))

    def _has_numbers(self) -> bool:
        return self.fitted.target is not None and is_number(self.fitted.selector, self.fitted.target)

    def _refits(self, refits: Refits, folds: Folds, samples: Samples) -> list[Refit]:
        made = []
        for fold in range(folds.count):
            made.append(refits.on(folds.training(fold), samples))
            self._tick()
        return made

    def _null(self, refits: Refits, folds: Folds, order: Any) -> list[Refit] | str:
        """Refit on permuted data; or say why not."""
        try:
            if refits.shuffled is Shuffled.LABELS:
                return self._refits(refits, folds, refits.with_labels_in_order(order))
            return self._refits(refits, folds, refits.permuted(FIRST_PERMUTATION))
        except NotMeasuredError as error:
            return str(error)

    def _accuracy(
        self, refits: Refits, folds: Folds, real: list[Refit], null: list[Refit] | str, order: Any
    ) -> AccuracyFacts:
        """Predict the held-out samples, and the same with labels shuffled within the folds, from refits to these."""
        if folds.codes is None:
            raise NotMeasuredError(folds.reason)
        if not self.n_kept:
            raise NotMeasuredError("no feature is kept, so there is nothing to predict with")
        uses_labels = refits.shuffled is Shuffled.LABELS
        if uses_labels and isinstance(null, str):
            raise NotMeasuredError(null)
        shuffled = folds.codes[order]
        found = predict_held_out(refits, real, folds, folds.codes)
        chance = predict_held_out(refits, cast(list[Refit], null) if uses_labels else real, folds, shuffled)
        return accuracy_facts(found, chance, folds.codes, self.n_kept, real)

    def _stability(self, refits: Refits, real: list[Refit], null: list[Refit] | str) -> StabilityFacts:
        """Compare what the refits kept."""
        if isinstance(null, str):
            raise NotMeasuredError(null)
        overlap, chance = (overlap_beyond_chance(np.array([r.support for r in part])) for part in (real, null))
        if np.isnan(overlap):
            raise NotMeasuredError("the refits kept all features, or none, so no other choice was possible")
        if np.isnan(chance):
            chance = 0.0  # nothing is kept of data that say nothing
        return {"n_refits": len(real), "overlap": overlap, "permuted": chance, "of": str(refits.shuffled)}

    def _measured(self, name: str, measure: Callable[[], Part]) -> Part | None:
        """Return what was measured, or None and keep the reason."""
        try:
            return measure()
        except NotMeasuredError as error:
            self._missing[name] = str(error)
            return None

    def _tick(self) -> None:
        """Count one refit; folds are fewer where a class is small, so that the last step may come early."""
        self._done += 1
        total = 2 * FOLDS + PERMUTATIONS
        if self.progress is not None:
            self.progress(min(self._done, total), total)


def _shares(fitted: Fitted, refits: list[Refit]) -> FloatArray:
    """Return the share of the refits that kept each feature of the last step."""
    shares = np.mean([refit.support for refit in refits], axis=0)
    return np.asarray(shares if fitted.estimator is fitted.selector else shares[original_columns(fitted.estimator)])

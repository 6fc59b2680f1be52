"""The meaning of y: classes, numbers, and samples without a label. One rule for all methods.

* Missing (None, NaN, pd.NA, NaT) is always unlabelled.
* -1 is unlabelled only in a numeric y, only for methods that use unlabelled samples, and only if two other classes
  remain; else it is a class like any other, and these methods warn about it (`labelled_samples`).
* Text, booleans and pandas categories are always classes, numbers with fractions never. Whole numbers are classes
  unless they look like a count or a measurement (`Labels.numbers_seen`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from eigenselect._checks import is_number
from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import shown

#: up to so many different whole numbers are classes: so few counts cannot be told from class numbers
FEW = 20
#: of more, at most this share may occur only once: classes of one sample are rare, single values of a measurement are
#: not (diabetes of scikit-learn: 39 % of 214 different values, its ages 7 % of 58)
SINGLE = 0.05
#: the first of class numbers that a program gave (-1 if it is a class)
FIRST_NUMBERS = (-1, 0, 1)
#: values of the parameter ``target``
TARGETS = ("auto", "classes", "numbers")
#: the y that each needs, for the error of a fit without it
TARGET_LABELS = {"auto": "classes or numbers", "classes": "one label per sample", "numbers": "numbers"}


@dataclass(frozen=True)
class Labels:
    """One label per sample.

    Attributes
    ----------
    values : ndarray of shape (n_samples,)
        As given.
    declared : bool
        Whether their type says that they are classes: a pandas category.
    """

    values: AnyArray
    declared: bool = False

    @cached_property
    def missing(self) -> BoolArray:
        """Which are None, NaN, pd.NA or NaT."""
        return np.asarray(pd.isna(self.values), dtype=bool)

    @cached_property
    def numbers(self) -> FloatArray | None:
        """The labels that are there as numbers; None if one of them is text, a boolean or a date."""
        known = self.values[~self.missing]
        if known.dtype.kind in "iuf" or (known.dtype.kind == "O" and all(map(is_number, known))):
            return known.astype(np.float64)
        return None

    @cached_property
    def numbers_seen(self) -> str:
        """The evidence for numbers rather than classes, in words; empty if there is none.

        Whole numbers are not classes if none of three or more repeats, or if there are more than `FEW` different ones
        that are not numbered through (0, 1, 2, … or 1, 2, 3, …) and of which more than a share of `SINGLE` occurs only
        once.
        """
        if self.numbers is None or self.declared or not self.numbers.size:
            return ""
        different, counts = np.unique(self.numbers, return_counts=True)
        n, c, single = self.numbers.size, different.size, int((counts == 1).sum())
        if (different != np.floor(different)).any():
            return f"a continuous target, {c} different numbers among {n} samples"
        through = different[0] in FIRST_NUMBERS and different[-1] - different[0] == c - 1
        if (c == n and c > 2) or (c > FEW and not through and single > SINGLE * c):
            return f"{c} different whole numbers among {n} samples, {single} of which occur only once"
        return ""

    @cached_property
    def is_minus_one(self) -> BoolArray:
        """Which are the number -1; text and booleans never are."""
        if self.values.dtype.kind in "iuf":
            return np.asarray(self.values == -1)
        return np.array([is_number(value) and value == -1 for value in self.values], dtype=bool)

    def unlabelled(self, *, minus_one: bool) -> BoolArray:
        """Find samples without a label; with ``minus_one``, of methods that use such samples, -1 may mean one."""
        classes = set() if self.numbers is None or self.declared else set(self.numbers) - {-1.0}
        return self.missing | self.is_minus_one if minus_one and len(classes) > 1 else self.missing


class Labelled(NamedTuple):
    """The samples with a label, their class numbers, and the classes in order."""

    rows: IntArray
    codes: IntArray
    classes: AnyArray


def read_labels(y: Any, owner: str, n_samples: int | None = None, needed: str = "labels") -> Labels:
    """Read labels from any container in one dimension, one per sample."""
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None; call fit(X, y) with {needed}.")
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    if isinstance(y, (list, tuple)) and not any(np.ndim(label) for label in y):
        y = pd.Series(y)  # numpy would turn a missing label among text into the text 'nan'
    dtype = getattr(y, "dtype", None)
    is_extension = isinstance(dtype, pd.api.extensions.ExtensionDtype)
    values = np.asarray(pd.Series(y).to_numpy(object, na_value=np.nan) if is_extension else y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1 or (n_samples is not None and values.size != n_samples):
        expected = "" if n_samples is None else f" with {n_samples} labels"
        given = f"shape {values.shape}; give one label for each sample, in the order of the samples"
        if isinstance(y, str):
            given = f"the text {y!r}; give the labels themselves, such as X[{y!r}] of a frame or adata.obs[{y!r}]"
        raise ValueError(f"{owner}: y must be 1-dimensional{expected}, got {given}.")
    if values.dtype.kind in "mM":
        raise ValueError(f"{owner}: y must hold classes or numbers, got dates; turn them into text or numbers.")
    labels = Labels(values, declared=isinstance(dtype, pd.CategoricalDtype))
    if labels.numbers is not None and np.isinf(labels.numbers).any():
        raise ValueError(f"{owner}: y must hold labels, got infinite values; mark missing ones as NaN.")
    return labels


def label_array(y: Any, owner: str) -> AnyArray:
    """Return labels as an array; categories become text, so that they stay classes."""
    labels = read_labels(y, owner)
    if not labels.declared:
        return labels.values
    text = np.array([str(value) for value in labels.values], dtype=object)
    text[labels.missing] = np.nan
    return text


def encode_classes(
    y: Any, owner: str, n_samples: int | None = None, *, sure: bool = False
) -> tuple[IntArray, AnyArray]:
    """Number the classes in order of first appearance, for methods that need a class for every sample.

    -1 is a class. Raises for missing labels, a single class, and numbers that are not classes; ``sure`` means that the
    caller declared whole numbers to be classes.
    """
    labels = read_labels(y, owner, n_samples, "one label per sample")
    _require_all(labels.missing, owner)
    refuse_numbers(labels, owner, sure=sure)
    codes, classes = pd.factorize(labels.values)
    _require_classes(classes, codes.size, owner)
    return codes.astype(np.intp), np.asarray(classes)


def class_numbers(labels: AnyArray, owner: str) -> IntArray:
    """Number the classes in their own order, for classifiers, which cannot sort text beside numbers."""
    codes = pd.factorize(labels, sort=True)[0]
    _require_all(codes < 0, owner)
    return np.asarray(codes, dtype=np.intp)


def labelled_samples(y: Any, owner: str, n_samples: int) -> Labelled:
    """Find the labelled samples and their classes, for methods that also use unlabelled samples; none without ``y``.

    Warns if -1 occurs but cannot mean "unlabelled".
    """
    if y is None:
        empty = np.empty(0, dtype=np.intp)
        return Labelled(empty, empty, np.empty(0))
    labels = read_labels(y, owner, n_samples)
    unlabelled = labels.unlabelled(minus_one=True)
    rows = np.flatnonzero(~unlabelled)
    refuse_numbers(Labels(labels.values[rows], labels.declared), owner)
    codes, classes = pd.factorize(labels.values[rows], sort=True)
    if (labels.is_minus_one & ~unlabelled).any():
        numeric = labels.numbers is not None and not labels.declared
        why = f"fewer than 2 other classes are in y ({len(classes)} in all)" if numeric else "y is not numeric"
        warn(f"{owner}: -1 is taken for a class, because {why}; mark unlabelled samples as None or NaN.")
    return Labelled(rows, codes.astype(np.intp), np.asarray(classes))


def learning_labels(y: Any, owner: str, n_samples: int) -> Labelled:
    """Find the labelled samples to learn from; raise for fewer than 2 classes."""
    read_labels(y, owner, n_samples)
    labelled = labelled_samples(y, owner, n_samples)
    _require_classes(labelled.classes, labelled.rows.size, owner)
    return labelled


def numeric_target(y: Any, n_samples: int, owner: str) -> FloatArray:
    """Return a finite numeric target with at least two values, centred, or raise."""
    labels = read_labels(y, owner, n_samples, "numbers")
    _require_all(labels.missing, owner)
    target = labels.values.astype(np.float64) if labels.values.dtype.kind == "b" else labels.numbers
    if target is None:
        raise ValueError(f"{owner}: y must be numeric if it is taken for numbers; use target='classes'.")
    if target.min() == target.max():
        raise ValueError(f"{owner}: y must hold at least 2 different numbers, got {shown(target[0])} alone.")
    return np.asarray(target - target.mean())


def refuse_numbers(y: Any, owner: str, *, sure: bool = False) -> None:
    """Raise for a target that does not hold classes; whole numbers pass if the caller is ``sure``."""
    seen = (y if isinstance(y, Labels) else read_labels(y, owner)).numbers_seen
    if seen and not (sure and "whole" in seen):
        text = ", or turn them into text (astype(str)) if they name classes" if "whole" in seen else ""
        raise ValueError(
            f"{owner}: y must hold classes, got {seen}; bin them, use ReliefF or HSICScore, which take numbers{text}."
        )


def kind_of_target(y: Any, target: str, owner: str, n_samples: int) -> str:
    """Decide between classes and numbers: by the parameter, or for ``target="auto"`` by the labels."""
    if target != "auto":
        return target
    return "numbers" if read_labels(y, owner, n_samples, "classes or numbers").numbers_seen else "classes"


def strata_of(y: Any, n_drawn: int) -> IntArray | None:
    """Number the classes for stratified draws, as `class_strata`; None if a class has one sample or they are many."""
    codes = class_strata(y)
    if codes is None or np.bincount(codes).min() < 2 or n_drawn <= codes.max():
        return None
    return codes


def class_strata(y: Any, owner: str = "strata_of") -> IntArray | None:
    """Number the classes, unlabelled samples as one more; None if y holds numbers."""
    labels = read_labels(y, owner)
    if labels.numbers_seen:
        return None
    codes = pd.factorize(labels.values)[0]  # missing ones are -1
    codes = np.where(labels.unlabelled(minus_one=True), codes.max() + 1, codes)
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def _require_all(missing: BoolArray, owner: str) -> None:
    if count := int(missing.sum()):
        raise ValueError(f"{owner}: y must not have missing labels, got {count}; drop those samples or label them.")


def _require_classes(classes: AnyArray, n_labelled: int, owner: str) -> None:
    if len(classes) < 2:
        one = f" ({shown(classes[0])})" if len(classes) else ""
        raise ValueError(f"{owner}: y must have at least 2 classes, got {len(classes)}{one}; nothing separates them.")
    if len(classes) == n_labelled:
        raise ValueError(
            f"{owner}: y must have fewer classes than labelled samples, got {n_labelled} of each; several samples must "
            "share a label."
        )

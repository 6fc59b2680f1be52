"""What y means: classes, numbers, and samples without a label. One rule for all methods.

* Missing (None, NaN, pd.NA, NaT) is always unlabelled.
* -1 is unlabelled only in a numeric y, only for methods that use unlabelled samples, and only if two other classes
  remain; else it is a class like any other, which these methods warn about (`labelled_samples`).
* Text, booleans and pandas categories are always classes, numbers with fractions never. Whole numbers are classes
  unless they look like a count or a measurement (`Labels.numbers_seen`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import type_of_target

from eigenselect._checks import is_number
from eigenselect._typing import AnyArray, BoolArray, FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import shown

#: up to so many different whole numbers are classes: with so few, counts and class numbers cannot be told apart
FEW = 20
#: of more, at most this share may occur only once. Nothing can be learned of a class with one sample, so sets of
#: classes have hardly any; a measurement has them, at its ends at least (diabetes of scikit-learn: 39 % of 214
#: different values, its ages 7 % of 58)
SINGLE = 0.05
#: what numbers of classes start with when a program gave them (-1 where it means a class)
FIRST_NUMBERS = (-1, 0, 1)
#: numbers whose largest is within 2^±this have squares, and sums of squares, that fit
ORDINARY_EXPONENT = 300
#: how a target may be taken
TARGETS = ("auto", "classes", "numbers")
#: what y must then hold, for the error of a fit without it
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
        """What speaks for numbers rather than classes, in words; empty if nothing does.

        Whole numbers are not classes if none of three or more repeats, or if there are more than `FEW` different ones
        that are not numbered through (0, 1, 2, … or 1, 2, 3, …) and of which more than a share of `SINGLE` occurs only
        once.
        """
        if self.numbers is None or self.declared or not self.numbers.size:
            return ""
        different, counts = np.unique(self.numbers, return_counts=True)
        n, c, single = self.numbers.size, different.size, int((counts == 1).sum())
        with np.errstate(invalid="ignore"):  # whole numbers beyond those of 64 bits
            kind = type_of_target(np.repeat(different, 2))  # twice: scikit-learn 1.7 warns of single values
        if kind == "continuous":
            return f"a continuous target, {c} different numbers among {n} samples"
        through = different[0] in FIRST_NUMBERS and different[-1] - different[0] == c - 1
        if (c == n and c > 2) or (c > FEW and not through and single > SINGLE * c):
            return f"{c} different whole numbers among {n} samples, {single} of which occur only once"
        return ""

    @property
    def has_minus_one(self) -> bool:
        """Whether the number -1 is among them."""
        return bool(_minus_one(self.values).any())

    def unlabelled(self, *, minus_one: bool) -> BoolArray:
        """Find samples without a label; with ``minus_one``, of methods that use such samples, -1 may mean one."""
        if not minus_one or self.numbers is None or self.declared:
            return self.missing
        if np.unique(self.numbers[self.numbers != -1]).size < 2:
            return self.missing
        return self.missing | _minus_one(self.values)


class Labelled(NamedTuple):
    """The samples with a label, their class numbers, and the classes in order."""

    rows: IntArray
    codes: IntArray
    classes: AnyArray


def _not_labels(y: Any, shape: tuple[int, ...]) -> str:
    """Say what was given in the place of labels, and what to give.

    >>> _not_labels("louvain", ())
    "the text 'louvain'; give the labels themselves, such as X['louvain'] of a frame or adata.obs['louvain']"
    """
    if isinstance(y, str):
        return f"the text {y!r}; give the labels themselves, such as X[{y!r}] of a frame or adata.obs[{y!r}]"
    return f"shape {shape}; give one label for each sample, in the order of the samples"


def read_labels(y: Any, owner: str, n_samples: int | None = None) -> Labels:
    """Read labels from any container in one dimension, one per sample."""
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        y = y.iloc[:, 0]
    if isinstance(y, (list, tuple)) and not any(np.ndim(label) for label in y):
        y = pd.Series(y)  # numpy would turn a missing label among text into the text 'nan'
    declared = isinstance(getattr(y, "dtype", None), pd.CategoricalDtype)
    if isinstance(y, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)) and (
        pd.api.types.is_extension_array_dtype(y.dtype)
    ):
        y = pd.Series(y).to_numpy(dtype=object, na_value=np.nan)
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1 or (n_samples is not None and values.size != n_samples):
        expected = "" if n_samples is None else f" with {n_samples} labels"
        raise ValueError(f"{owner}: y must be 1-dimensional{expected}, got {_not_labels(y, values.shape)}.")
    if values.dtype.kind in "mM":
        raise ValueError(f"{owner}: y must hold classes or numbers, got dates; make text or numbers of them.")
    labels = Labels(values, declared)
    if labels.numbers is not None and np.isinf(labels.numbers).any():
        raise ValueError(f"{owner}: y must hold labels, got infinite values; mark missing ones as NaN.")
    return labels


def label_array(y: Any, owner: str) -> AnyArray:
    """Return labels as an array that says all that they said: categories become text, so that they stay classes."""
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

    -1 is a class. Refuses missing labels, a single class, and numbers that are no classes; ``sure`` means that somebody
    said that whole numbers are.
    """
    labels = _required(y, owner, n_samples, "one label per sample")
    if missing := int(labels.missing.sum()):
        raise ValueError(f"{owner}: y must not have missing labels, got {missing}; drop those samples or label them.")
    _refuse_numbers(labels, owner, sure)
    codes, classes = pd.factorize(labels.values)
    if len(classes) < 2:
        raise ValueError(
            f"{owner}: y must have at least 2 classes, got 1 ({shown(classes[0])}); nothing separates them."
        )
    if len(classes) == codes.size:
        raise ValueError(
            f"{owner}: y must have fewer classes than samples, got {len(classes)} of each; name labels that several "
            "samples share."
        )
    return codes.astype(np.intp), np.asarray(classes)


def class_numbers(labels: AnyArray, owner: str) -> IntArray:
    """Number the classes in their own order, for classifiers: text beside numbers cannot be sorted by these.

    Refuses missing labels; a class may have any number of samples.
    """
    codes = pd.factorize(labels, sort=True)[0]
    if missing := int((codes < 0).sum()):
        raise ValueError(f"{owner}: y must not have missing labels, got {missing}; leave those samples out.")
    return np.asarray(codes, dtype=np.intp)


def labelled_samples(y: Any, owner: str, n_samples: int) -> Labelled:
    """Find the labelled samples and their classes, for methods that use unlabelled samples, too.

    No ``y`` at all means that no sample is labelled. Warns where -1 is there but cannot mean "unlabelled".
    """
    if y is None:
        empty = np.empty(0, dtype=np.intp)
        return Labelled(empty, empty, np.empty(0))
    labels = read_labels(y, owner, n_samples)
    unlabelled = labels.unlabelled(minus_one=True)
    rows = np.flatnonzero(~unlabelled)
    _refuse_numbers(Labels(labels.values[rows], labels.declared), owner)
    codes, classes = pd.factorize(labels.values[rows], sort=True)
    if labels.has_minus_one and not _minus_one(labels.values)[unlabelled].any():
        why = f"fewer than 2 other classes are in y ({len(classes)} in all)"
        if labels.numbers is None or labels.declared:
            why = "y is not numeric"
        warn(
            f"{owner}: -1 is taken for a class, not for unlabelled, because {why}; mark unlabelled samples as None or "
            "NaN.",
            UserWarning,
        )
    return Labelled(rows, codes.astype(np.intp), np.asarray(classes))


def learning_labels(y: Any, owner: str, n_samples: int) -> Labelled:
    """Find the labelled samples for what is learned from labels alone, passing over others: at least 2 classes."""
    _required(y, owner, n_samples, "labels")
    rows, codes, classes = labelled_samples(y, owner, n_samples)
    if len(classes) < 2:
        raise ValueError(f"{owner}: y must have at least 2 classes, got {len(classes)}; nothing separates them.")
    if len(classes) == rows.size:
        raise ValueError(f"{owner}: y must have fewer classes than labelled samples, got {len(classes)} of each.")
    return Labelled(rows, codes, classes)


def numeric_target(y: Any, n_samples: int, owner: str) -> FloatArray:
    """Return a finite numeric target with at least two values, centred, or refuse what is none.

    Divided by a power of two where its squares would overflow or vanish.
    """
    labels = _required(y, owner, n_samples, "numbers")
    if missing := int(labels.missing.sum()):
        raise ValueError(f"{owner}: y must hold {n_samples} finite numbers, got {missing} missing; drop those samples.")
    target = labels.values.astype(np.float64) if labels.values.dtype.kind == "b" else labels.numbers
    if target is None:
        raise ValueError(f"{owner}: y must be numeric where it is taken for numbers; use target='classes'.")
    if not np.isfinite(target).all() or target.min() == target.max():
        raise ValueError(f"{owner}: y must hold at least 2 different finite numbers, got {shown(target[0])} alone.")
    target = _in_range(target)
    return np.asarray(target - target.mean())


def refuse_numbers(y: Any, owner: str) -> None:
    """Refuse a target that holds no classes."""
    _refuse_numbers(read_labels(y, owner), owner)


def kind_of_target(y: Any, target: str, owner: str, n_samples: int) -> str:
    """Decide between classes and numbers: as asked for, or for ``target="auto"`` as the labels look."""
    if target != "auto":
        return target
    return "numbers" if _required(y, owner, n_samples, "classes or numbers").numbers_seen else "classes"


def strata_of(y: Any, n_drawn: int) -> IntArray | None:
    """Number the classes to draw samples by, unlabelled ones as one more class.

    None where y holds numbers, a class has one sample, or there are more classes than samples to draw.
    """
    codes = class_strata(y)
    if codes is None:
        return None
    sizes = np.bincount(codes)
    return codes if sizes.min() >= 2 and n_drawn >= sizes.size else None


def class_strata(y: Any, owner: str = "strata_of") -> IntArray | None:
    """Number the classes, unlabelled samples as one more; None where y holds numbers."""
    labels = read_labels(y, owner)
    if labels.numbers_seen:
        return None
    codes = pd.factorize(labels.values)[0]  # missing ones are -1
    codes = np.where(labels.unlabelled(minus_one=True), codes.max() + 1, codes)
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def _required(y: Any, owner: str, n_samples: int | None, what: str) -> Labels:
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None; call fit(X, y) with {what}.")
    return read_labels(y, owner, n_samples)


def _refuse_numbers(labels: Labels, owner: str, sure: bool = False) -> None:
    seen = labels.numbers_seen
    if not seen or (sure and "whole" in seen):
        return
    text = ", or make text of them (astype(str)) if they name classes" if "whole" in seen else ""
    raise ValueError(
        f"{owner}: y must hold classes, got {seen}; bin them, use ReliefF or HSICScore, which take numbers{text}."
    )


def _in_range(target: FloatArray) -> FloatArray:
    exponent = int(np.frexp(np.abs(target).max())[1])
    return np.asarray(np.ldexp(target, -exponent)) if abs(exponent) > ORDINARY_EXPONENT else target


def _minus_one(values: AnyArray) -> BoolArray:
    """Where the number -1 stands; never where text, a boolean or nothing does."""
    if values.dtype.kind in "iuf":
        return np.asarray(values == -1)
    return np.array([is_number(value) and value == -1 for value in values], dtype=bool)

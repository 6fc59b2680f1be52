"""Labels letter by letter: when a text may be taken for a number, and what it is called when it is written again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from eigenselect._typing import AnyArray, FloatArray
from eigenselect.exceptions import InputError, listed, shown
from eigenselect.io.number_marks import MISSING

#: a number as people write it: 007 is a name
NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?")
#: texts that mean that there is no label: those of cells without a number, and what data of UCI have
MISSING_LABELS = MISSING | {"?"}
#: classes that may be meant as missing labels
LIKE_MISSING = ("nan", "na", "none", "null", "n/a")
#: whole numbers beyond it are not all floating-point numbers
LARGEST_WHOLE = 2**53


def text_of(values: Any) -> AnyArray:
    """Write values as text, empty where they are missing; whole numbers have no point, even as floats.

    Numpy and pandas turn whole numbers into floats as soon as one is missing; labels are still called 1 and 2.

    >>> text_of([1.0, 2.0, float("nan")])
    array(['1', '2', ''], dtype=object)
    """
    column = values if isinstance(values, pd.Series) else pd.Series(np.asarray(values))
    known = column.notna().to_numpy()
    given = column.to_numpy(dtype=object)[known].tolist()
    if pd.api.types.is_float_dtype(column.dtype) and all(float(value).is_integer() for value in given):
        given = [int(value) for value in given]
    text = np.full(len(column), "", dtype=object)
    text[known] = [str(value) for value in given]
    return text


def labels_of(text: AnyArray, name: str, source: str) -> AnyArray:
    """Make labels to rank with: numbers if all texts are, NaN for the empty ones, of which not all may be.

    Classes that differ as text stay different: 7, 07 and 007 are three names. Texts are numbers if each is a finite
    decimal number without leading zeros, and either

    - one of them has a fraction: these are measurements, and 0.5 and 0.50 are the same; or
    - no two are the same number, and all texts can be made again from the numbers in one way, as ``3`` or as ``3.0``.

    Returns
    -------
    ndarray of int64, float64 or object
        Whole numbers if none is missing and all are below 2^53 (in absolute value); else floating-point numbers; or the
        texts.

    Examples
    --------
    >>> labels_of(np.array(["1", "2", ""], dtype=object), "class", "x.csv")
    array([ 1.,  2., nan])
    >>> labels_of(np.array(["7", "007"], dtype=object), "class", "x.csv")
    array(['7', '007'], dtype=object)
    """
    missing = text == ""
    if missing.all():
        raise InputError(f"{source}: no sample has a value in the label column {name!r}.")
    codes, classes = pd.factorize(text[~missing])
    numbers = _numbers(classes)
    if numbers is not None and not missing.any() and _whole(numbers):
        return numbers.astype(np.int64)[codes]
    labels = np.full(text.size, np.nan, dtype=object if numbers is None else np.float64)
    labels[~missing] = (classes if numbers is None else numbers)[codes]
    return labels


def without_marks(text: AnyArray, name: str, source: str) -> tuple[AnyArray, list[str]]:
    """Empty the labels that mean that there is none (NA, null, ? and the like), and say so; the same array if none do.

    Where a single class is left beside them, the mark may well be the other one: that is asked, not decided.

    Parameters
    ----------
    text : ndarray of str
        Empty where there is no label.
    name, source : str
        What messages call the column and the file.

    Examples
    --------
    >>> without_marks(np.array(["a", "b", "NA"], dtype=object), "class", "x.csv")
    (array(['a', 'b', ''], dtype=object), ["1 sample has no label ('NA'); --na-is-class takes it for a class"])
    """
    marked = np.array([cell != "" and cell.strip() in MISSING_LABELS for cell in text], dtype=bool)
    if not marked.any():
        return text, _like_missing(text)
    marks, plain = list(dict.fromkeys(text[marked])), np.where(marked, "", text).astype(object)
    left = list(pd.unique(plain[plain != ""]))
    if len(left) < 2:
        raise InputError(f"{source}: {_too_few(left, marks, name)}")
    have = "sample has" if marked.sum() == 1 else "samples have"
    takes = f"; --na-is-class takes {'it for a class' if len(marks) == 1 else 'them for classes'}"
    hint = "" if _measured(plain, name, source) else takes
    return plain, [f"{marked.sum()} {have} no label ({listed(marks)}){hint}", *_like_missing(plain)]


def _measured(text: AnyArray, name: str, source: str) -> bool:
    """Whether labels are measurements, beside which a class NA would make classes of all of them."""
    from eigenselect._labels import Labels

    return bool(Labels(labels_of(text, name, source)).numbers_seen)


def _too_few(left: Sequence[str], marks: Sequence[str], name: str) -> str:
    """Say that marks leave one class or none, and what to do, which nothing is where they are but one class themselves.

    >>> _too_few([], ["NA"], "class")
    "no sample has a value in the label column 'class', as 'NA' means that there is none."
    """
    one = len(marks) == 1
    means = f"as {listed(marks)} {'means' if one else 'mean'} that there is"
    if one and not left:
        return f"no sample has a value in the label column {name!r}, {means} none."
    has = f"one class, {shown(left[0])}" if left else "no class"
    names = "it is the name of a class" if one else "they are names of classes"
    return f"the label column {name!r} has {has}, {means} no label; use --na-is-class if {names}."


def _like_missing(text: AnyArray) -> list[str]:
    """Note classes whose name may be meant as that of no label, such as none; they are kept as classes.

    >>> _like_missing(np.array(["a", "none"], dtype=object))
    ["'none' is taken for the name of a class; leave the label empty where there is none"]
    """
    meant = [name for name in pd.unique(text) if name.lower() in LIKE_MISSING]
    names = ", ".join(map(repr, meant))
    return [f"{names} is taken for the name of a class; leave the label empty where there is none"] if meant else []


def _numbers(texts: Sequence[str]) -> FloatArray | None:
    """Read texts as numbers, if they are measurements, or whole numbers from which the very texts can be made again."""
    if not all(NUMBER.fullmatch(text) for text in texts):
        return None
    try:
        numbers = [float(text) for text in texts]
    except ValueError:  # a point or an exponent alone
        return None
    if not np.isfinite(numbers).all():
        return None
    pairs = list(zip(texts, numbers, strict=True))
    measured = any(number % 1 for number in numbers)
    exact = all(text == f"{number:.0f}" for text, number in pairs) or all(
        text == repr(number) for text, number in pairs
    )
    distinct = len(set(numbers)) == len(numbers)  # 0 and -0 are not
    return np.array(numbers) if measured or (exact and distinct) else None


def _whole(numbers: FloatArray) -> bool:
    return bool(((numbers % 1 == 0) & (np.abs(numbers) < LARGEST_WHOLE)).all())

"""Warnings that a caller may want to filter by kind.

Errors are plain ``ValueError`` and ``TypeError``, as scikit-learn's users expect;
``InputError`` is the ``ValueError`` for files, which the command turns into one line,
``ShortageError`` a ``MemoryError`` that says what needed how much.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

__all__ = [
    "ApproximateNeighborsWarning", "DominatedWarning", "EqualEigenvaluesWarning", "ExchangeabilityWarning",
    "GraphWarning", "InputError", "KneeWarning", "ShortageError", "SourceWarning", "UndefinedScoreWarning",
    "UnitsWarning",
]  # fmt: skip

#: two forms of a word, for one thing and for several: "[is|are]"
ALTERNATIVES = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")
#: letters of a name, of a path and of a whole message that are shown
LONGEST_NAME, LONGEST_PATH, LONGEST_MESSAGE = 60, 255, 1500


class GraphWarning(UserWarning):
    """The sample graph has isolated samples or falls apart into components.

    See Also
    --------
    eigenselect.graph.connected_components : Finds the components.
    eigenselect.similarity.KNN : Connects more samples with more neighbours.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from eigenselect import LaplacianScore
    >>> from eigenselect.similarity import KNN
    >>> pairs = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> from eigenselect.exceptions import GraphWarning
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", GraphWarning)
    ...     LaplacianScore(1, similarity=KNN(1)).fit(pairs)
    Traceback (most recent call last):
    eigenselect.exceptions.GraphWarning: LaplacianScore: the sample graph falls apart into 2 components; ...
    """


class EqualEigenvaluesWarning(UserWarning):
    """A number of eigenvalues ended among equal ones, so that more were taken.

    See Also
    --------
    eigenselect.SPEC : With ``ranking="phi3"`` takes leading eigenvectors.
    eigenselect.graph.eigengap : Finds a number that does not end among equal ones.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from eigenselect import SPEC
    >>> X, y = np.array([[0.0], [1.0], [5.0], [6.0], [9.0], [9.5]]), [0, 0, 1, 1, 2, 2]
    >>> from eigenselect.exceptions import EqualEigenvaluesWarning
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", EqualEigenvaluesWarning)
    ...     SPEC(1, similarity="class_labels", ranking="phi3", n_clusters=2).fit(X, y)
    Traceback (most recent call last):
    eigenselect.exceptions.EqualEigenvaluesWarning: SPEC: n_clusters=2 ends among equal eigenvalues, ...
    """


class UndefinedScoreWarning(UserWarning):
    """Some features have no score (constant or all zero) and are ranked last.

    See Also
    --------
    eigenselect.FisherScore : Has no score for a constant feature.
    eigenselect.selection.rank_features : Ranks undefined scores last.

    Examples
    --------
    >>> import warnings
    >>> from eigenselect import FisherScore
    >>> from eigenselect.exceptions import UndefinedScoreWarning
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", UndefinedScoreWarning)
    ...     FisherScore(1).fit([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [5.0, 5.0]], ["a", "a", "b", "b"])
    Traceback (most recent call last):
    eigenselect.exceptions.UndefinedScoreWarning: FisherScore: 1 of 2 features has no score ...
    """


class KneeWarning(UserWarning):
    """The number of features was taken from a bend in the curve of the scores, which is no test.

    See Also
    --------
    eigenselect.selection.Knee : The rule.
    eigenselect.selection.FDR : A rule that is a test.

    Examples
    --------
    >>> import warnings
    >>> from eigenselect import Variance
    >>> from eigenselect.exceptions import KneeWarning
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", KneeWarning)
    ...     Variance("auto").fit([[1.0, 5.0, 1.0], [2.0, 5.0, 3.0], [3.0, 5.0, 9.0]])
    Traceback (most recent call last):
    eigenselect.exceptions.KneeWarning: Variance: n_features_to_select='auto' keeps 1 feature, up to the knee ...
    """


class DominatedWarning(UserWarning):
    """One sample, or a handful, decides the result: the graph follows it, or the best features vary in it alone.

    See Also
    --------
    UnitsWarning : A few features decide which samples are near.
    eigenselect.sensitivity.ranking_stability : How much a ranking changes with the samples.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from eigenselect import Variance
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> X[7] += 1000.0
    >>> from eigenselect.exceptions import DominatedWarning
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", DominatedWarning)
    ...     Variance(2).fit(X)
    Traceback (most recent call last):
    eigenselect.exceptions.DominatedWarning: Variance: sample row 7 alone makes most of the spread ...
    """


class UnitsWarning(UserWarning):
    """A few features of large spread decide which samples are near each other; the others hardly count.

    See Also
    --------
    DominatedWarning : A few samples decide the result.
    eigenselect.similarity.KNN : Made of distances, in which large units count most.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from eigenselect import LaplacianScore
    >>> X = np.random.default_rng(0).normal(size=(50, 4)) * [1, 1, 1, 1000]
    >>> from eigenselect.exceptions import UnitsWarning
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", UnitsWarning)
    ...     LaplacianScore(2).fit(X)
    Traceback (most recent call last):
    eigenselect.exceptions.UnitsWarning: LaplacianScore: column 3 of 4 features makes up over 90% of ...
    """


class ExchangeabilityWarning(UserWarning):
    """Samples differ in size or spread in most features, so that p-values may call noise significant.

    See Also
    --------
    eigenselect.inference.Split : Tests that compare samples with each other.
    eigenselect.inference.Shadows : Likewise, by shuffled copies of the features.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from eigenselect import LaplacianScore
    >>> rng = np.random.default_rng(0)
    >>> counts = rng.poisson(rng.lognormal(1.0, size=(60, 1)), size=(60, 100))  # samples of unequal depth
    >>> from eigenselect.exceptions import ExchangeabilityWarning
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", ExchangeabilityWarning)
    ...     LaplacianScore(significance="split").fit(np.log1p(counts))
    Traceback (most recent call last):
    eigenselect.exceptions.ExchangeabilityWarning: LaplacianScore: samples are not exchangeable, they differ in size ...
    """


class ApproximateNeighborsWarning(UserWarning):
    """Neighbours were searched in another way than the parameters say or a reader expects: not exactly, or exactly.

    See Also
    --------
    eigenselect.similarity.KNN : Its ``algorithm`` says who searches.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from eigenselect.similarity import KNN
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> from eigenselect.exceptions import ApproximateNeighborsWarning
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", ApproximateNeighborsWarning)
    ...     KNN(algorithm="approximate").build(X)
    Traceback (most recent call last):
    eigenselect.exceptions.ApproximateNeighborsWarning: KNN: algorithm='approximate' has no gain on 100 samples ...
    """


class SourceWarning(UserWarning):
    """Some samples or features of the target are not known to a knowledge source, or the other way round.

    See Also
    --------
    eigenselect.MSFS : Matches sources by the names of samples and features.
    eigenselect.multisource.AuxiliaryData : A source that may miss samples.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import pandas as pd
    >>> from eigenselect import MSFS
    >>> from eigenselect.multisource import AuxiliaryData
    >>> values = np.random.default_rng(0).normal(size=(30, 3))
    >>> X = pd.DataFrame(values, index=[f"s{i}" for i in range(30)], columns=list("abc"))
    >>> from eigenselect.exceptions import SourceWarning
    >>> with warnings.catch_warnings():  # doctest: +ELLIPSIS
    ...     warnings.simplefilter("error", SourceWarning)
    ...     MSFS(1, sources=[("other", AuxiliaryData(X[:28] + 1.0))]).fit(X)
    Traceback (most recent call last):
    eigenselect.exceptions.SourceWarning: MSFS: 2 of 30 samples are left out, because ...
    """


class InputError(ValueError):
    """A file or table cannot be read as it is; the message says what to do, in printable letters.

    Parameters
    ----------
    message : str
        One sentence; control characters in it are made visible.

    See Also
    --------
    ShortageError : There is too little memory.
    eigenselect.multisource.read_gene_sets : A reader that raises it.

    Examples
    --------
    >>> from eigenselect.multisource import read_gene_sets
    >>> read_gene_sets("missing.gmt")
    Traceback (most recent call last):
    eigenselect.exceptions.InputError: missing.gmt: there is no such file.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class ShortageError(MemoryError):
    """A piece of work needs more memory than there is; the message says how much, and what to do.

    See Also
    --------
    InputError : A file cannot be read.
    eigenselect.similarity.RBF : Needs n² numbers for n samples.

    Examples
    --------
    >>> from eigenselect.similarity import RBF
    >>> with RBF().room_for_pairs(100_000_000, "RBF"):  # doctest: +ELLIPSIS
    ...     pass
    Traceback (most recent call last):
    eigenselect.exceptions.ShortageError: RBF: the similarities of all pairs of 100000000 samples (RBF) need 12800000...
    """


def printable(text: str) -> str:
    """Text with control characters (line breaks, escape codes) made visible, so that a name cannot move the cursor."""
    if text.isprintable():
        return text
    from unicodedata import category

    return "".join(c if category(c)[0] != "C" else c.encode("unicode_escape").decode() for c in text)


def shown(value: Any) -> str:
    """A value as messages show it: 7, not np.int64(7), nor the 7.0 that missing labels make of it.

    Names are quoted, and shortened where they are very long.

    >>> shown("age"), shown(2.0), shown("x" * 20_000)[-5:]
    ("'age'", '2', "xxx…'")
    """
    plain = value.item() if hasattr(value, "item") and not getattr(value, "ndim", 0) else value
    if isinstance(plain, str) and len(plain) > LONGEST_NAME:
        plain = plain[: LONGEST_NAME - 1] + "…"
    return repr(int(plain) if isinstance(plain, float) and plain.is_integer() else plain)


def listed(names: Iterable[Any], most: int = 5) -> str:
    """The first few names as messages show them, and an ellipsis for the others.

    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b', …"
    """
    first = list(islice(names, most + 1))
    return ", ".join(map(shown, first[:most])) + (", …" if len(first) > most else "")


def shown_path(path: str) -> str:
    """A path as messages show it: its end, if it is very long."""
    return path if len(path) <= LONGEST_PATH else "…" + path[1 - LONGEST_PATH :]


def within(text: str, most: int = LONGEST_MESSAGE) -> str:
    """A message in printable letters without its middle, if it is very long."""
    text = printable(text)
    return text if len(text) <= most else f"{text[: most * 2 // 3]} … {text[-most // 3 :]}"


def counted(number: int, what: str) -> str:
    """A number of things, in the plural unless there is one.

    >>> counted(1, "missing value"), counted(8, "column of obs"), counted(2, "modality")
    ('1 missing value', '8 columns of obs', '2 modalities')
    """
    thing, of, whole = what.partition(" of ")
    if number != 1:
        thing = f"{thing[:-1]}ies" if thing.endswith(("ty", "ry", "py", "gy")) else f"{thing}s"
    return f"{number} {thing}{of}{whole}"


def agreeing(number: int, text: str) -> str:
    """Words that agree with a number: of every "[is|are]" the first where there is one, else the second.

    >>> agreeing(1, "feature[|s] [has|have] no score"), agreeing(3, "feature[|s] [has|have] no score")
    ('feature has no score', 'features have no score')
    """
    return ALTERNATIVES.sub(lambda found: found[1 if number == 1 else 2], text)

r"""Why a feature has its score: a score is a sum, so it explains itself.

Over eigenvectors (`eigenselect.inference.scales`), over samples and edges (`eigenselect.inference.places`), over
classes and over sources of knowledge. `eigenselect.inference.feature_sums` makes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenselect._typing import FloatArray, IntArray, Names
from eigenselect.exceptions import shown
from eigenselect.inference.places import EdgeTerms
from eigenselect.inference.scales import ScaleTerms

#: samples, edges, classes and sources that a repr names
NAMED = 3


@dataclass(frozen=True)
class SampleTerms:
    """A score as a sum over samples.

    Attributes
    ----------
    rows : ndarray of int
        Rows of X that the score is about.
    terms : ndarray of shape (n_rows,)
        They sum to the score.
    numerator, denominator : ndarray of shape (n_rows,)
        The score is the sum of one over the sum of the other. A score without a denominator of its own has ones over
        their number.
    names : sequence or None
        Names of these samples.
    """

    rows: IntArray
    terms: FloatArray
    numerator: FloatArray
    denominator: FloatArray
    names: Names | None = None

    def labels(self) -> list[str]:
        """Name every sample in words: its name, or its row number."""
        return list(map(str, self.rows)) if self.names is None else list(map(shown, self.names))

    def to_frame(self) -> Any:
        """Return one row per sample as a data frame, with its name or row number for an index."""
        import pandas as pd

        columns = {"term": self.terms, "numerator": self.numerator, "denominator": self.denominator}
        return pd.DataFrame(columns, index=self.rows if self.names is None else list(self.names))


@dataclass(frozen=True)
class ClassTerms:
    """A score on a class-label similarity by class.

    Attributes
    ----------
    names : sequence
        What the classes are called.
    sizes, means : ndarray of shape (n_classes,)
        Samples of each class, and their mean of the feature.
    within, between : ndarray of shape (n_classes,)
        Parts of the feature's whole scatter that lie within each class, and between its mean and that of all samples:
        together they sum to 1. φ2 is the sum of the first, the Fisher score the sum of the second over that.
    terms : ndarray of shape (n_classes,)
        The sample terms of each class; they sum to the score.
    """

    names: Names
    sizes: FloatArray
    means: FloatArray
    within: FloatArray
    between: FloatArray
    terms: FloatArray

    def pairs(self) -> FloatArray:
        r"""Split the scatter between classes by pairs: :math:`n_l n_k (m_l - m_k)^2 / n` over the whole scatter.

        A symmetric matrix; its entries above the diagonal sum to ``between.sum()``.
        """
        gaps = (self.means[:, None] - self.means) ** 2
        weights = np.outer(self.sizes, self.sizes) / self.sizes.sum()
        total = float(np.triu(weights * gaps).sum())
        return np.asarray(weights * gaps * (float(self.between.sum()) / total if total > 0 else 0.0))

    def to_frame(self) -> Any:
        """Return one row per class as a data frame."""
        import pandas as pd

        columns = {name: getattr(self, name) for name in ("sizes", "means", "within", "between", "terms")}
        return pd.DataFrame(columns, index=list(self.names))


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a feature has its score: the score as sums, each exact up to rounding.

    Attributes
    ----------
    method : str
        Who scored.
    feature : any
        Name of the feature, or its column number where it has none.
    column : int
        Its column number.
    score : float
        The native score.
    larger_is_better : bool
        Direction of the score.
    samples : SampleTerms
        Sum over samples.
    edges : EdgeTerms or None
        Sum over pairs of samples; None for scores that are no sums of differences, and for implicit similarities.
    scales : ScaleTerms or None
        Sum over eigenvalues; None for scores that are no function of a normalised Laplacian, and for the Fisher score.
    classes : ClassTerms or None
        Sum over classes, for class-label similarities.
    sources : dict of str to float
        Sum over the sources of knowledge of `MSFS` with γ(r) = r; empty elsewhere.

    See Also
    --------
    eigenselect.LaplacianScore.explain : Makes the explanation of a feature; every selector on a graph has it.
    eigenselect.report : A page on the whole ranking.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> why = es.FisherScore(2).fit(X, y).explain(X, "flavanoids")
    >>> why.classes.between.round(2)
    array([0.3 , 0.  , 0.42])
    >>> bool(abs(why.samples.terms.sum() - why.score) < 1e-12)
    True
    """

    method: str
    feature: Any
    column: int
    score: float
    larger_is_better: bool
    samples: SampleTerms
    edges: EdgeTerms | None = None
    scales: ScaleTerms | None = None
    classes: ClassTerms | None = None
    sources: Mapping[str, float] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The feature in words: its name, or "column" and its number."""
        return f"column {self.column}" if self.feature is self.column else shown(self.feature)

    def __repr__(self) -> str:
        good = "larger" if self.larger_is_better else "smaller"
        lines = [f"{self.method} of {self.label}: {self.score:.4g} ({good} is better)"]
        by_class = self.classes is not None and np.unique(self.samples.terms).size <= self.classes.sizes.size
        parts = {
            "scales": self._scales_in_words(),
            "samples": "" if by_class else self._largest(self.samples.terms, self.samples.labels()),
            "edges": self._edges_in_words(),
            "classes": self._largest(self.classes.terms, list(map(shown, self.classes.names))) if self.classes else "",
            "sources": self._largest(np.array(list(self.sources.values())), list(map(shown, self.sources))),
        }
        return "\n".join([*lines, *(f"  {name:<8} {words}" for name, words in parts.items() if words)])

    def _scales_in_words(self) -> str:
        if self.scales is None:
            return ""
        scales, median = self.scales, self.scales.median()
        if median is None:
            median = float(scales.eigenvalues.max(initial=0.0))
        below = scales.eigenvalues <= median
        return (
            f"{_percent(scales.shares[below].sum())} of the variation at eigenvalues up to {median:.3g}, where "
            f"shuffled values have {_percent(scales.expected[below].sum())}"
        )

    def _edges_in_words(self) -> str:
        if self.edges is None:
            return ""
        top = slice(0, NAMED)
        pairs = zip(self.edges.first[top], self.edges.second[top], strict=True)
        return self._listed(self.edges.terms[top], [f"{i}-{j}" for i, j in pairs], self.edges.terms.size)

    def _largest(self, terms: FloatArray, names: list[str]) -> str:
        order = np.argsort(-np.abs(terms), kind="stable")[:NAMED]
        return self._listed(terms[order], [names[place] for place in order], terms.size)

    def _listed(self, terms: FloatArray, names: list[str], total: int) -> str:
        words = ", ".join(f"{name} {term:.3g}" for name, term in zip(names, terms, strict=True))
        return f"{words} and {total - len(names)} more" if total > len(names) else words


def _percent(share: float) -> str:
    """Write a share with two digits; all of it is 100 %, not 1e+02 %."""
    return f"{100 * share:.2g} %" if share < 0.995 else "100 %"

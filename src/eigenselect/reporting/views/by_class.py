r"""What each class adds to the scores of the best features, where the score is about classes.

The scatter of a feature f splits into a part within each class and a part between the mean of each class and that of
all samples; together they sum to 1, and the Fisher score is a ratio of the two
(`eigenselect.inference.explanation.ClassTerms`). Noise has a part between classes, too: values that are shuffled over
the n samples leave

.. math:: E\,\frac{n_l (m_l - \bar f)^2}{\sum_i (f_i - \bar f)^2} = \frac{1 - n_l / n}{n - 1}

to class l of :math:`n_l` samples, because that is the variance of a mean of :math:`n_l` values drawn without
replacement.
"""

from __future__ import annotations

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.graph import ClassMeans
from eigenselect.inference.explanation import ClassTerms
from eigenselect.inference.feature_sums import Feature, class_terms
from eigenselect.reporting.inputs import Fitted
from eigenselect.reporting.view_types import ByClassView

#: features that are split by class, and classes beyond which no table of them can be read
SHOWN_FEATURES, MOST_CLASSES = 50, 20


def by_class_view(fitted: Fitted, columns: IntArray) -> ByClassView | None:
    """Split the scatter of these columns, best first, by class; None where the scores are not made of classes.

    That is where the method's graph is no class-label similarity, has too many classes to read, or the method judged
    the features without what covariates explain.
    """
    graph = getattr(fitted.selector, "graph_", None)
    classes = getattr(graph, "affinity", None)
    if graph is None or not isinstance(classes, ClassMeans) or classes.sizes.size > MOST_CLASSES:
        return None
    if getattr(fitted.selector, "_covariate_basis", None) is not None:
        return None
    names = range(classes.sizes.size) if classes.names is None else classes.names
    table, rows = fitted.X.take_columns(columns[:SHOWN_FEATURES]), np.arange(fitted.X.shape[0])
    features = [Feature.of(table, column, rows, "report") for column in range(table.n_features)]
    with np.errstate(invalid="ignore"):  # a constant feature has no scatter to split
        found = [class_terms(graph, feature, np.zeros(rows.size)) for feature in features]
    terms = [term for term in found if term is not None]
    return {
        "names": [str(name) for name in names],
        "sizes": classes.sizes.astype(int).tolist(),
        "expected": shuffled_shares(classes.sizes).tolist(),
        "between": [_defined(term, term.between) for term in terms],
        "means": [_defined(term, term.means) for term in terms],
    }


def shuffled_shares(sizes: FloatArray) -> FloatArray:
    """Return the mean share of the scatter between each class and all samples when values are shuffled.

    >>> shuffled_shares(np.array([30.0, 30.0])).round(4)
    array([0.0085, 0.0085])
    """
    total = sizes.sum()
    return np.asarray((1.0 - sizes / total) / (total - 1.0))


def _defined(term: ClassTerms, values: FloatArray) -> list[float] | None:
    """Return the numbers of a feature that varies, None for a constant one."""
    return values.tolist() if np.isfinite(term.between).all() else None

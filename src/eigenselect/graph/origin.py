"""What a sample graph was made from: whether p-values on it mean anything depends on that."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Origin(StrEnum):
    """What a graph was made from, the most honest first; the value is what messages say.

    A feature that took part in making a graph looks smooth on it, noise or not. Only on graphs from elsewhere are its
    scores those of a random feature. Nobody can see where labels or a matrix came from: labels found by clustering the
    features, and coordinates computed from them, are the features in disguise.

    See Also
    --------
    SampleGraph : Says what it was made from.
    eigenselect.inference.Route : Is honest on graphs of some origins.

    Examples
    --------
    >>> import eigenselect as es
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> es.FisherScore(2).fit(X, y).graph_.origin
    <Origin.LABELS: 'made of labels'>
    """

    LABELS = "made of labels"
    ELSEWHERE = "made of another table"
    GIVEN = "a precomputed matrix"
    FEATURES = "made of the features that it judges"

    @classmethod
    def joined(cls, origins: Iterable[Origin]) -> Origin:
        """Return the origin of a graph that is made of several: the least honest of them.

        Parameters
        ----------
        origins : iterable of Origin
            One or more.

        Returns
        -------
        Origin
            The last of them in the order of the class.

        Examples
        --------
        >>> Origin.joined([Origin.FEATURES, Origin.LABELS])
        <Origin.FEATURES: 'made of the features that it judges'>
        """
        order = list(cls)
        return max(origins, key=order.index)

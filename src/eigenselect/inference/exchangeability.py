r"""Whether samples are exchangeable: p-values assume that any feature's values could stand in any order.

Where samples differ in size (sequencing depth, illumination) or in spread in *most* features, features that have
nothing to do with one another follow the same samples, and noise looks significant. Two profiles show it, with z the
features of mean 0 and variance 1:

* size: the sum of :math:`u_j = z_j` over features,
* spread: the sum of :math:`u_j = z_j^2 - 1`.

Every :math:`u_j` sums to 0 over samples. If each feature is permuted on its own, :math:`T = \lVert \sum_j u_j
\rVert^2` has exactly

.. math:: \mathrm E\,T = \sum_j \lVert u_j \rVert^2, \qquad
          \mathrm{Var}\,T = \frac{2}{n-1} \Big[\Big(\sum_j \lVert u_j \rVert^2\Big)^2 - \sum_j \lVert u_j
          \rVert^4\Big].

Informative features make T large, too, but they are some. So the *median* feature is asked, by the covariance of its
:math:`u_j` with the mean of the others', whether it follows them as the mean feature does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from eigenselect._typing import FloatArray
from eigenselect._warn import warn
from eigenselect.exceptions import ExchangeabilityWarning
from eigenselect.matrix import Matrix

#: T is this many standard deviations above its mean. Noise of any family stays below 6, small tables of a few related
#: features (wine, iris) below 10
BEYOND_CHANCE = 20.0
#: covariance of the median feature, as a part of the mean one's. Tables of which some features are informative have
#: less (digits 0.1 for spread), unequal samples 0.9 and more
MOST_FEATURES = 0.5
#: samples that a warning is about at most, before it says how many more
NAMED = 3


@dataclass(frozen=True)
class Profile:
    """What samples may differ in: u of standardised features, how far it may go, and what to do about it.

    ``tolerated`` is the spread over samples of the common part of u, in standard deviations of a feature for size, in
    variances for spread. Counts of unequal depth that are only size-normalised have 0.03 of size, and good p-values,
    where the logarithms of depths have a spread of 0.2, and 0.1, with 0.13 of p-values below 0.05, where it is 0.5.
    """

    name: str
    measure: Callable[[FloatArray], FloatArray]
    tolerated: float
    remedy: str


PROFILES = (
    Profile(
        "size",
        lambda z: z,
        0.05,
        "divide counts by each sample's total before the logarithm, and pass its logarithm (depth) as covariates",
    ),
    Profile(
        "spread",
        lambda z: z**2 - 1.0,
        0.5,
        "scale each sample to unit length (sklearn.preprocessing.Normalizer) or transform the values",
    ),
)


@dataclass(frozen=True)
class Inequality:
    """How unequal samples are in a profile.

    Attributes
    ----------
    deviations : float
        Standard deviations of T above its mean over permutations.
    common : float
        Spread over samples of what the median feature shares with the others.
    share : float
        The median feature's covariance with the others, as a part of the mean feature's.
    profile : ndarray of shape (n_samples,)
        The mean of u over features.
    """

    deviations: float
    common: float
    share: float
    profile: FloatArray

    def exceeds(self, tolerated: float) -> bool:
        """Whether samples differ beyond chance, in most features, and by more than is tolerated."""
        return self.deviations > BEYOND_CHANCE and self.share > MOST_FEATURES and self.common > tolerated


def warn_if_not_exchangeable(table: Matrix, owner: str) -> None:
    """Warn once where samples differ in size or spread in most features; name the most unequal ones, and the remedy."""
    found = [(each, inequality(table, each.measure)) for each in PROFILES]
    unequal = [(each, result) for each, result in found if result.exceeds(each.tolerated)]
    if not unequal:
        return
    names = " and ".join(each.name for each, _ in unequal)
    places = np.argsort(-np.abs(unequal[0][1].profile), kind="stable")[:NAMED]
    remedies = "; ".join(each.remedy for each, _ in unequal)
    warn(
        f"{owner}: samples are not exchangeable, they differ in {names} in most features (the most unequal are "
        f"{table.list_samples(places)}), so that noise may look significant; {remedies}.",
        ExchangeabilityWarning,
    )


def inequality(table: Matrix, measure: Callable[[FloatArray], FloatArray]) -> Inequality:
    """Measure how unequal samples are in the mean of u over features.

    Parameters
    ----------
    table : Matrix
        Looked at in dense tiles of columns, twice.
    measure : callable
        From standardised features to u, whose columns sum to 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise, sizes = rng.normal(size=(60, 40)), rng.lognormal(size=60)
    >>> bool(inequality(Matrix(noise), lambda z: z).deviations < 4)
    True
    >>> bool(inequality(Matrix(noise + sizes[:, None]), lambda z: z).deviations > 50)
    True
    """
    total, squares = np.zeros(table.n_samples), []
    for z in _standardised(table):
        u = measure(z)
        total += u.sum(axis=1)
        squares.append(np.einsum("ij,ij->j", u, u))
    lengths = np.concatenate(squares) if squares else np.zeros(0)
    count = lengths.size
    variance = 2.0 * (lengths.sum() ** 2 - lengths @ lengths) / max(1, table.n_samples - 1)
    if count < 2 or not variance > 0:
        return Inequality(0.0, 0.0, 0.0, np.zeros(table.n_samples))
    shared = np.concatenate([measure(z).T @ total for z in _standardised(table)]) - lengths
    covariance = shared / (table.n_samples * (count - 1))
    mean, median = float(covariance.mean()), float(np.median(covariance))
    return Inequality(
        deviations=float((total @ total - lengths.sum()) / np.sqrt(variance)),
        common=float(np.sqrt(max(median, 0.0))),
        share=median / mean if mean > 0 else 0.0,
        profile=total / count,
    )


def _standardised(table: Matrix) -> Iterator[FloatArray]:
    """Yield dense tiles of the features that vary, each of mean 0 and variance 1."""
    for columns in table.tiles():
        tile = table.tile(columns)
        tile = tile - tile[0]
        tile -= tile.mean(axis=0)
        deviation = np.sqrt(np.einsum("ij,ij->j", tile, tile) / table.n_samples)
        yield tile[:, deviation > 0] / deviation[deviation > 0]

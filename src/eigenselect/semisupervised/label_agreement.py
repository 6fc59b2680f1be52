"""Agreement of features with the labels that are known: normalised mutual information, all features at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray
from eigenselect.criteria.quadratic import FeatureTerms
from eigenselect.matrix import DaskMatrix, Matrix, as_matrix
from eigenselect.matrix.dask_passes import added

#: values of labelled samples that are made dense at a time
BLOCK_VALUES = 2**21
#: g within this part of a feature's deviation from a cut point counts as on it
ON_THE_CUT = 1e-10
#: digits of NMI that count: sums of the same terms in another order must tie
DIGITS = 12


@dataclass(frozen=True)
class PartialLabels:
    """The labelled samples.

    Attributes
    ----------
    rows : ndarray of shape (n_labelled,)
        Their row numbers.
    codes : ndarray of shape (n_labelled,)
        Class numbers 0, 1, ….

    See Also
    --------
    SmoothAgreement : Weighs agreement with them against smoothness.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.semisupervised import PartialLabels
    >>> PartialLabels(rows=np.array([0, 7]), codes=np.array([0, 1])).n_classes
    2
    """

    rows: NDArray[np.intp]
    codes: NDArray[np.intp]

    @property
    def n_classes(self) -> int:
        """The number of classes, 0 without labels."""
        return int(self.codes.max()) + 1 if self.codes.size else 0


def label_agreement(
    X: Any, terms: FeatureTerms, labels: PartialLabels, *, n_levels: int = 2, n_jobs: int | None = None
) -> FloatArray:
    r"""Compute the NMI of every feature's cluster indicator with the labels, between 0 and 1.

    .. math:: \mathrm{NMI} = \frac{I(\hat g; y)}{\max(H(\hat g), H(y))}

    over the labelled samples, where :math:`\hat g` puts :math:`g = f - \mu\mathbf 1` into ``n_levels`` levels with cuts
    one deviation apart around the mean: for two levels the sign of g (0 counts as +), for three the cuts are
    :math:`\pm\frac12\sigma`, for four :math:`-\sigma, 0, \sigma`. μ and σ are the d-weighted mean and deviation over
    all samples. A constant side gives 0.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The features of all samples.
    terms : FeatureTerms
        Means and deviations of the features.
    labels : PartialLabels
        The labelled samples.
    n_levels : int, default=2
        Levels of the cluster indicator.
    n_jobs : int, optional
        Threads; None for all cores.

    Returns
    -------
    ndarray of shape (n_features,)
        The NMI, rounded to 12 digits.

    See Also
    --------
    eigenselect.SSelect : Ranks by it, and by smoothness.

    References
    ----------
    Zhao and Liu, Semi-supervised feature selection via spectral analysis, SDM 2007, doi:10.1137/1.9781611972771.75.
    """
    labelled = as_matrix(X).take_rows(labels.rows)
    membership = np.eye(labels.n_classes)[labels.codes]
    if isinstance(labelled, DaskMatrix):
        return _chunk_agreement(labelled, terms, membership, n_levels)
    agreement, cuts = np.empty(labelled.n_features), _cuts(terms)

    def compute(columns: slice) -> None:
        block = labelled.block(slice(None), columns)
        counts = _level_counts(block, cuts[columns], membership, n_levels)
        agreement[columns] = normalized_mutual_information(counts)

    width = max(1, BLOCK_VALUES // max(1, labels.rows.size))
    map_blocks(compute, slices(labelled.n_features, width), n_jobs)
    return agreement


def _cuts(terms: FeatureTerms) -> FloatArray:
    """Return of every feature what tells its levels: mean and deviation."""
    return np.column_stack([terms.mean, terms.deviation])


def _level_counts(block: Any, cuts: FloatArray, membership: FloatArray, n_levels: int) -> FloatArray:
    """Count, for every level and class, the samples of a block."""
    mean, deviation = cuts.T
    levels = indicator_levels(block, mean, deviation, n_levels)
    return np.stack([membership.T @ (levels == level) for level in range(n_levels)])


def _chunk_agreement(X: DaskMatrix, terms: FeatureTerms, membership: FloatArray, n_levels: int) -> FloatArray:
    """Count on the workers, chunk by chunk of many labelled samples."""
    counts = X.by_chunks(_counts_of_chunk, membership, _cuts(terms), n_levels, combine=added)
    return np.concatenate([normalized_mutual_information(part) for part in counts])


def _counts_of_chunk(
    table: Matrix, rows: slice, columns: slice, membership: FloatArray, cuts: FloatArray, n_levels: int
) -> FloatArray:
    own, of_columns = membership[rows], cuts[columns]
    tiles = [_level_counts(table.tile(part), of_columns[part], own, n_levels) for part in table.tiles()]
    return np.concatenate(tiles, axis=-1)


def indicator_levels(values: Any, mean: FloatArray, deviation: FloatArray, n_levels: int) -> NDArray[np.intp]:
    """Count how many of the cuts μ + (k - n_levels/2) σ, k = 1 … n_levels - 1, every value reaches."""
    distance = np.asarray(values, dtype=np.float64) - mean
    slack = ON_THE_CUT * deviation
    levels = np.zeros(distance.shape, dtype=np.intp)
    for k in range(1, n_levels):
        levels += distance >= (k - n_levels / 2) * deviation - slack
    return levels


def normalized_mutual_information(counts: FloatArray) -> FloatArray:
    """Compute I / max(H, H) of contingency tables in the first two axes; 0 where a side is constant.

    >>> normalized_mutual_information(np.array([[[2.0], [0.0]], [[0.0], [2.0]]]))
    array([1.])
    """
    joint = counts / counts.sum(axis=(0, 1))
    first, second = joint.sum(axis=1), joint.sum(axis=0)
    expected = first[:, None] * second[None]
    ratio = np.divide(joint, expected, out=np.ones_like(joint), where=joint > 0)
    information = (joint * np.log(ratio)).sum(axis=(0, 1))
    largest = np.maximum(_entropy(first), _entropy(second))
    share = np.divide(information, largest, out=np.zeros_like(information), where=largest > 0)
    return np.clip(np.round(share, DIGITS), 0.0, 1.0)


def _entropy(probability: FloatArray) -> FloatArray:
    logarithm = np.log(probability, out=np.zeros_like(probability), where=probability > 0)
    return np.asarray(-(probability * logarithm).sum(axis=0))

r"""At which scale a feature varies: its score as a sum over the eigenvectors of the sample graph.

.. math:: \hat f^\top \gamma(N) \hat f = \sum_j \alpha_j^2\, \gamma(\lambda_j), \qquad
          \alpha_j = \langle \hat f, \xi_j\rangle, \quad \sum_j \alpha_j^2 = 1

A share :math:`\alpha_j^2` at a small eigenvalue is variation from region to region of the graph, one at a large
eigenvalue is variation from neighbour to neighbour. Noise has shares, too: those of a feature whose values are shuffled
over the samples are proportional to :math:`\xi_j^\top D\, \xi_j`, as a ratio of two means: the same for all j where
all degrees are. Vectors of equal eigenvalues are any basis of one space, so only sums over a group are told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.criterion import UnitLength
from eigenselect.criteria.quadratic import ChebyshevForm, FactorForm, FeatureTerms, Form, PowerForm
from eigenselect.graph import ClassMeans, SampleGraph

#: samples up to which all eigenpairs are computed, and leading ones that are computed for more
FULL_SAMPLES, LEADING = 2000, 20


@dataclass(frozen=True)
class ScaleTerms:
    r"""A score as a sum over groups of equal eigenvalues of N, the smallest first.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n_groups,)
        :math:`\lambda`; the trivial one by itself, and only where the score sees it (φ1).
    multiplicities : ndarray of int
        Eigenvectors of each group.
    shares : ndarray
        :math:`\sum \alpha_j^2` of each group.
    expected : ndarray
        The shares of the same values shuffled over the samples, as a ratio of two means.
    terms : ndarray
        :math:`\sum \alpha_j^2 \gamma(\lambda_j)`; with ``rest`` they sum to the score. φ3 has its own weights in place
        of γ.
    rest, rest_share, rest_expected : float
        The same three for the eigenvalues beyond these, all in one; 0.0 where there are none.
    """

    eigenvalues: FloatArray
    multiplicities: IntArray
    shares: FloatArray
    expected: FloatArray
    terms: FloatArray
    rest: float = 0.0
    rest_share: float = 0.0
    rest_expected: float = 0.0

    def to_frame(self) -> Any:
        """Return one row per group as a data frame."""
        import pandas as pd

        columns = ("eigenvalues", "multiplicities", "shares", "expected", "terms")
        return pd.DataFrame({name: getattr(self, name) for name in columns})

    def median(self) -> float | None:
        """Return the eigenvalue up to which half of the variation lies; None if it is beyond those that are known."""
        reached = np.flatnonzero(np.cumsum(self.shares) >= 0.5 - 1e-9)
        return float(self.eigenvalues[reached[0]]) if reached.size else None


@dataclass(frozen=True)
class EigenGroups:
    r"""Eigenvectors of a graph by groups of equal eigenvalues, without the trivial one.

    Attributes
    ----------
    eigenvalues, weights : ndarray of shape (n_pairs,)
        :math:`\lambda_j`, and what :math:`\alpha_j^2` is multiplied with.
    basis : ndarray of shape (n_samples, n_pairs)
        :math:`D^{1/2}\xi_j`, so that products with a centred feature are :math:`\alpha_j` up to its length.
    groups : ndarray of int
    """

    eigenvalues: FloatArray
    weights: FloatArray
    basis: FloatArray
    groups: IntArray

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum one value per pair over each group."""
        return np.bincount(self.groups, weights=values).astype(np.float64, copy=False)

    def multiplicities(self, graph: SampleGraph) -> IntArray:
        """Count the vectors of each group that are neither the trivial one nor about isolated samples."""
        vectors = np.sqrt(graph.inverse_mass)[:, None] * self.basis
        lengths = np.einsum("ij,ij->j", vectors, vectors)
        return np.rint(self.sums(lengths - self._trivial(graph))).astype(np.intp)

    def noise(self, graph: SampleGraph) -> FloatArray:
        """Sum ξᵀDξ of each group, what shuffled values have there on average; without the trivial vector's."""
        own = np.einsum("ij,ij->j", self.basis, self.basis)
        return self.sums(own - self._trivial(graph) * float(graph.mass @ graph.mass) / graph.volume)

    def _trivial(self, graph: SampleGraph) -> FloatArray:
        """⟨ξ_j, ξ_1⟩²: the zero eigenspace of a full eigensystem holds the trivial vector in any direction."""
        return np.asarray(self.basis.sum(axis=0) ** 2 / graph.volume)


def scale_terms(
    graph: SampleGraph,
    normalization: Any,
    form: Form,
    centred: FloatArray,
    terms: FeatureTerms,
    value: float,
) -> ScaleTerms | None:
    """Split a score over the spectrum; None where it is no function of N, or where f̂ has no unit length.

    Parameters
    ----------
    graph, normalization, form
        Of the criterion.
    centred : ndarray of shape (n_samples,)
        The feature minus its weighted mean.
    terms : FeatureTerms
        Of this feature.
    value : float
        The score.
    """
    if not isinstance(normalization, UnitLength) or not isinstance(form, (PowerForm, ChebyshevForm, FactorForm)):
        return None
    groups = _of_classes(graph, form, centred) if isinstance(graph.affinity, ClassMeans) else None
    found = (groups or _of_pairs(graph, _pairs(graph, form), centred)).over(float(terms.spread[0]), graph)
    known = int(found.multiplicities.sum())
    if not normalization.deflated:
        found = _with_trivial(found, graph, form, centred, terms)
    if known >= graph.n_live - 1:
        return found
    rest = 0.0 if isinstance(form, FactorForm) else value - float(found.terms.sum())
    left, left_expected = (max(0.0, 1.0 - float(part.sum())) for part in (found.shares, found.expected))
    return replace(found, rest=rest, rest_share=left, rest_expected=left_expected)


@dataclass(frozen=True)
class _Groups:
    """Per group: eigenvalue, multiplicity, squared length of the feature in it, its term, and ξᵀDξ."""

    eigenvalues: FloatArray
    multiplicities: IntArray
    shares: FloatArray
    terms: FloatArray
    noise: FloatArray

    def over(self, spread: float, graph: SampleGraph) -> ScaleTerms:
        """Divide by the squared length of the feature; leave out what holds nothing but the trivial vector."""
        kept = self.multiplicities > 0
        return ScaleTerms(
            self.eigenvalues[kept],
            self.multiplicities[kept],
            self.shares[kept] / spread,
            self.noise[kept] / _nontrivial_noise(graph),
            self.terms[kept] / spread,
        )


def _of_pairs(graph: SampleGraph, pairs: EigenGroups, centred: FloatArray) -> _Groups:
    squares, counts = (pairs.basis.T @ centred) ** 2, np.bincount(pairs.groups)
    return _Groups(
        pairs.sums(pairs.eigenvalues) / counts,
        pairs.multiplicities(graph),
        pairs.sums(squares),
        pairs.sums(squares * pairs.weights),
        pairs.noise(graph),
    )


def _of_classes(graph: SampleGraph, form: Form, centred: FloatArray) -> _Groups | None:
    """Write down the two eigenvalues of a class-label similarity: 0 for class means, 1/m for what is within classes.

    All samples have the same mass m, which is 1 unless they were given another.
    """
    if isinstance(form, FactorForm):
        return None
    S, mass = graph.affinity, float(graph.mass[0])
    within = float(np.sum(S.deviations(centred[:, None]) ** 2))
    between = float(S.sizes @ S.means(centred[:, None])[:, 0] ** 2)
    eigenvalues, shares = np.array([0.0, 1.0 / mass]), mass * np.array([between, within])
    counts = np.array([S.sizes.size - 1, graph.n_samples - S.sizes.size])
    return _Groups(eigenvalues, counts, shares, shares * _weights(form, eigenvalues), mass * counts)


def _with_trivial(
    found: ScaleTerms, graph: SampleGraph, form: Form, centred: FloatArray, terms: FeatureTerms
) -> ScaleTerms:
    """Put the trivial pair in front, and measure all shares by the whole length of the feature."""
    spread, trivial = float(terms.spread[0]), float(terms.trivial[0])
    part = spread / (spread + trivial)
    live = centred[~graph.isolated]
    variance, mean = float(live.var(ddof=1)), float(terms.mean[0] + live.mean())
    noise = variance * _nontrivial_noise(graph)
    noise_of_mean = graph.volume * mean**2 + variance * (
        float(graph.mass @ graph.mass) / graph.volume - graph.volume / graph.n_live
    )
    expected = noise / (noise + noise_of_mean)
    return ScaleTerms(
        np.append(0.0, found.eigenvalues),
        np.append(1, found.multiplicities),
        np.append(1.0 - part, part * found.shares),
        np.append(1.0 - expected, expected * found.expected),
        np.append(form.at_zero * (1.0 - part), part * found.terms),
    )


def _nontrivial_noise(graph: SampleGraph) -> float:
    """Sum ξᵀDξ over all but the trivial vector: tr D - ξ_1ᵀDξ_1."""
    return graph.volume - float(graph.mass @ graph.mass) / graph.volume


#: eigenpairs of graphs that are still in use, so that a second feature does not pay for them again
_KNOWN: WeakKeyDictionary[SampleGraph, tuple[FloatArray, FloatArray, IntArray]] = WeakKeyDictionary()


def _pairs(graph: SampleGraph, form: Form) -> EigenGroups:
    """Take the pairs of the form, or find all of a small graph and the leading ones of a large one."""
    if isinstance(form, FactorForm):
        groups = np.asarray(form.groups, dtype=np.intp)
        return EigenGroups(np.asarray(form.eigenvalues), form.weights, form.basis, groups - groups[:1].sum())
    if graph not in _KNOWN:
        _KNOWN[graph] = _solved(graph)
    eigenvalues, basis, groups = _KNOWN[graph]
    return EigenGroups(eigenvalues, _weights(form, eigenvalues), basis, groups)


def _solved(graph: SampleGraph) -> tuple[FloatArray, FloatArray, IntArray]:
    root = np.sqrt(graph.mass)[:, None]
    if graph.n_samples <= FULL_SAMPLES:
        pairs = graph.full_eigensystem()
        return pairs.eigenvalues, root * pairs.eigenvectors, pairs.groups
    pairs = graph.whole_spectrum(min(LEADING, graph.n_live))
    return pairs.eigenvalues[1:], root * pairs.nontrivial_vectors(), pairs.groups[1:] - 1


def _weights(form: Form, eigenvalues: FloatArray) -> FloatArray:
    """Return γ of each eigenvalue."""
    if isinstance(form, PowerForm):
        return np.asarray(eigenvalues**form.exponent)
    assert isinstance(form, ChebyshevForm)
    return np.asarray(form.gamma(eigenvalues))

"""Say so where one sample, or a handful, decides a ranking.

An outlying sample is hardly similar to any other. In a full kernel it stays similar to itself (S_ii = 1 of a row that
sums to 3, say, where others sum to 30), so that the graph nearly falls apart into this sample and the rest, and every
feature that varies in it alone looks smooth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenselect._typing import BoolArray, FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.exceptions import DominatedWarning
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix

#: more than this share of a feature's squared deviations on one sample is most of them
MOST = 0.5
#: more than this share of the leading eigenvectors' squares on as many samples as there are vectors: they live there.
#: (Not one half: a pair of samples holds half on each, and rounding would decide.)
ALONE = 0.75
#: fewer samples than these are not judged: of five normal numbers one makes most of the spread in 57 % of draws, of ten
#: in 13 %, of twenty in 0.6 %
LEAST_SAMPLES = 20
#: a sample alone can only be a leading eigenvector where its similarity to itself is this many times the median share
#: of its row; the eigenproblem is solved for such graphs only. (RBF graphs of 200 or more normal features: at most 1.1.
#: Leukemia, 48 samples with one outlier: 7.7.)
SELF_SHARE = 1.2
#: samples up to which it is solved: there a few Lanczos steps cost a small part of building the n × n kernel
EIGENVECTOR_SAMPLES = 2000
#: pairs beyond the trivial one that are looked at, so that a group of equal ones is seen whole
PAIRS = 8
#: a feature that has one value in more than this share of the samples (a count of a rare word, a 0/1 column) lives in
#: few samples by nature
ONE_VALUE = 0.5
#: best features that are looked at, and how many of them one sample must dominate before it is said. With neighbour
#: graphs that never happened on 53 real tables, nor in draws of normal noise, counts and 0/1 columns; of log-normal
#: noise with 20 samples it did in 15 % of draws (docs/outliers.md)
BEST = 10
SEVERAL = 3


def warn_if_dominated(
    X: Matrix, best: IntArray, graph: SampleGraph | None, samples: IntArray | None, owner: str
) -> None:
    """Warn once, by name, of a sample that dominates the best features, and of samples on which eigenvectors live.

    Parameters
    ----------
    X : Matrix
    best : array of int
        Features, best first; the first `BEST` are looked at.
    graph : SampleGraph or None
        None where its leading eigenvectors do not matter.
    samples : array of int or None
        The samples of X that the graph is about; None for all.
    owner : str
        Who selected.
    """
    remarks, said = [], set()
    rows = np.arange(X.n_samples) if samples is None else samples
    live = np.arange(rows.size) if graph is None else np.flatnonzero(~graph.isolated)  # others count nowhere
    shares = X.largest_shares() if live.size == X.n_samples else None
    surely_none = shares is not None and np.count_nonzero(shares[best[:BEST]] > MOST) < min(SEVERAL, best.size)
    found = None if surely_none else dominating_sample(_of_rows(X.columns(best[:BEST]), rows[live]))
    if found is not None:
        sample, dominated = int(rows[live][found[0]]), best[found[1]]
        remarks.append(
            f"{_samples([sample], X)} alone makes most of the spread of {dominated.size} of the "
            f"{min(BEST, best.size)} best features ({X.list_features(dominated)})"
        )
        said.add(sample)
    alone = [] if graph is None else [int(rows[place]) for place in outlying_samples(graph)]
    if alone:
        where = "it" if set(alone) == said else _samples(alone, X)
        count = "the leading eigenvector" if len(alone) == 1 else f"the {len(alone)} leading eigenvectors"
        remarks.append(f"{count} of the sample graph live{'s' * (len(alone) == 1)} on {where}")
    if remarks:
        warn(
            f"{owner}: {', and '.join(remarks)}; look there first, and take {_advice(graph)} to give such samples less "
            "weight.",
            DominatedWarning,
        )


def _of_rows(features: FloatArray, rows: IntArray) -> FloatArray:
    """Return some rows, or all as they are: a copy of millions of them takes longer than to look at them."""
    return features if np.array_equal(rows, np.arange(len(features))) else features[rows]


def _advice(graph: SampleGraph | None) -> str:
    """Advise neighbours only in place of a graph of all pairs: labels, hits and misses are no choice of similarity."""
    full = graph is not None and not (graph.is_sparse or graph.is_implicit or graph.has_own_mass)
    return "a neighbour graph (similarity='knn') or logarithms" if full else "logarithms"


def _samples(places: list[int], X: Matrix) -> str:
    return f"sample{'s' * (len(places) > 1)} {X.list_samples(places)}"


def outlying_samples(graph: SampleGraph) -> IntArray:
    r"""Find the samples on which the leading non-trivial eigenvectors of N live: as many as there are equal ones.

    With the projector :math:`P = \sum_j \xi_j \xi_j^\top` onto the space of the q leading vectors (one, unless their
    eigenvalues are equal), these are the q samples of largest :math:`P_{ii}`, if they hold over three
    quarters of its trace q. None for graphs in which no sample is similar to itself, as neighbour graphs, in which a
    sample cannot stand alone, for graphs on which samples do not count by their degrees, and for fewer than
    `LEAST_SAMPLES` or more than `EIGENVECTOR_SAMPLES`.

    Costs O(n) for most graphs, and O(n²) times a few dozen where one row is suspicious.
    """
    other = graph.is_implicit or graph.signed or graph.has_own_mass  # its eigenvectors are not those of D^-1/2 S D^-1/2
    judged = LEAST_SAMPLES <= graph.n_samples <= EIGENVECTOR_SAMPLES and not other
    if not judged or not _has_suspect(graph):
        return np.empty(0, dtype=np.intp)
    spectrum = graph.spectrum(min(graph.n_live, 1 + PAIRS))
    values = spectrum.eigenvalues[1:]
    if not values.size:
        return np.empty(0, dtype=np.intp)
    leading = spectrum.groups[1:] == spectrum.groups[1]
    if leading.all() and values.size < graph.n_live - 1:  # a part of a larger group: which part depends on the basis
        return np.empty(0, dtype=np.intp)
    vectors = spectrum.eigenvectors[:, 1:][:, leading]
    held = np.sum(vectors**2, axis=1)
    samples = np.argsort(-held, kind="stable")[: vectors.shape[1]]
    lives_there = held[samples].sum() > ALONE * vectors.shape[1]
    return np.sort(samples) if lives_there else samples[:0]


def _has_suspect(graph: SampleGraph) -> bool:
    """Tell whether the similarity of some sample to itself is a far larger part of its row than usual."""
    shares = graph.affinity.diagonal() * graph.inverse_mass
    live = shares[~graph.isolated]
    return bool(live.size > 2 and live.max() > SELF_SHARE * np.median(live))


@dataclass(frozen=True)
class Leverage:
    """The sample that holds the largest part of each feature's squared deviations, and that part."""

    samples: IntArray
    shares: FloatArray


def leverage(features: FloatArray) -> Leverage:
    r"""Find :math:`\max_i (f_i - \bar f)^2 / \sum_j (f_j - \bar f)^2` of each column, and where it is.

    The part is 0 for a constant feature, and for one that has a single value in most samples, whose few others may be
    counts or marks rather than mistakes, and of which no sample is told.

    Examples
    --------
    >>> leverage(np.array([[0.1], [0.2], [0.3], [9.0], [0.4]]))
    Leverage(samples=array([3]), shares=array([0.79...]))
    """
    judged = ~_mostly_one_value(features)
    samples, shares = np.zeros(judged.size, dtype=np.intp), np.zeros(judged.size)
    found = largest_deviations(features[:, judged])
    samples[judged], shares[judged] = found.samples, found.shares
    return Leverage(samples, shares)


def largest_deviations(features: FloatArray) -> Leverage:
    """Find the same, also of features that have a single value in most samples; 0 for constant ones.

    Examples
    --------
    >>> largest_deviations(np.array([[0.0], [0.0], [7.0], [0.0], [0.0]]))
    Leverage(samples=array([2]), shares=array([0.8]))
    """
    scale = np.abs(features).max(axis=0)
    deviations = features / np.where(scale > 0, scale, 1.0)
    deviations = deviations - deviations.mean(axis=0)
    squares = deviations**2
    total = squares.sum(axis=0)
    samples = squares.argmax(axis=0)
    largest = squares[samples, np.arange(samples.size)]
    return Leverage(samples, np.divide(largest, total, out=np.zeros(total.size), where=total > 0))


def _mostly_one_value(features: FloatArray) -> BoolArray:
    """Tell the columns with one value in more than `ONE_VALUE` of the rows: it is then their median."""
    found = np.asarray((features == 0.0).mean(axis=0) > ONE_VALUE)  # of counts, zero: there is nothing to sort
    others = features[:, ~found]
    middle = np.sort(others, axis=0)[len(features) // 2]
    found[~found] = (others == middle).mean(axis=0) > ONE_VALUE
    return found


def dominating_sample(features: FloatArray) -> tuple[int, IntArray] | None:
    """Find the sample that makes most of the spread of several of these features, and which; None if there is none.

    Parameters
    ----------
    features : array of shape (n_samples, n_best)
        The best features; of fewer than `SEVERAL` all must be dominated.
    """
    if len(features) < LEAST_SAMPLES:
        return None
    found = leverage(features)
    dominated = np.flatnonzero(found.shares > MOST)
    if not dominated.size:
        return None
    sample = int(np.argmax(np.bincount(found.samples[dominated])))
    columns = dominated[found.samples[dominated] == sample]
    return (sample, columns) if columns.size >= min(SEVERAL, features.shape[1]) else None

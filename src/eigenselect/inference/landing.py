r"""What a random permutation does to a feature of which few values differ from the rest.

Let m be the most frequent value of a feature f and g = f - m1, with k non-zeros. A permutation of the samples lets
these k values land on distinct random samples, so that

.. math:: f^\top A f = g^\top A g + 2m\,(A\mathbf 1)^\top g + m^2\,\mathbf 1^\top A\mathbf 1

needs only the entries of A among the k landing places: k × degree numbers, not all n samples.

Draw number d has a stream of random numbers of its own, made by hashing (seed, d, j): it does not matter which draws
are made together, by which loops, or on which thread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.structured import SymmetricForm

#: constants of the splitmix64 generator (Steele, Lea and Flood 2014): the step of a stream and two multipliers
STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
#: streams of draws are this far apart before they are mixed
STREAM = 0xD1B54A32D192ED03
#: statistics that differ by less than this share of their summed terms are equal: what a permutation leaves unchanged
#: is summed in another order, and the score that they are compared with has roundings of its own
TIED = 1e-10

#: what it costs to let one value land and to lift it, in numbers looked at
SHUFFLE = 6


@dataclass(frozen=True)
class Landing:
    r"""One feature and one symmetric form, as the loops over random landings want them.

    A draw lets the values land and gives :math:`g^\top A g + a^\top g + c`, plus `TIED` times the sum of the absolute
    values of the terms, so that what is equal to 0 but for rounding is not below 0.

    Attributes
    ----------
    values : ndarray of shape (k,)
        The non-zeros of g.
    indptr, indices, data : arrays
        The sparse part of A as CSR; empty rows where it is dense.
    dense : ndarray of shape (n, n) or (0, 0)
        The dense part.
    V, C : ndarray
        The part V C Vᵀ.
    codes, weights : ndarray
        The part that is constant on the pairs of a class; no weights where there is none.
    linear : ndarray of shape (n,)
        a.
    constant : float
        c.
    seed : int
        Of all streams, below 2⁶⁴.

    Examples
    --------
    One value can only land on the diagonal:

    >>> form = SymmetricForm.diagonal_matrix(np.array([1.0, 2.0, 3.0]))
    >>> landing = Landing.of(form, np.array([2.0]), background=0.0, constant=0.0, seed=0)
    >>> landing.n_samples, landing.visits
    (3, 7)
    """

    values: FloatArray
    indptr: IntArray
    indices: IntArray
    data: FloatArray
    dense: FloatArray
    V: FloatArray
    C: FloatArray
    codes: IntArray
    weights: FloatArray
    linear: FloatArray
    constant: float
    seed: int

    @classmethod
    def of(cls, form: SymmetricForm, values: FloatArray, *, background: float, constant: float, seed: int) -> Landing:
        """Prepare g = ``values`` on top of m = ``background``; ``constant`` is added to every statistic."""
        n = form.n_samples
        E = sparse.csr_array((n, n)) if form.is_dense else form.entries
        dense = np.ascontiguousarray(form.entries) if form.is_dense else np.zeros((0, 0))
        linear = np.zeros(n)
        if background:
            linear = 2.0 * background * (form @ np.ones(n))
            constant += 0.5 * background * float(linear.sum())
        return cls(
            np.ascontiguousarray(values, dtype=np.float64),
            E.indptr.astype(np.intp),
            E.indices.astype(np.intp),
            E.data,
            dense,
            np.ascontiguousarray(form.V),
            np.ascontiguousarray(form.C),
            form.codes,
            np.append(form.w, 0.0) if form.w.size else form.w,
            linear,
            constant,
            seed,
        )

    @property
    def n_samples(self) -> int:
        """Number of places to land on."""
        return int(self.linear.size)

    @property
    def visits(self) -> int:
        """Numbers that one draw looks at, about: what it costs."""
        return visits(self.values.size, self.n_samples, self.data.size, self.dense.size > 0, self.V.shape[1])


def visits(n_values: int, n_samples: int, n_entries: int, is_dense: bool, rank: int) -> int:
    """Count the numbers that a draw of ``n_values`` landings looks at: entries among them, and the low rank.

    To draw a place and to leave it again takes as long as `SHUFFLE` of these.

    >>> visits(10, 400, 4000, False, 2)
    180
    """
    per_value = n_values if is_dense else -(-n_entries // n_samples)
    return n_values * (per_value + rank + SHUFFLE)

r"""Scalars of forms that are only known by products, such as :math:`\gamma(N)` on a large graph.

A probe is a vector of signs :math:`s_i = \pm 1` on the samples of one colour, and 0 elsewhere. With probes z_c for all
colours c and :math:`Y_{ic} = (B z_c)_i`,

.. math:: \mathrm E\, s_i Y_{i\,c(i)} = B_{ii}, \qquad \mathrm E \sum_c Y_{ic}^2 = (B^2)_{ii},

over random signs, with errors that come only from entries between samples of the same colour. The null mean needs
tr B to a small part of :math:`\sqrt{2\,\mathrm{tr} B^2}`, which is the null standard deviation, and m probes without
colours leave :math:`1/\sqrt m` of it: thousands would be needed. γ(N) decays over the edges of the graph, so neighbours
and neighbours of neighbours get different colours, and what is left between samples of a colour is little. As many
colours as samples make every sum exact.

Products of two probed numbers come from probes with independent signs, so that they have no bias.

References
----------
Hutchinson, Commun. Stat. Simul. 1989, doi:10.1080/03610918908812806; Bekas, Kokiopoulou and Saad, An estimator for the
diagonal of a matrix, Appl. Numer. Math. 2007, doi:10.1016/j.apnum.2007.01.003; Tang and Saad, A probing method for
computing the diagonal of a matrix inverse, Numer. Linear Algebra Appl. 2012, doi:10.1002/nla.779.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenselect._checks import random_generator
from eigenselect._parallel import map_blocks, slices
from eigenselect._typing import FloatArray, IntArray
from eigenselect._warn import warn
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.criteria.structured import SymmetricForm
from eigenselect.inference.colouring import probe_colours
from eigenselect.inference.polynomials import by_degree, dot, evaluate, times
from eigenselect.inference.scalars import LinearScalars, Scalars

#: error that is aimed at: a hundredth of a null standard deviation moves a p-value of 1e-4 by 4 %
WANTED_ERROR = 0.005
#: products with single vectors that probing may take
MOST_PRODUCTS = 1024
#: probes without colours for tr B³, and columns for Σ B_ij³, which only the skewness needs
SKEWNESS_PROBES = 64
#: bytes of probes that one thread takes at a time
TILE_BYTES = 2**22


def probed_scalars(
    ratio: NullRatio,
    *,
    n_jobs: int | None = None,
    random_state: Any = None,
    wanted_error: float = WANTED_ERROR,
    most_products: int = MOST_PRODUCTS,
) -> Scalars:
    """Estimate the scalars of a ratio from products with its forms; exactly where as many as samples are allowed.

    ``error`` of the result is the standard error of the null mean and of the null standard deviation together, in null
    standard deviations of a bell-shaped feature.

    Parameters
    ----------
    ratio : NullRatio
    n_jobs : int, optional
    random_state : int, RandomState or None, default=None
    wanted_error : float, default=0.005
        Probes are added until the error is at most this.
    most_products : int, default=1024
        Most products with one vector; it warns where these were not enough.

    Examples
    --------
    >>> product = SymmetricForm.of_products(lambda F: np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]) @ F, 3)
    >>> scalars = probed_scalars(NullRatio(product, None, True, True, 3))
    >>> scalars.tau, scalars.error
    (array([1.]), 0.0)
    """
    generator = random_generator(random_state)
    prepared = _Prepared.of(ratio.forms, ratio, generator)
    exact = ratio.n_samples <= most_products
    if exact:
        colours = np.arange(ratio.n_samples)
    else:
        pattern = next((form.pattern for form in ratio.forms if form.pattern is not None), None)
        colours = probe_colours(pattern, ratio.n_samples, most_products // 4, generator)
    probes = _Probes(prepared, colours, generator, n_jobs)
    probes.repeat(1 if exact else 2)
    while not exact and probes.error > wanted_error and 2 * probes.n_products <= most_products:
        probes.repeat(len(probes.diagonals))
    scalars = probes.scalars()
    if scalars.error > wanted_error:
        warn(
            f"The null distribution is known to {100 * scalars.error:.2g} % of its standard deviation, not to "
            f"{100 * wanted_error:.2g} %, after {probes.n_products} products with the spectral function of the sample "
            "graph; p-values are off by a few such parts."
        )
    return scalars


@dataclass(frozen=True)
class _Prepared:
    """Both forms centred and divided by their units, with what is known of them without probes."""

    forms: list[SymmetricForm]
    units: FloatArray
    total: FloatArray
    linear: FloatArray
    centred: bool

    @classmethod
    def of(cls, forms: list[SymmetricForm], ratio: NullRatio, generator: np.random.RandomState) -> _Prepared:
        n = ratio.n_samples
        signs = _signs(generator, n)
        units = np.array([float(np.abs(form @ signs).max()) or 1.0 for form in forms])
        forms = [form.scaled(1.0 / unit) for form, unit in zip(forms, units.tolist(), strict=True)]
        images = np.zeros((len(forms), n))
        if not ratio.centred:
            images = np.stack([form @ np.ones(n) for form in forms])
            forms = [form.centred() for form in forms]
        total = images.sum(axis=1)
        return cls(forms, units, total, images - total[:, None] / n, ratio.centred)

    @property
    def n_samples(self) -> int:
        return self.forms[0].n_samples

    def times(self, features: FloatArray) -> FloatArray:
        """Multiply with every form: an array of shape (q, n, m)."""
        return np.stack([np.asarray(form @ features) for form in self.forms])

    def known_diagonals(self) -> list[FloatArray | None]:
        return [None if form.is_implicit else form.diagonal() for form in self.forms]


class _Probes:
    """Probes of the centred forms A with the same colours and independent signs, added until they are enough."""

    def __init__(
        self, prepared: _Prepared, colours: IntArray, generator: np.random.RandomState, n_jobs: int | None
    ) -> None:
        self.prepared, self.colours, self.generator, self.n_jobs = prepared, colours, generator, n_jobs
        self.n_colours = int(colours.max()) + 1
        self.is_exact = self.n_colours == colours.size
        self.known = prepared.known_diagonals()
        self.diagonals: list[FloatArray] = []  # A_ii, of shape (q, n), by every repeat
        self.squares: list[FloatArray] = []  # (A²)_ii, of shape (2q - 1, n)
        self.by_colour: list[FloatArray] = []  # |A z_c|², of shape (2q - 1, n_colours)

    @property
    def n_products(self) -> int:
        return self.n_colours * len(self.diagonals)

    def repeat(self, times: int) -> None:
        """Probe all colours again, with new signs."""
        for _ in range(times):
            self._probe(_signs(self.generator, self.colours.size))

    def _probe(self, signs: FloatArray) -> None:
        """Estimate A_ii, or take it where it is known, and (A²)_ii."""
        tiles = slices(self.n_colours, max(1, TILE_BYTES // (8 * self.colours.size)))
        parts = map_blocks(lambda part: self._tile(part, signs), tiles, self.n_jobs)
        diagonal = np.sum([part[0] for part in parts], axis=0)
        for x, known in enumerate(self.known):
            if known is not None:
                diagonal[x] = known
        self.diagonals.append(diagonal)
        self.squares.append(np.sum([part[1] for part in parts], axis=0))
        self.by_colour.append(np.concatenate([part[2] for part in parts], axis=1))

    def _tile(self, part: slice, signs: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        inside = np.flatnonzero((self.colours >= part.start) & (self.colours < part.stop))
        column = self.colours[inside] - part.start
        probes = np.zeros((self.colours.size, part.stop - part.start))
        probes[inside, column] = signs[inside]
        images = self.prepared.times(probes)
        diagonal = np.zeros(images.shape[:2])
        diagonal[:, inside] = signs[inside] * images[:, inside, column]
        products = times(images, images)
        return diagonal, products.sum(axis=2), products.sum(axis=1)

    def _tau(self) -> FloatArray:
        """Return tr A / (n - 1) of every form."""
        return np.mean(self.diagonals, axis=0).sum(axis=1) / (self.colours.size - 1)

    def _centred(self, repeats: slice) -> tuple[FloatArray, FloatArray]:
        """Return B_ii and (B²)_ii of B = A - τH, from some repeats."""
        kept = 1.0 - 1.0 / self.colours.size  # H_ii
        tau = self._tau()[:, None]
        diagonal = np.mean(self.diagonals[repeats], axis=0)
        squares = np.mean(self.squares[repeats], axis=0)
        taken = times(tau, 2.0 * diagonal - tau * kept)
        return diagonal - tau * kept, squares - taken

    @property
    def error(self) -> float:
        """Standard errors of the null mean and of the null standard deviation, in null standard deviations.

        Colours have independent signs, and so have the errors of A_ii of two samples, but that each pair of a colour
        adds to both: the variances of two repeats are already sums of many terms.
        """
        if self.is_exact:
            return 0.0
        trace2 = float(self._typical(self._centred(slice(None))[1].sum(axis=1)))
        trace = np.var([diagonal[0] for diagonal in self.diagonals], axis=0, ddof=1).sum()
        squares = np.var([self._of_colours(k) for k in range(len(self.diagonals))], axis=0, ddof=1).sum()
        return math.sqrt((trace / trace2 + 0.25 * squares / trace2**2) / len(self.diagonals))

    def _of_colours(self, repeat: int) -> FloatArray:
        """Return |B z_c|² of every colour but for a constant, at the typical score."""
        found, tau = self._typical(self.by_colour[repeat]), self._tau()
        if tau.size == 2:  # no multiple of H is left of T where its mean is 0
            return found
        forms = np.bincount(self.colours, weights=self.diagonals[repeat][0], minlength=self.n_colours)  # zᵀAz
        return np.asarray(found - 2.0 * tau[0] * forms)

    def _typical(self, polynomial: FloatArray) -> FloatArray:
        """Evaluate polynomials where the mean of T is 0, or of the numerator alone."""
        tau = self._tau()
        score = tau[0] / tau[1] if tau.size == 2 and tau[1] else 0.0
        return evaluate(polynomial, np.ones(polynomial.shape[1:]), np.full(polynomial.shape[1:], -score))

    def scalars(self) -> Scalars:
        """Put the polynomials together."""
        half = len(self.diagonals) // 2
        first, second = (slice(0, half), slice(half, None)) if half else (slice(None), slice(None))
        (b1, s1), (b2, s2) = self._centred(first), self._centred(second)
        b, B2 = self._centred(slice(None))
        trace3, off_diagonal = self._skewness()
        Bb = by_degree(self._B(b2.T))
        bb = times(b1, b2)
        scalars = Scalars(
            n_samples=self.colours.size,
            tau=self._tau(),
            total=self.prepared.total,
            trace2=B2.sum(axis=1),
            bb=bb.sum(axis=1),
            trace3=trace3,
            cubes=dot(bb, b) + off_diagonal,
            bBb=dot(b1, Bb),
            bB2=0.5 * (dot(b1, s2) + dot(b2, s1)),
            bbb=dot(bb, b),
            units=self.prepared.units,
            error=self.error,
        )
        return scalars if self.prepared.centred else replace(scalars, linear=self._linear(b, bb, B2))

    def _linear(self, b: FloatArray, bb: FloatArray, B2: FloatArray) -> LinearScalars:
        linear = self.prepared.linear
        ll, Bl = times(linear, linear), by_degree(self._B(linear.T))
        return LinearScalars(
            ll=ll.sum(axis=1),
            bl=dot(b, linear),
            lll=dot(ll, linear),
            lBl=dot(linear, Bl),
            bll=dot(ll, b),
            bBl=dot(b, Bl),
            lB2=dot(linear, B2),
            bbl=dot(bb, linear),
        )

    def _B(self, features: FloatArray) -> FloatArray:
        """Multiply with B = A - τH of every form."""
        return self.prepared.times(features) - self._tau()[:, None, None] * (features - features.mean(axis=0))

    def _skewness(self) -> tuple[FloatArray, FloatArray]:
        """Return tr B³ by probes of all samples, and Σ B_ij³ over i ≠ j by sampled columns: all where exact."""
        n = self.colours.size
        columns = np.arange(n) if self.is_exact else np.sort(self.generator.permutation(n)[:SKEWNESS_PROBES])
        signs = None if self.is_exact else _signs(self.generator, n, SKEWNESS_PROBES)

        def tile(part: slice) -> tuple[FloatArray, FloatArray]:
            own = columns[part]
            single = np.zeros((n, own.size))
            single[own, np.arange(own.size)] = 1.0
            entries = self._B(single)
            image = entries if signs is None else self._B(signs[:, part])
            trace = _trace3(image, [self._B(one) for one in image])
            entries[:, own, np.arange(own.size)] = 0.0
            return trace, dot(times(entries, entries), entries)

        parts = map_blocks(tile, slices(columns.size, max(1, TILE_BYTES // (8 * n))), self.n_jobs)
        trace3 = sum(trace for trace, _ in parts) / (1 if self.is_exact else SKEWNESS_PROBES)
        return np.asarray(trace3), np.asarray(sum(cubes for _, cubes in parts) * (n / columns.size))


def _trace3(images: FloatArray, twice: list[FloatArray]) -> FloatArray:
    """Sum zᵀ B_x B_y B_w z over probes, with B_x z in ``images[x]`` and B_y B_w z in ``twice[w][y]``."""
    q = len(images)
    total = np.zeros(3 * q - 2)
    for x in range(q):
        for w in range(q):
            for y in range(q):
                total[x + y + w] += np.sum(images[x] * twice[w][y])
    return total


def _signs(generator: np.random.RandomState, *shape: int) -> FloatArray:
    return np.asarray(generator.randint(0, 2, size=shape) * 2.0 - 1.0, dtype=np.float64)

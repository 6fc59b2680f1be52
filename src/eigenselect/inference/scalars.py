r"""What the moments of a permuted feature need to know of a ratio: a few polynomials, computed once.

For the centred, mean-free forms :math:`B = \alpha B_0 + \beta B_1` of numerator and denominator every scalar below is a
homogeneous polynomial in (α, β) of degree at most 3. No n × n matrix is formed for sparse forms: sums over entries
of the low-rank parts go through small tensors, those over classes through class sums, and the only sum over triples of
samples visits the triangles of the graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from eigenselect._parallel import map_blocks, single_threaded_blas, slices
from eigenselect._typing import FloatArray
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.inference.centred_parts import CentredParts
from eigenselect.inference.entries import Background
from eigenselect.inference.polynomials import by_degree, dot, matmul, row_dot, times

#: samples whose rows are looked at together: what is made of them stays in cache
ROWS = 2**14


@dataclass(frozen=True)
class LinearScalars:
    r"""Scalars of :math:`\ell = HA\mathbf 1`, which forms that do not annihilate constants need beside those of B.

    Names say what is summed over samples: l for :math:`\ell_i`, b for :math:`B_{ii}`, ``B`` for a product with the
    matrix, ``B2`` for :math:`(B^2)_{ii}`.
    """

    ll: FloatArray
    bl: FloatArray
    lll: FloatArray
    lBl: FloatArray  # noqa: N815
    bll: FloatArray
    bBl: FloatArray  # noqa: N815
    lB2: FloatArray  # noqa: N815
    bbl: FloatArray


@dataclass(frozen=True)
class Scalars:
    r"""Polynomials of a ratio's forms; the forms A differ from B by :math:`\tau H`, and were divided by their units.

    Attributes
    ----------
    n_samples : int
    tau : ndarray of shape (q,)
        :math:`\mathrm{tr}(HAH)/(n-1)`: the mean of :math:`z^\top A z` is :math:`\tau p_2`.
    total : ndarray of shape (q,)
        :math:`\mathbf 1^\top A \mathbf 1`.
    trace2, trace3 : ndarray
        :math:`\mathrm{tr} B^2, \mathrm{tr} B^3`.
    bb, bbb, bBb, bB2 : ndarray
        :math:`\sum b_i^2, \sum b_i^3, b^\top B b, \sum b_i (B^2)_{ii}` with :math:`b_i = B_{ii}`.
    cubes : ndarray
        :math:`\sum_{ij} B_{ij}^3`.
    linear : LinearScalars or None
        None for ratios that annihilate constants.
    units : ndarray of shape (q,)
        Numerator and denominator are those of the ratio divided by these.
    gross : ndarray of shape (q,)
        Sums of the absolute values of the terms of tr B² of each form: what its rounding is measured by; 0 for unknown.
    error : float
        Relative standard error, where the scalars were estimated.
    """

    n_samples: int
    tau: FloatArray
    total: FloatArray
    trace2: FloatArray
    bb: FloatArray
    trace3: FloatArray
    cubes: FloatArray
    bBb: FloatArray  # noqa: N815
    bB2: FloatArray  # noqa: N815
    bbb: FloatArray
    linear: LinearScalars | None = None
    units: FloatArray = field(default_factory=lambda: np.ones(2))
    gross: FloatArray = field(default_factory=lambda: np.zeros(2))
    error: float = 0.0

    @property
    def has_denominator(self) -> bool:
        """Whether the polynomials have two variables."""
        return self.tau.size == 2


def null_scalars(ratio: NullRatio, n_jobs: int | None = None) -> Scalars:
    """Compute the scalars of a ratio exactly.

    >>> from eigenselect.criteria.structured import SymmetricForm
    >>> graph = SymmetricForm.of(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    >>> scalars = null_scalars(NullRatio(graph, None, True, True, 3))
    >>> scalars.tau, scalars.error
    (array([1.]), 0.0)
    """
    with single_threaded_blas():
        return _Sums(CentredParts.of(ratio.explicit, centred=ratio.centred), n_jobs).scalars(linear=not ratio.centred)


class _Sums:
    r"""Sums over :math:`B = K + V C V^\top`, :math:`K = \mathrm{diag}(a) + W + G`.

    But for products with W, all is made of the rows of some samples after the other: of millions of them, each number
    per sample that is held takes as long to get fresh memory for as to compute.
    """

    def __init__(self, parts: CentredParts, n_jobs: int | None) -> None:
        self.parts, self.n_jobs = parts, n_jobs
        self.blocks = slices(len(parts.V), ROWS)
        self.n_classes = parts.weights.shape[1]
        self.sizes = np.bincount(parts.codes, minlength=self.n_classes).astype(np.float64)
        self.has_classes = bool(parts.weights.any())
        self.gram = parts.V.T @ parts.V
        self.of_V = _Images.of(parts.V, self)
        self.within = parts.entries.within(parts.codes) if self.has_classes else np.zeros((1, 1))

    def scalars(self, *, linear: bool) -> Scalars:
        parts = self.parts
        vectors = np.empty((len(parts.V), len(parts.C) * (2 if linear else 1)))  # b, and l beside it
        for rows in self.blocks:
            vectors[rows, : len(parts.C)] = _Rows(self, rows).b.T
            if linear:
                vectors[rows, len(parts.C) :] = parts.linear[:, rows].T
        of_vectors = _Images.of(vectors, self)
        found = map_blocks(lambda rows: _Rows(self, rows).sums(of_vectors, linear=linear), self.blocks, self.n_jobs)
        total = {name: np.sum([part[name] for part in found], axis=0) for name in found[0]}
        own = {name: total[name] for name in ("trace2", "bb", "bBb", "bB2", "bbb", "gross")}
        return Scalars(
            n_samples=len(parts.V),
            tau=parts.tau,
            total=parts.total,
            trace3=self._trace3(total),
            cubes=self._cubes(total["diagonal_cubes"]),
            linear=LinearScalars(**{name: total[name] for name in LinearScalars.__annotations__}) if linear else None,
            units=parts.units,
            **own,
        )

    def class_sums(self, values: FloatArray) -> FloatArray:
        """Sum the rows of an (n, m) array over each class."""
        return np.stack([np.bincount(self.parts.codes, weights=v, minlength=self.n_classes) for v in values.T], axis=1)

    def _trace3(self, total: dict[str, FloatArray]) -> FloatArray:
        """Compute tr (K + R)³ = tr K³ + 3 tr K²R + 3 tr KR² + tr R³, R = VCVᵀ."""
        C = self.parts.C
        CG = C @ self.gram
        return (
            self._trace_K3(total["samples_K3"])
            + 3.0 * dot(total["KK"], C)
            + 3.0 * dot(matmul(CG, C), total["VKV"])
            + dot(matmul(CG, CG), np.swapaxes(CG, 1, 2))
        )

    def _trace_K3(self, samples: FloatArray) -> FloatArray:
        """Compute tr (S + G)³ with S = diag(a) + W: over samples, triangles of edges, and pairs within classes."""
        a, entries = self.parts.diagonal, self.parts.entries
        total = samples + entries.triangles(self.n_jobs)
        if not self.has_classes:
            return total
        w = self.parts.weights
        both = self.class_sums(times(a, a + 2.0 * self.within).T).T + entries.class_squares(
            self.parts.codes, w.shape[1]
        )
        inside = self.class_sums((a + self.within).T).T
        w2 = times(w, w)
        return total + 3.0 * dot(both, w) + 3.0 * dot(w2 * self.sizes, inside) + dot(w2 * self.sizes**3, w)

    def _cubes(self, diagonal: FloatArray) -> FloatArray:
        """Compute Σ_ij B_ij³: entries, then the background everywhere with its diagonal exchanged."""
        parts = self.parts
        background = Background(parts.V, parts.C, parts.codes, parts.weights)
        return parts.entries.cubes(background, self.n_jobs) + self._background_cubes() + diagonal

    def _background_cubes(self) -> FloatArray:
        """Compute Σ_ij (VCVᵀ + G)_ij³ over all pairs."""
        total = _low_rank_cubes(self.parts.V, self.parts.C)
        if not self.has_classes:
            return total
        V, C, w = self.parts.V, self.parts.C, self.parts.weights
        w2, sums = times(w, w), self.class_sums(V)
        pairs = self.class_sums(np.einsum("ia,ib->iab", V, V).reshape(len(V), -1)).reshape(-1, *self.gram.shape)
        single = np.einsum("la,qab,lb->ql", sums, C, sums, optimize=True)
        # Σ over pairs of class l of R_ij R'_ij = Σ C_ab C'_cd (Σ_i v_a v_c) (Σ_j v_b v_d)
        moved = np.einsum("qab,lac->qlbc", C, pairs, optimize=True)
        double = np.stack([np.zeros(self.n_classes)] * (2 * len(C) - 1))
        for i, first in enumerate(moved):
            for j, second in enumerate(moved):
                double[i + j] += np.einsum("lbc,lcb->l", first, second)
        return total + dot(w2 * self.sizes**2, w) + 3.0 * dot(w2, single) + 3.0 * dot(w, double)


class _Images(NamedTuple):
    """Some features F of all samples, and what products with B need to know of them as a whole.

    Attributes
    ----------
    features : ndarray of shape (n, m)
    of_entries : ndarray of shape (u, n, m)
        Products with the matrices that W is a mixture of.
    projections : ndarray of shape (k, m)
        VᵀF.
    of_classes : ndarray of shape (c, m) or None
        Sums over each class.
    """

    features: FloatArray
    of_entries: FloatArray
    projections: FloatArray
    of_classes: FloatArray | None

    @classmethod
    def of(cls, features: FloatArray, sums: _Sums) -> _Images:
        parts = sums.parts
        of_classes = sums.class_sums(features) if sums.has_classes else None
        return cls(features, parts.entries.images(features), parts.V.T @ features, of_classes)


class _Rows:
    """What some samples add to the sums."""

    def __init__(self, sums: _Sums, rows: slice) -> None:
        self.of_all, self.rows, parts = sums, rows, sums.parts
        self.codes, self.V, self.a = parts.codes[rows], parts.V[rows], parts.diagonal[:, rows]
        self.G = parts.weights[:, self.codes]  # G_ii
        self.VC = self.V @ parts.C
        self.background = row_dot(self.VC, self.V[None]) + self.G  # (VCVᵀ + G)_ii
        self.b = self.a + self.background

    def sums(self, vectors: _Images, *, linear: bool) -> dict[str, FloatArray]:
        """Sum over these samples; ``vectors`` are b of all of them, and l where ``linear`` sums are wanted."""
        a, b, rest, q = self.a, self.b, self.background, len(self.a)
        edges = self.of_all.parts.entries.squares(self.rows)
        KV, images = self._K(self.of_all.of_V), self._K(vectors) + self.VC @ vectors.projections
        Bb, bb, B2 = by_degree(images[:, :, :q]), times(b, b), self._squared_diagonal(KV, edges)
        found = {
            "trace2": B2.sum(axis=1),
            "bb": bb.sum(axis=1),
            "bBb": dot(b, Bb),
            "bB2": dot(b, B2),
            "bbb": dot(bb, b),
            "gross": self._gross(edges),
            "KK": matmul(np.swapaxes(KV, 1, 2), KV),
            "VKV": self.V.T @ KV,
            "samples_K3": dot(times(a, a) + 3.0 * edges, a),
            "diagonal_cubes": dot(bb, b) - dot(times(rest, rest), rest),
        }
        return found | self._linear(Bb, by_degree(images[:, :, q:]), B2) if linear else found

    def _linear(self, Bb: FloatArray, Bl: FloatArray, B2: FloatArray) -> dict[str, FloatArray]:
        b, linear = self.b, self.of_all.parts.linear[:, self.rows]
        ll, bl = times(linear, linear), times(b, linear)
        return {
            "ll": ll.sum(axis=1),
            "bl": bl.sum(axis=1),
            "lll": dot(ll, linear),
            "lBl": dot(linear, Bl),
            "bll": dot(ll, b),
            "bBl": dot(linear, Bb),
            "lB2": dot(linear, B2),
            "bbl": dot(bl, b),
        }

    def _K(self, of: _Images) -> FloatArray:
        """Return these rows of (diag(a) + W + G) F of every form."""
        mix = self.of_all.parts.entries.mix
        image = self.a[:, :, None] * of.features[self.rows] + np.tensordot(mix, of.of_entries[:, self.rows], 1)
        if of.of_classes is not None:
            image += self.G[:, :, None] * of.of_classes[self.codes]
        return np.asarray(image)

    def _squared_diagonal(self, KV: FloatArray, edges: FloatArray) -> FloatArray:
        """Compute (B²)_ii = Σ_j B_ij²."""
        a, G, sums = self.a, self.G, self.of_all
        K2 = times(a, a) + edges
        if sums.has_classes:
            K2 += 2.0 * times(a + sums.within[:, self.rows], G) + times(G, G) * sums.sizes[self.codes]
        return K2 + 2.0 * row_dot(KV, self.VC) + row_dot(self.VC @ sums.gram, self.VC)

    def _gross(self, edges: FloatArray) -> FloatArray:
        """Sum the squares of the parts of each form, a part that cancels another one counted beside it."""
        gram, sizes = np.abs(self.of_all.gram), self.of_all.sizes[self.codes]
        low_rank = [float(((abs(VC).T @ abs(VC)) * gram).sum()) for VC in self.VC]
        return np.asarray(
            (self.a**2).sum(axis=1) + edges[[0, -1]][: len(self.a)].sum(axis=1) + self.G**2 @ sizes + low_rank
        )


def _low_rank_cubes(V: FloatArray, C: FloatArray) -> FloatArray:
    """Compute Σ_ij (VCVᵀ)_ij³ = Σ C_ad C_be C_cf t_abc t_def through the tensor t_abc = Σ_i v_a v_b v_c."""
    k, q = V.shape[1], len(C)
    tensor = np.zeros((k * k, k))
    step = max(1, 2**20 // max(1, k * k))
    for start in range(0, len(V), step):
        rows = V[start : start + step]
        tensor += np.einsum("ia,ib->iab", rows, rows).reshape(len(rows), -1).T @ rows
    tensor = tensor.reshape(k, k, k)
    total = np.zeros(3 * q - 2)
    moved = [np.einsum("ad,abc->dbc", C_x, tensor, optimize=True) for C_x in C]
    for i, first in enumerate(moved):
        for j in range(q):
            second = np.einsum("be,dbc->dec", C[j], first, optimize=True)
            for h, third in enumerate(moved):
                # third holds C_cf t_def over f, as t is symmetric
                total[i + j + h] += np.einsum("dec,cde->", second, third)
    return total

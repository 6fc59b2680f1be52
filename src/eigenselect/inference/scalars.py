r"""What the moments of a permuted feature need to know of a ratio: a few polynomials, computed once.

For the centred, mean-free forms :math:`B = \alpha B_0 + \beta B_1` of numerator and denominator every scalar below is a
homogeneous polynomial in (α, β) of degree at most 3. No n × n matrix is formed for sparse forms: sums over entries
of the low-rank parts go through small tensors, those over classes through class sums, and the only sum over triples of
samples visits the triangles of the graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from eigenselect._parallel import single_threaded_blas
from eigenselect._typing import FloatArray, IntArray
from eigenselect.criteria.null_ratio import NullRatio
from eigenselect.inference.centred_parts import CentredParts
from eigenselect.inference.entries import Background
from eigenselect.inference.polynomials import by_degree, dot, matmul, row_dot, times


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
    r"""Polynomials of a ratio's forms; the forms A differ from B by :math:`\tau H`, and were divided by powers of two.

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
    exponents : array of int of shape (q,)
        Numerator and denominator are those of the ratio divided by two to the power of these.
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
    exponents: IntArray = field(default_factory=lambda: np.zeros(2, dtype=np.intp))
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
    (array([0.5]), 0.0)
    """
    forms = ratio.together.forms
    with single_threaded_blas():
        return _Sums(CentredParts.of(forms, centred=ratio.centred), n_jobs).scalars(linear=not ratio.centred)


class _Sums:
    r"""Sums over :math:`B = K + V C V^\top`, :math:`K = \mathrm{diag}(a) + W + G`."""

    def __init__(self, parts: CentredParts, n_jobs: int | None) -> None:
        self.parts, self.n_jobs = parts, n_jobs
        self.n_classes = parts.weights.shape[1]
        self.sizes = np.bincount(parts.codes, minlength=self.n_classes).astype(np.float64)
        self.has_classes = bool(parts.weights.any())
        self.class_weight = parts.weights[:, parts.codes]  # G_ii
        self.gram = parts.V.T @ parts.V
        self.KV = self._K(parts.V)
        self.VC = parts.V @ parts.C
        self.background = row_dot(self.VC, parts.V[None]) + self.class_weight  # (VCVᵀ + G)_ii
        self.b = parts.diagonal + self.background
        self.edge_squares = parts.entries.squares()
        self.within = parts.entries.within(parts.codes) if self.has_classes else np.zeros_like(self.b)
        self.B2 = self._squared_diagonal()

    def scalars(self, *, linear: bool) -> Scalars:
        parts, b = self.parts, self.b
        vectors = np.concatenate([b, parts.linear]) if linear else b
        images = self._B(vectors.T)  # (q, n, vectors)
        Bb = by_degree(images[:, :, : len(b)])
        bb = times(b, b)
        return Scalars(
            n_samples=b.shape[1],
            tau=parts.tau,
            total=parts.total,
            trace2=self.B2.sum(axis=1),
            bb=bb.sum(axis=1),
            trace3=self._trace3(),
            cubes=self._cubes(),
            bBb=dot(b, Bb),
            bB2=dot(b, self.B2),
            bbb=dot(bb, b),
            linear=self._linear(Bb, by_degree(images[:, :, len(b) :])) if linear else None,
            exponents=parts.exponents,
            gross=self._gross(),
        )

    def _linear(self, Bb: FloatArray, Bl: FloatArray) -> LinearScalars:
        b, linear = self.b, self.parts.linear
        ll, bl = times(linear, linear), times(b, linear)
        return LinearScalars(
            ll=ll.sum(axis=1),
            bl=bl.sum(axis=1),
            lll=dot(ll, linear),
            lBl=dot(linear, Bl),
            bll=dot(ll, b),
            bBl=dot(linear, Bb),
            lB2=dot(linear, self.B2),
            bbl=dot(bl, b),
        )

    def _K(self, features: FloatArray) -> FloatArray:
        """Multiply with diag(a) + W + G of every form."""
        image = self.parts.diagonal[:, :, None] * features + self.parts.entries.times(features)
        if self.has_classes:
            image += self.class_weight[:, :, None] * self._class_sums(features)[self.parts.codes]
        return np.asarray(image)

    def _B(self, features: FloatArray) -> FloatArray:
        return np.asarray(self._K(features) + self.VC @ (self.parts.V.T @ features))

    def _class_sums(self, values: FloatArray) -> FloatArray:
        """Sum the rows of an (n, m) array over each class."""
        return np.stack([np.bincount(self.parts.codes, weights=v, minlength=self.n_classes) for v in values.T], axis=1)

    def _squared_diagonal(self) -> FloatArray:
        """Compute (B²)_ii = Σ_j B_ij²."""
        a, G = self.parts.diagonal, self.class_weight
        K2 = times(a, a) + self.edge_squares
        if self.has_classes:
            K2 += 2.0 * times(a + self.within, G) + times(G, G) * self.sizes[self.parts.codes]
        return K2 + 2.0 * row_dot(self.KV, self.VC) + row_dot(self.VC @ self.gram, self.VC)

    def _gross(self) -> FloatArray:
        """Sum the squares of the parts of each form, a part that cancels another one counted beside it."""
        edges, gram = self.edge_squares[[0, -1]], np.abs(self.gram)
        return np.array([self._gross_of(form, edges[form], gram) for form in range(len(self.VC))])

    def _gross_of(self, form: int, edges: FloatArray, gram: FloatArray) -> float:
        """Sum the squares of the diagonal, the edges, the classes and the low-rank part of one form."""
        VC = np.abs(self.VC[form])
        classes = self.class_weight[form] ** 2 @ self.sizes[self.parts.codes]
        return float((self.parts.diagonal[form] ** 2).sum() + edges.sum() + classes + ((VC.T @ VC) * gram).sum())

    def _trace3(self) -> FloatArray:
        """Compute tr (K + R)³ = tr K³ + 3 tr K²R + 3 tr KR² + tr R³, R = VCVᵀ."""
        C, V = self.parts.C, self.parts.V
        KK = matmul(np.swapaxes(self.KV, 1, 2), self.KV)
        VKV = V.T @ self.KV
        CG = C @ self.gram
        return (
            self._trace_K3()
            + 3.0 * dot(KK, C)
            + 3.0 * dot(matmul(CG, C), VKV)
            + dot(matmul(CG, CG), np.swapaxes(CG, 1, 2))
        )

    def _trace_K3(self) -> FloatArray:
        """Compute tr (S + G)³ with S = diag(a) + W: over samples, triangles of edges, and pairs within classes."""
        a, entries = self.parts.diagonal, self.parts.entries
        total = dot(times(a, a) + 3.0 * self.edge_squares, a) + entries.triangles(self.n_jobs)
        if not self.has_classes:
            return total
        w = self.parts.weights
        both = self._class_sums(times(a, a + 2.0 * self.within).T).T + entries.class_squares(
            self.parts.codes, w.shape[1]
        )
        inside = self._class_sums((a + self.within).T).T
        w2 = times(w, w)
        return total + 3.0 * dot(both, w) + 3.0 * dot(w2 * self.sizes, inside) + dot(w2 * self.sizes**3, w)

    def _cubes(self) -> FloatArray:
        """Compute Σ_ij B_ij³: entries, then the background everywhere with its diagonal exchanged."""
        parts, rest = self.parts, self.background
        background = Background(self.VC, parts.V, parts.codes, parts.weights)
        diagonal = dot(times(self.b, self.b), self.b) - dot(times(rest, rest), rest)
        return parts.entries.cubes(background, self.n_jobs) + self._background_cubes() + diagonal

    def _background_cubes(self) -> FloatArray:
        """Compute Σ_ij (VCVᵀ + G)_ij³ over all pairs."""
        total = _low_rank_cubes(self.parts.V, self.parts.C)
        if not self.has_classes:
            return total
        V, C, w = self.parts.V, self.parts.C, self.parts.weights
        w2, sums = times(w, w), self._class_sums(V)
        pairs = self._class_sums(np.einsum("ia,ib->iab", V, V).reshape(len(V), -1)).reshape(-1, *self.gram.shape)
        single = np.einsum("la,qab,lb->ql", sums, C, sums, optimize=True)
        # Σ over pairs of class l of R_ij R'_ij = Σ C_ab C'_cd (Σ_i v_a v_c) (Σ_j v_b v_d)
        moved = np.einsum("qab,lac->qlbc", C, pairs, optimize=True)
        double = np.stack([np.zeros(self.n_classes)] * (2 * len(C) - 1))
        for i, first in enumerate(moved):
            for j, second in enumerate(moved):
                double[i + j] += np.einsum("lbc,lcb->l", first, second)
        return total + dot(w2 * self.sizes**2, w) + 3.0 * dot(w2, single) + 3.0 * dot(w, double)


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

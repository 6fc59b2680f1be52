"""The theorem's table: one row per method. Pure data, imports nothing heavy.

Every method scores a feature by f̂ᵀŜf̂ and differs from the others only in its row.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Method:
    """One method: how it is called and what it is made of."""

    name: str
    selector: str
    similarity: str
    normalization: str
    matrix: str
    direction: str
    supervision: str
    reference: str
    summary: str
    parameters: dict[str, Any] = field(default_factory=dict)
    #: the subcommand that runs it
    command: str = "rank"

    def as_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        return asdict(self)

    def call(self) -> str:
        """How it is made in Python."""
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.selector}({arguments})"


_SPEC_REFERENCE = "Zhao & Liu, ICML 2007, doi:10.1145/1273496.1273641"

METHODS: tuple[Method, ...] = (
    Method(
        name="spec-phi1",
        selector="SPEC",
        parameters={"ranking": "phi1"},
        similarity="any",
        normalization="D½f, unit length",
        matrix="I - γ(N)",
        direction="small",
        supervision="as the similarity",
        reference=_SPEC_REFERENCE + ", Eq. 9",
        summary="normalised cut of the graph by the feature",
    ),
    Method(
        name="spec-phi2",
        selector="SPEC",
        parameters={"ranking": "phi2"},
        similarity="any",
        normalization="D½f, ξ₁ removed, unit length",
        matrix="I - γ(N)",
        direction="small",
        supervision="as the similarity",
        reference=_SPEC_REFERENCE + ", Eq. 10",
        summary="smoothness over the graph, without the share that only follows the density of samples",
    ),
    Method(
        name="spec-phi3",
        selector="SPEC",
        parameters={"ranking": "phi3"},
        similarity="any",
        normalization="D½f, unit length",
        matrix="Σ₂ᵏ (γ(2) - γ(λⱼ)) ξⱼξⱼᵀ",
        direction="large",
        supervision="as the similarity",
        reference=_SPEC_REFERENCE + ", Eq. 11",
        summary="agreement with the leading cluster indicators only; drops noise",
    ),
    Method(
        name="laplacian",
        selector="LaplacianScore",
        similarity="kNN, RBF weights; any",
        normalization="D½f, ξ₁ removed, unit length",
        matrix="I - N",
        direction="small",
        supervision="none",
        reference="He, Cai & Niyogi, NeurIPS 2005",
        summary="φ2 with γ = identity: neighbours have like values",
    ),
    Method(
        name="fisher",
        selector="FisherScore",
        similarity="class labels",
        normalization="D½f, ξ₁ removed, unit length",
        matrix="I - N",
        direction="large",
        supervision="needed",
        reference="Duda, Hart & Stork 2001; Zhao 2010, Theorem 11",
        summary="class means far apart, classes narrow: 1/φ2 - 1 on the class-label similarity",
    ),
    Method(
        name="relieff",
        selector="ReliefF",
        similarity="near hits and misses",
        normalization="f",
        matrix="D_A - A (squared differences)",
        direction="large",
        supervision="needed (classes or numbers)",
        reference="Robnik-Šikonja & Kononenko 2003, doi:10.1023/A:1025667309714; Zhao 2010, Eq. 3.15",
        summary="differs from near samples of other classes, not from those of its own",
    ),
    Method(
        name="hsic",
        selector="HSICScore",
        similarity="target kernel",
        normalization="f, unit deviation",
        matrix="S_HSIC",
        direction="large",
        supervision="needed (classes, numbers or a kernel)",
        reference="Song et al., ICML 2007, doi:10.1145/1273496.1273600",
        summary="dependence on the target, unbiased, with a linear kernel on the feature",
    ),
    Method(
        name="trace-ratio",
        selector="TraceRatio",
        similarity="within / between classes",
        normalization="f, unit deviation",
        matrix="L_b - λ* L_w",
        direction="large",
        supervision="needed",
        reference="Nie, Xiang, Jia, Zhang & Yan, AAAI 2008",
        summary="the subset with the best ratio of scatter between to within classes, exactly",
    ),
    Method(
        name="sselect",
        selector="SSelect",
        similarity="kNN, RBF weights; any",
        normalization="D½f, ξ₁ removed, unit length",
        matrix="λ(I - N), and (1-λ) NMI with the labels",
        direction="small",
        supervision="a few",
        reference="Zhao & Liu, SDM 2007, doi:10.1137/1.9781611972771.75",
        summary="smooth over all samples and in agreement with the labels that are known",
    ),
    Method(
        name="evsc",
        selector="EVSC",
        similarity="RBF; kNN with RBF weights; linear",
        normalization="f",
        matrix="one per eigenvalue: ∂λᵣ = fᵀLᵣf, Σ |∂λᵣ|",
        direction="large",
        supervision="none",
        reference="Jiang & Ren, ICML 2011",
        summary="its weight moves the eigenvalues of the sample graph",
    ),
    Method(
        name="mrsf",
        selector="MRSF",
        similarity="RBF; any",
        normalization="f, centred",
        matrix="none: min ½‖Y - XW‖² + λ‖W‖₂,₁ with YYᵀ = S",
        direction="large",
        supervision="as the target",
        reference="Zhao 2010, chapter 4; Zhao, Wang & Liu, AAAI 2010",
        summary="explains the similarity together with the others selected, so copies are left out",
    ),
    Method(
        name="msfs",
        selector="MSFS",
        similarity="Σ θᵢSᵢ, one per knowledge source",
        normalization="D½f, ξ₁ removed, unit length",
        matrix="I - γ(N)",
        direction="small",
        supervision="either",
        reference="Zhao 2010, chapter 5",
        summary="smooth over the graph that several sources of knowledge make together",
        command="fuse",
    ),
    Method(
        name="kogs",
        selector="KOGS",
        similarity="one per ranker",
        normalization="one per ranker",
        matrix="one per ranker; their rankings are aggregated",
        direction="large",
        supervision="either",
        reference="Zhao 2010, section 5.5",
        summary="ranked high by several pairs of knowledge and criterion",
        command="Python only",
    ),
)


def method(name: str) -> Method:
    """The row of that name."""
    for row in METHODS:
        if row.name == name:
            return row
    raise KeyError(name)

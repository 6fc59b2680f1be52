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
        similarity="kNN, RBF weights",
        normalization="D½f, ξ₁ removed, unit length",
        matrix="I - N",
        direction="small",
        supervision="none",
        reference="He, Cai & Niyogi, NeurIPS 2005",
        summary="φ2 with γ = identity: neighbours have like values",
    ),
)


def method(name: str) -> Method:
    """The row of that name."""
    for row in METHODS:
        if row.name == name:
            return row
    raise KeyError(name)

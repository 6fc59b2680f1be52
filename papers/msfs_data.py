"""The three sets of msfs.py: tables of the same samples, and what is known of the target's features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from common import DATA
from numpy.typing import NDArray
from scipy import sparse

from eigenselect.multisource import (
    AuxiliaryData,
    FeatureSet,
    FeatureSimilarity,
    KnowledgeSource,
    TargetData,
    read_gene_sets,
)

Order = NDArray[np.intp]
Sources = list[tuple[str, KnowledgeSource]]

TARGET = "mRNA"
FUNCTION = ("APOPTOSIS", "E2F_TARGETS", "G2M_CHECKPOINT", "MYC_TARGETS_V1", "P53_PATHWAY")
PATHWAY = ("ACUTE_MYELOID_LEUKEMIA", "HEMATOPOIETIC_CELL_LINEAGE")
LEUKEMIA_FLOOR = 20.0
OUTLIER = "AML_24"  # an array unlike all others, found after the first run


@dataclass(frozen=True)
class Study:
    """Tables of the same samples, of which the first is the target, and knowledge of the target's features."""

    name: str
    tables: dict[str, pd.DataFrame]
    y: NDArray[Any]
    n_folds: int
    knowledge: Sources = field(default_factory=list)

    def standardised(self, train: Order) -> dict[str, pd.DataFrame]:
        """All tables with mean 0 and deviation 1 on the training samples."""
        found = {}
        for name, table in self.tables.items():
            part = table.iloc[train]
            varies = (part.max() > part.min()).to_numpy()  # a deviation may be 1e-16 where nothing varies
            found[name] = (table - part.mean().to_numpy()) / np.where(varies, part.std(ddof=0).to_numpy(), np.inf)
        return found

    def sources(self, tables: dict[str, pd.DataFrame]) -> Sources:
        """The target, the other tables and the knowledge, as sources."""
        others = [(name, AuxiliaryData(table, "rbf")) for name, table in tables.items() if name != TARGET]
        return [(TARGET, TargetData("rbf")), *others, *self.knowledge]

    @property
    def source_names(self) -> list[str]:
        """In the order of the weights."""
        return [*self.tables, *(name for name, _ in self.knowledge)]


def matched(name: str, file: str, n_folds: int, **keys: str) -> Study:
    """A set of several tables; keys name its arrays."""
    with np.load(DATA / file) as content:
        tables = {
            label: pd.DataFrame(
                content[f"X_{key}"].astype(np.float64), content["sample_ids"].astype(str), content[f"names_{key}"]
            )
            for label, key in keys.items()
        }
        return Study(name, tables, content["y"], n_folds)


def leukemia(leave_out: str | None = None) -> Study:
    """Expression, and what is known of its genes."""
    with np.load(DATA / "leukemia_hgu95_symbols.npz") as content:
        values = np.log2(np.maximum(content["X"].astype(np.float64), LEUKEMIA_FLOOR))
        table, y = pd.DataFrame(values, content["sample_ids"].astype(str), content["feature_names"]), content["y"]
    with np.load(DATA / "go_slim_human.npz") as content:
        parts = content["data"].astype(np.float64), content["indices"], content["indptr"]
        terms = sparse.csr_array(parts, shape=tuple(content["shape"]))
        terms, genes = terms[:, content["namespaces"] == "biological_process"], content["gene_symbols"]
    unique = np.sort(np.unique(genes, return_index=True)[1])
    hallmark, kegg = (
        read_gene_sets(DATA / file) for file in ("h.all.v7.0.symbols.gmt", "c2.cp.kegg.v7.5.1.symbols.gmt")
    )
    knowledge: Sources = [
        ("GO", FeatureSimilarity(terms[unique], feature_names=genes[unique], similarity="rbf", annotation=True)),
        ("function", FeatureSet([gene for name in FUNCTION for gene in hallmark[f"HALLMARK_{name}"]], "rbf")),
        ("pathway", FeatureSet([gene for name in PATHWAY for gene in kegg[f"KEGG_{name}"]], "rbf")),
    ]
    kept = table.index != leave_out
    name = "leukemia" if leave_out is None else f"leukemia without {leave_out}"
    return Study(name, {TARGET: table.loc[kept]}, y[kept], 5, knowledge)


STUDIES: list[Callable[[], Study]] = [
    lambda: matched("NCI60", "ms_nci60.npz", 3, mRNA="mrna", miRNA="mirna", protein="prot"),
    lambda: matched("breast TCGA", "ms_breast_tcga.npz", 5, mRNA="mrna", miRNA="mirna", protein="protein"),
    leukemia,
    lambda: leukemia(OUTLIER),
]

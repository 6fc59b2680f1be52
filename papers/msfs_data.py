"""The sets of msfs.py: tables of the same samples, what is known of the target's features, and their classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from common import DATA
from numpy.typing import NDArray
from scipy import sparse
from scipy.io import loadmat

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

ALL, TWO = "all classes", "two classes"
FUNCTION = ("APOPTOSIS", "E2F_TARGETS", "G2M_CHECKPOINT", "MYC_TARGETS_V1", "P53_PATHWAY")
#: KEGG sets, by the disease that is known of all samples
PATHWAYS = {
    "NCI60": ("GLIOMA", "MELANOMA", "ACUTE_MYELOID_LEUKEMIA", "CHRONIC_MYELOID_LEUKEMIA"),
    "breast TCGA": ("ERBB_SIGNALING_PATHWAY", "CELL_CYCLE", "P53_SIGNALING_PATHWAY", "WNT_SIGNALING_PATHWAY"),
    "leukemia": ("ACUTE_MYELOID_LEUKEMIA", "HEMATOPOIETIC_CELL_LINEAGE"),
    "TOX": ("P53_SIGNALING_PATHWAY", "NUCLEOTIDE_EXCISION_REPAIR", "BASE_EXCISION_REPAIR"),
}
CANCER = "PATHWAYS_IN_CANCER"  # of KEGG: the list that hits are counted with
LISTED, UNTOLD = "on the list", "on the list and named by no source"
FLOOR = 20.0  # of intensities
OUTLIER = "AML_24"  # an array unlike all others, found after the first run
DIGITS_PER_CLASS = 40


@dataclass(frozen=True)
class Study:
    """Tables of the same samples, of which the first is the target, and knowledge of the target's features.

    ``two`` holds two-class labels of the same samples; if there are several, the trials take them in turn.
    """

    name: str
    tables: dict[str, pd.DataFrame]
    y: NDArray[Any]
    two: tuple[NDArray[Any], ...]
    n_folds: int
    knowledge: Sources = field(default_factory=list)
    cancer: dict[str, NDArray[np.bool_]] = field(default_factory=dict)  # which of the target's features are on a list

    @property
    def target(self) -> str:
        """The name of the target, which is also a source."""
        return next(iter(self.tables))

    @property
    def source_names(self) -> list[str]:
        """In the order of the weights."""
        return [*self.tables, *(name for name, _ in self.knowledge)]

    def labels(self, seed: int) -> dict[str, NDArray[Any]]:
        """The class definitions of a trial; a study that has two classes anyway has no other."""
        two = {TWO: self.two[seed % len(self.two)]}
        return two if len(np.unique(self.y)) == 2 else {ALL: self.y, **two}

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
        others = [(name, AuxiliaryData(table, "rbf")) for name, table in tables.items() if name != self.target]
        return [(self.target, TargetData("rbf")), *others, *self.knowledge]


@cache
def gene_sets() -> tuple[dict[str, Any], dict[str, Any]]:
    """The hallmark and the KEGG sets."""
    hallmark, kegg = ("h.all.v7.0.symbols.gmt", "c2.cp.kegg.v7.5.1.symbols.gmt")
    return read_gene_sets(DATA / hallmark), read_gene_sets(DATA / kegg)


def united(sets: dict[str, Any], prefix: str, names: Iterable[str]) -> list[str]:
    """All genes of several sets."""
    return [gene for name in names for gene in sets[f"{prefix}_{name}"]]


@cache
def ontology() -> FeatureSimilarity:
    """Genes by the biological-process terms of the GO slim."""
    with np.load(DATA / "go_slim_human.npz") as content:
        parts = content["data"].astype(np.float64), content["indices"], content["indptr"]
        terms = sparse.csr_array(parts, shape=tuple(content["shape"]))
        terms, genes = terms[:, content["namespaces"] == "biological_process"], content["gene_symbols"]
    unique = np.sort(np.unique(genes, return_index=True)[1])
    return FeatureSimilarity(terms[unique], feature_names=genes[unique], similarity="rbf", annotation=True)


def knowledge_of(study: str) -> Sources:
    """What is known of human genes: function, pathway, ontology."""
    hallmark, kegg = gene_sets()
    return [
        ("function", FeatureSet(united(hallmark, "HALLMARK", FUNCTION), "rbf")),
        ("pathway", FeatureSet(united(kegg, "KEGG", PATHWAYS[study]), "rbf")),
        ("GO", ontology()),
    ]


def on_the_lists(genes: Iterable[str], study: str) -> dict[str, NDArray[np.bool_]]:
    """Which genes are known to have to do with cancer, and which of these no source of the study names."""
    hallmark, kegg = gene_sets()
    known = set(kegg[f"KEGG_{CANCER}"])
    told = {*united(hallmark, "HALLMARK", FUNCTION), *united(kegg, "KEGG", PATHWAYS[study])}
    return {LISTED: np.array([g in known for g in genes]), UNTOLD: np.array([g in known - told for g in genes])}


def tables_of(file: str, **keys: str) -> tuple[dict[str, pd.DataFrame], NDArray[Any], NDArray[Any]]:
    """The tables of a set, its classes and their names; keys name the arrays."""
    with np.load(DATA / file) as content:
        rows = (
            content["sample_ids"].astype(str) if "sample_ids" in content else np.arange(len(content["y"])).astype(str)
        )
        tables = {}
        for label, key in keys.items():
            values = content[f"X_{key}"].astype(np.float64)
            columns = content[f"names_{key}"] if f"names_{key}" in content else np.arange(values.shape[1]).astype(str)
            tables[label] = pd.DataFrame(values, rows, columns)
        names = content["class_names"] if "class_names" in content else np.unique(content["y"])
        return tables, content["y"], names


def nci60() -> Study:
    """Cell lines of three tissues: mRNA, miRNA, protein, and what is known of the genes; two classes: blood or not."""
    tables, y, names = tables_of("ms_nci60.npz", mRNA="mrna", miRNA="mirna", protein="prot")
    genes = [name.rsplit("_", 2)[0] for name in tables["mRNA"].columns]  # "TP53_11_mrna"
    tables["mRNA"].columns = genes
    blood = (y == list(names).index("Leukemia")).astype(int)
    return Study("NCI60", tables, y, (blood,), 3, knowledge_of("NCI60"), on_the_lists(genes, "NCI60"))


def breast() -> Study:
    """Tumours of three subtypes: mRNA, miRNA, protein, and what is known of the genes; two classes: basal or not."""
    tables, y, names = tables_of("ms_breast_tcga.npz", mRNA="mrna", miRNA="mirna", protein="protein")
    basal = (y == list(names).index("Basal")).astype(int)
    known = on_the_lists(tables["mRNA"].columns, "breast TCGA")
    return Study("breast TCGA", tables, y, (basal,), 5, knowledge_of("breast TCGA"), known)


def leukemia(leave_out: str | None = None) -> Study:
    """Two leukemias: expression, and what is known of its genes."""
    with np.load(DATA / "leukemia_hgu95_symbols.npz") as content:
        values = np.log2(np.maximum(content["X"].astype(np.float64), FLOOR))
        table, y = pd.DataFrame(values, content["sample_ids"].astype(str), content["feature_names"]), content["y"]
    kept = table.index != leave_out
    name = "leukemia" if leave_out is None else f"leukemia without {leave_out}"
    y, known = y[kept], on_the_lists(table.columns, "leukemia")
    return Study(name, {"mRNA": table.loc[kept]}, y, (y,), 5, knowledge_of("leukemia"), known)


def tox() -> Study:
    """Four groups of patients: expression, and what is known of its genes; two classes: the groups in pairs."""
    content = loadmat(DATA / "TOX-171.mat")
    genes = [str(np.ravel(gene)[0]) if np.size(gene) else "" for gene in content["geneSym"].ravel()]
    y = content["Y"].ravel().astype(int) - 1
    table = pd.DataFrame(np.log2(np.maximum(content["X"], FLOOR)), np.arange(y.size).astype(str), genes)
    pairs = tuple(((y == 0) | (y == other)).astype(int) for other in (1, 2, 3))
    return Study("TOX", {"mRNA": table}, y, pairs, 5, knowledge_of("TOX"), on_the_lists(genes, "TOX"))


def nutrimouse() -> Study:
    """Mice on five diets: genes of the liver, and lipids; two classes: the genotype."""
    tables, y, _ = tables_of("ms_nutrimouse.npz", gene="gene", lipid="lipid")
    with np.load(DATA / "ms_nutrimouse.npz") as content:
        return Study("nutrimouse", tables, y, (content["genotype"].astype(int),), 5)


def digits() -> Study:
    """Ten digits in six views, the first 40 of each; two classes: odd or even."""
    views = {"pixels": "pix", "profiles": "fac", "Fourier": "fou", "Karhunen": "kar", "Zernike": "zer", "shape": "mor"}
    tables, y, _ = tables_of("ms_mfeat_digits.npz", **views)
    kept = np.sort(np.concatenate([np.flatnonzero(y == digit)[:DIGITS_PER_CLASS] for digit in range(10)]))
    return Study("digits", {name: table.iloc[kept] for name, table in tables.items()}, y[kept], (y[kept] % 2,), 5)


STUDIES: dict[str, Callable[[], Study]] = {
    "NCI60": nci60,
    "breast TCGA": breast,
    "leukemia": leukemia,
    f"leukemia without {OUTLIER}": lambda: leukemia(OUTLIER),
    "TOX": tox,
    "nutrimouse": nutrimouse,
    "digits": digits,
}


@cache
def study_of(name: str) -> Study:
    """A study, read once in a process."""
    return STUDIES[name]()

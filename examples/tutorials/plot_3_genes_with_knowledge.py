"""
Genes with knowledge
====================

A table of forty patients and hundreds of genes is small for choosing genes: by chance, many genes look good. Much is
known besides it: other measurements of the same patients, pathways, genes that act together. This tutorial brings such
knowledge in by name, from files as they are shared, and asks of each source whether it helped.

You learn to read gene sets and interactions, to match tables by name, to rank on several sources with
:class:`~eigenselect.MSFS`, to weigh the sources, to join rankings with :class:`~eigenselect.KOGS`, and where p-values
are honest.
"""

# %%
# The data
# --------
# Made here, so that the right answer is known. Forty patients, half with an active pathway. Of 600 genes, 30 follow the
# activity: twelve that are listed in the pathway, and 18 that nobody has listed. Sixty other genes follow the hospital,
# more strongly.
import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import eigenselect as es
from eigenselect.multisource import (
    AuxiliaryData,
    FeatureInteractions,
    FeatureSet,
    TargetData,
    read_gene_sets,
    read_interactions,
)
from eigenselect.similarity import FromTable

rng = np.random.default_rng(0)
patients = [f"P{i:02}" for i in range(40)]
active = rng.permutation(np.repeat([0, 1], 20))
hospital = rng.permutation(np.repeat([0, 1], 20))
kinds = np.repeat(["listed", "unlisted", "hospital", "noise"], [12, 18, 60, 510])
names = [f"G{j:03}" for j in range(600)]
genes = pd.DataFrame(rng.normal(size=(40, 600)), patients, names)
genes.loc[:, (kinds == "listed") | (kinds == "unlisted")] += 1.2 * active[:, None]
genes.loc[:, kinds == "hospital"] += 1.2 * hospital[:, None]

# %%
# Knowledge in files
# ------------------
# A gmt file has one set per line; an edge list has two names per line. One listed gene was not measured, and the miRNA
# table has its rows in another order, without two patients.
folder = Path(tempfile.mkdtemp())
sets = {"PATHWAY": [*names[:12], "G999"], "OTHER": rng.choice(names, 15, replace=False)}
(folder / "sets.gmt").write_text("\n".join("\t".join([name, "made here", *members]) for name, members in sets.items()))
edges = [(names[i], names[i + 1]) for i in range(11)] + [(names[40], names[500])]
(folder / "edges.tsv").write_text("\n".join(f"{a}\t{b}" for a, b in edges))
mirna = pd.DataFrame(rng.normal(size=(40, 30)), patients).add_prefix("miR-")
mirna.iloc[:, :15] += 1.0 * active[:, None]
mirna = mirna.sample(frac=1, random_state=0).drop(index=["P03", "P17"])

pathway = read_gene_sets(folder / "sets.gmt")["PATHWAY"]
interactions = read_interactions(folder / "edges.tsv")
print(len(pathway), "genes in the set,", len(interactions), "interactions,", len(mirna), "patients with miRNA")

# %%
# Sources, matched by name
# ------------------------
# What has no counterpart is left out and counted, in one warning and in ``notes_``. Here the warning is caught to be
# read.
sources = {
    "genes": TargetData(),
    "miRNA": AuxiliaryData(mirna),
    "pathway": FeatureSet(pathway),
    "interactions": FeatureInteractions(interactions),
}
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    fused = es.MSFS(30, sources=list(sources.items())).fit(genes)
for warning in said:
    print(warning.message)
print(fused.notes_)

# %%
# To get on with clean data: the patients that all sources know, and the genes that were measured.
common = genes.loc[genes.index.isin(mirna.index)]
group = active[genes.index.isin(mirna.index)]
sources["pathway"] = FeatureSet([gene for gene in pathway if gene in genes])

# %%
# What each source says alone
# ---------------------------
# The thirty best genes on the graph of each source, by kind. The table itself sees the hospital first.


def kinds_of(selector):
    """Count the kinds of the chosen genes."""
    return pd.Series(kinds[selector.get_support()]).value_counts().reindex(["listed", "unlisted", "hospital", "noise"])


alone = {name: es.MSFS(30, sources=[(name, source)]).fit(common) for name, source in sources.items()}
table = pd.DataFrame({name: kinds_of(selector) for name, selector in alone.items()}).fillna(0).astype(int)
print(table.to_string())
assert table.loc["hospital", "genes"] > table.loc["hospital", "miRNA"]

# %%
# Beware: the pathway's own genes made the graph of the pathway, so that they stand high on it whatever they are. The
# test of a source is the *unlisted* genes.
#
# One graph from all, and how much each counts
# --------------------------------------------
# Weights are equal, numbers of an expert, or learned from labels: sources that tell the classes apart count, and one of
# them may take all.
everything = list(sources.items())
weighted = {
    "equal": es.MSFS(30, sources=everything).fit(common),
    "expert": es.MSFS(30, sources=everything, weights={"genes": 1, "miRNA": 2, "pathway": 1, "interactions": 1}).fit(
        common
    ),
    "learned": es.MSFS(30, sources=everything, weights="discriminant").fit(common, group),
}
for name, selector in weighted.items():
    shares = {source: round(float(weight), 2) for source, weight in zip(sources, selector.weights_, strict=True)}
    print(f"{name:<8}", shares)
table = table.join(pd.DataFrame({name: kinds_of(fit) for name, fit in weighted.items()}).fillna(0).astype(int))

# %%
# One ranking from each: KOGS
# ---------------------------
# In place of one graph: a ranking from each pair of knowledge and method, joined. A ranker with labels can stand
# beside one with a graph.
kogs = es.KOGS(
    30,
    rankers=[
        ("miRNA", sources["miRNA"], es.LaplacianScore()),
        ("pathway", sources["pathway"], es.LaplacianScore()),
        ("labels", None, es.FisherScore()),
    ],
    aggregation="mc4",
).fit(common, group)
table["KOGS"] = kinds_of(kogs).fillna(0).astype(int)
print(table.to_string())

figure, ax = plt.subplots(figsize=(8.6, 4))
left = np.zeros(table.shape[1])
for kind, colour in zip(table.index, ("C2", "C0", "C1", "0.8"), strict=True):
    ax.barh(table.columns, table.loc[kind], left=left, color=colour, label=kind)
    left += table.loc[kind].to_numpy()
ax.invert_yaxis()
ax.set(xlabel="the 30 best genes")
ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=4)
plt.show()

# %%
# Which of them are more than chance?
# -----------------------------------
# A graph from elsewhere did not see the genes: miRNA, or the listed genes for the unlisted ones. On such graphs there
# are q-values.
by_mirna = es.MSFS("fdr", sources=[("miRNA", sources["miRNA"])], significance=True).fit(common)
print("on miRNA, q ≤ 0.05:", kinds_of(by_mirna).dropna().astype(int).to_dict())
listed = [gene for gene in pathway if gene in genes]
others = common.drop(columns=listed)
by_set = es.LaplacianScore("fdr", similarity=FromTable(common[listed]), significance=True).fit(others)
kept = pd.Series(kinds[~genes.columns.isin(listed)][by_set.get_support()]).value_counts()
print("unlisted genes on the graph of the listed, q ≤ 0.05:", kept.to_dict())

# %%
# And a set of noise, asked the same question: it should find nothing.
random_set = [name for name, kind in zip(names, kinds, strict=True) if kind == "noise"][:12]
nothing = es.LaplacianScore("fdr", similarity=FromTable(common[random_set]), significance=True)
nothing = nothing.fit(common.drop(columns=random_set))
print("on the graph of twelve genes of noise:", nothing.n_features_, "found")

figure, axes = plt.subplots(1, 2, figsize=(9.6, 4), sharey=True)
es.plot.qq(by_set, ax=axes[0])
es.plot.qq(nothing, ax=axes[1])
axes[0].set_xlabel("pathway: uniform p, -log10")
axes[1].set_xlabel("set of noise: uniform p, -log10")
plt.show()

# %%
# What can go wrong
# -----------------
# * *Names.* G7 and G007 are two genes. Read ``notes_``: a source of which nothing matched is refused, one of which half
#   matched is not.
# * *A source that is the target in disguise.* Categories that were found by clustering these genes are no knowledge.
# * *Circular tests.* Genes of a set rank high on the graph of the set. The library refuses p-values where it can see
#   this.
# * *Learned weights.* They need labels, and few samples teach little: compare with equal weights.
#
# Where to go next
# ----------------
# :ref:`sphx_glr_auto_examples_outside_knowledge_plot_rank_aggregation.py` for joining lists,
# :ref:`sphx_glr_auto_examples_outside_knowledge_plot_pathway.py` for sets, and
# :ref:`sphx_glr_tutorials_plot_4_single_cell.py` for tables of cells.

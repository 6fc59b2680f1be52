"""Pictures of cells: every cell at its place with its value, and above each what is known of the gene."""

import matplotlib as mpl
import numpy as np
import pytest
from scipy import sparse

from eigenselect import pl
from single_cell.cells import modalities_keep_their_columns
from single_cell.drawn import FOUND, cells_with_scores

mpl.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    plt.close("all")


@pytest.fixture
def adata(rng):
    return cells_with_scores(rng)


def drawn(ax):
    """Places and values of the cells, by place."""
    dots = ax.collections[0]
    table = np.column_stack([np.asarray(dots.get_offsets()), np.asarray(dots.get_array())])
    return table[np.lexsort(table.T)]


def cells(adata, basis, gene, matrix=None):
    values = adata[:, gene].X if matrix is None else matrix[:, list(adata.var_names).index(gene)]
    table = np.column_stack([adata.obsm[basis][:, :2], np.ravel(values)])
    return table[np.lexsort(table.T)]


@pytest.mark.parametrize(("verb", "basis"), [("spatial", "spatial"), ("embedding", "X_umap")])
@pytest.mark.parametrize("key", ["spectral", "moranI"])
def test_the_best_genes_with_their_evidence(adata, verb, basis, key):
    axes = getattr(pl, verb)(adata, key=key, n_genes=3, show=False)
    for ax, gene, rank in zip(axes, FOUND, (1, 2, 3), strict=True):
        np.testing.assert_array_equal(drawn(ax), cells(adata, basis, f"gene{gene}"))
        assert ax.get_title().startswith(f"gene{gene}\nrank {rank} of 59, q = ")


def test_genes_of_a_user(adata):
    ax = pl.embedding(adata, "umap", color="gene20", show=False)
    np.testing.assert_array_equal(drawn(ax), cells(adata, "X_umap", "gene20"))
    assert "rank" in ax.get_title()
    assert pl.spatial(adata, "gene7", show=False).get_title() == "gene7\nno score, no q-value"
    assert pl.spatial(adata, "gene7", key="none", show=False).get_title() == "gene7"
    adata.uns["moranI"] = adata.uns["moranI"].head(3)
    assert pl.spatial(adata, "gene7", key="moranI", show=False).get_title() == "gene7\nnot judged"


def test_values_of_a_layer_and_of_raw(adata):
    adata.layers["twice"] = sparse.csc_matrix(2 * adata.X)
    ax = pl.spatial(adata, "gene20", layer="twice", show=False)
    np.testing.assert_array_equal(drawn(ax), cells(adata, "spatial", "gene20", 2 * adata.X))
    adata.raw, before = adata, adata.X
    adata.X = adata.X + 1
    ax = pl.spatial(adata, "gene20", use_raw=True, show=False)
    np.testing.assert_array_equal(drawn(ax), cells(adata, "spatial", "gene20", before))


def test_of_repeated_names_the_one_that_was_found(adata):
    adata.var_names = ["same"] * adata.n_vars
    ax = pl.spatial(adata, n_genes=1, show=False)
    table = np.column_stack([adata.obsm["spatial"], adata.X[:, FOUND[0]]])
    np.testing.assert_array_equal(drawn(ax), table[np.lexsort(table.T)])
    with pytest.raises(ValueError, match=r"pl.spatial: 60 genes are named 'same'; call var_names_make_unique\(\)"):
        pl.spatial(adata, "same")


def test_large_values_are_on_top_and_few_do_not_darken_all(adata):
    adata.X[:, 3] = np.linspace(0, 1, 80)
    adata.X[5, 3] = 1000.0
    dots = pl.spatial(adata, "gene3", show=False).collections[0]
    values = np.asarray(dots.get_array())
    assert (np.diff(values) >= 0).all()
    assert values[-1] == 1000.0
    assert dots.get_clim() == (0.0, 1.0)
    adata.X[:, 3] = 0.0
    adata.X[5, 3] = 1.0  # one cell of 80: all others are the same, and it is not hidden
    assert pl.spatial(adata, "gene3", show=False).collections[0].get_clim() == (0.0, 1.0)


def test_the_tissue_is_as_in_its_image(adata):
    ax = pl.spatial(adata, "gene3", show=False)
    assert ax.get_aspect() == 1.0
    low, high = ax.get_ylim()
    assert low > high


def test_as_many_pictures_in_a_row_as_asked_for(adata):
    axes = pl.spatial(adata, n_genes=5, ncols=2, show=False)
    assert len(axes) == 5
    assert axes[0].get_gridspec().get_geometry() == (3, 2)
    ax = plt.subplots()[1]
    assert pl.spatial(adata, "gene3", ax=ax, show=False) is ax


def test_the_embedding_of_another_modality(adata, rng):
    mudata = pytest.importorskip("mudata")
    import anndata

    order = rng.permutation(80)
    proteins = anndata.AnnData(rng.normal(size=(80, 2)), obs={"obs_names": adata.obs_names[order]})
    proteins.var_names = ["p1", "p2"]
    proteins.obsm["X_pca"] = adata.obsm["X_umap"][order]
    with modalities_keep_their_columns():
        mdata = mudata.MuData({"rna": adata, "prot": proteins})
    ax = pl.embedding(mdata, "prot:X_pca", color="gene3", modality="rna", show=False)
    np.testing.assert_array_equal(drawn(ax), cells(adata, "X_umap", "gene3"))
    assert ax.get_xlabel() == "PC 1"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda a: pl.spatial(a, "gene33x"), "pl.spatial: no gene is named 'gene33x'; did you mean 'gene33'"),
        (lambda a: pl.spatial(a, "phase"), "'phase'; it is a column of .obs, which scanpy.pl.embedding draws"),
        (lambda a: pl.spatial(a, "?"), "no gene is named '\\?'; give names of .var_names"),
        (lambda a: pl.spatial(a, []), "pl.spatial: color must name at least one gene, got an empty list"),
        (lambda a: pl.spatial(a, basis="spatiol"), "no entry of .obsm is named 'spatiol'; did you mean 'spatial'"),
        (lambda a: pl.spatial(a, basis="line"), r".obsm\['line'\] must have two columns, got shape \(80, 1\)"),
        (lambda a: pl.spatial(a, ax=1), "pl.spatial: ax is for one gene, got 4; give color= with one name, or no ax"),
        (lambda a: pl.embedding(a[:, :0], n_genes=2), "pl.embedding: no gene of 'spectral' has a score"),
    ],
)
def test_sentences(adata, call, sentence):
    adata.obs["phase"] = "S"
    adata.obsm["line"] = adata.obsm["spatial"][:, :1]
    with pytest.raises(ValueError, match=sentence):
        call(adata)


def test_no_embedding_at_all(adata):
    del adata.obsm["X_umap"]
    with pytest.raises(ValueError, match="pl.embedding: .obsm has no embedding; run scanpy.tl.umap, or give basis="):
        pl.embedding(adata)
    adata.obsm["X_pca"] = adata.obsm["spatial"]
    assert pl.embedding(adata, n_genes=1, show=False).get_xlabel() == "PC 1"


def test_several_slides_are_said_to_lie_over_one_another(adata):
    adata.uns["spatial"] = {"one": {}, "two": {}}
    with pytest.warns(UserWarning, match=r"pl.spatial: this AnnData holds 2 slides \('one', 'two'\)"):
        pl.spatial(adata, "gene3", show=False)


def test_colours_have_scanpys_two_names(adata):
    for options, name in (({}, "viridis"), ({"color_map": "magma"}, "magma"), ({"cmap": plt.get_cmap("Reds")}, "Reds")):
        ax = pl.spatial(adata, "gene3", show=False, **options)
        assert ax.collections[0].get_cmap().name == name
    with pytest.raises(ValueError, match="pl.embedding: color_map and cmap are one thing"):
        pl.embedding(adata, cmap="magma", color_map="magma")

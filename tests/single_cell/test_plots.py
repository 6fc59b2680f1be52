"""`pl`: pictures draw the numbers that the verbs wrote, mark only what is evidence, and are saved as scanpy does."""

import sys
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect import pl
from single_cell.cells import FOUND, cells_with_scores, modalities_keep_their_columns

mpl.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    plt.close("all")


@pytest.fixture
def adata(rng):
    return cells_with_scores(rng)


@pytest.fixture
def untested(rng):
    return cells_with_scores(rng, tested=False)


def points(ax):
    """Others and marked genes, in this order, as (x, y)."""
    return [np.asarray(part.get_offsets()) for part in ax.collections[-2:]]


class TestScoreMean:
    @pytest.mark.parametrize("key", ["spectral", "moranI"])
    def test_scores_and_means_of_every_gene(self, adata, key):
        others, marked = points(ax := pl.score_mean(adata, key, show=False))
        drawn = np.concatenate([others, marked])
        kept = np.delete(np.arange(60), 7)
        expected = np.column_stack([adata.X.mean(axis=0), adata.var["spectral_score"]])[kept]
        np.testing.assert_allclose(drawn[drawn[:, 0].argsort()], expected[expected[:, 0].argsort()])
        assert sorted(marked[:, 1]) == [0.5, 0.7, 0.9]
        assert "3 of 59" in ax.get_title()
        assert ax.get_xscale() == "log"
        assert {text.get_text() for text in ax.texts} == {f"gene{j}" for j in FOUND}

    def test_means_are_those_of_what_was_judged(self, adata):
        adata.layers["counts"] = sparse.csr_matrix(adata.X * 3)
        plain = np.sort(np.concatenate(points(pl.score_mean(adata, show=False)))[:, 0])
        adata.uns["spectral"]["params"]["layer"] = "counts"
        assert np.sort(np.concatenate(points(pl.score_mean(adata, show=False)))[:, 0]) == pytest.approx(3 * plain)
        adata.raw = adata
        raw = pl.score_mean(adata, use_raw=True, show=False)
        assert np.sort(np.concatenate(points(raw))[:, 0]) == pytest.approx(plain)

    def test_without_evidence_flagged_genes_are_marked_and_none_is_named(self, untested):
        ax = pl.score_mean(untested, show=False)
        assert len(points(ax)[1]) == 3
        assert not ax.texts
        assert "no q-values" in ax.get_title()

    def test_no_name_is_written_over_another(self, adata):
        adata.X[:, list(FOUND)] = 1.0
        adata.var.loc[[f"gene{j}" for j in FOUND], "spectral_score"] = (0.9, 0.9001, 0.9002)
        ax = pl.score_mean(adata, show=False)
        ax.figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts]
        assert len(boxes) >= 2  # there may be no room for the third
        assert not any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[:place])


class TestRanking:
    def test_the_best_genes_by_name(self, adata):
        ax = pl.ranking(adata, n_genes=10, show=False)
        labels = [label.get_text() for label in ax.get_yticklabels()]
        assert labels[:3] == [f"gene{j}" for j in FOUND]
        drawn = np.asarray(ax.collections[0].get_offsets())
        assert drawn[:, 0].tolist() == [adata.var.loc[name, "spectral_score"] for name in labels]
        assert ax.get_ylim() == (9.5, -0.5)  # the best at the top
        assert len({tuple(colour) for colour in ax.collections[0].get_facecolor()[:3]}) == 1
        assert ax.lines[0].get_xdata()[0] == np.nanmedian(adata.var["spectral_score"])

    def test_without_evidence_none_is_marked(self, untested):
        ax = pl.ranking(untested, show=False)
        assert len({tuple(colour) for colour in ax.collections[0].get_facecolor()}) == 1
        assert "no q-values" in ax.get_title()

    def test_dollars_are_letters(self, adata):
        adata.var_names = [f"${name}$" for name in adata.var_names]
        pl.ranking(adata, show=False).figure.canvas.draw()

    def test_bad_arguments(self, adata):
        for arguments in ({"n_genes": 0}, {"alpha": 2}):
            with pytest.raises(ValueError, match=f"^pl.ranking: {next(iter(arguments))}"):
                pl.ranking(adata, **arguments)
        adata.var["spectral_score"] = np.nan
        with pytest.raises(ValueError, match="has a score"):
            pl.ranking(adata)


class TestQQ:
    def test_every_p_value_against_uniform_ones(self, adata):
        others, marked = points(ax := pl.qq(adata, show=False))
        drawn = np.concatenate([others, marked])
        known = adata.var["spectral_pval"].dropna()
        np.testing.assert_allclose(np.sort(drawn[:, 1]), np.sort(-np.log10(known)))
        np.testing.assert_allclose(np.sort(drawn[:, 0]), np.sort(-np.log10(np.arange(1, 60) / 60)))
        assert len(marked) == 3
        assert "3 of 59" in ax.get_title()
        assert len(points(pl.qq(adata, alpha=1e-6, show=False))[1]) == 1

    def test_nothing_to_draw(self, untested):
        with pytest.raises(ValueError, match="significance='split'"):
            pl.qq(untested)


@pytest.mark.parametrize("name", ["score_mean", "ranking", "qq"])
def test_axes_are_those_that_were_given(adata, name):
    ax = plt.subplots()[1]
    assert getattr(pl, name)(adata, ax=ax, show=False) is ax


def key_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_key_says_what_colours_mean(adata, untested):
    both = ["q ≤ 0.05", "q > 0.05"]
    assert key_of(pl.score_mean(adata, show=False)) == both
    assert key_of(pl.qq(adata, show=False)) == [*both, "95% of uniform p"]
    assert key_of(pl.ranking(adata, show=False)) == [*both, "median of all genes"]
    assert key_of(pl.ranking(adata, n_genes=3, show=False)) == [both[0], "median of all genes"]
    assert key_of(pl.score_mean(adata, alpha=1e-30, show=False)) == ["q > 1e-30"]
    assert key_of(pl.score_mean(untested, show=False)) == ["flagged, no q-values", "others"]
    assert key_of(pl.ranking(untested, show=False)) == ["others", "median of all genes"]


class TestWhatWasWritten:
    """Tables of either verb are read, in the order that they say, and matched by name."""

    def names(self, adata, key):
        return [label.get_text() for label in pl.ranking(adata, key, n_genes=60, show=False).get_yticklabels()]

    def test_genes_with_a_score_best_first(self, adata):
        for key in ("spectral", "moranI"):
            names = self.names(adata, key)
            assert names[:3] == [f"gene{j}" for j in FOUND]
            assert len(names) == 59
            assert "gene7" not in names
        adata.uns["gearyC"] = pd.DataFrame(
            {"C": [0.9, np.nan, 0.2], "pval_norm": 0.5}, index=["gene1", "gene7", "gene2"]
        )
        assert self.names(adata, "gearyC") == ["gene2", "gene1"]  # small is good
        adata.var["spectral_rank"] = np.where(adata.var["spectral_rank"] <= 5, adata.var["spectral_rank"], np.nan)
        assert len(self.names(adata, "spectral")) == 5

    def test_values_are_matched_by_name(self, adata, rng):
        adata.raw = adata[:, rng.permutation(60)].copy()
        plain, raw = (pl.score_mean(adata, "moranI", use_raw=use, show=False) for use in (False, True))
        np.testing.assert_allclose(np.concatenate(points(plain)), np.concatenate(points(raw)))
        adata.raw = adata[:, :1].copy()
        with pytest.raises(ValueError, match="59 of 60"):
            pl.score_mean(adata, "moranI", use_raw=True)

    def test_nothing_was_written(self, adata):
        with pytest.raises(ValueError, match="key='spectral' or 'moranI'"):
            pl.ranking(adata, "other")
        adata.uns.clear()
        adata.var = adata.var[[]]
        with pytest.raises(ValueError, match="eigenselect.pp.spectral_features"):
            pl.ranking(adata)


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
    adata.var.loc["gene11", "spectral_qval"] = 0.0
    assert getattr(pl, verb)(adata, n_genes=1, show=False).get_title().endswith("q < 1e-300")


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
    with pytest.raises(ValueError, match="60 genes are named"):
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
    ("arguments", "said"),
    [
        ({"color": "gene33x"}, "did you mean 'gene33'"),
        ({"color": "phase"}, "scanpy.pl.embedding"),
        ({"color": "?"}, "named '\\?'"),
        ({"color": []}, "color"),
        ({"basis": "spatiol"}, "did you mean 'spatial'"),
        ({"basis": "line"}, r"obsm\['line'\]"),
        ({"ax": 1}, "ax"),
        ({"color_map": "magma", "cmap": "magma"}, "color_map and cmap"),
    ],
    ids=str,
)
def test_bad_arguments(adata, arguments, said):
    adata.obs["phase"] = "S"
    adata.obsm["line"] = adata.obsm["spatial"][:, :1]
    with pytest.raises(ValueError, match=f"^pl.spatial: .*{said}"):
        pl.spatial(adata, **arguments)


def test_no_embedding_at_all(adata):
    del adata.obsm["X_umap"]
    with pytest.raises(ValueError, match="scanpy.tl.umap"):
        pl.embedding(adata)
    adata.obsm["X_pca"] = adata.obsm["spatial"]
    assert pl.embedding(adata, n_genes=1, show=False).get_xlabel() == "PC 1"


def test_several_slides_are_said_to_lie_over_one_another(adata):
    adata.uns["spatial"] = {"one": {}, "two": {}}
    with pytest.warns(UserWarning, match="2 slides"):
        pl.spatial(adata, "gene3", show=False)


def test_colours_have_scanpys_two_names(adata):
    for options, name in (({}, "viridis"), ({"color_map": "magma"}, "magma"), ({"cmap": plt.get_cmap("Reds")}, "Reds")):
        ax = pl.spatial(adata, "gene3", show=False, **options)
        assert ax.collections[0].get_cmap().name == name


@pytest.fixture
def ax(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "scanpy", None)
    return plt.subplots()[1]


@pytest.fixture
def shown(monkeypatch):
    calls = []
    monkeypatch.setattr(plt, "show", lambda: calls.append(1))
    return calls


@pytest.mark.parametrize(
    ("save", "file"),
    [
        (True, "figures/qq_spectral.png"),
        ("_a.pdf", "figures/qq_spectral_a.pdf"),
        (".svg", "figures/qq_spectral.svg"),
        ("mine", "mine.png"),
        ("./new/mine.png", "new/mine.png"),
    ],
)
def test_saved(adata, ax, tmp_path, save, file):
    assert pl.qq(adata, ax=ax, show=False, save=save) is ax
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")] == [file]


def test_scanpys_folder_of_figures(adata, ax, tmp_path, monkeypatch):
    settings = SimpleNamespace(figdir=tmp_path / "there", autoshow=True)
    monkeypatch.setitem(sys.modules, "scanpy", SimpleNamespace(settings=settings))
    pl.qq(adata, ax=ax, show=False, save=True)
    assert (tmp_path / "there" / "qq_spectral.png").exists()


def test_shown_if_asked_for_or_where_there_is_a_screen(adata, ax, shown, monkeypatch):
    assert pl.spatial(adata, n_genes=2, show=True) is None
    assert len(pl.spatial(adata, n_genes=2, show=False)) == 2
    assert len(shown) == 1
    assert pl.qq(adata, ax=ax) is ax  # agg draws to files only
    monkeypatch.setattr(mpl, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    assert pl.qq(adata, ax=ax) is None
    monkeypatch.setitem(sys.modules, "scanpy", SimpleNamespace(settings=SimpleNamespace(autoshow=False)))
    assert pl.qq(adata, ax=ax) is ax
    assert len(shown) == 2

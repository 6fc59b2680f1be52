"""Pictures of genes draw the numbers that were written, and mark only what is evidence."""

from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from scipy import sparse

from eigenselect import pl
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
        assert ax.get_title() == "q ≤ 0.05: 3 of 59 genes"
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
        assert ax.get_title() == "3 of 60 genes flagged, no q-values"

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

    def test_sentences(self, adata):
        with pytest.raises(ValueError, match="pl.ranking: n_genes must be a positive integer, got 0"):
            pl.ranking(adata, n_genes=0)
        with pytest.raises(ValueError, match="pl.ranking: alpha must be"):
            pl.ranking(adata, alpha=2)
        adata.var["spectral_score"] = np.nan
        with pytest.raises(ValueError, match="pl.ranking: no gene of 'spectral' has a score"):
            pl.ranking(adata)


class TestQQ:
    def test_every_p_value_against_uniform_ones(self, adata):
        others, marked = points(ax := pl.qq(adata, show=False))
        drawn = np.concatenate([others, marked])
        known = adata.var["spectral_pval"].dropna()
        np.testing.assert_allclose(np.sort(drawn[:, 1]), np.sort(-np.log10(known)))
        np.testing.assert_allclose(np.sort(drawn[:, 0]), np.sort(-np.log10(np.arange(1, 60) / 60)))
        assert len(marked) == 3
        assert ax.get_title() == "q ≤ 0.05: 3 of 59 genes"
        assert len(points(pl.qq(adata, alpha=1e-6, show=False))[1]) == 1

    def test_nothing_to_draw(self, untested):
        with pytest.raises(ValueError, match="pl.qq: no gene of 'spectral' has a p-value, .* significance='split'"):
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


def test_names_of_a_long_ranking_do_not_touch(adata):
    ax = pl.ranking(adata, n_genes=59, show=False)
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) == 59
    assert not any(one.overlaps(other) for one, other in pairwise(boxes))

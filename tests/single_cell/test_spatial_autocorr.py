"""`gr.spatial_autocorr`: I and C by their formulas and squidpy, p-values against all orders of the cells, weights."""

import inspect
import warnings
from enum import Enum

import anndata
import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom

from eigenselect import GearyC, MoranI
from eigenselect.exceptions import UndefinedScoreWarning
from eigenselect.gr import spatial_autocorr
from slides import geary, moran, of_all_orders, row_normalised, slide, weights

pytestmark = pytest.mark.filterwarnings("ignore::eigenselect.exceptions.UndefinedScoreWarning")
MODES = {"moran": ("I", "moranI", moran, MoranI), "geary": ("C", "gearyC", geary, GearyC)}


def slide_of(W, X):
    adata = anndata.AnnData(np.asarray(X, dtype=float), obsp={"spatial_connectivities": sparse.csr_matrix(W)})
    adata.var_names = [f"gene{j}" for j in range(adata.n_vars)]
    return adata


def judged(adata, **options):
    """The table in the order of the genes."""
    return spatial_autocorr(adata, copy=True, **options).loc[adata.var_names]


@pytest.mark.parametrize("transformation", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_the_statistic_is_that_of_its_formula(mode, transformation):
    column, _, formula, _ = MODES[mode]
    for layout in (np.asarray, sparse.csr_matrix, sparse.csc_array, lambda X: X.astype(np.int32)):
        for of_weights in (sparse.csr_matrix, sparse.csc_array, lambda W: W.toarray(), lambda W: W.astype(np.float32)):
            adata = slide(layout=layout)
            W = adata.obsp["spatial_connectivities"].toarray()
            adata.obsp["spatial_connectivities"] = given = of_weights(adata.obsp["spatial_connectivities"])
            W = row_normalised(W) if transformation else W
            table = spatial_autocorr(adata, mode=mode, transformation=transformation, copy=True)[column]
            X = adata.to_df()
            expected = [
                np.nan if X[name].nunique() == 1 else formula(W, X[name].to_numpy(float)) for name in table.index
            ]
            np.testing.assert_allclose(table, expected, rtol=0, atol=1e-12 if given.dtype == float else 1e-6)


def test_whole_numbers_and_weights_stored_twice():
    W = np.random.default_rng(0).integers(0, 3, size=(20, 20))
    np.fill_diagonal(W, 0)
    adata = slide_of(W, np.random.default_rng(1).normal(size=(20, 2)))
    expected = [moran(row_normalised(W.astype(float)), x) for x in adata.X.T]
    once = sparse.csr_matrix(W, dtype=float)
    twice = sparse.csr_matrix(
        (np.repeat(once.data / 2, 2), np.repeat(once.indices, 2), 2 * once.indptr), shape=once.shape
    )
    for given in (W, sparse.coo_matrix(W).tocsr(), twice):
        adata.obsp["spatial_connectivities"] = given
        np.testing.assert_allclose(judged(adata)["I"], expected, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_it_is_written_where_squidpy_writes_it_best_first(mode):
    column, key, *_ = MODES[mode]
    adata = slide()
    before = adata.copy()
    assert spatial_autocorr(adata, mode=mode, n_perms=5) is None
    frame = adata.uns[key]
    assert list(frame.columns) == [
        column, "pval_norm", "var_norm", "pval_z_sim", "pval_sim", "var_sim",
        "pval_norm_fdr_bh", "pval_z_sim_fdr_bh", "pval_sim_fdr_bh",
    ]  # fmt: skip
    order = frame[column].to_numpy() * (-1 if mode == "moran" else 1)
    assert np.all(np.diff(order[:-1]) >= 0)
    assert frame.index[-1] == "gene2"
    assert frame.iloc[-1].isna().all()
    assert not frame.iloc[:-1].isna().any(axis=None)
    del adata.uns[key]
    assert set(adata.uns) == set(before.uns)
    assert (adata.X != before.X).nnz == 0
    assert (adata.obsp["spatial_connectivities"] != before.obsp["spatial_connectivities"]).nnz == 0


def test_the_p_values_are_those_of_the_selectors():
    adata = slide(asymmetric=False, diagonal=False)
    W = adata.obsp["spatial_connectivities"]
    for mode, (_, _, _, selector) in MODES.items():
        fitted = selector(significance="given").fit(adata.X, similarity_matrix=W)
        frame = spatial_autocorr(adata, mode=mode, transformation=False, copy=True).loc[adata.var_names]
        np.testing.assert_array_equal(frame["pval_norm"], fitted.pvalues_)
        np.testing.assert_array_equal(frame["var_norm"], fitted.null_sd_**2)
        np.testing.assert_array_equal(frame["pval_norm_fdr_bh"], fitted.qvalues_)


class TestPValues:
    @pytest.mark.parametrize("two_tailed", [False, True])
    @pytest.mark.parametrize("mode", MODES)
    def test_of_few_cells_it_is_the_share_of_all_orders(self, mode, two_tailed):
        column, _, formula, _ = MODES[mode]
        rng = np.random.default_rng(1)
        W = weights(rng, 7)
        X = np.column_stack([rng.normal(size=7), np.arange(7.0) ** 2, np.eye(7)[3], [0, 1, 1, 0, 0, 3, 0]])
        table = judged(slide_of(W, X), mode=mode, two_tailed=two_tailed)
        for j, x in enumerate(X.T):
            values = of_all_orders(formula, row_normalised(W), x)
            tails = [np.mean(sign * values >= sign * table[column].iloc[j] - 1e-10) for sign in (1, -1)]
            one = tails[0 if mode == "moran" else 1]
            expected = min(1.0, 2 * min(tails)) if two_tailed else one
            assert table["pval_norm"].iloc[j] == pytest.approx(expected, abs=1e-12)
            assert table["var_norm"].iloc[j] == pytest.approx(values.var(), rel=1e-9)

    @pytest.mark.parametrize("two_tailed", [False, True])
    @pytest.mark.parametrize("mode", MODES)
    def test_drawn_permutations_agree_with_all_of_them(self, mode, two_tailed):
        rng = np.random.default_rng(2)
        X = rng.exponential(size=(40, 6))
        X[:, 0] = np.arange(40) % 2  # of which neighbours are less alike on a line
        W = row_normalised(weights(rng, 40)) + np.eye(40, k=1)
        table = judged(slide_of(W, X), mode=mode, two_tailed=two_tailed, n_perms=300, transformation=False)
        np.testing.assert_allclose(table["var_sim"], table["var_norm"], rtol=0.4)
        margin = 5 * np.sqrt(table["pval_norm"] / 300) + 0.02
        assert (abs(table["pval_sim"] - table["pval_norm"]) < margin).all()
        assert (abs(table["pval_z_sim"] - table["pval_norm"]) < 0.15).all()
        assert (table["pval_norm"].iloc[0] > 0.9) == (not two_tailed)

    def test_permutations_that_give_the_same_value_are_ties(self):
        """On a ring, one count has the same I in every cell: rounding must not tell one place from another."""
        ring = np.roll(np.eye(20), 1, axis=1) / 3
        adata = slide_of(ring + ring.T, np.eye(20)[:, :1] * 0.7)
        for mode in MODES:
            table = judged(adata, mode=mode, transformation=False, n_perms=20)
            assert (table[["pval_sim", "pval_z_sim"]] == 1.0).all(axis=None)

    def test_they_are_never_zero_and_the_same_on_any_number_of_threads(self):
        W = np.eye(60, k=1) + np.eye(60, k=-1)
        adata = slide_of(
            W, np.column_stack([np.arange(60) > 30, np.random.default_rng(0).poisson(0.5, size=(60, 300))])
        )
        one, two = (judged(adata, n_perms=19, n_jobs=jobs) for jobs in (1, 2))
        assert one.equals(two)
        assert one["pval_sim"].iloc[0] == 1 / 20
        assert 0 < one["pval_norm"].iloc[0] < 1e-6

    def test_a_generator_goes_on_and_seeds_start_anew(self):
        adata = slide()

        def drawn(**state):
            return spatial_autocorr(adata, genes=["gene0"], n_perms=9, copy=True, **state)["var_sim"].tolist()

        assert drawn(seed=7) == drawn(rng=7) == drawn(seed=7) != drawn()
        assert drawn() == drawn(seed=0)
        generator = np.random.default_rng(7)
        first, second = drawn(rng=generator), drawn(rng=generator)
        assert first != second

    def test_progress_is_shown_on_a_terminal_alone(self, monkeypatch, capsys):
        adata = slide()
        spatial_autocorr(adata, n_perms=3)
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        spatial_autocorr(adata, n_perms=3, show_progress_bar=False)
        assert capsys.readouterr().err == ""
        spatial_autocorr(adata, n_perms=3)
        assert capsys.readouterr().err.endswith("3/3\n")

    @pytest.mark.parametrize("mode", MODES)
    def test_both_tails_of_skewed_noise_are_rarely_small(self, mode):
        """The null distribution of a skewed gene ends early on one side, where a smooth family would say p = 0."""
        X = np.random.default_rng(0).lognormal(sigma=1.5, size=(400, 800))
        adata = slide_of(np.eye(400, k=1) + np.eye(400, k=-1), X)
        p = judged(adata, mode=mode, two_tailed=True, transformation=False)["pval_norm"]
        for level in (0.05, 0.01, 0.001):
            assert np.sum(p <= level) <= binom.isf(1e-4, 800, level), level

    def test_of_one_count_it_is_a_share_of_its_places(self):
        """One non-zero has n places, all of them tried: p is a whole number of them, twice as one tail of two."""
        line = np.eye(12, k=1) + np.eye(12, k=-1)
        table = judged(slide_of(line, np.eye(12)), two_tailed=True, transformation=False)
        values = table["I"].to_numpy()
        tails = [np.mean(side * values >= side * values[5] - 1e-12) for side in (1.0, -1.0)]
        assert table["pval_norm"].iloc[5] == pytest.approx(min(2 * min(tails), 1.0))


class TestWeights:
    @pytest.mark.parametrize("transformed", [True, False])
    @pytest.mark.parametrize(("bad", "said"), [(np.nan, "finite"), (np.inf, "finite"), (-1.0, "non-negative")])
    def test_bad_ones_are_refused(self, bad, said, transformed):
        adata = slide()
        W = adata.obsp["spatial_connectivities"].tolil()
        W[3, 4] = bad
        adata.obsp["spatial_connectivities"] = W.tocsr()
        with pytest.raises(ValueError, match=rf"obsp\['spatial_connectivities'\] must .*{said}"):
            spatial_autocorr(adata, transformation=transformed)

    def test_missing_ones_are_told(self):
        adata = slide()
        with pytest.raises(KeyError, match="did you mean 'spatial_connectivities'"):
            spatial_autocorr(adata, "spatial_connectivity")
        del adata.obsp["spatial_connectivities"]
        with pytest.raises(KeyError, match=r"squidpy\.gr"):
            spatial_autocorr(adata)

    def test_distances_and_graphs_that_the_genes_made_are_warned_of(self):
        """Seven of ten genes of noise have p ≤ 0.05 on their own neighbours' graph."""
        adata = slide()
        adata.obsp["spatial_distances"] = adata.obsp["connectivities"] = adata.obsp["spatial_connectivities"]
        with pytest.warns(UserWarning, match=r"obsp\['spatial_distances'\] holds distances"):
            spatial_autocorr(adata, "spatial_distances")
        spatial_autocorr(adata, "connectivities")  # nothing is known of it
        params = {"n_neighbors": 15, "method": "umap"}
        adata.uns["neighbors"] = {"connectivities_key": "connectivities", "params": params}
        with pytest.warns(UserWarning, match=r"uns\['neighbors'\]"):
            spatial_autocorr(adata, "connectivities")
        params["use_rep"] = "spatial"
        spatial_autocorr(adata, "connectivities")


def test_constant_genes_are_counted_in_one_warning():
    adata = slide()  # of which the newest pandas warns anndata
    with pytest.warns(UndefinedScoreWarning, match="1 variable of 8") as caught:
        spatial_autocorr(adata, copy=True)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_column_with_missing_values_does_not_hide_the_others():
    adata = slide()
    adata.obs["age"] = np.where(np.arange(60) == 3, np.nan, 1.0 + np.arange(60))
    adata.obs["day"] = np.arange(60) % 7
    with pytest.warns(UserWarning, match=r"1 variable of 3 \('age'\)"):
        frame = spatial_autocorr(adata, attr="obs", copy=True)
    assert frame.index[-1] == "age"
    assert frame.loc["age"].isna().all()
    rest = spatial_autocorr(adata, attr="obs", genes=["depth", "day"], copy=True)
    assert frame.iloc[:-1].equals(rest)


def test_a_view_becomes_an_anndata_of_its_own_which_is_said_once():
    adata = slide()
    view = adata[:50, ["gene0", "gene1"]]
    expected = spatial_autocorr(view.copy(), copy=True)
    with pytest.warns(anndata.ImplicitModificationWarning, match="view") as caught:
        spatial_autocorr(view)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert view.uns["moranI"].equals(expected)
    assert "moranI" not in adata.uns


def test_a_mode_may_be_a_member_of_an_enum():
    mode = Enum("Mode", {"GEARY": "geary"}).GEARY
    assert spatial_autocorr(slide(), mode=mode, copy=True).columns[0] == "C"


class TestSquidpy:
    """Against squidpy itself, where it is installed."""

    @pytest.fixture
    def theirs(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return pytest.importorskip("squidpy").gr.spatial_autocorr

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("transformation", [True, False])
    @pytest.mark.parametrize("mode", MODES)
    def test_the_statistic_is_theirs(self, theirs, mode, transformation):
        for layout, dtype in (
            (np.asarray, np.float32),
            (sparse.csr_matrix, np.float64),
            (sparse.csc_matrix, np.float64),
        ):
            column, adata = MODES[mode][0], slide(layout=layout)
            adata.obsp["spatial_connectivities"] = adata.obsp["spatial_connectivities"].astype(dtype)
            options = {"mode": mode, "transformation": transformation, "copy": True}
            one, other = theirs(adata, **options), spatial_autocorr(adata, **options)
            assert list(one.columns) == list(other.columns)
            assert list(one.index) == list(other.index)
            np.testing.assert_allclose(one[column], other[column], rtol=0, atol=1e-10)

    def test_the_arguments_and_defaults_are_theirs(self, theirs):
        ours = inspect.signature(spatial_autocorr).parameters
        for name, parameter in inspect.signature(theirs).parameters.items():
            assert ours[name].default == parameter.default, name
        assert set(ours) - set(inspect.signature(theirs).parameters) - {"table_key"} == {
            "modality",
            "rng",
        }  # 1.8.0 has none


def test_bad_arguments():
    for arguments in (
        {"mode": "getis"}, {"n_perms": 0}, {"seed": -1}, {"rng": "x"}, {"seed": 1, "rng": 2}, {"corr_method": "fdr-bh"}
    ):  # fmt: skip
        name = next(iter(arguments))
        with pytest.raises(ValueError, match="did you mean 'fdr_bh'" if name == "corr_method" else name):
            spatial_autocorr(slide(), **arguments)
    with pytest.raises(ValueError, match="got 4"):
        spatial_autocorr(slide()[:4].copy())

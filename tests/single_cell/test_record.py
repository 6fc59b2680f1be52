"""What is written survives h5ad and zarr; what others wrote is never lost."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.selection import FDR
from eigenselect.single_cell import record
from eigenselect.single_cell.scored import Scored
from single_cell.cells import round_trip

anndata = pytest.importorskip("anndata")


def table(n_genes=3):
    return anndata.AnnData(np.ones((2, n_genes)), var=pd.DataFrame(index=[f"g{j}" for j in range(n_genes)]))


def scored(**evidence):
    scores = np.array([0.5, np.nan, 0.7])
    return Scored(scores, np.array([2, 3, 1]), 2, by_method={"a": scores, "b": -scores}, **evidence)


def test_columns():
    p = np.array([0.2, np.nan, 0.01])
    frame = record.columns_of(
        scored(pvalues=p, qvalues=2 * p, zscores=-p), [0, 0, 1], [5, 0, 7], [1, 0, 2], list("xyz"), "k"
    )
    assert list(frame) == ["k_score", "k_rank", "k_pval", "k_qval", "k_zscore", "k_n_expressed", "k_nbatches", "k"]
    assert frame.index.tolist() == ["x", "y", "z"]
    kinds = {name: frame[name].dtype.kind for name in frame}
    assert kinds["k"] == "b"
    assert {kinds[f"k_{name}"] for name in ("rank", "n_expressed", "nbatches")} == {"i"}
    np.testing.assert_array_equal(frame[["k_pval", "k_qval", "k_zscore"]], np.column_stack([p, 2 * p, -p]))
    untested = record.columns_of(scored(), [0, 0, 1], [5, 0, 7], [1, 0, 2], list("xyz"), "k")
    assert untested[["k_pval", "k_qval", "k_zscore"]].isna().all(axis=None)


def test_scores_of_several_methods_only():
    assert record.scores_of_methods(scored(), list("xyz"))["b"].tolist()[0] == -0.5
    one = Scored(np.ones(1), np.ones(1, int), 1, by_method={"a": np.ones(1)})
    assert record.scores_of_methods(one, ["x"]) is None


@pytest.mark.parametrize("suffix", ["h5ad", "zarr"])
def test_any_parameters_survive_files(tmp_path, suffix):
    parameters = {
        "none": None, "empty": [], "pair": ("x", "y"), "numbers": [1, 2], "mixed": ["x", 3], "whole": 3,
        "real": np.float32(0.5), "flag": np.bool_(True), "nested": {"a/b": 1, "nothing": None}, "function": np.sum,
        "object": FDR(0.1), "key": np.str_("t"),
    }  # fmt: skip
    adata = table()
    adata.uns["k"] = record.record_of(parameters, FDR(0.1), np.int64(2))
    kept = round_trip(adata, tmp_path / f"x.{suffix}").uns["k"]
    assert kept["rule"] == FDR(0.1).describe()
    assert kept["n_selected"] == 2
    params = kept["params"]
    assert {name: list(params[name]) for name in ("pair", "numbers", "mixed")} == {
        "pair": ["x", "y"], "numbers": [1, 2], "mixed": ["x", "3"]
    }  # fmt: skip
    assert {name: params[name] for name in ("whole", "real", "flag", "function", "object", "key", "nested")} == {
        "whole": 3, "real": 0.5, "flag": True, "function": "sum", "object": "FDR(alpha=0.1)", "key": "t",
        "nested": {"a|b": 1},
    }  # fmt: skip
    assert not {"none", "empty"} & set(params)


class TestKeys:
    def test_a_free_key_and_a_key_of_ours(self):
        adata = table()
        record.check_key(adata, "k", "pp")
        columns = record.columns_of(scored(), [0, 0, 1], [5, 0, 7], [1, 0, 2], adata.var_names, "k")
        record.write(adata, columns, record.record_of({}, FDR(), 1), "k", None, owner="pp")
        record.check_key(adata, "k", "pp")
        del adata.uns["k"]  # as after anndata.concat
        record.check_key(adata, "k", "pp")

    @pytest.mark.parametrize("key", ["", "a/b", 3, None])
    def test_files_cannot_keep_it(self, key):
        with pytest.raises(ValueError, match="pp: key_added must be a text without '/'"):
            record.check_key(table(), key, "pp")

    @pytest.mark.parametrize("place", ["var", "varm", "uns", "column"])
    def test_what_others_wrote_is_not_lost(self, place):
        adata = table()
        if place == "varm":
            adata.varm["k"] = np.ones((3, 2))
        elif place == "uns":
            adata.uns["k"] = {"params": {}}
        else:
            adata.var["k" if place == "var" else "k_score"] = [True, False, True]
        with pytest.raises(ValueError, match=r"pp: (var|varm|uns)\['k(_score)?'\] holds something else"):
            record.check_key(adata, "k", "pp")


def write(adata, methods=None):
    columns = record.columns_of(scored(), [0, 0, 1], [5, 0, 7], [1, 0, 2], adata.var_names, "k")
    record.write(adata, columns, record.record_of({}, FDR(), 1), "k", methods, owner="pp")


def test_scores_of_an_earlier_call_with_several_methods_go():
    adata = table()
    write(adata, pd.DataFrame({"a": [1.0, 2, 3]}, index=adata.var_names))
    assert "k" in adata.varm
    write(adata)
    assert "k" not in adata.varm


def test_a_view_becomes_a_table_and_is_told_of_once():
    whole = table(5)
    view = whole[:, :3]
    with pytest.warns(anndata.ImplicitModificationWarning) as told:
        write(view)
    assert [str(one.message) for one in told] == [
        "pp: adata is a view, and becomes an AnnData of its own to be written to."
    ]
    assert not view.is_view
    assert "k" in view.var
    assert not len(whole.var.columns)

"""What readers take for features, labels and names, in every format."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.io import savemat

from eigenselect.exceptions import InputError
from eigenselect.io.readers import read_table

CLASSES = ["007", "07", "", "007", "07", ""]
IDS = [f"0{i}" for i in range(6)]


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(6, 3)), columns=list("abc")).assign(y=CLASSES, id=IDS)


def write_csv(frame, path):
    frame.to_csv(path, index=False)


def write_tsv(frame, path):
    frame.to_csv(path, index=False, sep="\t")


def write_parquet(frame, path):
    pytest.importorskip("pyarrow")
    frame.to_parquet(path)


def write_npz(frame, path):
    arrays = {name: frame[name].to_numpy(str) for name in ("y", "id")}
    np.savez(path, X=frame[list("abc")].to_numpy(), feature_names=list("abc"), **arrays)


def write_mat(frame, path):
    arrays = {name: frame[name].to_numpy(object) for name in ("y", "id")}
    savemat(path, {"X": frame[list("abc")].to_numpy(), "feature_names": np.array(list("abc"), dtype=object), **arrays})


def write_h5ad(frame, path):
    anndata = pytest.importorskip("anndata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        obs = frame[["y", "id"]].set_axis([f"cell{i}" for i in range(len(frame))])
        anndata.AnnData(frame[list("abc")].to_numpy(), obs=obs, var=pd.DataFrame(index=list("abc"))).write_h5ad(path)


WRITERS = [write_csv, write_tsv, write_parquet, write_npz, write_mat, write_h5ad]


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
class TestEveryFormat:
    def read(self, write, frame, tmp_path, **how):
        path = tmp_path / f"t.{write.__name__.removeprefix('write_')}"
        write(frame, path)
        return read_table(str(path), **how)

    def test_labels_and_names_are_read_letter_by_letter(self, write, frame, tmp_path):
        table = self.read(write, frame, tmp_path, label="y", samples="id")
        assert table.label_text.tolist() == CLASSES
        assert table.sample_names.tolist() == IDS
        assert table.n_unlabelled == 2
        assert set(pd.Series(table.y).dropna()) == {"007", "07"}
        assert table.feature_names == ("a", "b", "c")
        assert table.notes == ()

    def test_labels_called_nan_are_none_in_every_format(self, write, frame, tmp_path):
        table = self.read(write, frame.assign(y=["u", "v", "nan"] * 2), tmp_path, label="y", samples="id")
        assert pd.isna(table.y).tolist() == [False, False, True] * 2
        assert table.label_text.tolist() == ["u", "v", "nan"] * 2
        assert table.notes == ("2 samples have no label ('nan'); --na-is-class takes it for a class",)

    def test_a_class_called_nan(self, write, frame, tmp_path):
        how = {"label": "y", "samples": "id", "na_is_class": True}
        table = self.read(write, frame.assign(y=["u", "v", "nan"] * 2), tmp_path, **how)
        assert (table.n_unlabelled, table.y.tolist(), table.notes) == (0, ["u", "v", "nan"] * 2, ())

    def test_numbers_with_holes_are_written_without_a_point(self, write, frame, tmp_path):
        table = self.read(write, frame.assign(y=["1", "2", ""] * 2), tmp_path, label="y", samples="id")
        np.testing.assert_array_equal(table.y, [1, 2, np.nan] * 2)
        assert table.label_text.tolist() == ["1", "2", ""] * 2

    def test_unknown_names_of_samples_are_refused(self, write, frame, tmp_path):
        with pytest.raises(InputError, match=r"no \w+( of obs)? named 'Id'; did you mean 'id'\?"):
            self.read(write, frame, tmp_path, label="y", samples="Id")


class TestNamesOfSamples:
    def test_a_nameless_first_column_is_read_letter_by_letter(self, frame, tmp_path):
        frame[list("abc")].set_axis(IDS).to_csv(tmp_path / "t.csv")
        assert read_table(str(tmp_path / "t.csv")).sample_names.tolist() == IDS

    def test_nothing_but_names(self, tmp_path):
        (tmp_path / "t.csv").write_text("c\n1\n2\n")
        with pytest.raises(InputError, match="no column is left to rank"):
            read_table(str(tmp_path / "t.csv"), samples="c")

    def test_h5ad_has_names_of_its_own(self, frame, tmp_path):
        write_h5ad(frame, tmp_path / "t.h5ad")
        assert read_table(str(tmp_path / "t.h5ad")).sample_names[0] == "cell0"


class TestWarnings:
    def test_of_libraries_become_notes(self, frame, tmp_path, monkeypatch):
        def read(path, source, roles):
            warnings.warn("Names are not unique. Call something.", UserWarning, stacklevel=1)
            warnings.warn("Names are not unique. Call something.", UserWarning, stacklevel=1)
            warnings.warn("this will change", FutureWarning, stacklevel=1)
            return real(path, source, roles)

        from eigenselect.io import readers

        real = readers._READERS["csv"]
        monkeypatch.setitem(readers._READERS, "csv", read)
        write_csv(frame, tmp_path / "t.csv")
        assert read_table(str(tmp_path / "t.csv"), label="y", samples="id").notes == ("Names are not unique",)

    def test_of_names_that_stand_twice(self, frame, tmp_path):
        anndata = pytest.importorskip("anndata")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            X = sparse.csr_matrix(frame[list("abc")].to_numpy())
            anndata.AnnData(X, var=pd.DataFrame(index=list("aab"))).write_h5ad(tmp_path / "t.h5ad")
        assert read_table(str(tmp_path / "t.h5ad")).notes == ("1 name of features stands more than once ('a')",)


class TestNothingIsSaidTwice:
    def test_a_turned_table_is_no_reason_for_doubt(self, frame, tmp_path):
        frame[list("abc")].T.to_csv(tmp_path / "t.csv", index_label="gene")
        table = read_table(str(tmp_path / "t.csv"), transpose=True)
        assert (table.X.shape, table.notes) == ((6, 3), ())

    def test_a_label_says_that_rows_are_samples(self, tmp_path):
        (tmp_path / "t.csv").write_text("gene,p,q,y\nTP53,1,2,u\nMYC,4,5,v\nEGFR,7,8,v\n")
        assert read_table(str(tmp_path / "t.csv"), label="y").sample_names.tolist() == ["TP53", "MYC", "EGFR"]

    def test_annotated_tables_have_their_places(self, tmp_path):
        anndata = pytest.importorskip("anndata")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            obs = pd.DataFrame(index=[f"ENSG{i:011}" for i in range(4)])
            anndata.AnnData(np.eye(4), obs=obs).write_h5ad(tmp_path / "t.h5ad")
        assert read_table(str(tmp_path / "t.h5ad")).notes == ()

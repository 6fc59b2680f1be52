"""Features in rows: the same table as with features in columns, and tables that seem to be so."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import mmwrite, savemat
from tests.io.annotated import rich
from tests.io.annotated import written as saved_h5ad
from tests.io.tables import dense, refuses, save, written

from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.integers(-99, 99, size=(6, 4)) / 8, index=[f"s{i}" for i in range(6)], columns=list("abcd"))


def saved(path, frame, label="gene"):
    """Write features in rows."""
    turned = frame.T.rename_axis(index=label)
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        turned.to_parquet(path)
    elif path.suffix == ".xlsx":
        pytest.importorskip("openpyxl")
        turned.to_excel(path)
    else:
        turned.to_csv(path, sep="\t" if path.suffix == ".tsv" else ",")
    return str(path)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "xlsx"])
def test_a_table_and_its_transpose_are_the_same(tmp_path, frame, ending):
    table = read_table(saved(tmp_path / f"t.{ending}", frame), transpose=True)
    np.testing.assert_array_equal(table.X, frame)
    assert (table.feature_names, len(table.notes)) == (tuple("abcd"), ending == "parquet")  # whose index is named
    assert table.sample_names.tolist() == list(frame.index)


cells = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["007", "1e5", ".5", "-0", "9007199254740993"]),
)


@st.composite
def sheets(draw):
    n, p = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    grid = [[draw(cells) for _ in range(p)] for _ in range(n)]
    classes = draw(st.none() | st.lists(st.sampled_from(["u", "007", "NA"]), min_size=n, max_size=n))
    return grid, classes


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(sheets())
def test_whatever_is_written_is_read_the_same_in_both_ways(tmp_path, sheet):
    """Numbers to the last digit, labels and kept cells letter by letter."""
    grid, classes = sheet
    frame = pd.DataFrame(grid, columns=[f"g{j}" for j in range(len(grid[0]))])
    if classes is not None:
        frame.insert(0, "class", classes)
    frame.insert(0, "name", [f"s{i}" for i in range(len(grid))])
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.set_index("name").T.to_csv(tmp_path / "turned.csv", index_label="gene")
    label = None if classes is None else "class"
    one = read_table(str(tmp_path / "t.csv"), label=label, samples="name", na_is_class=True)
    other = read_table(str(tmp_path / "turned.csv"), label=label, transpose=True, na_is_class=True)
    assert np.array_equal(other.X, one.X)  # whose -0 may be 0
    assert other.feature_names == one.feature_names
    assert other.sample_names.tolist() == one.sample_names.tolist()
    assert np.array_equal(other.label_text, one.label_text)
    assert written(other) == written(one)


DESCRIBED = "Name,Description,Length,s1,s2,s3\nTP53,a protein,10,1.50,2,3\nMYC,,20,4,5,6\nEGFR,a kinase,30,7,8,10\n"
CLASSES = "gene,s1,s2,s3\nclass,007,7,\nTP53,1.50,2,3\ngroup,x,y,x\nMYC,4,,6\n"
GERMAN = "gene;s1;s2\nclass;a;b\nTP53;3,5;4,25\nMYC;1.234,5;0,5\n"
KINDS = "gene,s1,s2,s3\nkind,007,x,NA\nTP53,1,2,3\nMYC,1,2,4\n"
BESIDE = "gene,s1,s2,s3\nTP53,1,2,3\nkind,n.d.,5,6\nEGFR,7,8,9\n"

#: text, options, samples, features, and the numbers of the first sample
TURNED = [
    (DESCRIBED, {}, ["s1", "s2", "s3"], ["TP53", "MYC", "EGFR"], [1.5, 4, 7]),
    (DESCRIBED, {"ignore": ["Description,Length,s2", "MYC"]}, ["s1", "s3"], ["TP53", "EGFR"], [1.5, 7]),
    (
        DESCRIBED.replace(",,", ",b,"),
        {"ignore": ["Name"]},
        ["s1", "s2", "s3"],
        ["a protein", "b", "a kinase"],
        [1.5, 4, 7],
    ),
    ("g,about,s1,s2\na,x,1,2\nb,7,3,4\nc,y,5,6\n", {}, ["s1", "s2"], "abc", [1, 3, 5]),
    ("g,note,s1,s2\na,,1,2\nb,,3,4\n", {}, ["s1", "s2"], "ab", [1, 3]),
    (CLASSES, {"label": "class", "ignore": ["group"], "impute": True}, ["s1", "s2", "s3"], ["TP53", "MYC"], [1.5, 4]),
    (CLASSES, {"samples": "group", "ignore": ["class"], "impute": True}, list("xyx"), ["TP53", "MYC"], [1.5, 4]),
    (GERMAN, {"label": "class"}, ["s1", "s2"], ["TP53", "MYC"], [3.5, 1234.5]),
    (GERMAN.replace(";", "\t"), {"label": "class"}, ["s1", "s2"], ["TP53", "MYC"], [3.5, 1234.5]),
    (KINDS, {"one_hot": True}, ["s1", "s2", "s3"], ["kind=007", "kind=x", "TP53", "MYC"], [1, 0, 1, 1]),
    (BESIDE, {"ignore": ["kind"]}, ["s1", "s2", "s3"], ["TP53", "EGFR"], [1, 7]),
    ("entrez,s1,s2\n007157,1,2\n4609,3,4\n", {}, ["s1", "s2"], ["007157", "4609"], [1, 3]),
]
#: text, options, and a word of the refusal
REFUSED = [
    (DESCRIBED, {"ignore": ["MYCC"]}, "did you mean 'MYC'"),
    ("g,note\na,x\nb,y\n", {}, "no column of numbers"),
    (CLASSES, {}, "not numeric"),
    (CLASSES, {"label": "clas"}, "did you mean 'class'"),
    ("gene;s1;s2\nTP53;3,5;4,25\nMYC;<0,5;1,5\nABL;3,5;1,5\n", {}, "'<0,5' in 'MYC'"),
    ("gene;s1;s2\nclass;a;b\nTP53;1,234;2,345\n", {"label": "class"}, "1234 or 1.234"),
    ("gene,s1,s2\nTP53,1,2\nMYC,3,n.d.\nEGFR,1,2\n", {}, "'n.d.' in 'MYC'"),
    ("gene,s1,s2\na,1,2\nb,3.0,4\na,5,8\n", {}, "--duplicates first"),
    ("gene,s1,s1\na,1,2\nb,3,4\n", {}, "('s1')"),
    ("gene,s1,s1\na,1,2\nb,3,4\n", {"duplicates": "suffix"}, "('s1')"),
    ("s0,s1\n0.5,1\n1.5,2\n", {}, "'0.5'"),
    ("gene,s1,s2\na,1,2\nb,1e400,4\n", {}, "'1e400'"),
]


def test_rows_and_columns_that_are_no_numbers(tmp_path):
    for text, how, samples, features, first in TURNED:
        table = read_table(save(tmp_path, text), transpose=True, **how)
        assert (table.sample_names.tolist(), table.feature_names) == (samples, tuple(features)), (text, how)
        assert table.X[0].tolist() == first, (text, how)
    for text, how, keyword in REFUSED:
        refuses(save(tmp_path, text), keyword, transpose=True, **how)
    table = read_table(save(tmp_path, DESCRIBED), transpose=True)
    assert "('Description', 'Length')" in table.notes[0]
    assert written(table).decode().splitlines()[1] == "s1,1.50,4,7"
    table = read_table(save(tmp_path, CLASSES), transpose=True, label="class", ignore=["group"], impute=True)
    assert table.label_text.tolist() == ["007", "7", ""]
    assert written(table).decode().splitlines()[1] == "s1,007,1.50,4"


def test_features_of_equal_names(tmp_path):
    path = save(tmp_path, "gene,s1,s2\na,1,2\nb,3.0,4\na,5,8\n")
    for how, text in {
        "first": "sample,a,b\ns1,1,3.0\ns2,2,4\n",
        "suffix": "sample,a,b,a-1\ns1,1,3.0,5\ns2,2,4,8\n",
        "mean": "sample,a,b\ns1,3.0,3.0\ns2,5.0,4\n",
    }.items():
        assert written(read_table(path, transpose=True, duplicates=how)).decode() == text


class TestArrays:
    @pytest.mark.parametrize("ending", ["npz", "mat"])
    @pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array])
    def test_are_turned_with_names_and_labels_of_their_length(self, tmp_path, frame, ending, kind):
        X, parts = kind(frame.to_numpy().T), {}
        if sparse.issparse(X) and ending == "npz":
            parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape, "format": b"csc"}
        arrays = {**(parts or {"X": X}), "y": np.arange(6) % 2}
        if ending == "npz":
            np.savez(tmp_path / "t.npz", **arrays, feature_names=list("abcd"))
        else:
            savemat(tmp_path / "t.mat", {**arrays, "feature_names": np.array(list("abcd"), dtype=object)})
        table = read_table(str(tmp_path / f"t.{ending}"), transpose=True, label="y")
        np.testing.assert_array_equal(dense(table.X), frame)
        assert (table.feature_names, table.y.tolist()) == (tuple("abcd"), [0, 1] * 3)

    def test_matrices_with_and_without_names(self, tmp_path, frame):
        mmwrite(tmp_path / "t.mtx", sparse.coo_matrix(frame.to_numpy().T))
        table = read_table(str(tmp_path / "t.mtx"), transpose=True)
        np.testing.assert_array_equal(table.X.toarray(), frame)
        assert (table.feature_names, table.sample_names) == (("x0", "x1", "x2", "x3"), None)
        (tmp_path / "run").mkdir()
        mmwrite(tmp_path / "run/matrix.mtx", sparse.coo_matrix(np.ones((2, 3))))
        save(tmp_path, "g1\ta\ng2\tb\n", "run/features.tsv")
        save(tmp_path, "c1\nc2\nc3\n", "run/barcodes.tsv")
        refuses(tmp_path / "run", "leave out --transpose", transpose=True)  # its files say which are genes

    @pytest.mark.usefixtures("in_process")
    def test_an_annotated_table(self, tmp_path):
        data = rich()
        path = saved_h5ad(tmp_path / "t.h5ad", data)
        table = read_table(path, transpose=True)
        np.testing.assert_array_equal(table.X.toarray(), data.X.toarray().T)
        assert (table.feature_names, table.sample_names.tolist()) == (tuple(data.obs_names), list(data.var_names))
        assert table.origin is None  # nothing of the file can be copied
        refuses(path, "another file", transpose=True, label="class")
        refuses(path, "rows", transpose=True, parts=AnnotatedParts(obsp="connectivities"))


class TestDoubts:
    def test_a_first_column_that_names_genes_is_refused(self, tmp_path, frame, rng):
        path = tmp_path / "t.csv"
        for name in ("gene", "Gene Symbol", "gene_id", "ID_REF", "ensembl_gene_id", "symbol", "probe_id"):
            refuses(saved(path, frame, label=name), f"'{name}' names genes")
            assert read_table(str(path), samples=name).X.shape == (4, 6)
            assert read_table(str(path), transpose=True).X.shape == (6, 4)
        genes = [f"ENSG{i:011}.{i % 9}" for i in range(20)]
        ids = pd.DataFrame(rng.normal(size=(3, 20)), columns=genes)
        refuses(saved(path, ids, label="what"), "'what' names genes")
        for name in ("sample", "patient", "cell", "general", "generation", "id"):
            assert len(read_table(saved(path, frame, label=name)).notes) == 1
        text = "gene,p,q,y\nTP53,1,2,u\nMYC,4,5,v\nEGFR,7,8,v\n"  # a label says that rows are samples
        assert read_table(save(tmp_path, text), label="y").sample_names.tolist() == ["TP53", "MYC", "EGFR"]

    def test_far_more_rows_than_columns_are_noted(self, tmp_path):
        for n, p, name, is_noted in [
            (1000, 99, "row{}x", True),
            (1000, 100, "row{}x", False),
            (999, 9, "row{}x", False),
            (1000, 9, "ACGTACGTACGTACGT-{}", False),  # barcodes of cells
        ]:
            header = ",".join(["what", *(f"x{j}" for j in range(p))])
            rows = "".join(f"{name.format(i)},{','.join(['1'] * p)}\n" for i in range(n))
            notes = " ".join(read_table(save(tmp_path, f"{header}\n{rows}")).notes)
            assert ("--transpose" in notes) == is_noted, (n, p, notes)

    def test_symbols_that_stand_twice_are_no_names_and_the_hint_is_in_the_error(self, tmp_path):
        for text in ("gene,s1,s2\na,1,2\nb,3,4\na,5,6\nc,1,1\n", "gene,s1\nclass,u\nb,3\na,5\nc,1\n"):
            refuses(save(tmp_path, text), "--transpose")

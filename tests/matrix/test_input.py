"""What `fit` takes as X in memory, and what it refuses by name, place and number before anything is computed."""

import re

import dask.array as da
import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect import FisherScore, LaplacianScore
from eigenselect.evaluation import accuracy_curves, redundancy_rate
from eigenselect.matrix import input as module
from eigenselect.matrix import value_range
from eigenselect.multisource import AuxiliaryData, TargetData
from eigenselect.reporting import compare
from eigenselect.sensitivity import ranking_stability

Y = np.arange(20) % 2
SELECTORS = [
    es.SPEC(), LaplacianScore(), FisherScore(), es.ReliefF(), es.HSICScore(), es.TraceRatio(), es.SSelect(), es.EVSC(),
    es.MRSF(), es.MSFS(sources=[("t", TargetData())]), es.KOGS(rankers=[(None, FisherScore())]),
]  # fmt: skip


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))


def refusal(X, error=ValueError, selector=None, y=Y):
    """Return the message that `fit` raises, which names the selector."""
    selector = FisherScore() if selector is None else selector
    with pytest.raises(error, match=rf"^{type(selector).__name__}: ") as caught:
        selector.fit(X, y)
    return str(caught.value)


class TestAccepted:
    def test_numbers_of_any_type_and_table(self, rng):
        X = rng.integers(0, 9, size=(20, 4))
        expected = FisherScore().fit(X.astype(float), Y).scores_
        types = ["int8", "uint16", "int64", "uint64", "float16", "float32", "longdouble", ">f8", ">i4", object]
        tables = [X.astype(dtype) for dtype in types]
        tables += [X.tolist(), pd.DataFrame(X), sparse.csr_array(X.astype(np.int8)), sparse.coo_array(X)]
        tables += [np.ma.masked_array(X, mask=False), np.asfortranarray(X), X[:, ::-1][:, ::-1]]
        for table in tables:
            np.testing.assert_allclose(FisherScore().fit(table, Y).scores_, expected, rtol=1e-10)
        np.testing.assert_array_equal(FisherScore().fit(X > 4, Y).scores_, FisherScore().fit((X > 4) * 1.0, Y).scores_)

    def test_columns_of_a_frame_may_have_any_type_of_numbers(self, frame):
        odd = frame.assign(
            boolean=np.arange(20) % 2 == 0,
            nullable=pd.array(np.arange(20), dtype="Int64"),
            objects=pd.Series(list(range(20)), dtype=object),
            category=pd.Series(np.arange(20) % 4).astype("category"),
        )
        np.testing.assert_array_equal(es.SPEC().fit(odd).ranking_, es.SPEC().fit(odd.astype(float)).ranking_)

    def test_polars_frames(self, frame):
        polars = pytest.importorskip("polars", reason="polars is not installed")
        table = polars.from_pandas(frame)
        found = es.SPEC().fit(table)
        np.testing.assert_array_equal(found.ranking_, es.SPEC().fit(frame).ranking_)
        assert list(found.feature_names_in_) == list("abc")
        assert "'city' (String)" in refusal(table.with_columns(city=polars.lit("Oslo")))

    def test_tables_of_pyarrow(self, frame):
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.Table.from_pandas(frame)
        found = es.FisherScore(2).fit(table, Y)
        assert list(found.feature_names_in_) == list("abc")
        np.testing.assert_array_equal(found.scores_, es.FisherScore(2).fit(frame, Y).scores_)
        np.testing.assert_array_equal(found.transform(table), found.transform(frame))
        assert found.explain(table, "b").column == 1
        assert es.report(found, table, Y).to_frame()["feature"].isin(list("abc")).all()
        stable = es.StabilitySelector(found, n_pairs=2).fit(table, Y)
        assert list(stable.feature_names_in_) == list("abc")
        city = table.append_column("city", pyarrow.array(["Oslo"] * 20))
        assert "'city'" in refusal(city)

    def test_tables_are_neither_copied_nor_changed(self, rng):
        """Entries that are stored twice are added in the fit alone."""
        once = sparse.csr_array(rng.random((20, 3)))
        twice = sparse.csr_array((np.repeat(once.data, 2), np.repeat(once.indices, 2), 2 * once.indptr), shape=(20, 3))
        expected = FisherScore().fit(2 * once.toarray(), Y).scores_
        for stored in (twice, twice.tocoo()):
            np.testing.assert_allclose(FisherScore().fit(stored, Y).scores_, expected, rtol=1e-12)
            assert stored.nnz == 120
        for X in (rng.integers(9, size=(5, 3), dtype=np.int8), rng.normal(size=(5, 3))):
            assert np.shares_memory(module.read_input(X, "SPEC").raw, X)
            held = sparse.csr_array(X)
            assert np.shares_memory(module.read_input(held, "SPEC").raw.data, held.data)

    def test_values_at_the_ends_of_the_range(self):
        X = np.column_stack([1e100 * Y, 1e-100 * Y, np.full(20, 1e100), np.full(20, 1e-200)])
        with pytest.warns(es.exceptions.UndefinedScoreWarning, match="2 of 4"):
            assert FisherScore(1).fit(X, Y[::-1] * (np.arange(20) > 3)).ranking_.tolist() == [1, 2, 3, 4]


def with_value(value, row=7, column=2):
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[row, column] = value
    return X


STORES = {
    "dense": np.asarray, "columns first": np.asfortranarray, "CSR": sparse.csr_array, "CSC": sparse.csc_array,
    "COO": sparse.coo_array, "frame": pd.DataFrame, "float32": np.float32,
}  # fmt: skip


class TestRefused:
    @pytest.mark.parametrize("store", STORES)
    @pytest.mark.parametrize(("value", "called"), [(np.nan, "NaN"), (-np.inf, "infinity")])
    def test_values_that_are_not_finite_by_their_place(self, store, value, called):
        assert f"{called} in row 7, column 2" in refusal(STORES[store](with_value(value)))

    def test_samples_and_features_are_called_by_their_names(self):
        adata = pytest.importorskip("anndata").AnnData
        names = {"index": [f"s{i}" for i in range(20)], "columns": list("abc")}
        frame = pd.DataFrame(with_value(np.nan), **names)
        csr = sparse.csr_matrix(with_value(np.nan))
        annotated = adata(csr, pd.DataFrame(index=names["index"]), pd.DataFrame(index=names["columns"]))
        for table in (frame, annotated):
            assert "row 7 ('s7'), column 2 ('c')" in refusal(table)

    def test_values_that_are_not_finite_in_one_off_functions(self):
        for store in (np.asarray, sparse.csr_array):
            with pytest.raises(ValueError, match="NaN in row 7, column 2"):
                es.laplacian_score(store(with_value(np.nan)))
            with pytest.raises(ValueError, match="NaN in row 7, column 2"):
                redundancy_rate(store(with_value(np.nan)))
        with pytest.raises(ValueError, match=r"shape \(3,\)"):
            redundancy_rate([1, 2, 3])

    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_threads_that_share_a_table_miss_no_value(self, monkeypatch, n_jobs):
        monkeypatch.setattr(value_range, "SHARED_VALUES", 0)
        selector = FisherScore(n_jobs=n_jobs)
        for store in ("dense", "columns first", "CSR", "CSC"):
            for row in range(11):
                said = refusal(STORES[store](with_value(np.nan, row, row % 3)), selector=selector)
                assert f"NaN in row {row}, column {row % 3}" in said

    @pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
    def test_columns_of_text_and_dates_are_named_by_every_method(self, selector, frame):
        bad = frame.assign(city="Oslo", day=pd.Timestamp("2020-01-01"), id=7)
        said = refusal(bad, selector=selector)
        assert "2 of 6 columns: 'city' (" in said
        assert "'day' (datetime64" in said

    def test_the_first_of_many_columns_are_named(self, frame):
        said = refusal(frame.assign(**{f"t{j}": "x" for j in range(5)}))
        assert re.search(r"5 of 8 columns: 't0' \(.*\), 't1' \(.*\), 't2' \(.*\), …", said)
        repeated = pd.concat([frame, frame.assign(b="x")[["b"]]], axis=1)
        assert "1 of 4 columns: 'b' (" in refusal(repeated, selector=es.MSFS(sources=[("t", TargetData())]))

    def test_a_pipeline_may_take_what_its_first_step_takes(self, frame):
        with pytest.raises(ValueError, match="could not convert|invalid literal"):  # scikit-learn's words
            make_pipeline(StandardScaler(), es.SPEC()).fit(frame.assign(t="x"))

    @pytest.mark.parametrize(("names", "count"), [("aba", 1), ("aabb", 2)])
    def test_equal_names_with_code_that_keeps_the_first(self, rng, names, count):
        """Whatever scikit-learn's version: one takes them, another does not."""
        X = pd.DataFrame(rng.normal(size=(20, len(names))), columns=list(names))
        said = refusal(X)
        assert f"got {count} name" in said
        code = re.search(r"keep the first, (.*)\.$", said)[1]
        assert list(eval(code, {"X": X}).columns) == sorted(set(names))

    @pytest.mark.parametrize(
        ("X", "said"),
        [
            (np.zeros((1, 3)), "minimum of 2"),
            (np.zeros((20, 3), dtype="f4,i2"), "records"),
            (np.zeros((20, 3), dtype="M8[s]"), "times"),
            (np.ma.masked_array(np.ones((20, 3)), mask=np.eye(20, 3)), "masked values, got 3"),
        ],
        ids=["one sample", "records", "times", "masked"],
    )
    def test_other_arrays(self, X, said):
        with pytest.raises(ValueError, match=said):
            FisherScore().fit(X, Y[: len(X)])

    def test_containers_of_several_tables_before_they_are_touched(self):
        def touched(self, attribute):
            raise AssertionError(f"{attribute} was asked for before the table was refused")

        def container(package, name):
            names = {"__module__": f"{package}._core", "__getattr__": touched, "__len__": lambda self: 20}
            return type(name, (), names)()

        for selector in SELECTORS:
            assert "mdata.mod[name]" in refusal(container("mudata", "MuData"), TypeError, selector)
            assert "Dask array" in refusal(container("dask_expr", "DataFrame"), TypeError, selector)
        for call in (ranking_stability, compare, accuracy_curves):
            extra = {"sizes": [2]} if call is accuracy_curves else {}
            first = FisherScore() if call is ranking_stability else {"fisher": FisherScore()}
            with pytest.raises(TypeError, match=rf"^{call.__name__}: .*mdata\.mod"):
                call(first, container("mudata", "MuData"), Y, **extra)


def test_features_are_named_or_numbered_in_explanations():
    X = np.random.default_rng(0).normal(size=(20, 4))
    plain = FisherScore().fit(X, Y)
    for feature in (2, np.int64(1)):
        assert plain.explain(X, feature).score == pytest.approx(plain.native_scores_[feature])
    text = pd.DataFrame(X, columns=list("abcd"))
    by_name = FisherScore().fit(text, Y)
    assert by_name.explain(text, "c").score == pytest.approx(plain.native_scores_[2])
    for table, feature, said in (
        (text, 4, "from 0 to 3"), (text, -1, "from 0 to 3"), (text, "e", "'e'"), (text, True, "True"),
        (text, 1.5, "1.5"), (X, "a", "no names"),
    ):  # fmt: skip
        selector = by_name if table is text else plain
        with pytest.raises(ValueError, match=said):
            selector.explain(table, feature)


class TestWholeNumbersThatFloatsRound:
    """Beyond 2^53 they are told once, with the features that hold them, in any storage."""

    WHOLE = np.random.default_rng(0).integers(0, 10**6, (20, 4))
    LARGE = WHOLE + np.array([0, 2**60, 0, -(2**62)])

    @pytest.mark.parametrize("storage", ["array", "other byte order", "CSR", "COO", "frame", "Dask", "HDF5"])
    def test_told_once_with_counts(self, storage, tmp_path, monkeypatch):
        monkeypatch.setattr("eigenselect.matrix.backed.band_bytes", lambda: 64)
        file = h5py.File(tmp_path / "x.h5", "w")
        stores = {
            "array": np.asarray,
            "other byte order": lambda X: np.abs(X).astype(">u8"),
            "CSR": sparse.csr_array,
            "COO": sparse.coo_array,
            "frame": lambda X: pd.DataFrame(X, columns=list("0123")).assign(**{"0": X[:, 0] / 2}),
            "Dask": lambda X: da.from_array(X, chunks=(10, 3)),
            "HDF5": lambda X: file.create_dataset(str(X[0, 1]), data=X),
        }
        with pytest.warns(UserWarning, match=r"^FisherScore: 2 of 4 .*1.*3") as told:
            FisherScore(2).fit(stores[storage](self.LARGE), Y)
        assert len(told) == 1
        FisherScore(2).fit(stores[storage](self.WHOLE), Y)

    def test_by_the_estimator_that_was_given_the_table(self):
        with pytest.warns(UserWarning, match="2 of 4 features") as told:
            es.KOGS(2, rankers=[(None, FisherScore()), (None, es.HSICScore())]).fit(self.LARGE, Y)
        assert [str(warning.message).partition(":")[0] for warning in told] == ["KOGS"]
        with pytest.warns(UserWarning, match="^AuxiliaryData: 2 of 4"):
            es.MSFS(2, sources=[("other", AuxiliaryData(self.LARGE))]).fit(self.WHOLE)

"""What users give as X becomes a matrix, or one sentence says why it cannot."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenselect import (
    EVSC,
    KOGS,
    MRSF,
    MSFS,
    SPEC,
    FisherScore,
    HSICScore,
    LaplacianScore,
    ReliefF,
    SSelect,
    TraceRatio,
)
from eigenselect.evaluation import accuracy_curves
from eigenselect.matrix import as_matrix, finite_table, indexable, input, read_input
from eigenselect.multisource import TargetData
from eigenselect.reporting import compare
from eigenselect.sensitivity import ranking_stability


class Estimator(BaseEstimator):
    pass


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame], ids=["dense", "sparse", "frame"])
@pytest.mark.parametrize(
    ("dtype", "held"),
    [(name, name) for name in ("bool", "int8", "uint16", "int64", "float32", "float64")],
)
def test_numbers_keep_their_type(rng, kind, dtype, held):
    X = rng.integers(2, size=(5, 3)).astype(dtype)
    table = read_input(kind(X), "SPEC")
    assert table.dtype == held
    np.testing.assert_array_equal(table.to_array(), X.astype(np.float64))


def test_nothing_is_copied_of_sound_arrays(rng):
    for X in (rng.integers(9, size=(5, 3), dtype=np.int8), rng.normal(size=(5, 3))):
        assert np.shares_memory(read_input(X, "SPEC").raw, X)
        held = sparse.csr_array(X)
        assert np.shares_memory(read_input(held, "SPEC").raw.data, held.data)


def test_other_tables_of_numbers_become_floats(rng):
    X = rng.integers(9, size=(5, 3))
    assert read_input(X.astype(np.float16), "SPEC").dtype == np.float32
    assert read_input(X.astype(">i4"), "SPEC").dtype.isnative
    assert read_input(X.astype(object), "SPEC").dtype == np.float64
    mixed = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "c": [True, False]})
    assert read_input(mixed, "SPEC").dtype == np.float64
    np.testing.assert_array_equal(read_input(mixed, "SPEC").to_array(), [[1, 0.5, 1], [2, 1.5, 0]])
    assert read_input(sparse.coo_array(X), "SPEC").raw.format == "csr"
    assert read_input(sparse.csc_array(X.astype(float)), "SPEC").raw.format == "csc"
    assert read_input(X.tolist(), "SPEC").shape == (5, 3)


def test_an_estimator_learns_the_names(rng):
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "b"])
    estimator = Estimator()
    matrix = read_input(frame, "Estimator", estimator)
    assert list(estimator.feature_names_in_) == ["a", "b"]
    assert matrix.feature_label(1) == "'b'"


def test_a_matrix_brings_names_and_is_checked_all_the_same(rng):
    X = rng.normal(size=(5, 2))
    matrix = read_input(as_matrix(sparse.csr_array(X), sample_names=list("stuvw")), "SPEC")
    assert matrix.sample_label(1) == "'t'"
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        read_input(as_matrix(X), "SPEC")


def test_names_that_are_given_win_over_those_of_a_frame(rng):
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "b"])
    assert read_input(frame, "MSFS", feature_names=["c", "d"]).feature_label(1) == "'d'"


def test_values_near_the_end_of_floating_point_are_finite():
    assert read_input(np.full((3, 4), 1e308), "SPEC").is_finite()


@pytest.mark.parametrize("store", [np.array, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_that_share_a_table_miss_no_value(monkeypatch, store, n_jobs):
    monkeypatch.setattr(input, "SHARED_VALUES", 0)
    owner = LaplacianScore(n_jobs=n_jobs)
    for row in range(11):
        X = np.full((11, 3), 1e308)  # no sum of several is finite
        assert read_input(store(X), "SPEC", owner).is_finite()
        X[row, row % 3] = np.nan
        with pytest.raises(ValueError, match=f"must be finite, got NaN in row {row}, column {row % 3}"):
            read_input(store(X), "SPEC", owner)


def test_too_few_samples():
    with pytest.raises(ValueError, match="minimum of 2"):
        read_input(np.zeros((1, 3)), "SPEC")
    assert read_input(np.zeros((1, 3)), "SPEC", min_samples=1).n_samples == 1


def test_equal_names_of_features_may_be_allowed(rng):
    frame = pd.DataFrame(rng.normal(size=(5, 2)), columns=["a", "a"])
    assert read_input(frame, "MSFS", Estimator(), repeated_names=True).feature_label(1) == "'a'"


@pytest.mark.parametrize(("names", "says"), [("aba", "1 name that stands"), ("aabb", "2 names that stand")])
def test_equal_names_of_features_are_refused_with_code_that_keeps_the_first(rng, names, says):
    """Whatever scikit-learn's version: one takes them, another does not, in words of another library."""
    X = pd.DataFrame(rng.normal(size=(6, len(names))), columns=list(names))
    with pytest.raises(ValueError, match=f"FisherScore: X must have a name for each column, got {says} more than") as e:
        FisherScore(1).fit(X, [0, 1] * 3)
    code = re.search(r"keep the first, (.*)\.$", str(e.value))[1]
    assert list(eval(code, {"X": X}).columns) == sorted(set(names))


def test_rows_can_be_taken_of_what_is_indexable(rng):
    X = rng.normal(size=(5, 2))
    frame = pd.DataFrame(X)
    assert indexable(frame, "f") is frame
    assert indexable(sparse.coo_array(X), "f").format == "csr"
    assert isinstance(indexable(X.tolist(), "f"), np.ndarray)


def test_tables_of_one_off_functions():
    assert finite_table([[1, 2], [3, 4]], "f").shape == (2, 2)
    with pytest.raises(ValueError, match=r"^f: expected a table of samples and features, got shape \(3,\)"):
        finite_table([1, 2, 3], "f")
    for kind in (np.asarray, sparse.csr_array):
        with pytest.raises(
            ValueError, match="^f: the table of features must be finite, got NaN in row 0, column 1; fill"
        ):
            finite_table(kind([[1.0, np.nan]]), "f")


SELECTORS = [
    SPEC(),
    LaplacianScore(),
    FisherScore(),
    ReliefF(),
    HSICScore(),
    TraceRatio(),
    SSelect(),
    EVSC(),
    MRSF(),
    MSFS(sources=[("t", TargetData())]),
    KOGS(rankers=[(None, FisherScore())]),
]


def of_package(package, name):
    """An object of a class that says it comes from a package, and that breaks when touched."""

    def touched(self, attribute):
        raise AssertionError(f"{attribute} was asked for before the table was refused")

    return type(name, (), {"__module__": f"{package}._core", "__getattr__": touched, "__len__": lambda self: 20})()


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(
    ("package", "name", "instead"),
    [
        ("mudata", "MuData", "mdata.mod[name]"),
        ("dask_expr", "DataFrame", "give a Dask array"),
    ],
)
def test_mudata_and_frames_of_dask_are_refused_before_anything_is_computed(selector, package, name, instead):
    with pytest.raises(TypeError) as error:
        selector.fit(of_package(package, name), np.arange(20) % 2)
    assert str(error.value).startswith(type(selector).__name__ + ": X must be")
    assert instead in str(error.value)


@pytest.mark.parametrize("call", [ranking_stability, compare, accuracy_curves], ids=lambda f: f.__name__)
def test_functions_refuse_them_too(call):
    extra = {"sizes": [2]} if call is accuracy_curves else {}
    first = FisherScore() if call is ranking_stability else {"fisher": FisherScore()}
    with pytest.raises(TypeError, match=f"^{call.__name__}: .*mdata.mod"):
        call(first, of_package("mudata", "MuData"), np.arange(20) % 2, **extra)


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"))


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
def test_columns_of_text_and_dates_are_named(selector, frame):
    bad = frame.assign(city="Oslo", day=pd.Timestamp("2020-01-01"), id=7)
    with pytest.raises(ValueError) as error:
        selector.fit(bad, np.arange(20) % 2)
    says = str(error.value)
    assert says.startswith(
        f"{type(selector).__name__}: X must hold numbers, got something else in 2 of 6 columns: 'city' ("
    )
    assert "'day' (datetime64" in says


def test_the_first_of_many_are_named(frame):
    bad = frame.assign(**{f"t{j}": "x" for j in range(5)})
    with pytest.raises(ValueError, match=r"5 of 8 columns: 't0' \(.*\), 't1' \(.*\), 't2' \(.*\), …; leave"):
        SPEC().fit(bad)


def test_a_pipeline_may_take_what_its_first_step_takes(frame):
    with pytest.raises(ValueError, match="could not convert|invalid literal"):  # scikit-learn's, not ours to say
        make_pipeline(StandardScaler(), SPEC()).fit(frame.assign(t="x"))


def test_numbers_in_any_column_type_are_numbers(frame):
    odd = frame.assign(
        boolean=np.arange(20) % 2 == 0,
        nullable=pd.array(np.arange(20), dtype="Int64"),
        objects=pd.Series(list(range(20)), dtype=object),
        category=pd.Series(np.arange(20) % 4).astype("category"),
    )
    np.testing.assert_array_equal(SPEC().fit(odd).ranking_, SPEC().fit(odd.astype(float)).ranking_)


def test_equal_names_do_not_hide_a_column(frame):
    bad = pd.concat([frame, frame.assign(b="x")[["b"]]], axis=1)
    with pytest.raises(ValueError, match=r"1 of 4 columns: 'b' \("):
        MSFS(sources=[("t", TargetData())]).fit(bad)


def test_polars_frames(frame):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    table = polars.from_pandas(frame)
    np.testing.assert_array_equal(SPEC().fit(table).ranking_, SPEC().fit(frame).ranking_)
    with pytest.raises(ValueError, match=r"SPEC: .* 1 of 4 columns: 'city' \(String\)"):
        SPEC().fit(table.with_columns(city=polars.lit("Oslo")))


def test_masked_values_are_refused():
    """scikit-learn would count what lies under the mask."""
    X = np.ma.masked_array(np.arange(8.0).reshape(4, 2), mask=False)
    assert read_input(X, "SPEC").shape == (4, 2)
    X[1, 1] = np.ma.masked
    with pytest.raises(ValueError, match=r"^SPEC: X must have no masked values, got 1; fill or drop them\."):
        read_input(X, "SPEC")

"""Tables that no selector takes are refused at once."""

import numpy as np
import pandas as pd
import pytest
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
from eigenselect.multisource import TargetData
from eigenselect.reporting import compare
from eigenselect.sensitivity import ranking_stability

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
        ("anndata", "AnnData", "adata.to_df()"),
        ("dask", "Array", "X.compute()"),
        ("dask_expr", "DataFrame", "X.compute()"),
    ],
)
def test_anndata_and_dask_are_refused_before_anything_is_computed(selector, package, name, instead):
    with pytest.raises(TypeError) as error:
        selector.fit(of_package(package, name), np.arange(20) % 2)
    assert str(error.value).startswith(type(selector).__name__ + ": X must be")
    assert instead in str(error.value)


def test_real_anndata():
    anndata = pytest.importorskip("anndata", reason="anndata is not installed; a class of its name stands in")
    data = anndata.AnnData(np.random.default_rng(0).normal(size=(20, 3)))
    for view in (data, data[:10]):
        with pytest.raises(TypeError, match=r"SPEC: .* got an AnnData; give adata\.to_df\(\)"):
            SPEC().fit(view)
    SPEC(1).fit(data.to_df())


@pytest.mark.parametrize("call", [ranking_stability, compare, accuracy_curves], ids=lambda f: f.__name__)
def test_functions_refuse_them_too(call):
    extra = {"sizes": [2]} if call is accuracy_curves else {}
    first = FisherScore() if call is ranking_stability else {"fisher": FisherScore()}
    with pytest.raises(TypeError, match=f"^{call.__name__}: .*to_df"):
        call(first, of_package("anndata", "AnnData"), np.arange(20) % 2, **extra)


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

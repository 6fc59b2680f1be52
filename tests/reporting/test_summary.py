"""Summaries hold plain values, and exactly what their types promise."""

import json
import types
import typing

import numpy as np
import pytest
from tests.reporting.test_plain import is_plain

import eigenselect as es
from eigenselect.reporting import compare
from eigenselect.reporting.summary import ComparisonSummary, RankingSummary


def breaches(value, kind, where="summary"):
    """Places at which a value is not what a type promises: missing or further keys, other kinds of values."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if typing.is_typeddict(kind) and not isinstance(value, dict):
        return {f"{where} is {type(value).__name__}, not a dict"}
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind, include_extras=True)  # the keys that a class calls required are wrong
        optional = {key for key, hint in hints.items() if typing.get_origin(hint) is typing.NotRequired}
        required = set(hints) - optional if kind.__total__ else set()
        missing = {f"{where}.{key} is missing" for key in required - set(value)}
        further = {f"{where}.{key} is in no type" for key in set(value) - set(hints)}
        inside = (breaches(value[key], hint, f"{where}.{key}") for key, hint in hints.items() if key in value)
        return missing.union(further, *inside)
    if origin is typing.NotRequired:
        return breaches(value, parts[0], where)
    if kind is typing.Any:
        return set()
    if origin is typing.Literal:
        return set() if value in parts else {f"{where} is {value!r}"}
    if origin in (typing.Union, types.UnionType):
        return set() if any(not breaches(value, part, where) for part in parts) else {f"{where} is none of {parts}"}
    if origin in (list, dict) and type(value) is not origin:
        return {f"{where} is {type(value).__name__}, not a {origin.__name__}"}
    if origin is list:
        return set().union(*(breaches(item, parts[0], f"{where}[]") for item in value))
    if origin is dict:
        return set().union(*(breaches(item, parts[1], f"{where}[{key!r}]") for key, item in value.items()))
    kinds = {float: (float, int), type(None): (type(None),)}.get(kind, (kind,))
    return set() if type(value) in kinds else {f"{where} is {type(value).__name__}, not {kind.__name__}"}


def test_the_checker_finds_what_is_wrong():
    class Inner(typing.TypedDict):
        n: int
        w: typing.NotRequired[list[float] | None]

    assert breaches({"n": 1, "w": [1, 2.0]}, Inner) == set()
    assert breaches({"w": ["a"], "x": 1}, Inner) == {
        "summary.n is missing",
        "summary.x is in no type",
        f"summary.w is none of {(list[float], type(None))}",
    }
    assert breaches({"n": True}, Inner) == {"summary.n is bool, not int"}


class TestTypes:
    """Whoever reads the JSON relies on these keys."""

    @pytest.mark.parametrize(
        "make",
        [
            lambda: es.FisherScore(5, significance=True),
            lambda: es.LaplacianScore("auto"),
            lambda: es.MRSF(3),
            lambda: es.SSelect(3),
            lambda: es.FisherScore("fdr"),
            lambda: es.MSFS(3, sources=[("own", es.multisource.TargetData()), ("set", es.multisource.FeatureSet([0]))]),
        ],
    )
    @pytest.mark.parametrize("evaluation", [True, False])
    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_of_rankings(self, two_groups, make, evaluation):
        X, y = two_groups
        summary = es.report(make().fit(X, y), X, y, evaluation=evaluation).summary
        assert breaches(summary, RankingSummary) == set()

    def test_of_comparisons(self, two_groups):
        X, y = two_groups
        made = compare({"fisher": es.FisherScore(), "mrsf": es.MRSF(target="lda")}, X, y, n_features=5, sizes=[2, 5])
        assert breaches(made.summary, ComparisonSummary) == set()


@pytest.mark.parametrize(
    "make",
    [
        lambda: es.FisherScore(np.int64(3)),
        lambda: es.LaplacianScore(np.int32(3), similarity=es.similarity.KNN(n_neighbors=np.int64(7))),
        lambda: es.LaplacianScore(3, similarity=es.similarity.KNN(5, np.str_("rbf"), np.float64(2.0))),
        lambda: es.SPEC(3, similarity=es.similarity.RBF(bandwidth=np.float32(1.5)), spectral_function=np.sqrt),
        lambda: es.SPEC(3, similarity=es.similarity.Diffusion(beta=np.float32(0.5)), n_clusters=np.int16(3)),
        lambda: es.MSFS(
            3,
            sources=[("self", es.multisource.TargetData()), ("y", es.multisource.SampleCategories())],
            weights=np.array([0.5, 0.5]),
        ),
    ],
)
def test_reports_of_numpy_parameters_have_every_rendering(two_groups, make):
    X, y = two_groups[0][:, 12:], two_groups[1]
    made = es.report(make().fit(X, y), X, y)
    assert is_plain(made.summary)
    assert json.loads(made.to_json())["n_selected"] == 3
    assert "<html" in made.to_html()
    assert "np." not in made.to_html() + made.to_markdown() + made.to_json()

"""The numbers in docs/theorem.md are computed again."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

from eigenselect import SPEC, FisherScore, TraceRatio

TEXT = (Path(__file__).parent.parent / "docs" / "theorem.md").read_text(encoding="utf-8")
X = np.array([[1.0, 0], [2, 3], [5, 1], [6, 4]])
Y = ["red", "red", "blue", "blue"]


@pytest.fixture(scope="module")
def computed():
    spec = SPEC(1, similarity="class_labels").fit(X, Y)
    b, e = TraceRatio(1).fit(X, Y).criterion_.pair.scatters(X, None)
    fisher = FisherScore(1).fit(X, Y).native_scores_
    numbers = {}
    for j, name in enumerate("ab"):
        numbers |= {f"{name}_within": e[j], f"{name}_total": b[j] + e[j], f"{name}_phi2": spec.native_scores_[j]}
        numbers |= {f"{name}_score": spec.scores_[j], f"{name}_fisher": fisher[j]}
    numbers["one_ratio"] = TraceRatio(1).fit(X, Y).trace_ratio_
    numbers["both_ratio"] = TraceRatio(2).fit(X, Y).trace_ratio_
    return numbers


def test_every_number_of_the_worked_example(computed):
    shown = dict(re.findall(r"<!-- (\w+) -->([\d.]+)<!-- -->", TEXT))
    assert shown.keys() == computed.keys()
    for name, value in shown.items():
        assert float(value) == pytest.approx(computed[name], abs=5e-5), name


def test_the_code_prints_what_it_says():
    code = re.search(r"```python\n(.*?)```", TEXT, re.S).group(1)
    promised = re.findall(r"# (\[.*\])$", code, re.M)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue().split("\n")[:-1] == promised

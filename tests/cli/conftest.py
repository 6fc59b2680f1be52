"""Run the command in this process, on a small table and on a small annotated table."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.cli.main import run


class Done(NamedTuple):
    """Exit code, stdout and stderr of one call."""

    code: int
    out: str
    err: str


@pytest.fixture
def call(capsys):
    """Run the command with some words."""

    def run_it(*words):
        code = run([str(word) for word in words])
        return Done(code, *capsys.readouterr())

    return run_it


@pytest.fixture
def succeed(call):
    """Run the command, which must succeed."""

    def run_it(*words):
        done = call(*words)
        assert done.code == 0, f"{words}: {done.err}"
        return done

    return run_it


@pytest.fixture
def transcript(call, tmp_path, monkeypatch):
    """Run a line on ``table.csv``; return the line, stdout, stderr and the exit code as one text."""

    def run_it(line, table):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "table.csv").write_text("\n".join(table))
        code, out, err = call(*line.split())
        return f"$ eigenselect {line}\n{out}stderr:\n{err}exit code {code}\n"

    return run_it


@pytest.fixture
def summary_of(succeed):
    """Run the command with ``--json``, which must succeed; return what it prints as a dictionary."""
    return lambda *words: json.loads(succeed(*words, "--json").out)


@pytest.fixture
def refused(call):
    """Run the command, which must fail with this code, these keywords on stderr and nothing on stdout."""

    def run_it(code, keywords, *words):
        done = call(*words)
        assert (done.code, done.out) == (code, ""), f"{words}: {done}"
        assert "Traceback" not in done.err
        last = done.err.splitlines()[-1]
        assert last.startswith("Error: " if code == 2 else "eigenselect: error: "), done.err
        for keyword in [keywords] if isinstance(keywords, str) else keywords:
            assert keyword in last, f"{words}: {keyword!r} is not in: {last}"
        return done

    return run_it


@pytest.fixture
def by_column():
    """Return one fact of all features in the order of the table."""

    def values(summary, key):
        found = {row["column"]: row.get(key) for row in summary["features"]}
        return [found[column] for column in sorted(found)]

    return values


@pytest.fixture
def page_data():
    """Read the data of a page."""

    def read(path):
        text = path.read_text(encoding="utf-8")
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script', text, re.DOTALL)[1])

    return read


@pytest.fixture
def awkward():
    """The name of the feature that follows the classes best: HTML, a comma and quotes."""
    return '<b>x</b>, "y"'


@pytest.fixture
def frame(rng, awkward):
    """Seven features and the label ``y``."""
    groups = np.repeat([0.0, 2.0], 20)
    data = {f"f{j}": rng.normal(size=40) for j in range(5)}
    data[awkward] = groups + rng.normal(size=40) * 0.3
    data["naïve 🧬 ゲノム"] = groups - rng.normal(size=40)
    data["y"] = np.where(groups > 0, "tumour", "normal")
    return pd.DataFrame(data)


@pytest.fixture
def data_csv(frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def units(rng):
    """Five features in different units; ``b`` follows the label ``y``."""
    y = np.arange(40) % 2
    X = pd.DataFrame(rng.normal(size=(40, 5)) * [1, 100, 0.01, 1, 1], columns=list("abcde"))
    X["b"] += 250 * y
    return X.assign(y=np.where(y, "yes", "no"))


@pytest.fixture
def cells():
    """An AnnData of 60 cells in a line, of two types; genes 2 and 5 follow both."""
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    X = rng.gamma(1.0, size=(60, 8)).astype(np.float32)
    X[:30, [2, 5]] += [3, 2]
    X[rng.random(X.shape) < 0.3] = 0
    line = sparse.diags_array([np.ones(59)] * 2, offsets=[-1, 1], format="csr")
    types = pd.Categorical(np.where(np.arange(60) < 30, "B", "T"), categories=["T", "B"])
    obs = pd.DataFrame({"type": types}, index=[f"c{i}" for i in range(60)])
    var = pd.DataFrame({"length": np.arange(8)}, index=[f"g{j}" for j in range(8)])
    data = anndata.AnnData(sparse.csr_matrix(X), obs=obs, var=var)
    data.obsp["spatial_connectivities"] = data.obsp["connectivities"] = line
    data.obsm["spatial"] = np.column_stack([np.arange(60) % 5, np.arange(60) // 5 + rng.random(60) / 9])
    data.layers["log"] = np.log1p(X)
    data.uns["other"] = {"a": 1}
    data.raw = anndata.AnnData(sparse.csr_matrix(np.hstack([X, X[:, :1] * 2])), obs=obs).copy()
    return data


@pytest.fixture
def cells_path(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"

"""A lack of memory is told in one sentence: for what, how much, and what to do."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from eigenselect.cli.run import shortage

PATIENCE = 120


@pytest.fixture
def data(tmp_path, rng):
    path = tmp_path / "data.csv"
    pd.DataFrame(rng.normal(size=(30, 4)), columns=list("abcd")).assign(y=np.arange(30) % 2).to_csv(path, index=False)
    return path


def too_much(*_, **__):
    """What numpy really says, of an array that no machine can hold."""
    np.ones((2**25, 2**25))


@pytest.mark.parametrize(
    ("place", "words", "says"),
    [
        (
            "eigenselect.LaplacianScore.fit",
            "rank {} --method laplacian",
            "laplacian of 30 samples x 5 features: there is not enough memory",
        ),
        (
            "eigenselect.LaplacianScore.fit",
            "select {} --method laplacian -k 2 -o {}.csv",
            "laplacian of 30 samples x 5 features: there",
        ),
        ("eigenselect.MSFS.fit", "fuse {}", "msfs of 30 samples x 5 features: there is not enough memory"),
        (
            "eigenselect.reporting.summarise_comparison",
            "compare {} --label y",
            "comparing of 30 samples x 4 features: there is not",
        ),
        (
            "eigenselect.reporting.views.drawing.redundancy_view",
            "rank {} --report {}.html",
            "the page of 30 samples x 5 features:",
        ),
        ("eigenselect.reporting.Report.to_json", "rank {} --json -q", "error: there is not enough memory, "),
    ],
)
def test_anywhere_in_the_command(call, data, monkeypatch, place, words, says):
    before = {path.name for path in data.parent.iterdir()}
    monkeypatch.setattr(place, too_much)
    code, out, err = call(*words.replace("{}", str(data)).split())
    assert (code, out) == (1, "")
    (line,) = err.splitlines()[-1:]
    assert says in line
    assert "33554432 x 33554432 numbers would take 8.00 PiB; " in line
    assert "float64" not in line
    assert {path.name for path in data.parent.iterdir()} == before


def test_what_others_say():
    assert shortage(MemoryError()) == "there is not enough memory"
    assert shortage(MemoryError("malloc of size 21474836480 failed")).endswith("20 GiB would be needed at once")
    assert shortage(MemoryError("MRSF: needs 3 GiB for S.")) == "MRSF: needs 3 GiB for S"


def test_the_kernel_itself_refuses(tmp_path, rng):
    """1.5 GB are given to a child; the full graph of so many samples would take 3.2 at once."""
    path = tmp_path / "tall.csv"
    pd.DataFrame(rng.normal(size=(20_000, 2)).round(3)).to_csv(path, index=False)
    program = (
        "import resource, sys, sklearn, pandas, scipy.sparse.linalg, eigenselect\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 3 * 2**29,) * 2)\n"
        "from eigenselect.cli.main import main; main(sys.argv[1:])"
    )
    words = ["rank", path, "--method", "spec-phi2", "--similarity", "rbf", "--jobs", "1"]
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    *_, line = done.stderr.splitlines()
    assert line.startswith("eigenselect: error: SPEC: the similarities of all pairs of 20000 samples (RBF) need 3.5 GB")
    assert "are free; use a graph of neighbours (similarity='knn') or fewer samples." in line

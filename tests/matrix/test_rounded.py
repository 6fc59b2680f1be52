"""Whole numbers beyond 2^53, which floats round, are told once, in any storage."""

import dask.array as da
import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import eigenselect as es
from eigenselect.multisource import AuxiliaryData

LABELS = np.arange(20) % 2
WHOLE = np.random.default_rng(0).integers(0, 10**6, (20, 4))
LARGE = WHOLE + np.array([0, 2**60, 0, -(2**62)])
MESSAGE = r"^FisherScore: 2 of 4 features of X hold whole numbers beyond 2\^53, .*\(.*1.*, .*3.*\); subtract"


def mixed_frame(X):
    frame = pd.DataFrame(X, columns=list("0123"))
    return frame.assign(**{"0": frame["0"] / 2})


STORAGES = {
    "array": np.asarray,
    "unsigned, in the other order of bytes": lambda X: np.abs(X).astype(">u8"),
    "csr": sparse.csr_array,
    "coo": sparse.coo_array,
    "frame of two types": mixed_frame,
    "dask": lambda X: da.from_array(X, chunks=(10, 3)),
}


@pytest.mark.parametrize("storage", STORAGES)
def test_told_with_counts(storage):
    with pytest.warns(UserWarning, match=MESSAGE) as told:
        es.FisherScore(2).fit(STORAGES[storage](LARGE), LABELS)
    assert len(told) == 1
    es.FisherScore(2).fit(STORAGES[storage](WHOLE), LABELS)


def test_of_a_file_that_is_not_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr("eigenselect.matrix.backed.band_bytes", lambda: 64)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for name, X in {"large": LARGE, "whole": WHOLE}.items():
            file[name] = X
        with pytest.warns(UserWarning, match=MESSAGE):
            es.FisherScore(2).fit(file["large"], LABELS)
        es.FisherScore(2).fit(file["whole"], LABELS)


def test_once_by_who_was_given_the_table():
    with pytest.warns(UserWarning, match="2 of 4 features of X") as told:
        es.KOGS(2, rankers=[(None, es.FisherScore()), (None, es.HSICScore())]).fit(LARGE, LABELS)
    assert [str(warning.message).partition(":")[0] for warning in told] == ["KOGS"]
    with pytest.warns(UserWarning, match="AuxiliaryData: 2 of 4 features of Z"):
        es.MSFS(2, sources=[("other", AuxiliaryData(LARGE))]).fit(WHOLE)

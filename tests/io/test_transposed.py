"""Features in rows: the same table as with features in columns."""

import numpy as np
import pandas as pd
import pytest

from eigenselect.io.readers import read_table


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(6, 4)), index=[f"s{i}" for i in range(6)], columns=list("abcd"))


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_a_table_and_its_transpose_are_the_same(tmp_path, frame, ending):
    path = tmp_path / f"x.{ending}"
    if ending == "parquet":
        frame.T.to_parquet(path)
    else:
        frame.T.to_csv(path, sep="\t" if ending == "tsv" else ",", index_label="gene")
    table = read_table(str(path), transpose=True)
    assert table.X.tobytes() == np.ascontiguousarray(frame).tobytes()
    assert table.feature_names == tuple("abcd")
    assert table.sample_names.tolist() == list(frame.index)

"""Labels and covariates of another file: matched by name, in any order."""

import pytest

from eigenselect.io.companions import split_spec
from eigenselect.io.readers import read_table


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,a,b\ns1,1,2\ns2,3,5\ns3,4,4\n")
    return str(path)


def test_a_file_and_its_columns(tmp_path):
    odd = tmp_path / "go:1.csv"
    odd.write_text("")
    assert split_spec(str(odd)) == (str(odd), None)
    assert split_spec(f"{odd}:GO:2") == (str(odd), "GO:2")
    assert split_spec("no.csv:type") == ("no.csv", "type")


def test_labels_in_any_order(tmp_path, data):
    other = tmp_path / "y.tsv"
    other.write_text("sample\ttype\tage\ns3\tu\t1\ns1\t007\t2\ns2\tNA\t3\n")
    table = read_table(data, samples="id", labels=f"{other}:type", covariates=f"{other}:age")
    assert table.y.tolist() == ["007", "NA", "u"]
    assert table.label_name == "type"
    assert table.covariates["age"].tolist() == ["2", "3", "1"]

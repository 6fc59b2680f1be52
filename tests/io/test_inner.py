"""One of several tables in a file, as FILE:NAME."""

import pytest

from eigenselect.exceptions import InputError
from eigenselect.io.files import check_other_files
from eigenselect.io.inner import chosen, split_inner


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("d/x.xlsx:day 2", ("d/x.xlsx", "day 2")),
        ("x.XLSM:a:b", ("x.XLSM", "a:b")),
        ("x.h5:hg19", ("x.h5", "hg19")),
        ("x.h5mu:rna", ("x.h5mu", "rna")),
        ("x.h5mu:", ("x.h5mu:", None)),
        ("x.h5ad:rna", ("x.h5ad:rna", None)),
        ("C:\\x.xlsx", ("C:\\x.xlsx", None)),
        ("-", ("-", None)),
    ],
)
def test_split_inner(path, parts):
    assert split_inner(path) == parts


def test_a_file_of_the_whole_name_comes_first(tmp_path):
    path = tmp_path / "x.xlsx:day"
    path.touch()
    assert split_inner(str(path)) == (str(path), None)


def test_a_file_with_a_colon_in_its_name_is_found(tmp_path):
    path = str(tmp_path / "x.h5:b.h5")
    assert split_inner(f"{path}:hg19") == (str(tmp_path / "x.h5"), "b.h5:hg19")
    (tmp_path / "x.h5:b.h5").touch()
    assert split_inner(f"{path}:hg19") == (path, "hg19")


def test_an_input_is_known_without_the_name_of_its_table(tmp_path):
    """Else ``--force -o x.xlsx`` would write over what is read."""
    (tmp_path / "x.xlsx").touch()
    with pytest.raises(InputError, match="which is read; write to another file"):
        check_other_files([str(tmp_path / "x.xlsx")], [str(tmp_path / "x.xlsx:day 2")])


def test_a_table_that_is_not_there():
    assert chosen(None, ["rna"], "x.h5mu", "modality") == ("rna", [])
    with pytest.raises(InputError, match=r"x\.h5mu:RNA: no modality named 'RNA'; did you mean 'rna'\?"):
        chosen("RNA", ["rna", "atac"], "x.h5mu:RNA", "modality")
    with pytest.raises(InputError, match=r"no modality named '\.\./protein'; there are 2 modalities \('.*', '.*'\)\.$"):
        chosen("../protein", ["rna", "atac"], "x.h5mu:../protein", "modality")

"""Parts of HDF5 files of 10x Genomics, as they are stored."""

import pytest
from tests.io.hdf5_files import COUNTS, GENES, KINDS, write_version_2, write_version_3

pytest.importorskip("h5py")
parts_module = pytest.importorskip("eigenselect.io.tenx_h5_parts")


def test_version_3(tmp_path):
    parts = parts_module.read_count_parts(str(write_version_3(tmp_path / "t.h5")), table=None)
    assert (parts.names.tolist(), parts.kinds.tolist(), parts.tables) == (GENES, KINDS, ())
    assert parts.matrix["shape"].tolist() == [6, 9]
    assert parts.matrix["data"].tolist() == COUNTS[COUNTS > 0].tolist()


def test_version_2(tmp_path):
    parts = parts_module.read_count_parts(str(write_version_2(tmp_path / "t.h5")), table="mm10")
    assert (parts.tables, parts.kinds, parts.genomes) == (("hg19", "mm10"), None, None)
    assert parts.names.tolist() == ["mm10_0", "mm10_1", "mm10_2"]


def test_only_the_ends_of_what_is_large(tmp_path):
    path = write_version_3(tmp_path / "t.h5")
    data = COUNTS[COUNTS > 0]
    parts = parts_module.read_count_parts(str(path), table=None, most=10)
    assert parts.matrix["data"] == (data[0], data[-1])


def test_files_without_such_a_matrix(tmp_path):
    path = write_version_2(tmp_path / "t.h5", genomes=["hg19"])
    with __import__("h5py").File(path, "r+") as file:
        del file["hg19/genes"]
    with pytest.raises(parts_module.OtherContentError) as error:
        parts_module.read_count_parts(str(path), table=None)
    assert error.value.names == ["hg19"]

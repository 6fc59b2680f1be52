"""Parts of MuData files beside their modalities."""

import pytest
from tests.io.hdf5_files import write_mudata

h5py = pytest.importorskip("h5py")
h5mu_parts = pytest.importorskip("eigenselect.io.h5mu_parts")


@pytest.fixture
def path(tmp_path):
    return str(write_mudata(tmp_path / "t.h5mu"))


def test_only_columns_that_the_modality_does_not_have_are_read(path):
    parts = h5mu_parts.read_shared_parts(path, modality="prot", asked=["batch", "depth", "none"])
    assert (parts.modalities, parts.own, sorted(parts.columns)) == (["rna", "prot"], ["depth", "_index"], ["batch"])
    assert {"batch", "half"} <= set(parts.shared)
    assert sorted(parts.places.tolist()) == [0, 0, 1, 2, 3, 4, 5, 6, 7]
    assert h5mu_parts.read_shared_parts(path, modality=None, asked=["type"]).places is None


def test_modalities_without_an_order(path):
    with h5py.File(path, "r+") as file:
        del file["mod"].attrs["mod-order"]
    assert sorted(h5mu_parts.read_shared_parts(path, modality=None, asked=[]).modalities) == ["prot", "rna"]


def test_places_in_a_matrix_of_one_column_as_older_versions_of_mudata_wrote_them(path):
    def places():
        return h5mu_parts.read_shared_parts(path, modality="prot", asked=["batch"]).places.tolist()

    expected = places()
    with h5py.File(path, "r+") as file:
        column = file["obsmap/prot"][:].reshape(-1, 1)
        del file["obsmap/prot"]
        file["obsmap/prot"] = column
    assert places() == expected

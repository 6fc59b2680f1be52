"""Arrays and groups of h5py and zarr, wherever a table goes in: small ones, and as if they were large."""

import re
import warnings

import h5py
import numpy as np
import pytest
from scipy import sparse

import eigenselect
from backed import as_if_large, counts
from eigenselect import FisherScore, LaplacianScore, StabilitySelector
from eigenselect.evaluation import near_copies
from eigenselect.matrix import BackedMatrix, as_matrix, read_input
from eigenselect.reporting import compare, report
from eigenselect.similarity import FromTable
from storages import STORAGES

X, Y = counts(40, 8)
FILES = ["HDF5", "HDF5 CSR", "zarr", "zarr CSC"]


@pytest.fixture(params=FILES)
def there(request, tmp_path):
    return STORAGES[request.param](X, tmp_path)


@pytest.fixture(params=[True, False], ids=["large", "small"])
def size(request, monkeypatch):
    if request.param:
        as_if_large(monkeypatch, read=2000)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_every_door_opens(there, size):
    """The answers are those on the array."""
    expected = FisherScore(3).fit(X, Y)
    fitted = FisherScore(3).fit(there, Y)
    assert (fitted.n_features_in_, hasattr(fitted, "feature_names_in_")) == (8, False)
    np.testing.assert_allclose(eigenselect.fisher_score(there, Y), expected.native_scores_, rtol=1e-12)
    assert fitted.explain(there, 2).score == pytest.approx(fitted.native_scores_[2])
    taken = fitted.transform(there)
    assert sparse.issparse(taken) == hasattr(there, "keys")
    np.testing.assert_array_equal(taken.toarray() if sparse.issparse(taken) else taken, expected.transform(X))
    assert fitted.fit_transform(there, Y).shape == (40, 3)
    assert as_matrix(there).shape == (40, 8)
    chosen = fitted.get_support()
    assert len(near_copies(there, chosen)) == len(near_copies(X, chosen))


def test_comparisons_and_subsamples(tmp_path):
    there = STORAGES["HDF5 CSR"](X, tmp_path)
    methods = {"fisher": FisherScore(3), "laplacian": LaplacianScore(3)}
    made = [compare(methods, table, Y, n_features=3, sizes=(2,), n_splits=2).summary for table in (there, X)]
    assert made[0]["all_features"] == made[1]["all_features"]
    assert made[0]["near_best"] == made[1]["near_best"]
    stable = [StabilitySelector(FisherScore(3), n_pairs=3, random_state=0).fit(table, Y) for table in (there, X)]
    np.testing.assert_array_equal(stable[0].scores_, stable[1].scores_)


@pytest.mark.parametrize("large", [True, False])
def test_reports(there, monkeypatch, large):
    if large:
        as_if_large(monkeypatch, read=2000)
    fitted = FisherScore(3).fit(X, Y)
    found, expected = (report(fitted, table, Y, evaluation=False).summary for table in (there, X))
    assert found["features"] == expected["features"]


def test_a_graph_of_another_table_in_a_file(there):
    found, expected = (LaplacianScore(3, similarity=FromTable(table)).fit(X).scores_ for table in (there, X))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_other_features_are_refused(there):
    with pytest.raises(
        ValueError, match="^FisherScore.transform: X must have the 7 features of fit, got a table of shape"
    ):
        FisherScore(3).fit(X[:, :7], Y).transform(there)


@pytest.mark.parametrize("name", FILES)
def test_integers_of_a_file_come_out_as_integers(tmp_path, name):
    there = STORAGES[name](X.astype(np.int16), tmp_path)
    assert FisherScore(3).fit(there, Y).transform(there).dtype == np.int16


@pytest.mark.parametrize(("bad", "called"), [(np.nan, "NaN"), (-np.inf, "infinity")])
@pytest.mark.parametrize("name", FILES)
def test_where_the_first_bad_value_is(tmp_path, monkeypatch, name, bad, called):
    values = X.copy()
    values[33, 6] = bad
    there = STORAGES[name](values, tmp_path)
    place = "row 33, column 6"
    chunk = {"HDF5": r" \(chunk 4, \d\)", "zarr": r" \(chunk 1\)", "HDF5 CSR": ""}.get(name, r" \(chunk \d+\)")
    for _ in ("small, so loaded", "large"):
        with pytest.raises(ValueError, match=f"^FisherScore: X must be finite, got {called} in {place}{chunk}; fill "):
            FisherScore(3).fit(there, Y)
        as_if_large(monkeypatch)


@pytest.mark.parametrize(("chunks", "called"), [((10, 7), "4"), ((10, 2), "4, 3"), ((50, 3), "0, 2"), (None, "")])
def test_a_chunk_is_named_by_its_place_along_both_axes(tmp_path, chunks, called):
    values = np.ones((50, 7))
    values[42, 6] = np.nan
    with h5py.File(tmp_path / "t.h5", "w") as file:
        there = file.create_dataset("t", data=values, chunks=chunks)
        place = f" (chunk {called})" if called else ""
        with pytest.raises(ValueError, match=re.escape(f"NaN in row 42, column 6{place}; fill")):
            FisherScore(3).fit(there, np.arange(50) % 2)
        if called:
            places = zip(map(int, called.split(", ")), chunks, strict=False)
            assert np.isnan(there[tuple(slice(at * size, (at + 1) * size) for at, size in places)]).any()


def bad_datasets(file):
    text = np.array([["a"]], dtype=h5py.string_dtype())
    return {
        "one axis": (file.create_dataset("v", data=np.ones(3)), r"samples in rows and features in columns, got shape"),
        "three axes": (file.create_dataset("c", data=np.ones((2, 2, 2))), "samples in rows and features in columns"),
        "text": (file.create_dataset("t", data=text), "hold numbers, got object"),
        "complex": (file.create_dataset("z", data=np.ones((3, 2), complex)), "hold numbers, got complex128"),
        "records": (file.create_dataset("r", data=np.zeros((3, 2), "f4,i2")), "must hold numbers, got"),
        "a group of something": (file.create_group("g"), "a group that holds no sparse matrix in anndata's encoding"),
        "no samples": (file.create_dataset("n", data=np.ones((0, 3))), "sample"),
        "no features": (file.create_dataset("m", data=np.ones((4, 0))), "feature"),
        "the whole file": (file, r"choose a dataset, .*inside it \(c, g, m"),
    }  # fmt: skip


@pytest.mark.parametrize("what", ["one axis", "three axes", "text", "complex", "records", "a group of something",
                                  "no samples", "no features", "the whole file"])  # fmt: skip
def test_what_is_no_table(tmp_path, what):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        dataset, message = bad_datasets(file)[what]
        with pytest.raises(ValueError, match=message):
            LaplacianScore(3).fit(dataset)


@pytest.mark.parametrize("make", [lambda group: group, lambda group: group.create_array("v", data=np.ones(4))])
def test_zarr_without_a_table(tmp_path, make):
    zarr = pytest.importorskip("zarr")
    with pytest.raises(ValueError, match="^SPEC: X (is a group that holds no sparse|must have samples in rows)"):
        read_input(make(zarr.open_group(str(tmp_path / "x.zarr"), mode="w")), "SPEC")


def test_records_and_times_in_memory():
    for table, kind in ((np.zeros((3, 2), "f4,i2"), "records"), (np.zeros((3, 2), "M8[s]"), "times")):
        with pytest.raises(ValueError, match=f"^SPEC: X must hold numbers, got {kind}"):
            read_input(table, "SPEC")


def test_a_truncated_file(tmp_path):
    """What is left of it opens only if HDF5 lets it; then its values do not."""
    there = STORAGES["HDF5"](np.random.default_rng(0).random((200, 50)), tmp_path)
    path = tmp_path / "x.h5"
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(ValueError, match=r"^FisherScore: X cannot be read from its file \(.*\); is it damaged, or"):
        FisherScore(3).fit(there, np.arange(200) % 2)


def test_offsets_beyond_32_bits():
    """Entries far behind the 2^31st of a matrix: what is before them is a row that nobody asks for."""
    far = 2**33

    class Far:
        """Values from a place on, as if all before them were there."""

        def __init__(self, values):
            self.values, self.shape, self.dtype = np.asarray(values), (far + len(values),), np.asarray(values).dtype

        def __getitem__(self, part):
            assert far <= part.start <= part.stop <= self.shape[0]
            return self.values[part.start - far : part.stop - far]

    class Group(dict):
        attrs = {"encoding-type": "csr_matrix", "shape": (4, 3)}  # noqa: RUF012

    indptr = np.array([0, far, far + 2, far + 3, far + 3])
    table = BackedMatrix.of(Group(data=Far([5, 6, 7]), indices=Far([0, 2, 1]), indptr=indptr), "f: X")
    rows = table.take_rows(np.array([1, 2, 3]))
    assert table.n_stored == far + 3
    np.testing.assert_array_equal(table.block(np.array([1, 2, 3]), slice(None)), [[5, 0, 6], [0, 7, 0], [0, 0, 0]])
    assert rows.shape == (3, 3)
    assert table.raw.part.chunk_of(2, 0) == ""

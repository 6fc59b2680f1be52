"""What makes a run again: hashes are hashlib's, dates can be fixed, calls can be run."""

import hashlib
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import eigenselect as es
from eigenselect.inference import Split
from eigenselect.matrix import as_matrix
from eigenselect.reporting.papers import provenance
from eigenselect.reporting.papers.provenance import date_of_run, hash_of_data, hash_of_numbers, python_call, versions
from eigenselect.selection import FDR
from eigenselect.similarity import KNN
from eigenselect.spectral import Heat

X = np.random.default_rng(0).normal(size=(7, 5))


def digest(text):
    found = re.match(r"([0-9a-f]{64})  ", text)
    assert found, text
    return found[1]


class TestFiles:
    def test_every_file_once_with_its_name_as_sha256sum_has_it(self, tmp_path):
        paths = [tmp_path / name for name in ("a b.csv", "<i>.gmt")]
        for number, path in enumerate(paths):
            path.write_bytes(bytes(range(256)) * 5000 * (number + 1))  # more than one block
        found = hash_of_data([*map(str, paths), str(paths[0]), str(tmp_path)], as_matrix(X))
        expected = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in paths]
        assert found.splitlines() == expected

    def test_what_is_too_large_is_not_read_again(self, tmp_path, monkeypatch):
        (tmp_path / "a.csv").write_bytes(b"x" * 100)
        monkeypatch.setattr(provenance, "HASHED_BYTES", 99)
        assert hash_of_data([str(tmp_path / "a.csv")], as_matrix(X)).startswith("not hashed: the files are larger than")
        assert hash_of_numbers(as_matrix(X)).startswith("not hashed: the numbers take more than")

    def test_a_file_that_is_gone_leaves_the_numbers(self, tmp_path):
        assert hash_of_data([str(tmp_path / "gone.csv"), "-"], as_matrix(X)) == hash_of_numbers(as_matrix(X))

    def test_many_files_are_counted(self, tmp_path, monkeypatch):
        for number in range(3):
            (tmp_path / f"{number}.csv").write_text(str(number))
        monkeypatch.setattr(provenance, "HASHED_FILES", 1)
        found = hash_of_data([str(tmp_path / f"{number}.csv") for number in range(3)], as_matrix(X))
        assert found.splitlines()[1:] == ["and 2 files more"]


class TestNumbers:
    def test_shape_and_values_as_float64_row_by_row(self):
        expected = hashlib.sha256(b"7 x 5" + X.astype("<f8").tobytes(order="C")).hexdigest()
        for storage in (X, np.asfortranarray(X), X[::-1][::-1]):
            assert digest(hash_of_numbers(as_matrix(storage))) == expected

    def test_another_value_order_or_shape_is_another_hash(self):
        other = X.copy()
        other[3, 2] = np.nextafter(other[3, 2], 1)
        tables = [X, other, X[:, ::-1], X.reshape(5, 7), sparse.csr_array(X)]
        assert len({digest(hash_of_numbers(as_matrix(table))) for table in tables}) == len(tables)

    def test_sparse_tables_in_any_format(self):
        dense = np.where(X > 0.5, X, 0.0)
        dense[0] = range(1, 6)
        formats = [sparse.csr_array(dense), sparse.csc_array(dense)]
        shuffled = sparse.csr_array(dense)
        shuffled.indices[:2], shuffled.data[:2] = shuffled.indices[1::-1].copy(), shuffled.data[1::-1].copy()
        shuffled.has_sorted_indices = False
        assert len({hash_of_numbers(as_matrix(table)) for table in [*formats, shuffled]}) == 1


class TestDate:
    @pytest.mark.parametrize(("given", "day"), [("0", "1970-01-01"), ("1700000000", "2023-11-14")])
    def test_a_fixed_clock(self, monkeypatch, given, day):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
        assert date_of_run() == day

    @pytest.mark.parametrize("given", ["", "soon", "9" * 30])
    def test_else_today(self, monkeypatch, given):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", date_of_run())


def test_versions_of_what_is_loaded():
    found = versions()
    assert (found["eigenselect"], found["numpy"]) == (es.__version__, np.__version__)
    assert list(found)[-2:] == ["Python", "platform"]
    assert all(found.values())


def run_call(call, **given):
    """Run imports and a call of our own writing; nothing but X and what is named is known to it."""
    *imports, made = call.splitlines()
    exec("\n".join(imports), given)
    return eval(made, given)


class TestCall:
    def test_it_can_be_run(self):
        y = np.arange(7) % 2
        given = es.SPEC(2, similarity=es.similarity.KNN(3), spectral_function=Heat(2.0), random_state=5)
        again = run_call(python_call(given, labelled=True), X=X, y=y)
        np.testing.assert_array_equal(again.ranking_, given.fit(X).ranking_)
        assert again.get_params()["random_state"] == 5

    def test_a_pipeline_is_made_whole(self):
        given = make_pipeline(StandardScaler(), es.LaplacianScore(FDR(0.3), significance=Split(2), similarity=KNN(3)))
        again = run_call(python_call(given, labelled=False), X=X)
        np.testing.assert_array_equal(again[-1].qvalues_, given.fit(X)[-1].qvalues_)

    def test_what_fit_was_given(self):
        S, given = np.ones((len(X), len(X))), es.LaplacianScore(2)
        call = python_call(given, labelled=False, parameters=["similarity_matrix"])
        again = run_call(call, X=X, similarity_matrix=S)
        np.testing.assert_array_equal(again.scores_, given.fit(X, similarity_matrix=S).scores_)

    def test_thousands_of_names_do_not_fill_the_page(self):
        many = es.multisource.FeatureSet([f"gene {j}" for j in range(20_000)])
        assert len(python_call(es.MSFS(2, sources=[("set", many)]), labelled=False)) < 5000

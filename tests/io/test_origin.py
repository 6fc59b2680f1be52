"""The file of a table: it must be what it was when it was read."""

import os

import pytest

from eigenselect.exceptions import InputError
from eigenselect.io.origin import Origin, stamp_of


@pytest.fixture
def path(tmp_path):
    (tmp_path / "t.h5ad").write_bytes(b"content")
    return str(tmp_path / "t.h5ad")


def longer(path):
    with open(path, "ab") as file:
        file.write(b"more")


def written_again(path):
    status = os.stat(path)
    with open(path, "r+b") as file:
        file.write(b"Content")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))


def replaced(path):
    """Of the same size and time, as by a tool that keeps both."""
    status = os.stat(path)
    with open(f"{path}.new", "wb") as file:
        file.write(b"Content")
    os.utime(f"{path}.new", ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(f"{path}.new", path)


@pytest.mark.parametrize("change", [longer, written_again, replaced])
def test_a_file_that_changed_is_not_taken_for_what_was_read(path, change):
    origin = Origin(path, "h5ad")
    origin.check()
    change(path)
    with pytest.raises(InputError, match=r"t\.h5ad: was changed while it was read; run again\."):
        origin.check()


def test_other_values_and_some_features_keep_the_stamp(path):
    origin = Origin(path, "h5ad")
    changed = origin.changed().taken(("a", "b", "a"), [0, 2])
    assert (changed.as_stored, changed.features, changed.columns) == (False, ("a", "b", "a"), (0, 2))
    assert changed.stamp == origin.stamp == stamp_of(path)
    longer(path)
    with pytest.raises(InputError):
        changed.check()

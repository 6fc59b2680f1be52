"""Files are written whole, keep their rights, never take the place of what is read, and leave nothing behind."""

import os
import stat
import threading
from contextlib import contextmanager

import pytest
from tests.io.tables import refuses, save

from eigenselect.exceptions import InputError
from eigenselect.io import files
from eigenselect.io.files import SUFFIX, check_other_files, check_writable, write_whole
from eigenselect.io.inner import split_inner
from eigenselect.io.origin import Origin


@contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


class TestMode:
    @pytest.mark.parametrize("mask", [0o022, 0o077, 0o000, 0o027])
    def test_a_file_keeps_its_mode_and_a_new_one_obeys_the_umask(self, tmp_path, mask):
        target = tmp_path / "t.csv"
        for mode in (0o600, 0o640, 0o644, 0o664, 0o444, 0o400, 0o666, 0o755):
            target.write_text("old")
            target.chmod(mode)
            with umask(mask):
                write_whole(str(target), "new", force=True)
            assert (target.read_text(), oct(mode_of(target))) == ("new", oct(mode))
            target.unlink()
        with umask(mask):
            write_whole(str(target), "new")
        assert oct(mode_of(target)) == oct(0o666 & ~mask)

    @pytest.mark.parametrize("mode", [0o600, 0o644])
    def test_the_temporary_file_is_never_more_readable(self, tmp_path, monkeypatch, mode):
        """Its mode is looked at after every call that could change it."""
        target = tmp_path / "t.csv"
        target.write_text("old")
        target.chmod(mode)
        seen = []
        for name in ("fsync", "fchmod", "fchown", "replace"):
            real = getattr(os, name)

            def watched(*words, real=real, name=name):
                seen.extend((name, mode_of(path)) for path in tmp_path.glob("*" + SUFFIX))
                real(*words)
                seen.extend((name, mode_of(path)) for path in tmp_path.glob("*" + SUFFIX))

            monkeypatch.setattr(os, name, watched)
        with umask(0):
            write_whole(str(target), "new", force=True)
        assert {name for name, _ in seen} >= {"fsync", "fchmod", "replace"}
        assert not [entry for entry in seen if entry[1] & 0o077 & ~mode]

    def test_the_mode_behind_a_link_counts(self, tmp_path):
        (tmp_path / "real.csv").write_text("old")
        (tmp_path / "real.csv").chmod(0o600)
        (tmp_path / "link.csv").symlink_to("real.csv")
        write_whole(str(tmp_path / "link.csv"), "new", force=True)
        assert (tmp_path / "link.csv").is_symlink()
        assert oct(mode_of(tmp_path / "real.csv")) == oct(0o600)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
    def test_owner_and_group_are_kept(self, tmp_path):
        target = tmp_path / "t.csv"
        target.write_text("old")
        target.chmod(0o640)
        os.chown(target, 1234, 4321)
        write_whole(str(target), "new", force=True)
        status = target.stat()
        assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 4321, 0o640)

    @pytest.mark.parametrize(("mode", "expected"), [(0o640, 0o600), (0o664, 0o644), (0o666, 0o666)])
    def test_a_group_that_cannot_be_kept_gives_its_rights_to_nobody(self, tmp_path, monkeypatch, mode, expected):
        """Who is not root cannot give a file to another group, and his own has no business in it."""
        target = tmp_path / "t.csv"
        target.write_text("old")
        target.chmod(mode)
        real = os.stat

        def of_another_group(path, **options):
            found = list(real(path, **options))
            found[5] += 1
            return os.stat_result(found)

        monkeypatch.setattr(os, "fchown", lambda *_: (_ for _ in ()).throw(PermissionError(1, "not permitted")))
        monkeypatch.setattr(files.os, "stat", of_another_group)
        write_whole(str(target), "new", force=True)
        monkeypatch.undo()
        assert oct(mode_of(target)) == oct(expected)


class TestWriters:
    def test_many_writers_at_once_do_not_disturb_each_other(self, tmp_path):
        failures = []

        def write(number):
            try:
                for turn in range(20):
                    write_whole(str(tmp_path / f"{number}.csv"), f"{number} {turn}", force=True)
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert sorted(path.read_text() for path in tmp_path.iterdir()) == [f"{number} 19" for number in range(8)]


class TestOtherFiles:
    @pytest.fixture
    def names(self, tmp_path, monkeypatch):
        """Ways to call one file."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "t.csv").write_text("a,b\n")
        (tmp_path / "sub").mkdir()
        (tmp_path / "soft.csv").symlink_to("t.csv")
        (tmp_path / "folder").symlink_to("sub")
        os.link("t.csv", "sub/hard.csv")
        return ["t.csv", "sub/../t.csv", "soft.csv", "sub/hard.csv", "folder/hard.csv", f"{tmp_path}/t.csv"]

    def test_no_input_is_an_output_by_any_name_or_descriptor(self, names, monkeypatch):
        def is_refused(written, *read):
            refuses(written, "another file", lambda path: check_other_files([path], ["none.csv", *read]))

        for written in names:
            for read in names:
                is_refused(written, read)
            with open("t.csv") as file:
                monkeypatch.setattr("sys.stdin", file)
                for read in ("-", f"/proc/self/fd/{file.fileno()}", f"/dev/fd/{file.fileno()}"):
                    is_refused(written, read)
        check_other_files(["t.csv"], ["-"])  # closed by now
        check_other_files(["sub/t.csv", "other.csv"], names)
        os.rename("t.csv", "t.xlsx")
        is_refused("t.xlsx", "t.xlsx:day 2")  # the name of a table in the file does not hide it

    def test_a_pipe_as_standard_input_is_no_file(self, names, monkeypatch):
        end, other = os.pipe()
        os.close(other)
        with open(end) as file:
            for stream in (file, None):
                monkeypatch.setattr("sys.stdin", stream)
                check_other_files(["t.csv"], ["-"])

    def test_outputs_are_different_files_and_not_read(self, names, monkeypatch):
        os.symlink("missing.csv", "page.html")
        for one, other in (("t.csv", "soft.csv"), ("t.csv", "sub/hard.csv"), ("missing.csv", "page.html")):
            refuses(other, one, lambda path, one=one: check_other_files([one, path], []))
        check_other_files(["one.csv", "other.html"], [])
        with open("t.csv", "a") as file:
            monkeypatch.setattr("sys.stdout", file)
            refuses("soft.csv", "standard output", lambda path: check_other_files([], [path]))
            check_other_files([], ["other.csv"])


def test_what_is_no_text_does_not_stop_a_file(tmp_path):
    write_whole(str(tmp_path / "t.md"), "a\udcffb")
    assert (tmp_path / "t.md").read_text(encoding="utf-8") == "a?b"


def test_a_device_is_no_file():
    for keyword in ("/dev/full", "print it"):
        refuses("/dev/full", keyword, lambda path: check_writable(path, force=True, instead="print it"))


def test_a_link_in_a_circle_is_replaced(tmp_path):
    (tmp_path / "a.csv").symlink_to("b.csv")
    (tmp_path / "b.csv").symlink_to("a.csv")
    write_whole(str(tmp_path / "a.csv"), "new", force=True)
    assert (tmp_path / "a.csv").read_text() == "new"


def test_files_with_a_colon_in_their_name_come_before_tables_of_files(tmp_path):
    path = f"{tmp_path}/x.h5:b.h5"
    assert split_inner(f"{path}:hg19") == (f"{tmp_path}/x.h5", "b.h5:hg19")
    (tmp_path / "x.h5:b.h5").touch()
    assert split_inner(f"{path}:hg19") == (path, "hg19")
    assert split_inner(path) == (path, None)


class TestOrigin:
    """The file of a table must be what it was when it was read."""

    def changes(self, path):
        """Yield after each change: longer, of a later time, or another file of the same size and time."""
        status = os.stat(path)
        save(os.path.dirname(path), b"contents", "t.h5ad")
        yield
        save(os.path.dirname(path), b"Content", "t.h5ad")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
        yield
        os.utime(save(os.path.dirname(path), b"Content", "new"), ns=(status.st_atime_ns, status.st_mtime_ns))
        os.replace(f"{os.path.dirname(path)}/new", path)
        yield

    def test_a_file_that_changed_is_not_taken_for_what_was_read(self, tmp_path):
        path = save(tmp_path, b"content", "t.h5ad")
        origin = Origin(path, "h5ad")
        changed = origin.changed().taken(("a", "b", "a"), [0, 2])
        assert (changed.as_stored, changed.features, changed.columns) == (False, ("a", "b", "a"), (0, 2))
        origin.check()
        for _ in self.changes(path):
            for table in (origin, changed):
                with pytest.raises(InputError, match="was changed"):
                    table.check()

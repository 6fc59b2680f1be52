"""Files are written whole or not at all, never over another without leave, and never over one that is read."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from eigenselect.exceptions import InputError
from eigenselect.io.inner import split_inner

#: names of temporary files: short, as the target's name may fill the limit
PREFIX, SUFFIX = ".eigenselect-", ".part"
#: how Linux calls the list of those who may read a file beyond owner and group
ACCESS_LIST = "system.posix_acl_access"
#: text, bytes, or a function that writes to the path that it gets
Content = str | bytes | Callable[[str], object]


def write_whole(path: str, content: Content, *, force: bool = False) -> None:
    r"""Write a file by way of a temporary one beside it, so that a crash leaves the old file intact.

    Parameters
    ----------
    path : str
        A link stays a link: what it points to is replaced.
    content : str, bytes or callable
        Text is written as UTF-8; a function writes to the path of the temporary file, which it gets.
    force : bool, default=False
        Whether a file that exists is replaced. The new one has its mode, group and, where possible, owner; one that
        did not exist follows the umask.

    Raises
    ------
    InputError
        If the file may not be written; see `check_writable`.
    OSError
        If the system refuses, for example because the disk is full; the old file is as it was.

    Notes
    -----
    1. Create ``.eigenselect-XXXXXXXX.part`` in the folder of the target, as a file can be renamed in one step only
       within a file system. No other process can have made it (``O_EXCL``), and it is readable by its owner alone if
       it replaces another.
    2. Write, flush, and let the system put the bytes on the disk (``fsync``) [1]_.
    3. Give it the owner, group, access list and mode of the old file.
    4. Rename it to the target. POSIX has this done in one step [2]_: whoever opens the path finds the old file or the
       new.

    After an error the temporary file is removed. A process that is killed leaves it.

    References
    ----------
    .. [1] T. S. Pillai et al., "All file systems are not created equal: on the complexity of crafting crash-consistent
           applications", OSDI 2014.
    .. [2] IEEE Std 1003.1, ``rename``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "ranking.csv")
    ...     write_whole(path, "feature\n")
    ...     write_whole(path, "feature\nash\n", force=True)
    ...     Path(path).read_text(), os.listdir(folder)
    ('feature\nash\n', ['ranking.csv'])
    """
    write_all({path: content}, force=force)


def write_all(files: Mapping[str, Content], *, force: bool = False) -> None:
    """Write files as `write_whole` does; none is replaced before all temporary ones are complete."""
    done: list[str] = []
    with ExitStack() as temporary:
        try:
            ready = {}
            for path, content in files.items():
                check_writable(path, force=force)
                target = Path(os.path.realpath(path))
                ready[path] = temporary.enter_context(_filled(target, content)), target
            for path, names in ready.items():
                os.replace(*names)
                done.append(path)
        except OSError as error:
            reason = error.strerror or str(error)
            changed = f"only {', '.join(done)} was written" if done else "nothing was changed"
            raise OSError(f"{path}: cannot be written ({reason}); {changed}.") from error


def as_utf8(text: str) -> str:
    r"""Put a question mark for what UTF-8 cannot hold: the name of a file may have bytes that are no text.

    >>> as_utf8("caf\udce9.csv")
    'caf?.csv'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


# -- what may be written ---------------------------------------------------------------------


def check_writable(path: str, *, force: bool, instead: str = "name a file") -> None:
    """Say early, before long work, that a file cannot be written.

    Refuse a directory, a device, a pipe, a folder that does not exist, and a file that exists unless ``force`` is
    given. ``instead`` is what to do about a device.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{path}: is a directory; name a file.")
    if target.exists() and not target.is_file():  # replacing /dev/null would be a disaster
        raise InputError(f"{path}: is not a file but a device or a pipe; {instead}.")
    if target.exists() and not force:
        raise InputError(f"{path}: exists already; use --force to replace it.")
    if not target.parent.is_dir():
        raise InputError(f"{path}: the directory {str(target.parent)!r} does not exist.")


def check_other_files(outputs: Iterable[str], inputs: Sequence[str]) -> None:
    """Refuse to write over a file that is read, or one file twice, even by force.

    Files are told by device and number, so a link, another name or a descriptor (``/dev/stdin``, the file that ``-``
    is redirected from) is the same file. Standard output may not be a file that is read either.

    >>> check_other_files(["ranks.csv", "./ranks.csv"], inputs=["x.csv"])
    Traceback (most recent call last):
    ...
    eigenselect.exceptions.InputError: ./ranks.csv: is the same file as ranks.csv; name two files.
    """
    read = {identity: name for name in inputs for identity in _identities(name)}
    written: dict[object, str] = {}
    for output in outputs:
        for identity in (*_identities(output, descriptor=False), os.path.realpath(output)):
            if identity in read:
                raise InputError(f"{output}: is {_called(read[identity], output)} read; write to another file.")
            if written.setdefault(identity, output) is not output:
                raise InputError(f"{output}: is the same file as {written[identity]}; name two files.")
    if is_read(sys.stdout, inputs):
        raise InputError("standard output: is a file that is read; write to another file.")


def is_read(stream: object, inputs: Iterable[str]) -> bool:
    """Tell whether what is written to a stream would be added to a file that is read."""
    return any(_identities(name) & _identity_of(stream) for name in inputs)


def _called(name: str, output: str) -> str:
    """Say what an output is, other than its own name, if it is read under another."""
    if name == output:
        return "a file that is"
    return f"the same file as {'standard input' if name == '-' else name}, which is"


def _identities(name: str, *, descriptor: bool = True) -> set[object]:
    """Give device and number of a regular file; of what standard input comes from, if its name is ``-``."""
    found = _identity_of(sys.stdin) if name == "-" and descriptor else set()
    with suppress(OSError, ValueError):  # there is no such file, or no file can have that name
        found |= _if_regular(os.stat(split_inner(name)[0]))
    return found


def _identity_of(stream: object) -> set[object]:
    try:
        return _if_regular(os.fstat(stream.fileno()))  # type: ignore[attr-defined]
    except (OSError, ValueError, AttributeError):  # closed, in memory, or none at all
        return set()


def _if_regular(status: os.stat_result) -> set[object]:
    return {(status.st_dev, status.st_ino)} if stat.S_ISREG(status.st_mode) else set()


# -- writing ---------------------------------------------------------------------------------


@contextmanager
def _filled(target: Path, content: Content) -> Iterator[str]:
    """Fill a temporary file beside the target, which nobody can read at any time who cannot read the target.

    It is removed at the end, unless it was renamed.
    """
    old = os.stat(target) if target.exists() else None
    file, temporary = _created(target.parent, 0o666 if old is None else 0o600)  # less what the umask takes away
    try:
        with file:
            if callable(content):
                content(temporary)
            else:
                file.write(as_utf8(content).encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
            if old is not None:
                _inherit(file.fileno(), target, old)
        yield temporary  # closed: Windows does not rename files that are open
    finally:
        Path(temporary).unlink(missing_ok=True)


def _created(folder: Path, mode: int) -> tuple[BinaryIO, str]:
    """Create a file under a name of its own."""
    while True:
        temporary = str(folder / f"{PREFIX}{secrets.token_hex(4)}{SUFFIX}")
        with suppress(FileExistsError):
            return open(temporary, "xb", opener=lambda path, flags: os.open(path, flags, mode)), temporary


def _inherit(handle: int, target: Path, old: os.stat_result) -> None:
    """Give the new file the owner, group, access list and mode of the old one.

    Where group or list cannot be kept, the new group gets no more rights than anybody has.
    """
    if not hasattr(os, "fchown"):
        return
    mode = stat.S_IMODE(old.st_mode) & 0o777
    for owner, group in ((old.st_uid, old.st_gid), (-1, old.st_gid)):
        with suppress(OSError):
            os.fchown(handle, owner, group)
            break
    if os.fstat(handle).st_gid != old.st_gid or not _access_list_kept(handle, target):
        mode &= 0o707 | (mode & 0o007) << 3
    os.fchmod(handle, mode)


def _access_list_kept(handle: int, target: Path) -> bool:
    if not hasattr(os, "getxattr"):
        return True
    try:
        access = os.getxattr(target, ACCESS_LIST)
    except OSError:  # it has none
        return True
    with suppress(OSError):
        os.setxattr(handle, ACCESS_LIST, access)
        return True
    return False

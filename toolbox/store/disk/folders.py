"""Folders and files on disk: directories that are held open, and messages where a disk is full."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Final, cast

from toolbox.errors import InputError, OutputError, ToolboxError
from toolbox.messages import choose_setting_name

# Directories that are held open. Files are opened within them, so that no link and no renaming leads elsewhere.

_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_QUIET: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
READ: Final = os.O_RDONLY | _NO_LINK | _QUIET
"""Not through a link, and without waiting for whoever would write into a named pipe."""
CREATE: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK | _QUIET
OTHERS_WRITE: Final = 0o022
"""The permission of anybody else to write."""
_DIRECTORY: Final = READ | getattr(os, "O_DIRECTORY", 0)
_CAN_BE_HELD: Final = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd
_LOST: Final = {errno.EIO, errno.ENOSPC, errno.EDQUOT}
"""What a system says that could write a directory to the disk, and has not."""


def is_own(status: os.stat_result) -> bool:
    """Test whether a file belongs to the user of this process."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _require_own_file(status: os.stat_result, name: str) -> None:
    if not (S_ISREG(status.st_mode) and is_own(status)):
        raise PermissionError(errno.EPERM, "is no file of yours", name)


@dataclass(frozen=True)
class Folder:
    """A directory; names are those of files directly in it, and no link among them is followed."""

    path: Path
    descriptor: int | None
    """None where the system knows no names within an open directory."""

    @classmethod
    @contextmanager
    def opened(cls, path: Path, *, within: Folder | None = None) -> Iterator[Folder]:
        """Keep a directory open while the block runs.

        Parameters
        ----------
        path : Path
            Its last part is no link, unless it is followed by others on purpose before.
        within : Folder, optional
            Where it lies; the path is then its name there.
        """
        full = path if within is None else within.path / path
        if not _CAN_BE_HELD:  # pragma: no cover - there is no machine of this kind where we test
            yield cls(full, None)
            return
        descriptor = os.open(path, _DIRECTORY, dir_fd=None if within is None else within.descriptor)
        try:
            yield cls(full, descriptor)
        finally:
            # Nothing was written through it; it is closed even then.
            with suppress(OSError):
                os.close(descriptor)

    def status(self, name: str | None = None) -> os.stat_result:
        """Return what the system knows of a file, or of the directory itself."""
        if name is not None:
            return os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)
        return self.path.lstat() if self.descriptor is None else os.fstat(self.descriptor)

    def names(self) -> list[str]:
        """List what lies in it."""
        return os.listdir(self.path if self.descriptor is None else self.descriptor)  # noqa: PTH208 - has no path

    def open(self, name: str, flags: int = READ) -> BinaryIO:
        """Open a file; a new one is for this user alone."""
        descriptor = os.open(self.at(name), flags, 0o600, dir_fd=self.descriptor)
        return cast(BinaryIO, os.fdopen(descriptor, "r+b" if flags & os.O_RDWR else "rb", buffering=0))

    def read(self, name: str, most: int) -> bytes:
        """Read a file of this user.

        Raises
        ------
        FileNotFoundError
            If it is not there.
        OSError
            If it is anything else, or longer than `most` bytes.
        """
        _require_own_file(self.status(name), name)  # before it is opened, which can have effects elsewhere
        with self.open(name) as file:
            _require_own_file(os.fstat(file.fileno()), name)
            content = b""
            while piece := file.read(most + 1 - len(content)):
                content += piece
        if len(content) > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
        return content

    def write(self, name: str, content: bytes) -> None:
        """Make a file, and bring it to the disk."""
        with self.open(name, CREATE) as file:
            rest = memoryview(content)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())

    def move(self, name: str, to: Folder, new_name: str) -> None:
        """Move a file in one step, over another one if there is one."""
        os.replace(self.at(name), to.at(new_name), src_dir_fd=self.descriptor, dst_dir_fd=to.descriptor)

    def link(self, name: str, to: Folder, new_name: str) -> None:
        """Make a second name (hard link) for a file."""
        os.link(
            self.at(name),
            to.at(new_name),
            src_dir_fd=self.descriptor,
            dst_dir_fd=to.descriptor,
            follow_symlinks=False,
        )

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(self.at(name), dir_fd=self.descriptor)

    def flush(self) -> None:
        """Write the names in it to the disk, where the system can do that."""
        if self.descriptor is None:
            return
        try:
            os.fsync(self.descriptor)
        except OSError as error:
            if error.errno in _LOST:
                raise

    def at(self, name: str) -> str:
        """Return the path of a file for a system function that is given the descriptor."""
        return name if self.descriptor is not None else str(self.path / name)


# Messages for a full disk, and for a file that may not grow.

NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""What a system says where nothing more can be written, whoever asks."""

_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")


def make_room_error(reason: int, folder: Path) -> OutputError:
    """Return the error that says why nothing more can be written to a folder, and what to do."""
    temporary = choose_setting_name(
        "--temp-dir for temporary files, -output for the release", python="limits=Limits(temp_dir=..)"
    )
    elsewhere = f"name folders with more room: {temporary}"
    match reason:
        case errno.EDQUOT:
            problem = f"Your disk quota in {folder} is used up ({_format_room_left(folder)} on the disk)."
            remedy = f"Free some room, or {elsewhere}."
        case errno.EFBIG:
            problem = f"A file in {folder} would become larger than {_format_largest_file()}."
            remedy = f"Raise the limit, or {elsewhere}."
        case errno.EROFS:
            problem = f"{folder} lies on a file system that is read-only."
            remedy = "Make it writable, or name another folder."
        case _:
            problem = f"The disk is full: {_format_room_left(folder)} in {folder}."
            remedy = f"Free some room, or {elsewhere}. With a larger memory limit less is spilled to disk."
    return OutputError(f"{problem} {remedy} Nothing was released.")


def make_write_error(error: OSError, path: Path) -> OutputError:
    """Return the error that says why a file, or a folder, cannot be written."""
    if error.errno in NO_ROOM:
        return make_room_error(error.errno, path.parent)
    return OutputError(f"{path} cannot be written: {error.strerror or error}. Nothing was released.")


@contextmanager
def translate_file_errors(folder: Path) -> Iterator[None]:
    """Return our error for an error of the system that concerns a file.

    Parameters
    ----------
    folder : Path
        Of the temporary files, where links lead to the inputs.
    """
    try:
        yield
    except OSError as error:
        raise make_file_error(error, folder) from error


def make_file_error(error: OSError, folder: Path | None = None) -> ToolboxError:
    """Return whether an input cannot be read or an output cannot be written, by what the system says."""
    if error.errno in NO_ROOM:
        return make_room_error(error.errno, folder or Path.cwd())
    reason = error.strerror or str(error)
    if not isinstance(error.filename, (str, os.PathLike)):
        return OutputError(f"A file cannot be read or written: {reason}. Nothing was released.")
    path = Path(error.filename)
    # Unlike the method of a path, it answers for names that are too long for the system, too.
    is_link = os.path.islink(path)  # noqa: PTH114
    if folder is None or is_link or not path.is_relative_to(folder):
        return InputError(f"{path.readlink() if is_link else path} cannot be read: {reason}.")
    return make_write_error(error, path)


def _format_room_left(folder: Path) -> str:
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return "nothing is known of the room left"
    return f"{_format_bytes(usage.free)} of {_format_bytes(usage.total)} are left"


def _format_largest_file() -> str:
    with suppress(ImportError):
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        if soft != resource.RLIM_INFINITY:
            return f"this process may write, {_format_bytes(soft)} (ulimit -f)"
    return "its file system takes"


def _format_bytes(size: int) -> str:
    unit = 0
    amount = float(size)
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.3g} {_UNITS[unit]}"

"""Messages for a full disk, and for a file that may not grow."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from toolbox.errors import InputError, OutputError, ToolboxError
from toolbox.messages import either

NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""What a system says where nothing more can be written, whoever asks."""

_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")


def no_room(reason: int, folder: Path) -> OutputError:
    """Return the error that says why nothing more can be written to a folder, and what to do."""
    temporary = either("--temp-dir for temporary files, -output for the release", python="limits=Limits(temp_dir=..)")
    elsewhere = f"name folders with more room: {temporary}"
    match reason:
        case errno.EDQUOT:
            problem = f"Your disk quota in {folder} is used up ({_left(folder)} on the disk)."
            remedy = f"Free some room, or {elsewhere}."
        case errno.EFBIG:
            problem = f"A file in {folder} would become larger than {_largest()}."
            remedy = f"Raise the limit, or {elsewhere}."
        case errno.EROFS:
            problem = f"{folder} lies on a file system that is read-only."
            remedy = "Make it writable, or name another folder."
        case _:
            problem = f"The disk is full: {_left(folder)} in {folder}."
            remedy = f"Free some room, or {elsewhere}. With a larger memory limit less is spilled to disk."
    return OutputError(f"{problem} {remedy} Nothing was released.")


@contextmanager
def file_errors(folder: Path) -> Iterator[None]:
    """Return our error for an error of the system that concerns a file.

    Parameters
    ----------
    folder : Path
        Of the temporary files, where links lead to the inputs.
    """
    try:
        yield
    except OSError as error:
        raise file_error(error, folder) from error


def file_error(error: OSError, folder: Path | None = None) -> ToolboxError:
    """Return whether an input cannot be read or an output cannot be written, by what the system says."""
    if error.errno in NO_ROOM:
        return no_room(error.errno, folder or Path.cwd())
    reason = error.strerror or str(error)
    if not isinstance(error.filename, (str, os.PathLike)):
        return OutputError(f"A file cannot be read or written: {reason}. Nothing was released.")
    path = Path(error.filename)
    # Unlike the method of a path, it answers for names that are too long for the system, too.
    is_link = os.path.islink(path)  # noqa: PTH114
    if folder is None or is_link or not path.is_relative_to(folder):
        return InputError(f"{path.readlink() if is_link else path} cannot be read: {reason}.")
    return OutputError(f"{path} cannot be written: {reason}. Nothing was released.")


def _left(folder: Path) -> str:
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return "nothing is known of the room left"
    return f"{_amount(usage.free)} of {_amount(usage.total)} are left"


def _largest() -> str:
    with suppress(ImportError):
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        if soft != resource.RLIM_INFINITY:
            return f"this process may write, {_amount(soft)} (ulimit -f)"
    return "its file system takes"


def _amount(size: int) -> str:
    unit = 0
    amount = float(size)
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.3g} {_UNITS[unit]}"


def reason_in(message: str) -> int | None:
    """Return which of the reasons stands in the message of a library."""
    return next((reason for reason in NO_ROOM if os.strerror(reason) in message), None)
